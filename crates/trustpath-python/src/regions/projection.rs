//! From features to projected rows, and to the regions that own their cells.

use numpy::{IntoPyArray, PyUntypedArrayMethods};
use pyo3::prelude::*;
use trustpath::label::regions::{self as of, CellMeans, CellPlan, RecallSample};
use trustpath::neighbors::Points;

use super::{Column, Integers, Positions, Rows32, Single, Table, in_rows, places};
use crate::arrays::{Floats, to_array, to_matrix};
use crate::options::Threads;
use crate::results::rows;
use crate::work::{on, pool};

/// Inner products with one row of the sample, and the rows that have them.
type NearestOfOne<'py> = (Column<'py, f64>, Column<'py, i64>);

/// The rows by which a pool of this size is taken to have signs, those whose exact neighbours are computed, those that cells are placed
/// by, and those whose mean is the centre; the number of neighbours, of cells and of sweeps.
#[pyfunction]
pub fn region_plan<'py>(
    py: Python<'py>,
    n: usize,
) -> ([Column<'py, i64>; 4], (usize, usize, usize)) {
    let plan = CellPlan::new(n);
    let lists = [of::sign_rows(n), RecallSample::rows(n), plan.sample, plan.centre];
    let lists = lists.map(|list| rows(list).into_pyarray(py));
    (lists, (of::neighbors_of(n), plan.count, of::Region::sweeps(n)))
}

/// Whether these rows have signs.
#[pyfunction]
pub fn has_signs(py: Python<'_>, x: Floats) -> PyResult<bool> {
    x.features(py, of::has_signs)
}

/// `−XᵀX`; none where all dimensions are kept.
#[pyfunction]
pub fn product<'py>(
    py: Python<'py>,
    x: Floats,
    signed: bool,
    threads: Threads,
) -> PyResult<Option<Table<'py, f64>>> {
    let pool = pool(threads)?;
    let found = x.features(py, |x| pool.install(|| of::product(x, signed)))?;
    found.map(|product| to_array(py, &product)).transpose()
}

/// The directions that are kept.
#[pyfunction]
pub fn basis<'py>(
    py: Python<'py>,
    product: Option<&Table<'py, f64>>,
    dims: usize,
    n: usize,
) -> PyResult<Table<'py, f64>> {
    let product = product.map(to_matrix).transpose()?;
    let found = on(py, Threads(None), || of::basis(product.as_ref(), dims, n))?;
    to_array(py, &found)
}

/// What is kept of rows, and the nearest of the sample among them: inner products and rows.
#[pyfunction]
#[allow(clippy::too_many_arguments)]
pub fn keep<'py>(
    py: Python<'py>,
    x: Floats,
    first: usize,
    signed: bool,
    basis: &Table<'py, f64>,
    sample: Integers<'py>,
    of_sample: Floats,
    threads: Threads,
) -> PyResult<(Table<'py, f32>, Column<'py, f32>, Vec<NearestOfOne<'py>>)> {
    let (basis, which) = (to_matrix(basis)?, places(&sample)?);
    let mut sample = of_sample.features(py, |x| RecallSample::new(which, x, signed))?;
    let pool = pool(threads)?;
    let found =
        x.features(py, |x| pool.install(|| of::keep(x, first, signed, &basis, &mut sample)))?;
    let lists = sample.nearest.into_iter().map(|list| {
        let (inner, row): (Vec<f64>, Vec<usize>) = list.into_iter().unzip();
        (inner.into_pyarray(py), rows(row).into_pyarray(py))
    });
    let lists = lists.collect();
    Ok((in_rows(py, found.y, found.dims)?, found.rho.into_pyarray(py), lists))
}

/// Where cells are placed: the centre of all points, and the means of the cells seen from it.
#[pyfunction]
pub fn cell_means<'py>(
    py: Python<'py>,
    n: usize,
    sample: Rows32<'py>,
    centre: Rows32<'py>,
    threads: Threads,
) -> PyResult<(Column<'py, f32>, Table<'py, f32>)> {
    let dims = sample.shape()[1];
    let (sample, centre) = (sample.as_slice()?, centre.as_slice()?);
    let found = on(py, threads, || {
        let sample = Points::new(sample, sample.len() / dims, dims)?;
        let centre = Points::new(centre, centre.len() / dims, dims)?;
        Ok(CellPlan::new(n).means(sample, centre))
    })?;
    Ok((found.centre.into_pyarray(py), in_rows(py, found.means, dims)?))
}

fn means(centre: &Single<'_>, means: &Rows32<'_>) -> PyResult<CellMeans> {
    Ok(CellMeans { centre: centre.as_slice()?.to_vec(), means: means.as_slice()?.to_vec() })
}

/// The cell of each row.
#[pyfunction]
pub fn cells<'py>(
    py: Python<'py>,
    y: Rows32<'py>,
    centre: Single<'py>,
    of_cells: Rows32<'py>,
    threads: Threads,
) -> PyResult<Column<'py, u32>> {
    let (dims, means, y) = (y.shape()[1], means(&centre, &of_cells)?, y.as_slice()?);
    let found = on(py, threads, || Ok(means.cells(Points::new(y, y.len() / dims, dims)?)))?;
    Ok(found.into_pyarray(py))
}

/// The region of each cell.
#[pyfunction]
pub fn cell_regions<'py>(
    py: Python<'py>,
    centre: Single<'py>,
    of_cells: Rows32<'py>,
    counts: Integers<'py>,
    regions: usize,
) -> PyResult<Column<'py, u32>> {
    let (means, counts) = (means(&centre, &of_cells)?, places(&counts)?);
    Ok(on(py, Threads(None), || Ok(means.regions(&counts, regions)))?.into_pyarray(py))
}

/// The rows of a region in the order of its cells; where each cell starts, and its mean.
#[pyfunction]
pub fn sort_region<'py>(
    py: Python<'py>,
    n: usize,
    y: Rows32<'py>,
    centre: Single<'py>,
    of_rows: Positions<'py>,
    threads: Threads,
) -> PyResult<(Column<'py, u32>, Column<'py, i64>, Table<'py, f32>)> {
    let dims = y.shape()[1];
    let (y, centre, cells) = (y.as_slice()?, centre.as_slice()?, of_rows.as_slice()?);
    let found = on(py, threads, || {
        let points = Points::new(y, y.len() / dims, dims)?;
        Ok(CellPlan::new(n).sort(points, centre, cells))
    })?;
    let start = rows(found.start).into_pyarray(py);
    Ok((found.order.into_pyarray(py), start, in_rows(py, found.means, dims)?))
}
