//! The pipeline from features and a few labels to verdicts.

use super::model;
use super::represent::Representation;
use super::suggest::suggest;
use super::{LabelModel, Trust, Verdict};
use crate::classify::PoolLogistic;
use crate::incidental::{Keep, Path};
use crate::judge::{FrozenPath, Ici, Judgement, View, credibility, fit_path};
use crate::labeller::{Labeller, Quota, RoundRecord, SelfTraining};
use crate::limits::{self, Limits};
use crate::neighbors::{Neighbors, Points, nearest_among};
use crate::observer::{Observer, Stages};
use crate::reduce::{DEFAULT_NEIGHBORS, Reduction, default_dimensions};
use crate::spec::{LabelSpec, LabellerKind};
use crate::split::{OwnedSplit, Split};
use crate::transductive::TransductiveKind;
use crate::trust::{Calibration, Novelty, cross_validate, novelty};
use crate::{Error, Features, Instances, Matrix, Result};

/// How many of the nearest labelled instances are listed for every instance.
pub(crate) const NEAREST: usize = 3;

/// A labelled pool. Everything is in the order of the rows of the features.
#[derive(Debug)]
#[non_exhaustive]
pub struct Labelling {
    /// The label of every instance; none for those that are none of these.
    pub labels: Vec<Option<usize>>,
    /// Probability of the label; of being none of these, for those that are; 1 for given ones.
    pub probability: Vec<f64>,
    /// How credible the label is; for those that are none of these, that of the class they come nearest to.
    pub credibility: Vec<f64>,
    /// The label that it was judged under: its own, or for those that are none of these the one they come nearest to.
    pub judged_as: Vec<usize>,
    /// The class that competes: the most credible label other than its own.
    pub rival: Vec<usize>,
    /// How credible the rival's label would be.
    pub rival_credibility: Vec<f64>,
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
    pub coordinates: Instances,
    /// A model for new instances.
    pub model: LabelModel,
}

/// The trusted set, and what held-out labels say about it.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Trusted {
    /// Unlabeled instances that are trusted.
    pub count: usize,
    /// Credibility from which labels are trusted; `None` where trust is not by credibility or nothing is trusted.
    pub cut: Option<f64>,
    /// Precision that held-out labels guarantee.
    pub promised: f64,
    /// Estimated precision, and the number of held-out labels behind it.
    pub estimate: Option<(f64, usize)>,
    /// The held-out labels.
    pub calibration: Calibration,
}

