//! Three detectors of wrong labels: the path, and the two scores that most such tools have.

use std::fmt;

use crate::classifiers::ClassifierKind;
use rayon::prelude::*;
use trustpath::audit;
use trustpath::neighbors::Neighbors;
use trustpath::{Features, Instances};

use crate::{Random, Result};

/// Folds of the cross-validation.
const FOLDS: usize = 5;
/// Neighbours that vote.
const NEIGHBORS: usize = 10;

/// A detector of wrong labels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Detector {
    /// [`audit`]: how suspicious a label is on a path to which it did not contribute; its suspects at the default precision.
    Path,
    /// One minus the probability that a cross-validated logistic regression gives the label; a suspect is an instance
    /// for which another label is more probable.
    Confidence,
    /// The share of the ten nearest neighbours that have another label; a suspect is an instance with a label that more
    /// of them have.
    Neighbors,
}

/// How suspicious each label is, and which labels are suspects.
#[derive(Debug, Clone, PartialEq)]
pub struct Suspicion {
    /// The larger, the more suspicious.
    pub score: Vec<f64>,
    /// Whether the detector calls the label wrong.
    pub suspect: Vec<bool>,
}

impl Detector {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Path, Self::Confidence, Self::Neighbors];

    /// Examines the labels. `instances` are the features at unit length.
    ///
    /// # Errors
    /// When labels and instances differ in number, a label is out of range, or there are too few instances.
    pub fn examine(
        self,
        features: &Features<'_>,
        instances: &Instances,
        labels: &[usize],
        classes: usize,
    ) -> Result<Suspicion> {
        match self {
            Self::Path => {
                let audited = audit(features, labels).classes(classes).run()?;
                Ok(Suspicion { score: audited.score, suspect: audited.suspect })
            }
            Self::Confidence => confidence(instances, labels, classes),
            Self::Neighbors => disagreement(instances, labels, classes),
        }
    }
}

impl fmt::Display for Detector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Path => "path",
            Self::Confidence => "confidence",
            Self::Neighbors => "neighbours",
        })
    }
}

/// Each fold is judged by a classifier trained on the other folds.
fn confidence(instances: &Instances, labels: &[usize], classes: usize) -> Result<Suspicion> {
    let mut order: Vec<usize> = (0..labels.len()).collect();
    Random::stream(0, 1).shuffle(&mut order);
    // Sorted by class, so that every fold gets an equal share of each.
    order.sort_by_key(|&row| labels[row]);
    let folds: Vec<Vec<usize>> = (0..FOLDS).map(|f| order.iter().copied().skip(f).step_by(FOLDS).collect()).collect();
    let judged: Vec<Vec<(usize, f64, bool)>> = (0..FOLDS)
        .into_par_iter()
        .map(|held_out| {
            let others = (0..FOLDS).filter(|&f| f != held_out);
            let rows: Vec<usize> = others.flat_map(|f| folds[f].iter().copied()).collect();
            let with: Vec<usize> = rows.iter().map(|&row| labels[row]).collect();
            let classifier = ClassifierKind::Logistic.build();
            let mut trainer = classifier.trainer(instances, classes);
            trainer.train(&rows, &with)?;
            let p = trainer.probabilities(&folds[held_out]);
            let judge = |(at, &row): (usize, &usize)| {
                let given = p[(at, labels[row])];
                (row, 1.0 - given, p.row(at).iter().any(|&other| other > given))
            };
            Ok(folds[held_out].iter().enumerate().map(judge).collect())
        })
        .collect::<Result<_>>()?;
    let mut suspicion = Suspicion { score: vec![0.0; labels.len()], suspect: vec![false; labels.len()] };
    for (row, score, suspect) in judged.into_iter().flatten() {
        suspicion.score[row] = score;
        suspicion.suspect[row] = suspect;
    }
    Ok(suspicion)
}

/// The votes of the neighbours.
fn disagreement(instances: &Instances, labels: &[usize], classes: usize) -> Result<Suspicion> {
    let graph = Neighbors::of(instances, labels.len(), NEIGHBORS)?;
    let judge = |row: usize| {
        let mut votes = vec![0usize; classes];
        graph.indices(row).for_each(|other| votes[labels[other]] += 1);
        let given = votes[labels[row]];
        (1.0 - given as f64 / NEIGHBORS as f64, votes.iter().any(|&other| other > given))
    };
    let (score, suspect) = (0..labels.len()).map(judge).unzip();
    Ok(Suspicion { score, suspect })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_detector_finds_obviously_wrong_labels() {
        let value = |i: usize, j: usize| {
            if i % 4 == j { 2.0 } else { 0.6 + 0.5 * (((i * 8 + j) * (i * 8 + j)) as f64 * 0.7).sin() }
        };
        let values: Vec<f64> = (0..120 * 8).map(|at| value(at / 8, at % 8)).collect();
        let wrong = [7, 30, 61, 90, 113];
        let labels: Vec<usize> = (0..120).map(|i| if wrong.contains(&i) { (i + 1) % 4 } else { i % 4 }).collect();
        let features = Features::new(&values[..], 120, 8).unwrap();
        let instances = features.normalize().unwrap();
        for detector in Detector::ALL {
            let suspicion = detector.examine(&features, &instances, &labels, 4).unwrap();
            let suspects: Vec<usize> = (0..120).filter(|&i| suspicion.suspect[i]).collect();
            // The audit calls only those suspects of which it is sure, which may be none of so few labels.
            match detector {
                Detector::Path => assert!(suspects.iter().all(|row| wrong.contains(row))),
                _ => assert_eq!(suspects, wrong, "{detector}"),
            }
            let least = wrong.iter().map(|&i| suspicion.score[i]).fold(f64::INFINITY, f64::min);
            let right = (0..120).filter(|i| !wrong.contains(i));
            assert!(right.into_iter().all(|i| suspicion.score[i] < least), "{detector}");
        }
    }

    #[test]
    fn too_few_instances_are_refused() {
        let values = [1.0, 0.1, 0.9, 0.2, 0.1, 1.0, 0.2, 0.8];
        let features = Features::new(&values[..], 4, 2).unwrap();
        let instances = features.normalize().unwrap();
        assert!(Detector::Neighbors.examine(&features, &instances, &[0, 0, 1, 1], 2).is_err());
    }
}
