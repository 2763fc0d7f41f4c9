//! Labels made wrong on purpose.

use std::fmt;

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
pub fn flip(
    labels: &[usize],
    classes: usize,
    noise: LabelNoise,
    share: f64,
    seed: u64,
) -> Result<Vec<usize>> {
    if !(0.0..=1.0).contains(&share) {
        return Err(Error::parameter("noise", share, "a share of labels lies between 0 and 1"));
    }
    if classes < 2 {
        return Err(Error::parameter("classes", classes, "a wrong label needs a second class"));
    }
    let mut random = Random::stream(seed, 0);
    let rows: Vec<usize> = (0..labels.len()).collect();
    let count = (share * labels.len() as f64).round() as usize;
    let mut flipped = labels.to_vec();
    for row in random.choose(&rows, count) {
        let step = match noise {
            LabelNoise::Symmetric => 1 + random.below(classes - 1),
            LabelNoise::Asymmetric => 1,
        };
        flipped[row] = (labels[row] + step) % classes;
    }
    Ok(flipped)
}

#[cfg(test)]
mod tests {
    use super::*;

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
