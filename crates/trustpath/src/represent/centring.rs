//! Whether rows are centred before neighbours are looked for: `x ← (x − o) / ‖·‖` with the mean `o` of the pool.
//!
//! In many dimensions some points are among the nearest neighbours of far too many others. Such hubs join classes that have nothing to
//! do with each other, and smoothing spreads their features. Centring removes hubs where they come from a direction that all
//! instances share, and makes others where that direction says how clear an instance is (Suzuki et al., "Centering similarity measures to
//! reduce hubs", 2013). Which of the two it is can be seen without a label: with `nⱼ` the number of instances that have `j` among their
//! `k` nearest,
//!
//! ```text
//! centre   if √(Σⱼ (nⱼ − k)²) is a tenth smaller for the centred rows
//! ```
//!
//! on an even sample of the pool. On the validation sets it is a quarter smaller for features of EfficientNet-Lite0, about the same
//! for those of MiniLM, and a tenth larger for those of ResNet-12; `docs/label.md` has what centring is worth. Only pools in memory are centred.

use crate::linalg::pca::add_to_mean;
use crate::linalg::vector::to_unit;
use crate::neighbors::Neighbors;
use crate::power::power_row;
use crate::{Instances, Matrix, Result};

/// Rows that are compared with each other.
const SAMPLE: usize = 512;
/// Rows that tell: in smaller pools the neighbours are a large part of all rows.
const ENOUGH: usize = 256;
/// Neighbours that are counted.
const NEIGHBORS: usize = 10;
/// The share of the spread of counts that centring may leave.
const FEWER: f64 = 0.9;
/// Mean squared distance from the mean, below which rows are the same but for rounding.
const SAME: f64 = 1e-9;

/// What is done to a row of unit length before neighbours are looked for: the power, and centring.
#[derive(Debug, Clone, Copy)]
pub(super) struct Preparation<'a> {
    pub signed: bool,
    /// What is subtracted, if anything.
    pub origin: Option<&'a [f64]>,
}

impl Preparation<'_> {
    /// Prepares one row.
    pub fn row(self, row: &mut [f64]) {
        power_row(row, self.signed);
        if let Some(origin) = self.origin {
            centre(row, origin);
        }
    }
}

/// Moves a row so that `origin` becomes zero, and scales it to unit length.
pub(super) fn centre(row: &mut [f64], origin: &[f64]) {
    row.iter_mut().zip(origin).for_each(|(v, o)| *v -= o);
    to_unit(row);
}

/// The mean of these rows of unit length, if centring them leaves fewer hubs.
pub(super) fn origin(x: &Matrix) -> Result<Option<Vec<f64>>> {
    let n = x.rows();
    if n < ENOUGH {
        return Ok(None);
    }
    let mut mean = vec![0.0; x.cols()];
    add_to_mean(&mut mean, x.iter_rows(), n);
    if 1.0 - mean.iter().map(|m| m * m).sum::<f64>() < SAME {
        return Ok(None);
    }
    let count = SAMPLE.min(n);
    let row = |at: usize| x.row(at * n / count);
    let values: Vec<f64> = (0..count).flat_map(row).copied().collect();
    let plain = Matrix::from_vec(count, x.cols(), values)?;
    let mut centred = plain.clone();
    centred.as_mut_slice().chunks_exact_mut(x.cols()).for_each(|row| centre(row, &mean));
    let fewer = hubs(centred)? < FEWER * hubs(plain)?;
    Ok(fewer.then_some(mean))
}

/// `√(Σⱼ (nⱼ − k)²)`.
fn hubs(x: Matrix) -> Result<f64> {
    let n = x.rows();
    let k = NEIGHBORS.min(n - 1);
    let neighbors = Neighbors::of(&Instances::from_unit(x), n, k)?;
    let mut counts = vec![0usize; n];
    (0..n).flat_map(|i| neighbors.indices(i)).for_each(|j| counts[j] += 1);
    Ok(counts.iter().map(|&count| (count as f64 - k as f64).powi(2)).sum::<f64>().sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    /// Groups around far centres; every row has the part `shared` of one direction, which varies from row to row by `spread`.
    fn rows(shared: f64, spread: f64) -> Matrix {
        let mut random = Random::stream(7, 0);
        let (n, d) = (400, 30);
        let mut x = Matrix::zeros(n, d);
        for i in 0..n {
            let row = x.row_mut(i);
            row.iter_mut().for_each(|v| *v = 0.3 * random.normal());
            row[1 + i % 20] += 1.0;
            row[0] = shared + spread * random.normal();
            to_unit(row);
        }
        x
    }

    #[test]
    fn a_shared_direction_is_removed_where_it_makes_hubs() {
        // How much of it a row has says how near the row is to all others: those with much are hubs.
        let shared = rows(2.0, 1.0);
        let mean = origin(&shared).unwrap().expect("hubs");
        assert!(mean[0] > 0.5);
        assert!(mean[1..].iter().all(|m| m.abs() < 0.2));
    }

    #[test]
    fn few_rows_and_equal_ones_are_left_alone() {
        let few = Matrix::from_fn(100, 3, |i, j| if i % 3 == j { 1.0 } else { 0.0 });
        assert_eq!(origin(&few).unwrap(), None);
        assert_eq!(origin(&Matrix::from_fn(300, 4, |_, _| 0.5)).unwrap(), None);
    }
}
