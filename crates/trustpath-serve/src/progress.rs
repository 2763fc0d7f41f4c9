//! How far the labelling has come, and when to stop.
//!
//! After every update of the model one point is recorded: the number `m` of labels given, and the *coverage* `c`, the
//! share of the pool that is labelled, answered as none of these, or trusted at the precision asked for. Over the last
//! `USED` points with trusted labels a line is fitted,
//!
//! ```text
//! logit c = a + b·log m,
//! ```
//!
//! and read off where `c` reaches the coverage asked for: on the line itself, and on a line of the same slope through the last
//! point, between which the prediction lies. How uncertain that is, is shown by fitting the line again without each of the
//! points: the smallest and the largest of all these results are the range. With fewer than `NEEDED` points, or if one of
//! the lines does not rise, nothing is predicted.
//!
//! **Stopping rule**: enough, once the coverage was reached in two updates at least a batch of answers apart, and in all between them. The precision behind it comes
//! from held-out labels of random instances, which every second question asks for. The page also offers a check: a random sample of the
//! trusted labels, answered without seeing the predictions ([`Check`]).

use serde::{Deserialize, Serialize};
use trustpath::label::Labelling;
use trustpath_explain::count;

/// Points that the line is fitted to, at most.
const USED: usize = 6;
/// Points that it takes.
const NEEDED: usize = 4;

/// The state after an update of the model.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct ProgressPoint {
    /// Labels and other answers given.
    pub labels: usize,
    /// The share of the pool that is labelled, answered or trusted.
    pub coverage: f64,
    /// The number of trusted labels.
    pub trusted: usize,
    /// Their estimated precision, and its 95 % interval.
    pub precision: Option<[f64; 3]>,
}

impl ProgressPoint {
    /// The state after this many labels and other answers.
    pub fn new(labels: usize, labelling: &Labelling) -> Self {
        let trusted = labelling.trusted.rows.len();
        let estimate = labelling.trusted.estimate.filter(|_| trusted > 0);
        Self {
            labels,
            coverage: (labels + trusted) as f64 / labelling.labels.len() as f64,
            trusted,
            precision: estimate.map(|e| [e.precision, e.interval.0, e.interval.1]),
        }
    }
}

/// What is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Goal {
    /// The share of the pool.
    pub coverage: f64,
    /// The precision of trusted labels; `None` where trust is not by precision.
    pub precision: Option<f64>,
    /// The number of answers between the two updates that must have reached it.
    pub apart: usize,
}

/// What can be said about the way to the goal.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Outlook {
    /// Whether to stop.
    pub enough: bool,
    /// The number of labels still to give: expected, least and most.
    pub more: Option<[usize; 3]>,
    /// The same in words.
    pub sentence: String,
}

/// The outlook after these points, in a pool of `rows` instances.
pub fn outlook(points: &[ProgressPoint], goal: Goal, rows: usize) -> Outlook {
    let percent = |share: f64| format!("{:.0} %", 100.0 * share);
    let unknown = |sentence| Outlook { enough: false, more: None, sentence };
    let Some(last) = points.last() else {
        return unknown("Nothing is known yet: the model needs a label in each of two classes.".into());
    };
    let (now, wanted) = (percent(last.coverage), percent(goal.coverage));
    let with = goal.precision.map_or(String::new(), |p| format!(" at a precision of {}", percent(p)));
    let reached = |point: &ProgressPoint| point.coverage >= goal.coverage;
    if reached(last) {
        let before = points.iter().rposition(|p| p.labels + goal.apart <= last.labels);
        if before.is_none_or(|at| !points[at..].iter().all(reached)) {
            return unknown(format!("{now} of the pool is labelled or trusted{with}: one more batch must confirm it."));
        }
        let sentence = format!(
            "Enough: {wanted} of the pool was labelled or trusted{with} in two updates a batch of answers apart. Check a random sample of the trusted labels before you rely on them."
        );
        return Outlook { enough: true, more: Some([0; 3]), sentence };
    }
    let usable = points.iter().filter(|point| point.trusted > 0 && point.coverage < 1.0 && point.labels > 0);
    let usable: Vec<(f64, f64)> = usable.map(|point| ((point.labels as f64).ln(), logit(point.coverage))).collect();
    let used = &usable[usable.len().saturating_sub(USED)..];
    let Some(crossing) = range(used, logit(goal.coverage)) else {
        return unknown(if last.trusted == 0 {
            format!(
                "{now} of the pool is labelled; no other label can be trusted{with} yet. How many more it takes cannot be predicted before some are."
            )
        } else {
            format!(
                "{now} of the pool is labelled or trusted{with}, the goal is {wanted}. How many more labels it takes cannot be predicted yet: the last updates do not show a steady rise."
            )
        });
    };
    // Once everything is labelled by hand the goal is reached as well.
    let open = ((1.0 - last.coverage) * rows as f64).ceil() as usize;
    let more = crossing.map(|labels| {
        let more = (labels.exp() - last.labels as f64).ceil().max(1.0);
        if more.is_finite() { (more as usize).min(open) } else { open }
    });
    let [expected, least, most] = more;
    let sentence = format!(
        "{now} of the pool is labelled or trusted{with}. About {} until {wanted}, by the last {} updates; the range is {least} to {most}.",
        count(expected, "more label", "more labels"),
        used.len()
    );
    Outlook { enough: false, more: Some(more), sentence }
}

