//! The model that remains of a labelled pool: a classifier and a frozen path, for instances that were not in it.
//!
//! Such an instance has no neighbours in the pool to be smoothed over. So both are trained on the coordinates that the
//! pool's own instances have without smoothing, under the labels that were found with it: the classifier on the given ones,
//! the trusted ones and the best half of every class; the path on all. Instances that are none of these train one more class.
//!
//! How often a prediction is right is estimated on the pool itself. Half of it is predicted by a classifier that was
//! trained without that half, as if it were new. Where the prediction is the label that the pool has, it is right with the
//! probability of that label, and otherwise it is taken to be wrong. The estimate falls with the classifier's
//! probability (isotonic regression), and predictions are trusted from where all of them together reach the target.

use super::represent::{Projection, Representation};
use super::{Verdict, judged_dims};
use crate::classify::{Classify, LogisticModel, PoolLogistic, Trainer};
use crate::incidental::Keep;
use crate::judge::{FrozenPath, Judgement, View, judging_path};
use crate::limits::Limits;
use crate::linalg::vector::arg_max;
use crate::pool::Labels;
use crate::{Error, Features, Instances, Matrix, Result};

/// Steps of the curve that are kept, at most.
const STEPS: usize = 100;

/// A trained model.
#[derive(Debug, Clone, PartialEq)]
pub struct LabelModel {
    /// From features to coordinates.
    pub projection: Projection,
    /// The classifier. It has one class more than there are labels if the pool has instances that are none of these.
    pub classifier: LogisticModel,
    /// The path that credibility is measured on.
    pub path: FrozenPath,
    /// From the classifier's probability to the probability that the label is right: lower ends of steps, ascending, and the
    /// probability on each.
    pub steps: Vec<(f64, f64)>,
    /// The classifier's probability from which a label is trusted; above 1 if none is.
    pub cut: f64,
}

/// Labels of new instances.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Prediction {
    /// The most probable class of each; `None` for those that are none of these.
    pub labels: Vec<Option<usize>>,
    /// Class probabilities by the classifier, one row per instance; the last column is that of none of these, if the model knows
    /// such instances.
    pub probabilities: Matrix,
    /// The probability that the label is right, or that it is none of these.
    pub probability: Vec<f64>,
    /// Credibility of each label; for those that are none of these, of the label that they come nearest to.
    pub credibility: Vec<f64>,
    /// The class that competes with it: the one whose label would be most credible instead.
    pub rival: Vec<usize>,
    /// Trusted, doubtful or none of these.
    pub verdicts: Vec<Verdict>,
}

impl LabelModel {
    /// Checks that the parts fit together, as those of a file may not.
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) with what does not fit.
    pub fn check(&self) -> Result<()> {
        let (r, d) = (self.projection.basis.rows(), self.projection.mean.len());
        let (outputs, classes) = (self.classifier.intercept.len(), self.classes());
        let expect = |given: (usize, usize), rows: usize, dims: usize| match given == (rows, dims) {
            true => Ok(()),
            false => {
                Err(Error::Shape { rows, dims, expected: rows * dims, given: given.0 * given.1 })
            }
        };
        let shape = |m: &Matrix| (m.rows(), m.cols());
        expect(shape(&self.projection.basis), r, d)?;
        expect(shape(&self.classifier.weights), outputs, r)?;
        expect((outputs, 1), if outputs == classes { classes } else { classes + 1 }, 1)?;
        expect((self.path.beta.len(), 1), self.path.lambda.len(), 1)?;
        let reads = self.path.dims();
        for beta in &self.path.beta {
            expect(shape(beta), reads.min(r), classes)?;
        }
        match classes < 2 || self.path.lambda.is_empty() || r == 0 {
            true => Err(Error::OneClass { classes }),
            false => Ok(()),
        }
    }

    /// Labels new instances, which must have the features of the pool.
    ///
    /// # Errors
    /// [`Error::Dimensions`](crate::Error::Dimensions) for another number of features,
    /// [`Error::ZeroVector`](crate::Error::ZeroVector).
    pub fn predict(&self, features: &Features<'_>) -> Result<Prediction> {
        let x = self.projection.apply(features)?;
        let probabilities = self.classifier.probabilities(x.unit());
        let classes = self.classes();
        let most: Vec<usize> = probabilities.iter_rows().map(arg_max).collect();
        let labels: Vec<Option<usize>> =
            most.iter().map(|&class| (class < classes).then_some(class)).collect();
        let rows: Vec<usize> = (0..labels.len()).collect();
        let judged = self.path.judge(x.unit(), &rows, |row| labels[row]);
        let scores = most.iter().enumerate().map(|(row, &class)| probabilities[(row, class)]);
        let outcome = |(score, label): (f64, &Option<usize>)| match label {
            None => (score, Verdict::NoneOfThese),
            Some(_) if score >= self.cut => (self.probability_right(score), Verdict::Trusted),
            Some(_) => (self.probability_right(score), Verdict::Doubtful),
        };
        let (probability, verdicts) = scores.zip(&labels).map(outcome).unzip();
        Ok(Prediction {
            rival: judged.iter().map(|judged| judged.rival).collect(),
            credibility: judged.iter().map(Judgement::credibility).collect(),
            probability,
            verdicts,
            labels,
            probabilities,
        })
    }

    /// Number of classes that have labels.
    pub fn classes(&self) -> usize {
        self.path.beta.first().map_or(0, Matrix::cols)
    }

    /// The probability that a label is right which the classifier gives this probability.
    fn probability_right(&self, score: f64) -> f64 {
        let at = self.steps.partition_point(|(from, _)| *from <= score);
        self.steps.get(at.saturating_sub(1)).map_or(score, |(_, probability)| *probability)
    }
}

