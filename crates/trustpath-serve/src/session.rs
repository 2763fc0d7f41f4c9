//! The state of a labelling session: the answers, the model that follows them, and what to ask next.

use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use trustpath::random::Random;
use trustpath::{Observer, Origin, random_order};
use trustpath_table::{FileLock, MissingLabels, journal_of, read_answers, write_answers};

use crate::answer::{Answer, Answers};
use crate::history::{Checked, CurveSetting, History, HistoryLine, add_point};
use crate::journal::{Action, AnswerJournal, Target};
use crate::model::{Audited, SessionModel, Snapshot};
use crate::progress::{Check, ProgressPoint};
use crate::source::SessionPool;
use crate::task_index::TaskIndex;
use crate::{Error, Result};

/// Random questions that are known in advance.
const RANDOM_AHEAD: usize = 20;
/// The longest time that an export waits for the model.
const PATIENCE: Duration = Duration::from_secs(600);

/// How a session works.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The labels file, a `.csv` or `.tsv`; it need not exist.
    pub labels: PathBuf,
    /// Which labels mean that there is none.
    pub missing: MissingLabels,
    /// The share of the pool that should be labelled or trusted in the end.
    pub coverage: f64,
    /// Answers after which the model is updated.
    pub batch: usize,
    /// The seed of the random order of questions and of random samples.
    pub seed: u64,
    /// Whether requests of Label Studio are answered.
    pub label_studio: bool,
}

/// What a session leaves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ended {
    /// The labels file.
    pub labels: PathBuf,
    /// Whether it was written.
    pub written: bool,
    /// How many instances have a label.
    pub labelled: usize,
    /// How many of these labels a person gave or confirmed.
    pub checked: usize,
}

/// Rows and where they are on the map.
pub(crate) type Places = Vec<(usize, [f32; 2])>;

/// A labelling session.
pub struct Session {
    pub(crate) source: Arc<dyn SessionPool>,
    pub(crate) settings: Settings,
    state: Mutex<SessionState>,
    changed: Condvar,
    /// Held while a folder of images is exported.
    pub(crate) exporting: Mutex<()>,
    tasks: OnceLock<TaskIndex>,
    /// Held until the session has ended.
    _lock: FileLock,
}

pub(crate) struct SessionState {
    /// Grows with everything that the page shows.
    pub version: u64,
    pub answers: Answers,
    journal: AnswerJournal,
    /// Grows with every action.
    pub actions: u64,
    /// Whether the labels file is older than the answers.
    unsaved: bool,
    /// Answers since the model was last started.
    since: usize,
    pub model: Option<Arc<SessionModel>>,
    pub audited: Option<Arc<Audited>>,
    model_wanted: bool,
    audit_wanted: bool,
    /// Whether it is to be computed what to label first.
    first_wanted: bool,
    /// What the thread of the model is doing.
    pub stage: Option<&'static str>,
    /// Why the last model or audit failed.
    pub failed: Option<String>,
    pub points: Vec<ProgressPoint>,
    pub check: Option<Check>,
    history: History,
    /// Positions on the map, once they were asked for.
    pub map: Option<Arc<Places>>,
    /// What to label first, while there is no model.
    first: Vec<usize>,
    /// The random order of the pool, in which random questions are asked.
    order: Vec<usize>,
    /// Actions that a killed session has left.
    replayed: usize,
    pub closing: bool,
}

