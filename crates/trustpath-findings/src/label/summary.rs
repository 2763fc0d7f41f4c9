//! What came of it, for a terminal and for the head of the page.

use trustpath::label::{Labelling, Trust, Verdict};
use trustpath::trust::{MIN_LABELS, labels_needed};

use crate::{About, count};

/// Suggestions shown in a line.
const SHOWN: usize = 20;

/// A labelled pool in a few lines.
#[derive(Debug, Clone, Copy)]
pub struct Summary<'a> {
    about: &'a About<'a>,
    labelling: &'a Labelling,
    trust: Trust,
    closed: bool,
}

impl<'a> Summary<'a> {
    /// Of a pool that was labelled with this trust, `closed` if it was not searched for what is none of these.
    pub fn new(about: &'a About<'a>, labelling: &'a Labelling, trust: Trust, closed: bool) -> Self {
        Self { about, labelling, trust, closed }
    }

    /// The pool in a line.
    pub fn line(&self) -> String {
        format!(
            "{}, {} each; {} of {} given",
            count(self.about.ids.len(), "instance", "instances"),
            count(self.about.dims, "feature", "features"),
            count(self.of(Verdict::Given), "label", "labels"),
            count(self.about.classes.len(), "class", "classes"),
        )
    }

    fn of(&self, verdict: Verdict) -> usize {
        self.labelling.verdicts.iter().filter(|&&v| v == verdict).count()
    }

    /// How many have which verdict.
    fn counts(&self) -> Vec<(String, String)> {
        let open = self.about.ids.len() - self.of(Verdict::Given);
        let share = |n: usize| format!("{n} ({:.0} %)", 100.0 * n as f64 / open.max(1) as f64);
        vec![
            ("given".into(), self.of(Verdict::Given).to_string()),
            ("trusted".into(), share(self.of(Verdict::Trusted))),
            ("doubtful".into(), share(self.of(Verdict::Doubtful))),
            ("none of these".into(), share(self.of(Verdict::NoneOfThese))),
        ]
    }

    /// Name and value of what is known of the trusted.
    pub fn facts(&self) -> Vec<(String, String)> {
        let labeller = match self.labelling.rounds.is_empty() {
            true => self.labelling.labeller.to_owned(),
            false => count(self.labelling.rounds.len(), "round", "rounds"),
        };
        let mut facts = vec![("labelled by".to_owned(), labeller)];
        let (all, followed) = (self.about.ids.len(), self.labelling.followed.len());
        if followed < all {
            facts.push(("path fitted to".into(), format!("{followed} of {all} instances")));
        }
        if let Some(recall) = self.labelling.recall {
            facts.push((
                "neighbours found".into(),
                format!("{:.1} % of the true ones", 100.0 * recall),
            ));
        }
        let trusted = &self.labelling.trusted;
        if let Some((precision, held_out)) = trusted.estimate {
            let from = count(held_out, "held-out label", "held-out labels");
            facts.push((
                "estimated precision".into(),
                format!("{:.0} % (from {from})", 100.0 * precision),
            ));
        }
        if trusted.promised > 0.0 {
            facts.push((
                "promised precision".into(),
                format!("at least {:.0} % on average", (100.0 * trusted.promised).floor()),
            ));
        }
        if let Some(cut) = trusted.cut {
            facts.push(("trusted from credibility".into(), format!("{cut:.2}")));
        }
        facts
    }

    /// What a user should know before relying on it.
    pub fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        let trusted = &self.labelling.trusted;
        let held_out = trusted.calibration.len();
        match self.trust {
            Trust::Precision(target) if trusted.cut.is_none() => {
                notes.push(self.no_promise(target, held_out));
            }
            _ if held_out == 0 => notes.push(
                "No class has two labels, so that none can be held out: how many of the trusted labels are right is not estimated. Label a second instance of some classes.".into(),
            ),
            _ => {}
        }
        if !self.closed && self.labelling.novelty.is_none() {
            notes.push(format!(
                "Instances of classes that were never labelled are not told apart: that takes {MIN_LABELS} labels in classes of two or more."
            ));
        }
        let (classes, coordinates) = (self.about.classes.len(), self.labelling.coordinates.dims());
        // The best fit of d coordinates reaches d/c of the way to a corner: with c = 2d no label is half-way there.
        if matches!(self.trust, Trust::Credibility(_)) && classes > 2 * coordinates {
            notes.push(format!(
                "{classes} classes are more than twice the {coordinates} coordinates that the path reads: no label can be fitted as well as among few classes, and credibilities are low throughout. Trust by --precision or --per-class instead."
            ));
        }
        if self.trust == Trust::Credibility(0.5) && trusted.estimate.is_some_and(|(p, _)| p < 0.8) {
            notes.push(
                "By the estimate more than one in five trusted labels is wrong. Ask for a precision (--precision 0.9) to trust fewer.".into(),
            );
        }
        notes
    }

    /// Why a precision cannot be promised, and what can be.
    fn no_promise(&self, target: f64, held_out: usize) -> String {
        let (needed, from) =
            (labels_needed(target), count(held_out, "held-out label", "held-out labels"));
        let start =
            format!("A precision of {target} cannot be promised from {from}: nothing is trusted.");
        if held_out < needed {
            return format!(
                "{start} It takes at least {needed} even if all of them are right; give more labels, lower the target, or trust by --credibility."
            );
        }
        let open = |row: &usize| self.labelling.verdicts[*row] == Verdict::Doubtful;
        let rows = (0..self.about.ids.len()).filter(open);
        let pool: Vec<f64> = rows.map(|row| self.labelling.credibility[row]).collect();
        let best = self.labelling.trusted.calibration.best(&pool);
        let most = best.map_or(0.0, |(promise, _)| (100.0 * promise).floor() / 100.0);
        format!(
            "{start} Too many of them are wrong even where labels are most credible; the most that can be promised is {most:.2}. Give more labels, lower the target, or trust by --credibility."
        )
    }

    /// All of it, for a terminal, with what it took.
    pub fn text(&self, spent: &str) -> String {
        let mut text = format!("{}: {}\n\n", self.about.source, self.line());
        let facts = [self.counts(), self.facts()].concat();
        let width = facts.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0);
        for (name, value) in &facts {
            text.push_str(&format!("  {name:width$}  {value}\n"));
        }
        for note in self.notes() {
            text.push_str(&format!("\n{note}\n"));
        }
        let suggestions = &self.labelling.suggestions;
        if !suggestions.is_empty() {
            let ids: Vec<&str> =
                suggestions.iter().take(SHOWN).map(|&row| self.about.ids[row].as_str()).collect();
            let more = suggestions.len().saturating_sub(SHOWN);
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            text.push_str(&format!("\nLabel next: {}{more}\n", ids.join(", ")));
        }
        text.push_str(&format!("\n{spent}\n"));
        text
    }
}
