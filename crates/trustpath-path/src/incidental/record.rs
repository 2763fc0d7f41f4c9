//! Which instances are zero at which `λ`, recorded while a path is followed from `λ_max` down.

/// What is recorded of every instance.
#[derive(Debug, Clone, Default)]
pub(super) struct Record {
    zero: Vec<bool>,
    ever_nonzero: Vec<bool>,
    vanished: Vanished,
}

/// Continuous and grid vanishing `λ` of some instances, and which of them are zero again further down.
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
    /// At `λ_max` all instances are zero.
    pub fn new(n: usize) -> Self {
        let vanished = Vanished { vanish: vec![0.0; n], vanish_grid: vec![0.0; n], reenters: vec![false; n] };
        Self { zero: vec![true; n], ever_nonzero: vec![false; n], vanished }
    }

    /// Records which instances are zero at the grid point `low`, below `high`; returns those that were zero before and no
    /// longer are.
    pub fn cross(&mut self, low: f64, high: f64, is_zero: impl Fn(usize) -> bool) -> Vec<usize> {
        let mut left = Vec::new();
        let Vanished { vanish_grid, reenters, .. } = &mut self.vanished;
        for i in 0..self.zero.len() {
            let zero = is_zero(i);
            if zero {
                vanish_grid[i] = low;
                reenters[i] |= self.ever_nonzero[i];
            } else {
                if vanish_grid[i] == 0.0 {
                    // At the first step: λ_max is the last at which it was zero.
                    vanish_grid[i] = high;
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

    /// Records where an instance left zero.
    pub fn leave(&mut self, i: usize, lambda: f64) {
        self.vanished.vanish[i] = lambda;
    }

    /// The vanishing `λ`, where `last` is the smallest of the grid: an instance that is zero there has that one.
    pub fn finish(&self, last: f64) -> Vanished {
        let mut vanished = self.vanished.clone();
        for (vanish, _) in vanished.vanish.iter_mut().zip(&self.zero).filter(|(_, zero)| **zero) {
            *vanish = last;
        }
        vanished
    }
}
