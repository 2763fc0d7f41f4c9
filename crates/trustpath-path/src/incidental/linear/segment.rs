//! The path between two solved `λ`, interpolated.
//!
//! `B(λ)` is smooth but for a small kink whenever an instance's parameter vanishes. The cubic Hermite polynomial through
//! two neighbouring solutions and their tangents follows it closely; instance `i` vanishes where `‖rᵢ(λ)‖ = λ` along the
//! polynomial, up to the kinks in between.

use super::row_source::{Knot, Row};

/// Relative precision of a root that is read off the path for its own sake.
pub(super) const PRECISE: f64 = 1e-14;

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

    /// The `λ` at which an instance vanishes along the polynomial, to this relative precision, given that it has not at the low end
    /// but has at the high end.
    pub fn vanish(&self, row: &Row, precision: f64) -> f64 {
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
        let (low, high) = (self.low.lambda, self.high.lambda);
        let mut bracket = Bracket::new((low, excess(low)), (high, excess(high)));
        // Whether the instance is zero at the ends was decided by exact norms; here rounding may decide differently.
        if bracket.low.1 <= 0.0 {
            return low;
        }
        if bracket.high.1 >= 0.0 {
            return high;
        }
        for _ in 0..60 {
            let next = bracket.next();
            let value = excess(next);
            let (low, high) = (bracket.low.0, bracket.high.0);
            if value.abs() <= precision * next || high - low <= precision * high {
                return next;
            }
            bracket.tighten(next, value);
        }
        0.5 * (bracket.low.0 + bracket.high.0)
    }
}

/// Two points, with values of opposite sign, between which a function has a root: tightened by regula falsi with the Illinois
/// rule, which halves the value of an end that has stayed twice.
#[derive(Debug)]
pub(super) struct Bracket {
    pub low: (f64, f64),
    pub high: (f64, f64),
    side: i8,
}

impl Bracket {
    pub fn new(low: (f64, f64), high: (f64, f64)) -> Self {
        Self { low, high, side: 0 }
    }

    /// Where a straight line through both ends is zero.
    pub fn next(&self) -> f64 {
        let ((low, at_low), (high, at_high)) = (self.low, self.high);
        (low * at_high - high * at_low) / (at_high - at_low)
    }

    /// Replaces the end whose value has the sign of `value`.
    pub fn tighten(&mut self, at: f64, value: f64) {
        let low = (value < 0.0) == (self.low.1 < 0.0);
        let (moved, stayed, side) =
            if low { (&mut self.low, &mut self.high, 1) } else { (&mut self.high, &mut self.low, -1) };
        *moved = (at, value);
        stayed.1 *= if self.side == side { 0.5 } else { 1.0 };
        self.side = side;
    }
}

/// The `λ` between two knots at which the last of an instance's groups vanishes, read off the interpolated path to this relative
/// precision. `leaves(g)` says whether group `g` is not zero at the low knot.
pub(super) fn interpolated_vanish(
    row: &Row,
    low: &[Knot],
    high: &[Knot],
    precision: f64,
    leaves: impl Fn(usize) -> bool,
) -> f64 {
    let groups = (0..low.len()).filter(|&g| leaves(g));
    groups.map(|g| Segment { low: &low[g], high: &high[g] }.vanish(row, precision)).fold(low[0].lambda, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reproduces_a_cubic_and_its_slope() {
        let value = |x: f64| 1.0 - 2.0 * x + 0.5 * x * x + 3.0 * x * x * x;
        let slope = |x: f64| -2.0 + x + 9.0 * x * x;
        let knot = |x: f64| Knot { lambda: x, first: 0, b: vec![value(x)], tangent: vec![slope(x)] };
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
