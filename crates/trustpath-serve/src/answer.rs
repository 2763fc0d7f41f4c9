//! What is known about every instance, and how it changes.

use std::collections::HashMap;

use trustpath::Origin;
use trustpath_table::{AnswerKind, AnswerRow, MissingLabels};

use crate::journal::{Action, Change, Target};
use crate::{Error, Result};

/// What is known about an instance.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answer {
    /// Nothing.
    Open,
    /// Nothing, and it is not asked for again.
    Skipped,
    /// It had this label before.
    Given(usize),
    /// A person gave it this label, or confirmed it.
    Checked(usize),
    /// It is none of the classes.
    NoneOfThese,
}

impl Answer {
    /// What the page calls them.
    pub const NAMES: [&str; 5] = ["open", "skipped", "given", "checked", "none"];

    /// What the page calls it.
    pub fn name(self) -> &'static str {
        Self::NAMES[match self {
            Self::Open => 0,
            Self::Skipped => 1,
            Self::Given(_) => 2,
            Self::Checked(_) => 3,
            Self::NoneOfThese => 4,
        }]
    }

    /// The class, if it has one.
    pub fn class(self) -> Option<usize> {
        match self {
            Self::Given(class) | Self::Checked(class) => Some(class),
            _ => None,
        }
    }

    /// Whether nothing is known.
    pub fn is_open(self) -> bool {
        matches!(self, Self::Open | Self::Skipped)
    }
}

/// Longest name of a new class, in characters.
const LONGEST_NAME: usize = 100;

/// The answers for all instances, and the classes.
#[derive(Debug)]
pub struct Answers {
    ids: Vec<String>,
    rows: HashMap<String, usize>,
    /// Names; new classes are added at the end, so that the number of a class stays the same.
    classes: Vec<String>,
    answers: Vec<Answer>,
    /// How it was decided that each of them gets an answer.
    origins: Vec<Origin>,
    /// What instances were before each action that can be taken back.
    history: Vec<Vec<(usize, Answer, Origin)>>,
    missing: MissingLabels,
}

impl Answers {
    /// The state of a labels file; `origins` is empty if nobody says anything.
    pub fn new(
        ids: &[String],
        labels: &[Option<usize>],
        classes: &[String],
        origins: Vec<Origin>,
        kinds: &[(String, AnswerKind)],
        missing: MissingLabels,
    ) -> Self {
        let rows: HashMap<String, usize> = ids.iter().enumerate().map(|(row, id)| (id.clone(), row)).collect();
        let given = |label: &Option<usize>| label.map_or(Answer::Open, Answer::Given);
        let mut answers: Vec<Answer> = labels.iter().map(given).collect();
        for (id, kind) in kinds {
            let Some(&row) = rows.get(id) else { continue };
            answers[row] = match (kind, answers[row].class()) {
                (AnswerKind::Checked, Some(class)) => Answer::Checked(class),
                (AnswerKind::NoneOfThese, None) => Answer::NoneOfThese,
                _ => answers[row],
            };
        }
        let origins = if origins.is_empty() { vec![Origin::Unknown; ids.len()] } else { origins };
        let (ids, classes) = (ids.to_vec(), classes.to_vec());
        Self { ids, rows, classes, answers, origins, history: Vec::new(), missing }
    }

    /// The names of all classes.
    pub fn classes(&self) -> &[String] {
        &self.classes
    }

    /// The row of an instance.
    pub fn row(&self, id: &str) -> Option<usize> {
        self.rows.get(id).copied()
    }

    /// What is known about a row.
    pub fn of(&self, row: usize) -> Answer {
        self.answers[row]
    }

    /// What is known about all rows.
    pub fn all(&self) -> &[Answer] {
        &self.answers
    }

    /// How it was decided that each instance gets an answer.
    pub fn origins(&self) -> &[Origin] {
        &self.origins
    }

    /// The labels for the engine, whose classes are those that occur; and the number of each of these here.
    pub fn occurring(&self) -> (Vec<Option<usize>>, Vec<usize>) {
        let mut used = vec![false; self.classes.len()];
        self.answers.iter().filter_map(|a| a.class()).for_each(|class| used[class] = true);
        let classes: Vec<usize> = (0..used.len()).filter(|&class| used[class]).collect();
        let mut place = vec![0; used.len()];
        classes.iter().enumerate().for_each(|(k, &class)| place[class] = k);
        (self.answers.iter().map(|a| a.class().map(|class| place[class])).collect(), classes)
    }

