//! Non-metric multidimensional scaling (Kruskal 1964) by majorisation (SMACOF, de Leeuw 1977).
//!
//! Distances that keep the *order* of the given dissimilarities `δ`:
//!
//! ```text
//! min over Z and monotone f:   σ = Σ_{i<j} (‖zᵢ − zⱼ‖ − f(δᵢⱼ))²,   Σ_{i<j} f(δᵢⱼ)² = n(n−1)/2
//! ```
//!
//! Two steps take turns, and neither can raise `σ`: the best monotone `f` is the isotonic regression of the distances on
//! `δ`, rescaled (equal `δ` get equal `f`); and the Guttman transform `Z ← B(Z) Z / n`, with `bᵢⱼ = −f(δᵢⱼ)/‖zᵢ − zⱼ‖` off
//! the diagonal and rows that sum to zero. Duplicates, `δᵢⱼ = 0`, keep `f = 0`.
//!
//! scikit-learn starts from the best of four random configurations. The start here is determined: the principal
//! components of the instances, which is classical scaling of the same `δ`, stretched to the scale of `f`; as there, the
//! first `f` is `δ` itself.
//!
//! Of more than 2,000 instances 1,000, spread evenly over them, are landmarks and placed so. `f` is then known, and every
//! other instance goes by itself to where its distances to the landmarks come nearest to its `f(δ)`: first by
//! triangulation, a linear least-squares problem, then by some Guttman transforms of this one point.

mod extension;

use rayon::prelude::*;

use self::extension::Extension;
use super::landmarks::{LANDMARKS, spread};
use super::neighbors::{Neighbors, squared_distance};
use super::{
    DEFAULT_D, DENSE_ROWS, Embedding, Reduce, check_dimensions, check_instances, check_positive,
    classical, head,
};
use crate::{Error, Instances, Matrix, Result};

/// Parameters of [`Mds`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MdsParams {
    /// Number of dimensions (5).
    pub d: usize,
    /// Most rounds (300).
    pub rounds: usize,
    /// Stop when a round lowers `σ` by less than this part of `Σ ‖zᵢ − zⱼ‖²` (10⁻⁶).
    pub tolerance: f64,
}

impl Default for MdsParams {
    fn default() -> Self {
        Self { d: DEFAULT_D, rounds: 300, tolerance: 1e-6 }
    }
}

impl MdsParams {
    /// Checks what can be checked without data.
    ///
    /// # Errors
    /// [`Error::Parameter`].
    pub fn check(self) -> Result<Mds> {
        check_positive("d", self.d)?;
        check_positive("rounds", self.rounds)?;
        if !(self.tolerance >= 0.0 && self.tolerance.is_finite()) {
            return Err(Error::parameter("tolerance", self.tolerance, "it must not be negative"));
        }
        Ok(Mds(self))
    }
}

/// Non-metric multidimensional scaling.
#[derive(Debug, Clone)]
pub struct Mds(MdsParams);

impl Reduce for Mds {
    fn name(&self) -> &'static str {
        "mds"
    }

    fn neighbors(&self, _: usize) -> Option<usize> {
        None
    }

    fn reduce_on(
        &self,
        instances: &Instances,
        n: usize,
        _: Option<&Neighbors>,
    ) -> Result<Embedding> {
        check_instances(instances, n)?;
        check_dimensions(self.0.d, (n - 1).min(instances.dims()))?;
        let x = if n <= DENSE_ROWS {
            self.scale(&*head(instances, n)?, n)?.z
        } else {
            self.by_landmarks(instances, n, &spread(n, LANDMARKS))?
        };
        Ok(Embedding::plain(x))
    }
}

impl Mds {
    /// The first `n` instances by majorisation.
    fn scale(&self, instances: &Instances, n: usize) -> Result<Scaling> {
        let mut scaling = Scaling::new(instances, n, self.0.d)?;
        let mut before = f64::INFINITY;
        for round in 0..self.0.rounds {
            if round > 0 {
                scaling.fit_order();
            }
            let (stress, squares) = scaling.move_points();
            if before - stress < self.0.tolerance * squares {
                break;
            }
            before = stress;
        }
        Ok(scaling)
    }

