//! None of these: instances of classes that were never labelled.
//!
//! The score of an instance is its largest cosine to the mean of a class's given labels. What that is for an instance of
//! a labelled class, and for one of a class that is not, the given labels themselves show: each is scored once against
//! its own class without it (and the others), and once against the other classes alone, as if its class did not exist.
//!
//! ```text
//! inᵢ  = max( cos(uᵢ, μ_y without i), max over k ≠ y of cos(uᵢ, μ_k) )            N(m₁, s₁²)
//! outᵢ = max over k ≠ y of cos(uᵢ, μ_k)                                          N(m₀, s₀²)
//! ```
//!
//! The share `ρ` of novel instances in the pool is then the maximum-likelihood weight of a mixture of the two (EM with fixed
//! components), and an instance is none of these if it is more probably novel than not; unless the pool has hardly
//! more of these than the given labels themselves would have (one and a half standard errors), for then they are no more than the
//! odd ones of the labelled classes. Needs at least [`MIN_LABELS`] given labels in classes of two or more.

use rayon::prelude::*;

use crate::Matrix;
use crate::linalg::block::multiply;
use crate::linalg::vector::norm;

/// Given labels of classes with two or more that are needed to say anything.
pub const MIN_LABELS: usize = 10;
/// Spread of scores below which they are taken to differ by rounding.
const LEAST_SPREAD: f64 = 1e-3;
/// Steps of EM.
const STEPS: usize = 200;
/// Instances whose probabilities are added up together.
const STRIP: usize = 4096;

/// Detected instances of classes without labels.
#[derive(Debug, Clone, PartialEq)]
pub struct Novelty {
    /// Whether each open instance is more probably novel than not.
    pub novel: Vec<bool>,
    /// The probability that it is.
    pub probability: Vec<f64>,
    /// Estimated share of novel instances among the open instances; 0 where there is no evidence of any.
    pub share: f64,
    /// How often a labelled instance scores higher with its class than another one without: the AUROC to be expected.
    pub auroc: f64,
}

/// Detects novel instances. `None` if there are too few given labels.
pub(crate) fn novelty(
    u: &Matrix,
    given: &[usize],
    labels: &[usize],
    open: &[usize],
    classes: usize,
) -> Option<Novelty> {
    let mut sums = Matrix::zeros(classes, u.cols());
    let mut counts = vec![0usize; classes];
    for (&row, &label) in given.iter().zip(labels) {
        counts[label] += 1;
        sums.row_mut(label).iter_mut().zip(u.row(row)).for_each(|(s, v)| *s += v);
    }
    // Rows of `u` have unit length, or none: inner products with unit means are cosines.
    let mut means = sums.clone();
    for mean in means.as_mut_slice().chunks_exact_mut(u.cols()) {
        let length = norm(mean);
        mean.iter_mut().for_each(|v| *v /= length.max(f64::MIN_POSITIVE));
    }
    let scores = cosines(u, given, &means, |at, scores| {
        let own = labels[at];
        let others = scores.iter().enumerate().filter(|(k, _)| *k != own).map(|(_, s)| *s);
        let without = others.fold(f64::NEG_INFINITY, f64::max);
        let inside = (counts[own] > 1).then(|| {
            let row = u.row(given[at]);
            let rest: Vec<f64> = sums.row(own).iter().zip(row).map(|(s, v)| s - v).collect();
            without.max(cosine(row, &rest))
        });
        (without, inside)
    });
    let outside: Vec<f64> = scores.iter().map(|(without, _)| *without).collect();
    let inside: Vec<f64> = scores.iter().filter_map(|(_, inside)| *inside).collect();
    if inside.len() < MIN_LABELS {
        return None;
    }
    let (known, strange) = (Normal::of(&inside), Normal::of(&outside));
    let largest = |scores: &[f64]| scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let scores = cosines(u, open, &means, |_, scores| largest(scores));
    let odds: Vec<f64> =
        scores.iter().map(|&s| strange.log_density(s) - known.log_density(s)).collect();
    let mut share: f64 = 0.5;
    let posterior = |share: f64, odds: f64| {
        let prior = (share / (1.0 - share)).ln();
        1.0 / (1.0 + (-(odds + prior)).exp())
    };
    for _ in 0..STEPS {
        let strips = odds.par_chunks(STRIP);
        let sums = strips.map(|odds| odds.iter().map(|&o| posterior(share, o)).sum::<f64>());
        let total: f64 = sums.collect::<Vec<_>>().iter().sum();
        share = (total / odds.len().max(1) as f64).clamp(1e-9, 1.0 - 1e-9);
    }
    // Two normals of different spread cross twice: above the mean of the known instances none is novel.
    let probability = |score: f64| match score < known.mean {
        true => posterior(share, strange.log_density(score) - known.log_density(score)),
        false => 0.0,
    };
    let likely = |scores: &[f64]| scores.iter().filter(|&&s| probability(s) > 0.5).count() as f64;
    let n = inside.len() as f64;
    let alarms = (likely(&inside) + 1.0) / (n + 2.0);
    let most = alarms + 1.5 * (alarms * (1.0 - alarms) / n).sqrt();
    let any = likely(&scores) > most * scores.len() as f64;
    let probability: Vec<f64> = scores.iter().map(|&score| probability(score)).collect();
    Some(Novelty {
        novel: probability.iter().map(|&p| any && p > 0.5).collect(),
        probability,
        share: if any { share } else { 0.0 },
        auroc: auroc(&inside, &outside),
    })
}

