//! The path turned on the labels that are given: which of them are likely wrong, and what they should be.
//!
//! Every instance's label is regressed on its coordinates ([`crate::label`] says which), with an incidental parameter
//! each. A label that does not fit its neighbourhood needs its parameter until the largest `λ`: the vanishing `λ` ranks
//! the suspects. Against the frozen path every other label can be tried too: the one that would vanish first is what
//! the label should perhaps be, and an instance is a suspect if that would vanish before its own.

use crate::incidental::{Keep, check_labels};
use crate::label::{
    FrozenPath, GRID, Judgement, Limits, NEAREST, Representation, Stages, Unwatched, Watch,
    credibility, fit, follow,
};
use crate::neighbors::{Neighbors, nearest_among};
use crate::{Features, Instances, Matrix, Result};

/// Labels under suspicion. Everything is in the order of the rows of the features.
#[derive(Debug, Clone)]
pub struct Audit {
    /// How credible the given label of each instance is.
    pub credibility: Vec<f64>,
    /// The label that fits best besides the given one.
    pub suggested: Vec<usize>,
    /// How credible that would be.
    pub suggested_credibility: Vec<f64>,
    /// Whether it would be more credible than the given one.
    pub suspect: Vec<bool>,
    /// All rows, the most suspicious first.
    pub ranking: Vec<usize>,
    /// The grid of the path.
    pub lambda: Vec<f64>,
    /// `‖γᵢ(λ)‖`, one row a `λ`, one column an instance.
    pub gamma_norm: Matrix,
    /// The instance of each of its columns: all of them, or in a large pool those that the path was fitted to.
    pub followed: Vec<usize>,
    /// The nearest other instances, nearest first.
    pub nearest: Neighbors,
    /// The share of the true neighbours that smoothing used in a large pool; `None` where it used them all.
    pub recall: Option<f64>,
    /// The coordinates in which all this was found.
    pub coordinates: Instances,
}

/// Audits the labels of all rows.
///
/// # Errors
/// When labels and instances differ in number, a label is out of range, there are fewer than two classes, all instances
/// are the same, or one has no direction.
pub fn audit(features: &Features<'_>, labels: &[usize], classes: usize) -> Result<Audit> {
    audit_within(features, labels, classes, Limits::default(), &mut Unwatched)
}

/// The same, with limits of one's own on how much of a large pool is looked at, and someone who watches.
///
/// # Errors
/// As [`audit`], or when the watch asks to stop.
pub fn audit_within(
    features: &Features<'_>,
    labels: &[usize],
    classes: usize,
    limits: Limits,
    watch: &mut dyn Watch,
) -> Result<Audit> {
    let rows = features.rows();
    check_labels(labels, rows, classes)?;
    let mut stages = Stages::new(watch, 1 + Representation::stages(rows, limits));
    let representation = Representation::of(features, limits, &mut stages)?;
    stages.next("walking the path")?;
    let x = representation.smooth.unit();
    let fitted = limits.to_fit(labels, classes);
    let (coordinates, with): (Vec<&[f64]>, Vec<usize>) =
        fitted.iter().map(|&row| (x.row(row), labels[row])).unzip();
    let coordinates = Matrix::from_vec(fitted.len(), x.cols(), coordinates.concat())?;
    let keep = Keep { beta: true, gamma: true, certificate: false };
    let path = fit(&coordinates, &with, classes, GRID, keep)?;
    let all: Vec<usize> = (0..rows).collect();
    let judged = FrozenPath::of(&path).judge(x, &all, |row| Some(labels[row]));
    let mut vanish: Vec<f64> = judged.iter().map(|judged| judged.vanish).collect();
    if fitted.len() == rows {
        // Those that are part of the path know more exactly where they left it.
        vanish.clone_from(&path.vanish);
    }
    let own: Vec<f64> = vanish.iter().map(|&lambda| credibility(lambda)).collect();
    let other: Vec<f64> = judged.iter().map(Judgement::rival_credibility).collect();
    let mut ranking = all;
    ranking.sort_by(|&a, &b| vanish[b].total_cmp(&vanish[a]));
    let (followed, gamma_norm) = follow(&path, &fitted, rows, fitted.len() == rows);
    Ok(Audit {
        suspect: own.iter().zip(&other).map(|(own, other)| other > own).collect(),
        credibility: own,
        suggested: judged.iter().map(|judged| judged.rival).collect(),
        suggested_credibility: other,
        lambda: path.lambda,
        gamma_norm,
        followed,
        nearest: match representation.neighbors {
            Some(neighbors) => neighbors,
            None => nearest_among(x, &ranking, NEAREST),
        },
        ranking,
        recall: representation.recall,
        coordinates: representation.smooth,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Error;

    #[test]
    fn flipped_labels_come_first_with_the_right_suggestion() {
        let (n, d) = (120, 10);
        let values: Vec<f64> = (0..n * d)
            .map(|at| {
                let (i, j) = (at / d, at % d);
                if j == i % 4 { 2.0 } else { 0.6 + 0.5 * ((at * at) as f64 * 0.7).sin() }
            })
            .collect();
        let flipped = [7, 30, 61, 90, 113];
        let labels: Vec<usize> =
            (0..n).map(|i| if flipped.contains(&i) { (i + 1) % 4 } else { i % 4 }).collect();
        let found = audit(&Features::new(&values[..], n, d).unwrap(), &labels, 4).unwrap();
        let mut first = found.ranking[..5].to_vec();
        first.sort_unstable();
        assert_eq!(first, flipped);
        for row in flipped {
            assert!(found.suspect[row]);
            assert_eq!(found.suggested[row], row % 4);
        }
        assert_eq!(found.suspect.iter().filter(|s| **s).count(), 5);
    }

    #[test]
    fn one_class_and_a_missing_label_are_refused() {
        let values = [1.0, 2.0, 2.0, 1.0];
        let features = Features::new(&values[..], 2, 2).unwrap();
        assert!(matches!(audit(&features, &[0, 0], 1), Err(Error::OneClass { .. })));
        assert!(matches!(audit(&features, &[0], 2), Err(Error::LabelCount { .. })));
    }
}
