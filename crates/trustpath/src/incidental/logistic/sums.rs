//! Sums over the instances: gradient, Hessian and drift of the reduced loss.
//!
//! With `z̃ = (1, z)` and `θ` the intercept stacked on `b`, each a `(1 + d) × c` array stored row by row,
//!
//! ```text
//! ∇ = Σᵢ z̃ᵢ rᵢᵀ,     ∇² = Σᵢ (z̃ᵢz̃ᵢᵀ) ⊗ Hᵢ,     ∂∇/∂s = Σᵢ z̃ᵢ (∂rᵢ/∂s)ᵀ.
//! ```
//!
//! All are linear in `n`, in blocks and in a fixed order.

use super::design::Design;
use super::lanes::{LANES, Lanes, accumulate, total, vectorised, zip};
use super::rows::Rows;

/// Blocks whose pair products are kept at a time: they fit the first-level cache.
const CHUNK: usize = 8;

/// Writes `Σᵢ z̃ᵢ vᵢᵀ` for per-instance vectors `v`, one lane block per class.
pub(super) fn moments(design: &Design, classes: usize, v: &[Lanes], out: &mut [f64]) {
    vectorised(
        #[inline(always)]
        || {
            let dims = design.dims;
            for k in 0..classes {
                let mut sum = [0.0; LANES];
                for b in 0..design.blocks {
                    sum = zip(&sum, &v[b * classes + k], |a, b| a + b);
                }
                out[k] = total(&sum);
                for j in 0..dims {
                    let mut sum = [0.0; LANES];
                    for b in 0..design.blocks {
                        accumulate(&mut sum, &design.z[b * dims + j], &v[b * classes + k]);
                    }
                    out[(j + 1) * classes + k] = total(&sum);
                }
            }
        },
    );
}

/// Workspace and result of the second-order sums.
#[derive(Debug)]
pub(super) struct Hessian {
    classes: usize,
    /// Products `z̃ⱼz̃ₕ` and class-by-class Hessians of a chunk, one pair after the other.
    features: Vec<[Lanes; CHUNK]>,
    curvatures: Vec<[Lanes; CHUNK]>,
    pairs: Vec<Lanes>,
    drifts: Vec<Lanes>,
    /// Sums of feature pair times class pair.
    sums: Vec<f64>,
    /// `∇²`, symmetric, of order `(1 + d) c`.
    pub matrix: Vec<f64>,
    /// `∂∇/∂s` with `θ` held.
    pub drift: Vec<f64>,
}

impl Hessian {
    pub fn new(design: &Design, classes: usize) -> Self {
        let triangle = |m: usize| m * (m + 1) / 2;
        let order = (design.dims + 1) * classes;
        let zero = [[0.0; LANES]; CHUNK];
        Self {
            classes,
            features: vec![zero; triangle(design.dims + 1)],
            curvatures: vec![zero; triangle(classes)],
            pairs: vec![[0.0; LANES]; triangle(classes)],
            drifts: vec![[0.0; LANES]; design.blocks * classes],
            sums: vec![0.0; triangle(design.dims + 1) * triangle(classes)],
            matrix: vec![0.0; order * order],
            drift: vec![0.0; order],
        }
    }

    /// Computes Hessian and drift at the last evaluation of the rows.
    pub fn compute(&mut self, design: &Design, rows: &mut Rows, tau: f64) {
        vectorised(
            #[inline(always)]
            || {
                self.sums.fill(0.0);
                let mut start = 0;
                while start < design.blocks {
                    let end = design.blocks.min(start + CHUNK);
                    self.fill(design, rows, tau, start, end);
                    self.add(end - start);
                    start = end;
                }
                self.spread(design.dims + 1);
            },
        );
        moments(design, self.classes, &self.drifts, &mut self.drift);
    }

    /// Pair products of blocks `start..end`.
    #[inline(always)]
    fn fill(&mut self, design: &Design, rows: &mut Rows, tau: f64, start: usize, end: usize) {
        let (dims, classes) = (design.dims, self.classes);
        for b in start..end {
            let z = &design.z[b * dims..(b + 1) * dims];
            self.features[0][b - start] = [1.0; LANES];
            for j in 0..dims {
                let row = (j + 1) * (j + 2) / 2;
                self.features[row][b - start] = z[j];
                for h in 0..=j {
                    self.features[row + 1 + h][b - start] = zip(&z[j], &z[h], |a, b| a * b);
                }
            }
            let drift = &mut self.drifts[b * classes..(b + 1) * classes];
            rows.curvature(b, tau, &mut self.pairs, drift);
            for (pair, lanes) in self.pairs.iter().enumerate() {
                self.curvatures[pair][b - start] = *lanes;
            }
        }
    }

    /// Adds a chunk's products of feature pairs and class pairs, three feature pairs at a time.
    #[inline(always)]
    fn add(&mut self, blocks: usize) {
        let width = self.curvatures.len();
        for (first, triple) in self.features.chunks(3).enumerate() {
            for (c, curvature) in self.curvatures.iter().enumerate() {
                let mut sums = [[0.0; LANES]; 3];
                for (sum, feature) in sums.iter_mut().zip(triple) {
                    for b in 0..blocks {
                        accumulate(sum, &feature[b], &curvature[b]);
                    }
                }
                for (f, sum) in sums.iter().enumerate().take(triple.len()) {
                    self.sums[(3 * first + f) * width + c] += total(sum);
                }
            }
        }
    }

    /// Spreads the sums of pairs over the symmetric matrix.
    #[inline(always)]
    fn spread(&mut self, features: usize) {
        let (classes, width) = (self.classes, self.curvatures.len());
        let order = features * classes;
        for j in 0..features {
            for h in 0..=j {
                let sums = &self.sums[(j * (j + 1) / 2 + h) * width..][..width];
                for k in 0..classes {
                    for m in 0..=k {
                        let value = sums[k * (k + 1) / 2 + m];
                        for (row, column) in [(k, m), (m, k)] {
                            let (a, b) = (j * classes + row, h * classes + column);
                            self.matrix[a * order + b] = value;
                            self.matrix[b * order + a] = value;
                        }
                    }
                }
            }
        }
    }
}
