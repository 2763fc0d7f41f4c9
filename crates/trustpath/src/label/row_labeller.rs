//! What labels and judges rows in the coordinates of a pool: of a model, or of a fold.
//!
//! ```text
//! p(c) ∝ p_classifier(c) √(h(c) + ε)         h(c) the mean of what the similarity graph says of the reference rows near the row
//! score = (credibility on the path, or p) × (1 − the mean of what these reference rows are discounted by)
//! ```

use rayon::prelude::*;

use crate::Matrix;
use crate::classify::LogisticModel;
use crate::judge::{FrozenPath, Judgement};
use crate::linalg::vector::arg_max;
use crate::represent::Placed;
use crate::trust::RankedBy;

/// Rows whose class probabilities are in memory together.
const STRIP: usize = 256;
/// Added to what the graph says of a class, which may be nothing.
const FLOOR: f32 = 1e-6;

/// What labels and judges placed rows.
#[derive(Clone, Copy)]
pub(super) struct RowLabeller<'a> {
    pub classifier: &'a LogisticModel,
    /// What the graph says of every class of the classifier, one row per reference row; empty where no graph was read.
    pub graph: &'a [f32],
    pub path: &'a FrozenPath,
    /// How much of its score each reference row loses; empty in a closed pool.
    pub discount: &'a [f32],
}

/// A row that is labelled and judged.
#[derive(Debug, Clone, Copy)]
pub(super) struct ScoredRow {
    /// The most probable of the classes that have labels.
    pub label: usize,
    /// The probability that it is none of these, where that is more probable than any class.
    pub none: Option<f64>,
    pub judged: Judgement,
    /// By each ranking.
    pub scores: [f64; RankedBy::ALL.len()],
}

/// What the classifier and the graph say of a row.
#[derive(Debug, Clone, Copy, Default)]
struct MostProbable {
    label: usize,
    probability: f64,
    none: Option<f64>,
    discount: f64,
}

impl RowLabeller<'_> {
    /// Labels and judges these rows, and writes their class probabilities where there is room for them.
    pub fn score(&self, placed: &Placed, rows: &[usize], probabilities: Option<&mut [f64]>) -> Vec<ScoredRow> {
        let mut labelled = vec![MostProbable::default(); rows.len()];
        let strips = labelled.par_chunks_mut(STRIP).zip(rows.par_chunks(STRIP));
        match probabilities {
            Some(all) => {
                let room = all.par_chunks_mut(STRIP * self.classifier.intercept.len());
                strips.zip(room).for_each(|((labelled, rows), room)| {
                    room.copy_from_slice(self.label_strip(placed, rows, labelled).as_slice());
                });
            }
            None => strips.for_each(|(labelled, rows)| {
                self.label_strip(placed, rows, labelled);
            }),
        }
        let judged = self.path.judge(&placed.u, rows, |at| Some(labelled[at].label));
        let scored = |(row, judged): (&MostProbable, Judgement)| ScoredRow {
            label: row.label,
            none: row.none,
            judged,
            scores: RankedBy::ALL.map(|by| by.scores(&[row.probability], &[judged], |_| row.discount)[0]),
        };
        labelled.iter().zip(judged).map(scored).collect()
    }

    /// Labels a strip of rows, and returns their class probabilities.
    fn label_strip(&self, placed: &Placed, rows: &[usize], labelled: &mut [MostProbable]) -> Matrix {
        let mut probabilities = self.classifier.probabilities_of(&placed.u, rows);
        let mut near = vec![0.0f32; self.classifier.intercept.len()];
        for (at, (&row, to)) in rows.iter().zip(labelled).enumerate() {
            let p = probabilities.row_mut(at);
            if !self.graph.is_empty() {
                placed.mean(row, self.graph, &mut near);
                let roots = near.iter().map(|h| f64::from((h + FLOOR).sqrt()));
                p.iter_mut().zip(roots).for_each(|(p, root)| *p *= root);
                let sum: f64 = p.iter().sum();
                p.iter_mut().for_each(|p| *p /= sum);
            }
            let classes = self.path.beta.first().map_or(0, Matrix::cols);
            let label = arg_max(&p[..classes]);
            let none = p.get(classes).copied().filter(|none| *none > p[label]);
            let mut discount = [0.0f32];
            if !self.discount.is_empty() {
                placed.mean(row, self.discount, &mut discount);
            }
            *to = MostProbable { label, probability: p[label], none, discount: f64::from(discount[0]) };
        }
        probabilities
    }
}