impl Session {
    /// Starts a session on a labels file that the caller has locked before reading it, with the answers that a killed
    /// session has left.
    ///
    /// # Errors
    /// If the labels file cannot be written as a session writes it, or the journal cannot be read or is about other data.
    pub fn open(source: Arc<dyn SessionPool>, settings: Settings, lock: FileLock) -> Result<Self> {
        let pool = source.pool();
        let there = settings.labels.exists();
        let kinds = if there { read_answers(&settings.labels)? } else { Vec::new() };
        let (labels, names) = (pool.labels(), pool.class_names());
        let missing = settings.missing.clone();
        let origins = pool.origins(Origin::NAMES)?;
        let mut answers = Answers::new(pool.ids(), labels, names, origins, &kinds, missing);
        let (journal, actions) = AnswerJournal::open(&settings.labels)?;
        for action in &actions {
            answers.apply(action).map_err(|id| Error::OtherData {
                file: journal_of(&settings.labels).display().to_string(),
                id,
                data: pool.source().to_owned(),
            })?;
        }
        let goes_on = there || !actions.is_empty();
        let setting = CurveSetting::of(source.as_ref());
        let (history, past) = History::open(&settings.labels, &setting, goes_on)?;
        let check = Check::of(past.check, |id| answers.row(id));
        let order = random_order(settings.seed, pool.rows());
        let state = SessionState {
            version: 1,
            answers,
            journal,
            actions: actions.len() as u64,
            unsaved: !actions.is_empty(),
            since: 0,
            model: None,
            audited: None,
            model_wanted: false,
            audit_wanted: false,
            first_wanted: false,
            stage: None,
            failed: None,
            points: past.points,
            check,
            history,
            map: None,
            first: Vec::new(),
            order,
            replayed: actions.len(),
            closing: false,
        };
        let (state, exporting) = (Mutex::new(state), Mutex::new(()));
        let (changed, tasks) = (Condvar::new(), OnceLock::new());
        let session = Self { source, settings, state, changed, exporting, tasks, _lock: lock };
        let mut state = session.lock();
        state.want_model();
        state.first_wanted = !state.model_wanted;
        drop(state);
        Ok(session)
    }

    /// The number of actions that a killed session has left in its journal.
    pub fn replayed(&self) -> usize {
        self.lock().replayed
    }