fn logit(share: f64) -> f64 {
    (share / (1.0 - share)).ln()
}

/// Where lines through the points reach `target`: through all, and the least and the most without one of them.
fn range(points: &[(f64, f64)], target: f64) -> Option<[f64; 3]> {
    if points.len() < NEEDED {
        return None;
    }
    let last = *points.last()?;
    let [on_line, from_last] = crossings(points.iter().copied(), last, target)?;
    let (mut least, mut most) = (on_line.min(from_last), on_line.max(from_last));
    for left_out in 0..points.len() {
        let others = points.iter().enumerate().filter(|(at, _)| *at != left_out);
        for at in crossings(others.map(|(_, &point)| point), last, target)? {
            (least, most) = (least.min(at), most.max(at));
        }
    }
    Some([(on_line + from_last) / 2.0, least, most])
}

/// Where the line of least squares reaches `target`, and where one of the same slope through `last` does; `None` if it does
/// not rise.
fn crossings(points: impl Iterator<Item = (f64, f64)> + Clone, last: (f64, f64), target: f64) -> Option<[f64; 2]> {
    let n = points.clone().count() as f64;
    let (sx, sy) = points.clone().fold((0.0, 0.0), |(sx, sy), (x, y)| (sx + x, sy + y));
    let (mx, my) = (sx / n, sy / n);
    let (sxx, sxy) =
        points.fold((0.0, 0.0), |(sxx, sxy), (x, y)| (sxx + (x - mx) * (x - mx), sxy + (x - mx) * (y - my)));
    let slope = sxy / sxx;
    let from = |(x, y): (f64, f64)| x + (target - y) / slope;
    (sxx > 0.0 && slope > 1e-6).then(|| [from((mx, my)), from(last)])
}

/// A random sample of the trusted labels that a person answers without seeing the predictions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Check {
    /// The rows, and the name of the class that was predicted for each.
    pub rows: Vec<(usize, String)>,
}

/// The state of a check.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CheckResult {
    /// The size of the sample.
    pub size: usize,
    /// How many were answered.
    pub answered: usize,
    /// How many of these predictions were right.
    pub right: usize,
    /// The ends of the 95 % interval of the share of right ones, by Wilson's score.
    pub interval: Option<[f64; 2]>,
}

impl Check {
    /// The result so far; `answer` gives the class of a row, or none if it is none of the classes, once it was answered.
    pub fn result<'a>(&self, answer: impl Fn(usize) -> Option<Option<&'a str>>) -> CheckResult {
        let is_right = |(row, class): &(usize, String)| Some(answer(*row)? == Some(class.as_str()));
        let answers: Vec<bool> = self.rows.iter().filter_map(is_right).collect();
        let (answered, right) = (answers.len(), answers.iter().filter(|right| **right).count());
        let interval = (answered > 0).then(|| wilson(right as f64, answered as f64));
        CheckResult { size: self.rows.len(), answered, right, interval }
    }
}

