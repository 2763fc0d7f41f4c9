//! Other instances on a map of landmarks.
//!
//! ```text
//! min over z:   σ(z) = Σₗ (‖z − yₗ‖ − fₗ)²
//! ```
//!
//! with the landmarks `yₗ` fixed and `fₗ` the disparities of an instance to them. From the triangulation of the squared
//! `fₗ`, each step `z ← meanₗ (yₗ + fₗ (z − yₗ)/‖z − yₗ‖)` majorises, and cannot raise, `σ`.

use super::Majorisation;
use crate::Matrix;
use crate::neighbors::squared_difference;
use crate::reduce::landmarks::Triangulation;

/// Steps of each point: the triangulation leaves little to do.
const STEPS: usize = 20;

/// Landmarks with their `f`.
pub(super) struct Extension {
    /// Coordinates, one row per landmark.
    pub landmarks: Matrix,
    triangulation: Triangulation,
    /// The different dissimilarities in ascending order, and `f` of each.
    order: Vec<(f64, f64)>,
}

impl Extension {
    pub fn new(placed: Majorisation) -> Self {
        let mut order: Vec<(f64, f64)> =
            placed.pairs.iter().map(|p| (p.dissimilarity, p.disparity)).collect();
        order.dedup_by_key(|pair| pair.0);
        let count = placed.z.rows() as f64;
        let mut means = vec![0.0; placed.z.rows()];
        for pair in &placed.pairs {
            for l in [pair.i, pair.j] {
                means[l] += pair.disparity * pair.disparity / count;
            }
        }
        // The Guttman transform leaves coordinates centred, which triangulation asks for.
        let triangulation = Triangulation::new(&placed.z, &means);
        Self { triangulation, landmarks: placed.z, order }
    }

    /// `f`, linear between the dissimilarities of landmarks, and proportional below and above all of them.
    pub fn disparity(&self, dissimilarity: f64) -> f64 {
        let at = self.order.partition_point(|pair| pair.0 < dissimilarity);
        let through_origin = |(d, f): (f64, f64)| if d > 0.0 { f * dissimilarity / d } else { f };
        match (at.checked_sub(1).map(|before| self.order[before]), self.order.get(at)) {
            (Some((d0, f0)), Some(&(d1, f1))) => f0 + (f1 - f0) * (dissimilarity - d0) / (d1 - d0),
            (None, Some(&first)) => through_origin(first),
            (Some(last), None) => through_origin(last),
            (None, None) => dissimilarity,
        }
    }

    /// Writes the place of an instance with these disparities to the landmarks.
    pub fn place(&self, disparities: &[f64], z: &mut [f64]) {
        self.triangulation.place(disparities.iter().map(|f| f * f), z);
        let mut next = vec![0.0; z.len()];
        for _ in 0..STEPS {
            next.fill(0.0);
            for (y, f) in self.landmarks.iter_rows().zip(disparities) {
                let pull = f / squared_difference(z, y).sqrt().max(1e-5);
                for ((next, y), z) in next.iter_mut().zip(y).zip(&*z) {
                    *next += y + pull * (z - y);
                }
            }
            let count = disparities.len() as f64;
            z.iter_mut().zip(&next).for_each(|(z, next)| *z = next / count);
        }
    }
}