    /// The action that sets these rows; checks rows and the name of a new class, and changes nothing. An instance that has an answer keeps its
    /// origin: another answer changes nothing about how it was decided that it gets one.
    pub fn action(&self, rows: &[usize], to: &Target, origin: Origin) -> Result<Action> {
        if rows.is_empty() {
            return Err(Error::refused("no instance is selected"));
        }
        if rows.iter().any(|&row| row >= self.ids.len()) {
            return Err(Error::refused("there is no such instance"));
        }
        let to = match to {
            Target::Label { label } | Target::Given { label } => Target::Label { label: self.class_name(label)? },
            other => other.clone(),
        };
        let origin = |row: usize| match to {
            Target::Open | Target::Skipped => Origin::Unknown,
            _ if self.of(row).is_open() => origin,
            _ => self.origins[row],
        };
        let change = |&row: &usize| Change { id: self.ids[row].clone(), origin: origin(row), to: to.clone() };
        Ok(Action { set: rows.iter().map(change).collect(), undo: false })
    }

    /// The name of a class, which may be new. A name that the readers of labels would take for a missing label, or that
    /// differs from another only in case or spaces, is refused.
    fn class_name(&self, name: &str) -> Result<String> {
        if self.classes.iter().any(|class| class == name) {
            return Ok(name.to_owned());
        }
        let spaced = |name: &str| name.split_whitespace().collect::<Vec<_>>().join(" ");
        let name = spaced(name);
        if self.classes.contains(&name) {
            return Ok(name);
        }
        if name.is_empty() || name.chars().any(char::is_control) {
            return Err(Error::refused("a class needs a name of visible characters"));
        }
        if name.chars().count() > LONGEST_NAME {
            return Err(Error::Refused(format!("the name of a class has at most {LONGEST_NAME} characters")));
        }
        let same = |class: &&String| spaced(class).to_lowercase() == name.to_lowercase();
        if let Some(class) = self.classes.iter().find(same) {
            return Err(Error::Refused(format!("there is a class {class:?} already")));
        }
        let all: Vec<(&str, usize)> = self.classes.iter().chain([&name]).map(|class| (class.as_str(), 1)).collect();
        if self.missing.judge(&all).missing.last() == Some(&true) {
            let sentence = format!("{name:?} in a labels file means that there is no label: choose another name");
            return Err(Error::Refused(sentence));
        }
        Ok(name)
    }

    /// The action that takes back the last one, if there is one.
    pub fn undoing(&self) -> Result<Action> {
        let last = self.history.last();
        let last = last.ok_or_else(|| Error::refused("there is nothing to take back"))?;
        let change = |&(row, answer, origin): &(usize, Answer, Origin)| {
            let (id, to) = (self.ids[row].clone(), self.target(answer));
            Change { id, origin, to }
        };
        Ok(Action { set: last.iter().map(change).collect(), undo: true })
    }

    fn target(&self, answer: Answer) -> Target {
        match answer {
            Answer::Open => Target::Open,
            Answer::Skipped => Target::Skipped,
            Answer::Given(class) => Target::Given { label: self.classes[class].clone() },
            Answer::Checked(class) => Target::Label { label: self.classes[class].clone() },
            Answer::NoneOfThese => Target::NoneOfThese,
        }
    }

    /// Applies an action, and returns the rows that it changed. The error is the id of an instance that does not exist; then
    /// nothing is changed.
    pub fn apply(&mut self, action: &Action) -> std::result::Result<Vec<usize>, String> {
        let row = |change: &Change| self.rows.get(&change.id).copied().ok_or(change.id.clone());
        let rows = action.set.iter().map(row).collect::<std::result::Result<Vec<usize>, _>>()?;
        let before = rows.iter().map(|&row| (row, self.answers[row], self.origins[row])).collect();
        for (&row, change) in rows.iter().zip(&action.set) {
            self.origins[row] = change.origin;
            self.answers[row] = match &change.to {
                Target::Open => Answer::Open,
                Target::Skipped => Answer::Skipped,
                Target::NoneOfThese => Answer::NoneOfThese,
                Target::Given { label } => Answer::Given(self.class(label)),
                Target::Label { label } => Answer::Checked(self.class(label)),
            };
        }
        if action.undo {
            drop(self.history.pop())
        } else {
            self.history.push(before)
        }
        Ok(rows)
    }

    /// The number of a class, which is added if it is new.
    fn class(&mut self, name: &str) -> usize {
        self.classes.iter().position(|class| class == name).unwrap_or_else(|| {
            self.classes.push(name.to_owned());
            self.classes.len() - 1
        })
    }

