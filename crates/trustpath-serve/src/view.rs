//! Instances and the session as the page gets them.

use std::collections::BTreeMap;

use serde::Serialize;
use trustpath::Origin;
use trustpath::label::Verdict;

use crate::answer::Answer;
use crate::export;
use crate::model::SessionModel;
use crate::progress::{Check, CheckResult, Goal, Outlook, ProgressPoint, outlook};
use crate::session::{Session, SessionState, Settings};
use crate::source::SessionPool;

/// Questions that the page gets in advance.
const QUEUE: usize = 40;
/// Longest text of an instance, in characters.
const LONGEST_TEXT: usize = 5000;
/// Features shown of an instance that has nothing else.
const FEATURES: usize = 12;

/// One instance.
#[derive(Debug, Serialize)]
pub struct Item {
    row: usize,
    id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    fields: Vec<(String, String)>,
    answer: &'static str,
    /// The class of its answer.
    class: Option<usize>,
    /// Whether its prediction is hidden, because it is checked.
    blind: bool,
    /// The origin that its answer will have if it is asked for.
    origin: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    prediction: Option<ItemPrediction>,
}

/// The prediction of the model for an instance.
#[derive(Debug, Serialize)]
struct ItemPrediction {
    label: Option<usize>,
    probability: f64,
    credibility: f64,
    rival: usize,
    verdict: &'static str,
    reason: String,
    /// The nearest labelled instances, and their classes.
    near: Vec<(usize, String, Option<usize>)>,
}

/// The session.
#[derive(Debug, Serialize)]
pub struct SessionView {
    version: u64,
    source: String,
    labels: String,
    images: bool,
    classes: Vec<String>,
    /// The number of labels of each class.
    sizes: Vec<usize>,
    /// The number of instances, and of those with each answer.
    counts: BTreeMap<&'static str, usize>,
    undo: bool,
    stage: Option<&'static str>,
    failed: Option<String>,
    model: Option<ModelView>,
    queue: Vec<Item>,
    /// The instance that the page shows, as it is now.
    asked: Option<Item>,
    points: Vec<ProgressPoint>,
    goal: Goal,
    outlook: Outlook,
    check: Option<CheckResult>,
    audited: bool,
    exports: Vec<&'static export::ExportFormat>,
}

#[derive(Debug, Serialize)]
struct ModelView {
    seconds: f64,
    /// Whether there are answers that it does not know.
    stale: bool,
    trusted: usize,
    doubtful: usize,
    none: usize,
    facts: Vec<(String, String)>,
    notes: Vec<String>,
}

/// An instance.
pub fn item(source: &dyn SessionPool, state: &SessionState, row: usize) -> Item {
    let pool = source.pool();
    let answer = state.answers.of(row);
    let shown = source.text_column();
    let (mut text, mut fields) = (None, Vec::new());
    for column in pool.carried() {
        let Some(value) = &column.texts[row] else { continue };
        let value: String = value.chars().take(LONGEST_TEXT).collect();
        if Some(column.name.as_str()) == shown {
            text = Some(value);
        } else {
            fields.push((column.name.clone(), value));
        }
    }
    if text.is_none() && fields.is_empty() && !source.has_images() {
        fields = features(source, row);
    }
    let in_check = |check: &Check| check.rows.iter().any(|(r, _)| *r == row);
    let blind = answer.is_open() && state.check.as_ref().is_some_and(in_check);
    let model = state.model.as_deref().filter(|_| !blind);
    let prediction = model.map(|model| prediction(source, model, row));
    let origin = if !blind && state.is_random(row) { Origin::Random } else { Origin::Chosen };
    let (id, answer, class) = (pool.ids()[row].clone(), answer.name(), answer.class());
    Item { row, id, text, fields, answer, class, blind, origin: origin.name(), prediction }
}

fn prediction(source: &dyn SessionPool, model: &SessionModel, row: usize) -> ItemPrediction {
    let labelling = &model.labelling;
    let finite = |x: f64| if x.is_finite() { x } else { 0.0 };
    let near = |other: usize| {
        let class = model.from.labels[other].map(|class| model.from.classes[class]);
        (other, source.pool().ids()[other].clone(), class)
    };
    ItemPrediction {
        label: model.label(row),
        probability: finite(labelling.probability[row]),
        credibility: finite(labelling.credibility[row]),
        rival: model.rival(row),
        verdict: labelling.verdicts[row].name(),
        reason: model.result(source).reason(row),
        near: labelling.nearest_to(row).map(near).collect(),
    }
}

/// The first features of an instance, by name.
fn features(source: &dyn SessionPool, row: usize) -> Vec<(String, String)> {
    let pool = source.pool();
    let mut values = vec![0.0; pool.dims()];
    if pool.read(row, &mut values).is_err() {
        return Vec::new();
    }
    let name = |k: usize| match pool.columns().and_then(|names| names.get(k)) {
        Some(name) => name.clone(),
        None => format!("feature {k}"),
    };
    let first = values.iter().take(FEATURES).enumerate();
    first.map(|(k, value)| (name(k), format!("{value:.4}"))).collect()
}

/// The session, for a page that shows the row `asked`.
pub fn session(session: &Session, state: &SessionState, asked: Option<usize>) -> SessionView {
    let source = session.source.as_ref();
    let pool = source.pool();
    let mut counts = BTreeMap::from(Answer::NAMES.map(|name| (name, 0)));
    let mut sizes = vec![0; state.answers.classes().len()];
    for answer in state.answers.all() {
        *counts.entry(answer.name()).or_default() += 1;
        answer.class().into_iter().for_each(|class| sizes[class] += 1);
    }
    counts.insert("total", pool.rows());
    let model = state.model.as_deref().map(|model| {
        // What was answered since does not count twice.
        let open = || model.labelling.verdicts.iter().zip(state.answers.all());
        let count = |verdict| open().filter(|(v, answer)| **v == verdict && answer.is_open()).count();
        let result = model.result(source);
        ModelView {
            seconds: model.seconds,
            stale: model.from.as_of != state.actions,
            trusted: count(Verdict::Trusted),
            doubtful: count(Verdict::Doubtful),
            none: count(Verdict::NoneOfThese),
            facts: result.facts(),
            notes: result.notes(),
        }
    });
    let precision = source.trust().precision();
    let Settings { coverage, batch, .. } = session.settings;
    let goal = Goal { coverage, precision, apart: batch };
    let check = state.check.as_ref().map(|check| {
        check.result(|row| match state.answers.of(row) {
            Answer::Open | Answer::Skipped => None,
            answer => Some(answer.class().map(|class| state.answers.classes()[class].as_str())),
        })
    });
    SessionView {
        version: state.version,
        source: pool.source().to_owned(),
        labels: session.settings.labels.display().to_string(),
        images: source.has_images(),
        classes: state.answers.classes().to_vec(),
        sizes,
        counts,
        undo: state.answers.undoing().is_ok(),
        stage: state.stage,
        failed: state.failed.clone(),
        model,
        queue: state.queue(QUEUE).into_iter().map(|row| item(source, state, row)).collect(),
        asked: asked.filter(|&row| row < pool.rows()).map(|row| item(source, state, row)),
        outlook: outlook(&state.points, goal, pool.rows()),
        points: state.points.clone(),
        goal,
        check,
        audited: state.audited.is_some(),
        exports: export::formats(source),
    }
}
