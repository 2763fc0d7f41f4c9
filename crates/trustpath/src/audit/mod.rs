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
mod model;
mod score;
mod suspects;
#[cfg(test)]
mod tests;
mod verified;
mod views;

use std::sync::Arc;

use crate::label::blocks;
use crate::limits::Limits;
use crate::neighbors::{Neighbors, nearest_among};
use crate::observer::{NoObserver, Observer, Stages};
use crate::pipeline::NEAREST;
use crate::pool::hash;
use crate::represent::{Projection, Represented};
use crate::spec::AuditSpec;
use crate::{Features, Instances, Matrix, Result, stream};
use trustpath_path::LeaveOneOutPath;
use trustpath_path::labels::check_labels;

use error_rate::{MistakeModel, VanishTable};
pub use model::{AuditModel, AuditedLabel};
pub use suspects::WrongLabels;
use views::Views;

/// Labels from which on it is said how many are wrong: with fewer, the estimate is too rough to choose suspects by.
pub const LEAST_LABELS: usize = 100;
/// Entries of the table that the mistake model is fitted to, at most: its two numbers need no more.
const TABLE_ENTRIES: usize = 4_000_000;

/// The result of an audit, in the order of the rows of the features; but of a large set some is kept for a [part](Audit::part) of the rows
/// alone, and says so.
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
    /// The instance of each of its columns: those that the path was fitted to. Numbered within the part.
    pub followed: Vec<usize>,
    /// The nearest other instances, nearest first. In the order of the part, and numbered within it.
    pub nearest: Neighbors,
    /// The coordinates in which the labels were judged. In the order of the part.
    pub coordinates: Instances,
    /// The rows of a large set that paths were fitted to a part of, ascending; the others were judged by these paths. `None` where it is all
    /// rows.
    pub part: Option<Vec<usize>>,
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

        let part = (rows > limits.in_memory).then(|| choose_part(&corrected, &verified, limits));
        let mut stages = Stages::new(observer, if part.is_some() { 5 } else { 3 });
        let row = |place: usize| part.as_ref().map_or(place, |part| part[place]);
        let places = part.as_ref().map_or(rows, Vec::len);
        let of_places = |labels: &[usize]| (0..places).map(|at| labels[row(at)]).collect();
        let (given, right): (Vec<usize>, Vec<usize>) = (of_places(labels), of_places(&corrected));
        let mut audited = match &part {
            None => PartAudit::of(features, &given, &right, classes, limits, &mut stages)?,
            Some(part) => {
                stages.next("reading a part of the labels")?;
                let values = stream::gather(features, part, &stages)?;
                let of_part = Features::new(&values[..], part.len(), features.dims())?;
                PartAudit::of(&of_part, &given, &right, classes, limits, &mut stages)?
            }
        };
        if let Some(part) = &part {
            stages.next("judging the rest")?;
            audited.judge_rest(part, features, labels, classes, &stages)?;
        }
        let PartAudit { judgements, judged, model, .. } = audited;
        let mut probability: Vec<f64> = judgements.iter().map(|row| row.probability).collect();
        let score: Vec<f64> = judgements.iter().map(|row| row.score).collect();
        let ranking = suspects::ranking(&score, &judged, &verified);
        let ask = suspects::Ask { labels, judged: &judged, verified: &verified, precision };
        let (suspect, wrong) = ask.decide(&ranking, model, &mut probability);
        let all: Vec<usize> = (0..places).collect();
        let smooth = audited.representation.smooth;
        Ok(Audit {
            credibility: judgements.iter().map(|row| row.credibility).collect(),
            suggested: judgements.iter().map(|row| row.suggested).collect(),
            suggested_credibility: judgements.iter().map(|row| row.suggested_credibility).collect(),
            score,
            probability,
            suspect,
            judged,
            verified,
            wrong,
            precision,
            lambda: audited.lambda,
            gamma_norm: audited.gamma_norm,
            followed: audited.followed,
            nearest: nearest_among(smooth.unit(), &all, NEAREST),
            ranking,
            coordinates: Arc::unwrap_or_clone(smooth),
            part,
        })
    }
}

/// What the paths of an audit say of the rows that took part in it.
struct PartAudit {
    representation: Represented,
    /// Of each row, by paths to which its label did not contribute.
    judgements: Vec<AuditedLabel>,
    /// Whether the label of each row can be judged.
    judged: Vec<bool>,
    /// Of mistakes, and the upper estimate of their rate.
    model: Option<(MistakeModel, f64)>,
    /// The map to the view before smoothing, and the paths of both views.
    paths: (Projection, Vec<LeaveOneOutPath>),
    lambda: Vec<f64>,
    gamma_norm: Matrix,
    followed: Vec<usize>,
}

