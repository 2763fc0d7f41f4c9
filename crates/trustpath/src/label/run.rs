//! The pipeline from features and a few labels to verdicts.

use std::sync::Arc;

use super::model::Labelled;
use super::represent::Representation;
use super::represented::Represented;
use super::rules::{PoolRules, Ranked};
use super::signals::{HeldOutFolds, Signals};
use super::suggest::{Candidates, margins};
use super::trusted::{Trusted, TrustedPool};
use super::{LabelModel, Verdict};
use crate::classify::{Model, PoolLogistic};
use crate::incidental::{Keep, Path};
use crate::judge::{Confidence, FrozenPath, Ici, Judge, Judgement, View, judging_path};
use crate::labeller::{Labeller, Quota, RoundRecord, SelfTraining};
use crate::limits::{self, Limits};
use crate::neighbors::{Neighbors, nearest_among};
use crate::observer::{Observer, Stages};
use crate::reduce::{DEFAULT_NEIGHBORS, Reduction, default_dimensions};
use crate::spec::{LabelSpec, LabellerKind};
use crate::split::OwnedSplit;
use crate::transductive::TransductiveKind;
use crate::trust::{
    Candidate, CrossValidation, Discount, Fold, Novelty, RightCurve, are_picked, cross_validate,
    novelty,
};
use crate::{Error, Features, Instances, Matrix, Result};

/// How many of the nearest labelled instances are listed for every instance.
pub(crate) const NEAREST: usize = 3;

/// A labelled pool. Everything is in the order of the rows of the features.
#[derive(Debug)]
#[non_exhaustive]
pub struct Labelling {
    /// The label of every instance; none for those that are none of these.
    pub labels: Vec<Option<usize>>,
    /// Probability that the label is right, estimated from held-out labels ([`RightCurve`]); that it is none of these, for
    /// those that are; 1 for given ones.
    pub probability: Vec<f64>,
    /// How credible the label is on the path of incidental parameters ([`Judgement::credibility`]); for those that are none of
    /// these, that of the class they come nearest to.
    pub credibility: Vec<f64>,
    /// The label that it was judged under: its own, or for those that are none of these the one they come nearest to.
    pub judged_as: Vec<usize>,
    /// The class that competes: the most credible label other than its own.
    pub rival: Vec<usize>,
    /// The round since which the instance has been in the training set, if it was there in the end.
    pub accepted_in: Vec<Option<usize>>,
    /// The verdict on it.
    pub verdicts: Vec<Verdict>,
    /// The nearest instances with a given label, nearest first, without itself.
    pub nearest: Neighbors,
    /// Name of the labeller that was used.
    pub labeller: &'static str,
    /// The rounds of self-training; none for other labellers.
    pub rounds: Vec<RoundRecord>,
    /// Detection of instances of unknown classes; `None` if it was disabled or there are too few labels.
    pub novelty: Option<Novelty>,
    /// Whether the given labels are more typical than the pool, as if somebody had picked clear examples. Then no instance is
    /// reported to be none of these, and only what is as near to the labels as they are to each other can be trusted.
    pub picked: bool,
    /// The trusted set, and how precise it is expected to be.
    pub trusted: Trusted,
    /// Rows to label next, best first.
    pub suggestions: Vec<usize>,
    /// The path behind the credibilities: its grid, and `‖γᵢ(λ)‖`, one row per `λ`, one column per instance (zero for those
    /// that are none of these, which are not part of it).
    pub lambda: Vec<f64>,
    /// See [`Labelling::lambda`].
    pub gamma_norm: Matrix,
    /// The instance of each of its columns: all of them, or in a large pool those that the path was fitted to.
    pub followed: Vec<usize>,
    /// The share of the true neighbours that smoothing used in a large pool; `None` where it used them all.
    pub recall: Option<f64>,
    /// The coordinates in which the pool was labelled and judged.
    pub coordinates: Arc<Instances>,
    /// A model for new instances.
    pub model: LabelModel,
}

/// Runs the pipeline.
pub(super) fn run(
    features: &Features<'_>,
    labels: &[Option<usize>],
    classes: usize,
    spec: &LabelSpec,
    limits: Limits,
    kept: Option<&Represented>,
    observer: &mut dyn Observer,
) -> Result<Labelling> {
    spec.check()?;
    let rows = features.rows();
    let pool = OwnedSplit::new(labels, rows, classes)?;
    let kept = kept.map(|kept| kept.check(features, limits)).transpose()?;
    let represented = if kept.is_some() { 0 } else { Representation::stages(rows, limits) };
    let total = 5 + represented + usize::from(spec.reduction.is_some());
    let mut stages = Stages::new(observer, total);

    let made;
    let representation = match kept {
        Some(kept) => kept,
        None => {
            made = Representation::of(features, limits, &mut stages)?;
            &made
        }
    };
    let reduced = match spec.reduction {
        Some(reduction) => {
            stages.next("reducing dimensions")?;
            Some(reduce(reduction, representation, features, classes)?)
        }
        None => None,
    };
    stages.next("detecting unknown classes")?;
    let held_out = HeldOutFolds::of(&pool, spec);
    let signals = Signals::of(&representation.graph, &pool.given, &held_out.folds, spec.closed);
    let represented =
        PoolToLabel { features, pool: &pool, representation, reduced, held_out, signals };
    Ok(represented.label(spec, limits, &mut stages)?.0)
}

