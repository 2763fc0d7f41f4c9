//! The summary of a labelled pool, for a terminal and for the head of the page.

use trustpath::label::{Trust, Verdict};
use trustpath::trust::{MIN_LABELS, labels_needed};

use crate::{LabelResult, count};

/// Suggestions shown in a line.
const SUGGESTIONS: usize = 20;
/// Estimated precision below which a stricter threshold is advised.
const LOW_PRECISION: f64 = 0.8;

impl LabelResult<'_> {
    /// The pool in a line.
    pub fn line(&self) -> String {
        format!(
            "{}, {} each; {} of {} given",
            count(self.data.ids.len(), "instance", "instances"),
            count(self.data.dims, "feature", "features"),
            count(self.number(Verdict::Given), "label", "labels"),
            count(self.data.classes.len(), "class", "classes"),
        )
    }

    fn number(&self, verdict: Verdict) -> usize {
        self.labelling.verdicts.iter().filter(|&&v| v == verdict).count()
    }

    /// The number of instances without a given label.
    fn unlabeled(&self) -> usize {
        self.data.ids.len() - self.number(Verdict::Given)
    }

    /// The number and share of each verdict.
    fn counts(&self) -> Vec<(String, String)> {
        let all = self.unlabeled().max(1) as f64;
        let share = |verdict| {
            let n = self.number(verdict);
            format!("{n} ({:.0} %)", 100.0 * n as f64 / all)
        };
        vec![
            ("given".into(), self.number(Verdict::Given).to_string()),
            ("trusted".into(), share(Verdict::Trusted)),
            ("doubtful".into(), share(Verdict::Doubtful)),
            ("none of these".into(), share(Verdict::NoneOfThese)),
        ]
    }

    /// How the labels were found and how far the trusted ones can be relied on, as names and values.
    pub fn facts(&self) -> Vec<(String, String)> {
        let (labelling, trusted) = (self.labelling, &self.labelling.trusted);
        let mut facts = Vec::new();
        let mut add = |name: &str, value: String| facts.push((name.to_owned(), value));
        if self.unlabeled() > 0 {
            let rounds = count(labelling.rounds.len(), "round", "rounds");
            match labelling.labeller {
                "rounds" => add("method", format!("self-training, {rounds}")),
                name => add("method", name.to_owned()),
            }
        }
        let (all, followed) = (self.data.ids.len(), labelling.followed.len());
        if followed < all {
            add("path fitted to", format!("{followed} of {all} instances"));
        }
        if let Some(recall) = labelling.recall {
            add("neighbours found", format!("{:.1} % of the exact ones", 100.0 * recall));
        }
        if let Some((precision, held_out)) = trusted.estimate {
            let from = count(held_out, "held-out label", "held-out labels");
            add("estimated precision", format!("{:.0} % (from {from})", 100.0 * precision));
        }
        if trusted.promised > 0.0 {
            let percent = (100.0 * trusted.promised).floor();
            let meaning = "expected value, if labels were chosen at random";
            add("guaranteed precision", format!(">= {percent:.0} % ({meaning})"));
        }
        if let Some(cut) = trusted.cut {
            add("trust threshold", format!("credibility >= {cut:.2}"));
        }
        facts
    }

    /// What a user should know before relying on the labels.
    pub fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        if self.unlabeled() == 0 {
            return notes;
        }
        let (trusted, front) = (&self.labelling.trusted, self.front_end);
        // Precision is about the labels found, of which there are none if every instance is none of these.
        let labelled = self.number(Verdict::Trusted) + self.number(Verdict::Doubtful);
        match self.trust {
            _ if labelled == 0 => {}
            Trust::Precision(target) if trusted.cut.is_none() => {
                notes.push(self.no_guarantee(target));
            }
            _ if trusted.calibration.is_empty() => notes.push(
                "Precision cannot be estimated: every class has only one label. Add a second label to some classes.".into(),
            ),
            _ => {}
        }
        if !self.closed && self.labelling.novelty.is_none() {
            notes.push(format!(
                "Instances of unknown classes are not detected: that takes at least {MIN_LABELS} labels in classes that have two or more."
            ));
        }
        let (classes, coordinates) = (self.data.classes.len(), self.labelling.coordinates.dims());
        // The best fit in d coordinates reaches d/c of the distance to a corner: with c = 2d no label gets half-way.
        if matches!(self.trust, Trust::Credibility(_)) && classes > 2 * coordinates {
            notes.push(format!(
                "{classes} classes are more than twice the {coordinates} coordinates that the path uses, so no label fits as well as among few classes and all credibilities are low. Trust by {} or {} instead.",
                front.option("precision"),
                front.option("per-class"),
            ));
        }
        match trusted.estimate {
            Some((estimate, _))
                if self.trust == Trust::Credibility(0.5) && estimate < LOW_PRECISION =>
            {
                notes.push(self.low_precision(estimate));
            }
            _ => {}
        }
        notes
    }

    /// The highest precision that can be guaranteed for any part of the pool, in hundredths.
    fn best_guarantee(&self) -> f64 {
        let (labelling, rows) = (self.labelling, 0..self.data.ids.len());
        let found =
            |row: &usize| matches!(labelling.verdicts[*row], Verdict::Trusted | Verdict::Doubtful);
        let pool: Vec<f64> = rows.filter(found).map(|row| labelling.credibility[row]).collect();
        let best = labelling.trusted.calibration.best(&pool);
        best.map_or(0.0, |(promise, _)| (100.0 * promise).floor() / 100.0)
    }

    /// Many of the trusted labels are wrong: which precision to ask for instead, if a higher one can be guaranteed.
    fn low_precision(&self, estimate: f64) -> String {
        let wrong = 100.0 * (1.0 - estimate);
        let start = format!("About {wrong:.0} % of the trusted labels are probably wrong.");
        let (best, now) = (self.best_guarantee(), self.labelling.trusted.promised);
        // A round number below the best leaves more labels trusted.
        let round = (20.0 * best).floor() / 20.0;
        let target = if round > now { round } else { best };
        match target > now {
            true => format!(
                "{start} For a stricter set use {} ({best:.2} is the most these labels can support).",
                self.front_end.setting("precision", format_args!("{target:.2}")),
            ),
            false => format!(
                "{start} The given labels cannot support a stricter set by precision: add labels, or raise {}.",
                self.front_end.option("credibility"),
            ),
        }
    }

    /// Why the precision asked for cannot be guaranteed, and which can be.
    fn no_guarantee(&self, target: f64) -> String {
        let (held_out, needed) = (self.labelling.trusted.calibration.len(), labels_needed(target));
        let from = count(held_out, "held-out label", "held-out labels");
        let why = match held_out < needed {
            true => format!("It takes at least {needed}, even if all of them are right."),
            false => "Too many of them are wrong, even where labels are most credible.".to_owned(),
        };
        let best = self.best_guarantee();
        let lower = match best > 0.0 {
            true => format!(
                ", use {} (the most these labels can support),",
                self.front_end.setting("precision", format_args!("{best:.2}"))
            ),
            false => String::new(),
        };
        format!(
            "A precision of {target} cannot be guaranteed from {from}, so nothing is trusted. {why} Give more labels{lower} or trust by {}.",
            self.front_end.setting("credibility", 0.5),
        )
    }

    /// The summary for a terminal, with the time and memory spent.
    pub fn text(&self, spent: &str) -> String {
        let mut text = format!("{}: {}\n\n", self.data.source, self.line());
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
            let first = suggestions.iter().take(SUGGESTIONS);
            let ids: Vec<&str> = first.map(|&row| self.data.ids[row].as_str()).collect();
            let more = suggestions.len().saturating_sub(SUGGESTIONS);
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            text.push_str(&format!("\nLabel next: {}{more}\n", ids.join(", ")));
        }
        text.push_str(&format!("\n{spent}\n"));
        text
    }
}