fn wilson(right: f64, n: f64) -> [f64; 2] {
    let z = 1.959_964_f64;
    let (share, z2) = (right / n, z * z);
    let middle = (share + z2 / (2.0 * n)) / (1.0 + z2 / n);
    let half = z / (1.0 + z2 / n) * (share * (1.0 - share) / n + z2 / (4.0 * n * n)).sqrt();
    [(middle - half).max(0.0), (middle + half).min(1.0)]
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOAL: Goal = Goal { coverage: 0.9, precision: Some(0.95), apart: 10 };

    fn point(labels: usize, coverage: f64) -> ProgressPoint {
        ProgressPoint { labels, coverage, trusted: 10, precision: None }
    }

    #[test]
    fn a_steady_rise_is_extended_and_noise_widens_the_range() {
        // logit c = -4 + log m: 0.9 is reached at m = exp(4 + log 9) = 491.
        let on = |m: usize| 1.0 / (1.0 + (4.0 - (m as f64).ln()).exp());
        let exact: Vec<ProgressPoint> = (1..7).map(|k| point(20 * k, on(20 * k))).collect();
        let result = outlook(&exact, GOAL, 10_000);
        let [expected, least, most] = result.more.unwrap();
        assert!((370..374).contains(&expected) && most - least <= 2, "{result:?}");
        assert!(!result.enough && result.sentence.contains("95 %"), "{result:?}");
        let mut noisy = exact.clone();
        for (k, point) in noisy.iter_mut().enumerate() {
            point.coverage *= if k % 2 == 0 { 1.15 } else { 0.9 };
        }
        let [_, least, most] = outlook(&noisy, GOAL, 10_000).more.unwrap();
        assert!(most - least > 100, "{least} to {most}");
        // Never more than are left.
        let [_, _, most] = outlook(&noisy, GOAL, 150).more.unwrap();
        assert!(most <= 150);
    }

    #[test]
    fn nothing_is_predicted_from_too_little() {
        assert!(outlook(&[], GOAL, 100).more.is_none());
        let few: Vec<ProgressPoint> = (1..4).map(|k| point(20 * k, 0.1 * k as f64)).collect();
        assert!(outlook(&few, GOAL, 100).more.is_none());
        let falling: Vec<ProgressPoint> = (1..7).map(|k| point(20 * k, 0.6 - 0.05 * k as f64)).collect();
        assert!(outlook(&falling, GOAL, 100).more.is_none());
        let untrusted: Vec<ProgressPoint> =
            (1..7).map(|k| ProgressPoint { trusted: 0, ..point(k, 0.01 * k as f64) }).collect();
        assert!(outlook(&untrusted, GOAL, 100).sentence.contains("no other label"));
    }

    #[test]
    fn enough_takes_two_updates() {
        let rising = [point(20, 0.5), point(40, 0.92)];
        assert!(!outlook(&rising, GOAL, 100).enough);
        let twice = [point(20, 0.5), point(40, 0.92), point(60, 0.93)];
        assert!(outlook(&twice, GOAL, 100).enough);
        let hardly = [point(20, 0.5), point(40, 0.92), point(42, 0.93)];
        assert!(!outlook(&hardly, GOAL, 100).enough, "two labels more confirm nothing");
        let back = [point(20, 0.95), point(40, 0.92), point(60, 0.8)];
        assert!(!outlook(&back, GOAL, 100).enough);
    }

    #[test]
    fn a_check_counts_right_predictions() {
        let rows = [(3, "auk"), (5, "tern"), (7, "tern"), (9, "auk")];
        let check = Check { rows: rows.map(|(row, class)| (row, class.to_owned())).to_vec() };
        let given = [None, Some(Some("tern")), Some(None), Some(Some("auk"))];
        let answer = |row: usize| given[(row - 3) / 2];
        let result = check.result(answer);
        assert_eq!((result.size, result.answered, result.right), (4, 3, 2));
        let [low, high] = result.interval.unwrap();
        // Wilson's interval of 2 of 3.
        assert!((low - 0.2077).abs() < 1e-3 && (high - 0.9385).abs() < 1e-3, "{low} {high}");
        assert!(Check { rows: vec![] }.result(|_| None).interval.is_none());
    }
}