/// A pool that is represented, or an even part of one with all its given labels.
pub(super) struct PoolToLabel<'a> {
    pub features: &'a Features<'a>,
    pub pool: &'a OwnedSplit,
    pub representation: &'a Representation,
    pub reduced: Option<Matrix>,
    pub held_out: HeldOutFolds,
    pub signals: Signals,
}

impl PoolToLabel<'_> {
    /// Labels the rows. Where a classifier labelled them, also returns rules that label other rows of the pool.
    pub fn label(
        self,
        spec: &LabelSpec,
        limits: Limits,
        stages: &mut Stages<'_>,
    ) -> Result<(Labelling, Option<PoolRules>)> {
        let Self { features, pool, representation, reduced, held_out, signals } = self;
        let (rows, classes) = (features.rows(), pool.classes);
        let HeldOutFolds { groups, folds } = held_out;
        let folds_of_signals = (!spec.closed).then_some(folds.len());
        signals.check(rows, folds_of_signals)?;
        let u = representation.smooth.unit();
        let nearest = nearest_among(u, &pool.given, NEAREST);
        let picked = are_picked(&signals.degree, &pool.given, &pool.open);
        let mut distance = signals.distance;
        let mut of_folds = signals.of_folds;
        // Closed pools have no distances.
        of_folds.resize(folds.len(), Vec::new());
        let mut folds: Vec<(Fold, Vec<f64>)> = folds.into_iter().zip(of_folds).collect();
        let found = match spec.closed {
            true => None,
            false => {
                let class_of = class_of_nearest(pool, &nearest);
                novelty(pool, &groups, &class_of, &distance, &folds, spec.novel_fdr)
            }
        };
        let (mut rule, mut discount) = (None, None);
        let (novelty, novel_hidden) =
            found.map_or((None, Vec::new()), |(novelty, hidden, found)| {
                rule = Some(found);
                match picked {
                    // Whatever is less typical than the labels would be found: that says nothing of its class.
                    true => (Some(novelty.without_verdicts()), Vec::new()),
                    false => (Some(novelty), hidden),
                }
            });
        if let Some(novelty) = &novelty {
            let apply = |h: &mut [f64]| Discount::apply(h, &pool.open, novelty.known);
            discount = Some(apply(&mut distance));
            for (_, h) in &mut folds {
                apply(h);
            }
        }
        let is_novel = |at: usize| novelty.as_ref().is_some_and(|n| n.novel[at]);
        let (novel, known): (Vec<usize>, Vec<usize>) =
            (0..pool.open.len()).partition(|&at| is_novel(at));
        let open: Vec<usize> = known.iter().map(|&at| pool.open[at]).collect();
        let split = pool.with_open(&open);

        stages.next("cross-validating")?;
        let candidates = candidates(spec.labeller, pool, representation, reduced.as_ref(), limits)?;
        let share = open.len() as f64 / pool.open.len().max(1) as f64;
        let held_out = match open.is_empty() {
            true => CrossValidation::default(),
            false => {
                let sample = limits.to_cross_validate(&open, classes);
                folds = folds.into_iter().map(|(f, h)| (f.with_pool(&sample), h)).collect();
                cross_validate(&candidates, &folds, &novel_hidden, share, limits)?
            }
        };
        drop(folds);

        stages.next("labelling")?;
        let Candidate { labeller, view } = &candidates[held_out.labeller];
        let found = labeller.label(view, split)?;

        stages.next("judging labels")?;
        let keep = Keep { beta: true, gamma: true, certificate: false };
        let (path, fitted) = judging_path(view, split, &found.labels, limits, keep)?;
        let mut own = vec![None; rows];
        pool.given.iter().zip(&pool.labels).for_each(|(&row, &label)| own[row] = Some(label));
        open.iter().zip(&found.labels).for_each(|(&row, &label)| own[row] = Some(label));
        // Novel instances are judged under the label that they come nearest to.
        let all: Vec<usize> = (0..rows).collect();
        let frozen = FrozenPath::of(&path);
        let judged = frozen.judge(view.coordinates()?.0, &all, |row| own[row]);
        let of_open: Vec<Judgement> = open.iter().map(|&row| judged[row]).collect();
        let distance = |at: usize| distance.get(open[at]).copied().unwrap_or(0.0);
        let scores = held_out.ranked_by.scores(&found.probability, &of_open, distance);
        let known_share = novelty.as_ref().map_or(1.0, |n| n.known);
        let ranked_by = held_out.ranked_by;
        let calibration = held_out.calibration(&groups, &found.labels, known_share);
        let ranked = Ranked::new(&scores, share);
        let ranks: Vec<f64> = scores.iter().map(|&score| ranked.share_above(score)).collect();
        let curve = RightCurve::of(&calibration);

        let mut verdicts = vec![Verdict::Doubtful; rows];
        let mut probability = vec![1.0; rows];
        let mut accepted_in = vec![None; rows];
        pool.given.iter().for_each(|&row| verdicts[row] = Verdict::Given);
        for (at, &row) in open.iter().enumerate() {
            probability[row] = curve.at(ranks[at]);
            accepted_in[row] = found.accepted_in[at];
        }
        if let Some(novelty) = &novelty {
            for &at in &novel {
                probability[pool.open[at]] = novelty.probability[at];
                verdicts[pool.open[at]] = Verdict::NoneOfThese;
            }
        }
        let credibility: Vec<f64> = judged.iter().map(Judgement::credibility).collect();
        let in_pool = TrustedPool {
            rows: &open,
            size: pool.open.len(),
            labels: &found.labels,
            ranks: &ranks,
            probability: &probability,
            credibility: &credibility,
        };
        let trusted = in_pool.choose(classes, spec.trust()?, calibration, ranked_by);
        trusted.rows.iter().for_each(|&row| verdicts[row] = Verdict::Trusted);

        stages.next("training the model")?;
        let suggestions = match spec.suggest {
            0 => Vec::new(),
            batch => {
                let labels = (&pool.given[..], &pool.labels[..]);
                let mut margin =
                    margins(&representation.smooth, labels, &pool.open, classes, limits)?;
                novel.iter().for_each(|&at| margin[at] = 0.0);
                let candidates =
                    Candidates { u, given: &pool.given, open: &pool.open, margin: &margin };
                candidates.choose(batch)
            }
        };
        let right: Vec<f64> = open.iter().map(|&row| probability[row]).collect();
        let model = Labelled {
            representation,
            features,
            split,
            labels: &found.labels,
            right: &right,
            verdicts: &verdicts,
            target: trusted.target_of_model(),
            limits,
        };
        let model = model.train()?;
        let (followed, gamma_norm) =
            norms_along_path(&path, &fitted, rows, rows <= limits.in_memory);
        let rules = match found.model {
            Some(Model::Logistic(classifier)) => Some(PoolRules {
                classifier,
                path: frozen,
                ranked,
                ranked_by,
                curve,
                trusted: trusted.rule(pool.open.len(), spec.trust()?),
                discount,
                novelty: rule,
                picked,
                folds: folds_of_signals,
            }),
            _ => None,
        };
        let labelling = Labelling {
            labels: own,
            probability,
            credibility,
            accepted_in,
            verdicts,
            judged_as: judged.iter().map(|judged| judged.label).collect(),
            rival: judged.iter().map(|judged| judged.rival).collect(),
            nearest,
            labeller: labeller.name(),
            rounds: found.rounds,
            novelty,
            picked,
            trusted,
            suggestions,
            lambda: path.lambda,
            gamma_norm,
            followed,
            recall: representation.recall,
            coordinates: representation.smooth.clone(),
            model,
        };
        Ok((labelling, rules))
    }
}

