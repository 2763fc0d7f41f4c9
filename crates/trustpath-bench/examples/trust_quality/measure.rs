//! What became true of what was said, over many draws of a case.

use std::fmt;

use trustpath::label::{Labelling, Verdict};
use trustpath::spec::LabelSpec;
use trustpath_bench::noise::auroc;
use trustpath_bench::pools::{KnownPool, share};
use trustpath_bench::{FeatureTable, Result};

use crate::cases::PoolCase;

const TARGETS: [f64; 2] = [0.9, 0.8];

/// One draw.
struct Outcome {
    accuracy: f64,
    /// For every target: share of wrong ones among the trusted (0 if nothing is trusted), and the share that is trusted.
    trusted: [(f64, f64); 2],
    /// Whether the interval of the estimate contains the precision, and the difference of the two; of the first target.
    interval: Option<(bool, f64)>,
    /// Area under the ROC curve of right against wrong labels, by probability and by credibility.
    auroc: (f64, f64),
    /// Squared error of the probability, and that of the mean accuracy as a constant.
    brier: (f64, f64),
    /// Share of instances that are flagged; false share among them; share of novel instances found.
    flagged: (f64, Option<f64>, Option<f64>),
    known: f64,
    labeller: &'static str,
    by_credibility: bool,
}

/// A row of the table.
pub struct Cell(Vec<Outcome>);

impl Cell {
    pub const COLUMNS: &str = "features | case | accuracy | wrong at 0.9 (coverage) | wrong at 0.8 (coverage) | in interval | AUROC probability, credibility | Brier, constant | flagged | false | recall | known | rounds, by credibility";

    pub fn measure(table: &FeatureTable, case: &PoolCase, draws: u64) -> Result<Option<Self>> {
        let mut outcomes = Vec::new();
        for seed in 0..draws {
            match case.draw(table, seed) {
                Some(pool) => outcomes.push(Outcome::of(&pool, seed)?),
                None => return Ok(None),
            }
        }
        Ok(Some(Self(outcomes)))
    }
}

impl Outcome {
    fn of(pool: &KnownPool, seed: u64) -> Result<Self> {
        let labelling = pool.label(&LabelSpec { seed, precision: Some(TARGETS[0]), ..Default::default() })?;
        let open = pool.open();
        let right = |i: usize| labelling.labels[i] == Some(pool.truth[i]);
        let known: Vec<usize> = open.iter().copied().filter(|&i| labelling.labels[i].is_some()).collect();
        let (labelled_class, novel): (Vec<usize>, Vec<usize>) =
            open.iter().copied().partition(|&i| pool.truth[i] < pool.classes);
        let accuracy = share(&labelled_class, |i| labelling.judged_as[i] == pool.truth[i]).unwrap_or(0.0);
        let second = second_target(&labelling, &known, open.len());
        let trusted = [labelling.trusted.rows.clone(), second].map(|rows| {
            let wrong = share(&rows, |i| !right(i)).unwrap_or(0.0);
            (wrong, rows.len() as f64 / open.len() as f64)
        });
        let interval = labelling.trusted.estimate.filter(|_| !labelling.trusted.rows.is_empty()).map(|e| {
            let precision = 1.0 - trusted[0].0;
            (e.interval.0 <= precision && precision <= e.interval.1, e.precision - precision)
        });
        let is_right: Vec<bool> = known.iter().map(|&i| right(i)).collect();
        let by = |score: &[f64]| auroc(&known.iter().map(|&i| score[i]).collect::<Vec<_>>(), &is_right);
        let mean = share(&known, right).unwrap_or(0.0);
        let error = |p: &dyn Fn(usize) -> f64| {
            let square = |&i: &usize| (p(i) - f64::from(u8::from(right(i)))).powi(2);
            known.iter().map(square).sum::<f64>() / known.len().max(1) as f64
        };
        let is_flagged = |i: usize| labelling.verdicts[i] == Verdict::NoneOfThese;
        let flagged: Vec<usize> = open.iter().copied().filter(|&i| is_flagged(i)).collect();
        Ok(Self {
            accuracy,
            trusted,
            interval,
            auroc: (by(&labelling.probability), by(&labelling.credibility)),
            brier: (error(&|i| labelling.probability[i]), error(&|_| mean)),
            flagged: (
                flagged.len() as f64 / open.len() as f64,
                share(&flagged, |i| pool.truth[i] < pool.classes),
                share(&novel, is_flagged),
            ),
            known: labelling.novelty.as_ref().map_or(1.0, |n| n.known),
            labeller: labelling.labeller,
            by_credibility: labelling.trusted.ranked_by.name() == "credibility",
        })
    }
}

/// The rows that would be trusted at the second target.
fn second_target(labelling: &Labelling, known: &[usize], open: usize) -> Vec<usize> {
    let most = labelling
        .trusted
        .calibration
        .trusted(open, labelling.trusted.trust.with_precision(TARGETS[1]))
        .min(known.len());
    let mut order = known.to_vec();
    order.sort_by(|&a, &b| labelling.probability[b].total_cmp(&labelling.probability[a]));
    order.truncate(most);
    order
}

/// The mean in percent and its standard error; not a number without any.
fn mean_and_error(values: &[f64]) -> (f64, f64) {
    let n = values.len() as f64;
    let mean = 100.0 * values.iter().sum::<f64>() / n;
    let spread = values.iter().map(|v| (100.0 * v - mean).powi(2)).sum::<f64>() / n;
    (mean, (spread / (n - 1.0).max(1.0)).sqrt())
}

impl fmt::Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let with_error = |of: &dyn Fn(&Outcome) -> Option<f64>| {
            let values: Vec<f64> = self.0.iter().filter_map(of).filter(|v| !v.is_nan()).collect();
            mean_and_error(&values)
        };
        let mean = |of: &dyn Fn(&Outcome) -> Option<f64>| with_error(of).0;
        write!(f, "{:.1} |", mean(&|o| Some(o.accuracy)))?;
        for target in 0..2 {
            let (wrong, error) = with_error(&|o| Some(o.trusted[target].0));
            let coverage = mean(&|o| Some(o.trusted[target].1));
            write!(f, " {wrong:.1} ± {error:.1} ({coverage:.0}) |")?;
        }
        let inside = mean(&|o| o.interval.map(|i| f64::from(u8::from(i.0))));
        let bias = mean(&|o| o.interval.map(|i| i.1));
        write!(f, " {inside:.0} ({bias:+.1}) |")?;
        let (a, b) = (mean(&|o| Some(o.auroc.0)), mean(&|o| Some(o.auroc.1)));
        write!(f, " {a:.1}, {b:.1} |")?;
        write!(f, " {:.1}, {:.1} |", mean(&|o| Some(o.brier.0)), mean(&|o| Some(o.brier.1)))?;
        let (flagged, alarms) = (mean(&|o| Some(o.flagged.0)), mean(&|o| Some(o.flagged.1.unwrap_or(0.0))));
        write!(f, " {flagged:.1} | {alarms:.1} |")?;
        match mean(&|o| o.flagged.2) {
            recall if recall.is_nan() => write!(f, " – |")?,
            recall => write!(f, " {recall:.1} |")?,
        }
        write!(f, " {:.0} |", mean(&|o| Some(o.known)))?;
        let rounds = self.0.iter().filter(|o| o.labeller == "rounds").count();
        let credibility = self.0.iter().filter(|o| o.by_credibility).count();
        write!(f, " {rounds}, {credibility} of {} |", self.0.len())
    }
}
