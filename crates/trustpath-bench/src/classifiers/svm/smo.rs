//! Sequential minimal optimisation of one two-class machine.
//!
//! With the signed multipliers `βᵢ = yᵢ αᵢ` the dual is
//!
//! ```text
//! min over β   ½ βᵀK β − yᵀβ   with Σᵢ βᵢ = 0,   0 ≤ yᵢ βᵢ ≤ C,
//! ```
//!
//! with gradient `g = K β − y`. `β` is optimal when the objective cannot be lowered by moving weight from a `j` to an `i`:
//! `max g` over those that may fall exceeds `min g` over those that may rise by no more than the tolerance. Each step
//! moves weight between the steepest `i` and the `j` that promises the largest descent for it.
//!
//! Such steps soon find which samples are at a bound, but balance the free ones, `F`, slowly. So every `n` steps, with `n` samples, all
//! free ones move together to their joint minimum, or as far towards it as the bounds allow:
//!
//! ```text
//! K_FF δ = t 1 − g_F,   Σᵢ δᵢ = 0.
//! ```

use super::SvmParams;
use trustpath::{Error, Result};
use trustpath_path::linalg::cholesky;
use trustpath_path::linalg::vector::add_scaled;

/// Smallest curvature along a move; between copies of one instance it would be zero.
const FLATTEST: f64 = 1e-12;

/// One two-class problem.
#[derive(Debug)]
pub(super) struct Machine<'a> {
    /// Gram matrix, row by row.
    pub gram: &'a [f64],
    /// Labels, 1 or −1.
    pub y: &'a [f64],
    pub params: SvmParams,
}

impl Machine<'_> {
    /// Improves a feasible `beta` until it is optimal; returns the `ρ` of the decision `Σᵢ βᵢ K(xᵢ, ·) − ρ`.
    pub(super) fn solve(&self, beta: &mut [f64]) -> Result<f64> {
        let SvmParams { tolerance, iterations, .. } = self.params;
        let n = self.y.len();
        let row = |i: usize| &self.gram[i * n..(i + 1) * n];
        let mut gradient: Vec<f64> = self.y.iter().map(|y| -y).collect();
        for (i, &b) in beta.iter().enumerate().filter(|&(_, &b)| b != 0.0) {
            add_scaled(&mut gradient, b, row(i));
        }
        let mut gap = f64::INFINITY;
        for step in 1..=iterations {
            if step.is_multiple_of(n) {
                self.balance(beta, &mut gradient);
            }
            let may_rise = |i: usize| beta[i] < self.upper(i);
            let may_fall = |i: usize| beta[i] > self.lower(i);
            let mut lowest = (f64::INFINITY, 0);
            for i in (0..n).filter(|&i| may_rise(i)) {
                if gradient[i] < lowest.0 {
                    lowest = (gradient[i], i);
                }
            }
            let (least, i) = lowest;
            let mut highest = f64::NEG_INFINITY;
            let mut best = (0.0, i);
            for j in (0..n).filter(|&j| may_fall(j)) {
                let slope = gradient[j] - least;
                highest = highest.max(gradient[j]);
                let descent = slope * slope / self.curvature(i, j);
                if slope > 0.0 && descent > best.0 {
                    best = (descent, j);
                }
            }
            gap = highest - least;
            if gap <= tolerance {
                return Ok(self.threshold(beta, &gradient, least, highest));
            }
            let j = best.1;
            let (rise, fall) = (self.upper(i) - beta[i], beta[j] - self.lower(j));
            let moved = ((gradient[j] - least) / self.curvature(i, j)).min(rise).min(fall);
            // A bound that is reached is reached exactly.
            beta[i] = if moved == rise { self.upper(i) } else { beta[i] + moved };
            beta[j] = if moved == fall { self.lower(j) } else { beta[j] - moved };
            for ((g, ki), kj) in gradient.iter_mut().zip(row(i)).zip(row(j)) {
                *g += moved * (ki - kj);
            }
        }
        let what = "the support vector machine";
        Err(Error::NotConverged { what, iterations, reached: gap, tolerance })
    }

    /// Moves all samples that are at no bound towards the minimum that the others leave them.
    fn balance(&self, beta: &mut [f64], gradient: &mut [f64]) {
        let n = self.y.len();
        let free: Vec<usize> = (0..n).filter(|&i| beta[i] > self.lower(i) && beta[i] < self.upper(i)).collect();
        let size = free.len();
        let mut factor: Vec<f64> =
            free.iter().flat_map(|&i| free.iter().map(move |&j| (i, j))).map(|(i, j)| self.gram[i * n + j]).collect();
        // Copies of one sample share their weight in any proportion: the usual steps deal with these.
        if size < 2 || !cholesky::factor(&mut factor, size, FLATTEST) {
            return;
        }
        let (mut ones, mut moved) = (vec![1.0; size], vec![0.0; size]);
        moved.iter_mut().zip(&free).for_each(|(to, &i)| *to = -gradient[i]);
        cholesky::solve(&factor, size, &mut ones);
        cholesky::solve(&factor, size, &mut moved);
        let level = -moved.iter().sum::<f64>() / ones.iter().sum::<f64>();
        add_scaled(&mut moved, level, &ones);
        let room = |(&i, &moved): (&usize, &f64)| {
            let bound = if moved > 0.0 { self.upper(i) } else { self.lower(i) };
            if moved == 0.0 { f64::INFINITY } else { (bound - beta[i]) / moved }
        };
        let length = free.iter().zip(&moved).map(room).fold(1.0, f64::min);
        for (&i, &moved) in free.iter().zip(&moved) {
            let before = beta[i];
            beta[i] = (before + length * moved).clamp(self.lower(i), self.upper(i));
            add_scaled(gradient, beta[i] - before, &self.gram[i * n..(i + 1) * n]);
        }
    }

    fn upper(&self, i: usize) -> f64 {
        if self.y[i] > 0.0 { self.params.c } else { 0.0 }
    }

    fn lower(&self, i: usize) -> f64 {
        if self.y[i] > 0.0 { 0.0 } else { -self.params.c }
    }

    fn curvature(&self, i: usize, j: usize) -> f64 {
        let n = self.y.len();
        let entry = |i: usize, j: usize| self.gram[i * n + j];
        (entry(i, i) + entry(j, j) - 2.0 * entry(i, j)).max(FLATTEST)
    }

    /// The gradient of the free samples, which is the same for all, or else the middle of where it may lie.
    fn threshold(&self, beta: &[f64], gradient: &[f64], least: f64, highest: f64) -> f64 {
        let free = |i: &usize| beta[*i] > self.lower(*i) && beta[*i] < self.upper(*i);
        let (mut total, mut count) = (0.0, 0);
        for i in (0..beta.len()).filter(free) {
            total += gradient[i];
            count += 1;
        }
        if count > 0 { total / f64::from(count) } else { 0.5 * (least + highest) }
    }
}
