//! Labels made wrong on purpose.

use std::fmt;

use trustpath::Instances;

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

/// The labels with a share of them made wrong, where every mistake of class `k` is `to[k]`: exactly that share of all rows,
/// rounded, chosen at random.
///
/// # Errors
/// If the share is not between 0 and 1, or a label has no entry in `to`.
pub fn flip_to(labels: &[usize], to: &[usize], share: f64, seed: u64) -> Result<Vec<usize>> {
    if !(0.0..=1.0).contains(&share) {
        return Err(Error::parameter("noise", share, "a share of labels lies between 0 and 1"));
    }
    if let Some(label) = labels.iter().find(|&&label| label >= to.len()) {
        return Err(Error::parameter("label", label, "every class needs the class it becomes"));
    }
    let rows: Vec<usize> = (0..labels.len()).collect();
    let count = (share * labels.len() as f64).round() as usize;
    let mut flipped = labels.to_vec();
    for row in Random::stream(seed, 0).choose(&rows, count) {
        flipped[row] = to[labels[row]];
    }
    Ok(flipped)
}

/// The class that is most similar to each class: the one with the largest cosine between their means, from which the mean of all
/// instances is subtracted.
pub fn most_similar(instances: &Instances, labels: &[usize], classes: usize) -> Vec<usize> {
    let x = instances.unit();
    let d = x.cols();
    let mut means = vec![vec![0.0; d]; classes];
    let mut centre = vec![0.0; d];
    let members = |class: usize| labels.iter().filter(|&&l| l == class).count().max(1) as f64;
    let sizes: Vec<f64> = (0..classes).map(members).collect();
    for (row, &label) in x.iter_rows().zip(labels) {
        for ((mean, all), v) in means[label].iter_mut().zip(&mut centre).zip(row) {
            *mean += v / sizes[label];
            *all += v / labels.len() as f64;
        }
    }
    for mean in &mut means {
        mean.iter_mut().zip(&centre).for_each(|(m, c)| *m -= c);
        let length = mean.iter().map(|m| m * m).sum::<f64>().sqrt();
        mean.iter_mut().for_each(|m| *m /= length.max(f64::MIN_POSITIVE));
    }
    let cosine = |a: usize, b: usize| means[a].iter().zip(&means[b]).map(|(a, b)| a * b).sum::<f64>();
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