/// Runs the pipeline.
pub(super) fn run(
    features: &Features<'_>,
    labels: &[Option<usize>],
    classes: usize,
    spec: &LabelSpec,
    limits: Limits,
    observer: &mut dyn Observer,
) -> Result<Labelling> {
    let trust = spec.trust()?;
    if spec.folds < 2 {
        let expected = "cross-validation needs at least two folds";
        return Err(Error::parameter("folds", spec.folds, expected));
    }
    let rows = features.rows();
    let pool = OwnedSplit::new(labels, rows, classes)?;
    let total = 5 + Representation::stages(rows, limits) + usize::from(spec.reduction.is_some());
    let mut stages = Stages::new(observer, total);

    let representation = Representation::of(features, limits, &mut stages)?;
    let u = representation.smooth.unit();
    let reduced = match spec.reduction {
        Some(reduction) => {
            stages.next("reducing dimensions")?;
            Some(reduce(reduction, &representation, features, classes, limits)?)
        }
        None => None,
    };

    stages.next("detecting unknown classes")?;
    let novelty = match spec.closed {
        true => None,
        false => novelty(u, &pool.given, &pool.labels, &pool.open, classes),
    };
    let is_novel = |at: usize| novelty.as_ref().is_some_and(|n| n.novel[at]);
    let (novel, known): (Vec<usize>, Vec<usize>) =
        (0..pool.open.len()).partition(|&at| is_novel(at));
    let open: Vec<usize> = known.iter().map(|&at| pool.open[at]).collect();
    let split = pool.with_open(&open);

    stages.next("labelling")?;
    let (labeller, reads_features) = choose_labeller(spec.labeller, &pool, rows, limits)?;
    let unit_features = representation.unit.as_ref().filter(|_| reads_features);
    let instances = unit_features.unwrap_or(&representation.smooth);
    let view = match &reduced {
        Some(x) => View::leading(instances, x, x.cols()),
        None => View::leading(instances, u, judged_dims(u, classes)),
    };
    let found = labeller.label(&view, split)?;

    stages.next("judging labels")?;
    let keep = Keep { beta: true, gamma: true, certificate: false };
    let (path, fitted) = split_path(&view, split, &found.labels, limits, keep)?;
    let mut own = vec![None; rows];
    pool.given.iter().zip(&pool.labels).for_each(|(&row, &label)| own[row] = Some(label));
    open.iter().zip(&found.labels).for_each(|(&row, &label)| own[row] = Some(label));
    // Novel instances are judged under the label that they come nearest to.
    let all: Vec<usize> = (0..rows).collect();
    let judged = FrozenPath::of(&path).judge(view.coordinates()?.0, &all, |row| own[row]);

    stages.next("cross-validating")?;
    let calibration = match open.is_empty() {
        true => Calibration::default(),
        false => {
            let judge = Ici::sampled(limits)?;
            cross_validate(&*labeller, &judge, &view, &pool, &open, &found, spec, limits)?
        }
    };

    let mut column = Columns::new(own, &judged);
    if fitted.len() == pool.given.len() + open.len() {
        // For instances that the path was fitted to, the vanishing λ is known more exactly.
        fitted.iter().zip(&path.vanish).for_each(|(&row, &lambda)| {
            column.credibility[row] = credibility(lambda);
        });
    }
    pool.given.iter().for_each(|&row| column.verdicts[row] = Verdict::Given);
    for (at, &row) in open.iter().enumerate() {
        column.probability[row] = found.probability[at];
        column.accepted_in[row] = found.accepted_in[at];
    }
    if let Some(novelty) = &novelty {
        for &at in &novel {
            let row = pool.open[at];
            column.probability[row] = novelty.probability[at];
            column.verdicts[row] = Verdict::NoneOfThese;
        }
    }
    let trusted = column.trust(&open, &judged, classes, trust, calibration);

    stages.next("training the model")?;
    let doubt: Vec<f64> = pool.open.iter().map(|&row| 1.0 - column.credibility[row]).collect();
    let suggestions = suggest(u, &pool.given, &pool.open, &doubt, spec.suggest);
    let model =
        model::train(&representation, features, split, &found.labels, &column.verdicts, limits)?;
    let (followed, gamma_norm) = norms_along_path(&path, &fitted, rows, rows <= limits.in_memory);
    Ok(Labelling {
        labels: column.labels,
        probability: column.probability,
        credibility: column.credibility,
        accepted_in: column.accepted_in,
        verdicts: column.verdicts,
        judged_as: judged.iter().map(|judged| judged.label).collect(),
        rival: judged.iter().map(|judged| judged.rival).collect(),
        rival_credibility: judged.iter().map(Judgement::rival_credibility).collect(),
        nearest: nearest_among(u, &pool.given, NEAREST),
        labeller: labeller.name(),
        rounds: found.rounds,
        novelty,
        trusted,
        suggestions,
        lambda: path.lambda,
        gamma_norm,
        followed,
        recall: representation.recall,
        coordinates: representation.smooth,
        model,
    })
}

/// The labeller, and whether it reads the features themselves rather than the smoothed coordinates.
fn choose_labeller(
    kind: LabellerKind,
    pool: &OwnedSplit,
    rows: usize,
    limits: Limits,
) -> Result<(Box<dyn Labeller>, bool)> {
    let small = rows <= limits.in_memory;
    let kind = match kind {
        LabellerKind::Auto => {
            let few = pool.given.len() <= limits::FEW_LABELS_PER_CLASS * pool.classes;
            let per_class = if few { limits::ADAPTIVE_FEW_LABELS } else { limits::ADAPTIVE };
            match small && pool.open.len() <= pool.classes * per_class {
                true => LabellerKind::Transductive(TransductiveKind::Adaptive),
                false => LabellerKind::Rounds,
            }
        }
        LabellerKind::Transductive(kind) if !small => {
            let expected = format!(
                "it labels pools of at most {} instances: choose rounds, or ask for exact computation",
                limits.in_memory
            );
            return Err(Error::parameter("labeller", kind, expected));
        }
        kind => kind,
    };
    Ok(match kind {
        LabellerKind::Transductive(kind) => (Box::new(kind.build()?), true),
        _ => {
            let (classifier, judge) = (PoolLogistic::new(limits)?, Ici::sampled(limits)?);
            let quota = Quota::quarter_then_half();
            let labeller = SelfTraining::new(Box::new(classifier), Box::new(judge), quota)?;
            (Box::new(labeller.with_limits(limits)), false)
        }
    })
}

