//! Neighbours of the rows of a region, and what rows become among them.

use numpy::{IntoPyArray, PyUntypedArrayMethods};
use pyo3::prelude::*;
use trustpath::label::Projection;
use trustpath::label::regions::{self as of, Components, RegionLists, Scatter};
use trustpath::neighbors::Points;

use super::{
    Column, Double, Flags, Integers, Positions, Rows32, Single, Table, in_rows, kept, neighbors,
    places,
};
use crate::arrays::{to_array, to_matrix};
use crate::options::Threads;
use crate::work::on;

/// The mean of rows, and directions, one per row.
type MeanAndDirections<'py> = (Column<'py, f64>, Table<'py, f64>);

/// A region among all cells.
#[pyclass(frozen, module = "trustpath._trustpath")]
pub struct Region(of::Region);

type Lists<'py> = (Column<'py, u32>, Column<'py, f32>, Column<'py, bool>);

#[pymethods]
impl Region {
    /// The region of the cells from `first` to `end`, of which all are described by where they start and by their means.
    #[new]
    fn new(start: Integers<'_>, means: Rows32<'_>, first: usize, end: usize) -> PyResult<Self> {
        Ok(Self(of::Region::new(places(&start)?, means.as_slice()?.to_vec(), first..end)))
    }

    /// The positions of the halo.
    fn halo<'py>(&self, py: Python<'py>) -> Column<'py, u32> {
        self.0.halo().into_pyarray(py)
    }

    /// Lists of near neighbours of the own rows. `y` and `rho` are these, then those of the halo.
    fn search<'py>(
        &self,
        py: Python<'py>,
        y: Rows32<'py>,
        rho: Single<'py>,
        centre: Single<'py>,
        k: usize,
        threads: Threads,
    ) -> PyResult<Lists<'py>> {
        let dims = y.shape()[1];
        let (y, rho, centre) = (y.as_slice()?, rho.as_slice()?, centre.as_slice()?);
        let found = on(py, threads, || {
            let points = Points::new(y, rho.len(), dims)?.with_extra(rho)?;
            self.0.search(points, centre, k)
        })?;
        Ok(arrays(py, found))
    }

    /// Lists that are refined once, with those of the halo.
    #[allow(clippy::too_many_arguments)]
    fn sweep<'py>(
        &self,
        py: Python<'py>,
        y: Rows32<'py>,
        rho: Single<'py>,
        centre: Single<'py>,
        k: usize,
        own: (Positions<'py>, Single<'py>, Flags<'py>),
        halo: (Positions<'py>, Flags<'py>),
        threads: Threads,
    ) -> PyResult<Lists<'py>> {
        let dims = y.shape()[1];
        let (y, rho, centre) = (y.as_slice()?, rho.as_slice()?, centre.as_slice()?);
        let own = RegionLists {
            ends: own.0.as_slice()?.to_vec(),
            squared: own.1.as_slice()?.to_vec(),
            new: own.2.as_slice()?.to_vec(),
        };
        let halo = (halo.0.as_slice()?, halo.1.as_slice()?);
        let found = on(py, threads, || {
            let points = Points::new(y, rho.len(), dims)?.with_extra(rho)?;
            Ok(self.0.sweep(points, centre, k, own, halo))
        })?;
        Ok(arrays(py, found))
    }
}

fn arrays(py: Python<'_>, lists: RegionLists) -> Lists<'_> {
    let RegionLists { ends, squared, new } = lists;
    (ends.into_pyarray(py), squared.into_pyarray(py), new.into_pyarray(py))
}

/// Rows moved once towards their neighbours among others; at unit length, if that was the last time.
#[pyfunction]
#[allow(clippy::too_many_arguments)]
pub fn moved<'py>(
    py: Python<'py>,
    own: (Rows32<'py>, Single<'py>),
    others: (Rows32<'py>, Single<'py>),
    ends: Positions<'py>,
    squared: Single<'py>,
    k: usize,
    last: bool,
    threads: Threads,
) -> PyResult<(Table<'py, f32>, Column<'py, f32>)> {
    let (own, others) = (kept(&own.0, &own.1)?, kept(&others.0, &others.1)?);
    let neighbors = neighbors(&ends, squared.as_slice()?, k)?;
    let moved = on(py, threads, || {
        let moved = own.moved(&others, &neighbors);
        Ok(if last { moved.scaled() } else { moved })
    })?;
    Ok((in_rows(py, moved.y, moved.dims)?, moved.rho.into_pyarray(py)))
}

/// The cosine of every neighbour with each of the first rows.
#[pyfunction]
pub fn cosines<'py>(
    py: Python<'py>,
    z: (Rows32<'py>, Single<'py>),
    ends: Positions<'py>,
    k: usize,
) -> PyResult<Column<'py, f32>> {
    let (rows, neighbors) = (kept(&z.0, &z.1)?, neighbors(&ends, &[], k)?);
    Ok(on(py, Threads(Some(1)), || Ok(rows.cosines(&neighbors)))?.into_pyarray(py))
}

/// The part of smoothed rows in the mean of all `n`, and in the product with themselves.
#[pyfunction]
pub fn scatter<'py>(
    py: Python<'py>,
    z: (Rows32<'py>, Single<'py>),
    n: usize,
    threads: Threads,
) -> PyResult<(Column<'py, f64>, Table<'py, f64>)> {
    let rows = kept(&z.0, &z.1)?;
    let found = on(py, threads, || Ok(rows.scatter(n)))?;
    Ok((found.mean.into_pyarray(py), to_array(py, &found.negated)?))
}

/// Mean and principal components of all rows, and the same in terms of the features.
#[pyfunction]
pub fn components<'py>(
    py: Python<'py>,
    mean: Double<'py>,
    negated: &Table<'py, f64>,
    n: usize,
    basis: &Table<'py, f64>,
    signed: bool,
) -> PyResult<(MeanAndDirections<'py>, MeanAndDirections<'py>)> {
    let (mean, negated, basis) =
        (mean.as_slice()?.to_vec(), to_matrix(negated)?, to_matrix(basis)?);
    let found =
        on(py, Threads(None), || Components::of(Scatter { mean, negated }, n, &basis, signed))?;
    let Projection { mean: far, basis: directions, .. } = found.projection;
    Ok((
        (found.mean.into_pyarray(py), to_array(py, &found.components)?),
        (far.into_pyarray(py), to_array(py, &directions)?),
    ))
}

/// Coordinates of smoothed rows.
#[pyfunction]
pub fn coordinates<'py>(
    py: Python<'py>,
    z: (Rows32<'py>, Single<'py>),
    mean: Double<'py>,
    components: &Table<'py, f64>,
    threads: Threads,
) -> PyResult<Table<'py, f32>> {
    let (rows, components) = (kept(&z.0, &z.1)?, to_matrix(components)?);
    let mean = mean.as_slice()?;
    let found = on(py, threads, || Ok(rows.coordinates(mean, &components)))?;
    in_rows(py, found, components.rows())
}
