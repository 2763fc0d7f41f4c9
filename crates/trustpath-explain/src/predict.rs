//! Predictions explained: columns and summary.

use trustpath::label::{Prediction, Verdict};

use crate::{DataInfo, count};

/// Classes listed in a summary.
const LISTED: usize = 10;

/// What is predicted for each instance, without the probabilities of the other classes.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Predictions {
    /// The most probable class; `None` for instances that are none of these.
    pub labels: Vec<Option<usize>>,
    /// The probability that it is right.
    pub probability: Vec<f64>,
    /// How credible it is.
    pub credibility: Vec<f64>,
    /// Trusted, doubtful or none of these.
    pub verdicts: Vec<Verdict>,
    /// The class that competes with it.
    pub rival: Vec<usize>,
    /// The share of the pool that scores at least as high.
    pub rank: Vec<f64>,
}

impl Predictions {
    /// Adds those of further instances.
    pub fn append(&mut self, more: Prediction) {
        self.labels.extend(more.labels);
        self.probability.extend(more.probability);
        self.credibility.extend(more.credibility);
        self.verdicts.extend(more.verdicts);
        self.rival.extend(more.rival);
        self.rank.extend(more.rank);
    }
}

/// Predictions, and what is needed to explain them.
#[derive(Debug, Clone, Copy)]
pub struct PredictResult<'a> {
    /// The instances; the classes are those of the model.
    pub data: DataInfo<'a>,
    /// What is predicted.
    pub predictions: &'a Predictions,
    /// Whether they are unlike the pool of the model.
    pub unlike: bool,
}

/// What to know of instances that are unlike the pool.
const UNLIKE: &str = "These instances are unlike the pool that the model was made from: their labels fit worse than the pool's do. The promise does not hold for them, and probabilities are too high. Label some of them at random and run trustpath label on all.";

impl PredictResult<'_> {
    /// What a user should know before relying on the predictions.
    pub fn note(&self) -> Option<&'static str> {
        self.unlike.then_some(UNLIKE)
    }

    /// The summary for a terminal, with the time and memory spent.
    pub fn text(&self, spent: &str) -> String {
        let DataInfo { source, ids, classes, .. } = self.data;
        let number = |verdict| self.predictions.verdicts.iter().filter(|v| **v == verdict).count();
        let mut counts = vec![0usize; classes.len()];
        self.predictions.labels.iter().flatten().for_each(|&label| counts[label] += 1);
        let mut order: Vec<usize> = (0..counts.len()).filter(|&class| counts[class] > 0).collect();
        order.sort_by_key(|&class| std::cmp::Reverse(counts[class]));
        let of_class = |&class: &usize| format!("{} {}", classes[class], counts[class]);
        let listed: Vec<String> = order.iter().take(LISTED).map(of_class).collect();
        let more = match order.len().saturating_sub(LISTED) {
            0 => String::new(),
            more => format!(" and {}", count(more, "more class", "more classes")),
        };
        let novel = match number(Verdict::NoneOfThese) {
            0 => String::new(),
            novel => format!(", {novel} none of these"),
        };
        let note = self.note().map_or_else(String::new, |note| format!("\n{note}\n\n"));
        format!(
            "{source}: {}, {} trusted, {} doubtful{novel}\n{}{more}\n{note}{spent}\n",
            count(ids.len(), "instance", "instances"),
            number(Verdict::Trusted),
            number(Verdict::Doubtful),
            listed.join(", "),
        )
    }
}
