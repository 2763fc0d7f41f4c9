//! Audit: which of the given labels are likely wrong, and what they should be. It is a judge without a labeller.
//!
//! Every instance's label is regressed on its coordinates ([`crate::label`] says which), with an incidental parameter
//! each. A label that does not fit its neighbourhood needs its parameter up to a large `λ`: the vanishing `λ` ranks
//! the suspects. Every other label can be tried on the frozen path as well: the one that would vanish first is
//! the suggested label, and an instance is a suspect if the suggested label would vanish before its own.

use crate::incidental::{Keep, check_labels};
use crate::judge::{FrozenPath, credibility, fit_path};
use crate::label::{NEAREST, Representation, norms_along_path};
use crate::limits::Limits;
use crate::neighbors::{Neighbors, nearest_among};
use crate::observer::{NoObserver, Observer, Stages};
use crate::spec::AuditSpec;
use crate::{Features, Instances, Matrix, Result};

/// The result of an audit. Everything is in the order of the rows of the features.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Audit {
    /// How credible the given label of each instance is.
    pub credibility: Vec<f64>,
    /// The label that fits best other than the given one.
    pub suggested: Vec<usize>,
    /// How credible that would be.
    pub suggested_credibility: Vec<f64>,
    /// Whether it would be more credible than the given one.
    pub suspect: Vec<bool>,
    /// All rows, the most suspicious first.
    pub ranking: Vec<usize>,
    /// The grid of the path.
    pub lambda: Vec<f64>,
    /// `‖γᵢ(λ)‖`, one row per `λ`, one column per instance.
    pub gamma_norm: Matrix,
    /// The instance of each of its columns: all of them, or in a large pool those that the path was fitted to.
    pub followed: Vec<usize>,
    /// The nearest other instances, nearest first.
    pub nearest: Neighbors,
    /// The share of the true neighbours that smoothing used in a large pool; `None` where it used them all.
    pub recall: Option<f64>,
    /// The coordinates in which the labels were judged.
    pub coordinates: Instances,
}

/// Audits the labels of all rows. Nothing is computed before [`AuditBuilder::run`].
pub fn audit<'a>(features: &'a Features<'a>, labels: &'a [usize]) -> AuditBuilder<'a> {
    AuditBuilder { features, labels, classes: None, limits: Limits::default() }
}

/// Labels to be audited, and how.
#[derive(Debug, Clone)]
#[must_use = "nothing is audited before `run`"]
pub struct AuditBuilder<'a> {
    features: &'a Features<'a>,
    labels: &'a [usize],
    classes: Option<usize>,
    limits: Limits,
}

impl AuditBuilder<'_> {
    /// The number of classes (one more than the largest label).
    pub fn classes(mut self, classes: usize) -> Self {
        self.classes = Some(classes);
        self
    }

    /// The options (the default ones).
    pub fn spec(self, spec: &AuditSpec) -> Self {
        self.limits(spec.limits())
    }

    /// How much of a large pool each step uses (as the options say).
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Audits the labels.
    ///
    /// # Errors
    /// When labels and instances differ in number, a label is out of range, there are fewer than two classes, all
    /// instances are the same, or one has no direction.
    pub fn run(self) -> Result<Audit> {
        self.run_observed(&mut NoObserver)
    }

    /// The same, with progress reported to an observer that may ask to stop.
    ///
    /// # Errors
    /// As [`AuditBuilder::run`], and [`Error::Stopped`](crate::Error::Stopped).
    pub fn run_observed(self, observer: &mut dyn Observer) -> Result<Audit> {
        let Self { features, labels, limits, .. } = self;
        let classes = self.classes.unwrap_or(labels.iter().max().map_or(0, |label| label + 1));
        let rows = features.rows();
        check_labels(labels, rows, classes)?;
        let mut stages = Stages::new(observer, 1 + Representation::stages(rows, limits));
        let representation = Representation::of(features, limits, &mut stages)?;
        stages.next("computing the path")?;
        let x = representation.smooth.unit();
        let fitted = limits.to_fit_given(labels, classes);
        let (coordinates, with): (Vec<&[f64]>, Vec<usize>) =
            fitted.iter().map(|&row| (x.row(row), labels[row])).unzip();
        let coordinates = Matrix::from_vec(fitted.len(), x.cols(), coordinates.concat())?;
        let keep = Keep { beta: true, gamma: true, certificate: false };
        let path = fit_path(&coordinates, &with, classes, keep)?;
        let all: Vec<usize> = (0..rows).collect();
        let judged = FrozenPath::of(&path).judge(x, &all, |row| Some(labels[row]));
        let mut vanish: Vec<f64> = judged.iter().map(|judged| judged.vanish).collect();
        if fitted.len() == rows {
            // For instances that the path was fitted to, the vanishing λ is known more exactly.
            vanish.clone_from(&path.vanish);
        }
        let own: Vec<f64> = vanish.iter().map(|&lambda| credibility(lambda)).collect();
        let other: Vec<f64> =
            judged.iter().map(|judged| credibility(judged.rival_vanish)).collect();
        let mut ranking = all;
        ranking.sort_by(|&a, &b| vanish[b].total_cmp(&vanish[a]));
        let (followed, gamma_norm) = norms_along_path(&path, &fitted, rows, fitted.len() == rows);
        Ok(Audit {
            suspect: own.iter().zip(&other).map(|(own, other)| other > own).collect(),
            credibility: own,
            suggested: judged.iter().map(|judged| judged.rival).collect(),
            suggested_credibility: other,
            lambda: path.lambda,
            gamma_norm,
            followed,
            nearest: match representation.neighbors {
                Some(neighbors) => neighbors,
                None => nearest_among(x, &ranking, NEAREST),
            },
            ranking,
            recall: representation.recall,
            coordinates: representation.smooth,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Error;

    #[test]
    fn flipped_labels_come_first_with_the_right_suggestion() {
        let (n, d) = (120, 10);
        let values: Vec<f64> = (0..n * d)
            .map(|at| {
                let (i, j) = (at / d, at % d);
                if j == i % 4 { 2.0 } else { 0.6 + 0.5 * ((at * at) as f64 * 0.7).sin() }
            })
            .collect();
        let flipped = [7, 30, 61, 90, 113];
        let labels: Vec<usize> =
            (0..n).map(|i| if flipped.contains(&i) { (i + 1) % 4 } else { i % 4 }).collect();
        let found = audit(&Features::new(&values[..], n, d).unwrap(), &labels).run().unwrap();
        let mut first = found.ranking[..5].to_vec();
        first.sort_unstable();
        assert_eq!(first, flipped);
        for row in flipped {
            assert!(found.suspect[row]);
            assert_eq!(found.suggested[row], row % 4);
        }
        assert_eq!(found.suspect.iter().filter(|s| **s).count(), 5);
    }

    #[test]
    fn one_class_and_a_missing_label_are_refused() {
        let values = [1.0, 2.0, 2.0, 1.0];
        let features = Features::new(&values[..], 2, 2).unwrap();
        assert!(matches!(audit(&features, &[0, 0]).run(), Err(Error::OneClass { .. })));
        assert!(matches!(audit(&features, &[0]).classes(2).run(), Err(Error::LabelCount { .. })));
    }
}
