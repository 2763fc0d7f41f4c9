//! Who is zero where, and when each instance vanished, as the walk goes down.

use super::segment::Segment;
use super::strips::{Knot, Row};

/// What is noted of every instance.
#[derive(Debug, Clone, Default)]
pub(super) struct Record {
    zero: Vec<bool>,
    ever_nonzero: Vec<bool>,
    vanish: Vec<f64>,
    vanish_grid: Vec<f64>,
    reenters: Vec<bool>,
}

/// Continuous and grid vanishing `λ` of some instances, and which of them come back.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Vanished {
    /// See [`Path::vanish`](crate::incidental::Path::vanish).
    pub vanish: Vec<f64>,
    /// See [`Path::vanish_grid`](crate::incidental::Path::vanish_grid).
    pub vanish_grid: Vec<f64>,
    /// See [`Path::reenters`](crate::incidental::Path::reenters).
    pub reenters: Vec<bool>,
}

impl Record {
    /// All instances are zero yet.
    pub fn new(n: usize) -> Self {
        Self {
            zero: vec![true; n],
            ever_nonzero: vec![false; n],
            vanish: vec![0.0; n],
            vanish_grid: vec![0.0; n],
            reenters: vec![false; n],
        }
    }

    /// Notes who crossed between two knots, whether instance `i` is zero at the low one being `is_zero(i)`; returns who
    /// has left zero.
    pub fn cross(&mut self, low: f64, high: f64, is_zero: impl Fn(usize) -> bool) -> Vec<usize> {
        let mut left = Vec::new();
        for i in 0..self.zero.len() {
            let zero = is_zero(i);
            if zero {
                self.vanish_grid[i] = low;
                self.reenters[i] |= self.ever_nonzero[i];
            } else {
                if self.vanish_grid[i] == 0.0 {
                    // At the very first step: λ_max is the last at which it was zero.
                    self.vanish_grid[i] = high;
                }
                self.ever_nonzero[i] = true;
                if self.zero[i] {
                    left.push(i);
                }
            }
            self.zero[i] = zero;
        }
        left
    }

    /// Notes where an instance left zero.
    pub fn settle(&mut self, i: usize, lambda: f64) {
        self.vanish[i] = lambda;
    }

    /// What came of it, `last` being the smallest `λ`: what is zero there has that one.
    pub fn finish(&self, last: f64) -> Vanished {
        let vanish = self.vanish.iter().zip(&self.zero);
        Vanished {
            vanish: vanish.map(|(&vanish, &zero)| if zero { last } else { vanish }).collect(),
            vanish_grid: self.vanish_grid.clone(),
            reenters: self.reenters.clone(),
        }
    }
}

/// The `λ` between two knots at which the last of an instance's groups vanishes, read off the interpolated path.
/// `leaves(g)` says whether group `g` is not zero at the low knot.
pub(super) fn interpolated(
    row: &Row,
    low: &[Knot],
    high: &[Knot],
    leaves: impl Fn(usize) -> bool,
) -> f64 {
    let groups = (0..low.len()).filter(|&g| leaves(g));
    groups
        .map(|g| Segment { low: &low[g], high: &high[g] }.vanish(row))
        .fold(low[0].lambda, f64::max)
}
