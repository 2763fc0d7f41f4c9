//! Clusters by Lloyd's algorithm from centres that are drawn far from each other (k-means++).

use rayon::prelude::*;

use crate::Matrix;
use crate::linalg::vector::dot;
use crate::random::Random;
use crate::task::arg_max;

/// Steps at most; clusters that no longer change end it earlier.
const STEPS: usize = 30;

/// The cluster of each of these rows, which have unit length. The same for any number of threads.
pub(super) fn clusters(u: &Matrix, rows: &[usize], count: usize) -> Vec<usize> {
    let count = count.clamp(1, rows.len());
    let mut centres = drawn_apart(u, rows, count);
    let mut cluster = vec![usize::MAX; rows.len()];
    for _ in 0..STEPS {
        let half: Vec<f64> = centres.iter().map(|c| dot(c, c) / 2.0).collect();
        // For a row of unit length the nearest centre has the largest ⟨u, c⟩ − ‖c‖²/2.
        let nearest: Vec<usize> = rows
            .par_iter()
            .map(|&row| {
                let near = centres.iter().zip(&half).map(|(c, half)| dot(u.row(row), c) - half);
                arg_max(&near.collect::<Vec<f64>>())
            })
            .collect();
        if nearest == cluster {
            break;
        }
        cluster = nearest;
        let mut sums = vec![vec![0.0; u.cols()]; count];
        let mut sizes = vec![0.0; count];
        for (&row, &k) in rows.iter().zip(&cluster) {
            sums[k].iter_mut().zip(u.row(row)).for_each(|(sum, x)| *sum += x);
            sizes[k] += 1.0;
        }
        for (k, sum) in sums.into_iter().enumerate().filter(|(k, _)| sizes[*k] > 0.0) {
            centres[k] = sum.into_iter().map(|x| x / sizes[k]).collect();
        }
    }
    cluster
}

/// Each centre is a row drawn with a probability that grows with the squared distance to the centres before it.
fn drawn_apart(u: &Matrix, rows: &[usize], count: usize) -> Vec<Vec<f64>> {
    let mut random = Random::stream(0, count as u64);
    let mut centres = vec![u.row(rows[0]).to_vec()];
    let mut distance = vec![f64::INFINITY; rows.len()];
    while centres.len() < count {
        let last = &centres[centres.len() - 1];
        distance.par_iter_mut().zip(rows).for_each(|(d, &row)| {
            *d = d.min((2.0 - 2.0 * dot(u.row(row), last)).max(0.0));
        });
        let mut left = random.uniform() * distance.iter().sum::<f64>();
        let drawn = distance.iter().position(|d| {
            left -= d;
            left < 0.0
        });
        centres.push(u.row(rows[drawn.unwrap_or(rows.len() - 1)]).to_vec());
    }
    centres
}
