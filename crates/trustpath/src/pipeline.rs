//! The pipeline, one function per stage, each from one named thing to the next.
//!
//! ```text
//! label    pool ─► represent ─► find_unknown ─► choose ─► label_rows ─► judge ─► trust ─► train, suggest
//! predict  rows ─► the model's coordinates ─► label ─► judge ─► trust                     (`label/model.rs`)
//! audit    labels ─► represent ─► judge each without itself ─► how many are wrong, which  (`audit`)
//! ```
//!
//! Labellers and judges speak of the rows that they are asked about, in that order. Whatever passes from stage to stage is in the order
//! of the rows of the pool.

use crate::incidental::{Keep, Path};
use crate::judge::{FrozenPath, Judgement, judging_path};
use crate::label::{
    Candidates, LabelModel, Labelling, ModelInput, RankedRows, Suggestion, Trusted, Verdict, alternate, candidates,
    margins,
};
use crate::labeller::Labelled;
use crate::limits::Limits;
use crate::neighbors::{Neighbors, nearest_among};
use crate::observer::Stages;
use crate::pool::Pool;
use crate::represent::Represented;
use crate::spec::LabelSpec;
use crate::trust::{Candidate, CrossValidation, Folds, RightCurve, Unknown, cross_validate, rank};
use crate::{Features, Matrix, Result};

/// How many of the nearest labelled instances are listed for every instance.
pub(crate) const NEAREST: usize = 3;
/// Stages that are reported when a pool is labelled, but for its representation.
pub(crate) const STAGES: usize = 5;

/// A pool to be labelled, and how.
pub(crate) struct Request<'a> {
    pub features: &'a Features<'a>,
    pub pool: Pool,
    pub spec: &'a LabelSpec,
    pub limits: Limits,
    /// A representation that was made before.
    pub kept: Option<&'a Represented>,
}

/// The labels of a pool, with what each is based on.
struct PoolLabels {
    /// The label of each row; none for those that are none of these.
    labels: Vec<Option<usize>>,
    /// The probability of each, by the labeller; 1 for those that have none or were given.
    probability: Vec<f64>,
    accepted_in: Vec<Option<usize>>,
    /// What the labeller made of the known rows.
    known: Labelled,
}

/// The labeller and the ranking that held-out labels have chosen.
struct Choice<'a> {
    candidate: Candidate<'a>,
    held_out: CrossValidation,
}

/// How the labels of a pool were judged.
struct Judged {
    path: Path,
    /// The rows that the path was fitted to.
    fitted: Vec<usize>,
    /// Of every row under its label; for those without one, under the label that they come nearest to.
    judgements: Vec<Judgement>,
    /// The share of the unlabeled instances that score at least as high; 1 for rows that are not ranked.
    rank: Vec<f64>,
}

/// What is concluded about the rows of a pool.
struct Conclusions {
    verdicts: Vec<Verdict>,
    probability: Vec<f64>,
    trusted: Trusted,
}

/// Labels all rows of a pool together.
pub(crate) fn label(request: &Request<'_>, stages: &mut Stages<'_>) -> Result<Labelling> {
    let made;
    let represented = match request.kept {
        Some(kept) => kept.check(request.features).map(|()| kept)?,
        None => {
            made = Represented::in_stage(request.features, stages)?;
            &made
        }
    };
    let request = &Request { pool: request.pool.with_copies(&represented.copies), ..*request };
    let pool = &request.pool;
    stages.next("detecting unknown classes")?;
    let nearest = nearest_among(represented.smooth.unit(), &pool.given, NEAREST);
    let mut unknown = find_unknown(request, represented, &nearest);
    stages.next("cross-validating")?;
    let choice = choose(request, represented, &mut unknown)?;
    stages.next("labelling")?;
    let labelled = label_rows(pool, &unknown, &choice)?;
    stages.next("judging labels")?;
    let judged = judge(request, &unknown, &choice, &labelled)?;
    let concluded = trust(request, &unknown, &choice, &labelled, &judged)?;
    stages.next("training the model")?;
    let suggestions = suggest(request, represented, &unknown)?;
    let model = train(request, represented, &unknown, &choice, &labelled, &concluded)?;
    let Judged { path, fitted, judgements, .. } = judged;
    Ok(Labelling {
        labels: labelled.labels,
        probability: concluded.probability,
        credibility: judgements.iter().map(Judgement::credibility).collect(),
        judged_as: judgements.iter().map(|judgement| judgement.label).collect(),
        rival: judgements.iter().map(|judgement| judgement.rival).collect(),
        accepted_in: labelled.accepted_in,
        verdicts: concluded.verdicts,
        nearest,
        labeller: choice.candidate.labeller.name(),
        rounds: labelled.known.rounds,
        novelty: unknown.novelty,
        picked: unknown.picked,
        origins: pool.origin_counts(),
        copies: represented.copies.iter().enumerate().filter(|(row, group)| row != *group).count(),
        trusted: concluded.trusted,
        suggestions,
        gamma_norm: norms_along_path(&path, &fitted, pool.rows),
        lambda: path.lambda,
        coordinates: represented.smooth.clone(),
        part: None,
        model,
    })
}

