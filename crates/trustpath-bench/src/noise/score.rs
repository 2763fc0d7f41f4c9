//! How well a score tells wrong labels from right ones.

/// How well a detector did.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Detection {
    /// How often a wrong label looks more suspicious than a right one.
    pub auroc: f64,
    /// Share of wrong ones among the suspects; 1 if there is no suspect.
    pub precision: f64,
    /// Share of suspects among the wrong ones; 1 if none is wrong.
    pub recall: f64,
    /// Share of wrong labels among the E most suspicious, where E is the number of wrong labels; 1 if none is wrong.
    pub at_errors: f64,
}

impl Detection {
    /// From suspicions, verdicts and the truth, row by row.
    pub fn of(score: &[f64], suspect: &[bool], wrong: &[bool]) -> Self {
        let errors = count(wrong.iter().copied());
        let hits = count(suspect.iter().zip(wrong).map(|(s, w)| *s && *w));
        let mut ranking: Vec<usize> = (0..score.len()).collect();
        ranking.sort_by(|&a, &b| score[b].total_cmp(&score[a]));
        let first = count(ranking[..errors].iter().map(|&row| wrong[row]));
        Self {
            auroc: auroc(score, wrong),
            precision: share(hits, count(suspect.iter().copied())),
            recall: share(hits, errors),
            at_errors: share(first, errors),
        }
    }
}

fn count(of: impl Iterator<Item = bool>) -> usize {
    of.filter(|yes| *yes).count()
}

fn share(part: usize, all: usize) -> f64 {
    if all == 0 { 1.0 } else { part as f64 / all as f64 }
}

/// The area under the ROC curve: the probability that a positive scores higher than a negative, with ties counted half.
/// Not a number if there are no positives or no negatives.
///
/// ```
/// use trustpath_bench::noise::auroc;
/// assert_eq!(auroc(&[0.9, 0.4, 0.4, 0.1], &[true, true, false, false]), 0.875);
/// ```
pub fn auroc(score: &[f64], positive: &[bool]) -> f64 {
    let mut order: Vec<usize> = (0..score.len()).collect();
    order.sort_by(|&a, &b| score[a].total_cmp(&score[b]));
    // Pairs won, group by group of equal scores, from the lowest up.
    let (mut won, mut below, mut positives) = (0.0, 0.0, 0.0);
    for equal in order.chunk_by(|&a, &b| score[a] == score[b]) {
        let here = count(equal.iter().map(|&row| positive[row])) as f64;
        let others = equal.len() as f64 - here;
        won += here * (below + 0.5 * others);
        positives += here;
        below += others;
    }
    won / (positives * below)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_known_answer() {
        // Suspects are rows 0, 1 and 3; wrong are 0 and 2.
        let detection = Detection::of(
            &[0.9, 0.8, 0.3, 0.6, 0.1],
            &[true, true, false, true, false],
            &[true, false, true, false, false],
        );
        assert_eq!(detection.auroc, 4.0 / 6.0);
        assert_eq!((detection.precision, detection.recall, detection.at_errors), (1.0 / 3.0, 0.5, 0.5));
    }

    #[test]
    fn nothing_wrong_and_no_suspect_are_no_failure() {
        let detection = Detection::of(&[0.1, 0.2], &[false, false], &[false, false]);
        assert_eq!((detection.precision, detection.recall, detection.at_errors), (1.0, 1.0, 1.0));
        assert!(detection.auroc.is_nan());
    }

    proptest! {
        #[test]
        fn the_area_is_the_share_of_pairs_won(
            rows in proptest::collection::vec((0u8..6, any::<bool>()), 2..40)
        ) {
            let (score, positive): (Vec<f64>, Vec<bool>) =
                rows.iter().map(|(s, p)| (f64::from(*s), *p)).unzip();
            let (mut won, mut pairs) = (0.0, 0.0);
            for (a, _) in rows.iter().filter(|(_, p)| *p) {
                for (b, _) in rows.iter().filter(|(_, p)| !*p) {
                    won += if a > b { 1.0 } else if a == b { 0.5 } else { 0.0 };
                    pairs += 1.0;
                }
            }
            let area = auroc(&score, &positive);
            prop_assert!(area.is_nan() == (pairs == 0.0));
            prop_assert!(pairs == 0.0 || (area - won / pairs).abs() < 1e-12);
        }
    }
}
