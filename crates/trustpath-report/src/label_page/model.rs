//! The contents of the page as plain data, in the caller's order.

use serde::Serialize;

/// Everything that a page about labelled data shows.
///
/// Classes, instances and neighbours are given as indices: `classes[label]`, `instances[neighbour]`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct LabelReport {
    /// Whether unlabeled data were labelled, or given labels were checked.
    pub kind: ReportKind,
    /// Heading of the page.
    pub title: String,
    /// A line below the heading, such as the source of the data.
    pub subtitle: String,
    /// Names and values in the summary, in order: counts, estimated precision, time taken.
    pub facts: Vec<(String, String)>,
    /// Warnings and remarks, one sentence each.
    pub notes: Vec<String>,
    /// Name of every class.
    pub classes: Vec<String>,
    /// Every instance, in the order of the input.
    pub instances: Vec<ReportInstance>,
    /// The number of instances with each verdict, in the order of [`ReportVerdict`], if `instances` is only a part of them.
    pub counts: Option<[usize; 6]>,
    /// The regularisation path of the last (or only) round.
    pub path: Option<ReportPath>,
    /// The self-training rounds, first round first. Empty if there were none.
    pub rounds: Vec<ReportRound>,
}

/// Which question the page answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum ReportKind {
    /// What is the label of each unlabeled instance, and can it be trusted?
    #[default]
    Label,
    /// Which of the given labels are likely wrong?
    Audit,
}

/// The verdict about an instance as the page shows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum ReportVerdict {
    /// Its label was given (`trustpath label`).
    #[default]
    Given,
    /// Its pseudo-label can be trusted.
    Trusted,
    /// Its pseudo-label is uncertain.
    Doubtful,
    /// It seems to belong to a class without any labels; its label is only the closest class.
    NoneOfThese,
    /// Its given label agrees with its features (`trustpath audit`).
    Fits,
    /// Its given label is likely wrong (`trustpath audit`).
    Suspect,
}

/// One instance.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ReportInstance {
    /// Its name.
    pub id: String,
    /// Its class: given, predicted, or for an audit the suggested one.
    pub label: usize,
    /// For an audit, the given class.
    pub given: Option<usize>,
    /// The class that competes with `label`.
    pub rival: Option<usize>,
    /// The text that it is, if it is one.
    pub text: Option<String>,
    /// Probability of `label`, from 0 to 1. Not shown if not finite.
    pub probability: f64,
    /// Credibility, from 0 to 1. Not shown if not finite.
    pub credibility: f64,
    /// The self-training round that added it, counted from 1.
    pub round: Option<usize>,
    /// The verdict.
    pub verdict: ReportVerdict,
    /// The reason for the verdict, in words.
    pub reason: String,
    /// Position on the map, in any unit. Not drawn if not finite.
    pub position: [f32; 2],
    /// Rank among the instances whose labels would help most, counted from 1.
    pub suggested: Option<usize>,
    /// The nearest labelled instances, nearest first.
    pub neighbours: Vec<usize>,
    /// A small image of it.
    pub thumbnail: Option<Thumbnail>,
}

/// A small image, in any encoding that browsers show.
#[derive(Debug, Clone, PartialEq)]
pub struct Thumbnail {
    /// The encoded file.
    pub bytes: Vec<u8>,
    /// Its media type, such as `image/png`.
    pub mime: String,
}

/// The regularisation path: `‖γᵢ(λ)‖` as a function of λ.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ReportPath {
    /// The grid of λ, ascending or descending.
    pub lambda: Vec<f64>,
    /// The lines, at most one per instance.
    pub lines: Vec<ReportLine>,
}

/// The line of one instance.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ReportLine {
    /// Index of the instance.
    pub instance: usize,
    /// `‖γᵢ‖` at each λ of the grid.
    pub norms: Vec<f32>,
}

/// One self-training round.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ReportRound {
    /// The number of instances added to each class.
    pub accepted: Vec<usize>,
    /// The number of pseudo-labels that differ from those of the previous round.
    pub changed: usize,
}
