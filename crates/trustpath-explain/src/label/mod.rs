//! A labelled pool explained: reasons, columns, summary and page.

mod summary;

use trustpath::RoundRecord;
use trustpath::label::{Labelling, Trust, Verdict};
use trustpath_report::label_page::{LabelReport, ReportInstance, ReportKind, ReportRound, ReportVerdict};

use crate::{DataInfo, FrontEnd, map_2d, path};

/// A labelled pool, and what is needed to explain it.
#[derive(Debug, Clone, Copy)]
pub struct LabelResult<'a> {
    /// The pool.
    pub data: DataInfo<'a>,
    /// Its labels.
    pub labelling: &'a Labelling,
    /// How trusted labels were chosen.
    pub trust: Trust,
    /// Whether the detection of unknown classes was disabled.
    pub closed: bool,
    /// How options are spelled in advice.
    pub front_end: FrontEnd,
}

impl LabelResult<'_> {
    /// Why a row has its verdict.
    pub fn reason(&self, row: usize) -> String {
        let (data, labelling) = (&self.data, self.labelling);
        let name = |class: usize| &data.classes[class];
        let (label, rival) = (name(labelling.judged_as[row]), name(labelling.rival[row]));
        let fit = labelling.credibility[row];
        let fits = match labelling.verdicts[row] {
            Verdict::Given if fit < 0.5 => {
                format!("given as {label}, but {rival} fits better (credibility {fit:.2})")
            }
            Verdict::Given => format!("given as {label}; credibility {fit:.2} against {rival}"),
            Verdict::Trusted => format!("fits {label}; credibility {fit:.2} against {rival}"),
            Verdict::Doubtful if fit < 0.5 => {
                format!("labelled {label}, but {rival} fits better (credibility {fit:.2})")
            }
            Verdict::Doubtful => format!("{label} and {rival} compete (credibility {fit:.2})"),
            Verdict::NoneOfThese => format!("unlike every labelled class; comes nearest to {label}"),
        };
        let near = |other: usize| {
            let class = data.labels[other].map_or("", |class| name(class));
            format!("{} ({class})", data.ids[other])
        };
        let nearest: Vec<String> = labelling.nearest_to(row).map(near).collect();
        if nearest.is_empty() { fits } else { format!("{fits}; nearest labelled: {}", nearest.join(", ")) }
    }

    /// How far every row is from all labels, from 0 to 1; 0 for those that have one.
    pub(crate) fn novelty(&self) -> Vec<f64> {
        self.labelling.novelty.as_ref().map_or_else(Vec::new, |novelty| novelty.score.clone())
    }

    /// The rank of every row among the instances to label next, from 1.
    pub(crate) fn ranks(&self) -> Vec<Option<usize>> {
        let mut ranks = vec![None; self.data.ids.len()];
        for (rank, next) in self.labelling.suggestions.iter().enumerate() {
            ranks[next.row] = Some(rank + 1);
        }
        ranks
    }

    /// For the instances to label next, the origin that their labels will have.
    pub(crate) fn origins(&self) -> Vec<String> {
        let mut origins = vec![String::new(); self.data.ids.len()];
        self.labelling.suggestions.iter().for_each(|next| origins[next.row] = next.origin.to_string());
        origins
    }

    /// The page, and the rows that it shows: of a large pool the part that was labelled together.
    pub fn page(&self) -> (LabelReport, Vec<usize>) {
        let (data, labelling) = (&self.data, self.labelling);
        let rows: Vec<usize> = (0..labelling.coordinates.len()).map(|place| labelling.row(place)).collect();
        let (map, suggested) = (map_2d(&labelling.coordinates), self.ranks());
        let instances = rows.iter().zip(map).enumerate().map(|(place, (&row, position))| ReportInstance {
            id: data.ids[row].clone(),
            // An instance that is none of these is shown with the class that it comes nearest to.
            label: labelling.labels[row].unwrap_or(labelling.judged_as[row]),
            rival: Some(labelling.rival[row]),
            probability: labelling.probability[row],
            credibility: labelling.credibility[row],
            round: labelling.round(row).map(|round| round + 1),
            verdict: page_verdict(labelling.verdicts[row]),
            reason: self.reason(row),
            position,
            suggested: suggested[row],
            neighbours: labelling.nearest.indices(place).collect(),
            ..ReportInstance::default()
        });
        let mut counts = [0; 6];
        labelling.verdicts.iter().for_each(|&verdict| counts[page_verdict(verdict) as usize] += 1);
        let in_path = |&place: &usize| labelling.verdicts[rows[place]] != Verdict::NoneOfThese;
        let columns = (0..rows.len()).filter(in_path).map(|place| (place, place));
        let report = LabelReport {
            kind: ReportKind::Label,
            title: format!("Labels for {}", data.source),
            subtitle: self.line(),
            facts: self.facts(),
            notes: self.notes(),
            classes: data.classes.to_vec(),
            instances: instances.collect(),
            counts: Some(counts),
            path: Some(path(&labelling.lambda, &labelling.gamma_norm, columns)),
            rounds: rounds(labelling, data.classes.len()),
        };
        (report, rows)
    }
}

/// A verdict as pages have it.
fn page_verdict(verdict: Verdict) -> ReportVerdict {
    match verdict {
        Verdict::Given => ReportVerdict::Given,
        Verdict::Trusted => ReportVerdict::Trusted,
        Verdict::Doubtful => ReportVerdict::Doubtful,
        Verdict::NoneOfThese => ReportVerdict::NoneOfThese,
    }
}

/// The instances that each round added and that stayed, by class.
fn rounds(labelling: &Labelling, classes: usize) -> Vec<ReportRound> {
    let empty = |round: &RoundRecord| ReportRound { accepted: vec![0; classes], changed: round.changed };
    let mut rounds: Vec<ReportRound> = labelling.rounds.iter().map(empty).collect();
    for (place, &round) in labelling.accepted_in.iter().enumerate() {
        if let Some(round) = round {
            rounds[round].accepted[labelling.judged_as[labelling.row(place)]] += 1;
        }
    }
    rounds
}