/// The rows that belong to none of the labelled classes, and the folds of the given labels that show it.
fn find_unknown(request: &Request<'_>, represented: &Represented, nearest: &Neighbors) -> Unknown {
    let Request { pool, spec, .. } = request;
    let class_of_nearest = |row: &usize| {
        let nearest = nearest.indices(*row).next().unwrap_or(pool.given[0]);
        pool.labels[pool.given.partition_point(|&given| given < nearest)]
    };
    let nearest: Vec<usize> = pool.open.iter().map(class_of_nearest).collect();
    let folds = Folds::of(pool, spec.folds, spec.seed);
    let level = (!spec.closed).then_some(spec.novel_fdr);
    Unknown::find(pool, &represented.graph, &nearest, folds, level)
}

/// Held-out labels choose the labeller and the score that ranks.
fn choose<'a>(request: &Request<'_>, represented: &'a Represented, unknown: &mut Unknown) -> Result<Choice<'a>> {
    let Request { pool, spec, limits, .. } = request;
    let mut candidates = candidates(spec.labeller, pool, represented, *limits)?;
    let mut held_out = CrossValidation::default();
    if !unknown.known.is_empty() {
        let sample = limits.to_cross_validate(&pool.without_copies(&unknown.known), pool.classes);
        unknown.folds.all.iter_mut().for_each(|fold| fold.let_take_part(&sample));
        let (folds, share) = (&unknown.folds.all, unknown.share());
        held_out = cross_validate(&candidates, folds, share, *limits)?;
    }
    Ok(Choice { candidate: candidates.swap_remove(held_out.labeller), held_out })
}

/// Labels the rows that may have a label.
fn label_rows(pool: &Pool, unknown: &Unknown, choice: &Choice<'_>) -> Result<PoolLabels> {
    let Candidate { labeller, view } = &choice.candidate;
    let labelled = labeller.label(view, pool.with_open(&unknown.known))?;
    let mut labels = pool.given_labels();
    let (mut probability, mut accepted_in) = (vec![1.0; pool.rows], vec![None; pool.rows]);
    for (at, &row) in unknown.known.iter().enumerate() {
        labels[row] = Some(labelled.labels[at]);
        probability[row] = labelled.probability[at];
        accepted_in[row] = labelled.accepted_in[at];
    }
    Ok(PoolLabels { labels, probability, accepted_in, known: labelled })
}

/// Judges every label by the path of incidental parameters, and ranks those that were not given.
fn judge(request: &Request<'_>, unknown: &Unknown, choice: &Choice<'_>, labelled: &PoolLabels) -> Result<Judged> {
    let (pool, view) = (&request.pool, &choice.candidate.view);
    let keep = Keep { beta: true, gamma: true, certificate: false };
    let labels = labelled.of(&unknown.known);
    let (path, fitted) = judging_path(view, pool.with_open(&unknown.known), &labels, request.limits, keep)?;
    let all: Vec<usize> = (0..pool.rows).collect();
    let judgements = FrozenPath::of(&path).judge(view.coordinates()?.0, &all, |row| labelled.labels[row]);
    let discount = |row: usize| unknown.discount.get(row).copied().unwrap_or(0.0);
    let by = choice.held_out.ranked_by;
    let scores = by.scores(&labelled.probability, &judgements, discount);
    // Copies of labelled rows rank among the others, as held-out labels do.
    let mut sorted: Vec<f64> = pool.without_copies(&unknown.known).into_iter().map(|row| scores[row]).collect();
    sorted.sort_by(|a, b| b.total_cmp(a));
    let mut ranks = vec![1.0; pool.rows];
    for &row in &unknown.known {
        ranks[row] = unknown.share() * rank(&sorted, scores[row]);
    }
    Ok(Judged { path, fitted, judgements, rank: ranks })
}

