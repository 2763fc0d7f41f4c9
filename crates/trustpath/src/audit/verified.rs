//! What a person's answers add: some labels are known to be right or wrong.
//!
//! The probabilities `p` of the mistake model are corrected by what was found where people looked,
//!
//! ```text
//! logit p' = a + b logit p        a ~ N(0, 1),  b ~ N(1, ¼)          the posterior mode, given which verified labels were wrong
//! ```
//!
//! With few answers the priors keep `p' ≈ p`; with many, the answers decide. Answers may be chosen by their score: only
//! among labels with the same score is it assumed that those that were checked are like the others.

use crate::{Error, Result};

/// Standard deviations of the priors of `a` and `b`.
const PRIOR: [f64; 2] = [1.0, 0.5];
/// The range of `logit p` that counts: beyond it probabilities are extrapolated.
const LOGIT: (f64, f64) = (-10.0, 6.0);
/// Newton steps; the objective is concave and smooth.
const STEPS: usize = 30;

/// Checks answers: the row, and the label that is right. Returns the label of each row that was checked.
///
/// # Errors
/// [`Error::RowOutOfRange`] and [`Error::LabelOutOfRange`]; [`Error::Parameter`] when a row has two answers.
pub(super) fn by_row(answers: &[(usize, usize)], rows: usize, classes: usize) -> Result<Vec<Option<usize>>> {
    let mut verified = vec![None; rows];
    for &(row, label) in answers {
        if row >= rows {
            return Err(Error::RowOutOfRange { row, rows });
        }
        if label >= classes {
            return Err(Error::LabelOutOfRange { row, label, classes });
        }
        if verified[row].is_some_and(|other| other != label) {
            let expected = "the verified labels contradict each other for this row; keep one answer";
            return Err(Error::parameter("row", row, expected));
        }
        verified[row] = Some(label);
    }
    Ok(verified)
}

/// The correction of probabilities by answers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Correction {
    a: f64,
    b: f64,
    /// The covariance of `a` and `b`, as `[aa, ab, bb]`.
    covariance: [f64; 3],
}

impl Correction {
    /// From the probability of being wrong of every verified label, and whether it was.
    pub fn fit(answers: &[(f64, bool)]) -> Self {
        let answers: Vec<(f64, f64)> =
            answers.iter().map(|&(p, wrong)| (logit(p), f64::from(u8::from(wrong)))).collect();
        let [ta, tb] = PRIOR.map(|deviation| 1.0 / (deviation * deviation));
        let (mut a, mut b) = (0.0, 1.0);
        let mut covariance = [0.0; 3];
        for _ in 0..STEPS {
            let (mut ga, mut gb) = (-ta * a, -tb * (b - 1.0));
            let (mut haa, mut hab, mut hbb) = (ta, 0.0, tb);
            for &(x, wrong) in &answers {
                let p = logistic(a + b * x);
                let w = p * (1.0 - p);
                ga += wrong - p;
                gb += (wrong - p) * x;
                haa += w;
                hab += w * x;
                hbb += w * x * x;
            }
            let determinant = haa * hbb - hab * hab;
            covariance = [hbb / determinant, -hab / determinant, haa / determinant];
            let step = [covariance[0] * ga + covariance[1] * gb, covariance[1] * ga + covariance[2] * gb];
            // Half a unit at a time: far from the mode a full Newton step may overshoot.
            let scale = (0.5 / step[0].abs().max(step[1].abs()).max(0.5)).min(1.0);
            a += scale * step[0];
            b += scale * step[1];
        }
        // More suspicious never means less probably wrong.
        Self { a, b: b.max(0.0), covariance }
    }

    /// The corrected probability.
    pub fn apply(&self, p: f64) -> f64 {
        logistic(self.a + self.b * logit(p))
    }

    /// The standard error of the sum of corrected probabilities: that of the correction, and that of the mistakes themselves.
    pub fn error_of_sum(&self, p: impl Iterator<Item = f64>) -> f64 {
        let (mut ga, mut gb, mut own) = (0.0, 0.0, 0.0);
        for p in p {
            let x = logit(p);
            let p = self.apply(p);
            let w = p * (1.0 - p);
            ga += w;
            gb += w * x;
            own += w;
        }
        let [aa, ab, bb] = self.covariance;
        (aa * ga * ga + 2.0 * ab * ga * gb + bb * gb * gb + own).max(0.0).sqrt()
    }
}

fn logit(p: f64) -> f64 {
    (p / (1.0 - p)).ln().clamp(LOGIT.0, LOGIT.1)
}

fn logistic(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_answers_move_little_and_many_decide() {
        let none = Correction::fit(&[]);
        assert!((none.apply(0.3) - 0.3).abs() < 1e-12);
        let one = Correction::fit(&[(0.5, false)]);
        assert!(one.apply(0.5) < 0.5 && one.apply(0.5) > 0.3);
        // Half of those that the model gives 0.9 are wrong.
        let many: Vec<(f64, bool)> = (0..400).map(|i| (0.9, i % 2 == 0)).collect();
        assert!((Correction::fit(&many).apply(0.9) - 0.5).abs() < 0.03);
        assert!(Correction::fit(&many).error_of_sum([0.9; 100].into_iter()) < 10.0);
        // Extreme probabilities and unanimous answers stay finite.
        for wrong in [false, true] {
            let sure = Correction::fit(&vec![(f64::from(u8::from(!wrong)), wrong); 1000]);
            assert!(sure.apply(0.0).is_finite() && sure.apply(1.0).is_finite());
        }
    }

    #[test]
    fn nonsense_is_refused() {
        assert_eq!(by_row(&[(3, 0)], 3, 2), Err(Error::RowOutOfRange { row: 3, rows: 3 }));
        assert!(matches!(by_row(&[(1, 2)], 3, 2), Err(Error::LabelOutOfRange { row: 1, .. })));
        assert!(matches!(by_row(&[(1, 0), (1, 1)], 3, 2), Err(Error::Parameter { .. })));
        assert_eq!(by_row(&[(1, 0), (1, 0)], 3, 2), Ok(vec![None, Some(0), None]));
    }
}
