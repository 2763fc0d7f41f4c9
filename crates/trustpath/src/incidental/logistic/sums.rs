//! Sums over the instances: gradient, Hessian and drift of the reduced loss.
//!
//! With `z̃ = (1, z)` and `θ` the intercept stacked on `b`, each a `(1 + d) × c` array stored row by row,
//!
//! ```text
//! ∇ = Σᵢ z̃ᵢ rᵢᵀ,     ∇² = Σᵢ (z̃ᵢz̃ᵢᵀ) ⊗ Hᵢ,     ∂∇/∂s = Σᵢ z̃ᵢ (∂rᵢ/∂s)ᵀ.
//! ```
//!
//! All are linear in `n`, block by block and in a fixed order.

use super::design::Design;
use super::lanes::{dot, total, vectorised};
use super::rows::Rows;

/// Writes `Σᵢ z̃ᵢ vᵢᵀ` for vectors `v`, one number per class and instance.
pub(super) fn moments(design: &Design, classes: usize, v: &[f64], out: &mut [f64]) {
    vectorised(
        #[inline(always)]
        || {
            let layout = design.layout;
            out.fill(0.0);
            for b in 0..layout.blocks {
                let v = &v[layout.block(b, classes)];
                for (k, v) in v.chunks_exact(layout.width).enumerate() {
                    out[k] += total(v);
                    for (j, column) in design.block(b).enumerate() {
                        out[(j + 1) * classes + k] += dot(column, v);
                    }
                }
            }
        },
    );
}

/// Workspace and result of the second-order sums.
#[derive(Debug)]
pub(super) struct Hessian {
    classes: usize,
    /// Products `z̃ⱼz̃ₕ` of a block, for each pair `h ≤ j`; filled up to a multiple of four.
    features: Vec<f64>,
    /// Class-by-class Hessians of a block, for each pair `1 ≤ h ≤ k`; filled up to a multiple of three.
    curvatures: Vec<f64>,
    drifts: Vec<f64>,
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
        let features = triangle(design.dims + 1).next_multiple_of(4);
        let curvatures = triangle(classes - 1).next_multiple_of(3);
        Self {
            classes,
            features: vec![0.0; features * design.layout.width],
            curvatures: vec![0.0; curvatures * design.layout.width],
            drifts: design.layout.room(classes),
            sums: vec![0.0; features * curvatures],
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
                for b in 0..design.layout.blocks {
                    self.multiply(design, b);
                    let drift = &mut self.drifts[design.layout.block(b, self.classes)];
                    rows.curvature(b, tau, &mut self.curvatures, drift);
                    self.add(design.layout.width);
                }
                self.spread(design.dims + 1);
            },
        );
        moments(design, self.classes, &self.drifts, &mut self.drift);
    }

    /// Pair products of the features of block `b`.
    #[inline(always)]
    fn multiply(&mut self, design: &Design, b: usize) {
        let width = design.layout.width;
        let mut pair = 0;
        let mut next = || {
            pair += width;
            pair - width..pair
        };
        self.features[next()].fill(1.0);
        for (j, column) in design.block(b).enumerate() {
            self.features[next()].copy_from_slice(column);
            for other in design.block(b).take(j + 1) {
                let to = &mut self.features[next()];
                for ((to, a), b) in to.iter_mut().zip(column).zip(other) {
                    *to = a * b;
                }
            }
        }
    }

    /// Adds a block's products, four feature pairs by three class pairs at a time: twelve running sums of four lanes
    /// keep the multipliers busy and fit the registers.
    #[inline(always)]
    fn add(&mut self, width: usize) {
        let pairs = self.curvatures.len() / width;
        for (f, features) in self.features.chunks_exact(4 * width).enumerate() {
            for (c, curvatures) in self.curvatures.chunks_exact(3 * width).enumerate() {
                let sums = tile(features, curvatures, width);
                for (i, sums) in sums.iter().enumerate() {
                    for (j, sum) in sums.iter().enumerate() {
                        self.sums[(4 * f + i) * pairs + 3 * c + j] += sum;
                    }
                }
            }
        }
    }

    /// Spreads the sums of pairs over the symmetric matrix; class 0 makes its rows and columns sum to zero.
    #[inline(always)]
    fn spread(&mut self, features: usize) {
        let classes = self.classes;
        let pairs = self.sums.len() / (features * (features + 1) / 2).next_multiple_of(4);
        let order = features * classes;
        for j in 0..features {
            for h in 0..=j {
                let sums = &self.sums[(j * (j + 1) / 2 + h) * pairs..][..pairs];
                let (top, left) = (j * classes, h * classes);
                let mut corner = 0.0;
                for k in 1..classes {
                    let mut row = 0.0;
                    for m in 1..classes {
                        let (high, low) = if k > m { (k, m) } else { (m, k) };
                        let value = sums[high * (high - 1) / 2 + low - 1];
                        self.matrix[(top + k) * order + left + m] = value;
                        row -= value;
                    }
                    self.matrix[(top + k) * order + left] = row;
                    self.matrix[top * order + left + k] = row;
                    corner -= row;
                }
                self.matrix[top * order + left] = corner;
            }
        }
        for a in 0..order {
            for b in 0..a / classes * classes {
                self.matrix[b * order + a] = self.matrix[a * order + b];
            }
        }
    }
}

/// Inner products of four vectors of this width with three others.
#[inline(always)]
fn tile(a: &[f64], b: &[f64], width: usize) -> [[f64; 3]; 4] {
    const LANES: usize = 4;
    let length = width / LANES;
    let (a, b) = (a.as_chunks::<LANES>().0, b.as_chunks::<LANES>().0);
    let a: [&[[f64; LANES]]; 4] = [
        &a[..length],
        &a[length..][..length],
        &a[2 * length..][..length],
        &a[3 * length..][..length],
    ];
    let b: [&[[f64; LANES]]; 3] =
        [&b[..length], &b[length..][..length], &b[2 * length..][..length]];
    let mut sums = [[[0.0; LANES]; 3]; 4];
    for r in 0..length {
        for i in 0..4 {
            for j in 0..3 {
                for l in 0..LANES {
                    sums[i][j][l] = a[i][r][l].mul_add(b[j][r][l], sums[i][j][l]);
                }
            }
        }
    }
    let mut products = [[0.0; 3]; 4];
    for i in 0..4 {
        for j in 0..3 {
            let s = sums[i][j];
            products[i][j] = (s[0] + s[2]) + (s[1] + s[3]);
        }
    }
    products
}
