//! What the page is made from: plain data, in the order in which a caller has them.

/// Everything a page about labelled data shows.
///
/// Classes, instances and neighbours are named by position: `classes[label]`, `instances[neighbour]`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct LabelReport {
    /// Whether labels were given to unlabeled data, or given labels were examined.
    pub kind: ReportKind,
    /// Heading of the page.
    pub title: String,
    /// A line below it: where the data come from.
    pub subtitle: String,
    /// Name and value of what the summary states, in order: counts, estimated precision, time taken.
    pub facts: Vec<(String, String)>,
    /// Warnings and remarks, a sentence each: too few labels to promise anything, for example.
    pub notes: Vec<String>,
    /// Name of every class.
    pub classes: Vec<String>,
    /// Every instance, in the order of the input.
    pub instances: Vec<ReportInstance>,
    /// How many instances have each verdict, in its order, where those above are but a part of them.
    pub counts: Option<[usize; 6]>,
    /// The regularisation path of the last (or only) round.
    pub path: Option<ReportPath>,
    /// What each round took in, first round first. Empty where there were none.
    pub rounds: Vec<ReportRound>,
}

/// Which question the page answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ReportKind {
    /// What is the label of each unlabeled instance, and can it be trusted?
    #[default]
    Label,
    /// Which of the given labels are likely wrong?
    Audit,
}

/// What was found about an instance.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Verdict {
    /// Its label was given (`trustpath label`).
    Given,
    /// Its pseudo-label can be relied on.
    Trusted,
    /// Its pseudo-label is a guess.
    Doubtful,
    /// It seems to belong to a class that nobody labelled; its label is only the nearest one.
    NoneOfThese,
    /// Its given label agrees with its place (`trustpath audit`).
    Fits,
    /// Its given label is likely wrong (`trustpath audit`).
    Suspect,
}

/// One instance.
#[derive(Debug, Clone, PartialEq)]
pub struct ReportInstance {
    /// Its name.
    pub id: String,
    /// Its class: given, predicted, or for an audit the one that is suggested.
    pub label: usize,
    /// For an audit, the class it was given.
    pub given: Option<usize>,
    /// Probability of `label`, from 0 to 1. Not shown when not finite.
    pub probability: f64,
    /// Credibility, from 0 to 1. Not shown when not finite.
    pub credibility: f64,
    /// Round in which it was taken in, counted from 1.
    pub round: Option<usize>,
    /// What was found.
    pub verdict: Verdict,
    /// Why, in words.
    pub reason: String,
    /// Place on the map, in any unit. Not drawn when not finite.
    pub position: [f32; 2],
    /// Rank among those whose label would help most, counted from 1.
    pub suggested: Option<usize>,
    /// Nearest labelled instances, nearest first.
    pub neighbours: Vec<usize>,
    /// A small picture of it.
    pub thumbnail: Option<Thumbnail>,
}

/// A small picture, encoded in any way that browsers show.
#[derive(Debug, Clone, PartialEq)]
pub struct Thumbnail {
    /// The encoded file.
    pub bytes: Vec<u8>,
    /// Its type, such as `image/png`.
    pub mime: String,
}

/// The regularisation path: `‖γᵢ(λ)‖` over λ.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ReportPath {
    /// The grid of λ, ascending or descending.
    pub lambda: Vec<f64>,
    /// Lines to draw, at most one an instance.
    pub lines: Vec<ReportLine>,
}

/// The line of one instance.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ReportLine {
    /// Which instance.
    pub instance: usize,
    /// `‖γᵢ‖` at each λ of the grid.
    pub norms: Vec<f32>,
}

/// What happened in one round.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ReportRound {
    /// How many instances of each class were taken in.
    pub accepted: Vec<usize>,
    /// How many pseudo-labels differ from those of the round before.
    pub changed: usize,
}
