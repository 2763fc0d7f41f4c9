//! Audit: which of the given labels are likely wrong, what they should be, and how many there are.
//!
//! 1. Every label is judged by paths to which it did not contribute ([`LeaveOneOutPath`](trustpath_path::LeaveOneOutPath)), with a ridge chosen by leave-one-out error, in
//!    coordinates before and after smoothing ([`views`]).
//! 2. `own − rival/3` ranks the labels ([`score`](mod@score)).
//! 3. A mixture of right and wrong labels estimates how many are wrong and how probably each is ([`error_rate`]).
//! 4. Labels that a person has checked correct the fit and these probabilities ([`verified`]).
//! 5. Suspects are the largest part of the top of the ranking among which the expected share of wrong labels is at least the precision asked for
//!    ([`suspects`]).

mod error_rate;
mod score;
mod suspects;
#[cfg(test)]
mod tests;
mod verified;
mod views;

use std::sync::Arc;

use crate::judge::Judgement;
use crate::label::Representation;
use crate::limits::Limits;
use crate::neighbors::{Neighbors, nearest_among};
use crate::observer::{NoObserver, Observer, Stages};
use crate::pipeline::NEAREST;
use crate::spec::AuditSpec;
use crate::{Features, Instances, Matrix, Result};
use trustpath_path::labels::check_labels;

use error_rate::{MistakeModel, VanishTable};
pub use suspects::WrongLabels;
use views::Views;

/// Labels from which on it is said how many are wrong: with fewer, the estimate is too rough to choose suspects by.
pub const LEAST_LABELS: usize = 100;
/// Entries of the table that the mistake model is fitted to, at most: its two numbers need no more.
const TABLE_ENTRIES: usize = 4_000_000;

/// The result of an audit. Everything is in the order of the rows of the features.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Audit {
    /// How credible the given label of each instance is, judged without it.
    pub credibility: Vec<f64>,
    /// The label that fits best other than the given one.
    pub suggested: Vec<usize>,
    /// How credible that would be.
    pub suggested_credibility: Vec<f64>,
    /// How suspicious the given label is: the larger, the more.
    pub score: Vec<f64>,
    /// The probability that the given label is wrong; not a number where it cannot be estimated.
    pub probability: Vec<f64>,
    /// Whether the label is among those that are likely wrong, at the precision asked for.
    pub suspect: Vec<bool>,
    /// Whether the label can be judged: not if it is the only one of its class.
    pub judged: Vec<bool>,
    /// The label that is right, where a person has checked it.
    pub verified: Vec<Option<usize>>,
    /// How many labels are wrong; `None` where there are too few labels to say ([`LEAST_LABELS`]).
    pub wrong: Option<WrongLabels>,
    /// The precision asked of the suspects.
    pub precision: f64,
    /// All rows, the most suspicious first; those that cannot be judged and those that were checked come last.
    pub ranking: Vec<usize>,
    /// The grid of the path.
    pub lambda: Vec<f64>,
    /// `‖γᵢ(λ)‖` of the path without instance `i`, one row per `λ`, one column per instance.
    pub gamma_norm: Matrix,
    /// The instance of each of its columns: all of them, or in a large pool those that the path was fitted to.
    pub followed: Vec<usize>,
    /// The nearest other instances, nearest first.
    pub nearest: Neighbors,
    /// The coordinates in which the labels were judged.
    pub coordinates: Instances,
}

/// Audits the labels of all rows. Nothing is computed before [`AuditBuilder::run`].
pub fn audit<'a>(features: &'a Features<'a>, labels: &'a [usize]) -> AuditBuilder<'a> {
    let (classes, limits) = (None, None);
    AuditBuilder { features, labels, classes, spec: AuditSpec::default(), limits, verified: &[] }
}

/// Labels to be audited, and how.
#[derive(Debug, Clone)]
#[must_use = "nothing is audited before `run`"]
pub struct AuditBuilder<'a> {
    features: &'a Features<'a>,
    labels: &'a [usize],
    classes: Option<usize>,
    spec: AuditSpec,
    limits: Option<Limits>,
    verified: &'a [(usize, usize)],
}

impl<'a> AuditBuilder<'a> {
    /// The number of classes (one more than the largest label).
    pub fn classes(mut self, classes: usize) -> Self {
        self.classes = Some(classes);
        self
    }

    /// The options (the default ones).
    pub fn spec(mut self, spec: &AuditSpec) -> Self {
        self.spec = spec.clone();
        self
    }

