//! What is told about a labelled pool.

mod reason;
mod summary;

pub use reason::reason;
pub use summary::Summary;

use trustpath::Result;
use trustpath::label::{Labelling, Round, Verdict};
use trustpath_report::labelling::{self, LabelReport, ReportRound};

use crate::About;
use crate::drawing::{path, places};

/// The rank of every row among what to label next, from 1.
pub fn ranks(labelling: &Labelling) -> Vec<Option<usize>> {
    let mut ranks = vec![None; labelling.labels.len()];
    for (rank, &row) in labelling.suggestions.iter().enumerate() {
        ranks[row] = Some(rank + 1);
    }
    ranks
}

/// The page.
///
/// # Errors
/// When the map cannot be drawn.
pub fn page(
    about: &About<'_>,
    labelling: &Labelling,
    summary: &Summary<'_>,
    reasons: &[String],
) -> Result<LabelReport> {
    let places = places(&labelling.coordinates)?;
    let suggested = ranks(labelling);
    let instances = (0..about.ids.len())
        .map(|row| labelling::ReportInstance {
            id: about.ids[row].clone(),
            // What is none of these is shown with the class that it comes nearest to.
            label: labelling.labels[row].unwrap_or(labelling.judged_as[row]),
            given: None,
            probability: labelling.probability[row],
            credibility: labelling.credibility[row],
            round: labelling.accepted_in[row].map(|round| round + 1),
            verdict: match labelling.verdicts[row] {
                Verdict::Given => labelling::Verdict::Given,
                Verdict::Trusted => labelling::Verdict::Trusted,
                Verdict::Doubtful => labelling::Verdict::Doubtful,
                Verdict::NoneOfThese => labelling::Verdict::NoneOfThese,
            },
            reason: reasons[row].clone(),
            position: places[row],
            suggested: suggested[row],
            neighbours: labelling.nearest[row].clone(),
            thumbnail: None,
        })
        .collect();
    let in_path = |row: usize| labelling.verdicts[row] != Verdict::NoneOfThese;
    Ok(LabelReport {
        kind: labelling::ReportKind::Label,
        title: format!("Labels for {}", about.source),
        subtitle: summary.line(),
        facts: summary.facts(),
        notes: summary.notes(),
        classes: about.classes.to_vec(),
        instances,
        path: Some(path(&labelling.lambda, &labelling.gamma_norm, in_path)),
        rounds: rounds(labelling, about.classes.len()),
    })
}

/// What each round took in that stayed in.
fn rounds(labelling: &Labelling, classes: usize) -> Vec<ReportRound> {
    let empty = |round: &Round| ReportRound { accepted: vec![0; classes], changed: round.changed };
    let mut rounds: Vec<ReportRound> = labelling.rounds.iter().map(empty).collect();
    for (&label, &round) in labelling.judged_as.iter().zip(&labelling.accepted_in) {
        if let Some(round) = round {
            rounds[round].accepted[label] += 1;
        }
    }
    rounds
}

/// A verdict in words.
pub fn verdict(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Given => "given",
        Verdict::Trusted => "trusted",
        Verdict::Doubtful => "doubtful",
        Verdict::NoneOfThese => "none of these",
    }
}
