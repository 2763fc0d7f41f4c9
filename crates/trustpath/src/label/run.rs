//! The whole way from features and a few labels to verdicts.

use super::credibility::{FrozenPath, Judgement, credibility};
use super::cross_fit::cross_fit;
use super::learner::Learner;
use super::model::LabelModel;
use super::novelty::{Novelty, novelty};
use super::pool::Pool;
use super::precision::Calibration;
use super::represent::Representation;
use super::suggest::suggest;
use super::teach::{Lesson, Round, Taught, Teacher};
use super::{LabelParams, Limits, Trust, Verdict, Watch};
use crate::incidental::{Keep, Path};
use crate::neighbors::{Neighbors, Points, nearest_among};
use crate::reduce::{DEFAULT_NEIGHBORS, Method, default_dimensions};
use crate::{Error, Features, Instances, Matrix, Result};

/// Nearest labelled instances that are named with every instance.
pub(crate) const NEAREST: usize = 3;

/// A labelled pool. Everything is in the order of the rows of the features.
#[derive(Debug)]
pub struct Labelling {
    /// The label of every instance; none for those that are none of these.
    pub labels: Vec<Option<usize>>,
    /// Probability of the label; of being none of these, for those that are; 1 for given ones.
    pub probability: Vec<f64>,
    /// How credible the label is; for those that are none of these, that of the class they come nearest to.
    pub credibility: Vec<f64>,
    /// The label that it was judged under: its own, or for those that are none of these the one they come nearest to.
    pub judged_as: Vec<usize>,
    /// The class that competes: the most credible label besides.
    pub rival: Vec<usize>,
    /// How credible the rival's label would be.
    pub rival_credibility: Vec<f64>,
    /// The round since which the instance taught the classifier, if it did to the end.
    pub accepted_in: Vec<Option<usize>>,
    /// What is said of it.
    pub verdicts: Vec<Verdict>,
    /// The nearest instances with a given label, nearest first, without itself.
    pub nearest: Neighbors,
    /// Whether the adaptive mode labelled.
    pub adaptive: bool,
    /// The rounds; none where the adaptive mode labelled.
    pub rounds: Vec<Round>,
    /// What was found out about strangers; `None` if it was not asked for or there are too few labels.
    pub novelty: Option<Novelty>,
    /// How well what is trusted can be trusted.
    pub trusted: Trusted,
    /// Rows to label next, best first.
    pub suggestions: Vec<usize>,
    /// The path behind the credibilities: its grid, and `‖γᵢ(λ)‖`, one row a `λ`, one column an instance (zero for those
    /// that are none of these, which are not part of it).
    pub lambda: Vec<f64>,
    /// See [`Labelling::lambda`].
    pub gamma_norm: Matrix,
    /// The instance of each of its columns: all of them, or in a large pool those that the path was fitted to.
    pub followed: Vec<usize>,
    /// The share of the true neighbours that smoothing used in a large pool; `None` where it used them all.
    pub recall: Option<f64>,
    /// The coordinates in which all this was found.
    pub coordinates: Instances,
    /// For instances that come later.
    pub model: LabelModel,
}

/// The trusted set, and what held-out labels say of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Trusted {
    /// Unlabeled instances that are trusted.
    pub count: usize,
    /// Credibility from which labels are trusted; `None` where the cut is not by credibility or nothing is trusted.
    pub cut: Option<f64>,
    /// Precision that held-out labels let one promise.
    pub promised: f64,
    /// Precision estimated, and the number of held-out labels behind it.
    pub estimate: Option<(f64, usize)>,
    /// The held-out labels.
    pub calibration: Calibration,
}

