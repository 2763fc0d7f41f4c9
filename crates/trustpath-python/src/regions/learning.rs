//! Rules that are learnt from a part of a pool, and applied to all of its rows.

use numpy::{IntoPyArray, PyUntypedArrayMethods};
use pyo3::prelude::*;
use trustpath::label::Projection;
use trustpath::label::regions::{PartOfPool, PoolRules, RowsToLabel, Signals};
use trustpath::{Features, Matrix};

use super::{Column, Double, Integers, Positions, Rows32, Single, Table, neighbors, places};
use crate::arrays::{Floats, labels as read, to_matrix};
use crate::errors;
use crate::label::{Labelling, Model};
use crate::options::Options;
use crate::work::{Stop, on, work};

/// Degrees, distances from all labels, and from those of each fold.
type DegreeAndDistances<'py> = (Column<'py, f64>, Column<'py, f64>, Vec<Column<'py, f64>>);

/// Refuses options of labelling that are not usable, with `by_rows` also those that several machines cannot keep.
#[pyfunction]
pub fn check_options(options: Options<'_>, by_rows: bool) -> PyResult<()> {
    let spec = options.label_spec()?;
    let checked = if by_rows { PoolRules::check(&spec) } else { spec.check() };
    checked.map_err(errors::engine)
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
    let found = on(py, options.threads()?, || rules.apply(rows, model))?;
    Ok(Labelling::new(found, dims, given, classes, trust, closed))
}