/// A labelled pool that a model is trained on.
pub(crate) struct ModelInput<'a> {
    pub representation: &'a Representation,
    /// The given rows, and those that have a label.
    pub split: Labels<'a>,
    /// The labels of the open rows.
    pub labels: &'a [usize],
    /// The probability that each of them is right.
    pub right: &'a [f64],
    /// Verdicts by row.
    pub verdicts: &'a [Verdict],
    /// The precision that trusted labels should have; `None` if nothing is to be trusted.
    pub target: Option<f64>,
    pub limits: Limits,
}

impl ModelInput<'_> {
    /// Trains the model.
    pub fn train(&self) -> Result<LabelModel> {
        let training = self.training_set();
        let fitted = self.limits.to_fit(self.split, self.labels);
        let sample = self.sample();
        let mut rows: Vec<usize> = training.iter().map(|&(row, _)| row).collect();
        rows.extend(fitted.iter().map(|&position| self.split.row(position)));
        rows.extend(sample.iter().map(|as_new| as_new.row));
        rows.sort_unstable();
        rows.dedup();
        let plain = Plain { instances: self.representation.plain(&rows), rows };
        let mut trainer = PoolLogistic::new(self.limits)?.trainer(&plain.instances, self.outputs());
        plain.train(&mut *trainer, &training)?;
        let classifier = trainer.model().as_logistic().expect("it is logistic").clone();
        let path = self.path(&plain, &fitted)?;
        let scored = self.scored_as_new(&plain, &mut *trainer, &training, &sample)?;
        let cut = match self.target {
            Some(target) => lowest_cut(&scored, target),
            None => f64::INFINITY,
        };
        Ok(LabelModel {
            projection: self.representation.projection.clone(),
            classifier,
            path,
            steps: isotonic(&scored),
            cut: if cut.is_finite() { cut } else { 2.0 },
        })
    }

    /// Rows and labels that train the classifier; novel instances are the last class.
    fn training_set(&self) -> Vec<(usize, usize)> {
        let Labels { given, open, classes, .. } = self.split;
        let mut members = vec![Vec::new(); classes];
        self.labels.iter().enumerate().for_each(|(at, &label)| members[label].push(at));
        let mut taken: Vec<bool> =
            open.iter().map(|&row| self.verdicts[row] == Verdict::Trusted).collect();
        for of_class in &mut members {
            of_class.sort_by(|&a, &b| self.right[b].total_cmp(&self.right[a]));
            of_class[..of_class.len().div_ceil(2)].iter().for_each(|&at| taken[at] = true);
        }
        let taken: Vec<usize> = (0..open.len()).filter(|&at| taken[at]).collect();
        let novel = self.novel();
        let pairs = |rows: Vec<usize>, labels: Vec<usize>| {
            let kept = self.limits.to_train(&labels, classes + 1);
            kept.into_iter().map(move |at| (rows[at], labels[at])).collect::<Vec<_>>()
        };
        let mut all = pairs(given.to_vec(), self.split.labels.to_vec());
        let rows = taken.iter().map(|&at| open[at]).chain(novel.iter().copied()).collect();
        let labels = taken.iter().map(|&at| self.labels[at]);
        all.extend(pairs(rows, labels.chain(novel.iter().map(|_| classes)).collect()));
        all.sort_unstable();
        all
    }

    /// Rows that are none of these.
    fn novel(&self) -> Vec<usize> {
        let is_novel = |row: &usize| self.verdicts[*row] == Verdict::NoneOfThese;
        (0..self.verdicts.len()).filter(is_novel).collect()
    }

    /// Number of classes of the classifier.
    fn outputs(&self) -> usize {
        self.split.classes + usize::from(self.verdicts.contains(&Verdict::NoneOfThese))
    }

    /// The path, on the coordinates without smoothing of the rows at these positions.
    fn path(&self, plain: &Plain, fitted: &[usize]) -> Result<FrozenPath> {
        let split = self.split;
        let given = fitted.partition_point(|&position| position < split.given.len());
        let places: Vec<usize> =
            fitted.iter().map(|&position| plain.place(split.row(position))).collect();
        let all = split.all_labels(self.labels);
        let with: Vec<usize> = fitted.iter().map(|&position| all[position]).collect();
        let unit = plain.instances.unit();
        let view = View::leading(&plain.instances, unit, judged_dims(unit, split.classes));
        let part = Labels {
            given: &places[..given],
            labels: &with[..given],
            open: &places[given..],
            classes: split.classes,
        };
        let keep = Keep { beta: true, ..Keep::default() };
        let (path, _) = judging_path(&view, part, &with[given..], Limits::NONE, keep)?;
        Ok(FrozenPath::of(&path))
    }

    /// Instances of the pool that are to be predicted as if they were new, in ascending order of rows.
    fn sample(&self) -> Vec<AsNew> {
        let Labels { open, classes, .. } = self.split;
        let known = |at: usize| (open[at], self.labels[at], self.right[at]);
        let mut all: Vec<(usize, usize, f64)> = (0..open.len()).map(known).collect();
        all.extend(self.novel().into_iter().map(|row| (row, classes, 0.0)));
        all.sort_unstable_by_key(|(row, ..)| *row);
        let places: Vec<usize> = (0..all.len()).collect();
        let sample = self.limits.to_cross_validate(&places, classes);
        let as_new = |at: usize| {
            let (row, label, right) = all[at];
            AsNew { row, label, right, half: at % 2 }
        };
        sample.into_iter().map(as_new).collect()
    }

    /// For instances of the pool that are predicted as if they were new, and to have a label: the classifier's probability, and the
    /// probability that the prediction is right. Sorted by the first, highest first.
    fn scored_as_new(
        &self,
        plain: &Plain,
        trainer: &mut dyn Trainer,
        training: &[(usize, usize)],
        sample: &[AsNew],
    ) -> Result<Vec<(f64, f64)>> {
        let classes = self.split.classes;
        let mut half_of = vec![usize::MAX; self.verdicts.len()];
        let mut open: Vec<usize> = self.split.open.to_vec();
        open.extend(self.novel());
        open.sort_unstable();
        open.iter().enumerate().for_each(|(at, &row)| half_of[row] = at % 2);
        let mut scored = Vec::new();
        for half in 0..2 {
            let mut rest: Vec<(usize, usize)> =
                training.iter().copied().filter(|(row, _)| half_of[*row] != half).collect();
            // A class of which nothing is left, as where all that is none of these lies in one half, keeps what it has.
            let mut seen = vec![false; self.outputs()];
            rest.iter().for_each(|&(_, label)| seen[label] = true);
            rest.extend(training.iter().filter(|(_, label)| !seen[*label]));
            rest.sort_unstable();
            let here: Vec<&AsNew> = sample.iter().filter(|as_new| as_new.half == half).collect();
            if here.is_empty() {
                continue;
            }
            plain.train(trainer, &rest)?;
            let places: Vec<usize> = here.iter().map(|as_new| plain.place(as_new.row)).collect();
            let (predicted, probability) = trainer.label(&places);
            for ((as_new, predicted), p) in here.into_iter().zip(predicted).zip(probability) {
                if predicted < classes {
                    scored.push((p, if predicted == as_new.label { as_new.right } else { 0.0 }));
                }
            }
        }
        scored.sort_by(|a, b| b.0.total_cmp(&a.0));
        Ok(scored)
    }
}

