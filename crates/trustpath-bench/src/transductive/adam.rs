//! The Adam optimiser (Kingma and Ba 2015): step lengths adapt to each coordinate's gradients.

use trustpath_path::linalg::simd;

const MEAN: f64 = 0.9;
const SQUARE: f64 = 0.999;
const EPSILON: f64 = 1e-8;

/// The running means of the gradient and of its square.
#[derive(Debug)]
pub(crate) struct Adam {
    rate: f64,
    steps: i32,
    mean: Vec<f64>,
    square: Vec<f64>,
}

impl Adam {
    /// For this number of unknowns.
    pub fn new(unknowns: usize, rate: f64) -> Self {
        Self { rate, steps: 0, mean: vec![0.0; unknowns], square: vec![0.0; unknowns] }
    }

    /// One step against the gradient.
    pub fn step(&mut self, unknowns: &mut [f64], gradient: &[f64]) {
        self.steps = self.steps.saturating_add(1);
        let (mean, square) = (1.0 - MEAN.powi(self.steps), 1.0 - SQUARE.powi(self.steps));
        let (rate, root) = (self.rate / mean, square.sqrt());
        simd::dispatch(
            (self, unknowns, gradient),
            #[inline(always)]
            |(adam, unknowns, gradient)| adam.advance(unknowns, gradient, rate, root),
        );
    }

    #[inline(always)]
    fn advance(&mut self, unknowns: &mut [f64], gradient: &[f64], rate: f64, root: f64) {
        let moments = self.mean.iter_mut().zip(&mut self.square);
        for ((x, g), (m, s)) in unknowns.iter_mut().zip(gradient).zip(moments) {
            *m = MEAN * *m + (1.0 - MEAN) * g;
            *s = SQUARE * *s + (1.0 - SQUARE) * g * g;
            *x -= rate * *m / (s.sqrt() / root + EPSILON);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_step_has_the_length_of_the_rate() {
        let mut x = [1.0, -2.0, 3.0];
        Adam::new(3, 0.01).step(&mut x, &[5.0, -1e-3, 0.0]);
        for (value, expected) in x.iter().zip([0.99, -1.99, 3.0]) {
            assert!((value - expected).abs() < 1e-6);
        }
    }

    #[test]
    fn a_quadratic_is_minimised() {
        let mut x = [3.0, -1.0];
        let mut adam = Adam::new(2, 0.05);
        for _ in 0..1000 {
            let gradient = [2.0 * x[0], 20.0 * (x[1] - 1.0)];
            adam.step(&mut x, &gradient);
        }
        assert!(x[0].abs() < 1e-3 && (x[1] - 1.0).abs() < 1e-3, "{x:?}");
    }
}
