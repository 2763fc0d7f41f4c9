//! What is learned for each patch of a grid, resampled to another grid.
//!
//! DINOv2 was trained on larger images than it is used on; the others are resampled only if another size of images is asked for.
//! All do it by Keys' cubic. DINOv2 without registers, CLIP and SigLIP take `a = −¾` at the four neighbours of
//!
//! ```text
//! c = (u + ½) m/(n + δ) − ½
//! ```
//!
//! for position `u` of `n` out of `m`, where `δ` is 0.1 in DINOv2, whose authors added it against rounding, and zero in CLIP and
//! SigLIP, as Hugging Face resamples these. DINOv2 with registers takes `a = −½` and the kernel widened by `m/n`, as images are
//! resized ([`resize`](crate::image::resize)).

use crate::image::Filter;
use crate::image::resize::{cubic, taps};

/// How positions are resampled.
#[derive(Debug, Clone, Copy)]
pub(super) enum Resampling {
    /// From the four nearest, with this `δ`.
    Nearest(f64),
    /// As images are resized.
    Widened,
}

/// Resamples a square grid of `from²` rows of `width` numbers to `to²` rows.
pub(super) fn resampled(rows: &[f32], width: usize, (from, to): (usize, usize), by: Resampling) -> Vec<f32> {
    if from == to {
        return rows.to_vec();
    }
    let taps: Vec<Vec<(usize, f64)>> = match by {
        Resampling::Nearest(beyond) => (0..to).map(|u| nearest(u, from, to, beyond)).collect(),
        Resampling::Widened => {
            taps(from, to, Filter::Bicubic).into_iter().map(|tap| (tap.first..).zip(tap.weights).collect()).collect()
        }
    };
    let mut all = Vec::with_capacity(to * to * width);
    for down in &taps {
        for across in &taps {
            let mut sums = vec![0.0; width];
            for &(y, wy) in down {
                for &(x, wx) in across {
                    let row = &rows[(y * from + x) * width..][..width];
                    sums.iter_mut().zip(row).for_each(|(sum, &v)| *sum += wy * wx * f64::from(v));
                }
            }
            all.extend(sums.iter().map(|&sum| sum as f32));
        }
    }
    all
}

/// The weights of the four nearest positions, with `beyond` added to the size.
fn nearest(u: usize, from: usize, to: usize, beyond: f64) -> Vec<(usize, f64)> {
    let centre = (u as f64 + 0.5) * from as f64 / (to as f64 + beyond) - 0.5;
    let floor = centre.floor();
    let tap = |i: i64| {
        let at = (floor as i64 + i).clamp(0, from as i64 - 1);
        (at as usize, cubic(-0.75, centre - floor - i as f64))
    };
    (-1..3).map(tap).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_flat_stays_flat_and_the_same_size_the_same() {
        let flat = vec![1.5; 9 * 2];
        for by in [Resampling::Nearest(0.1), Resampling::Nearest(0.0), Resampling::Widened] {
            for to in [1, 2, 5] {
                let result = resampled(&flat, 2, (3, to), by);
                assert_eq!(result.len(), to * to * 2);
                assert!(result.iter().all(|x| (x - 1.5).abs() < 1e-6), "{result:?}");
            }
            let rows: Vec<f32> = (0..18).map(|i| i as f32).collect();
            assert_eq!(resampled(&rows, 2, (3, 3), by), rows);
        }
    }

    #[test]
    fn the_exact_size_is_resampled_at_quarters_of_positions() {
        // Position u of 8 out of 4 lies at (2u − 1)/4, a quarter or three quarters from the position before it, where Keys'
        // cubic with a = −¾ has these weights; positions beyond the edge have the value at the edge.
        const QUARTER: [f64; 4] = [-0.105_468_75, 0.878_906_25, 0.261_718_75, -0.035_156_25];
        let row = [1.0, 5.0, 2.0, 7.0];
        // The same in every row of the grid.
        let rows: Vec<f32> = row.repeat(4);
        let result = resampled(&rows, 1, (4, 8), Resampling::Nearest(0.0));
        for (u, &value) in result[..8].iter().enumerate() {
            let at = |i: i64| f64::from(row[i.clamp(0, 3) as usize]);
            let (first, weights) = match u % 2 {
                1 => ((u as i64 - 1) / 2 - 1, QUARTER),
                _ => {
                    let [a, b, c, d] = QUARTER;
                    (u as i64 / 2 - 2, [d, c, b, a])
                }
            };
            let expected: f64 = (first..).zip(weights).map(|(i, w)| w * at(i)).sum();
            assert!((f64::from(value) - expected).abs() < 1e-5, "{u}: {value} {expected}");
        }
        let shifted = resampled(&rows, 1, (4, 8), Resampling::Nearest(0.1));
        assert!((shifted[7] - result[7]).abs() > 0.01);
    }
}
