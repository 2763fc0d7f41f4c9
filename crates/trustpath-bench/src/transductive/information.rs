//! The information between instances and labels, as TIM and α-TIM maximise it.
//!
//! ```text
//! a · cross-entropy of the labelled − b · H(mean of p over the unlabeled) + c · mean of H(p)
//! ```
//!
//! `H` is Shannon's entropy, or Tsallis' `(1 − Σ pᵅ)/(α − 1)`, which penalises unequal frequencies less. Here are the
//! derivatives with respect to the scores `s` of `pᵢₖ ∝ exp sᵢₖ`.

use trustpath::Matrix;
use trustpath_path::linalg::vector;

/// Added to the arguments of logarithms and powers, as in the authors' code.
pub(super) const OFFSET: f64 = 1e-12;

/// The objective.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Information {
    /// The weights `a`, `b`, `c`.
    pub weights: [f64; 3],
    /// `None` for Shannon's entropy.
    pub alpha: Option<f64>,
}

impl Information {
    /// Replaces the probabilities of the labelled rows, which come first, and of the unlabeled ones by the derivatives.
    pub fn differentiate(&self, p: &mut Matrix, labels: &[usize]) {
        let [a, b, c] = self.weights;
        let (labelled, pool) = (labels.len(), p.rows());
        let unlabeled = (pool - labelled) as f64;
        for (i, &label) in labels.iter().enumerate() {
            let row = p.row_mut(i);
            row[label] -= 1.0;
            row.iter_mut().for_each(|v| *v *= a / labelled as f64);
        }
        let (mut marginal, mut slopes) = (vec![0.0; p.cols()], vec![0.0; p.cols()]);
        for i in labelled..pool {
            vector::add_scaled(&mut marginal, 1.0 / unlabeled, p.row(i));
        }
        marginal.iter_mut().for_each(|m| *m = -b * self.entropy_slope(*m));
        for i in labelled..pool {
            let row = p.row_mut(i);
            for (slope, (p, m)) in slopes.iter_mut().zip(row.iter().zip(&marginal)) {
                *slope = (m + c * self.entropy_slope(*p)) / unlabeled;
            }
            let mean = vector::dot(row, &slopes);
            row.iter_mut().zip(&slopes).for_each(|(p, slope)| *p *= slope - mean);
        }
    }

    /// The derivative of the entropy with respect to one probability, up to a constant, which cancels in the softmax.
    fn entropy_slope(&self, p: f64) -> f64 {
        match self.alpha {
            None => -(p + OFFSET).ln(),
            Some(alpha) => -alpha / (alpha - 1.0) * power(p + OFFSET, alpha - 1.0),
        }
    }

    /// The objective itself.
    #[cfg(test)]
    pub fn value(&self, p: &Matrix, labels: &[usize]) -> f64 {
        let entropy = |p: &[f64]| match self.alpha {
            None => -p.iter().map(|p| p * (p + OFFSET).ln()).sum::<f64>(),
            Some(alpha) => (1.0 - p.iter().map(|p| p.powf(alpha)).sum::<f64>()) / (alpha - 1.0),
        };
        let unlabeled = (p.rows() - labels.len()) as f64;
        let cross: f64 = labels.iter().enumerate().map(|(i, &y)| -p[(i, y)].ln()).sum();
        let mut marginal = vec![0.0; p.cols()];
        let mut conditional = 0.0;
        for i in labels.len()..p.rows() {
            vector::add_scaled(&mut marginal, 1.0 / unlabeled, p.row(i));
            conditional += entropy(p.row(i)) / unlabeled;
        }
        let [a, b, c] = self.weights;
        a * cross / labels.len() as f64 - b * entropy(&marginal) + c * conditional
    }
}

/// `xᵃ`. The published `a` are small whole numbers, for which products take a fraction of the time.
fn power(x: f64, a: f64) -> f64 {
    if a.fract() == 0.0 && (1.0..=16.0).contains(&a) { x.powi(a as i32) } else { x.powf(a) }
}
