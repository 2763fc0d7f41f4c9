//! The labellers that held-out labels choose from.

use crate::classify::PoolLogistic;
use crate::judge::{Confidence, Ici, Judge, PoolView};
use crate::labeller::{AdaptiveParams, Labeller, Quota, SelfTraining};
use crate::limits::{self, Limits};
use crate::pool::Pool;
use crate::represent::Represented;
use crate::spec::LabellerKind;
use crate::trust::Candidate;
use crate::{Matrix, Result};

/// The candidates in a pool, the one to use unless held-out labels speak for another first.
pub(crate) fn candidates<'a>(
    asked: LabellerKind,
    pool: &Pool,
    represented: &'a Represented,
    limits: Limits,
) -> Result<Vec<Candidate<'a>>> {
    let reads_graph = limits.reads_graph(pool.rows, pool.classes);
    let kinds = if asked == LabellerKind::Auto { kinds(pool, reads_graph) } else { vec![asked] };
    let candidate = |kind: LabellerKind| {
        Ok(Candidate {
            labeller: labeller(kind, pool.classes, reads_graph, limits)?,
            view: view(kind, pool.classes, represented, reads_graph),
        })
    };
    kinds.into_iter().map(candidate).collect()
}

/// The kinds that are tried: [`crate::limits`] says why at these sizes.
fn kinds(pool: &Pool, reads_graph: bool) -> Vec<LabellerKind> {
    use LabellerKind::{Adaptive, Classifier, NoRounds, Rounds};
    let adapts = pool.classes <= limits::ADAPTIVE_CLASSES;
    let per_class = pool.open.len().div_ceil(pool.classes);
    let few_labels = pool.given.len() < limits::ADAPTIVE_LABELS * pool.classes;
    let mut kinds = vec![Rounds, NoRounds];
    // Without the graph the classifier alone is the same as no rounds.
    if reads_graph {
        kinds.push(Classifier);
    }
    if adapts && per_class <= limits::ADAPTIVE {
        kinds.insert(0, Adaptive);
    } else if adapts && few_labels && per_class <= limits::ADAPTIVE_CANDIDATE {
        kinds.push(Adaptive);
    }
    kinds
}

fn labeller(kind: LabellerKind, classes: usize, reads_graph: bool, limits: Limits) -> Result<Box<dyn Labeller>> {
    if kind == LabellerKind::Adaptive {
        return Ok(Box::new(AdaptiveParams::default().check()?));
    }
    let judge: Box<dyn Judge> = if classes > limits::PATH_CLASSES && reads_graph {
        Box::new(Confidence)
    } else {
        Box::new(Ici::sampled(limits)?)
    };
    let quota = match kind {
        LabellerKind::Rounds => Quota::quarter_then_half(),
        _ => Quota::Shares(Vec::new()),
    };
    let classifier = Box::new(PoolLogistic::new(limits)?);
    let labeller = SelfTraining::new(classifier, judge, quota)?.with_limits(limits);
    Ok(match kind {
        LabellerKind::Classifier => Box::new(labeller.without_graph()),
        _ => Box::new(labeller),
    })
}

/// What a labeller of this kind reads: the adaptive mode the features themselves, the others the smoothed coordinates and the graph.
fn view<'a>(kind: LabellerKind, classes: usize, represented: &'a Represented, reads_graph: bool) -> PoolView<'a> {
    let u = represented.smooth.unit();
    let dims = judged_dims(u, classes);
    if kind == LabellerKind::Adaptive {
        return PoolView::leading(&represented.unit, u, dims);
    }
    let view = PoolView::leading(&represented.smooth, u, dims);
    if reads_graph { view.with_graph(&represented.graph) } else { view }
}

/// Leading coordinates that the path reads: several for each class, since with only one for each it ranks labels no
/// better than the classifier's confidence does.
pub(crate) fn judged_dims(u: &Matrix, classes: usize) -> usize {
    const DIMS_PER_CLASS: usize = 4;
    u.cols().min(DIMS_PER_CLASS * classes)
}
