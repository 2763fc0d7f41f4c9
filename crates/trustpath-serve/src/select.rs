//! Instances that are answered together, and labels that are likely wrong.

use std::sync::Arc;

use serde::Serialize;
use trustpath::Matrix;
use trustpath_explain::{AuditResult, FrontEnd, map_2d};

use crate::answer::Answer;
use crate::session::{Places, Session, SessionState};
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

/// Instances that fulfil a condition.
#[derive(Debug, Serialize)]
pub struct ItemList {
    /// How many there are.
    total: usize,
    /// The first of them.
    items: Vec<Item>,
}

impl ItemList {
    fn of(session: &Session, state: &SessionState, rows: &[usize]) -> Self {
        let shown = rows.iter().take(SHOWN);
        let items = shown.map(|&row| item(session.source.as_ref(), state, row)).collect();
        Self { total: rows.len(), items }
    }
}

/// Those of the rows of unit length that are most similar to one of them, the most similar first.
fn most_similar(unit: &Matrix, to: usize, others: impl Iterator<Item = usize>, count: usize) -> Vec<usize> {
    let similarity = |row: usize| -> f64 { unit.row(row).iter().zip(unit.row(to)).map(|(a, b)| a * b).sum() };
    let mut rows: Vec<(f64, usize)> = others.map(|row| (similarity(row), row)).collect();
    rows.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    rows.into_iter().take(count).map(|(_, row)| row).collect()
}

fn no_model() -> Error {
    Error::refused("this needs a model: label an instance of each of two classes first")
}

/// Open instances that the model labels as a class with at least this probability, the most probable first.
pub fn by_class(session: &Session, class: usize, least: f64) -> Result<ItemList> {
    let state = session.lock();
    let model = state.model.as_deref().ok_or_else(no_model)?;
    let p = &model.labelling.probability;
    let fits = |&row: &usize| state.answers.of(row).is_open() && model.label(row) == Some(class) && p[row] >= least;
    let mut rows: Vec<usize> = (0..p.len()).filter(fits).collect();
    rows.sort_by(|&a, &b| p[b].total_cmp(&p[a]));
    Ok(ItemList::of(session, &state, &rows))
}

/// Open instances by their similarity to one, the most similar first.
pub fn similar(session: &Session, to: usize) -> Result<ItemList> {
    let state = session.lock();
    let model = state.model.as_deref().ok_or_else(no_model)?;
    let (labelling, unit) = (&model.labelling, model.labelling.coordinates.unit());
    if to >= state.answers.all().len() {
        return Err(Error::refused("there is no such instance"));
    }
    let Some(place) = labelling.place(to) else {
        return Err(Error::refused(
            "this instance was predicted by a part of the pool, in which similar ones are searched",
        ));
    };
    let open = |&other: &usize| state.answers.of(labelling.row(other)).is_open() && other != place;
    let places = most_similar(unit, place, (0..unit.rows()).filter(open), SHOWN);
    let rows: Vec<usize> = places.into_iter().map(|place| labelling.row(place)).collect();
    Ok(ItemList::of(session, &state, &rows))
}

/// These instances.
pub fn rows(session: &Session, rows: &[usize]) -> Result<ItemList> {
    let state = session.lock();
    if rows.iter().any(|&row| row >= state.answers.all().len()) {
        return Err(Error::refused("there is no such instance"));
    }
    Ok(ItemList::of(session, &state, rows))
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
    let Some(audited) = &state.audited else {
        return Err(Error::refused("the labels are not audited yet"));
    };
    let (audit, labelled, from) = (&audited.audit, &audited.labelled, &audited.from);
    let source = session.source.as_ref();
    let result = AuditResult { data: from.data(source), labelled, audit, front_end: FrontEnd::CommandLine };
    let unchecked = |&&at: &&usize| {
        let class = from.classes[labelled.labels[at]];
        state.answers.of(labelled.rows[at]) == Answer::Given(class)
    };
    let left: Vec<usize> = audit.ranking.iter().filter(unchecked).copied().collect();
    let unit = audit.coordinates.unit();
    // Of very many labels, only those of the part have coordinates.
    let examples = |at: usize, class: usize| {
        let Some(place) = audit.place(at) else { return Vec::new() };
        let others = (0..unit.rows()).filter(|&o| o != place && labelled.labels[audit.row(o)] == class);
        let near = most_similar(unit, place, others, EXAMPLES);
        near.into_iter().map(|other| item(source, &state, labelled.rows[audit.row(other)])).collect()
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

/// The map of the pool; of a large one every so many rows.
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
            let shown: Vec<usize> = (0..all).step_by(every).collect();
            let map = map_2d(&model.labelling.coordinates.gather(&shown));
            let rows = shown.into_iter().map(|place| model.labelling.row(place));
            let places = Arc::new(rows.zip(map).collect::<Places>());
            session.lock().map = Some(places.clone());
            places
        }
    };
    let state = session.lock();
    let model = state.model.as_deref().unwrap_or(&model);
    Ok(MapView {
        rows: places.iter().map(|p| p.0).collect(),
        x: places.iter().map(|p| p.1[0]).collect(),
        y: places.iter().map(|p| p.1[1]).collect(),
        class: places.iter().map(|p| model.class(p.0, state.answers.of(p.0))).collect(),
        answered: places.iter().map(|p| !state.answers.of(p.0).is_open()).collect(),
    })
}
