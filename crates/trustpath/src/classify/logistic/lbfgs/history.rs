//! The two loops of L-BFGS: an approximate inverse of the curvature from the most recent steps.

use std::collections::VecDeque;

use crate::linalg::vector::{add_scaled, dot};

/// Steps that are kept.
const STEPS: usize = 20;

/// The last steps `s`, the change of the gradient over each, `y`, and `1 / ⟨s, y⟩`.
#[derive(Debug, Default)]
pub(super) struct LbfgsHistory(VecDeque<(Vec<f64>, Vec<f64>, f64)>);

impl LbfgsHistory {
    /// Adds a step, unless the gradient did not grow along it: such a step says nothing about the curvature.
    pub fn push(&mut self, s: Vec<f64>, y: Vec<f64>) {
        let product = dot(&s, &y);
        if product > 0.0 {
            if self.0.len() == STEPS {
                self.0.pop_front();
            }
            self.0.push_back((s, y, 1.0 / product));
        }
    }

    /// `v ← H v`, where `H` approximates the inverse of the curvature: what `divide` applies, scaled and corrected such that
    /// `H y = s` for the last step, and nearly so for those before.
    pub fn apply(&self, divide: impl Fn(&mut [f64]), v: &mut [f64]) {
        let mut alphas = Vec::with_capacity(self.0.len());
        for (s, y, inverse) in self.0.iter().rev() {
            let alpha = inverse * dot(s, v);
            add_scaled(v, -alpha, y);
            alphas.push(alpha);
        }
        divide(v);
        if let Some((_, y, inverse)) = self.0.back() {
            let mut divided = y.clone();
            divide(&mut divided);
            let scale = 1.0 / (inverse * dot(y, &divided));
            v.iter_mut().for_each(|v| *v *= scale);
        }
        for ((s, y, inverse), alpha) in self.0.iter().zip(alphas.into_iter().rev()) {
            let beta = inverse * dot(y, v);
            add_scaled(v, alpha - beta, s);
        }
    }
}
