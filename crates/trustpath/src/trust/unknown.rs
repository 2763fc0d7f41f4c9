//! What is known of every row before any is labelled: how far it is from the labels, and whether it belongs to none of their classes.

use rayon::prelude::*;

use super::folds::Folds;
use super::novelty::{Discount, Novelty, novelty};
use super::{absorption, are_picked};
use crate::neighbors::SimilarityGraph;
use crate::pool::Pool;

/// What the similarity graph says of the rows of a pool.
#[derive(Debug)]
pub(crate) struct Unknown {
    /// Whether the given labels are more typical than the pool. Then no row is found to be none of these: whatever is less typical than
    /// the labels would be, which says nothing of its class.
    pub picked: bool,
    /// What was found; `None` in a closed pool, and where there are too few labels.
    pub novelty: Option<Novelty>,
    /// The open rows that belong to the labelled classes, ascending.
    pub known: Vec<usize>,
    /// Those that belong to none of them, ascending.
    pub novel: Vec<usize>,
    /// How much of its score each row loses for its distance from all labels; empty in a closed pool.
    pub discount: Vec<f64>,
    /// The folds of the given labels, with the same discount by the labels that each fold keeps.
    pub folds: Folds,
}

impl Unknown {
    /// Looks for rows that are none of these at this level of false alarms, unless the pool is said to be closed. `nearest` is the class
    /// of the label nearest to each open row.
    pub fn find(
        pool: &Pool,
        graph: &SimilarityGraph,
        nearest: &[usize],
        mut folds: Folds,
        novel_fdr: Option<f64>,
    ) -> Self {
        let picked = are_picked(graph.degree(), &pool.given, &pool.open);
        let (mut discount, mut novelty) = (Vec::new(), None);
        if let Some(level) = novel_fdr {
            discount = measure_distances(pool, graph, &mut folds);
            novelty = self::novelty(pool, nearest, &discount, &mut folds, level);
        }
        if let Some(novelty) = &mut novelty {
            if picked {
                novelty.novel.fill(false);
                folds.all.iter_mut().for_each(|fold| fold.novel.clear());
            }
            Discount::apply(&mut discount, &pool.open, novelty.known);
            for fold in &mut folds.all {
                Discount::apply(&mut fold.distance, &pool.open, novelty.known);
            }
        }
        let is_novel = |row: &usize| novelty.as_ref().is_some_and(|novelty| novelty.novel[*row]);
        let (novel, known) = pool.open.iter().copied().partition(is_novel);
        Self { picked, novelty, known, novel, discount, folds }
    }

    /// The share of the open rows that belongs to the labelled classes, as far as they were told apart.
    pub fn share(&self) -> f64 {
        self.known.len() as f64 / (self.known.len() + self.novel.len()).max(1) as f64
    }

    /// The estimated share of the open rows that belongs to the labelled classes.
    pub fn estimated_share(&self) -> f64 {
        self.novelty.as_ref().map_or(1.0, |novelty| novelty.known)
    }
}

/// How far every row is from all given labels, and in each fold from those that it keeps.
fn measure_distances(pool: &Pool, graph: &SimilarityGraph, folds: &mut Folds) -> Vec<f64> {
    let distance = absorption(graph, &pool.is_given(), None);
    folds.all.par_iter_mut().for_each(|fold| {
        fold.distance = absorption(graph, &fold.labelled(graph.len()), Some(&distance));
    });
    distance
}