/// An instance of the pool that is predicted as if it were new, by a classifier that is trained on the other half.
struct AsNew {
    row: usize,
    /// Its label in the pool; for one that is none of these, the number of classes.
    label: usize,
    /// The probability that the label is right.
    right: f64,
    half: usize,
}

/// Coordinates of rows of the pool as new instances would have them. One trainer serves all classifiers, each starting from the one
/// before.
struct Plain {
    /// Ascending.
    rows: Vec<usize>,
    instances: Instances,
}

impl Plain {
    fn place(&self, row: usize) -> usize {
        self.rows.partition_point(|&other| other < row)
    }

    fn train(&self, trainer: &mut dyn Trainer, training: &[(usize, usize)]) -> Result<()> {
        let places: Vec<usize> = training.iter().map(|&(row, _)| self.place(row)).collect();
        let labels: Vec<usize> = training.iter().map(|&(_, label)| label).collect();
        trainer.train(&places, &labels)
    }
}

/// The lowest score such that all from there on are right with this probability on average; infinite if there is none.
fn lowest_cut(scored: &[(f64, f64)], target: f64) -> f64 {
    let (mut right, mut cut) = (0.0, f64::INFINITY);
    for (at, &(score, probability)) in scored.iter().enumerate() {
        right += probability;
        if right >= target * (at + 1) as f64 {
            cut = score;
        }
    }
    cut
}

