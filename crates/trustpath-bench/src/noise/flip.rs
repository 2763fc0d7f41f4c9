//! Labels made wrong on purpose.

use std::fmt;

use trustpath::Instances;
use trustpath_path::linalg::geometry::{centre, class_sums, mean};
use trustpath_path::linalg::vector;

use crate::{Error, Random, Result};

/// The kind of wrong labels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LabelNoise {
    /// Any other class, with equal probability.
    Symmetric,
    /// The next class (the first for the last): the mistakes of a class are all the same.
    Asymmetric,
}

impl LabelNoise {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::Symmetric, Self::Asymmetric];
}

impl fmt::Display for LabelNoise {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Symmetric => "symmetric",
            Self::Asymmetric => "asymmetric",
        })
    }
}

/// The labels with a share of them made wrong: exactly that share of all rows, rounded, chosen at random.
///
/// # Errors
/// If the share is not between 0 and 1, or there are fewer than two classes.
pub fn flip(labels: &[usize], classes: usize, noise: LabelNoise, share: f64, seed: u64) -> Result<Vec<usize>> {
    if classes < 2 {
        return Err(Error::parameter("classes", classes, "a wrong label needs a second class"));
    }
    change(labels, share, seed, |random, label| {
        let step = match noise {
            LabelNoise::Symmetric => 1 + random.below(classes - 1),
            LabelNoise::Asymmetric => 1,
        };
        (label + step) % classes
    })
}

/// The labels with a share of them made wrong, where every mistake of class `k` is `to[k]`: exactly that share of all rows,
/// rounded, chosen at random.
///
/// # Errors
/// If the share is not between 0 and 1, or a label has no entry in `to`.
pub fn flip_to(labels: &[usize], to: &[usize], share: f64, seed: u64) -> Result<Vec<usize>> {
    if let Some(label) = labels.iter().find(|&&label| label >= to.len()) {
        return Err(Error::parameter("label", label, "every class needs the class it becomes"));
    }
    change(labels, share, seed, |_, label| to[label])
}

/// The labels with others in the place of a share of them, chosen at random.
fn change(labels: &[usize], share: f64, seed: u64, other: impl Fn(&mut Random, usize) -> usize) -> Result<Vec<usize>> {
    if !(0.0..=1.0).contains(&share) {
        return Err(Error::parameter("noise", share, "a share of labels lies between 0 and 1"));
    }
    let mut random = Random::stream(seed, 0);
    let rows: Vec<usize> = (0..labels.len()).collect();
    let mut changed = labels.to_vec();
    for row in random.choose(&rows, (share * labels.len() as f64).round() as usize) {
        changed[row] = other(&mut random, labels[row]);
    }
    Ok(changed)
}

/// The class that is most similar to each class: the one with the largest cosine between their means, from which the mean of all
/// instances is subtracted.
pub fn most_similar(instances: &Instances, labels: &[usize], classes: usize) -> Vec<usize> {
    let x = instances.unit();
    let (mut means, sizes) = class_sums(x, labels, classes);
    for (class, size) in sizes.iter().enumerate() {
        means.row_mut(class).iter_mut().for_each(|v| *v /= size.max(1.0));
    }
    centre(&mut means, 0..classes, &mean(x, 0..labels.len()));
    let cosine = |a: usize, b: usize| vector::dot(means.row(a), means.row(b));
    let nearest = |class: usize| {
        let others = (0..classes).filter(|&other| other != class);
        let best = others.max_by(|&a, &b| cosine(class, a).total_cmp(&cosine(class, b)));
        best.unwrap_or(class)
    };
    (0..classes).map(nearest).collect()
}

#[cfg(test)]
mod tests {
    use trustpath::Features;

    use super::*;

    #[test]
    fn mistakes_go_to_the_most_similar_class() {
        // Classes 0 and 1 lean towards the first axes together, 2 and 3 towards the last.
        let lean = |class: usize, j: usize| match (class / 2 == j / 2, class == j) {
            (_, true) => 2.0,
            (true, _) => 1.0,
            _ => 0.1,
        };
        let values: Vec<f64> =
            (0..80 * 4).map(|at| lean(at / 4 % 4, at % 4) + 0.05 * ((at * at) as f64).sin()).collect();
        let labels: Vec<usize> = (0..80).map(|i| i % 4).collect();
        let instances = Features::new(&values[..], 80, 4).unwrap().normalize().unwrap();
        let to = most_similar(&instances, &labels, 4);
        assert_eq!(to, [1, 0, 3, 2]);
        let flipped = flip_to(&labels, &to, 0.25, 1).unwrap();
        let changed: Vec<usize> = (0..80).filter(|&i| flipped[i] != labels[i]).collect();
        assert_eq!(changed.len(), 20);
        assert!(changed.iter().all(|&i| flipped[i] == to[labels[i]]));
        assert!(flip_to(&labels, &to, 1.5, 1).is_err() && flip_to(&labels, &to[..2], 0.1, 1).is_err());
    }

    #[test]
    fn the_share_asked_for_is_wrong_and_the_seed_decides_which() {
        let labels: Vec<usize> = (0..1000).map(|i| i % 7).collect();
        for noise in LabelNoise::ALL {
            for share in [0.0, 0.1, 0.4, 1.0] {
                let flipped = flip(&labels, 7, noise, share, 3).unwrap();
                let wrong = flipped.iter().zip(&labels).filter(|(a, b)| a != b).count();
                assert_eq!(wrong, (1000.0 * share) as usize);
                assert!(flipped.iter().all(|&label| label < 7));
                assert_eq!(flipped, flip(&labels, 7, noise, share, 3).unwrap());
            }
            let other = flip(&labels, 7, noise, 0.1, 4).unwrap();
            assert_ne!(other, flip(&labels, 7, noise, 0.1, 3).unwrap());
        }
    }

    #[test]
    fn asymmetric_noise_takes_the_next_class_and_symmetric_any() {
        let labels = vec![4; 600];
        let to = |noise| {
            let mut counts = [0; 5];
            flip(&labels, 5, noise, 1.0, 0).unwrap().iter().for_each(|&label| counts[label] += 1);
            counts
        };
        assert_eq!(to(LabelNoise::Asymmetric), [600, 0, 0, 0, 0]);
        // Each count is binomial(600, ¼) with a deviation of 10.6: five of them.
        assert!(to(LabelNoise::Symmetric)[..4].iter().all(|&n: &i32| (n - 150).abs() < 53));
        assert_eq!(to(LabelNoise::Symmetric)[4], 0);
    }

    #[test]
    fn invalid_shares_and_a_single_class_are_refused() {
        for share in [-0.1, 1.1, f64::NAN] {
            assert!(matches!(
                flip(&[0, 1], 2, LabelNoise::Symmetric, share, 0),
                Err(Error::Parameter { name: "noise", .. })
            ));
        }
        assert!(flip(&[0, 0], 1, LabelNoise::Symmetric, 0.5, 0).is_err());
    }
}
