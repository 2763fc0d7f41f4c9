//! A labelled pool explained: reasons, columns, summary and page.

mod summary;

use trustpath::label::{Labelling, Trust, Verdict};
use trustpath::{Result, RoundRecord};
use trustpath_report::label_page::{LabelReport, ReportInstance, ReportKind, ReportRound, ReportVerdict};

use crate::page::ShownRows;
use crate::{DataInfo, FrontEnd};

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
        let (own, rival) = (name(labelling.judged_as[row]), name(labelling.rival[row]));
        let fit = labelling.credibility[row];
        let fits = match labelling.verdicts[row] {
            Verdict::Given if fit < 0.5 => {
                format!("given as {own}, but {rival} fits better (credibility {fit:.2})")
            }
            Verdict::Given => format!("given as {own}; credibility {fit:.2} against {rival}"),
            Verdict::Trusted => format!("fits {own}; credibility {fit:.2} against {rival}"),
            Verdict::Doubtful if fit < 0.5 => {
                format!("labelled {own}, but {rival} fits better (credibility {fit:.2})")
            }
            Verdict::Doubtful => format!("{own} and {rival} compete (credibility {fit:.2})"),
            Verdict::NoneOfThese => format!("unlike every labelled class; comes nearest to {own}"),
        };
        let near = |other: usize| {
            let label = data.labels[other].map_or("", |class| name(class));
            format!("{} ({label})", data.ids[other])
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
        for (rank, &row) in self.labelling.suggestions.iter().enumerate() {
            ranks[row] = Some(rank + 1);
        }
        ranks
    }

    /// The page, and the rows that it shows.
    ///
    /// # Errors
    /// When the map cannot be drawn.
    pub fn page(&self) -> Result<(LabelReport, Vec<usize>)> {
        let (data, labelling) = (&self.data, self.labelling);
        let share = |row: usize| match labelling.verdicts[row] {
            Verdict::Doubtful | Verdict::NoneOfThese => 0,
            Verdict::Given => 1,
            Verdict::Trusted => 2,
        };
        // Of a large pool the page shows the part that was labelled together.
        let row_at = |place: usize| labelling.row(place);
        let first: Vec<usize> = labelling.suggestions.iter().filter_map(|&row| labelling.place(row)).collect();
        let places = labelling.coordinates.len();
        let shown = ShownRows::choose(places, &first, |place| share(row_at(place)));
        let (map, suggested) = (shown.map(&labelling.coordinates)?, self.ranks());
        let rows: Vec<usize> = shown.rows.iter().map(|&place| row_at(place)).collect();
        let instances = rows.iter().zip(map).map(|(&row, position)| ReportInstance {
            id: data.ids[row].clone(),
            // An instance that is none of these is shown with the class that it comes nearest to.
            label: labelling.labels[row].unwrap_or(labelling.judged_as[row]),
            given: None,
            rival: Some(labelling.rival[row]),
            text: None,
            probability: labelling.probability[row],
            credibility: labelling.credibility[row],
            round: labelling.round(row).map(|round| round + 1),
            verdict: page_verdict(labelling.verdicts[row]),
            reason: self.reason(row),
            position,
            suggested: suggested[row],
            neighbours: shown.places(labelling.nearest_to(row).filter_map(|row| labelling.place(row))),
            thumbnail: None,
        });
        let mut counts = [0; 6];
        labelling.verdicts.iter().for_each(|&verdict| counts[page_verdict(verdict) as usize] += 1);
        let in_path = |place: usize| labelling.verdicts[row_at(place)] != Verdict::NoneOfThese;
        let Labelling { lambda, gamma_norm, .. } = labelling;
        let all: Vec<usize> = (0..places).collect();
        let report = LabelReport {
            kind: ReportKind::Label,
            title: format!("Labels for {}", data.source),
            subtitle: self.line(),
            facts: self.facts(),
            notes: self.notes(),
            classes: data.classes.to_vec(),
            instances: instances.collect(),
            counts: Some(counts),
            path: Some(shown.path(lambda, gamma_norm, &all, in_path)),
            rounds: rounds(labelling, data.classes.len()),
        };
        Ok((report, rows))
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
