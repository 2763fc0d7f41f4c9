//! The two penalties on the rows of `b`, and the coordinates in which each is smooth.
//!
//! The loss does not change when a row of `b` is shifted by a constant. Each penalty picks one of these shifts:
//! `Σₖ|bₖ|` is least when a median of the row is zero, `‖b‖₂` when the mean is. Rows are *stored* with an exact zero:
//! the median's entry for the former, class 0 for the latter, whose norm is then `‖b − b̄‖₂`. So the unknowns that are
//! free to move never include all of a row, and the Newton matrix has no flat direction of this kind.

use super::Penalty;

impl Penalty {
    /// Shifts a row to its stored form.
    pub(super) fn store(self, row: &mut [f64]) {
        let shift = match self {
            Self::Group => row[0],
            Self::Elementwise => {
                let mut order = row.to_vec();
                order.sort_unstable_by(f64::total_cmp);
                // With an even number of classes any shift between the two middle entries costs the same.
                let (low, high) = (order[(order.len() - 1) / 2], order[order.len() / 2]);
                if low <= 0.0 && high >= 0.0 && row.contains(&0.0) {
                    0.0
                } else if low.abs() <= high.abs() {
                    low
                } else {
                    high
                }
            }
        };
        for value in row {
            *value -= shift;
        }
    }

    /// `pen(b)` of a stored row.
    pub(super) fn norm(self, row: &[f64]) -> f64 {
        match self {
            Self::Elementwise => self.value(row),
            Self::Group => {
                let mean = mean(row);
                row.iter().map(|v| (v - mean) * (v - mean)).sum::<f64>().sqrt()
            }
        }
    }

    /// The derivative of `pen(b + t·step)` at `t = 0` from above.
    pub(super) fn slope(self, row: &[f64], step: &[f64]) -> f64 {
        match self {
            Self::Elementwise => {
                let entries = row.iter().zip(step);
                entries.map(|(&b, s)| if b == 0.0 { s.abs() } else { s * b.signum() }).sum()
            }
            Self::Group => match self.norm(row) {
                0.0 => self.norm(step),
                norm => {
                    let mean = mean(row);
                    row.iter().zip(step).map(|(b, s)| (b - mean) * s).sum::<f64>() / norm
                }
            },
        }
    }

    /// The dual norm of a gradient row.
    pub(super) fn dual(self, row: &[f64]) -> f64 {
        match self {
            Self::Elementwise => row.iter().fold(0.0, |m: f64, v| m.max(v.abs())),
            Self::Group => self.value(row),
        }
    }

    /// Distance of a gradient row from optimality, in units of `mu`, for a stored row `b`.
    pub(super) fn violation(self, row: &[f64], gradient: &[f64], mu: f64) -> f64 {
        match self {
            Self::Elementwise => row.iter().zip(gradient).fold(0.0, |m: f64, (&b, &g)| {
                m.max(if b == 0.0 { (g.abs() - mu) / mu } else { (g + mu * b.signum()).abs() / mu })
            }),
            Self::Group => {
                let norm = self.norm(row);
                if norm == 0.0 {
                    return ((self.dual(gradient) - mu) / mu).max(0.0);
                }
                let mean = mean(row);
                let square: f64 = row.iter().zip(gradient).map(|(b, g)| (g + mu * (b - mean) / norm).powi(2)).sum();
                square.sqrt() / mu
            }
        }
    }

    /// The minimiser of `g·(v − b) + L/2 ‖v − b‖² + μ pen(v)` over a stored row, in place.
    pub(super) fn proximal(self, row: &mut [f64], gradient: &[f64], lipschitz: f64, mu: f64) {
        let mean = if self == Self::Group { mean(row) } else { 0.0 };
        for (b, g) in row.iter_mut().zip(gradient) {
            *b -= mean + g / lipschitz;
        }
        let threshold = mu / lipschitz;
        match self {
            Self::Elementwise => {
                for b in row {
                    *b = b.signum() * (b.abs() - threshold).max(0.0);
                }
            }
            Self::Group => {
                let norm = self.value(row);
                let scale = if norm > threshold { 1.0 - threshold / norm } else { 0.0 };
                for b in row {
                    *b *= scale;
                }
            }
        }
    }
}

pub(super) fn mean(row: &[f64]) -> f64 {
    row.iter().sum::<f64>() / row.len() as f64
}

/// Shifts a row to mean zero.
pub(super) fn centre(row: &mut [f64]) {
    let mean = mean(row);
    row.iter_mut().for_each(|value| *value -= mean);
}