    /// The rows of the labels file: every instance with a label or an answer.
    pub fn rows_of_file(&self) -> Vec<AnswerRow> {
        let row = |(row, answer): (usize, &Answer)| {
            let kind = match answer {
                Answer::Open | Answer::Skipped => return None,
                Answer::Given(_) => AnswerKind::Given,
                Answer::Checked(_) => AnswerKind::Checked,
                Answer::NoneOfThese => AnswerKind::NoneOfThese,
            };
            let label = answer.class().map(|class| self.classes[class].clone());
            let origin = Some(self.origins[row]).filter(|&origin| origin != Origin::Unknown);
            Some(AnswerRow { id: self.ids[row].clone(), label, kind, origin: origin.map(|origin| origin.to_string()) })
        };
        self.answers.iter().enumerate().filter_map(row).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answers() -> Answers {
        let names = |names: &[&str]| names.iter().map(|&n| n.to_owned()).collect::<Vec<_>>();
        let kinds = [("b".to_owned(), AnswerKind::Checked)];
        let labels = [Some(0), Some(1), None, None];
        let ids = names(&["a", "b", "c", "d"]);
        Answers::new(&ids, &labels, &names(&["auk", "tern"]), Vec::new(), &kinds, MissingLabels::usual())
    }

    fn label(name: &str) -> Target {
        Target::Label { label: name.into() }
    }

    #[test]
    fn undo_restores_everything_step_by_step() {
        let mut state = answers();
        let mut steps = vec![state.all().to_vec()];
        for (rows, to) in [
            (vec![0], label("tern")),
            (vec![2, 3], label("gull")),
            (vec![1, 2], Target::NoneOfThese),
            (vec![3], Target::Skipped),
            (vec![3], Target::Open),
        ] {
            let action = state.action(&rows, &to, Origin::Chosen).unwrap();
            assert_eq!(state.apply(&action).unwrap(), rows);
            steps.push(state.all().to_vec());
        }
        assert_eq!(state.of(1), Answer::NoneOfThese);
        assert_eq!(state.occurring().1, [1], "only terns are left");
        for expected in steps.iter().rev().skip(1) {
            let action = state.undoing().unwrap();
            state.apply(&action).unwrap();
            assert_eq!(state.all(), expected);
        }
        assert!(state.undoing().is_err());
        assert_eq!(state.occurring().0, [Some(0), Some(1), None, None]);
    }

    #[test]
    fn an_answer_keeps_its_origin_until_it_is_taken_back() {
        let mut state = answers();
        let mut give = |row, to: &Target, origin| {
            let action = state.action(&[row], to, origin).unwrap();
            state.apply(&action).unwrap();
            state.origins()[row]
        };
        assert_eq!(give(2, &label("auk"), Origin::Random), Origin::Random);
        assert_eq!(give(2, &label("tern"), Origin::Chosen), Origin::Random, "another answer");
        assert_eq!(give(0, &label("tern"), Origin::Chosen), Origin::Unknown, "it had a label before");
        assert_eq!(give(2, &Target::Open, Origin::Chosen), Origin::Unknown);
        assert_eq!(give(2, &Target::NoneOfThese, Origin::Chosen), Origin::Chosen);
        assert_eq!(state.rows_of_file()[2].origin.as_deref(), Some("chosen"));
        for expected in [Origin::Unknown, Origin::Random] {
            let action = state.undoing().unwrap();
            state.apply(&action).unwrap();
            assert_eq!(state.origins()[2], expected);
        }
    }

    /// A session that is killed after its labels file was written reads the journal on top of it.
    #[test]
    fn a_journal_can_be_read_twice() {
        let mut once = answers();
        let mut actions = Vec::new();
        for (rows, to) in [(vec![2], label("gull")), (vec![0, 2], Target::NoneOfThese)] {
            actions.push(once.action(&rows, &to, Origin::Chosen).unwrap());
            once.apply(actions.last().unwrap()).unwrap();
        }
        actions.push(once.undoing().unwrap());
        once.apply(&actions[2]).unwrap();
        let after = once.all().to_vec();
        actions.iter().for_each(|action| drop(once.apply(action).unwrap()));
        assert_eq!(once.all(), after);
    }

    #[test]
    fn names_that_could_not_be_read_back_are_refused() {
        let state = answers();
        for (name, why) in [
            ("", "visible"),
            (" \t", "visible"),
            ("a\u{0}b", "visible"),
            ("unknown", "no label"),
            ("?", "no label"),
            ("-1", "no label"),
            ("Auk ", "already"),
            (&"x".repeat(101), "100"),
        ] {
            let error = state.action(&[2], &label(name), Origin::Chosen).unwrap_err().to_string();
            assert!(error.contains(why), "{name:?}: {error}");
        }
        let action = state.action(&[2], &label("  little \n auk "), Origin::Chosen).unwrap();
        assert_eq!(action.set[0].to, label("little auk"));
        let refused = |rows: &[usize]| state.action(rows, &label("auk"), Origin::Chosen).is_err();
        assert!(refused(&[9]) && refused(&[]));
    }
}
