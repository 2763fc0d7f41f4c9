//! The summary of a labelled pool, for a terminal and for the head of the page.

use trustpath::label::{Trust, Verdict};
use trustpath::trust::{MIN_LABELS, labels_needed};

use crate::{LabelResult, count};

/// Suggestions shown in a line.
const SUGGESTIONS: usize = 20;
/// Labels that are right or wrong together, on average over the pool, from which the promise comes with a warning.
const TOGETHER: f64 = 2.0;
/// Estimated precision below which a stricter threshold is advised.
const LOW_PRECISION: f64 = 0.8;
/// Precision from which asking for it is advised.
const WORTH_ASKING: f64 = 0.5;

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

    /// How the labels were made and how far the trusted ones can be relied on, as names and values.
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
        if let Some(part) = &labelling.part {
            let others = count(self.data.ids.len() - part.len(), "other", "others");
            let together = format!("a random part of {}; its model predicts {others}", part.len());
            add("labelled together", together);
        }
        if let (Some(estimate), false) = (trusted.estimate, trusted.rows.is_empty()) {
            let (low, high) = estimate.interval;
            let from = count(estimate.labels, "held-out label", "held-out labels");
            add(
                "estimated precision",
                format!(
                    "{:.0} % (95 % interval {:.0} to {:.0} %, from {from})",
                    100.0 * estimate.precision,
                    (100.0 * low).floor(),
                    (100.0 * high).ceil(),
                ),
            );
        }
        if let (Some(target), false) = (trusted.target, trusted.rows.is_empty()) {
            let percent = 100.0 * target;
            let meaning = "on average over random choices of the given labels";
            add("promised precision", format!("at least {percent:.0} % {meaning}"));
        }
        if let Some(cut) = trusted.cut {
            add("trust threshold", format!("probability >= {cut:.2}"));
        }
        if let Some(novelty) = labelling.novelty.as_ref().filter(|n| n.known < 1.0 && !labelling.picked) {
            let share = 100.0 * (1.0 - novelty.known);
            add("of unknown classes", format!("about {share:.0} % of the unlabeled instances"));
        }
        facts
    }

    /// What a user should know before relying on the labels.
    pub fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        if self.unlabeled() == 0 {
            return notes;
        }
        let trusted = &self.labelling.trusted;
        if self.labelling.picked {
            let effect = if self.closed {
                "The true precision is probably lower than the one promised here"
            } else {
                "Only instances close to the labelled ones are trusted, and detection of unknown classes is off"
            };
            notes.push(format!(
                "The given labels are more typical than the pool, as if clear examples had been chosen. {effect}. Label some instances chosen at random, or those of {}.",
                self.front_end.option("suggest"),
            ));
        }
        // Precision is about the labels made, of which there are none if every instance is none of these.
        let labelled = self.number(Verdict::Trusted) + self.number(Verdict::Doubtful);
        match (self.trust, trusted.estimate) {
            _ if labelled == 0 => {}
            (Trust::Precision(target), _) if trusted.rows.is_empty() => {
                notes.push(self.no_promise(target));
            }
            (Trust::Precision(_), _) if trusted.calibration.added >= TOGETHER => notes.push(format!(
                "Some classes have far fewer labels than others. For these classes the guarantee rests on a few labels only, so it fails more often. Add labels to the small classes, or label the instances that {} proposes.",
                self.front_end.option("suggest"),
            )),
            (Trust::Precision(_), _) => {}
            (_, None) => notes.push(
                "The precision of the trusted labels cannot be estimated: too few labels could be held out. Add a second label to some classes.".into(),
            ),
            (_, Some(estimate)) if estimate.precision < LOW_PRECISION => {
                let wrong = 100.0 * (1.0 - estimate.precision);
                notes.push(format!(
                    "About {wrong:.0} % of the trusted labels are probably wrong. {}",
                    self.attainable(estimate.precision)
                ));
            }
            _ => {}
        }
        if !self.closed && !self.labelling.picked && self.labelling.novelty.is_none() {
            notes.push(format!(
                "Instances of unknown classes are not detected: that takes at least {MIN_LABELS} labels in classes that have two or more."
            ));
        }
        notes
    }

    /// What precision can be promised, if it is above `now`, and how to ask for it.
    fn attainable(&self, now: f64) -> String {
        let (best, _) = self.labelling.trusted.best;
        let hundredths = |precision: f64| (100.0 * precision + 1e-9).floor() / 100.0;
        let unlabeled = self.unlabeled();
        // A round number below the best leaves more labels trusted.
        let round = (20.0 * best + 1e-9).floor() / 20.0;
        let target = if round > now.max(WORTH_ASKING) { round } else { hundredths(best) };
        let number = self.labelling.trusted.calibration.trusted(unlabeled, target);
        if target < WORTH_ASKING || target <= now || number == 0 {
            return "Give more labels, best those of several instances in every class; the most probable labels come first when the table is sorted by probability.".to_owned();
        }
        let most = if target < hundredths(best) {
            format!("; {:.2} is the most they support", hundredths(best))
        } else {
            String::new()
        };
        format!(
            "With these labels {} would trust {}{most}.",
            self.front_end.setting("precision", format_args!("{target:.2}")),
            count(number, "label", "labels"),
        )
    }

    /// Why the precision asked for cannot be promised, and which can be.
    fn no_promise(&self, target: f64) -> String {
        let held_out = self.labelling.trusted.calibration.held_out.len();
        let needed = labels_needed(target);
        let why = match held_out {
            0 => "No label could be held out to check it, since every class has only one.".to_owned(),
            few if few < needed => format!(
                "That takes at least {needed} held-out labels, even if all of them are right, and there are {few}."
            ),
            _ => format!(
                "Too many of the {} are wrong, even where labels are most probable.",
                count(held_out, "held-out label", "held-out labels")
            ),
        };
        format!(
            "Nothing can be called trusted with these labels: a precision of {target} cannot be promised. {why} {}",
            self.attainable(0.0)
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
