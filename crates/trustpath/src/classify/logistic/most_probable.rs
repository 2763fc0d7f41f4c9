//! The most probable class of very many instances.

use faer::linalg::matmul::matmul;
use faer::{Accum, MatMut, MatRef, Par};
use pulp::{Arch, NullaryFnOnce};
use rayon::prelude::*;

use super::LogisticModel;
use crate::Matrix;
use crate::linalg::exp::exponentiate;
use crate::task::arg_max;

/// Instances of a block.
const BLOCK: usize = 256;

/// The most probable class of each of the rows, the lower of equals, and its probability. What is held at a time are
/// the scores of a block for each thread.
pub(crate) fn most_probable(
    model: &LogisticModel,
    x: &Matrix,
    rows: &[usize],
) -> (Vec<usize>, Vec<f64>) {
    let (c, d) = (model.weights.rows(), x.cols());
    let (mut labels, mut probabilities) = (vec![0; rows.len()], vec![0.0; rows.len()]);
    let out = labels.par_chunks_mut(BLOCK).zip(probabilities.par_chunks_mut(BLOCK));
    rows.par_chunks(BLOCK).zip(out).for_each_init(
        || (vec![0.0; BLOCK * d], vec![0.0; BLOCK * c]),
        |(features, scores), (rows, (labels, probabilities))| {
            let n = rows.len();
            for (to, &row) in features.chunks_exact_mut(d).zip(rows) {
                to.copy_from_slice(x.row(row));
            }
            let scores = &mut scores[..n * c];
            matmul(
                MatMut::from_row_major_slice_mut(&mut *scores, n, c),
                Accum::Replace,
                MatRef::from_row_major_slice(&features[..n * d], n, d),
                model.weights.view().transpose(),
                1.0,
                Par::Seq,
            );
            let to = labels.iter_mut().zip(probabilities);
            for (scores, (label, probability)) in scores.chunks_exact_mut(c).zip(to) {
                scores.iter_mut().zip(&model.intercept).for_each(|(score, b)| *score += b);
                *label = arg_max(scores);
                *probability = Arch::new().dispatch(Share { highest: scores[*label], scores });
            }
        },
    );
    (labels, probabilities)
}

/// The probability of the highest score.
struct Share<'a> {
    highest: f64,
    scores: &'a mut [f64],
}

impl NullaryFnOnce for Share<'_> {
    type Output = f64;

    #[inline(always)]
    fn call(self) -> f64 {
        for score in &mut *self.scores {
            *score -= self.highest;
        }
        exponentiate(self.scores);
        1.0 / self.scores.iter().sum::<f64>()
    }
}
