//! What the last steps tell of the curvature: the two loops of L-BFGS.

use std::collections::VecDeque;

use crate::linalg::vector::{add_scaled, dot};

/// Steps that are remembered.
const STEPS: usize = 12;

/// The last steps `s`, how the gradient changed over them, `y`, and `1 / ⟨s, y⟩`.
#[derive(Debug, Default)]
pub(super) struct Memory(VecDeque<(Vec<f64>, Vec<f64>, f64)>);

impl Memory {
    /// Remembers a step; one over which the gradient did not grow says nothing.
    pub fn remember(&mut self, s: Vec<f64>, y: Vec<f64>) {
        let product = dot(&s, &y);
        if product > 0.0 {
            if self.0.len() == STEPS {
                self.0.pop_front();
            }
            self.0.push_back((s, y, 1.0 / product));
        }
    }

    /// `v ← H v`, where `H` is about the inverse of the curvature: that of `diagonal`, scaled and corrected such that
    /// `H y = s` for the last step, and nearly so for those before.
    pub fn apply(&self, diagonal: &[f64], v: &mut [f64]) {
        let mut alphas = Vec::with_capacity(self.0.len());
        for (s, y, inverse) in self.0.iter().rev() {
            let alpha = inverse * dot(s, v);
            add_scaled(v, -alpha, y);
            alphas.push(alpha);
        }
        let scale = self.0.back().map_or(1.0, |(_, y, inverse)| {
            let square: f64 = y.iter().zip(diagonal).map(|(y, d)| y * y / d).sum();
            1.0 / (inverse * square)
        });
        v.iter_mut().zip(diagonal).for_each(|(v, d)| *v *= scale / d);
        for ((s, y, inverse), alpha) in self.0.iter().zip(alphas.into_iter().rev()) {
            let beta = inverse * dot(y, v);
            add_scaled(v, alpha - beta, s);
        }
    }
}
