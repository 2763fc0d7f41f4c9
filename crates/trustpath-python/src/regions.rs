//! A pool whose rows are on several machines: the steps of `trustpath::label::regions`, arrays in and arrays out.

use numpy::{
    IntoPyArray, PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2,
    PyUntypedArrayMethods,
};
use pyo3::prelude::*;
use trustpath::label::Projection;
use trustpath::label::regions::{
    self as of, CellMeans, CellPlan, Components, KeptRows, PartOfPool, PoolRules, RecallSample,
    RegionLists, RowsToLabel, Scatter, Signals,
};
use trustpath::neighbors::{Neighbors, Points};
use trustpath::{Features, Matrix};

use crate::arrays::{Floats, labels as read, to_array, to_matrix};
use crate::errors;
use crate::label::{Labelling, Model};
use crate::options::{Options, Threads};
use crate::results::rows;
use crate::work::{Stop, on, pool, work};

/// An array that is given back, or taken as it is.
type Column<'py, T> = Bound<'py, PyArray1<T>>;
/// The same with rows and columns.
type Table<'py, T> = Bound<'py, PyArray2<T>>;

/// Inner products with one row of the sample, and the rows that have them.
type NearestOfOne<'py> = (Column<'py, f64>, Column<'py, i64>);
/// The mean of rows, and directions, one per row.
type MeanAndDirections<'py> = (Column<'py, f64>, Table<'py, f64>);
/// Degrees, distances from all labels, and from those of each fold.
type DegreeAndDistances<'py> = (Column<'py, f64>, Column<'py, f64>, Vec<Column<'py, f64>>);

type Single<'py> = PyReadonlyArray1<'py, f32>;
type Rows32<'py> = PyReadonlyArray2<'py, f32>;
type Double<'py> = PyReadonlyArray1<'py, f64>;
type Integers<'py> = PyReadonlyArray1<'py, i64>;
type Positions<'py> = PyReadonlyArray1<'py, u32>;
type Flags<'py> = PyReadonlyArray1<'py, bool>;

fn places(array: &Integers<'_>) -> PyResult<Vec<usize>> {
    Ok(array.as_slice()?.iter().map(|&at| at.max(0) as usize).collect())
}

fn in_rows<'py>(py: Python<'py>, values: Vec<f32>, columns: usize) -> PyResult<Table<'py, f32>> {
    let count = values.len() / columns.max(1);
    values.into_pyarray(py).reshape([count, columns])
}

/// Rows that are kept: coordinates and what is cut off.
fn kept(y: &Rows32<'_>, rho: &Single<'_>) -> PyResult<KeptRows> {
    Ok(KeptRows { dims: y.shape()[1], y: y.as_slice()?.to_vec(), rho: rho.as_slice()?.to_vec() })
}

fn neighbors(ends: &Positions<'_>, squared: &[f32], k: usize) -> PyResult<Neighbors> {
    Neighbors::from_parts(k, ends.as_slice()?.to_vec(), squared).map_err(errors::engine)
}

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

/// Refuses options of labelling that are not usable, with `by_rows` also those that several machines cannot keep.
#[pyfunction]
pub fn check_options(options: Options<'_>, by_rows: bool) -> PyResult<()> {
    let spec = options.label_spec()?;
    let checked = if by_rows { PoolRules::check(&spec) } else { spec.check() };
    checked.map_err(errors::engine)
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
            Ok(self.0.search(points, centre, k))
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

/// How far every row is from the labels, by the neighbours of all: the degree, the distance from all labels, and one for each fold.
#[pyfunction]
#[allow(clippy::too_many_arguments)]
pub fn signals<'py>(
    py: Python<'py>,
    ends: Positions<'py>,
    cosines: Single<'py>,
    k: usize,
    given: Integers<'py>,
    labels: Integers<'py>,
    classes: usize,
    options: Options<'py>,
) -> PyResult<DegreeAndDistances<'py>> {
    let (neighbors, spec) = (neighbors(&ends, &[], k)?, options.label_spec()?);
    let (given, labels, cosines) = (places(&given)?, places(&labels)?, cosines.as_slice()?);
    let found = on(py, options.threads()?, || {
        Signals::of_neighbors(&neighbors, cosines, &given, &labels, classes, &spec)
    })?;
    let folds = found.of_folds.into_iter().map(|fold| fold.into_pyarray(py)).collect();
    Ok((found.degree.into_pyarray(py), found.distance.into_pyarray(py), folds))
}

