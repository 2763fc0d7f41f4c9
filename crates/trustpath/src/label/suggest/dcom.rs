//! A mix of coverage and margin that shifts as the labels cover the pool: DCoM (Mishal and Weinshall, 2024).
//!
//! ```text
//! R(x) = S(C) · (1 − M(x)) + (1 − S(C)) · D(x)        the next instance is the one with the largest R
//!
//! S(C) = (1 + e^(−k(1−a))) / (1 + e^(−k(C−a)))        a = 0.9, k = 30
//! ```
//!
//! `M` is the margin of the classifier and `D` the number of instances within the mean radius that nothing covers yet; `1 − M` and `D`
//! are scaled to at most 1. `C` is the share of the pool that the balls around labelled instances cover. Each of these has a radius of its own: the
//! largest, up to [`LARGEST`] times that of ProbCover, at which a share `τ = 0.4 + 0.2 C` of the ball has its label under the classifier.
//!
//! Where the published procedure goes through a history, this takes what there is now: `τ` comes from the coverage under
//! ProbCover's radius, and all radii from the current classifier. Without labels it is ProbCover.

use rayon::prelude::*;

use super::Candidates;
use super::ball_cover::{cover_again, purest_cosine, within};
use crate::limits::SUGGEST_COVERED;
use crate::linalg::vector::dot;
use crate::task::arg_max;

/// Centre and steepness of the weight of the margin.
const CENTRE: f64 = 0.9;
const STEEPNESS: f64 = 30.0;
/// The largest radius, relative to that of ProbCover.
const LARGEST: f64 = 1.5;

pub(super) fn choose(pool: &Candidates<'_>, batch: usize) -> Vec<usize> {
    let open = pool.sample(batch);
    let place: Vec<usize> =
        open.iter().map(|row| pool.open.partition_point(|other| other < row)).collect();
    let first = distance_of(purest_cosine(pool, &open));
    let balls = Balls::around_labels(pool, &open, &place, first);
    let near = within(pool, &open, cosine_of(balls.mean_radius));
    let by_margin = competence(balls.coverage);
    let doubt = scaled(place.iter().map(|&at| 1.0 - pool.margin[at]).collect());
    let mut covered = balls.covered;
    let mut is_chosen = vec![false; open.len()];
    let mut chosen = Vec::new();
    while chosen.len() < batch {
        cover_again(&mut covered, &is_chosen);
        let reach = near.par_iter().map(|of| of.iter().filter(|&&i| !covered[i]).count() as f64);
        let reach = scaled(reach.collect());
        let score: Vec<f64> = (0..open.len())
            .map(|at| match is_chosen[at] {
                true => -1.0,
                false => by_margin * doubt[at] + (1.0 - by_margin) * reach[at],
            })
            .collect();
        let at = arg_max(&score);
        is_chosen[at] = true;
        near[at].iter().for_each(|&i| covered[i] = true);
        chosen.push(open[at]);
    }
    chosen
}

/// The weight of the margin when this share of the pool is covered.
fn competence(coverage: f64) -> f64 {
    let logistic = |at: f64| 1.0 + (-STEEPNESS * (at - CENTRE)).exp();
    logistic(1.0) / logistic(coverage)
}

/// Values that are at least 0, divided by the largest.
fn scaled(mut values: Vec<f64>) -> Vec<f64> {
    let most = values.iter().copied().fold(0.0, f64::max);
    if most > 0.0 {
        values.iter_mut().for_each(|value| *value /= most);
    }
    values
}

fn distance_of(cosine: f64) -> f64 {
    (2.0 - 2.0 * cosine).max(0.0).sqrt()
}

fn cosine_of(distance: f64) -> f64 {
    1.0 - distance * distance / 2.0
}

/// The balls around labelled instances.
struct Balls {
    /// Which of the open instances are in one.
    covered: Vec<bool>,
    /// The share of all instances that are.
    coverage: f64,
    mean_radius: f64,
}

