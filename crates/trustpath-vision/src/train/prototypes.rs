//! How good features are: the accuracy of prototypes on episodes.
//!
//! With `f̂` a feature of unit length, a class is the mean of its labeled `f̂`, and an image belongs to
//! the class whose mean has the largest cosine with it.

use rayon::prelude::*;
use trustpath::random::Random;

use crate::{Error, Result};

/// Classes per episode.
const WAYS: usize = 5;
/// Images of each class that are to be recognised.
const QUERIES: usize = 15;

/// Share of the images that are recognised, over episodes drawn from a seed.
///
/// ```
/// use trustpath_vision::train::prototype_accuracy;
///
/// // Five classes, each of them one direction: nothing to mistake.
/// let labels: Vec<usize> = (0..100).map(|row| row % 5).collect();
/// let features: Vec<f32> =
///     labels.iter().flat_map(|&class| (0..5).map(move |j| if j == class { 2.0 } else { 0.0 })).collect();
/// assert_eq!(prototype_accuracy(&features, 5, &labels, 1, 20, 1)?, 1.0);
/// # Ok::<(), trustpath_vision::Error>(())
/// ```
pub fn prototype_accuracy(
    features: &[f32],
    dim: usize,
    labels: &[usize],
    shots: usize,
    episodes: usize,
    seed: u64,
) -> Result<f64> {
    let mut by_class: Vec<Vec<usize>> = Vec::new();
    for (row, &class) in labels.iter().enumerate() {
        by_class.resize(by_class.len().max(class + 1), Vec::new());
        by_class[class].push(row);
    }
    by_class.retain(|rows| rows.len() >= shots + QUERIES);
    if by_class.len() < WAYS {
        return Err(too_few_classes(by_class.len(), WAYS));
    }
    let unit = unit_rows(features, dim);
    let right: usize = (0..episodes as u64)
        .into_par_iter()
        .map(|episode| recognised(&unit, dim, &by_class, shots, Random::stream(seed, episode)))
        .sum();
    Ok(right as f64 / (episodes * WAYS * QUERIES) as f64)
}

/// Says that there are fewer classes than an episode has ways.
pub(super) fn too_few_classes(large_enough: usize, needed: usize) -> Error {
    let remedy = "give more classes or fewer ways";
    Error::Input(format!("{large_enough} classes have enough images but an episode has {needed}: {remedy}"))
}

fn unit_rows(features: &[f32], dim: usize) -> Vec<f32> {
    let mut unit = features.to_vec();
    for row in unit.chunks_exact_mut(dim) {
        let norm = dot(row, row).sqrt().max(f32::MIN_POSITIVE);
        row.iter_mut().for_each(|x| *x /= norm);
    }
    unit
}

/// How many images of one episode are recognised.
fn recognised(unit: &[f32], dim: usize, by_class: &[Vec<usize>], shots: usize, mut random: Random) -> usize {
    let classes: Vec<usize> = (0..by_class.len()).collect();
    let row = |i: usize| &unit[i * dim..][..dim];
    let mut queries = Vec::with_capacity(WAYS * QUERIES);
    let mut means = vec![0.0; WAYS * dim];
    for (way, class) in random.choose(&classes, WAYS).into_iter().enumerate() {
        let rows = random.choose(&by_class[class], shots + QUERIES);
        let mean = &mut means[way * dim..][..dim];
        for &i in &rows[..shots] {
            mean.iter_mut().zip(row(i)).for_each(|(m, x)| *m += x);
        }
        queries.extend(rows[shots..].iter().map(|&i| (i, way)));
    }
    let means = unit_rows(&means, dim);
    let nearest = |i: usize| {
        let cosine = |way: usize| dot(row(i), &means[way * dim..][..dim]);
        (1..WAYS).fold(0, |best, way| if cosine(way) > cosine(best) { way } else { best })
    };
    queries.into_iter().filter(|&(i, way)| nearest(i) == way).count()
}

/// In sixteen sums, which the compiler makes one vector of.
fn dot(a: &[f32], b: &[f32]) -> f32 {
    let mut sums = [0.0_f32; 16];
    let (a, b) = (a.chunks(16), b.chunks(16));
    for (a, b) in a.zip(b) {
        sums.iter_mut().zip(a.iter().zip(b)).for_each(|(sum, (x, y))| *sum += x * y);
    }
    sums.iter().sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn features_without_meaning_are_at_chance() {
        let mut random = Random::stream(3, 0);
        let features: Vec<f32> = (0..300 * 32).map(|_| random.normal() as f32).collect();
        let labels: Vec<usize> = (0..300).map(|row| row % 10).collect();
        let accuracy = prototype_accuracy(&features, 32, &labels, 1, 400, 1).unwrap();
        assert!((accuracy - 0.2).abs() < 0.02, "{accuracy}");
    }

    #[test]
    fn too_few_classes_are_refused() {
        let error = prototype_accuracy(&[1.0; 80], 1, &[0; 80], 1, 10, 1).unwrap_err();
        assert!(error.to_string().contains("classes"), "{error}");
    }
}