    /// Which instances tasks of Label Studio are about.
    pub(crate) fn tasks(&self) -> &TaskIndex {
        self.tasks.get_or_init(|| TaskIndex::new(self.source.as_ref()))
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, SessionState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes the state, and wakes those who wait for a change.
    fn change<R>(&self, change: impl FnOnce(&mut SessionState) -> R) -> R {
        let result = change(&mut self.lock());
        self.changed.notify_all();
        result
    }

    /// Records what these rows are, and how it was decided that they get an answer.
    pub(crate) fn answer(&self, rows: &[usize], to: &Target, origin: Origin) -> Result<()> {
        self.change(|state| {
            let action = state.answers.action(rows, to, origin)?;
            state.perform(&action)?;
            if state.since >= self.settings.batch || state.model.is_none() {
                state.want_model();
            }
            Ok(())
        })
    }

    /// Takes back the last action, and returns the rows that it was about.
    pub(crate) fn undo(&self) -> Result<Vec<usize>> {
        self.change(|state| {
            let action = state.answers.undoing()?;
            state.perform(&action)
        })
    }

    /// Asks for a model of the labels as they are now.
    pub(crate) fn update(&self) {
        self.change(SessionState::want_model);
    }

    /// Asks for an audit of the labels as they are now.
    pub(crate) fn audit(&self) {
        self.change(|state| state.audit_wanted = true);
    }

    /// Draws a random sample of the trusted labels that nobody has answered.
    pub(crate) fn draw_check(&self, size: usize) -> Result<()> {
        let mut state = self.lock();
        let Some(model) = state.model.clone() else {
            return Err(Error::refused("there is no model whose labels could be checked"));
        };
        let open = |row: &&usize| state.answers.of(**row).is_open();
        let mut rows: Vec<usize> = model.labelling.trusted.rows.iter().filter(open).copied().collect();
        if rows.is_empty() {
            return Err(Error::refused("no label is trusted yet, so there is nothing to check"));
        }
        Random::stream(self.settings.seed, 1 + state.actions).shuffle(&mut rows);
        rows.truncate(size);
        let name = |row: usize| Some(state.answers.classes()[model.label(row)?].clone());
        let rows: Vec<(usize, String)> = rows.into_iter().filter_map(|row| Some((row, name(row)?))).collect();
        let ids = self.source.pool().ids();
        let checked = |(row, label): &(usize, String)| Checked { id: ids[*row].clone(), label: label.clone() };
        // A check that cannot be written is none: its answers would be lost with the session.
        state.history.append(&HistoryLine::Check(rows.iter().map(checked).collect()))?;
        state.check = Some(Check { rows });
        state.version += 1;
        Ok(())
    }

    /// The model of all answers so far, which this waits for.
    pub(crate) fn model_of_now(&self) -> Result<Arc<SessionModel>> {
        let start = Instant::now();
        self.update();
        let mut state = self.lock();
        loop {
            if let Some(model) = state.model.as_ref().filter(|m| m.from.as_of == state.actions) {
                return Ok(model.clone());
            }
            if let Some(why) = &state.failed {
                return Err(Error::Refused(why.clone()));
            }
            if state.answers.occurring().1.len() < 2 {
                return Err(Error::refused("the model needs labels of at least two classes: give one of each"));
            }
            if state.closing || start.elapsed() > PATIENCE {
                return Err(Error::refused("the model is not ready: try again"));
            }
            state.want_model();
            self.changed.notify_all();
            let waited = self.changed.wait_timeout(state, Duration::from_millis(200));
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Labels and audits in the background until the session ends.
    pub(crate) fn work(&self) {
        loop {
            let mut state = self.lock();
            while !(state.closing || state.is_work_wanted()) {
                state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
            }
            if state.closing {
                return;
            }
            if std::mem::take(&mut state.first_wanted) && !state.model_wanted {
                state.stage = Some("starting");
                drop(state);
                self.order_questions();
                continue;
            }
            let model = state.model_wanted;
            if model {
                (state.model_wanted, state.since) = (false, 0)
            } else {
                state.audit_wanted = false
            }
            let from = Snapshot::of(&state.answers, state.actions);
            (state.stage, state.failed) = (Some("starting"), None);
            drop(state);
            let (source, mut observer) = (self.source.as_ref(), StageObserver(self));
            let done = if model {
                SessionModel::run(source, from, &mut observer).and_then(|model| {
                    let mut state = self.lock();
                    let point = model.point();
                    add_point(&mut state.points, point);
                    state.model = Some(Arc::new(model));
                    state.history.append(&HistoryLine::Point(point)).map_err(|error| error.to_string())
                })
            } else {
                Audited::run(source, from, &mut observer).map(|audited| {
                    self.lock().audited = Some(Arc::new(audited));
                })
            };
            self.change(|state| {
                (state.stage, state.failed) = (None, done.err());
                state.version += 1;
            });
        }
    }

    /// Puts the instances that are best labelled first at the start of the queue, as long as there is no model.
    fn order_questions(&self) {
        let first = self.source.label_first(&mut StageObserver(self));
        let mut state = self.lock();
        state.stage = None;
        match first {
            Ok(first) => state.first = first,
            Err(why) => state.failed = Some(why),
        }
        state.version += 1;
    }

    /// Ends the work.
    pub fn close(&self) {
        self.change(|state| state.closing = true);
    }

    /// Whether the page has asked to end the session.
    pub fn is_closing(&self) -> bool {
        self.lock().closing
    }

    /// Writes the labels file and removes the journal.
    ///
    /// # Errors
    /// If that fails; then the journal keeps the answers for the next session.
    pub fn finish(&self) -> Result<Ended> {
        let mut state = self.lock();
        let written = state.unsaved;
        if written {
            write_answers(&self.settings.labels, state.answers.rows_of_file())?;
            state.journal.remove()?;
            state.unsaved = false;
        }
        let count = |test: fn(&Answer) -> bool| state.answers.all().iter().filter(|a| test(a)).count();
        Ok(Ended {
            labels: self.settings.labels.clone(),
            written,
            labelled: count(|a| a.class().is_some()),
            checked: count(|a| matches!(a, Answer::Checked(_))),
        })
    }
}

impl SessionState {
    /// Writes an action to the journal and applies it.
    fn perform(&mut self, action: &Action) -> Result<Vec<usize>> {
        if self.closing {
            return Err(Error::refused("the session has ended"));
        }
        self.journal.append(action)?;
        let rows = self.answers.apply(action).map_err(Error::Refused)?;
        self.actions += 1;
        self.version += 1;
        self.since += rows.len();
        self.unsaved = true;
        Ok(rows)
    }

    fn is_work_wanted(&self) -> bool {
        self.model_wanted || self.audit_wanted || self.first_wanted
    }

    /// Asks for a model, if there are labels of two classes and it would be another one.
    fn want_model(&mut self) {
        let new = self.model.as_ref().is_none_or(|model| model.from.as_of != self.actions);
        self.model_wanted |= new && self.answers.occurring().1.len() >= 2;
    }

    /// The rows to ask for next: those of a check; then with a model in turn one whose label helps, by its suggestions and then the least
    /// probable labels, and the next one of the random order; without a model the instances to label first, and then the random order. What
    /// was skipped comes last.
    pub fn queue(&self, most: usize) -> Vec<usize> {
        let is = |wanted: Answer| move |&row: &usize| self.answers.of(row) == wanted;
        let mut queue: Vec<usize> = self.check.iter().flat_map(|check| &check.rows).map(|(row, _)| *row).collect();
        match &self.model {
            None => queue.extend(self.first.iter().chain(&self.order)),
            Some(model) => {
                let ahead: Vec<usize> = self.random_rows().filter(is(Answer::Open)).collect();
                let useful = self.useful(model).into_iter().filter(is(Answer::Open));
                let mut random = ahead.iter().copied();
                // The number of actions says whose turn it is, whenever the model is updated.
                queue.extend((self.actions % 2 == 1).then(|| random.next()).flatten());
                for row in useful.filter(|row| !ahead.contains(row)) {
                    queue.extend([Some(row), random.next()].into_iter().flatten());
                }
                queue.extend(random);
            }
        }
        queue.retain(is(Answer::Open));
        queue.extend(self.order.iter().copied().filter(is(Answer::Skipped)));
        let mut seen = HashSet::new();
        queue.into_iter().filter(|&row| seen.insert(row)).take(most).collect()
    }

    /// The rows whose labels help: the suggestions of the model, then all by the probability of their labels.
    fn useful(&self, model: &SessionModel) -> Vec<usize> {
        let suggested = model.labelling.suggestions.iter().filter(|next| next.origin == Origin::Chosen);
        let p = &model.labelling.probability;
        let mut others = self.order.clone();
        others.sort_unstable_by(|&a, &b| p[a].total_cmp(&p[b]).then(a.cmp(&b)));
        suggested.map(|next| next.row).chain(others).collect()
    }

    /// The open rows that come next in the random order, with those before them that were skipped.
    fn random_rows(&self) -> impl Iterator<Item = usize> {
        let is_ahead = |count: &mut usize, &row: &usize| {
            *count += usize::from(self.answers.of(row) == Answer::Open);
            (*count <= RANDOM_AHEAD).then_some(row)
        };
        let rows = self.order.iter().scan(0, move |count, row| is_ahead(count, row));
        rows.filter(|&row| self.answers.of(row).is_open())
    }

    /// Whether a row is asked for because it comes next in the random order.
    pub fn is_random(&self, row: usize) -> bool {
        let is_first = self.model.is_none() && self.first.contains(&row);
        !is_first && self.random_rows().any(|other| other == row)
    }
}

/// Reports the stages of a pipeline to the page, and stops it when the session ends.
struct StageObserver<'a>(&'a Session);

impl Observer for StageObserver<'_> {
    fn stage(&mut self, name: &'static str, _: usize, _: usize) {
        self.0.lock().stage = Some(name);
    }

    fn stop(&self) -> bool {
        self.0.lock().closing
    }
}