impl Balls {
    fn around_labels(pool: &Candidates<'_>, open: &[usize], place: &[usize], first: f64) -> Self {
        let every = pool.given.len().div_ceil(SUGGEST_COVERED).max(1);
        let labelled: Vec<(usize, usize)> = pool
            .given
            .iter()
            .zip(pool.labels)
            .step_by(every)
            .map(|(&row, &label)| (row, label))
            .collect();
        let labels: Vec<usize> = labelled.iter().map(|&(_, label)| label).collect();
        let labels: Vec<usize> =
            labels.into_iter().chain(place.iter().map(|&at| pool.predicted[at])).collect();
        // The nearest of all instances, the labelled ones first.
        let near = |&(row, _): &(usize, usize)| -> Vec<(f64, usize)> {
            let all = labelled.iter().map(|&(row, _)| row).chain(open.iter().copied());
            let distance = |other: usize| distance_of(dot(pool.u.row(row), pool.u.row(other)));
            let mut near: Vec<(f64, usize)> =
                all.enumerate().map(|(at, other)| (distance(other), at)).collect();
            near.retain(|(distance, _)| *distance < LARGEST * first);
            near.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            near
        };
        let near: Vec<Vec<(f64, usize)>> = labelled.par_iter().map(near).collect();
        let cover = |radius: &dyn Fn(usize) -> f64| {
            let mut covered = vec![false; labels.len()];
            for (at, near) in near.iter().enumerate() {
                let inside = near.iter().take_while(|(distance, _)| *distance <= radius(at));
                inside.for_each(|&(_, other)| covered[other] = true);
            }
            let count = covered.iter().filter(|&&covered| covered).count();
            (count as f64 / covered.len().max(1) as f64, covered)
        };
        let threshold = 0.4 + 0.2 * cover(&|_| first).0;
        let radius: Vec<f64> = near
            .iter()
            .zip(&labelled)
            .map(|(near, &(_, label))| {
                largest_pure(near, |other| labels[other] == label, threshold)
            })
            .collect();
        let (coverage, covered) = cover(&|at| radius[at]);
        let mean_radius = match radius.len() {
            0 => first,
            count => radius.iter().sum::<f64>() / count as f64,
        };
        Self { covered: covered[labelled.len()..].to_vec(), coverage, mean_radius }
    }
}

/// The largest distance up to which a share of at least `threshold` of the instances agrees.
fn largest_pure(near: &[(f64, usize)], agrees: impl Fn(usize) -> bool, threshold: f64) -> f64 {
    let (mut agreeing, mut largest) = (0, 0.0);
    for (at, &(distance, other)) in near.iter().enumerate() {
        agreeing += usize::from(agrees(other));
        if agreeing as f64 >= threshold * (at + 1) as f64 {
            largest = distance;
        }
    }
    largest
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Matrix;
    use crate::label::suggest::ball_cover;

    #[test]
    fn the_weight_of_the_margin_grows_with_coverage() {
        assert!(competence(0.0) < 1e-10 && competence(0.5) < 1e-4);
        // (1 + e⁻³) / 2.
        assert!((competence(0.9) - 0.524_893_5).abs() < 1e-6);
        assert!((competence(1.0) - 1.0).abs() < 1e-12);
    }

    #[test]
    fn the_largest_pure_ball_may_go_past_an_exception() {
        let near = [(0.0, 0), (0.1, 1), (0.2, 9), (0.3, 2), (0.4, 9), (0.5, 9)];
        let agrees = |other: usize| other < 9;
        assert_eq!(largest_pure(&near, agrees, 0.75), 0.3);
        assert_eq!(largest_pure(&near, agrees, 0.9), 0.1);
        assert_eq!(largest_pure(&near, agrees, 0.5), 0.5);
    }

    /// Four groups on four axes, of 30 each.
    fn groups() -> Matrix {
        Matrix::from_fn(120, 6, |i, j| {
            if i % 4 == j { 1.0 } else { 0.02 * ((i * 6 + j) as f64 * 1.7).sin() }
        })
    }

    #[test]
    fn without_labels_it_is_probcover_and_with_all_covered_the_margin() {
        let u = groups();
        let open: Vec<usize> = (0..120).collect();
        let pool = Candidates {
            u: &u,
            given: &[],
            labels: &[],
            open: &open,
            margin: &[0.0; 120],
            predicted: &[0; 120],
            classes: 4,
        };
        // Four cover everything; then it is covered again.
        for batch in [3, 12] {
            assert_eq!(choose(&pool, batch), ball_cover::choose(&pool, batch));
        }
        // One label in each group covers all of them.
        let open: Vec<usize> = (4..120).collect();
        let margin: Vec<f64> = open.iter().map(|&row| (row * 37 % 120) as f64 / 120.0).collect();
        let predicted: Vec<usize> = open.iter().map(|row| row % 4).collect();
        let pool = Candidates {
            given: &[0, 1, 2, 3],
            labels: &[0, 1, 2, 3],
            open: &open,
            margin: &margin,
            predicted: &predicted,
            ..pool
        };
        let mut by_margin = open.clone();
        by_margin.sort_by_key(|row| row * 37 % 120);
        assert_eq!(choose(&pool, 3), by_margin[..3]);
    }
}
