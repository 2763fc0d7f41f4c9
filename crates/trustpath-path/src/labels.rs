//! Labels: whether they fit the rows, and the best of each class.

use crate::{Error, Result};

/// Refuses labels that are not one of at least two classes for each of the rows.
///
/// # Errors
/// [`Error::LabelCount`], [`Error::OneClass`], [`Error::LabelOutOfRange`].
pub fn check_labels(labels: &[usize], rows: usize, classes: usize) -> Result<()> {
    if labels.len() != rows {
        return Err(Error::LabelCount { labels: labels.len(), rows });
    }
    if classes < 2 {
        return Err(Error::OneClass { classes });
    }
    match labels.iter().position(|&label| label >= classes) {
        Some(row) => Err(Error::LabelOutOfRange { row, label: labels[row], classes }),
        None => Ok(()),
    }
}

/// The best candidates of each pseudo-class up to its quota, smallest score first; of equal scores the earlier position.
/// `score(k)` belongs to `candidates[k]`.
pub fn best_of_each_class(
    labels: &[usize],
    candidates: &[usize],
    quota: &[usize],
    score: impl Fn(usize) -> f64,
) -> Vec<usize> {
    let mut order: Vec<(f64, usize)> =
        candidates.iter().enumerate().map(|(k, &position)| (score(k), position)).collect();
    order.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    let mut left = quota.to_vec();
    order.retain(|&(_, position)| {
        let left = &mut left[labels[position]];
        let accept = *left > 0;
        *left -= usize::from(accept);
        accept
    });
    order.into_iter().map(|(_, position)| position).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn takes_the_smallest_scores_within_the_quota_and_the_earlier_row_on_a_tie() {
        let labels = [0, 1, 0, 0, 1, 0];
        let scores = [0.3, 0.2, 0.1, 0.1, 0.4];
        let taken = best_of_each_class(&labels, &[1, 2, 3, 4, 5], &[2, 1], |k| scores[k]);
        assert_eq!(taken, [3, 4, 2]);
    }
}
