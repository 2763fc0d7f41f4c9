//! The whole way from features and a few labels to verdicts.

use rayon::prelude::*;

use super::credibility::{FrozenPath, credibility};
use super::cross_fit::cross_fit;
use super::model::{LabelModel, rivals};
use super::novelty::{Novelty, novelty};
use super::pool::Pool;
use super::precision::Calibration;
use super::represent::Representation;
use super::suggest::suggest;
use super::teach::{self, Lesson, Round, Taught, Teacher};
use super::{LabelParams, Trust, Verdict, Watch};
use crate::incidental::Keep;
use crate::linalg::vector::dot;
use crate::{Error, Features, Instances, Matrix, Result};

/// Nearest labelled instances that are named with every instance.
const NEAREST: usize = 3;

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
    pub nearest: Vec<Vec<usize>>,
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
    let pool = Pool::new(labels, rows, classes)?;
    let mut stages = Stages { watch, done: 0 };

    stages.next("representing the pool")?;
    let representation = Representation::of(features)?;
    let u = representation.smooth.unit();

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
    let adapts = params.labeller.adapts(pool.given.len(), pool.open.len(), classes);
    let features_of_all = adapts.then(|| features.normalize()).transpose()?;
    let teacher = Teacher::new(&representation.smooth, classes, features_of_all.as_ref());
    let lesson = Lesson { given: &pool.given, labels: &pool.labels, open: &open, classes };
    let taught = teacher.teach(lesson)?;

    stages.next("judging")?;
    let keep = Keep { beta: true, gamma: true, certificate: false };
    let path = teacher.path(lesson, &taught.labels, keep)?;
    let all: Vec<usize> = (0..rows).collect();
    let vanish = FrozenPath::of(&path).vanish(&teacher.gather(&all));

    stages.next("holding labels out")?;
    let calibration = hold_out(&teacher, &pool, &open, &taught, classes, params)?;

    // Strangers are judged under the label that they come nearest to.
    let mut own: Vec<usize> = vanish.iter_rows().map(arg_min).collect();
    let mut column = Columns::new(rows);
    for (at, &row) in pool.given.iter().chain(&open).enumerate() {
        own[row] = match at.checked_sub(pool.given.len()) {
            None => pool.labels[at],
            Some(at) => taught.labels[at],
        };
        column.labels[row] = Some(own[row]);
        column.credibility[row] = credibility(path.vanish[at]);
    }
    pool.given.iter().for_each(|&row| column.verdicts[row] = Verdict::Given);
    for (at, &row) in open.iter().enumerate() {
        column.probability[row] = taught.probabilities[(at, taught.labels[at])];
        column.accepted_in[row] = taught.accepted_in[at];
    }
    if let Some(novelty) = &novelty {
        for &at in &strangers {
            let row = pool.open[at];
            column.probability[row] = novelty.probability[at];
            column.credibility[row] = credibility(vanish[(row, own[row])]);
            column.verdicts[row] = Verdict::NoneOfThese;
        }
    }
    let trusted = column.trust(&open, &own, classes, params.trust, calibration);

    stages.next("training the model")?;
    let doubt: Vec<f64> = pool.open.iter().map(|&row| 1.0 - column.credibility[row]).collect();
    let suggestions = suggest(u, &pool.given, &pool.open, &doubt, params.suggest);
    let model = model(&representation, lesson, &taught, &column.verdicts)?;

    let mut gamma_norm = Matrix::zeros(path.lambda.len(), rows);
    if let Some(norms) = &path.gamma_norm {
        for (at, &row) in pool.given.iter().chain(&open).enumerate() {
            (0..norms.rows()).for_each(|k| gamma_norm[(k, row)] = norms[(k, at)]);
        }
    }
    let rival = rivals(&vanish, &own);
    Ok(Labelling {
        rival_credibility: (0..rows).map(|row| credibility(vanish[(row, rival[row])])).collect(),
        labels: column.labels,
        probability: column.probability,
        credibility: column.credibility,
        accepted_in: column.accepted_in,
        verdicts: column.verdicts,
        judged_as: own,
        rival,
        nearest: nearest(u, &pool.given),
        adaptive: adapts,
        rounds: taught.rounds,
        novelty,
        trusted,
        suggestions,
        lambda: path.lambda,
        gamma_norm,
        coordinates: representation.smooth,
        model,
    })
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