fn read_signals(
    degree: &Double<'_>,
    distance: &Double<'_>,
    of_folds: &[Double<'_>],
) -> PyResult<Signals> {
    let folds = of_folds.iter().map(|fold| Ok(fold.as_slice()?.to_vec()));
    Ok(Signals {
        degree: degree.as_slice()?.to_vec(),
        distance: distance.as_slice()?.to_vec(),
        of_folds: folds.collect::<PyResult<_>>()?,
    })
}

fn widened(coordinates: &Rows32<'_>) -> PyResult<Matrix> {
    let (rows, columns) = (coordinates.shape()[0], coordinates.shape()[1]);
    let values = coordinates.as_slice()?.iter().map(|&v| f64::from(v)).collect();
    Matrix::from_vec(rows, columns, values).map_err(errors::engine)
}

/// Labels a part of a pool, and learns the rules for the rest, as numbers.
#[pyfunction]
#[allow(clippy::too_many_arguments)]
pub fn learn<'py>(
    py: Python<'py>,
    x: Floats,
    coordinates: Rows32<'py>,
    projection: (bool, Double<'py>, Table<'py, f64>),
    labels: &Column<'py, i64>,
    classes: Vec<String>,
    signals: (Double<'py>, Double<'py>, Vec<Double<'py>>),
    recall: f64,
    options: Options<'py>,
) -> PyResult<(Labelling, Column<'py, f64>)> {
    let (labels, spec) = (read(labels)?, options.label_spec()?);
    let coordinates = widened(&coordinates)?;
    let (signed, mean, basis) = projection;
    let projection = Projection {
        signed,
        origin: None,
        mean: mean.as_slice()?.to_vec(),
        basis: to_matrix(&basis)?,
    };
    let signals = read_signals(&signals.0, &signals.1, &signals.2)?;
    let (trust, closed) = (spec.trust().map_err(errors::engine)?, spec.closed);
    let found = work(py, options.threads()?, move |mut stop: Stop| {
        let found = Python::attach(|py| {
            x.features(py, |x: &Features<'_>| {
                let (labels, classes) = (&labels[..], classes.len());
                let part = PartOfPool {
                    features: x,
                    coordinates,
                    projection,
                    labels,
                    classes,
                    signals,
                    recall,
                };
                Ok((part.learn(&spec, &mut stop)?, x.dims()))
            })
        });
        let ((found, rules), dims) = found?;
        Ok((Labelling::new(found, dims, labels, classes, trust, closed), rules.to_numbers()))
    });
    let (labelling, rules) = found?;
    Ok((labelling, rules.into_pyarray(py)))
}

/// Labels rows of a pool by rules.
#[pyfunction]
#[allow(clippy::too_many_arguments)]
pub fn apply<'py>(
    py: Python<'py>,
    rules: Double<'py>,
    model: &Model,
    coordinates: Rows32<'py>,
    labels: &Column<'py, i64>,
    classes: Vec<String>,
    signals: (Double<'py>, Double<'py>, Vec<Double<'py>>),
    accepted: &Column<'py, i64>,
    options: Options<'py>,
) -> PyResult<Labelling> {
    let rules = PoolRules::from_numbers(rules.as_slice()?).map_err(errors::engine)?;
    let (spec, model) = (options.label_spec()?, model.trained());
    let rows = RowsToLabel {
        coordinates: widened(&coordinates)?,
        given: read(labels)?,
        signals: read_signals(&signals.0, &signals.1, &signals.2)?,
        accepted_in: read(accepted)?,
    };
    let (trust, closed) = (spec.trust().map_err(errors::engine)?, spec.closed);
    let dims = model.projection.mean.len();
    let given = rows.given.clone();
    let found = on(py, options.threads()?, || Ok(rules.apply(rows, model)))?;
    Ok(Labelling::new(found, dims, given, classes, trust, closed))
}