/// Leading coordinates that the path reads: several for each class, since with only one for each it ranks labels no
/// better than the classifier's confidence does.
pub(super) fn judged_dims(u: &Matrix, classes: usize) -> usize {
    const DIMS_PER_CLASS: usize = 4;
    u.cols().min(DIMS_PER_CLASS * classes)
}

/// The path over the given and the open rows under these labels of the open ones, fitted to all instances up to the
/// limit; and the rows that it was fitted to, the given ones first.
pub(super) fn split_path(
    view: &View<'_>,
    split: Split<'_>,
    labels: &[usize],
    limits: Limits,
    keep: Keep,
) -> Result<(Path, Vec<usize>)> {
    let (x, dims) = view.coordinates()?;
    let positions = limits.to_fit(split, labels);
    let all = split.all_labels(labels);
    let with: Vec<usize> = positions.iter().map(|&at| all[at]).collect();
    let path = fit_path(&split.gather(x, dims, &positions), &with, split.classes, keep)?;
    Ok((path, positions.into_iter().map(|at| split.row(at)).collect()))
}

/// Coordinates of all instances by another reduction, computed from their coordinates without smoothing.
fn reduce(
    method: Reduction,
    representation: &Representation,
    features: &Features<'_>,
    classes: usize,
    limits: Limits,
) -> Result<Matrix> {
    let n = features.rows();
    let all: Vec<usize> = (0..n).collect();
    let plain = representation.plain(features, &all)?;
    let d = default_dimensions(classes).min(plain.dims()).min(n.saturating_sub(1));
    // Tangent spaces of d dimensions need as many neighbours.
    let k = if method == Reduction::Ltsa { d.max(DEFAULT_NEIGHBORS) } else { DEFAULT_NEIGHBORS };
    let reduction = method.build(d, k)?;
    let neighbors = reduction.neighbors(n).filter(|_| n > limits.in_memory);
    let Some(k) = neighbors else { return Ok(reduction.reduce(&plain, n)?.x) };
    let points: Vec<f32> = plain.unit().as_slice().iter().map(|&v| v as f32).collect();
    let graph = Neighbors::search(Points::new(&points, n, plain.dims())?, k, limits.search)?;
    Ok(reduction.reduce_on(&plain, n, Some(&graph))?.x)
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

/// The columns of a labelling while they are filled.
struct Columns {
    labels: Vec<Option<usize>>,
    probability: Vec<f64>,
    credibility: Vec<f64>,
    accepted_in: Vec<Option<usize>>,
    verdicts: Vec<Verdict>,
}

impl Columns {
    fn new(labels: Vec<Option<usize>>, judged: &[Judgement]) -> Self {
        let rows = labels.len();
        Self {
            labels,
            probability: vec![1.0; rows],
            credibility: judged.iter().map(Judgement::credibility).collect(),
            accepted_in: vec![None; rows],
            verdicts: vec![Verdict::Doubtful; rows],
        }
    }

    /// Decides which labels are trusted, and how precise they are expected to be.
    fn trust(
        &mut self,
        open: &[usize],
        judged: &[Judgement],
        classes: usize,
        trust: Trust,
        calibration: Calibration,
    ) -> Trusted {
        let pool: Vec<f64> = open.iter().map(|&row| self.credibility[row]).collect();
        let cut = match trust {
            Trust::Credibility(cut) => Some(cut),
            Trust::Precision(target) => calibration.cut(&pool, target),
            Trust::PerClass(quota) => {
                let mut members = vec![Vec::new(); classes];
                open.iter().for_each(|&row| members[judged[row].label].push(row));
                for of in &mut members {
                    of.sort_by(|&a, &b| self.credibility[b].total_cmp(&self.credibility[a]));
                    of.iter().take(quota).for_each(|&row| self.verdicts[row] = Verdict::Trusted);
                }
                None
            }
        };
        if let Some(cut) = cut {
            for &row in open.iter().filter(|&&row| self.credibility[row] >= cut) {
                self.verdicts[row] = Verdict::Trusted;
            }
        }
        let count = open.iter().filter(|&&row| self.verdicts[row] == Verdict::Trusted).count();
        Trusted {
            count,
            promised: cut.map_or(0.0, |cut| calibration.promise(&pool, cut)),
            estimate: cut.and_then(|cut| calibration.estimate(cut)),
            cut,
            calibration,
        }
    }
}
