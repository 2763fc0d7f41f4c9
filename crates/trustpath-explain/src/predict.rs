//! Predictions explained: columns and summary.

use trustpath::label::Prediction;

use crate::{DataInfo, count};

/// Classes listed in a summary.
const LISTED: usize = 10;

/// What is predicted for each instance, without the probabilities of the other classes.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Predictions {
    /// The most probable class.
    pub labels: Vec<usize>,
    /// Its probability.
    pub probability: Vec<f64>,
    /// How credible it is.
    pub credibility: Vec<f64>,
    /// Whether it can be trusted.
    pub trusted: Vec<bool>,
    /// The class that competes with it.
    pub rival: Vec<usize>,
}

impl Predictions {
    /// Adds those of further instances.
    pub fn append(&mut self, more: Prediction) {
        let labels = more.labels.iter().enumerate();
        self.probability.extend(labels.map(|(row, &label)| more.probabilities[(row, label)]));
        self.labels.extend(more.labels);
        self.credibility.extend(more.credibility);
        self.trusted.extend(more.trusted);
        self.rival.extend(more.rival);
    }
}

/// Predictions, and what is needed to explain them.
#[derive(Debug, Clone, Copy)]
pub struct PredictResult<'a> {
    /// The instances; the classes are those of the model.
    pub data: DataInfo<'a>,
    /// What is predicted.
    pub predictions: &'a Predictions,
}

impl PredictResult<'_> {
    /// The summary for a terminal; `cut` is the credibility from which the model trusts labels.
    pub fn text(&self, cut: f64, spent: &str) -> String {
        let DataInfo { source, ids, classes, .. } = self.data;
        let trusted = self.predictions.trusted.iter().filter(|t| **t).count();
        let mut counts = vec![0usize; classes.len()];
        self.predictions.labels.iter().for_each(|&label| counts[label] += 1);
        let mut order: Vec<usize> = (0..counts.len()).filter(|&class| counts[class] > 0).collect();
        order.sort_by_key(|&class| std::cmp::Reverse(counts[class]));
        let number = |&class: &usize| format!("{} {}", classes[class], counts[class]);
        let listed: Vec<String> = order.iter().take(LISTED).map(number).collect();
        let more = match order.len().saturating_sub(LISTED) {
            0 => String::new(),
            more => format!(" and {}", count(more, "more class", "more classes")),
        };
        format!(
            "{source}: {}, {trusted} trusted (credibility >= {cut:.2}), {} doubtful\n{}{more}\n{spent}\n",
            count(ids.len(), "instance", "instances"),
            ids.len() - trusted,
            listed.join(", "),
        )
    }
}
