//! Nearest rows by inner product, which on the unit sphere is by distance: `‖x − y‖² = 2 − 2 xᵀy`.

/// The columns of the `k` largest of `similarities`, largest first and equals in order; `except` is left out.
pub(super) fn most_similar(similarities: &[f64], except: Option<usize>, k: usize) -> Vec<usize> {
    let mut best: Vec<usize> = Vec::with_capacity(k + 1);
    for (j, s) in similarities.iter().enumerate() {
        let full = best.len() == k;
        if Some(j) == except || (full && best.last().is_none_or(|&b| *s <= similarities[b])) {
            continue;
        }
        let at = best.partition_point(|&b| similarities[b] >= *s);
        best.insert(at, j);
        best.truncate(k);
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_come_first_and_equals_in_order() {
        let s = [0.1, 0.9, 0.5, 0.9, 0.7];
        assert_eq!(most_similar(&s, None, 3), [1, 3, 4]);
        assert_eq!(most_similar(&s, Some(1), 2), [3, 4]);
        assert_eq!(most_similar(&s, Some(0), 9), [1, 3, 4, 2]);
        assert_eq!(most_similar(&s, None, 0), [] as [usize; 0]);
    }
}