/// Labels a pool: `labels[i]` is the given label of row `i`, if it has one.
///
/// # Errors
/// When labels and instances differ in number, a label is out of range, there are fewer than two classes or one without
/// a given label, all instances are the same, one has no direction, a parameter is outside its domain, or the watch
/// asks to stop.
pub fn label(
    features: &Features<'_>,
    labels: &[Option<usize>],
    classes: usize,
    params: &LabelParams,
    watch: &mut dyn Watch,
) -> Result<Labelling> {
    check(params)?;
    let rows = features.rows();
    let limits = params.limits;
    let pool = Pool::new(labels, rows, classes)?;
    let total = 5 + Representation::stages(rows, limits) + usize::from(params.reduction.is_some());
    let mut stages = Stages::new(watch, total);

    let representation = Representation::of(features, limits, &mut stages)?;
    let u = representation.smooth.unit();
    let reduced = match params.reduction {
        Some(method) => {
            stages.next("reducing")?;
            Some(reduce(method, &representation, features, classes, limits)?)
        }
        None => None,
    };

    stages.next("looking for none of these")?;
    let novelty = match params.none_of_these {
        true => novelty(u, &pool.given, &pool.labels, &pool.open, classes),
        false => None,
    };
    let strange = |at: usize| novelty.as_ref().is_some_and(|n| n.stranger[at]);
    let (strangers, known): (Vec<usize>, Vec<usize>) =
        (0..pool.open.len()).partition(|&at| strange(at));
    let open: Vec<usize> = known.iter().map(|&at| pool.open[at]).collect();

    stages.next("labelling")?;
    let adapts =
        rows <= limits.whole && params.labeller.adapts(pool.given.len(), pool.open.len(), classes);
    let features_of_all = representation.unit.as_ref().filter(|_| adapts);
    let teacher = Teacher::new(&representation.smooth, classes, limits)
        .adaptive(features_of_all)
        .reduced(reduced.as_ref());
    let lesson = Lesson { given: &pool.given, labels: &pool.labels, open: &open, classes };
    let taught = teacher.teach(lesson)?;

    stages.next("judging")?;
    let keep = Keep { beta: true, gamma: true, certificate: false };
    let (path, fitted) = teacher.path(lesson, &taught.labels, keep)?;
    let mut own = vec![None; rows];
    pool.given.iter().zip(&pool.labels).for_each(|(&row, &label)| own[row] = Some(label));
    open.iter().zip(&taught.labels).for_each(|(&row, &label)| own[row] = Some(label));
    // Strangers are judged under the label that they come nearest to.
    let all: Vec<usize> = (0..rows).collect();
    let judged = teacher.judge(&FrozenPath::of(&path), &all, |row| own[row]);

    stages.next("holding labels out")?;
    let calibration = hold_out(&teacher, &pool, &open, &taught, classes, params)?;

    let mut column = Columns::new(own, &judged);
    if fitted.len() == pool.given.len() + open.len() {
        // Those that are part of the path know more exactly where they left it.
        fitted.iter().zip(&path.vanish).for_each(|(&row, &lambda)| {
            column.credibility[row] = credibility(lambda);
        });
    }
    pool.given.iter().for_each(|&row| column.verdicts[row] = Verdict::Given);
    for (at, &row) in open.iter().enumerate() {
        column.probability[row] = taught.probability[at];
        column.accepted_in[row] = taught.accepted_in[at];
    }
    if let Some(novelty) = &novelty {
        for &at in &strangers {
            let row = pool.open[at];
            column.probability[row] = novelty.probability[at];
            column.verdicts[row] = Verdict::NoneOfThese;
        }
    }
    let trusted = column.trust(&open, &judged, classes, params.trust, calibration);

    stages.next("training the model")?;
    let doubt: Vec<f64> = pool.open.iter().map(|&row| 1.0 - column.credibility[row]).collect();
    let suggestions = suggest(u, &pool.given, &pool.open, &doubt, params.suggest);
    let model = model(&representation, features, lesson, &taught, &column.verdicts, limits)?;
    let (followed, gamma_norm) = follow(&path, &fitted, rows, rows <= limits.whole);
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
        adaptive: adapts,
        rounds: taught.rounds,
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

/// Coordinates of all instances by another reduction, of their coordinates without smoothing.
fn reduce(
    method: Method,
    representation: &Representation,
    features: &Features<'_>,
    classes: usize,
    limits: Limits,
) -> Result<Matrix> {
    let n = features.rows();
    let all: Vec<usize> = (0..n).collect();
    let plain = representation.plain(features, &all)?;
    let d = default_dimensions(classes).min(plain.dims()).min(n.saturating_sub(1));
    // Tangent spaces of d dimensions take as many neighbours.
    let k = if method == Method::Ltsa { d.max(DEFAULT_NEIGHBORS) } else { DEFAULT_NEIGHBORS };
    let reduction = method.build(d, k)?;
    let neighbors = reduction.neighbors(n).filter(|_| n > limits.whole);
    let Some(k) = neighbors else { return Ok(reduction.reduce(&plain, n)?.x) };
    let points: Vec<f32> = plain.unit().as_slice().iter().map(|&v| v as f32).collect();
    let graph = Neighbors::search(Points::new(&points, n, plain.dims())?, k, limits.search)?;
    Ok(reduction.reduce_on(&plain, n, Some(&graph))?.x)
}

/// The instances whose norms along the path are kept, ascending, and these norms: of a whole pool everyone, with zeros
/// for those that are not part of the path.
pub(crate) fn follow(
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

fn check(params: &LabelParams) -> Result<()> {
    let between = |name, value: f64, expected| match value {
        v if v > 0.0 && v < 1.0 => Ok(()),
        v => Err(Error::parameter(name, v, expected)),
    };
    match params.trust {
        Trust::Precision(target) => {
            between("precision", target, "a precision lies between 0 and 1, as in 0.95")?;
        }
        Trust::Credibility(cut) => {
            between("credibility", cut, "a credibility lies between 0 and 1, as in 0.5")?;
        }
        Trust::PerClass(0) => {
            return Err(Error::parameter("per-class", 0, "trust at least one of every class"));
        }
        Trust::PerClass(_) => {}
    }
    if params.folds < 2 {
        return Err(Error::parameter("folds", params.folds, "holding out needs at least two"));
    }
    Ok(())
}

/// The stages of the work, as they are told.
pub(crate) struct Stages<'a> {
    watch: &'a mut dyn Watch,
    done: usize,
    total: usize,
}

impl<'a> Stages<'a> {
    /// So many stages.
    pub fn new(watch: &'a mut dyn Watch, total: usize) -> Self {
        Self { watch, done: 0, total }
    }

    /// The next stage begins.
    pub fn next(&mut self, name: &'static str) -> Result<()> {
        self.go_on()?;
        self.watch.stage(name, self.done, self.total);
        self.done += 1;
        Ok(())
    }

    /// Whether to go on.
    pub fn go_on(&self) -> Result<()> {
        match self.watch.stop() {
            true => Err(Error::Stopped),
            false => Ok(()),
        }
    }
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

    /// Decides who is trusted, and says how well that can be.
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

/// Held-out labels, weighted to the balance that the pool was found to have.
fn hold_out(
    teacher: &Teacher<'_>,
    pool: &Pool,
    open: &[usize],
    taught: &Taught,
    classes: usize,
    params: &LabelParams,
) -> Result<Calibration> {
    if open.is_empty() {
        return Ok(Calibration::default());
    }
    let mut shares = vec![0.0; classes];
    taught.labels.iter().for_each(|&label| shares[label] += 1.0 / open.len() as f64);
    let open = params.limits.to_hold_out(open, classes);
    cross_fit(teacher, pool, &open, &shares, params.folds, params.seed)
}

/// The classifier on what is given or trusted, and the path over all, on coordinates without smoothing.
fn model(
    representation: &Representation,
    features: &Features<'_>,
    lesson: Lesson<'_>,
    taught: &Taught,
    verdicts: &[Verdict],
    limits: Limits,
) -> Result<LabelModel> {
    let trusted = |&at: &usize| verdicts[lesson.open[at]] == Verdict::Trusted;
    let trusted: Vec<usize> = (0..lesson.open.len()).filter(trusted).collect();
    let with: Vec<usize> = trusted.iter().map(|&at| taught.labels[at]).collect();
    let taken = limits.to_train(&with, lesson.classes);
    let others = taken.iter().map(|&at| lesson.open[trusted[at]]);
    let given = limits.to_train(lesson.labels, lesson.classes);
    let mut pairs: Vec<(usize, usize)> =
        given.iter().map(|&at| (lesson.given[at], lesson.labels[at])).collect();
    pairs.extend(others.zip(taken.iter().map(|&at| with[at])));
    pairs.sort_unstable();
    let (rows, labels): (Vec<usize>, Vec<usize>) = pairs.into_iter().unzip();
    let plain = representation.plain(features, &rows)?;
    let here: Vec<usize> = (0..rows.len()).collect();
    let mut learner = Learner::new(&plain, lesson.classes, limits)?;
    learner.train(&here, &labels, &[], &[])?;
    let classifier = learner.model();

    let (path, given) = plain_path(representation, features, lesson, taught, limits)?;
    let mut pool: Vec<f64> =
        path.vanish[given..].iter().map(|&lambda| credibility(lambda)).collect();
    pool.sort_by(|a, b| b.total_cmp(a));
    // The same share as was trusted; where nobody was, nobody will be.
    let share = (trusted.len() * pool.len()).div_ceil(lesson.open.len().max(1));
    let cut = share.checked_sub(1).and_then(|last| pool.get(last)).copied().unwrap_or(1.0);
    Ok(LabelModel {
        projection: representation.projection.clone(),
        classifier,
        path: FrozenPath::of(&path),
        cut,
    })
}

/// The path on coordinates without smoothing, and how many of its first rows have given labels.
fn plain_path(
    representation: &Representation,
    features: &Features<'_>,
    lesson: Lesson<'_>,
    taught: &Taught,
    limits: Limits,
) -> Result<(Path, usize)> {
    let (given, open) = lesson.to_fit(&taught.labels, limits);
    let rows: Vec<usize> = (given.iter().map(|&at| lesson.given[at]))
        .chain(open.iter().map(|&at| lesson.open[at]))
        .collect();
    let plain = representation.plain(features, &rows)?;
    let teacher = Teacher::new(&plain, lesson.classes, Limits::NONE);
    let (first, last): (Vec<usize>, Vec<usize>) = (0..rows.len()).partition(|&at| at < given.len());
    let labels: Vec<usize> = given.iter().map(|&at| lesson.labels[at]).collect();
    let lesson = Lesson { given: &first, labels: &labels, open: &last, classes: lesson.classes };
    let with: Vec<usize> = open.iter().map(|&at| taught.labels[at]).collect();
    let keep = Keep { beta: true, ..Keep::default() };
    Ok((teacher.path(lesson, &with, keep)?.0, given.len()))
}