    /// How much of a large pool each step uses (as the options say).
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = Some(limits);
        self
    }

    /// Rows whose label a person has checked, and the label that is right: the given one if it was confirmed (none).
    pub fn verified(mut self, answers: &'a [(usize, usize)]) -> Self {
        self.verified = answers;
        self
    }

    /// Audits the labels.
    ///
    /// # Errors
    /// When labels and instances differ in number, a label is out of range, there are fewer than two classes, all
    /// instances are the same, one has no direction, an option is outside its domain, or a verified row or label does not exist.
    pub fn run(self) -> Result<Audit> {
        self.run_observed(&mut NoObserver)
    }

    /// The same, with progress reported to an observer that may ask to stop.
    ///
    /// # Errors
    /// As [`AuditBuilder::run`], and [`Error::Stopped`](crate::Error::Stopped).
    pub fn run_observed(self, observer: &mut dyn Observer) -> Result<Audit> {
        let Self { features, labels, .. } = self;
        let limits = self.limits.unwrap_or(self.spec.limits());
        let precision = self.spec.checked_precision()?;
        let classes = self.classes.unwrap_or(labels.iter().max().map_or(0, |label| label + 1));
        let rows = features.rows();
        check_labels(labels, rows, classes)?;
        let verified = verified::by_row(self.verified, rows, classes)?;
        let right = |row: usize| verified[row].unwrap_or(labels[row]);
        let corrected: Vec<usize> = (0..rows).map(right).collect();

        let mut stages = Stages::new(observer, 3);
        let representation = Representation::of(features, &mut stages)?;
        stages.next("computing the path")?;
        let fitted = limits.to_fit_given(&corrected, classes);
        let views = Views::fit(&representation, &fitted, &corrected, classes)?;
        let path = views.smoothed();
        let judged = path.has_others(&corrected, labels);

        stages.next("judging the labels")?;
        let model = (rows >= LEAST_LABELS).then(|| {
            let table = table(&views, labels, classes, &judged);
            (MistakeModel::fit(&table), error_rate::upper_rate(&table))
        });
        let of_row = |row: usize, vanish: &[f64]| {
            let label = labels[row];
            let wrong = model.map_or(f64::NAN, |(model, _)| model.probability(vanish, label));
            let judged = Judgement::of(vanish, label);
            (judged, Judgement::of(vanish, judged.rival).credibility(), wrong)
        };
        let judgements = views.judge(None, of_row);
        let mut probability: Vec<f64> = judgements.iter().map(|&(_, _, wrong)| wrong).collect();
        let score: Vec<f64> = judgements.iter().map(|(own, ..)| score::score(own)).collect();
        let ranking = suspects::ranking(&score, &judged, &verified);
        let ask = suspects::Ask { labels, judged: &judged, verified: &verified, precision };
        let (suspect, wrong) = ask.decide(&ranking, model, &mut probability);
        let (followed, gamma_norm) = (path.fitted.clone(), path.gamma_norm()?);
        Ok(Audit {
            credibility: judgements.iter().map(|(own, ..)| own.credibility()).collect(),
            suggested: judgements.iter().map(|(own, ..)| own.rival).collect(),
            suggested_credibility: judgements.iter().map(|&(_, other, _)| other).collect(),
            score,
            probability,
            suspect,
            judged,
            verified,
            wrong,
            precision,
            lambda: path.lambda(),
            gamma_norm,
            followed,
            nearest: nearest_among(representation.smooth.unit(), &ranking, NEAREST),
            ranking,
            coordinates: Arc::unwrap_or_clone(representation.smooth),
        })
    }
}

/// Where every label vanishes, for an even part of the labels that the mistake model can be fitted to.
fn table(views: &Views<'_>, labels: &[usize], classes: usize, judged: &[bool]) -> VanishTable {
    // Those that were checked are included: the error rate is that of all given labels.
    let all: Vec<usize> = (0..labels.len()).filter(|&row| judged[row]).collect();
    let every = (all.len() * classes).div_ceil(TABLE_ENTRIES).max(1);
    let rows: Vec<usize> = all.into_iter().step_by(every).collect();
    let single = |_: usize, vanish: &[f64]| vanish.iter().map(|&v| v as f32).collect::<Vec<f32>>();
    let vanish = views.judge(Some(&rows), single).concat();
    VanishTable { classes, vanish, labels: rows.iter().map(|&row| labels[row]).collect() }
}
