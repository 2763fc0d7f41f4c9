//! What each round of one episode selects, right and wrong, and the same as shares over all episodes.

use trustpath_episodes::stats::Estimate;
use trustpath_episodes::{Episode, Split};
use trustpath_report::{
    Column, EpisodeCell, EpisodeGrid, EpisodeRound, Figure, Image, Selected, Table,
};

use super::dataset::Dataset;
use super::error::Result;
use super::finding::Finding;
use super::inspect::{Inspection, Specimen, Taken};
use super::lab::{Lab, difference};
use super::verdict::{Comparison, Verdict};

/// Rounds that are told apart; later ones are few and small.
const ROUNDS: usize = 4;

/// Shows the rounds.
pub fn find(lab: &Lab) -> Result<Finding> {
    let mut finding = Finding::new(
        "The rounds of an episode",
        "in one episode on miniImageNet, new images selected per class in each round, the correctly predicted on the \
         left and the others on the right, at most 5 a class; accuracy rises from round to round.",
    );
    let mut heads = vec![Column::left("Dataset")];
    heads.extend((1..ROUNDS).map(|round| Column::right(format!("round {round}"))));
    heads.push(Column::right("later"));
    let mut table = Table::new(heads);
    for dataset in &lab.datasets {
        finding.figure(format!("episode-{}", dataset.name), figure(lab, dataset)?);
        let episodes = lab.inspect(dataset)?;
        let mut cells = vec![dataset.title()];
        for round in 0..ROUNDS {
            let all = shares(&episodes, round);
            cells.push(Estimate::of(&all).map_or("–".into(), |share| share.percent()));
        }
        table.push(cells)?;
        let claim = "those taken in early are right more often than those taken in last";
        let comparison = Comparison::new("share right, first − last round", early(&episodes)?);
        finding.verdicts.push(Verdict::larger(dataset.title(), claim, &comparison));
    }
    finding.say(
        "Shown is the first episode (5-way 1-shot, transductive ICIR) in which the plain classifier is wrong on a \
         fifth to two fifths of the queries; below each round the accuracy it leads to, of all queries and of the \
         class.",
    );
    finding.table(
        "Share of right pseudo-labels among those taken in, in %, over all episodes.",
        table,
    );
    Ok(finding)
}

/// The share of right pseudo-labels of a round in each episode that has it; the last counts all later ones.
fn shares(episodes: &[Inspection], round: usize) -> Vec<f64> {
    let share = |episode: &Inspection| {
        let rounds = episode.rounds.get(round..)?;
        let rounds = if round + 1 < ROUNDS { rounds.get(..1)? } else { rounds };
        let all = rounds.iter().fold(Taken::default(), |sum, taken| Taken {
            right: sum.right + taken.right,
            wrong: sum.wrong + taken.wrong,
        });
        (all != Taken::default()).then(|| all.share())
    };
    episodes.iter().filter_map(share).collect()
}

/// The difference between the shares of the first and of the last round.
fn early(episodes: &[Inspection]) -> Result<Estimate> {
    let rounds = || episodes.iter().filter_map(|e| Some((e.rounds.first()?, e.rounds.last()?)));
    let first: Vec<f64> = rounds().map(|(first, _)| first.share()).collect();
    let last: Vec<f64> = rounds().map(|(_, last)| last.share()).collect();
    difference(&first, &last)
}

fn figure(lab: &Lab, dataset: &Dataset) -> Result<Figure> {
    let specimen = Specimen::choose(lab, dataset)?;
    let Specimen { number, episode, outcome, .. } = &specimen;
    let (truth, labelled) = (&episode.query.labels, episode.support.len());
    let percent = |accuracy: f64| format!("{:.0}%", 100.0 * accuracy);
    let mut rounds = Vec::new();
    for (i, round) in outcome.rounds.iter().enumerate() {
        let after = outcome.rounds.get(i + 1).map_or(&outcome.labels, |next| &next.pseudo_labels);
        let cell = |class: usize| {
            let queries = || round.selected.iter().map(|row| row - labelled);
            let selected = || queries().filter(|&q| round.pseudo_labels[q] == class);
            let right: Vec<usize> = selected().filter(|&q| truth[q] == class).collect();
            let wrong: Vec<usize> = selected().filter(|&q| truth[q] != class).collect();
            let of_class = || (0..truth.len()).filter(|&q| truth[q] == class);
            let found = of_class().filter(|&q| after[q] == class).count();
            EpisodeCell {
                right: shown(dataset, episode, &right),
                wrong: shown(dataset, episode, &wrong),
                note: percent(found as f64 / of_class().count() as f64),
            }
        };
        rounds.push(EpisodeRound {
            name: format!("Round {}", i + 1),
            note: outcome.accuracy.get(i + 1).copied().map(percent).unwrap_or_default(),
            cells: (0..episode.classes.len()).map(cell).collect(),
        });
    }
    let names = dataset.table(Split::Novel).class_names();
    let grid = EpisodeGrid {
        title: format!("What ICIR selects in each round on {}", dataset.title()),
        subtitle: format!(
            "episode {number}; the plain classifier has {}",
            outcome.accuracy.first().copied().map(percent).unwrap_or_default()
        ),
        classes: episode.classes.iter().map(|&class| tidy(&names[class])).collect(),
        rounds,
    };
    Ok(grid.figure()?)
}

/// The pictures of some queries where all have one, else how many they are.
fn shown(dataset: &Dataset, episode: &Episode, queries: &[usize]) -> Selected {
    let images = queries.iter().map(|&q| dataset.image(episode.query.rows[q]));
    match images.collect::<Option<Vec<Image>>>() {
        Some(images) if dataset.has_pictures() => Selected::Images(images),
        _ => Selected::Count(queries.len()),
    }
}

/// A class name without the number before it and the underscores in it.
fn tidy(name: &str) -> String {
    let name = match name.split_once('.') {
        Some((number, rest)) if number.chars().all(|c| c.is_ascii_digit()) => rest,
        _ => name,
    };
    name.replace('_', " ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::paper::inspect::Satisfied;

    #[test]
    fn shares_are_of_the_round_and_later_ones_are_put_together() {
        let taken = |right, wrong| Taken { right, wrong };
        let episode = |rounds| Inspection {
            initial: 0.0,
            last: 0.0,
            satisfied: Satisfied::Nothing,
            noise: Vec::new(),
            rounds,
        };
        let long = vec![taken(4, 0), taken(3, 1), taken(1, 1), taken(1, 1), taken(0, 2)];
        let episodes = [episode(long), episode(vec![taken(1, 3)]), episode(Vec::new())];
        assert_eq!(shares(&episodes, 0), [1.0, 0.25]);
        assert_eq!(shares(&episodes, 2), [0.5]);
        assert_eq!(shares(&episodes, 3), [0.25]);
        assert_eq!(early(&episodes).unwrap().mean, 0.5);
    }

    #[test]
    fn names_are_made_readable() {
        assert_eq!(tidy("010.Red_winged_Blackbird"), "Red winged Blackbird");
        assert_eq!(tidy("St. Bernard"), "St. Bernard");
    }
}
