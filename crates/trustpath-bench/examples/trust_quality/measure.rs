//! What became true of what was said, over many draws of a case.

use std::fmt;

use rayon::prelude::*;

use trustpath::label::{Labelling, Trust, Verdict};
use trustpath::spec::LabelSpec;
use trustpath_bench::pools::{KnownPool, share};
use trustpath_bench::{FeatureTable, Result};

use crate::cases::PoolCase;

/// The share of wrong labels that the promise allows.
const ALLOWED: f64 = 0.1;
/// Instances from which a pool is large: of these a fifth of the draws is made.
const LARGE: usize = 3000;
/// Groups of equal size that the calibration error is measured over.
const BINS: usize = 15;

/// One draw.
struct Outcome {
    accuracy: f64,
    /// Share of wrong ones among the trusted, and the share of the pool that is trusted; with the promise, and with that of the average.
    trusted: [(Option<f64>, f64); 2],
    /// Whether the interval of the estimate contains the precision.
    interval: Option<bool>,
    /// The probability of every label, and whether it is right.
    probabilities: Vec<(f64, bool)>,
    /// Share of the labelled classes' instances that are taken to be none of these; share of the others that are found.
    none: (Option<f64>, Option<f64>),
}

/// A row of the table.
pub struct Cell(Vec<Outcome>);

impl Cell {
    pub const COLUMNS: &str = "features | case | accuracy | trusts in | wrong then | draws above 10 % | coverage | on average: wrong (coverage) | calibration error | in interval | none of these: false alarms | found";

    pub fn measure(table: &FeatureTable, case: &PoolCase, draws: u64) -> Result<Option<Self>> {
        let Some(first) = case.draw(table, 0) else { return Ok(None) };
        let draws = if first.truth.len() > LARGE { draws.div_ceil(5) } else { draws };
        let outcome = |seed| case.draw(table, seed).map(|pool| Outcome::of(&pool, seed)).transpose();
        let outcomes: Vec<Option<Outcome>> = (0..draws).into_par_iter().map(outcome).collect::<Result<_>>()?;
        Ok(Some(Self(outcomes.into_iter().flatten().collect())))
    }
}

impl Outcome {
    fn of(pool: &KnownPool, seed: u64) -> Result<Self> {
        let labelling = pool.label(&LabelSpec { seed, ..Default::default() })?;
        let open = pool.open();
        let right = |i: usize| labelling.labels[i] == Some(pool.truth[i]);
        let (known, novel): (Vec<usize>, Vec<usize>) =
            open.iter().copied().partition(|&i| pool.truth[i] < pool.classes);
        let is_none = |i: usize| labelling.verdicts[i] == Verdict::NoneOfThese;
        let trusted = [labelling.trusted.rows.clone(), on_average(&labelling, &open)]
            .map(|rows| (share(&rows, |i| !right(i)), rows.len() as f64 / open.len() as f64));
        let interval = labelling.trusted.estimate.zip(trusted[0].0);
        let labelled = open.iter().filter(|&&i| labelling.labels[i].is_some());
        Ok(Self {
            accuracy: share(&known, |i| labelling.judged_as[i] == pool.truth[i]).unwrap_or(0.0),
            trusted,
            interval: interval.map(|(e, wrong)| e.interval.0 <= 1.0 - wrong && 1.0 - wrong <= e.interval.1),
            probabilities: labelled.map(|&i| (labelling.probability[i], right(i))).collect(),
            none: (share(&known, is_none), share(&novel, is_none)),
        })
    }
}

/// The rows that would be trusted by a promise of the average.
fn on_average(labelling: &Labelling, open: &[usize]) -> Vec<usize> {
    let most = labelling.trusted.calibration.trusted(open.len(), Trust::Average(1.0 - ALLOWED));
    let mut order: Vec<usize> = open.iter().copied().filter(|&row| labelling.labels[row].is_some()).collect();
    order.sort_by(|&a, &b| labelling.probability[b].total_cmp(&labelling.probability[a]));
    order.truncate(most);
    order
}

/// How far probabilities are from the share of right labels, over groups of equal size.
fn calibration_error(mut probabilities: Vec<(f64, bool)>) -> f64 {
    probabilities.sort_by(|a, b| a.0.total_cmp(&b.0));
    let n = probabilities.len();
    let of_bin = |group: &[(f64, bool)]| {
        group.iter().map(|&(p, right)| p - f64::from(u8::from(right))).sum::<f64>().abs() / n as f64
    };
    probabilities.chunks(n.div_ceil(BINS).max(1)).map(of_bin).sum()
}

/// The mean in percent; not a number without any.
fn percent(values: impl IntoIterator<Item = f64>) -> f64 {
    let values: Vec<f64> = values.into_iter().collect();
    100.0 * values.iter().sum::<f64>() / values.len() as f64
}

/// A number with so many digits, or a dash.
fn number(value: f64, digits: usize) -> String {
    if value.is_nan() { "–".to_owned() } else { format!("{value:.digits$}") }
}

impl fmt::Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let of = |which: usize| self.0.iter().map(move |outcome| outcome.trusted[which]);
        let share = |is: bool| f64::from(u8::from(is));
        let wrong = || of(0).filter_map(|(wrong, _)| wrong);
        let columns = [
            number(percent(self.0.iter().map(|o| o.accuracy)), 1),
            number(percent(of(0).map(|(wrong, _)| share(wrong.is_some()))), 0),
            number(percent(wrong()), 1),
            number(percent(of(0).map(|(wrong, _)| share(wrong.is_some_and(|wrong| wrong > ALLOWED)))), 0),
            number(percent(of(0).map(|(_, coverage)| coverage)), 0),
            format!(
                "{} ({})",
                number(percent(of(1).map(|(wrong, _)| wrong.unwrap_or(0.0))), 1),
                number(percent(of(1).map(|(_, coverage)| coverage)), 0)
            ),
            number(100.0 * calibration_error(self.0.iter().flat_map(|o| o.probabilities.clone()).collect()), 1),
            number(percent(self.0.iter().filter_map(|o| o.interval).map(share)), 0),
            number(percent(self.0.iter().filter_map(|o| o.none.0)), 1),
            number(percent(self.0.iter().filter_map(|o| o.none.1)), 0),
        ];
        write!(f, "{} |", columns.join(" | "))
    }
}
