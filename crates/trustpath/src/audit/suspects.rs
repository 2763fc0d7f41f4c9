//! The ranking, the probabilities along it, and the suspects at its top.
//!
//! ```text
//! probability of the k-th label  =  the isotonic regression of the model's probabilities along the ranking (its sum is the same)
//! suspects  =  the first K, with the largest K such that the mean of their probabilities is at least the precision asked for,
//!              and none of them is below half of it
//! ```
//!
//! Without the second condition, labels that are certainly right would be called suspects where all wrong ones are easily found, until the mean
//! is down to the precision.

use super::error_rate::MistakeModel;
use super::verified::Correction;

/// Standard errors on either side of an estimate in an interval of 90 %.
const DEVIATIONS: f64 = 1.645;

/// The least probability of a suspect, as a share of the precision asked for.
const LEAST_SHARE: f64 = 0.5;

/// How many labels are wrong, those that were checked included.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct WrongLabels {
    /// The estimate, if mistakes go to any class alike.
    pub count: f64,
    /// The lower end of the interval.
    pub low: f64,
    /// The upper end: the estimate if mistakes go to similar classes, with its sampling error.
    pub high: f64,
    /// Labels that were checked, and were wrong.
    pub found: usize,
    /// The expected share of wrong labels among the suspects; not a number if there are none.
    pub among_suspects: f64,
}

/// All rows, the most suspicious first; those that cannot be judged come last but for those that were checked.
pub(super) fn ranking(score: &[f64], judged: &[bool], verified: &[Option<usize>]) -> Vec<usize> {
    let mut ranking: Vec<usize> = (0..score.len()).collect();
    let group = |row: usize| (verified[row].is_some(), !judged[row]);
    ranking.sort_by(|&a, &b| group(a).cmp(&group(b)).then(score[b].total_cmp(&score[a])).then(a.cmp(&b)));
    ranking
}

/// What the suspects are chosen by.
pub(super) struct Ask<'a> {
    pub labels: &'a [usize],
    pub judged: &'a [bool],
    pub verified: &'a [Option<usize>],
    pub precision: f64,
}

impl Ask<'_> {
    /// Corrects the probabilities by the verified labels, makes them fall along the ranking, and chooses the suspects.
    pub fn decide(
        &self,
        ranking: &[usize],
        model: Option<(MistakeModel, f64)>,
        probability: &mut [f64],
    ) -> (Vec<bool>, Option<WrongLabels>) {
        let Self { labels, judged, verified, .. } = *self;
        let mut suspect = vec![false; labels.len()];
        let is_wrong = |row: usize| verified[row].map(|right| right != labels[row]);
        let confirmed = (0..labels.len()).filter(|&row| is_wrong(row) == Some(true)).count();
        for row in 0..labels.len() {
            if !judged[row] {
                probability[row] = f64::NAN;
            }
        }
        let open: Vec<usize> = ranking.iter().copied().filter(|&row| judged[row] && verified[row].is_none()).collect();
        let known = |probability: &[f64]| -> Vec<(f64, bool)> {
            let rows = (0..labels.len()).filter(|&row| judged[row]);
            rows.filter_map(|row| is_wrong(row).map(|wrong| (probability[row], wrong))).collect()
        };
        let answers = known(probability);
        for row in 0..labels.len() {
            if let Some(wrong) = is_wrong(row) {
                probability[row] = f64::from(u8::from(wrong));
            }
        }
        let Some((model, upper)) = model else { return (suspect, None) };
        let correction = Correction::fit(&answers);
        let before: Vec<f64> = open.iter().map(|&row| probability[row]).collect();
        let mut along = before.clone();
        if !answers.is_empty() {
            along.iter_mut().for_each(|p| *p = correction.apply(*p));
        }
        make_falling(&mut along);
        let (mut sum, mut count, mut among) = (0.0, 0, f64::NAN);
        for (k, p) in along.iter().enumerate() {
            sum += p;
            if sum >= self.precision * (k + 1) as f64 && *p >= LEAST_SHARE * self.precision {
                (count, among) = (k + 1, sum / (k + 1) as f64);
            }
        }
        for (&row, &p) in open.iter().zip(&along) {
            probability[row] = p;
        }
        open[..count].iter().for_each(|&row| suspect[row] = true);

        let all: f64 = along.iter().sum();
        let n = open.len() as f64;
        // By the two models; the answers replace that where they say more.
        let error = DEVIATIONS * n * model.error;
        let (mut low, mut high) = (all - error, all.max(n * upper) + error);
        let by_answers = DEVIATIONS * correction.error_of_sum(before.iter().copied());
        if !answers.is_empty() && 2.0 * by_answers < high - low {
            (low, high) = (all - by_answers, all + by_answers);
        }
        let total = confirmed as f64;
        let wrong = WrongLabels {
            count: total + all,
            low: total + low.max(0.0),
            high: total + high.clamp(0.0, n),
            found: confirmed,
            among_suspects: among,
        };
        (suspect, Some(wrong))
    }
}

/// The nearest falling sequence, in squares (pool adjacent violators).
fn make_falling(values: &mut [f64]) {
    // Means of groups, and their sizes.
    let mut groups: Vec<(f64, usize)> = Vec::new();
    for &value in values.iter() {
        let mut last = (value, 1);
        while let Some(&(mean, size)) = groups.last()
            && mean < last.0
        {
            let total = mean * size as f64 + last.0 * last.1 as f64;
            last = (total / (size + last.1) as f64, size + last.1);
            groups.pop();
        }
        groups.push(last);
    }
    let flat = groups.into_iter().flat_map(|(mean, size)| std::iter::repeat_n(mean, size));
    values.iter_mut().zip(flat).for_each(|(value, mean)| *value = mean);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn falling_means_keep_the_sum() {
        let mut values = [0.9, 0.5, 0.7, 0.1, 0.2, 0.3, 0.0];
        make_falling(&mut values);
        let expected = [0.9, 0.6, 0.6, 0.2, 0.2, 0.2, 0.0];
        assert!(values.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-12));
    }

    #[test]
    fn rows_that_cannot_be_judged_and_checked_rows_come_last() {
        let score = [0.1, 0.9, 0.5, 0.8];
        let ranked = ranking(&score, &[true, false, true, true], &[None, None, None, Some(1)]);
        assert_eq!(ranked, [2, 0, 1, 3]);
    }
}
