//! A pool whose representation is kept, so that it can be labelled again and again as labels are added.

use std::sync::Arc;

use super::Representation;
use super::suggest::first;
use crate::observer::{Observer, Stages};
use crate::{Error, Features, Result};

/// The representation of a pool: its neighbours, smoothed coordinates and similarity graph. It does not depend on labels, and takes
/// most of the time that labelling a pool takes.
///
/// [`Label::on`](super::Label::on) labels the pool on it, with the same result as without it, bit for bit. Cloning it copies nothing.
///
/// ```
/// use trustpath::label::Represented;
/// use trustpath::{Features, NoObserver, label};
///
/// let values: Vec<f32> = (0..60 * 4)
///     .map(|at| f32::from(u8::from(at % 4 == at / 4 % 3)) + 0.1 * ((at * at) as f32).sin())
///     .collect();
/// let features = Features::new(&values[..], 60, 4)?;
/// let pool = Represented::of(&features, &mut NoObserver)?;
/// // Three labels more at a time.
/// for known in [6, 9, 12] {
///     let given: Vec<Option<usize>> = (0..60).map(|i| (i < known).then_some(i % 3)).collect();
///     let kept = label(&features, &given).on(&pool).run()?;
///     assert_eq!(kept.labels, label(&features, &given).run()?.labels);
/// }
/// # Ok::<(), trustpath::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Represented {
    representation: Arc<Representation>,
    dims: usize,
}

impl Represented {
    /// Represents all rows of the features.
    ///
    /// # Errors
    /// When all instances are the same, one has no direction, or the observer asks to stop.
    pub fn of(features: &Features<'_>, observer: &mut dyn Observer) -> Result<Self> {
        let mut stages = Stages::new(observer, 1);
        let representation = Arc::new(Representation::of(features, &mut stages)?);
        Ok(Self { representation, dims: features.dims() })
    }

    /// The number of instances.
    pub fn rows(&self) -> usize {
        self.representation.smooth.len()
    }

    /// What to label first, as [`label_first`](super::label_first) finds it.
    pub fn label_first(&self, batch: usize) -> Vec<usize> {
        first(&self.representation, batch)
    }

    /// The representation, which must be of features of this shape.
    pub(crate) fn check(&self, features: &Features<'_>) -> Result<Arc<Representation>> {
        let (rows, dims) = (features.rows(), features.dims());
        if (self.rows(), self.dims) != (rows, dims) {
            return Err(Error::Shape {
                rows: self.rows(),
                dims: self.dims,
                expected: self.rows() * self.dims,
                given: rows * dims,
            });
        }
        Ok(self.representation.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::label::{Labelling, label_first};
    use crate::observer::NoObserver;
    use crate::request::label;
    use crate::spec::LabelSpec;

    const ROWS: usize = 240;
    const DIMS: usize = 12;

    /// Five groups, some of whose instances lie between two of them.
    fn values(rows: usize) -> Vec<f32> {
        let value = |at: usize| {
            let (i, j) = (at / DIMS, at % DIMS);
            let lean = if j == i % 5 || (i % 7 == 0 && j == (i + 1) % 5) { 1.0 } else { 0.2 };
            lean + 0.3 * ((i * i + 31 * j * i) as f32).sin().abs()
        };
        (0..rows * DIMS).map(value).collect()
    }

    fn assert_same(a: &Labelling, b: &Labelling) {
        assert_eq!((&a.labels, &a.verdicts, &a.rival), (&b.labels, &b.verdicts, &b.rival));
        assert_eq!((&a.probability, &a.credibility), (&b.probability, &b.credibility));
        assert_eq!((&a.trusted, &a.suggestions), (&b.trusted, &b.suggestions));
        assert_eq!((&a.lambda, &a.gamma_norm), (&b.lambda, &b.gamma_norm));
        assert_eq!(a.coordinates.unit().as_slice(), b.coordinates.unit().as_slice());
        assert_eq!(a.model, b.model);
    }

    #[test]
    fn a_kept_representation_gives_the_same_to_the_bit() {
        let values = values(ROWS);
        let features = Features::new(&values[..], ROWS, DIMS).unwrap();
        let pool = Represented::of(&features, &mut NoObserver).unwrap();
        for known in [15, 40] {
            let given: Vec<Option<usize>> =
                (0..ROWS).map(|i| (i < known && i % 5 < 4).then_some(i % 5)).collect();
            let spec = LabelSpec { suggest: 10, ..LabelSpec::default() };
            let run = || label(&features, &given).spec(&spec);
            let again = run().on(&pool).run().unwrap();
            assert_same(&again, &run().run().unwrap());
        }
        let first = label_first(&features, 7, &mut NoObserver).unwrap();
        assert_eq!(pool.label_first(7), first);
    }

    #[test]
    fn another_pool_is_refused() {
        let values = values(ROWS);
        let features = Features::new(&values[..], ROWS, DIMS).unwrap();
        let pool = Represented::of(&features, &mut NoObserver).unwrap();
        let given: Vec<Option<usize>> = (0..ROWS).map(|i| (i < 20).then_some(i % 5)).collect();
        let fewer = Features::new(&values[DIMS..], ROWS - 1, DIMS).unwrap();
        let error = label(&fewer, &given[1..]).on(&pool).run().unwrap_err();
        assert!(matches!(error, Error::Shape { rows: ROWS, .. }), "{error}");
    }
}
