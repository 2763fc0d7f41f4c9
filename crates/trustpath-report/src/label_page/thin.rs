//! Selects the part of a large report that goes on the page.
//!
//! The size of a page is limited. The space goes first to what a reader acts on: suggested instances, then doubtful ones,
//! then those with a given label, then the trusted ones. Only the first tier may crowd out the others, and within a tier
//! any number of instances is an even sample of every class.

use super::{LabelReport, ReportVerdict as Verdict};

/// Share of the space that each tier may take before the other tiers have had their share.
const SHARE: [f64; 4] = [1.0, 0.6, 0.2, 0.2];

/// All instances, the most interesting first, with the tier of each.
pub(super) fn by_interest(report: &LabelReport) -> Vec<(usize, usize)> {
    let mut seen = vec![[0usize; SHARE.len()]; report.classes.len()];
    let mut order: Vec<(usize, f64, usize)> = Vec::with_capacity(report.instances.len());
    for (i, instance) in report.instances.iter().enumerate() {
        let tier = match instance.verdict {
            _ if instance.suggested.is_some() => 0,
            Verdict::Doubtful | Verdict::NoneOfThese | Verdict::Suspect => 1,
            Verdict::Given => 2,
            Verdict::Trusted | Verdict::Fits => 3,
        };
        let k = &mut seen[instance.label][tier];
        // Multiples of the golden ratio modulo 1: those below any bound are evenly spread.
        order.push((tier, (*k as f64 * 0.618_033_988_749_894_9).fract(), i));
        *k += 1;
    }
    order.sort_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)).then(a.2.cmp(&b.2)));
    // One of each class in turn.
    let mut taken = vec![[0usize; SHARE.len()]; report.classes.len()];
    let in_turn = |(tier, _, i): (usize, f64, usize)| {
        let turn = &mut taken[report.instances[i].label][tier];
        *turn += 1;
        (tier, *turn, i)
    };
    let mut turns: Vec<(usize, usize, usize)> = order.into_iter().map(in_turn).collect();
    turns.sort_by_key(|&(tier, turn, _)| (tier, turn));
    turns.into_iter().map(|(tier, _, i)| (tier, i)).collect()
}

/// As many instances of `order` as fit into `budget` at the given cost, in ascending order.
pub(super) fn take(order: &[(usize, usize)], budget: usize, cost: impl Fn(usize) -> usize) -> Vec<usize> {
    let mut left = budget;
    let mut spent = [0usize; SHARE.len()];
    let (mut taken, passed_over): (Vec<_>, Vec<_>) = order.iter().partition(|&&(tier, i)| {
        let (cost, share) = (cost(i), SHARE[tier] * budget as f64);
        let fits = cost <= left && (spent[tier] + cost) as f64 <= share;
        if fits {
            (left, spent[tier]) = (left - cost, spent[tier] + cost);
        }
        fits
    });
    taken.extend(passed_over.into_iter().filter(|&(_, i)| {
        let fits = cost(i) <= left;
        left -= if fits { cost(i) } else { 0 };
        fits
    }));
    let mut taken: Vec<usize> = taken.into_iter().map(|(_, i)| i).collect();
    taken.sort_unstable();
    taken
}

/// `count` of the indices `0..n`, evenly spread and including both ends.
pub(super) fn evenly(n: usize, count: usize) -> Vec<usize> {
    if n <= count {
        return (0..n).collect();
    }
    (0..count).map(|k| k * (n - 1) / (count - 1).max(1)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::label_page::ReportInstance;

    #[test]
    fn suggested_come_first_then_doubtful_then_all_classes_equally() {
        let verdict = |i: usize| [Verdict::Given, Verdict::Trusted, Verdict::Doubtful][i % 7 / 3];
        let instance = |i: usize| ReportInstance {
            id: i.to_string(),
            label: i % 3,
            verdict: verdict(i),
            suggested: (i == 250).then_some(1),
            ..ReportInstance::default()
        };
        let classes = (0..3).map(|c| c.to_string()).collect();
        let instances = (0..300).map(instance).collect();
        let report = LabelReport { classes, instances, ..LabelReport::default() };
        let order = by_interest(&report);
        assert_eq!(order[0], (0, 250));
        assert!(order.is_sorted_by_key(|&(tier, _)| tier));
        let mut all: Vec<usize> = order.iter().map(|&(_, i)| i).collect();
        all.sort_unstable();
        assert_eq!(all, (0..300).collect::<Vec<_>>());
        let trusted: Vec<usize> = order.iter().filter(|o| o.0 == 3).map(|o| o.1).collect();
        for class in 0..3 {
            let of_class = |i: &&usize| report.instances[**i].label == class;
            assert_eq!(trusted[..30].iter().filter(of_class).count(), 10);
        }
    }

    #[test]
    fn no_tier_takes_everything_and_all_space_is_used() {
        // A hundred doubtful and ten trusted: the doubtful ones stop at their share until the trusted ones are included.
        let order: Vec<(usize, usize)> = (0..110).map(|i| (if i < 100 { 1 } else { 3 }, i)).collect();
        let taken = take(&order, 50, |_| 1);
        assert_eq!(taken.len(), 50);
        assert_eq!(taken.iter().filter(|i| **i >= 100).count(), 10);
        assert_eq!(take(&order, 1000, |_| 1), (0..110).collect::<Vec<_>>());
        assert!(take(&order, 50, |_| 51).is_empty());
    }

    #[test]
    fn a_thinned_grid_keeps_its_ends() {
        assert_eq!(evenly(5, 9), [0, 1, 2, 3, 4]);
        assert_eq!(evenly(1000, 3), [0, 499, 999]);
        assert_eq!(evenly(3, 1), [0]);
        assert!(evenly(0, 4).is_empty());
    }
}
