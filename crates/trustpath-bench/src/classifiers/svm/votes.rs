//! From the decisions of all pairs of classes to one number per class.

/// All pairs of classes `(k, l)` with `k < l`, in order.
pub(super) fn pairs(classes: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..classes).flat_map(move |k| (k + 1..classes).map(move |l| (k, l)))
}

/// Writes what takes the place of probabilities: the largest (the first of them in case of a tie) is that of the winner.
pub(super) fn probabilities(decisions: &[f64], p: &mut [f64]) {
    p.fill(0.0);
    let mut votes = vec![0usize; p.len()];
    for (&decision, (k, l)) in decisions.iter().zip(pairs(p.len())) {
        votes[if decision > 0.0 { k } else { l }] += 1;
        p[k] += decision;
        p[l] -= decision;
    }
    for (score, &votes) in p.iter_mut().zip(&votes) {
        *score = votes as f64 + *score / (3.0 * (score.abs() + 1.0));
    }
    // Less than a third of a vote cannot make up for one vote, so both of these have the most votes.
    let (winner, preferred) = (first_largest(&votes), first_largest(p));
    p.swap(winner, preferred);
    let highest = p[winner];
    p.iter_mut().for_each(|score| *score = (*score - highest).exp());
    let total: f64 = p.iter().sum();
    p.iter_mut().for_each(|score| *score /= total);
}

fn first_largest<T: PartialOrd>(values: &[T]) -> usize {
    (1..values.len()).fold(0, |best, i| if values[i] > values[best] { i } else { best })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_of_tied_classes_wins() {
        // Every class has one vote, and class 2 the largest sum of decisions.
        let mut p = [0.0; 3];
        probabilities(&[0.1, -0.5, 0.2], &mut p);
        assert_eq!(first_largest(&p), 0);
        assert!((p.iter().sum::<f64>() - 1.0).abs() < 1e-15);
        // Without a tie nothing is swapped: class 1 beats both others.
        probabilities(&[-0.1, 3.0, 0.2], &mut p);
        assert_eq!(first_largest(&p), 1);
        assert!(p[0] > p[2]);
    }

    #[test]
    fn without_decisions_all_classes_are_equally_probable() {
        let mut p = [0.0; 4];
        probabilities(&[], &mut p);
        assert_eq!(p, [0.25; 4]);
    }
}
