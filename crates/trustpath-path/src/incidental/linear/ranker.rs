//! Ranking the instances of one episode round after round.
//!
//! Taking the best few of every class does not require every vanishing `λ`. On the way down from `λ_max`, fewer and fewer
//! instances of a class have a parameter of zero; where exactly as many as the quota are left, they are the ones to take.
//! So a few wide steps find the neighbourhood of each class's cut, the interpolated path proposes a `λ` inside it, and an
//! exact solution there decides. (An instance that re-enters the path below the cut, which is rare, counts as left.)

use super::path::LinearPath;
use super::row_source::{Knot, RowSource};
use super::segment::{Segment, interpolated_vanish};
use crate::Result;
use crate::incidental::{Keep, Ranker};
use crate::labels::check_labels;

/// Ratio of neighbouring `λ` on the way down.
const STRIDE: f64 = 0.5;
/// Relative gradient at which a solution is accurate enough to tell which instances are zero.
const TOLERANCE: f64 = 1e-6;
/// Relative precision of the roots that a proposal is made of, far below their error by interpolation.
const PROPOSED: f64 = 1e-4;
/// Cuts closer together than this, relatively, are ties.
const TIE: f64 = 1e-9;
/// Solutions between two stops for one cut; what is not told apart by then counts as a tie too.
const MOST_CUTS: usize = 200;

/// A path that is restarted for the labels of every round.
pub(super) struct LinearRanker<'a> {
    path: LinearPath<'a>,
    classes: usize,
    stops: Vec<Stop>,
}

/// A solved `λ`: the solution of every group, and which instances are zero.
#[derive(Debug, Clone)]
struct Stop {
    lambda: f64,
    knots: Vec<Knot>,
    zero: Vec<bool>,
}

/// The instances of one class that compete for a place.
struct Contest {
    rows: Vec<usize>,
    quota: usize,
}

impl<'a> LinearRanker<'a> {
    pub fn new(path: LinearPath<'a>, classes: usize) -> Self {
        Self { path, classes, stops: Vec::new() }
    }

    /// Records the present solution, keeping the stops in descending order of `λ`.
    fn stop(&mut self, lambda: f64) {
        let knots = self.path.follower.knots(lambda);
        let zero = (0..self.path.rows.len()).map(|i| self.path.is_zero(i, lambda)).collect();
        let at = self.stops.partition_point(|stop| stop.lambda > lambda);
        self.stops.insert(at, Stop { lambda, knots, zero });
    }

    /// Goes down until every contest is down to its quota, or the path ends.
    fn descend(&mut self, contests: &[Contest], lambda_max: f64) -> Result<()> {
        let bottom = lambda_max * self.path.follower.params.grid.ratio;
        let mut lambda = lambda_max;
        while lambda > bottom && contests.iter().any(|c| self.stops.last().is_some_and(|stop| c.left(stop) > c.quota)) {
            lambda = (lambda * STRIDE).max(bottom);
            self.path.follower.advance(&mut self.path.rows, lambda, TOLERANCE)?;
            self.stop(lambda);
        }
        Ok(())
    }

    /// The winners of one contest.
    fn decide(&mut self, contest: &Contest) -> Result<Vec<usize>> {
        for cut in 0.. {
            // The last stop with enough left, and the one below it.
            let below = self.stops.partition_point(|stop| contest.left(stop) >= contest.quota);
            let high = &self.stops[below - 1];
            let exact = contest.left(high) == contest.quota;
            if exact || below == self.stops.len() {
                return Ok(Self::best(contest, high, None));
            }
            let low = &self.stops[below];
            if high.lambda - low.lambda <= TIE * high.lambda || cut == MOST_CUTS {
                return Ok(Self::best(contest, high, Some(low)));
            }
            let lambda = self.proposal(contest, low, high);
            self.solve_between(lambda, below)?;
        }
        Ok(Vec::new())
    }

    /// Solves at a `λ` between two stops, from the path interpolated between them.
    fn solve_between(&mut self, lambda: f64, below: usize) -> Result<()> {
        let (high, low) = (&self.stops[below - 1], &self.stops[below]);
        for (g, group) in self.path.follower.groups.iter_mut().enumerate() {
            let segment = Segment { low: &low.knots[g], high: &high.knots[g] };
            segment.interpolate(lambda, &mut group.b);
            // Accurate enough for further proposals, and far cheaper than the exact tangent.
            segment.interpolate_tangent(lambda, &mut group.tangent);
            group.solve(&mut self.path.rows, lambda, TOLERANCE)?;
        }
        self.stop(lambda);
        Ok(())
    }

