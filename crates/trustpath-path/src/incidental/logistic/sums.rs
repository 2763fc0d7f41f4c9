//! Sums over the instances: gradient, Hessian and drift of the reduced loss.
//!
//! With `z̃ = (1, z)` and `θ` the intercept stacked on `b`, each a `(1 + d) × c` array stored row by row,
//!
//! ```text
//! ∇ = Σᵢ z̃ᵢ rᵢᵀ,     ∇² = Σᵢ (z̃ᵢz̃ᵢᵀ) ⊗ Hᵢ,     ∂∇/∂s = Σᵢ z̃ᵢ (∂rᵢ/∂s)ᵀ.
//! ```
//!
//! All are linear in `n`, a chunk after the other and in a fixed order.

use pulp::{Simd, WithSimd};

use super::design::Design;
use super::rows::ReducedRows;
use crate::linalg::lanes::{Layout, View, ViewMut, gram, lanes, run};

/// Groups whose products of pairs are computed at a time: they fit the second-level cache.
const CHUNK: usize = 64;

/// `Σᵢ z̃ᵢ vᵢᵀ` for vectors `v`, one number per class and instance.
pub(super) fn moments(design: &Design, classes: usize, v: &[f64]) -> Vec<f64> {
    run(Moments { design, classes, v })
}

struct Moments<'a> {
    design: &'a Design,
    classes: usize,
    v: &'a [f64],
}

impl WithSimd for Moments<'_> {
    type Output = Vec<f64>;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> Vec<f64> {
        let mut out = vec![0.0; self.design.features() * self.classes];
        gram(self.design.view(simd), View::new(simd, self.v, self.classes), &mut out);
        out
    }
}

/// Workspace and result of the second-order sums.
#[derive(Debug)]
pub(super) struct Hessian {
    classes: usize,
    /// Products `z̃ⱼz̃ₕ` of a chunk, for each pair `h ≤ j`.
    features: Vec<f64>,
    /// Class-by-class Hessians of a chunk, for each pair `1 ≤ h ≤ k`.
    curvatures: Vec<f64>,
    work: Vec<f64>,
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
        let order = design.features() * classes;
        let features = design.features() * (design.features() + 1) / 2;
        let curvatures = classes * (classes - 1) / 2;
        let chunk = Layout::new(CHUNK * lanes());
        Self {
            classes,
            features: chunk.room(features),
            curvatures: chunk.room(curvatures),
            work: Layout::new(1).room(2 * classes),
            drifts: design.layout.room(classes),
            sums: vec![0.0; features * curvatures],
            matrix: vec![0.0; order * order],
            drift: vec![0.0; order],
        }
    }

    /// Computes Hessian and drift at the last evaluation of the rows.
    pub fn compute(&mut self, design: &Design, rows: &mut ReducedRows, tau: f64) {
        run(Second { hessian: self, design, rows, tau });
        self.spread(design.features());
        self.drift = moments(design, self.classes, &self.drifts);
    }

    /// Spreads the sums of pairs over the symmetric matrix; class 0 makes its rows and columns sum to zero.
    fn spread(&mut self, features: usize) {
        let classes = self.classes;
        let pairs = classes * (classes - 1) / 2;
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

/// The sums over products of pairs.
struct Second<'a> {
    hessian: &'a mut Hessian,
    design: &'a Design,
    rows: &'a mut ReducedRows,
    tau: f64,
}

impl WithSimd for Second<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Self { hessian, design, rows, tau } = self;
        let (groups, features, classes) = (design.layout.groups, design.features(), rows.classes);
        let (feature_pairs, class_pairs) = (features * (features + 1) / 2, classes * (classes - 1) / 2);
        let z = design.view(simd);
        hessian.sums.fill(0.0);
        for start in (0..groups).step_by(CHUNK) {
            let count = CHUNK.min(groups - start);
            let mut products = ViewMut::new(simd, &mut hessian.features, feature_pairs);
            for g in 0..count {
                let (z, mut products) = (z.group(start + g), products.group(g));
                let mut pair = 0;
                for j in 0..features {
                    for h in 0..=j {
                        products.set(pair, z.get(j) * z.get(h));
                        pair += 1;
                    }
                }
            }
            let mut curvatures = ViewMut::new(simd, &mut hessian.curvatures, class_pairs);
            let mut drifts = ViewMut::new(simd, &mut hessian.drifts, classes);
            let mut work = ViewMut::new(simd, &mut hessian.work, 2 * classes);
            rows.curvature(simd, start..start + count, tau, &mut curvatures, &mut drifts, &mut work);
            let products = View::new(simd, &hessian.features, feature_pairs).first(count);
            let curvatures = View::new(simd, &hessian.curvatures, class_pairs).first(count);
            gram(products, curvatures, &mut hessian.sums);
        }
    }
}
