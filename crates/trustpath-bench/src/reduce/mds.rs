//! Non-metric multidimensional scaling (Kruskal 1964) by majorisation (SMACOF, de Leeuw 1977).
//!
//! Distances that keep the *order* of the given dissimilarities `δ`:
//!
//! ```text
//! min over Z and monotone f:   σ = Σ_{i<j} (‖zᵢ − zⱼ‖ − f(δᵢⱼ))²,   Σ_{i<j} f(δᵢⱼ)² = n(n−1)/2
//! ```
//!
//! Two steps alternate, and neither can raise `σ`: the best monotone `f` is the isotonic regression of the distances on
//! `δ`, rescaled (equal `δ` get equal `f`); and the Guttman transform `Z ← B(Z) Z / n`, with `bᵢⱼ = −f(δᵢⱼ)/‖zᵢ − zⱼ‖` off
//! the diagonal and rows that sum to zero. Duplicates, `δᵢⱼ = 0`, keep `f = 0`.
//!
//! By default the start is fixed: the principal components of the instances, which is classical scaling of the same `δ`,
//! stretched to the scale of `f`; the first `f` is `δ` itself. The paper's code takes the best of four random starts of
//! scikit-learn, with another rule to stop: that is [`MdsStart::Random`].

mod random_start;

use super::{Embedding, Reduce, classical, squared_distance};
use trustpath::neighbors::{Neighbors, squared_difference};
use trustpath::{Instances, Matrix, Result};

/// Most rounds.
const ROUNDS: usize = 300;
/// A round that lowers `σ` by less than this part of `Σ ‖zᵢ − zⱼ‖²` is the last; random starts have another rule.
const TOLERANCE: f64 = 1e-6;

/// Where the iteration starts.
#[derive(Debug, PartialEq)]
pub(super) enum MdsStart {
    /// At the principal components.
    Principal,
    /// At four random places, of which the best end counts, with the rule by which scikit-learn up to 1.1 stops.
    Random,
}

#[derive(Debug)]
pub(super) struct Mds {
    pub d: usize,
    pub start: MdsStart,
}

impl Reduce for Mds {
    fn dimensions(&self) -> Option<usize> {
        Some(self.d)
    }

    fn embed(&self, instances: &Instances, n: usize, _: &Neighbors) -> Result<Embedding> {
        Ok(Embedding::plain(self.scale(instances, n)?.z))
    }
}

impl Mds {
    /// The first `n` instances by majorisation.
    fn scale(&self, instances: &Instances, n: usize) -> Result<Majorisation> {
        if self.start == MdsStart::Random {
            return Ok(random_start::scale(instances, n, self.d, ROUNDS));
        }
        let mut scaling = Majorisation::new(instances, n, self.d)?;
        let mut before = f64::INFINITY;
        for round in 0..ROUNDS {
            if round > 0 {
                scaling.fit_order();
            }
            let (stress, squares) = scaling.move_points();
            if before - stress < TOLERANCE * squares {
                break;
            }
            before = stress;
        }
        Ok(scaling)
    }
}

/// The state of the iteration. Pairs `i < j` are stored once, in ascending order of their dissimilarity.
struct Majorisation {
    pairs: Vec<InstancePair>,
    z: Matrix,
    /// Guttman's `B Z`, before it takes the place of `Z`.
    next: Matrix,
    plateaus: Vec<Plateau>,
}

struct InstancePair {
    i: usize,
    j: usize,
    dissimilarity: f64,
    distance: f64,
    /// `f(δ)`.
    disparity: f64,
}

/// Consecutive pairs with one value of `f`.
struct Plateau {
    sum: f64,
    count: usize,
}

impl Majorisation {
    /// Starts at the principal components.
    fn new(instances: &Instances, n: usize, d: usize) -> Result<Self> {
        let mut scaling = Self::at(instances, classical::of_gram(instances, n, d)?);
        let stretch = scaling.normalize();
        scaling.z.as_mut_slice().iter_mut().for_each(|z| *z *= stretch);
        scaling.measure();
        Ok(scaling)
    }

    /// Starts at `z`, of the first instances.
    fn at(instances: &Instances, z: Matrix) -> Self {
        let (n, d) = (z.rows(), z.cols());
        let mut pairs: Vec<InstancePair> = (0..n)
            .flat_map(|i| (i + 1..n).map(move |j| (i, j)))
            .map(|(i, j)| {
                let dissimilarity = squared_distance(instances, i, j).sqrt();
                InstancePair { i, j, dissimilarity, distance: 0.0, disparity: dissimilarity }
            })
            .collect();
        // Stable, so that ties keep the order of the pairs.
        pairs.sort_by(|a, b| a.dissimilarity.total_cmp(&b.dissimilarity));
        let mut scaling = Self { pairs, next: Matrix::zeros(n, d), z, plateaus: Vec::new() };
        scaling.measure();
        scaling
    }

    /// `σ`.
    fn stress(&self) -> f64 {
        self.pairs.iter().map(|p| (p.distance - p.disparity).powi(2)).sum()
    }

    /// Scales `f` to `Σ f² = n(n−1)/2`, the number of pairs; returns the factor.
    fn normalize(&mut self) -> f64 {
        let squares: f64 = self.pairs.iter().map(|p| p.disparity * p.disparity).sum();
        let factor = (self.pairs.len() as f64 / squares).sqrt();
        self.pairs.iter_mut().for_each(|p| p.disparity *= factor);
        factor
    }