    /// A `λ` that should leave exactly the quota: between the interpolated vanishing `λ` of the last to stay and of the
    /// first to leave.
    fn proposal(&self, contest: &Contest, low: &Stop, high: &Stop) -> f64 {
        let mut crossing: Vec<f64> = contest
            .rows
            .iter()
            .filter(|&&i| high.zero[i] && !low.zero[i])
            .map(|&i| interpolated_vanish(&self.path.rows.get(i), &low.knots, &high.knots, PROPOSED, |_| true))
            .collect();
        crossing.sort_by(f64::total_cmp);
        let stay = contest.quota - contest.left(low).min(contest.quota);
        let (last, first) = match (stay.checked_sub(1).and_then(|k| crossing.get(k)), crossing.get(stay)) {
            (Some(&last), Some(&first)) => (last, first),
            (None, Some(&first)) => (low.lambda, first),
            _ => (low.lambda, high.lambda),
        };
        let middle = 0.5 * (last + first);
        // Never so close to an end that the solution there would tell nothing new.
        let margin = 0.01 * (high.lambda - low.lambda);
        middle.clamp(low.lambda + margin, high.lambda - margin)
    }

    /// Those still zero at `high`, up to the quota: those zero at `low` first, then by row.
    fn best(contest: &Contest, high: &Stop, low: Option<&Stop>) -> Vec<usize> {
        let mut left: Vec<usize> = contest.rows.iter().copied().filter(|&i| high.zero[i]).collect();
        left.sort_unstable_by_key(|&i| (low.is_some_and(|low| !low.zero[i]), i));
        left.truncate(contest.quota);
        left
    }
}

impl Contest {
    /// How many of them are still zero.
    fn left(&self, stop: &Stop) -> usize {
        self.rows.iter().filter(|&&i| stop.zero[i]).count()
    }
}

impl Ranker for LinearRanker<'_> {
    fn vanish(&mut self, labels: &[usize]) -> Result<Vec<f64>> {
        check_labels(labels, self.path.rows.len(), self.classes)?;
        Ok(self.path.path(labels, Keep::default())?.vanish)
    }

    fn most_credible(&mut self, labels: &[usize], open: &[usize], quota: &[usize]) -> Result<Vec<usize>> {
        check_labels(labels, self.path.rows.len(), self.classes)?;
        let mut selected = Vec::new();
        let mut contests = Vec::new();
        for (class, &quota) in quota.iter().enumerate() {
            let rows: Vec<usize> = open.iter().copied().filter(|&i| labels[i] == class).collect();
            if rows.len() <= quota {
                selected.extend(rows);
            } else if quota > 0 {
                contests.push(Contest { rows, quota });
            }
        }
        if !contests.is_empty() {
            self.stops.clear();
            let lambda_max = self.path.start(labels)?;
            self.stop(lambda_max);
            // Set rather than computed: where the coordinates fit every label, λ_max is 0 but rounding leaves residuals.
            self.stops[0].zero.fill(true);
            self.descend(&contests, lambda_max)?;
            for contest in &contests {
                selected.extend(self.decide(contest)?);
            }
        }
        selected.sort_unstable();
        Ok(selected)
    }
}

#[cfg(test)]
mod tests {
    use crate::Matrix;
    use crate::incidental::{IciRParams, Incidental};

    /// More dimensions than instances: `λ_max = 0`, every instance is as credible as any, and the order of rows decides.
    #[test]
    fn coordinates_that_fit_every_label_take_the_first_rows() {
        let x = Matrix::from_fn(12, 20, |i, j| (((i * 20 + j) * (i + 3 * j)) as f64).sin());
        let labels: Vec<usize> = (0..12).map(|i| i % 2).collect();
        let model = IciRParams::default().check().unwrap();
        let open: Vec<usize> = (2..12).collect();
        let mut ranker = model.ranker(&x, 2);
        assert_eq!(ranker.most_credible(&labels, &open, &[2, 1]).unwrap(), [2, 3, 4]);
    }
}