/// Isotonic regression of the probability on the score, of scores sorted from high to low: lower ends of steps, ascending.
fn isotonic(scored: &[(f64, f64)]) -> Vec<(f64, f64)> {
    // Blocks of lower end, sum and count, highest first; a block that is better than the one before it joins it.
    let mut blocks: Vec<(f64, f64, f64)> = Vec::new();
    for &(score, right) in scored {
        blocks.push((score, right, 1.0));
        while let [.., before, last] = blocks[..] {
            if before.1 / before.2 > last.1 / last.2 {
                break;
            }
            blocks.truncate(blocks.len() - 2);
            blocks.push((last.0, before.1 + last.1, before.2 + last.2));
        }
    }
    // Few steps are enough: those that begin a new hundredth of the instances.
    let every = scored.len() as f64 / STEPS as f64;
    let (mut steps, mut kept) = (Vec::new(), (f64::INFINITY, 0.0, 0.0));
    for block in blocks {
        kept = (block.0, kept.1 + block.1, kept.2 + block.2);
        if kept.2 >= every {
            steps.push((kept.0, kept.1 / kept.2));
            kept = (f64::INFINITY, 0.0, 0.0);
        }
    }
    if kept.2 > 0.0 {
        steps.push((kept.0, kept.1 / kept.2));
    }
    steps.reverse();
    steps
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cut_keeps_the_mean_above_the_target() {
        let scored = [(0.9, 1.0), (0.8, 0.0), (0.7, 1.0), (0.6, 1.0), (0.5, 0.0)];
        assert_eq!(lowest_cut(&scored, 0.75), 0.6);
        assert_eq!(lowest_cut(&scored, 0.95), 0.9);
        assert_eq!(lowest_cut(&scored[1..2], 0.5), f64::INFINITY);
    }

    #[test]
    fn isotonic_regression_pools_what_is_out_of_order() {
        let scored = [(0.9, 1.0), (0.8, 0.0), (0.7, 1.0), (0.6, 0.25), (0.5, 0.0)];
        assert_eq!(isotonic(&scored), [(0.5, 0.0), (0.6, 0.25), (0.7, 0.5), (0.9, 1.0)]);
        assert_eq!(isotonic(&[]), []);
        let many: Vec<(f64, f64)> =
            (0..5000).map(|i| (1.0 - f64::from(i) / 5000.0, 1.0 - f64::from(i) / 5000.0)).collect();
        let steps = isotonic(&many);
        assert!(steps.len() <= STEPS + 1 && steps.is_sorted_by(|a, b| a.0 < b.0 && a.1 < b.1));
    }
}