impl PartAudit {
    /// Audits labels together; `right` are those that are known to be right where a person has checked them, and the given ones elsewhere.
    fn of(
        features: &Features<'_>,
        given: &[usize],
        right: &[usize],
        classes: usize,
        limits: Limits,
        stages: &mut Stages<'_>,
    ) -> Result<Self> {
        let representation = Represented::in_stage(features, stages)?;
        stages.next("computing the path")?;
        let fitted = limits.to_fit_given(right, classes);
        let views = Views::fit(&representation, &fitted, right, classes)?;
        let path = views.smoothed();
        let judged = path.has_others(right, given);
        stages.next("judging the labels")?;
        let model = (given.len() >= LEAST_LABELS).then(|| {
            let table = table(&views, given, classes, &judged);
            (MistakeModel::fit(&table), error_rate::upper_rate(&table))
        });
        let mistakes = model.map(|(model, _)| model);
        let of_row = |row: usize, vanish: &[f64]| AuditedLabel::of(vanish, given[row], mistakes);
        Ok(Self {
            judgements: views.judge(None, of_row),
            judged,
            model,
            followed: path.fitted.clone(),
            gamma_norm: path.gamma_norm()?,
            lambda: path.lambda(),
            paths: views.into_paths(),
            representation,
        })
    }

    /// Judges the labels of all rows, of which these took part, and puts what is known of each into their order.
    fn judge_rest(
        &mut self,
        part: &[usize],
        features: &Features<'_>,
        labels: &[usize],
        classes: usize,
        stages: &Stages<'_>,
    ) -> Result<()> {
        let mistakes = self.model.map(|(model, _)| model);
        let paths = (self.paths.0.clone(), std::mem::take(&mut self.paths.1));
        let known = paths.1[0].classes_with_labels();
        let model = AuditModel::of(&self.representation, paths, mistakes, classes)?;
        let mut judgements = Vec::with_capacity(labels.len());
        for rows in blocks(labels.len()) {
            stages.check_stop()?;
            judgements.extend(model.judge_rows(features, rows.clone(), &labels[rows])?);
        }
        let mut judged: Vec<bool> = labels.iter().map(|&label| known[label]).collect();
        for (at, &row) in part.iter().enumerate() {
            (judgements[row], judged[row]) = (self.judgements[at], self.judged[at]);
        }
        (self.judgements, self.judged) = (judgements, judged);
        Ok(())
    }
}

impl Audit {
    /// Where a row stands in the columns that are in the order of the part; `None` for a row that was judged by it.
    pub fn place(&self, row: usize) -> Option<usize> {
        match &self.part {
            None => Some(row),
            Some(part) => part.binary_search(&row).ok(),
        }
    }

    /// The row at a place of these columns.
    pub fn row(&self, place: usize) -> usize {
        self.part.as_ref().map_or(place, |part| part[place])
    }

    /// The nearest other instances, nearest first; none for a row that is not in the part.
    pub fn nearest_to(&self, row: usize) -> impl Iterator<Item = usize> {
        let near = self.place(row).into_iter().flat_map(|place| self.nearest.indices(place));
        near.map(|place| self.row(place))
    }
}

/// The rows of the part of very many labels that paths are fitted to, ascending: chosen by their hash, at least twenty of every class that
/// has as many, and those that were checked.
fn choose_part(labels: &[usize], verified: &[Option<usize>], limits: Limits) -> Vec<usize> {
    const OF_CLASS: usize = 20;
    let share = limits.in_memory as f64 / labels.len() as f64;
    let below = (share * 2.0f64.powi(64)) as u64;
    let hash = |row: usize| hash(0, row);
    let chosen = |row: &usize| hash(*row) < below || verified[*row].is_some();
    let mut part: Vec<usize> = (0..labels.len()).filter(chosen).collect();
    let classes = labels.iter().max().map_or(0, |label| label + 1);
    let mut members = vec![0usize; classes];
    part.iter().for_each(|&row| members[labels[row]] += 1);
    let is_few = |row: &usize| members[labels[*row]] < OF_CLASS;
    let mut few: Vec<usize> = (0..labels.len()).filter(is_few).filter(|row| !chosen(row)).collect();
    few.sort_by_key(|&row| (labels[row], hash(row)));
    for of_class in few.chunk_by(|&a, &b| labels[a] == labels[b]) {
        let missing = OF_CLASS - members[labels[of_class[0]]];
        part.extend(of_class.iter().take(missing));
    }
    part.sort_unstable();
    part
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
