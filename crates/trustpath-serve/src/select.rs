//! Instances that are answered together, and labels that are likely wrong.

use serde::Serialize;
use trustpath_explain::{AuditResult, DataInfo, FrontEnd};
use trustpath_explain::{MapParams, map_2d};

use crate::answer::Answer;
use crate::session::{Places, Session, State};
use crate::view::{Item, item};
use crate::{Error, Result};

/// Instances shown of a selection.
const SHOWN: usize = 200;
/// Suspects shown.
const SUSPECTS: usize = 50;
/// Nearest examples of each class beside a suspect.
const EXAMPLES: usize = 3;
/// Instances on the map, at most.
const MAPPED: usize = 4000;

/// A selection.
#[derive(Debug, Serialize)]
pub struct Selection {
    /// How many instances fulfil the condition.
    total: usize,
    /// The first of them.
    items: Vec<Item>,
}

impl Selection {
    fn of(session: &Session, state: &State, rows: &[usize]) -> Self {
        let shown = rows.iter().take(SHOWN);
        let items = shown.map(|&row| item(session.source.as_ref(), state, row)).collect();
        Self { total: rows.len(), items }
    }
}

/// The dot product of two rows of unit length.
fn similarity(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn no_model() -> Error {
    Error::Refused("this needs a model: label an instance of each of two classes first".into())
}

/// Open instances that the model labels as a class with at least this probability, the most probable first.
pub fn by_class(session: &Session, class: usize, least: f64) -> Result<Selection> {
    let state = session.lock();
    let model = state.model.as_deref().ok_or_else(no_model)?;
    let p = &model.labelling.probability;
    let fits = |&row: &usize| state.answers.of(row).is_open() && model.label(row) == Some(class) && p[row] >= least;
    let mut rows: Vec<usize> = (0..p.len()).filter(fits).collect();
    rows.sort_by(|&a, &b| p[b].total_cmp(&p[a]));
    Ok(Selection::of(session, &state, &rows))
}

/// Open instances by their similarity to one, the most similar first.
pub fn similar(session: &Session, to: usize) -> Result<Selection> {
    let state = session.lock();
    let model = state.model.as_deref().ok_or_else(no_model)?;
    let unit = model.labelling.coordinates.unit();
    if to >= unit.rows() {
        return Err(Error::Refused("there is no such instance".into()));
    }
    let open = |row: &usize| state.answers.of(*row).is_open() && *row != to;
    let mut rows: Vec<(f64, usize)> =
        (0..unit.rows()).filter(open).map(|row| (similarity(unit.row(row), unit.row(to)), row)).collect();
    rows.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    let rows: Vec<usize> = rows.into_iter().take(SHOWN).map(|(_, row)| row).collect();
    Ok(Selection::of(session, &state, &rows))
}

/// These instances.
pub fn rows(session: &Session, rows: &[usize]) -> Result<Selection> {
    let state = session.lock();
    if rows.iter().any(|&row| row >= state.answers.all().len()) {
        return Err(Error::Refused("there is no such instance".into()));
    }
    Ok(Selection::of(session, &state, rows))
}

/// A label that may be wrong.
#[derive(Debug, Serialize)]
pub struct Suspect {
    item: Item,
    given: usize,
    suggested: usize,
    /// The probability that it is wrong, if that is estimated.
    wrong: Option<f64>,
    suspect: bool,
    reason: String,
    /// The nearest examples of the given and of the suggested class.
    examples: [Vec<Item>; 2],
}

/// The labels that nobody has checked yet, the most suspicious first.
#[derive(Debug, Serialize)]
pub struct Suspects {
    left: usize,
    notes: Vec<String>,
    items: Vec<Suspect>,
}

/// The suspects of the last audit.
pub fn suspects(session: &Session) -> Result<Suspects> {
    let state = session.lock();
    let audited = state.audited.clone();
    let audited = audited.ok_or_else(|| Error::Refused("the labels are not audited yet".into()))?;
    let (audit, labelled, from) = (&audited.audit, &audited.labelled, &audited.from);
    let source = session.source.as_ref();
    let pool = source.pool();
    let data = DataInfo {
        source: pool.source(),
        dims: pool.dims(),
        ids: pool.ids(),
        labels: &from.labels,
        classes: &from.names,
    };
    let result = AuditResult { data, labelled, audit, front_end: FrontEnd::CommandLine };
    let unchecked = |&&at: &&usize| {
        let class = from.classes[labelled.labels[at]];
        state.answers.of(labelled.rows[at]) == Answer::Given(class)
    };
    let left: Vec<usize> = audit.ranking.iter().filter(unchecked).copied().collect();
    let unit = audit.coordinates.unit();
    let examples = |at: usize, class: usize| {
        let others = (0..labelled.rows.len()).filter(|&o| o != at && labelled.labels[o] == class);
        let mut near: Vec<(f64, usize)> =
            others.map(|other| (similarity(unit.row(at), unit.row(other)), other)).collect();
        near.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        let first = near.into_iter().take(EXAMPLES);
        first.map(|(_, other)| item(source, &state, labelled.rows[other])).collect()
    };
    let suspect = |&at: &usize| Suspect {
        item: item(source, &state, labelled.rows[at]),
        given: from.classes[labelled.labels[at]],
        suggested: from.classes[audit.suggested[at]],
        wrong: Some(audit.probability[at]).filter(|p| p.is_finite()),
        suspect: audit.suspect[at],
        reason: result.reason(at),
        examples: [labelled.labels[at], audit.suggested[at]].map(|class| examples(at, class)),
    };
    let items = left.iter().take(SUSPECTS).map(suspect).collect();
    Ok(Suspects { left: left.len(), notes: result.notes(), items })
}

/// The map: where instances are, and what they are.
#[derive(Debug, Serialize)]
pub struct MapView {
    rows: Vec<usize>,
    x: Vec<f32>,
    y: Vec<f32>,
    /// The class, answered or predicted.
    class: Vec<Option<usize>>,
    /// Whether the class was answered.
    answered: Vec<bool>,
}

/// The map of the pool; of a large one an even part of the rows.
pub fn map(session: &Session) -> Result<MapView> {
    let (model, known) = {
        let state = session.lock();
        (state.model.clone().ok_or_else(no_model)?, state.map.clone())
    };
    let places = match known {
        Some(places) => places,
        None => {
            let all = model.labelling.coordinates.len();
            let every = all.div_ceil(MAPPED).max(1);
            let rows: Vec<usize> = (0..all).step_by(every).collect();
            let map = map_2d(&model.labelling.coordinates.gather(&rows), MapParams::default());
            let map = map.map_err(|e| Error::Refused(e.to_string()))?;
            let at = map.iter_rows().map(|p| [p[0] as f32, p[1] as f32]);
            let places = std::sync::Arc::new(rows.into_iter().zip(at).collect::<Places>());
            session.lock().map = Some(places.clone());
            places
        }
    };
    let state = session.lock();
    let model = state.model.as_deref().unwrap_or(&model);
    let class = |row: usize| match state.answers.of(row) {
        Answer::Open | Answer::Skipped => model.label(row),
        answer => answer.class(),
    };
    Ok(MapView {
        rows: places.iter().map(|p| p.0).collect(),
        x: places.iter().map(|p| p.1[0]).collect(),
        y: places.iter().map(|p| p.1[1]).collect(),
        class: places.iter().map(|p| class(p.0)).collect(),
        answered: places.iter().map(|p| !state.answers.of(p.0).is_open()).collect(),
    })
}