/// Decides by held-out labels how many of the best-ranked labels can be trusted, and how probably each is right.
fn trust(
    request: &Request<'_>,
    unknown: &Unknown,
    choice: &Choice<'_>,
    labelled: &PoolLabels,
    judged: &Judged,
) -> Result<Conclusions> {
    let Request { pool, spec, .. } = request;
    let labels = labelled.of(&unknown.known);
    let share = unknown.estimated_share();
    let calibration = choice.held_out.calibration(&unknown.folds.tiers, &labels, share);
    let curve = RightCurve::of(&calibration);
    let mut verdicts = vec![Verdict::Doubtful; pool.rows];
    let mut probability = vec![1.0; pool.rows];
    pool.given.iter().for_each(|&row| verdicts[row] = Verdict::Given);
    pool.none.iter().chain(&unknown.novel).for_each(|&row| verdicts[row] = Verdict::NoneOfThese);
    unknown.known.iter().for_each(|&row| probability[row] = curve.at(judged.rank[row]));
    if let Some(novelty) = &unknown.novelty {
        unknown.novel.iter().for_each(|&row| probability[row] = novelty.probability[row]);
    }
    let judgements = &judged.judgements;
    let credibility: Vec<f64> = judgements.iter().map(Judgement::credibility).collect();
    let ranked = RankedRows {
        rows: &unknown.known,
        size: pool.open.len(),
        labels: &judgements.iter().map(|judgement| judgement.label).collect::<Vec<usize>>(),
        rank: &judged.rank,
        probability: &probability,
        credibility: &credibility,
    };
    let by = choice.held_out.ranked_by;
    let trusted = ranked.choose(pool.classes, spec.trust()?, calibration, by);
    trusted.rows.iter().for_each(|&row| verdicts[row] = Verdict::Trusted);
    Ok(Conclusions { verdicts, probability, trusted })
}

/// What to label next.
fn suggest(request: &Request<'_>, represented: &Represented, unknown: &Unknown) -> Result<Vec<Suggestion>> {
    let Request { pool, spec, limits, .. } = request;
    if spec.suggest == 0 {
        return Ok(Vec::new());
    }
    alternate(pool, spec.seed, spec.suggest, |open, count| {
        let labels = (&pool.given[..], &pool.labels[..]);
        let mut margin = margins(&represented.smooth, labels, open, pool.classes, *limits)?;
        let novel = unknown.novel.iter().filter_map(|row| open.binary_search(row).ok());
        novel.for_each(|at| margin[at] = 0.0);
        Ok(Candidates { u: represented.smooth.unit(), given: &pool.given, open, margin: &margin }.choose(count))
    })
}

/// The model that remains for new instances.
fn train(
    request: &Request<'_>,
    represented: &Represented,
    unknown: &Unknown,
    choice: &Choice<'_>,
    labelled: &PoolLabels,
    concluded: &Conclusions,
) -> Result<LabelModel> {
    let known = &unknown.known;
    let input = ModelInput {
        representation: represented,
        pool: &request.pool,
        unknown,
        labelled: &labelled.known,
        held_out: &choice.held_out,
        right: &known.iter().map(|&row| concluded.probability[row]).collect::<Vec<f64>>(),
        verdicts: &concluded.verdicts,
        chosen_by: concluded.trusted.trust_of_model(),
        limits: request.limits,
    };
    input.train()
}

impl PoolLabels {
    /// The labels of these rows, all of which have one.
    fn of(&self, rows: &[usize]) -> Vec<usize> {
        rows.iter().map(|&row| self.labels[row].expect("a known row has a label")).collect()
    }
}

/// The norms along a path of all rows, zero for those that it was not fitted to.
pub(crate) fn norms_along_path(path: &Path, fitted: &[usize], rows: usize) -> Matrix {
    let mut gamma_norm = Matrix::zeros(path.lambda.len(), rows);
    if let Some(norms) = &path.gamma_norm {
        for (at, &row) in fitted.iter().enumerate() {
            (0..norms.rows()).for_each(|k| gamma_norm[(k, row)] = norms[(k, at)]);
        }
    }
    gamma_norm
}
