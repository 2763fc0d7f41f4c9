//! The models as the paper writes them, minimised over all unknowns by accelerated proximal gradient steps: slow, simple, and
//! without anything in common with the solvers.

use trustpath_path::Matrix;
use trustpath_path::incidental::Penalty;

/// `loss(a₀ + xβ + γ) + Σ price · R(row)` over the rows of `θ = [a₀; β; γ]`.
pub struct FullProblem<'a> {
    pub x: &'a Matrix,
    pub labels: &'a [usize],
    pub classes: usize,
    pub penalty: Penalty,
    /// Price of each row of `θ`.
    pub price: Vec<f64>,
    /// The mean logarithmic loss (ICI-C) if true, else half the sum of squares without an intercept (ICI-R).
    pub logistic: bool,
}

impl FullProblem<'_> {
    /// The loss and its gradient.
    fn loss(&self, theta: &[f64], gradient: &mut [f64]) -> f64 {
        let (n, d, c) = (self.x.rows(), self.x.cols(), self.classes);
        gradient.fill(0.0);
        let mut value = 0.0;
        for i in 0..n {
            let eta: Vec<f64> = (0..c)
                .map(|k| {
                    let fit: f64 = (0..d).map(|j| self.x[(i, j)] * theta[(1 + j) * c + k]).sum();
                    theta[k] + fit + theta[(1 + d + i) * c + k]
                })
                .collect();
            let top = eta.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            let all: f64 = eta.iter().map(|e| (e - top).exp()).sum();
            if self.logistic {
                value += (all.ln() + top - eta[self.labels[i]]) / n as f64;
            }
            for k in 0..c {
                let hit = if k == self.labels[i] { 1.0 } else { 0.0 };
                let mut r = eta[k] - hit;
                if self.logistic {
                    r = ((eta[k] - top).exp() / all - hit) / n as f64;
                    gradient[k] += r;
                } else {
                    value += 0.5 * r * r;
                }
                for j in 0..d {
                    gradient[(1 + j) * c + k] += self.x[(i, j)] * r;
                }
                gradient[(1 + d + i) * c + k] += r;
            }
        }
        value
    }

    /// `R` of one row.
    pub fn norm(&self, row: &[f64]) -> f64 {
        match self.penalty {
            Penalty::Elementwise => row.iter().map(|v| v.abs()).sum(),
            Penalty::Group => row.iter().map(|v| v * v).sum::<f64>().sqrt(),
        }
    }

    pub fn objective(&self, theta: &[f64]) -> f64 {
        let rows = theta.chunks_exact(self.classes).zip(&self.price);
        let penalty: f64 = rows.map(|(row, price)| price * self.norm(row)).sum();
        self.loss(theta, &mut vec![0.0; theta.len()]) + penalty
    }

    /// `θ` at the minimum.
    pub fn minimise(&self, iterations: usize) -> Vec<f64> {
        let (n, c) = (self.x.rows() as f64, self.classes);
        let square: f64 = self.x.as_slice().iter().map(|v| v * v).sum();
        let step = if self.logistic { 2.0 * n / (square + n + 1.0) } else { 1.0 / (1.0 + square) };
        let size = c * self.price.len();
        let (mut theta, mut ahead, mut momentum) = (vec![0.0; size], vec![0.0; size], 1.0_f64);
        let (mut gradient, mut best) = (vec![0.0; size], f64::INFINITY);
        for _ in 0..iterations {
            self.loss(&ahead, &mut gradient);
            let mut next: Vec<f64> = ahead.iter().zip(&gradient).map(|(t, g)| t - step * g).collect();
            for (row, price) in next.chunks_exact_mut(c).zip(&self.price) {
                let norm = self.norm(row);
                for value in row {
                    let size = match self.penalty {
                        Penalty::Elementwise => value.abs(),
                        Penalty::Group => norm,
                    };
                    *value *= (1.0 - step * price / size.max(1e-300)).max(0.0);
                }
            }
            let value = self.objective(&next);
            if value > best {
                // The momentum was too large: restart it.
                (momentum, best) = (1.0, f64::INFINITY);
                ahead.copy_from_slice(&theta);
                continue;
            }
            best = value;
            let faster = 0.5 * (1.0 + (1.0 + 4.0 * momentum * momentum).sqrt());
            for a in 0..size {
                ahead[a] = next[a] + (momentum - 1.0) / faster * (next[a] - theta[a]);
            }
            (theta, momentum) = (next, faster);
        }
        theta
    }
}
