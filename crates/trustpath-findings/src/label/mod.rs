//! What is told about a labelled pool.

mod reason;
mod summary;

pub use reason::reason;
pub use summary::Summary;

use trustpath::Result;
use trustpath::label::{Labelling, Round, Verdict};
use trustpath_report::labelling::{self, LabelReport, ReportRound};

use crate::About;
use crate::drawing::Shown;

/// The rank of every row among what to label next, from 1.
pub fn ranks(labelling: &Labelling) -> Vec<Option<usize>> {
    let mut ranks = vec![None; labelling.labels.len()];
    for (rank, &row) in labelling.suggestions.iter().enumerate() {
        ranks[row] = Some(rank + 1);
    }
    ranks
}

/// The page, and the rows that it shows.
///
/// # Errors
/// When the map cannot be drawn.
pub fn page(
    about: &About<'_>,
    labelling: &Labelling,
    summary: &Summary<'_>,
    reasons: &[String],
) -> Result<(LabelReport, Vec<usize>)> {
    let shown =
        Shown::of(about.ids.len(), &labelling.suggestions, |row| match labelling.verdicts[row] {
            Verdict::Doubtful | Verdict::NoneOfThese => 0,
            Verdict::Given => 1,
            Verdict::Trusted => 2,
        });
    let (map, suggested) = (shown.map(&labelling.coordinates)?, ranks(labelling));
    let instances = shown.rows.iter().zip(map).map(|(&row, position)| labelling::ReportInstance {
        id: about.ids[row].clone(),
        // What is none of these is shown with the class that it comes nearest to.
        label: labelling.labels[row].unwrap_or(labelling.judged_as[row]),
        given: None,
        probability: labelling.probability[row],
        credibility: labelling.credibility[row],
        round: labelling.accepted_in[row].map(|round| round + 1),
        verdict: shown_as(labelling.verdicts[row]),
        reason: reasons[row].clone(),
        position,
        suggested: suggested[row],
        neighbours: shown.places(labelling.nearest.indices(row)),
        thumbnail: None,
    });
    let mut counts = [0; 6];
    labelling.verdicts.iter().for_each(|&verdict| counts[shown_as(verdict) as usize] += 1);
    let in_path = |row: usize| labelling.verdicts[row] != Verdict::NoneOfThese;
    let Labelling { lambda, gamma_norm, followed, .. } = labelling;
    let report = LabelReport {
        kind: labelling::ReportKind::Label,
        title: format!("Labels for {}", about.source),
        subtitle: summary.line(),
        facts: summary.facts(),
        notes: summary.notes(),
        classes: about.classes.to_vec(),
        instances: instances.collect(),
        counts: Some(counts),
        path: Some(shown.path(lambda, gamma_norm, followed, in_path)),
        rounds: rounds(labelling, about.classes.len()),
    };
    Ok((report, shown.rows))
}

/// A verdict as pages have it.
fn shown_as(verdict: Verdict) -> labelling::Verdict {
    match verdict {
        Verdict::Given => labelling::Verdict::Given,
        Verdict::Trusted => labelling::Verdict::Trusted,
        Verdict::Doubtful => labelling::Verdict::Doubtful,
        Verdict::NoneOfThese => labelling::Verdict::NoneOfThese,
    }
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
