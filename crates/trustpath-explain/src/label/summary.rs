//! The summary of a labelled pool, for a terminal and for the head of the page.

use trustpath::Origin;
use trustpath::label::{Trust, Verdict};
use trustpath::trust::{MIN_LABELS, Promise};

use crate::{LabelResult, count};

/// Suggestions shown in a line.
const SUGGESTIONS: usize = 20;
/// Labels that are right or wrong together, on average over the pool, from which the promise comes with a warning.
const TOGETHER: f64 = 2.0;
/// Estimated precision below which a stricter threshold is advised.
const LOW_PRECISION: f64 = 0.8;
/// Classes that are named in a line.
const CLASSES: usize = 8;

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
                "rounds" => add("labelled by", format!("self-training, {rounds}")),
                name => add("labelled by", name.to_owned()),
            }
        }
        if let Some(part) = &labelling.part {
            let others = count(self.data.ids.len() - part.len(), "other", "others");
            let together = format!("a random part of {}; its model predicts {others}", part.len());
            add("labelled together", together);
        }
        let some = !trusted.rows.is_empty();
        if some {
            self.promise().into_iter().for_each(|promise| add("promise", promise));
        }
        if let Some(estimate) = trusted.estimate.filter(|_| some) {
            let (low, high) = estimate.interval;
            let (low, high) = ((100.0 * low).floor(), (100.0 * high).ceil());
            add(
                "estimate",
                format!("{:.0} % are right; 95 % interval {low:.0} to {high:.0} %", 100.0 * estimate.precision),
            );
        }
        if trusted.trust.precision().is_some() && self.unlabeled() > 0 {
            let size = |&(precision, size): &(f64, usize)| format!("{:.0} %: {size}", 100.0 * precision);
            if trusted.curve.iter().any(|(_, size)| *size > 0) {
                add("trusted at", trusted.curve.iter().map(size).collect::<Vec<String>>().join(", "));
            }
            add("checked by", self.checked_by());
        }
        if let Some(cut) = trusted.cut {
            add("lowest trusted", format!("probability {cut:.2}"));
        }
        if labelling.copies > 0 {
            let copies = count(labelling.copies, "instance is a near-copy", "instances are near-copies");
            add("near-copies", format!("{copies} of others; their labels are held out together and count once"));
        }
        if let Some(novelty) = labelling.novelty.as_ref().filter(|n| n.known < 1.0 && !labelling.picked) {
            let share = 100.0 * (1.0 - novelty.known);
            add("of unknown classes", format!("about {share:.0} % of the unlabeled instances"));
        }
        facts
    }

    /// What is promised of the trusted labels, if anything is.
    fn promise(&self) -> Option<String> {
        let text = |Promise { precision, confidence }, whose: &str| {
            format!("with {} confidence at least {} of {whose} are right", percent(confidence), percent(precision))
        };
        match self.labelling.trusted.trust {
            Trust::Precision(promise) => Some(text(promise, "the trusted labels")),
            Trust::PerClass(promise) => Some(text(promise, "the trusted labels of a class")),
            Trust::Average(precision) => Some(format!(
                "weak: {} right on average over other choices of the given labels; of this pool more may be wrong",
                percent(precision)
            )),
            Trust::Credibility(_) => None,
        }
    }

    /// The labels that the promise rests on.
    fn checked_by(&self) -> String {
        let of = |origin: Origin| self.labelling.origins[origin as usize];
        let (unknown, random) = (of(Origin::Unknown), of(Origin::Random));
        match (unknown, random) {
            (0, 0) => "no label: those of chosen instances check nothing".to_owned(),
            (0, random) => count(random, "label drawn at random", "labels drawn at random"),
            (unknown, 0) => {
                format!("the {unknown} given labels, taken to be a random part of the pool or of each class")
            }
            (unknown, random) => format!("{random} labels drawn at random and {unknown} that are taken to be"),
        }
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
            (Trust::Precision(promise) | Trust::PerClass(promise), _) if trusted.rows.is_empty() => {
                notes.push(self.no_promise(promise));
            }
            (Trust::Average(precision), _) if trusted.rows.is_empty() => notes.push(format!(
                "Nothing is trusted: with these labels not even an average of {:.0} % right can be promised. {}",
                100.0 * precision,
                self.more_labels(),
            )),
            (Trust::Average(_), _) if trusted.calibration.added >= TOGETHER => notes.push(format!(
                "Some classes have far fewer labels than others. For these classes the guarantee rests on a few labels only, so it fails more often. Add labels to the small classes, or label the instances that {} proposes.",
                self.front_end.option("suggest"),
            )),
            (Trust::Precision(_) | Trust::PerClass(_) | Trust::Average(_), _) => {}
            (_, None) => notes.push(
                "The precision of the trusted labels cannot be estimated: too few labels could be held out. Add a second label to some classes.".into(),
            ),
            (_, Some(estimate)) if estimate.precision < LOW_PRECISION => {
                let wrong = 100.0 * (1.0 - estimate.precision);
                notes.push(format!(
                    "About {wrong:.0} % of the trusted labels are probably wrong. Ask for a precision instead, as in {}.",
                    self.front_end.setting("precision", "0.9"),
                ));
            }
            _ => {}
        }
        notes.extend(self.classes_in_need());
        if !self.closed && !self.labelling.picked && self.labelling.novelty.is_none() {
            notes.push(format!(
                "Instances of unknown classes are not detected: that takes at least {MIN_LABELS} labels in classes that have two or more."
            ));
        }
        notes
    }

    /// Why nothing can be promised, and what would help.
    fn no_promise(&self, promise: Promise) -> String {
        let Promise { precision, confidence } = promise;
        let calibration = &self.labelling.trusted.calibration;
        let (certain, right) = (percent(confidence), percent(precision));
        let nothing = format!("Nothing is trusted yet: it takes {certain} confidence that {right} are right");
        let have = calibration.effective_labels();
        let chosen = self.labelling.origins[Origin::Chosen as usize];
        let why = match calibration.labels_needed(promise) {
            _ if chosen == self.number(Verdict::Given) => {
                "all given labels are of chosen instances, which check nothing: label some that are drawn at random"
                    .to_owned()
            }
            _ if calibration.held_out.is_empty() => {
                "no label could be held out to check it, since every class has only one".to_owned()
            }
            _ if calibration.stands_in_too_much() => {
                format!("classes with too few labels hold much of the pool: label more of {}", self.smallest_classes())
            }
            None => format!(
                "too many of the {} are wrong, even where labels are most probable",
                count(have, "label that could be held out", "labels that could be held out")
            ),
            Some(needed) if needed <= have => format!(
                "some of the most probable of the {have} labels that were held out are wrong; some ten more may settle it"
            ),
            Some(needed) => format!("about {needed} labels have to be held out for that, and there are {have}"),
        };
        let average = calibration.trusted(self.unlabeled(), Trust::Average(precision));
        let weaker = match average {
            0 => String::new(),
            some => format!(
                " {} trusts {} by a weaker promise: right to {} on average over other choices of the given labels.",
                self.front_end.option("average"),
                count(some, "label", "labels"),
                percent(precision),
            ),
        };
        format!("{nothing}, and {why}. {}{weaker}", self.more_labels())
    }

    /// Where more labels come from.
    fn more_labels(&self) -> String {
        format!(
            "{} says what to label next; the most probable labels come first when the table is sorted by probability.",
            self.front_end.option("suggest"),
        )
    }

    /// The names of the classes with fewest labels.
    fn smallest_classes(&self) -> String {
        let mut counts = vec![0usize; self.data.classes.len()];
        self.data.labels.iter().flatten().for_each(|&label| counts[label] += 1);
        let least = counts.iter().copied().min().unwrap_or(0);
        let names: Vec<&str> = (0..counts.len())
            .filter(|&class| counts[class] == least)
            .map(|class| self.data.classes[class].as_str())
            .collect();
        listed(&names)
    }

    /// Where every class has a promise of its own: which classes have none, and what they need.
    fn classes_in_need(&self) -> Option<String> {
        let promises = &self.labelling.trusted.classes;
        let without = |class: &usize| promises[*class].share == 0.0;
        let need = |class: usize| match promises[class].needed {
            Some(needed) if needed > promises[class].labels => {
                format!("{} ({} more)", self.data.classes[class], needed - promises[class].labels)
            }
            _ => format!("{} (too many wrong)", self.data.classes[class]),
        };
        let names: Vec<String> = (0..promises.len()).filter(without).map(need).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        (!names.is_empty()).then(|| {
            format!(
                "Classes of which nothing is trusted, and how many random labels given this class they need: {}.",
                listed(&names)
            )
        })
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
            let ids: Vec<&str> = first.map(|next| self.data.ids[next.row].as_str()).collect();
            let more = suggestions.len().saturating_sub(SUGGESTIONS);
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            text.push_str(&format!("\nLabel next: {}{more}\n", ids.join(", ")));
            if suggestions.len() > 1 {
                text.push_str("Every second one is random. Label all of them: the random ones check the promise.\n");
            }
        }
        text.push_str(&format!("\n{spent}\n"));
        text
    }
}

/// A share in percent, with as many digits as it has: nearly everything is not everything.
fn percent(share: f64) -> String {
    format!("{} %", (1e7 * share).round() / 1e5)
}

/// Names in a line; of many, the first and the number of the others.
fn listed(names: &[&str]) -> String {
    let first = names[..names.len().min(CLASSES)].join(", ");
    if names.len() > CLASSES { format!("{first} and {} others", names.len() - CLASSES) } else { first }
}