    fn measure(&mut self) {
        for pair in &mut self.pairs {
            pair.distance = squared_difference(self.z.row(pair.i), self.z.row(pair.j)).sqrt();
        }
    }

    /// `f`: isotonic regression of the distances on the dissimilarities, by pooling neighbours that are out of order.
    fn fit_order(&mut self) {
        let zeros = self.pairs.partition_point(|p| p.dissimilarity == 0.0);
        let pairs = &mut self.pairs[zeros..];
        self.plateaus.clear();
        for tied in pairs.chunk_by(|a, b| a.dissimilarity == b.dissimilarity) {
            let mut plateau = Plateau { sum: tied.iter().map(|p| p.distance).sum(), count: tied.len() };
            while let Some(last) = self.plateaus.last() {
                if last.sum * (plateau.count as f64) < plateau.sum * (last.count as f64) {
                    break;
                }
                plateau.sum += last.sum;
                plateau.count += last.count;
                self.plateaus.pop();
            }
            self.plateaus.push(plateau);
        }
        let mut rest = pairs;
        for plateau in &self.plateaus {
            let (pooled, after) = rest.split_at_mut(plateau.count);
            pooled.iter_mut().for_each(|p| p.disparity = plateau.sum / plateau.count as f64);
            rest = after;
        }
        self.normalize();
    }

    /// The Guttman transform; returns `σ` after it, and `Σ ‖zᵢ − zⱼ‖²`.
    fn move_points(&mut self) -> (f64, f64) {
        let n = self.z.rows() as f64;
        self.next.as_mut_slice().fill(0.0);
        for pair in &self.pairs {
            // Points that coincide give no direction to separate them in; any weight does.
            let weight = pair.disparity / pair.distance.max(1e-5);
            for (c, (&a, &b)) in self.z.row(pair.i).iter().zip(self.z.row(pair.j)).enumerate() {
                let push = weight * (a - b) / n;
                self.next[(pair.i, c)] += push;
                self.next[(pair.j, c)] -= push;
            }
        }
        std::mem::swap(&mut self.z, &mut self.next);
        self.measure();
        self.pairs.iter().fold((0.0, 0.0), |(stress, squares), p| {
            let gap = p.distance - p.disparity;
            (stress + gap * gap, squares + p.distance * p.distance)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reduce::testing::{clusters, coordinates, duplicates};

    #[test]
    fn neither_step_raises_the_stress() {
        let x = clusters(4, 9, 10, 1.0);
        let mut scaling = Majorisation::new(&x, 36, 2).unwrap();
        let start = scaling.stress();
        let mut before = start;
        for _ in 0..60 {
            let (after_move, _) = scaling.move_points();
            assert!(after_move <= before * (1.0 + 1e-12));
            scaling.fit_order();
            before = scaling.stress();
            assert!(before <= after_move * (1.0 + 1e-12));
        }
        assert!(before < 0.9 * start);
    }

    #[test]
    fn disparities_are_the_isotonic_regression() {
        let x = clusters(3, 8, 6, 1.0);
        let mut scaling = Majorisation::new(&x, 24, 2).unwrap();
        scaling.move_points();
        scaling.fit_order();
        let pairs = &scaling.pairs;
        assert!(pairs.windows(2).all(|p| p[0].disparity <= p[1].disparity));
        let count = pairs.len() as f64;
        let squares: f64 = pairs.iter().map(|p| p.disparity * p.disparity).sum();
        assert!((squares - count).abs() < 1e-10 * count);
        // The min-max formula of isotonic regression, up to the common factor.
        let sums: Vec<f64> = std::iter::once(0.0)
            .chain(pairs.iter().scan(0.0, |sum, p| {
                *sum += p.distance;
                Some(*sum)
            }))
            .collect();
        let mean = |a: usize, b: usize| (sums[b + 1] - sums[a]) / (b + 1 - a) as f64;
        let exact: Vec<f64> = (0..pairs.len())
            .map(|at| {
                let lowest_to_come = |a| (at..pairs.len()).map(|b| mean(a, b)).fold(f64::MAX, f64::min);
                (0..=at).map(lowest_to_come).fold(f64::MIN, f64::max)
            })
            .collect();
        let factor = (count / exact.iter().map(|f| f * f).sum::<f64>()).sqrt();
        for (pair, exact) in pairs.iter().zip(exact) {
            assert!((pair.disparity - factor * exact).abs() < 1e-10);
        }
    }

    #[test]
    fn enough_dimensions_leave_no_stress() {
        let x = clusters(2, 10, 3, 1.0);
        let mut scaling = Majorisation::new(&x, 20, 3).unwrap();
        assert!(scaling.stress() < 1e-20);
        assert!(scaling.move_points().0 < 1e-20);
    }

    #[test]
    fn duplicates_stay_together() {
        let z = coordinates(&Mds { d: 2, start: MdsStart::Principal }, &duplicates(20, 5));
        for i in 1..5 {
            assert!(z.row(i).iter().zip(z.row(0)).all(|(a, b)| (a - b).abs() < 1e-6));
        }
    }
}
