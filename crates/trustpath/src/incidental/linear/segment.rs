//! The path between two solved `λ`, interpolated.
//!
//! `B(λ)` is smooth but for a small kink whenever an instance's parameter vanishes. The cubic Hermite polynomial through
//! two neighbouring solutions and their tangents follows it closely; where `‖rᵢ(λ)‖ = λ` along the polynomial is where
//! instance `i` vanishes, up to the kinks between.

use super::strips::{Knot, Row};

/// The path between two knots.
#[derive(Debug, Clone, Copy)]
pub(super) struct Segment<'a> {
    pub low: &'a Knot,
    pub high: &'a Knot,
}

impl Segment<'_> {
    /// Weights of `B(low)`, `B(high)`, `B'(low)` and `B'(high)` in the polynomial at `lambda`.
    fn weights(&self, lambda: f64) -> [f64; 4] {
        let width = self.high.lambda - self.low.lambda;
        let t = (lambda - self.low.lambda) / width;
        let (t2, s) = (t * t, 1.0 - t);
        let (up, down) = (t2 * (3.0 - 2.0 * t), s * s * (1.0 + 2.0 * t));
        [down, up, t * s * s * width, -t2 * s * width]
    }

    /// The derivatives of those weights.
    fn slopes(&self, lambda: f64) -> [f64; 4] {
        let width = self.high.lambda - self.low.lambda;
        let t = (lambda - self.low.lambda) / width;
        let up = 6.0 * t * (1.0 - t) / width;
        [-up, up, (1.0 - t) * (1.0 - 3.0 * t), t * (3.0 * t - 2.0)]
    }

    /// `B(λ)` by the polynomial.
    pub fn interpolate(&self, lambda: f64, b: &mut [f64]) {
        self.combine(self.weights(lambda), b);
    }

    /// `dB/dλ` by the polynomial.
    pub fn interpolate_tangent(&self, lambda: f64, tangent: &mut [f64]) {
        self.combine(self.slopes(lambda), tangent);
    }

    fn combine(&self, [low, high, low_slope, high_slope]: [f64; 4], out: &mut [f64]) {
        for (j, out) in out.iter_mut().enumerate() {
            *out = low * self.low.b[j]
                + high * self.high.b[j]
                + low_slope * self.low.tangent[j]
                + high_slope * self.high.tangent[j];
        }
    }

    /// The `λ` at which an instance vanishes along the polynomial, given that it has not at the low end but has at the
    /// high end.
    pub fn vanish(&self, row: &Row) -> f64 {
        let d = row.x.len();
        let classes = self.low.first..self.low.first + self.low.b.len() / d.max(1);
        // ‖rᵢ(λ)‖² needs the fits of the four knot vectors once, whatever the number of trial λ.
        let knots = [&self.low.b, &self.high.b, &self.low.tangent, &self.high.tangent];
        let mut gram = [[0.0; 4]; 4];
        let mut target = [0.0; 4];
        for k in 0..classes.len() {
            let fits = knots.map(|b| row.fit(&b[k * d..(k + 1) * d]));
            let hit = row.label == classes.start + k;
            for p in 0..4 {
                for q in 0..4 {
                    gram[p][q] += fits[p] * fits[q];
                }
                target[p] += if hit { fits[p] } else { 0.0 };
            }
        }
        let constant = f64::from(classes.contains(&row.label));
        let excess = |lambda: f64| {
            let w = self.weights(lambda);
            let mut square = constant;
            for p in 0..4 {
                square -= 2.0 * w[p] * target[p];
                for q in 0..4 {
                    square += w[p] * w[q] * gram[p][q];
                }
            }
            square.max(0.0).sqrt() - lambda
        };
        bracketed_root(excess, self.low.lambda, self.high.lambda)
    }
}

/// The root of a function that is positive at `low` and not at `high`, by the Illinois rule.
fn bracketed_root(f: impl Fn(f64) -> f64, mut low: f64, mut high: f64) -> f64 {
    let (mut at_low, mut at_high) = (f(low), f(high));
    // The ends were classified by exact norms; here rounding may see them on the other side.
    if at_low <= 0.0 {
        return low;
    }
    if at_high >= 0.0 {
        return high;
    }
    let mut side = 0;
    for _ in 0..60 {
        let next = (low * at_high - high * at_low) / (at_high - at_low);
        let value = f(next);
        if value.abs() <= 1e-14 * next || high - low <= 1e-14 * high {
            return next;
        }
        if value > 0.0 {
            (low, at_low) = (next, value);
            if side == 1 {
                at_high *= 0.5;
            }
            side = 1;
        } else {
            (high, at_high) = (next, value);
            if side == -1 {
                at_low *= 0.5;
            }
            side = -1;
        }
    }
    0.5 * (low + high)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reproduces_a_cubic_and_its_slope() {
        let value = |x: f64| 1.0 - 2.0 * x + 0.5 * x * x + 3.0 * x * x * x;
        let slope = |x: f64| -2.0 + x + 9.0 * x * x;
        let knot =
            |x: f64| Knot { lambda: x, first: 0, b: vec![value(x)], tangent: vec![slope(x)] };
        let (low, high) = (knot(0.3), knot(0.8));
        let segment = Segment { low: &low, high: &high };
        for x in [0.3, 0.41, 0.66, 0.8] {
            let (mut b, mut tangent) = ([0.0], [0.0]);
            segment.interpolate(x, &mut b);
            segment.interpolate_tangent(x, &mut tangent);
            assert!((b[0] - value(x)).abs() < 1e-14 && (tangent[0] - slope(x)).abs() < 1e-13);
        }
    }
}