/// What `each` makes of the inner products of every row with all means, block by block.
fn cosines<T: Send>(
    u: &Matrix,
    rows: &[usize],
    means: &Matrix,
    each: impl Fn(usize, &[f64]) -> T + Sync,
) -> Vec<T> {
    const ROWS: usize = 256;
    let c = means.rows();
    let block = |(block, rows): (usize, &[usize])| {
        let x: Vec<f64> = rows.iter().flat_map(|&row| u.row(row)).copied().collect();
        let mut inner = vec![0.0; rows.len() * c];
        multiply(&x, rows.len(), means.view().transpose(), &mut inner);
        let made = inner.chunks_exact(c).enumerate().map(|(at, s)| each(block * ROWS + at, s));
        made.collect::<Vec<T>>()
    };
    rows.par_chunks(ROWS).enumerate().flat_map_iter(block).collect()
}

fn cosine(a: &[f64], b: &[f64]) -> f64 {
    let (mut inner, mut square, mut own) = (0.0, 0.0, 0.0);
    for (a, b) in a.iter().zip(b) {
        inner += a * b;
        square += b * b;
        own += a * a;
    }
    if square * own > 0.0 { inner / (square * own).sqrt() } else { 0.0 }
}

#[derive(Debug, Clone, Copy)]
struct Normal {
    mean: f64,
    spread: f64,
}

impl Normal {
    fn of(values: &[f64]) -> Self {
        let n = values.len() as f64;
        let mean = values.iter().sum::<f64>() / n;
        let variance =
            values.iter().map(|v| (v - mean) * (v - mean)).sum::<f64>() / (n - 1.0).max(1.0);
        Self { mean, spread: variance.sqrt().max(LEAST_SPREAD) }
    }

    fn log_density(&self, value: f64) -> f64 {
        let z = (value - self.mean) / self.spread;
        -0.5 * z * z - self.spread.ln()
    }
}

/// How often a value of `high` exceeds one of `low`, ties counting half.
fn auroc(high: &[f64], low: &[f64]) -> f64 {
    let wins: f64 = high
        .iter()
        .flat_map(|h| {
            low.iter().map(move |l| if h > l { 1.0 } else { f64::from(u8::from(h == l)) * 0.5 })
        })
        .sum();
    wins / (high.len() * low.len()) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Class `k` around axis `k`; `of(k)` for each row.
    fn rows(of: &[usize]) -> Matrix {
        Matrix::from_fn(of.len(), 6, |i, j| {
            f64::from(u8::from(of[i] == j)) + 0.25 * ((i * 13 + j * 5) as f64).sin()
        })
    }

    #[test]
    fn novel_instances_are_detected_and_no_others() {
        // Classes 0 … 3 are labelled, three times each; the pool has those and, at the end, class 5.
        let of: Vec<usize> =
            (0..12).map(|i| i % 4).chain((0..40).map(|i| i % 4)).chain([5; 10]).collect();
        let given: Vec<usize> = (0..12).collect();
        let open: Vec<usize> = (12..62).collect();
        let found = novelty(&rows(&of), &given, &of[..12], &open, 4).unwrap();
        assert!(found.novel[40..].iter().all(|&s| s), "{:?}", found.probability);
        assert!(found.novel[..40].iter().all(|&s| !s), "{:?}", found.probability);
        assert!((found.share - 0.2).abs() < 0.05 && found.auroc > 0.95);
    }

    #[test]
    fn a_pool_like_the_labels_has_no_novel_instances() {
        let of: Vec<usize> = (0..212).map(|i| i % 4).collect();
        let given: Vec<usize> = (0..12).collect();
        let open: Vec<usize> = (12..212).collect();
        let found = novelty(&rows(&of), &given, &of[..12], &open, 4).unwrap();
        assert!(found.novel.iter().all(|s| !s) && found.share == 0.0);
    }

    #[test]
    fn too_few_labels_say_nothing() {
        let of = [0, 1, 2, 3, 0, 1];
        assert_eq!(novelty(&rows(&of), &[0, 1, 2, 3], &of[..4], &[4, 5], 4), None);
    }
}
