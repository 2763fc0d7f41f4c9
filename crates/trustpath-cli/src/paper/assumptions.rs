//! Which assumptions of the theorem hold, and whether transductive inference improves where they do.

use super::frame::*;
use super::inspect::Inspection;
use super::published::ASSUMPTIONS;

pub const TARGET: Target = Target {
    name: "assumptions",
    about: "Conditions C1 to C3 against improvement",
    heading: "Assumptions C1 to C3 against improvement",
    paper: "C1 and C2 hold in more than half of the episodes, and the more assumptions hold the more often transductive \
            inference improves: 53.5%, 88.9% and 93.0% of the episodes.",
    find,
};

/// Improved and all episodes that satisfy none of the assumptions, C1, C1 and C2, or all.
type Counts = [(usize, usize); 4];

fn find(lab: &Lab, finding: &mut Finding) -> Result<()> {
    let mut heads = ["Dataset", "Episodes"].map(Column::left).to_vec();
    heads.extend(["None", "C1", "C1 and C2", "All"].map(Column::right));
    let mut table = Table::new(heads);
    push(&mut table, PAPER, &ASSUMPTIONS)?;
    for dataset in &lab.datasets {
        let counts = count(&lab.inspect(dataset)?);
        push(&mut table, &dataset.title(), &counts)?;
        verdicts(finding, &dataset.title(), &counts);
    }
    finding.table(
        "Episodes of 5-way 1-shot transductive ICIR by the assumptions that the first round's pseudo-labels satisfy, \
         and how many of them ended with a higher accuracy than they began with.",
        table,
    );
    Ok(())
}

fn count(episodes: &[Inspection]) -> Counts {
    [0, 1, 2, 3].map(|level| {
        let here = episodes.iter().filter(|e| e.satisfied == level);
        here.fold((0, 0), |(improved, all), e| (improved + usize::from(e.improved()), all + 1))
    })
}

fn push(table: &mut Table, dataset: &str, counts: &Counts) -> Result<()> {
    let ratio = |&(improved, all): &(usize, usize)| {
        share(improved, all).map_or("–".into(), |s| format!("{:.1}%", 100.0 * s.mean))
    };
    for (name, cells) in [
        ("improved", counts.map(|count| count.0.to_string())),
        ("total", counts.map(|count| count.1.to_string())),
        ("improved/total", counts.each_ref().map(ratio)),
    ] {
        table.push([dataset.to_owned(), name.to_owned()].into_iter().chain(cells))?;
    }
    Ok(())
}

fn verdicts(finding: &mut Finding, dataset: &str, counts: &Counts) {
    let [without, with] = [&counts[..2], &counts[2..]]
        .map(|half| half.iter().fold((0, 0), |sum, c| (sum.0 + c.0, sum.1 + c.1)));
    if let Some(satisfied) = share(with.1, with.1 + without.1) {
        let claim = "C1 and C2 hold in more than half of the episodes";
        let evidence = format!("they hold in {}%", satisfied.percent());
        finding.verdict(dataset, claim, Holds::above(&satisfied, 0.5), evidence);
    }
    let claim = "inference improves more often where C1 and C2 hold";
    match (share(with.0, with.1), share(without.0, without.1)) {
        (Some(with), Some(without)) => {
            let name = format!("{}% with − {}% without", with.percent(), without.percent());
            let difference = Estimate {
                mean: with.mean - without.mean,
                half_width: with.half_width.hypot(without.half_width),
                episodes: with.episodes + without.episodes,
            };
            finding.larger(dataset, claim, &[Comparison::new(name, difference)]);
        }
        _ => finding.verdict(dataset, claim, Holds::Open, "all episodes are on one side".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn episodes_are_counted_once_and_a_tie_is_no_improvement() {
        let episodes = [(1, 0.5), (1, 0.6), (3, 0.6), (0, 0.4)].map(|(satisfied, last)| {
            Inspection { initial: 0.5, last, satisfied, ..Inspection::default() }
        });
        assert_eq!(count(&episodes), [(0, 1), (1, 2), (0, 0), (1, 1)]);
    }

    #[test]
    fn the_papers_own_counts_confirm_it() {
        let verdicts = |counts: &Counts| {
            let mut finding = Finding::new(TARGET);
            verdicts(&mut finding, "mini", counts);
            finding.verdicts
        };
        let found = verdicts(&ASSUMPTIONS);
        assert!(found.iter().all(|verdict| verdict.holds == Holds::Yes), "{found:?}");
        assert!(found[0].evidence.starts_with("they hold in 60.35 ± "), "{}", found[0].evidence);
        let opposite = verdicts(&[(0, 0), (900, 1000), (100, 400), (0, 0)]);
        assert!(opposite.iter().all(|verdict| verdict.holds == Holds::No));
    }
}
