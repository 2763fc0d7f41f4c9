//! Which assumptions of the theorem hold, and whether transductive inference improves where they do.

use trustpath_report::{Column, Table};

use super::error::Result;
use super::finding::Finding;
use super::inspect::{Inspection, Satisfied};
use super::lab::Lab;
use super::published::ASSUMPTIONS;
use super::verdict::{Comparison, Holds, Verdict, share, share_difference};

const LEVELS: [Satisfied; 4] = [Satisfied::Nothing, Satisfied::C1, Satisfied::C1C2, Satisfied::All];

/// Counts the episodes.
pub fn find(lab: &Lab) -> Result<Finding> {
    let mut finding = Finding::new(
        "Assumptions C1 to C3 against improvement",
        "C1 and C2 hold in more than half of the episodes, and the more assumptions hold the more often transductive \
         inference improves: 53.5%, 88.9% and 93.0% of the episodes.",
    );
    let mut table = Table::new(vec![
        Column::left("Dataset"),
        Column::left("Episodes"),
        Column::right("None"),
        Column::right("C1"),
        Column::right("C1 and C2"),
        Column::right("All"),
    ]);
    push(&mut table, "miniImageNet (paper)", &ASSUMPTIONS)?;
    for dataset in &lab.datasets {
        let counts = count(&lab.inspect(dataset)?);
        push(&mut table, &dataset.title(), &counts)?;
        finding.verdicts.extend(verdicts(&dataset.title(), &counts));
    }
    finding.table(
        "Episodes of 5-way 1-shot transductive ICIR by the assumptions that the first round's pseudo-labels satisfy, \
         and how many of them ended with a higher accuracy than they began with.",
        table,
    );
    Ok(finding)
}

/// Improved and total episodes at each level.
fn count(episodes: &[Inspection]) -> [(usize, usize); 4] {
    LEVELS.map(|level| {
        let here = episodes.iter().filter(|e| e.satisfied == level);
        here.fold((0, 0), |(improved, all), e| (improved + usize::from(e.improved()), all + 1))
    })
}

fn push(table: &mut Table, dataset: &str, counts: &[(usize, usize); 4]) -> Result<()> {
    let mut row = |name: &str, cell: &dyn Fn(usize, usize) -> String| {
        let cells = counts.iter().map(|&(improved, all)| cell(improved, all));
        table.push([dataset.to_owned(), name.to_owned()].into_iter().chain(cells))
    };
    row("improved", &|improved, _| improved.to_string())?;
    row("total", &|_, all| all.to_string())?;
    row("improved/total", &|improved, all| {
        share(improved, all).map_or("–".into(), |s| format!("{:.1}%", 100.0 * s.mean))
    })?;
    Ok(())
}

fn verdicts(dataset: &str, counts: &[(usize, usize); 4]) -> Vec<Verdict> {
    let total: usize = counts.iter().map(|c| c.1).sum();
    let satisfied = share(counts[2].1 + counts[3].1, total);
    let mut verdicts = Vec::new();
    if let Some(satisfied) = satisfied {
        let mut above_half = satisfied;
        above_half.mean -= 0.5;
        verdicts.push(Verdict::new(
            dataset,
            "C1 and C2 hold in more than half of the episodes",
            Holds::above_zero(&above_half),
            format!("they hold in {}%", satisfied.percent()),
        ));
    }
    let with = share(counts[2].0 + counts[3].0, counts[2].1 + counts[3].1);
    let without = share(counts[0].0 + counts[1].0, counts[0].1 + counts[1].1);
    let claim = "inference improves more often where C1 and C2 hold";
    verdicts.push(match (with, without) {
        (Some(with), Some(without)) => {
            let difference = share_difference(&with, &without);
            let name = format!("{}% with − {}% without", with.percent(), without.percent());
            let mut verdict = Verdict::larger(dataset, claim, &Comparison::new(name, difference));
            verdict.evidence = verdict.evidence.replace("paired episodes", "episodes");
            verdict
        }
        _ => Verdict::new(dataset, claim, Holds::Open, "all episodes are on one side"),
    });
    verdicts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn episode(satisfied: Satisfied, last: f64) -> Inspection {
        Inspection { initial: 0.5, last, satisfied, noise: Vec::new(), rounds: Vec::new() }
    }

    #[test]
    fn episodes_are_counted_once_and_a_tie_is_no_improvement() {
        let episodes = [
            episode(Satisfied::C1, 0.5),
            episode(Satisfied::C1, 0.6),
            episode(Satisfied::All, 0.6),
            episode(Satisfied::Nothing, 0.4),
        ];
        assert_eq!(count(&episodes), [(0, 1), (1, 2), (0, 0), (1, 1)]);
    }

    #[test]
    fn the_papers_own_counts_confirm_it() {
        let found = verdicts("mini", &ASSUMPTIONS);
        assert!(found.iter().all(|verdict| verdict.holds == Holds::Yes), "{found:?}");
        assert!(found[0].evidence.starts_with("they hold in 60.35 ± "), "{}", found[0].evidence);
        let opposite = [(0, 0), (900, 1000), (100, 400), (0, 0)];
        assert!(verdicts("x", &opposite).iter().all(|verdict| verdict.holds == Holds::No));
    }
}