    /// The landmarks by majorisation, then every other instance by its disparities to them.
    fn by_landmarks(&self, instances: &Instances, n: usize, landmarks: &[usize]) -> Result<Matrix> {
        let unit = Matrix::from_fn(landmarks.len(), instances.dims(), |l, j| {
            instances.unit()[(landmarks[l], j)]
        });
        check_dimensions(self.0.d, landmarks.len() - 1)?;
        let placed = Instances::from_unit(unit);
        check_instances(&placed, landmarks.len())?;
        let extension = Extension::new(self.scale(&placed, landmarks.len())?);
        let mut x = Matrix::zeros(n, self.0.d);
        x.as_mut_slice().par_chunks_exact_mut(self.0.d).enumerate().for_each_init(
            || vec![0.0; landmarks.len()],
            |disparities, (i, z)| match landmarks.binary_search(&i) {
                Ok(l) => z.copy_from_slice(extension.landmarks.row(l)),
                Err(_) => {
                    let unit = instances.unit().row(i);
                    for (f, landmark) in disparities.iter_mut().zip(placed.unit().iter_rows()) {
                        let squared = |(a, b): (&f64, &f64)| (a - b) * (a - b);
                        *f = extension
                            .disparity(unit.iter().zip(landmark).map(squared).sum::<f64>().sqrt());
                    }
                    extension.place(disparities, z);
                }
            },
        );
        Ok(x)
    }
}

/// The state of the iteration. Pairs `i < j` are stored once, in ascending order of their dissimilarity.
struct Scaling {
    pairs: Vec<Pair>,
    z: Matrix,
    /// Guttman's `B Z`, before it takes the place of `Z`.
    next: Matrix,
    blocks: Vec<Block>,
}

struct Pair {
    i: usize,
    j: usize,
    dissimilarity: f64,
    distance: f64,
    /// `f(δ)`.
    disparity: f64,
}

/// A run of pairs with one value of `f`.
struct Block {
    sum: f64,
    count: usize,
}

impl Scaling {
    fn new(instances: &Instances, n: usize, d: usize) -> Result<Self> {
        let mut pairs: Vec<Pair> = (0..n)
            .flat_map(|i| (i + 1..n).map(move |j| (i, j)))
            .map(|(i, j)| {
                let dissimilarity = squared_distance(instances, i, j).sqrt();
                Pair { i, j, dissimilarity, distance: 0.0, disparity: dissimilarity }
            })
            .collect();
        // Stable, so that ties keep the order of the pairs.
        pairs.sort_by(|a, b| a.dissimilarity.total_cmp(&b.dissimilarity));
        let gram = instances.gram();
        let z = classical::coordinates(Matrix::from_fn(n, n, |i, j| gram[(i, j)]), d)?;
        let mut scaling = Self { pairs, next: Matrix::zeros(n, d), z, blocks: Vec::new() };
        let stretch = scaling.normalize();
        scaling.z.as_mut_slice().iter_mut().for_each(|z| *z *= stretch);
        scaling.measure();
        Ok(scaling)
    }

    /// Scales `f` to `Σ f² = n(n−1)/2`, its number of pairs; gives the factor.
    fn normalize(&mut self) -> f64 {
        let squares: f64 = self.pairs.iter().map(|p| p.disparity * p.disparity).sum();
        let factor = (self.pairs.len() as f64 / squares).sqrt();
        self.pairs.iter_mut().for_each(|p| p.disparity *= factor);
        factor
    }

    fn measure(&mut self) {
        for pair in &mut self.pairs {
            let (a, b) = (self.z.row(pair.i), self.z.row(pair.j));
            pair.distance = a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum::<f64>().sqrt();
        }
    }

    /// `f`: isotonic regression of the distances on the dissimilarities, by pooling neighbours that are out of order.
    fn fit_order(&mut self) {
        let zeros = self.pairs.partition_point(|p| p.dissimilarity == 0.0);
        let pairs = &mut self.pairs[zeros..];
        self.blocks.clear();
        for tied in pairs.chunk_by(|a, b| a.dissimilarity == b.dissimilarity) {
            let mut block = Block { sum: tied.iter().map(|p| p.distance).sum(), count: tied.len() };
            while let Some(last) = self.blocks.last() {
                if last.sum * (block.count as f64) < block.sum * (last.count as f64) {
                    break;
                }
                block.sum += last.sum;
                block.count += last.count;
                self.blocks.pop();
            }
            self.blocks.push(block);
        }
        let mut rest = pairs;
        for block in &self.blocks {
            let (pooled, after) = rest.split_at_mut(block.count);
            pooled.iter_mut().for_each(|p| p.disparity = block.sum / block.count as f64);
            rest = after;
        }
        self.normalize();
    }