struct Stages<'a> {
    watch: &'a mut dyn Watch,
    done: usize,
}

impl Stages<'_> {
    const TOTAL: usize = 6;

    fn next(&mut self, name: &'static str) -> Result<()> {
        if self.watch.stop() {
            return Err(Error::Stopped);
        }
        self.watch.stage(name, self.done, Self::TOTAL);
        self.done += 1;
        Ok(())
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
    fn new(rows: usize) -> Self {
        Self {
            labels: vec![None; rows],
            probability: vec![1.0; rows],
            credibility: vec![0.0; rows],
            accepted_in: vec![None; rows],
            verdicts: vec![Verdict::Doubtful; rows],
        }
    }

    /// Decides who is trusted, and says how well that can be.
    fn trust(
        &mut self,
        open: &[usize],
        own: &[usize],
        classes: usize,
        trust: Trust,
        calibration: Calibration,
    ) -> Trusted {
        let pool: Vec<f64> = open.iter().map(|&row| self.credibility[row]).collect();
        let cut = match trust {
            Trust::Credibility(cut) => Some(cut),
            Trust::Precision(target) => calibration.cut(&pool, target),
            Trust::PerClass(quota) => {
                for class in 0..classes {
                    let mut of: Vec<usize> =
                        open.iter().copied().filter(|&row| own[row] == class).collect();
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

/// The smallest entry, the first of equals.
fn arg_min(row: &[f64]) -> usize {
    (0..row.len()).min_by(|&a, &b| row[a].total_cmp(&row[b])).unwrap_or(0)
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
    cross_fit(teacher, pool, open, &shares, params.folds, params.seed)
}

/// The nearest given rows of every row.
pub(crate) fn nearest(u: &Matrix, given: &[usize]) -> Vec<Vec<usize>> {
    (0..u.rows())
        .into_par_iter()
        .map(|row| {
            let mut best: Vec<(f64, usize)> = Vec::with_capacity(NEAREST + 1);
            for &other in given.iter().filter(|&&other| other != row) {
                let inner = dot(u.row(row), u.row(other));
                if best.len() < NEAREST || inner > best[NEAREST - 1].0 {
                    let at = best.partition_point(|(kept, _)| *kept >= inner);
                    best.insert(at, (inner, other));
                    best.truncate(NEAREST);
                }
            }
            best.into_iter().map(|(_, other)| other).collect()
        })
        .collect()
}

/// The classifier on what is given or trusted, and the path over all, on coordinates without smoothing.
fn model(
    representation: &Representation,
    lesson: Lesson<'_>,
    taught: &Taught,
    verdicts: &[Verdict],
) -> Result<LabelModel> {
    let (mut rows, mut labels) = (lesson.given.to_vec(), lesson.labels.to_vec());
    let trusted = |&at: &usize| verdicts[lesson.open[at]] == Verdict::Trusted;
    for at in (0..lesson.open.len()).filter(trusted) {
        rows.push(lesson.open[at]);
        labels.push(taught.labels[at]);
    }
    let classifier = teach::train(&representation.plain, &rows, &labels, lesson.classes)?;
    let teacher = Teacher::new(&representation.plain, lesson.classes, None);
    let keep = Keep { beta: true, ..Keep::default() };
    let path = teacher.path(lesson, &taught.labels, keep)?;
    let mut pool: Vec<f64> =
        path.vanish[lesson.given.len()..].iter().map(|&lambda| credibility(lambda)).collect();
    pool.sort_by(|a, b| b.total_cmp(a));
    let count = rows.len() - lesson.given.len();
    // Nobody was trusted: nobody will be.
    let cut = count.checked_sub(1).and_then(|last| pool.get(last)).copied().unwrap_or(1.0);
    Ok(LabelModel {
        projection: representation.projection.clone(),
        classifier,
        path: FrozenPath::of(&path),
        cut,
    })
}