/// The class of the given label that is nearest to each open row.
fn class_of_nearest(pool: &OwnedSplit, nearest: &Neighbors) -> Vec<usize> {
    let class = |row: &usize| {
        let nearest = nearest.indices(*row).next().unwrap_or(pool.given[0]);
        pool.labels[pool.given.partition_point(|&given| given < nearest)]
    };
    pool.open.iter().map(class).collect()
}

/// The labellers to choose from, the one to use unless held-out labels speak for another first.
fn candidates<'a>(
    kind: LabellerKind,
    pool: &OwnedSplit,
    representation: &'a Representation,
    reduced: Option<&'a Matrix>,
    limits: Limits,
) -> Result<Vec<Candidate<'a>>> {
    let small = representation.smooth.len() <= limits.in_memory;
    let adapts = small && pool.classes <= limits::ADAPTIVE_CLASSES;
    let adaptive = LabellerKind::Transductive(TransductiveKind::Adaptive);
    let (rounds, no_rounds) = (LabellerKind::Rounds, LabellerKind::NoRounds);
    let per_class = pool.open.len().div_ceil(pool.classes);
    let few_labels = pool.given.len() < limits::ADAPTIVE_LABELS * pool.classes;
    let reads_graph = limits.reads_graph(representation.smooth.len(), pool.classes);
    // Without the graph the last two are the same.
    let trained = [rounds, no_rounds, LabellerKind::Classifier];
    let trained = &trained[..if reads_graph { 3 } else { 2 }];
    let kinds = match kind {
        LabellerKind::Auto if adapts && per_class <= limits::ADAPTIVE => {
            [&[adaptive], trained].concat()
        }
        LabellerKind::Auto if adapts && few_labels && per_class <= limits::ADAPTIVE_CANDIDATE => {
            [trained, &[adaptive]].concat()
        }
        LabellerKind::Auto => trained.to_vec(),
        LabellerKind::Transductive(kind) if !small => {
            let expected = format!(
                "it labels pools of at most {} instances: choose rounds, or ask for exact computation",
                limits.in_memory
            );
            return Err(Error::parameter("labeller", kind, expected));
        }
        kind => vec![kind],
    };
    let u = representation.smooth.unit();
    let candidate = |kind: LabellerKind| {
        let labeller: Box<dyn Labeller> = match kind {
            LabellerKind::Transductive(kind) => Box::new(kind.build()?),
            _ => {
                let classifier = PoolLogistic::new(limits)?;
                let judge: Box<dyn Judge> = match pool.classes > limits::PATH_CLASSES {
                    true if reads_graph => Box::new(Confidence),
                    _ => Box::new(Ici::sampled(limits)?),
                };
                let quota = match kind {
                    LabellerKind::Rounds => Quota::quarter_then_half(),
                    _ => Quota::Shares(Vec::new()),
                };
                let labeller = SelfTraining::new(Box::new(classifier), judge, quota)?;
                let labeller = labeller.with_limits(limits);
                match kind {
                    LabellerKind::Classifier => Box::new(labeller.without_graph()),
                    _ => Box::new(labeller),
                }
            }
        };
        // Transductive methods read the features themselves rather than the smoothed coordinates.
        let features = match kind {
            LabellerKind::Transductive(_) => representation.unit.as_ref(),
            _ => None,
        };
        let instances = features.unwrap_or(&representation.smooth);
        let view = match reduced {
            Some(x) => View::leading(instances, x, x.cols()),
            None => View::leading(instances, u, judged_dims(u, pool.classes)),
        };
        let view = match kind {
            LabellerKind::Transductive(_) => view,
            _ if reads_graph => view.with_graph(&representation.graph),
            _ => view,
        };
        Ok(Candidate { labeller, view })
    };
    kinds.into_iter().map(candidate).collect()
}

