//! Landmarks: few instances that are placed first, and place all others (de Silva and Tenenbaum 2004).
//!
//! Landmarks have centred coordinates `yₗ`, `δₗ` are squared distances from an instance to them, and `δ̄ₗ` the mean of those
//! from landmark `l` to all landmarks. The instance goes to
//!
//! ```text
//! z = ½ (YᵀY)⁺ Yᵀ (δ̄ − δ)
//! ```
//!
//! where the differences of its squared distances to the landmarks come out best, in the sense of least squares. With
//! coordinates by classical scaling this is their distance-based triangulation: every landmark goes to its own place.

use crate::Matrix;
use crate::linalg::eigen;

/// Landmarks, spread evenly over the first `n` instances.
pub(super) fn spread(n: usize, most: usize) -> Vec<usize> {
    let count = most.min(n);
    (0..count).map(|l| l * n / count).collect()
}

/// How squared distances to landmarks give a place.
#[derive(Debug)]
pub(super) struct Triangulation {
    /// `½ Y (YᵀY)⁺`, one row per landmark.
    half: Matrix,
    /// `½ (YᵀY)⁺ Yᵀ δ̄`.
    origin: Vec<f64>,
}

impl Triangulation {
    /// For landmarks at centred coordinates, one row each, and with these `δ̄`.
    pub fn new(y: &Matrix, means: &[f64]) -> Self {
        let d = y.cols();
        let gram = y.view().transpose() * y.view();
        // Fails only when the iteration inside does, which finite input does not bring about; all is at the origin then.
        let half = match eigen(gram.as_ref()) {
            Ok(eigen) => {
                let largest = eigen.S()[d - 1].max(0.0);
                let kept = |l: f64| l > 1e-12 * largest;
                let inverse = faer::Mat::from_fn(d, d, |a, b| {
                    (0..d)
                        .filter(|&l| kept(eigen.S()[l]))
                        .map(|l| eigen.U()[(a, l)] * eigen.U()[(b, l)] / eigen.S()[l])
                        .sum::<f64>()
                });
                Matrix::from_view((y.view() * inverse * 0.5).as_ref())
            }
            Err(_) => Matrix::zeros(y.rows(), d),
        };
        let mut origin = vec![0.0; d];
        for (half, mean) in half.iter_rows().zip(means) {
            origin.iter_mut().zip(half).for_each(|(o, h)| *o += h * mean);
        }
        Self { half, origin }
    }

    /// Writes the place of an instance with these squared distances to the landmarks.
    pub fn place(&self, squared: impl IntoIterator<Item = f64>, z: &mut [f64]) {
        z.copy_from_slice(&self.origin);
        for (squared, half) in squared.into_iter().zip(self.half.iter_rows()) {
            z.iter_mut().zip(half).for_each(|(z, h)| *z -= h * squared);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_points_where_they_are() {
        // Twenty landmarks in the plane, centred; distances in space, to which a third coordinate only adds a constant.
        let raw = |l: usize| [(l as f64 * 1.3).sin(), (l as f64 * 0.7).cos()];
        let mean = |c: usize| (0..20).map(|l| raw(l)[c]).sum::<f64>() / 20.0;
        let y = Matrix::from_fn(20, 2, |l, c| raw(l)[c] - mean(c));
        let squared =
            |to: &[f64], l: usize| (to[0] - y[(l, 0)]).powi(2) + (to[1] - y[(l, 1)]).powi(2);
        let means: Vec<f64> =
            (0..20).map(|l| (0..20).map(|m| squared(y.row(m), l)).sum::<f64>() / 20.0).collect();
        let point = [0.4, -1.7];
        let mut z = [0.0; 2];
        Triangulation::new(&y, &means).place((0..20).map(|l| squared(&point, l) + 0.64), &mut z);
        assert!(z.iter().zip(point).all(|(z, p)| (z - p).abs() < 1e-12), "{z:?}");
    }

    #[test]
    fn landmarks_are_apart_and_within() {
        assert_eq!(spread(10, 3), [0, 3, 6]);
        assert_eq!(spread(2, 5), [0, 1]);
    }
}