    /// The Guttman transform; gives `σ` after it, and `Σ ‖zᵢ − zⱼ‖²`.
    fn move_points(&mut self) -> (f64, f64) {
        let n = self.z.rows() as f64;
        self.next.as_mut_slice().fill(0.0);
        for pair in &self.pairs {
            // Points that coincide give no direction to part them in; any weight does.
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
    use crate::reduce::testing::{classes, clusters, correlation, instances};

    fn stress(scaling: &Scaling) -> f64 {
        scaling.pairs.iter().map(|p| (p.distance - p.disparity).powi(2)).sum()
    }

    #[test]
    fn neither_step_raises_the_stress() {
        let x = clusters(4, 9, 10, 1.0);
        let mut scaling = Scaling::new(&x, 36, 2).unwrap();
        let start = stress(&scaling);
        let mut before = start;
        for _ in 0..60 {
            let (after_move, _) = scaling.move_points();
            assert!(after_move <= before * (1.0 + 1e-12));
            scaling.fit_order();
            before = stress(&scaling);
            assert!(before <= after_move * (1.0 + 1e-12));
        }
        assert!(before < 0.9 * start);
    }

    #[test]
    fn disparities_are_the_isotonic_regression() {
        let x = clusters(3, 8, 6, 1.0);
        let mut scaling = Scaling::new(&x, 24, 2).unwrap();
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
                let lowest_to_come =
                    |a| (at..pairs.len()).map(|b| mean(a, b)).fold(f64::MAX, f64::min);
                (0..=at).map(lowest_to_come).fold(f64::MIN, f64::max)
            })
            .collect();
        let factor = (count / exact.iter().map(|f| f * f).sum::<f64>()).sqrt();
        for (pair, exact) in pairs.iter().zip(exact) {
            assert!((pair.disparity - factor * exact).abs() < 1e-10);
        }
    }

    #[test]
    fn landmarks_suffice() {
        let x = classes(500, 5, 24, 4, 1.0);
        let mds = MdsParams { d: 4, ..Default::default() }.check().unwrap();
        let all = mds.reduce(&x, 500).unwrap().x;
        let few = mds.by_landmarks(&x, 500, &spread(500, 250)).unwrap();
        assert!(correlation(&all, &few) > 0.95, "{}", correlation(&all, &few));
    }

    #[test]
    fn a_landmark_would_go_where_it_is() {
        // In enough dimensions distances are kept as they are, and so are those of whoever is placed by landmarks.
        let x = clusters(2, 40, 3, 1.0);
        let mds = MdsParams { d: 3, ..Default::default() }.check().unwrap();
        let scaling = mds.scale(&x, 80).unwrap();
        let expected = scaling.z.clone();
        let extension = Extension::new(scaling);
        for i in 0..80 {
            let disparities: Vec<f64> =
                (0..80).map(|l| extension.disparity(squared_distance(&x, i, l).sqrt())).collect();
            let mut z = [0.0; 3];
            extension.place(&disparities, &mut z);
            assert!(z.iter().zip(expected.row(i)).all(|(a, b)| (a - b).abs() < 1e-7));
        }
    }

    #[test]
    fn enough_dimensions_leave_no_stress() {
        let x = clusters(2, 10, 3, 1.0);
        let mut scaling = Scaling::new(&x, 20, 3).unwrap();
        assert!(stress(&scaling) < 1e-20);
        assert!(scaling.move_points().0 < 1e-20);
    }

    #[test]
    fn duplicates_stay_together() {
        let x = instances(20, 6, |i, j| {
            let i = if i < 5 { 0 } else { i };
            ((i * 13 + j * 7 + i * j) as f64 * 0.7).sin()
        });
        let z = MdsParams { d: 2, ..Default::default() }.check().unwrap().reduce(&x, 20).unwrap().x;
        for i in 1..5 {
            assert!(z.row(i).iter().zip(z.row(0)).all(|(a, b)| (a - b).abs() < 1e-6));
        }
    }

    #[test]
    fn refuses_parameters_out_of_range() {
        for params in [
            MdsParams { d: 0, ..Default::default() },
            MdsParams { rounds: 0, ..Default::default() },
            MdsParams { tolerance: f64::NAN, ..Default::default() },
        ] {
            assert!(matches!(params.check(), Err(Error::Parameter { .. })));
        }
    }
}
