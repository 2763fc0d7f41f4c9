//! The classes of the mixture as the rows see them: places, spreads and the labels of neighbours, from which likelihoods follow.

use std::ops::Range;

use crate::Matrix;
use crate::linalg::exp::exponentiate;
use crate::linalg::geometry::unit;
use crate::linalg::{simd, vector};
use crate::task::CheckedTask;

use super::blocks::{BLOCK, in_blocks, multiply};
use super::space::Space;

/// Instances by which the spread of a class is shrunk towards that of all classes.
const SPREAD_PRIOR: f64 = 5.0;
/// No squared distance is smaller.
const NO_DISTANCE: f64 = 1e-6;

/// Places and spreads of the classes, and the labels of neighbours.
pub(super) struct Centres {
    points: Matrix,
    /// `1 + ‖c_k‖²`, from which a distance is `1 + ‖c‖² − 2 x·c`, since rows have unit length.
    offsets: Vec<f64>,
    /// `λ (σ̄²/σ_k²)^v`.
    sharpness: Vec<f64>,
    /// `d log(σ_k²/σ̄²)`.
    breadth: Vec<f64>,
    /// Soft labels of the pool less `1/K`, the first rows one-hot.
    soft: Matrix,
    labelled: usize,
    /// `γ`.
    neighbors: f64,
}

impl Centres {
    /// Classes at these points, without spreads, and with the labels of the labelled rows for neighbours.
    pub fn new(points: Matrix, task: &CheckedTask<'_>) -> Self {
        let classes = task.classes;
        let mut soft = Matrix::zeros(task.pool, classes);
        for (i, &label) in task.labels.iter().enumerate() {
            soft.row_mut(i).fill(-1.0 / classes as f64);
            soft[(i, label)] += 1.0;
        }
        let zeros = vec![0.0; classes];
        let (offsets, sharpness, breadth) = (zeros.clone(), zeros.clone(), zeros);
        let labelled = task.labelled;
        Self { points, offsets, sharpness, breadth, soft, labelled, neighbors: 0.0 }
    }

    /// Moves the classes to their prototypes, or to the directions of these.
    pub fn place(&mut self, prototypes: &Matrix, directions: bool) {
        self.points.as_mut_slice().copy_from_slice(prototypes.as_slice());
        for (k, offset) in self.offsets.iter_mut().enumerate() {
            let point = self.points.row_mut(k);
            if directions {
                unit(point);
            }
            *offset = 1.0 + vector::dot(point, point);
        }
    }

    /// Takes the soft labels of the unlabeled rows, which enter the likelihoods of their neighbours with this weight.
    pub fn set_neighbor_labels(&mut self, posterior: &Matrix, weight: f64) {
        let classes = posterior.cols();
        let share = 1.0 / classes as f64;
        let soft = &mut self.soft.as_mut_slice()[self.labelled * classes..];
        soft.iter_mut().zip(posterior.as_slice()).for_each(|(s, p)| *s = p - share);
        self.neighbors = weight;
    }

    /// Sets how sharp and how broad classes are: all the same, or from a posterior, the distances of its rows, and the exponents
    /// `v` and `d`.
    pub fn shape(&mut self, sharpness: f64, seen: Option<(&Matrix, &Matrix, [f64; 2])>) {
        self.sharpness.fill(sharpness);
        self.breadth.fill(0.0);
        let Some((posterior, distances, [exponent, price])) = seen else { return };
        let classes = self.offsets.len();
        let (mut sums, mut counts) = (vec![0.0; classes], vec![0.0; classes]);
        for (p, d) in posterior.iter_rows().zip(distances.iter_rows()) {
            for k in 0..classes {
                sums[k] += p[k] * d[k];
                counts[k] += p[k];
            }
        }
        let count: f64 = counts.iter().sum();
        if count <= 0.0 {
            return;
        }
        let mean = sums.iter().sum::<f64>() / count;
        for k in 0..classes {
            let spread = (sums[k] + SPREAD_PRIOR * mean) / (counts[k] + SPREAD_PRIOR);
            let ratio = (spread / mean).ln();
            self.sharpness[k] *= (-exponent * ratio).exp();
            self.breadth[k] = price * ratio;
        }
    }

    /// Squared distances of these rows to every class.
    pub fn distances(&self, x: &Matrix, rows: Range<usize>, out: &mut [f64]) {
        let classes = self.offsets.len();
        in_blocks(out, BLOCK * classes, |(b, out)| {
            let count = out.len() / classes;
            let block = x.view().subrows(rows.start + b * BLOCK, count);
            multiply(out, [count, classes], block, self.points.view().transpose(), -2.0);
            for row in out.chunks_exact_mut(classes) {
                for k in 0..classes {
                    row[k] = (row[k] + self.offsets[k]).max(NO_DISTANCE);
                }
            }
        });
    }

    /// Replaces distances by `g_ik`, each row scaled so that its largest is one.
    pub fn likelihoods(&self, space: &Space, rows: Range<usize>, g: &mut [f64]) {
        let classes = self.offsets.len();
        in_blocks(g, BLOCK * classes, |(b, g)| {
            for (i, g) in (rows.start + b * BLOCK..).zip(g.chunks_exact_mut(classes)) {
                for k in 0..classes {
                    g[k] = -(self.sharpness[k] * g[k] + self.breadth[k]);
                }
                if self.neighbors != 0.0 {
                    for &(j, share) in space.neighbors(i) {
                        vector::add_scaled(g, self.neighbors * share, self.soft.row(j));
                    }
                }
                let mut top = f64::NEG_INFINITY;
                for k in 0..classes {
                    top = top.max(g[k]);
                }
                g.iter_mut().for_each(|g| *g -= top);
            }
            simd::dispatch(
                g,
                #[inline(always)]
                |g| exponentiate(g),
            );
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Features, Task};

    #[test]
    fn broad_classes_are_less_sharp_and_pay() {
        let values: Vec<f64> = (0..12 * 3).map(|at| 1.0 + f64::from(at).sin()).collect();
        let instances = Features::new(&values[..], 12, 3).unwrap().normalize().unwrap();
        let (instances, labels) = (&instances, &[0, 1]);
        let task = Task { instances, labels, unlabeled: 10, classes: 2, truth: None };
        let task = CheckedTask::new(&task).unwrap();
        let mut centres = Centres::new(Matrix::zeros(2, 3), &task);
        let posterior = Matrix::one_hot(&[0, 0, 0, 0, 0, 1, 1, 1, 1, 1], 2);
        let distances = Matrix::from_fn(10, 2, |i, _| if i < 5 { 0.3 } else { 0.1 });
        centres.shape(2.0, Some((&posterior, &distances, [1.0, 0.5])));
        // Five instances and five of the prior, whose mean is 0.2: spreads of 0.25 and 0.15.
        assert!((centres.sharpness[0] - 2.0 * 0.2 / 0.25).abs() < 1e-12);
        assert!((centres.sharpness[1] - 2.0 * 0.2 / 0.15).abs() < 1e-12);
        assert!((centres.breadth[0] - 0.5 * (0.25f64 / 0.2).ln()).abs() < 1e-12);
        centres.shape(2.0, None);
        assert_eq!((&centres.sharpness[..], &centres.breadth[..]), (&[2.0; 2][..], &[0.0; 2][..]));
    }
}
