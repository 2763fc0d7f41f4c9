//! Labellers: from a pool with few given labels to a label and a probability for every open row.
//!
//! [`SelfTraining`] is Algorithm 1 of the paper: a classifier, a judge and a quota. [`Adaptive`] labels small pools at once.

pub mod adaptive;
mod harmonic;
mod self_training;

pub use adaptive::{Adapted, Adaptive, AdaptiveParams};
pub(crate) use harmonic::GraphLabels;
pub use self_training::{Quota, RoundRecord, SelfTraining};

use std::sync::Arc;

use crate::choices;
use crate::classify::LogisticModel;
use crate::judge::PoolView;
use crate::linalg::vector::arg_max;
use crate::pool::Labels;
use crate::task::{Posterior, Task};
use crate::{Instances, Result};

choices! {
    /// Which algorithm labels a pool.
    #[derive(Default)]
    #[non_exhaustive]
    pub enum LabellerKind ("labeller") {
        /// Self-training, or in small pools the adaptive mode, unless held-out labels speak for another one of those below
        /// ([`crate::limits`] has the sizes).
        #[default]
        Auto = "auto",
        /// Self-training in two rounds.
        Rounds = "rounds",
        /// What self-training starts with: the classifier trained on the given labels, and the similarity graph, up to 8 million
        /// instances × classes ([`Limits::graph_labels`]).
        NoRounds = "no-rounds",
        /// That classifier alone.
        Classifier = "classifier",
        /// The adaptive mode, which labels the pool at once, on the features themselves.
        Adaptive = "adaptive",
    }
}

/// Labels the open rows of a pool.
pub trait Labeller: Send + Sync + std::fmt::Debug {
    /// Its name, as on the command line.
    fn name(&self) -> &'static str;

    /// Labels the open rows of a split.
    ///
    /// # Errors
    /// When a solver does not converge, or the pool cannot be represented.
    fn label(&self, view: &PoolView<'_>, split: Labels<'_>) -> Result<Labelled>;

    /// What it would find on a pool that a labeller with rounds has labelled, where that run contains it: those of its first
    /// classifier are the labels without rounds.
    fn contained_in(&self, _rounds: &Labelled) -> Option<Labelled> {
        None
    }
}

/// Labels of the open rows, in their order.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct Labelled {
    /// The labels.
    pub labels: Vec<usize>,
    /// The probability of each.
    pub probability: Vec<f64>,
    /// The round since which an instance has been in the training set, if it was there in the end.
    pub accepted_in: Vec<Option<usize>>,
    /// The rounds; none for labellers without rounds.
    pub rounds: Vec<RoundRecord>,
    /// The probability of each label before the first round; empty for labellers without rounds.
    pub first_probability: Vec<f64>,
    /// Labels and probabilities by the classifier alone before the first round, where the labels also use a similarity graph.
    pub(crate) by_classifier: Option<(Vec<usize>, Vec<f64>)>,
    /// What the similarity graph says, where the labeller has read it.
    pub(crate) by_graph: Option<Arc<GraphLabels>>,
    /// The last classifier, where the labeller has one and it is logistic. Its labels alone are not `labels` where a similarity graph was read.
    pub model: Option<LogisticModel>,
}

/// Labels the open rows of a pool by a method that takes tasks.
pub(crate) fn label_task(
    view: &PoolView<'_>,
    labels: Labels<'_>,
    posterior: impl FnOnce(&Task<'_>) -> Result<Posterior>,
) -> Result<Labelled> {
    let unit = view.instances.unit();
    let positions: Vec<usize> = (0..labels.given.len() + labels.open.len()).collect();
    let instances = Instances::from_unit(labels.gather(unit, unit.cols(), &positions));
    let probabilities = posterior(&Task {
        instances: &instances,
        labels: labels.labels,
        unlabeled: labels.open.len(),
        classes: labels.classes,
        truth: None,
    })?
    .unlabeled;
    let labels: Vec<usize> = probabilities.iter_rows().map(arg_max).collect();
    let own = |(at, &label): (usize, &usize)| probabilities[(at, label)];
    Ok(Labelled {
        probability: labels.iter().enumerate().map(own).collect(),
        accepted_in: vec![None; labels.len()],
        labels,
        ..Labelled::default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::classify::PoolLogistic;
    use crate::judge::Ici;
    use crate::limits::Limits;
    use crate::neighbors::{Neighbors, SimilarityGraph};
    use crate::testing::clusters;

    #[test]
    fn a_run_with_rounds_contains_those_without() {
        let instances = clusters(4, 20, 8, 1.0);
        let neighbors = Neighbors::of(&instances, 80, 6).unwrap();
        let graph = SimilarityGraph::of(&neighbors, |i, k| neighbors.squared_distances(i)[k]);
        let limits = Limits::default();
        let labeller = |quota| {
            let judge = Ici::sampled(limits).unwrap();
            let classifier = PoolLogistic::new(limits).unwrap();
            SelfTraining::new(Box::new(classifier), Box::new(judge), quota).unwrap()
        };
        let with = labeller(Quota::quarter_then_half());
        let none = || labeller(Quota::Shares(Vec::new()));
        let given: Vec<usize> = (0..8).map(|at| at / 2 * 20 + at % 2).collect();
        let labels: Vec<usize> = (0..8).map(|at| at / 2).collect();
        let open: Vec<usize> = (0..80).filter(|row| !given.contains(row)).collect();
        let split = Labels { given: &given, labels: &labels, open: &open, classes: 4 };
        let view = || PoolView::leading(&instances, instances.unit(), 8);
        let mut probabilities = Vec::new();
        for (view, without) in
            [(view(), none()), (view().with_graph(&graph), none()), (view().with_graph(&graph), none().without_graph())]
        {
            let rounds = with.label(&view, split).unwrap();
            let contained = without.contained_in(&rounds).unwrap();
            let own = without.label(&view, split).unwrap();
            assert_eq!((contained.labels, &contained.probability), (own.labels, &own.probability));
            assert!(with.contained_in(&rounds).is_none());
            probabilities.push(own.probability);
        }
        assert_eq!(probabilities[0], probabilities[2]);
        assert_ne!(probabilities[0], probabilities[1]);
    }
}
