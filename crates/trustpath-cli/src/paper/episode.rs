//! What each round of one episode selects, right and wrong, and the share of right ones over all episodes.

use trustpath_bench::Episode;
use trustpath_report::{EpisodeCell, EpisodeGrid, EpisodeRound, Image, Selected};

use super::frame::*;
use super::inspect::{ExampleEpisode, Inspection, share_right};

pub const TARGET: Target = Target {
    name: "episode",
    about: "What each round of one episode selects",
    heading: "The rounds of an episode",
    paper: "in one episode on miniImageNet, new images selected per class in each round, the correctly predicted on the \
            left and the others on the right, at most 5 per class; accuracy rises from round to round.",
    find,
};

/// Columns of the table: the first rounds, and one for all later ones, which are few and small.
const ROUNDS: usize = 4;

fn find(lab: &Lab, finding: &mut Finding) -> Result<()> {
    let mut heads = vec![TableColumn::left("Dataset")];
    heads.extend((1..ROUNDS).map(|round| TableColumn::right(format!("round {round}"))));
    heads.push(TableColumn::right("later"));
    let mut table = Table::new(heads);
    for dataset in &lab.datasets {
        finding.figure(format!("episode-{}", dataset.name), figure(lab, dataset)?);
        let episodes = lab.inspect(dataset)?;
        let share = |round| Estimate::of(&shares(&episodes, round)).map_or("–".into(), |share| share.percent());
        table.push([dataset.title()].into_iter().chain((0..ROUNDS).map(share)))?;
        let claim = "instances selected in the first round are right more often than in the last";
        finding.larger(&dataset.title(), claim, &[first_against_last(&episodes)?]);
        let scores = lab.run(dataset, &Experiment::new(1, PoolKind::Transductive))?;
        let claim = "accuracy rises from round to round";
        finding.larger(&dataset.title(), claim, &rises(&scores)?);
    }
    finding.text(
        "The figure shows the first episode (5-way 1-shot, transductive ICIR) in which the plain classifier is wrong on \
         20% to 40% of the queries. Below each round: the accuracy after it, of all queries and of the class.",
    );
    finding.table("Share of right pseudo-labels among those selected, in %, over all episodes.", table);
    Ok(())
}

/// The share of right pseudo-labels of a round in each episode that has it; the last counts all later ones.
fn shares(episodes: &[Inspection], round: usize) -> Vec<f64> {
    let share = |episode: &Inspection| {
        let rounds = episode.rounds.get(round..)?;
        let rounds = if round + 1 < ROUNDS { rounds.get(..1)? } else { rounds };
        let all = rounds.iter().fold((0, 0), |sum, round| (sum.0 + round.0, sum.1 + round.1));
        (all.1 > 0).then(|| share_right(all))
    };
    episodes.iter().filter_map(share).collect()
}

/// The difference between the shares of the first and of the last round.
fn first_against_last(episodes: &[Inspection]) -> Result<Comparison> {
    let rounds = episodes.iter().filter_map(|e| Some((e.rounds.first()?, e.rounds.last()?)));
    let (first, last): (Vec<f64>, Vec<f64>) =
        rounds.map(|(first, last)| (share_right(*first), share_right(*last))).unzip();
    Comparison::between("share right, first − last round", &first, &last)
}

/// The rise of the accuracy in each of the three rounds that selecting 5 of 15 takes, and in all later ones together.
fn rises(scores: &Scores) -> Result<Vec<Comparison>> {
    let rounds = (1..=ROUNDS).map(|round| {
        let last = round == ROUNDS;
        let name = if last { "after the last round".into() } else { format!("after round {round}") };
        let after = if last { scores.last() } else { scores.after(round) };
        Comparison::between(format!("{name} − the one before"), &after, &scores.after(round - 1))
    });
    rounds.collect()
}

fn figure(lab: &Lab, dataset: &Dataset) -> Result<Figure> {
    let ExampleEpisode { number, episode, outcome, .. } = &ExampleEpisode::choose(lab, dataset)?;
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
            let accepted = of_class().filter(|&q| after[q] == class).count();
            EpisodeCell {
                right: shown(dataset, episode, &right),
                wrong: shown(dataset, episode, &wrong),
                note: percent(accepted as f64 / of_class().count() as f64),
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

/// The images of some queries where all have one, else their number.
fn shown(dataset: &Dataset, episode: &Episode, queries: &[usize]) -> Selected {
    let images = queries.iter().map(|&q| dataset.image(episode.query.rows[q]));
    match images.collect::<Option<Vec<Image>>>() {
        Some(images) if dataset.has_images() => Selected::Images(images),
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

    #[test]
    fn shares_are_of_the_round_and_later_rounds_are_combined() {
        let episode = |rounds| Inspection { rounds, ..Inspection::default() };
        let long = vec![(4, 4), (3, 4), (1, 2), (1, 2), (0, 2)];
        let episodes = [episode(long), episode(vec![(1, 4)]), episode(Vec::new())];
        assert_eq!(shares(&episodes, 0), [1.0, 0.25]);
        assert_eq!(shares(&episodes, 2), [0.5]);
        assert_eq!(shares(&episodes, 3), [0.25]);
        assert_eq!(first_against_last(&episodes).unwrap().difference.mean, 0.5);
    }

    #[test]
    fn later_rounds_rise_together() {
        let scores = Scores(vec![vec![0.1, 0.2, 0.4, 0.5, 0.6, 0.9]]);
        let means = rises(&scores).unwrap().into_iter().map(|c| c.difference.mean);
        for (mean, expected) in means.zip([0.1, 0.2, 0.1, 0.4]) {
            assert!((mean - expected).abs() < 1e-12);
        }
    }

    #[test]
    fn names_are_made_readable() {
        assert_eq!(tidy("010.Red_winged_Blackbird"), "Red winged Blackbird");
        assert_eq!(tidy("St. Bernard"), "St. Bernard");
    }
}