/// Leading coordinates that the path reads: several for each class, since with only one for each it ranks labels no
/// better than the classifier's confidence does.
pub(super) fn judged_dims(u: &Matrix, classes: usize) -> usize {
    const DIMS_PER_CLASS: usize = 4;
    u.cols().min(DIMS_PER_CLASS * classes)
}

/// Coordinates of all instances by another reduction, computed from their coordinates without smoothing.
fn reduce(
    method: Reduction,
    representation: &Representation,
    features: &Features<'_>,
    classes: usize,
) -> Result<Matrix> {
    let n = features.rows();
    let all: Vec<usize> = (0..n).collect();
    let plain = representation.plain(features, &all)?;
    let d = default_dimensions(classes).min(plain.dims()).min(n.saturating_sub(1));
    // Tangent spaces of d dimensions need as many neighbours.
    let k = if method == Reduction::Ltsa { d.max(DEFAULT_NEIGHBORS) } else { DEFAULT_NEIGHBORS };
    Ok(method.build(d, k)?.reduce(&plain, n)?.x)
}

/// The instances whose norms along the path are kept, ascending, and these norms: all instances of a pool in memory, with
/// zeros for those that are not part of the path.
pub(crate) fn norms_along_path(
    path: &Path,
    fitted: &[usize],
    rows: usize,
    all: bool,
) -> (Vec<usize>, Matrix) {
    let mut followed = if all { (0..rows).collect() } else { fitted.to_vec() };
    followed.sort_unstable();
    let mut gamma_norm = Matrix::zeros(path.lambda.len(), followed.len());
    if let Some(norms) = &path.gamma_norm {
        for (at, row) in fitted.iter().enumerate() {
            let to = followed.partition_point(|other| other < row);
            (0..norms.rows()).for_each(|k| gamma_norm[(k, to)] = norms[(k, at)]);
        }
    }
    (followed, gamma_norm)
}
