//! What is learned for each patch of a grid, resampled to another grid.
//!
//! DINOv2 was trained on larger images than it is used on. Its authors resample by Keys' cubic `w`: of models without
//! registers with `a = −¾`, at the four neighbours of
//!
//! ```text
//! c = (u + ½) m/(n + 0.1) − ½
//! ```
//!
//! for position `u` of `n` out of `m`; of those with registers with `a = −½` and the kernel widened by `m/n`, as images are
//! resized ([`resize`](crate::image::resize)).

/// Resamples a square grid of `from²` rows of `width` numbers to `to²` rows.
pub(super) fn resampled(
    rows: &[f32],
    width: usize,
    (from, to): (usize, usize),
    registers: bool,
) -> Vec<f32> {
    if from == to {
        return rows.to_vec();
    }
    let taps: Vec<Vec<(usize, f64)>> = (0..to)
        .map(|u| if registers { widened(u, from, to) } else { nearest(u, from, to) })
        .collect();
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

/// Keys' cubic.
fn cubic(a: f64, x: f64) -> f64 {
    let x = x.abs();
    match x {
        _ if x < 1.0 => ((a + 2.0) * x - (a + 3.0)) * x * x + 1.0,
        _ if x < 2.0 => a * (((x - 5.0) * x + 8.0) * x - 4.0),
        _ => 0.0,
    }
}

fn nearest(u: usize, from: usize, to: usize) -> Vec<(usize, f64)> {
    let centre = (u as f64 + 0.5) * from as f64 / (to as f64 + 0.1) - 0.5;
    let floor = centre.floor();
    let tap = |i: i64| {
        let at = (floor as i64 + i).clamp(0, from as i64 - 1);
        (at as usize, cubic(-0.75, centre - floor - i as f64))
    };
    (-1..3).map(tap).collect()
}

fn widened(u: usize, from: usize, to: usize) -> Vec<(usize, f64)> {
    let scale = from as f64 / to as f64;
    let stretch = scale.max(1.0);
    let centre = (u as f64 + 0.5) * scale;
    let first = (centre - 2.0 * stretch + 0.5).max(0.0) as usize;
    let last = ((centre + 2.0 * stretch + 0.5) as usize).min(from);
    let weight = |v: usize| cubic(-0.5, (v as f64 - centre + 0.5) / stretch);
    let total: f64 = (first..last).map(weight).sum();
    (first..last).map(|v| (v, weight(v) / total)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_flat_stays_flat_and_the_same_size_the_same() {
        let flat = vec![1.5; 9 * 2];
        for registers in [false, true] {
            for to in [1, 2, 5] {
                let found = resampled(&flat, 2, (3, to), registers);
                assert_eq!(found.len(), to * to * 2);
                assert!(found.iter().all(|x| (x - 1.5).abs() < 1e-6), "{found:?}");
            }
            let rows: Vec<f32> = (0..18).map(|i| i as f32).collect();
            assert_eq!(resampled(&rows, 2, (3, 3), registers), rows);
        }
    }
}
