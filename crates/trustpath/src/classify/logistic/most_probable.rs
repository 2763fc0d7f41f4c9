//! The most probable class of very many instances.

use rayon::prelude::*;

use super::LogisticModel;
use crate::Matrix;
use crate::linalg::block::multiply;
use crate::linalg::exp::exponentiate;
use crate::linalg::simd;
use crate::linalg::vector::arg_max;

/// Instances per block.
const BLOCK: usize = 256;

/// The most probable class of each of the rows (the lowest of several equal ones) and its probability. Only the scores of
/// one block per thread are in memory at a time.
pub(crate) fn most_probable(model: &LogisticModel, x: &Matrix, rows: &[usize]) -> (Vec<usize>, Vec<f64>) {
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
            multiply(&features[..n * d], n, model.weights.view().transpose(), scores);
            let to = labels.iter_mut().zip(probabilities);
            for (scores, (label, probability)) in scores.chunks_exact_mut(c).zip(to) {
                scores.iter_mut().zip(&model.intercept).for_each(|(score, b)| *score += b);
                *label = arg_max(scores);
                let highest = scores[*label];
                *probability = simd::dispatch(
                    scores,
                    #[inline(always)]
                    |scores| {
                        scores.iter_mut().for_each(|score| *score -= highest);
                        exponentiate(scores);
                        1.0 / scores.iter().sum::<f64>()
                    },
                );
            }
        },
    );
    (labels, probabilities)
}
