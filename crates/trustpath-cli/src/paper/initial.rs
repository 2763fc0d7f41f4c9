//! Improvement by the accuracy of the first classifier.

use trustpath_episodes::stats::Estimate;
use trustpath_report::{Axis, Bar, BarSeries, Bars, Column, Table};

use super::error::Result;
use super::experiment::{Experiment, Pool};
use super::finding::Finding;
use super::lab::{Lab, Scores};
use super::published::INITIAL;
use super::verdict::{Holds, Verdict, share};

/// Fewer episodes in a tenth say nothing about it.
const ENOUGH: usize = 20;

/// Counts by tenths.
pub fn find(lab: &Lab) -> Result<Finding> {
    let mut finding = Finding::new(
        "The initial classifier",
        "most episodes are improved whatever the accuracy of the initial classifier (1558 of 2000; more than half in \
         every tenth from 40% to 100%).",
    );
    let mut heads = vec![Column::left("Initial accuracy (%)")];
    let mut shares = Vec::new();
    let mut columns: Vec<Vec<String>> = vec![INITIAL.iter().map(|c| ratio(*c)).collect()];
    heads.push(Column::right("miniImageNet (paper)"));
    for dataset in &lab.datasets {
        let scores = lab.run(dataset, &Experiment::new(1, Pool::Transductive))?;
        let tenths = tenths(&scores);
        heads.push(Column::right(dataset.title()));
        heads.push(Column::right("gain"));
        let counts: Vec<(usize, usize)> = tenths.iter().map(|gains| count(gains)).collect();
        columns.push(counts.iter().map(|c| ratio(*c)).collect());
        columns.push(tenths.iter().map(|gains| gain(gains)).collect());
        finding.verdicts.push(verdict(&dataset.title(), &counts));
        shares.push((dataset.title(), counts));
    }
    let mut table = Table::new(heads);
    for tenth in 0..10 {
        let cells = columns.iter().map(|column| column[tenth].clone());
        table.push(std::iter::once(name(tenth)).chain(cells))?;
    }
    finding.table(
        "Improved / all episodes by the accuracy of the initial classifier, 5-way 1-shot transductive ICIR, and the \
         mean gain in points.",
        table,
    );
    finding.figure("initial", figure(&shares)?);
    Ok(finding)
}

fn name(tenth: usize) -> String {
    format!("{}–{}", 10 * tenth, 10 * tenth + 10)
}

fn ratio((improved, all): (usize, usize)) -> String {
    format!("{improved}/{all}")
}

fn gain(gains: &[f64]) -> String {
    let mean = Estimate::of(gains).map(|gain| 100.0 * gain.mean);
    mean.map_or("–".into(), |mean| format!("{mean:+.1}"))
}

/// The gains of the episodes in every tenth of the initial accuracy; the last includes 100%.
fn tenths(scores: &Scores) -> [Vec<f64>; 10] {
    let mut tenths: [Vec<f64>; 10] = Default::default();
    for (first, last) in scores.plain().into_iter().zip(scores.last()) {
        // An accuracy is a count over 75: what lies on a boundary must not fall below it by rounding.
        let tenth = (10.0 * first + 1e-9) as usize;
        tenths[tenth.min(9)].push(last - first);
    }
    tenths
}

fn count(gains: &[f64]) -> (usize, usize) {
    (gains.iter().filter(|gain| **gain > 0.0).count(), gains.len())
}

fn verdict(dataset: &str, counts: &[(usize, usize)]) -> Verdict {
    let total = counts.iter().fold((0, 0), |sum, c| (sum.0 + c.0, sum.1 + c.1));
    let judged: Vec<(usize, Holds)> = (0..10)
        .filter(|&tenth| counts[tenth].1 >= ENOUGH)
        .filter_map(|tenth| {
            let mut above_half = share(counts[tenth].0, counts[tenth].1)?;
            above_half.mean -= 0.5;
            Some((tenth, Holds::above_zero(&above_half)))
        })
        .collect();
    let names = |wanted: Holds| -> Vec<String> {
        judged.iter().filter(|(_, holds)| *holds == wanted).map(|(t, _)| name(*t)).collect()
    };
    let (no, open) = (names(Holds::No), names(Holds::Open));
    let holds = match (no.is_empty(), open.is_empty()) {
        (false, _) => Holds::No,
        (true, true) if !judged.is_empty() => Holds::Yes,
        _ => Holds::Open,
    };
    let mut evidence = format!(
        "{} of {} improve; tenths with at least {ENOUGH} episodes: {}, in which more than half improve beyond the interval: {}",
        total.0,
        total.1,
        judged.len(),
        names(Holds::Yes).len()
    );
    if !no.is_empty() {
        evidence += &format!(", fewer than half: {}", no.join(", "));
    }
    if !open.is_empty() {
        evidence += &format!(", undecided: {}", open.join(", "));
    }
    let claim = "most episodes improve whatever the initial accuracy";
    Verdict::new(dataset, claim, holds, evidence)
}

fn figure(datasets: &[(String, Vec<(usize, usize)>)]) -> Result<trustpath_report::Figure> {
    let bar = |&(improved, all): &(usize, usize)| {
        let found = share(improved, all).filter(|_| all >= ENOUGH);
        found.map_or(Bar { value: f64::NAN, error: 0.0 }, |share| Bar {
            value: 100.0 * share.mean,
            error: 100.0 * share.half_width,
        })
    };
    let mut series = vec![BarSeries {
        name: "miniImageNet (paper)".into(),
        bars: INITIAL.iter().map(bar).collect(),
    }];
    for (name, counts) in datasets {
        series.push(BarSeries { name: name.clone(), bars: counts.iter().map(bar).collect() });
    }
    // Tenths in which nobody has enough episodes are left out.
    let seen = |tenth: usize| series.iter().any(|s| s.bars[tenth].value.is_finite());
    let tenths: Vec<usize> = (0..10).filter(|&tenth| seen(tenth)).collect();
    for s in &mut series {
        s.bars = tenths.iter().map(|&tenth| s.bars[tenth]).collect();
    }
    let bars = Bars {
        title: "Episodes that ICIR improves, by initial accuracy".into(),
        subtitle: format!("5-way 1-shot transductive; tenths of at least {ENOUGH} episodes"),
        y: Axis::new("Improved").unit("% of the episodes").range(0.0, 100.0),
        groups: tenths.iter().map(|&tenth| format!("{}%", name(tenth))).collect(),
        series,
        decimals: None,
    };
    Ok(bars.figure()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accuracies_fall_into_their_tenth() {
        let episodes = [(0.0, 0.1), (0.6, 0.6), (45.0 / 75.0, 0.5), (0.59, 0.7), (1.0, 1.0)];
        let scores = Scores(episodes.map(|(first, last)| vec![first, last]).to_vec());
        let counts: Vec<_> = tenths(&scores).iter().map(|gains| count(gains)).collect();
        assert_eq!(counts[0], (1, 1));
        assert_eq!(counts[5], (1, 1));
        assert_eq!(counts[6], (0, 2));
        assert_eq!(counts[9], (0, 1));
        // Every count over 75 is where the exact fraction is.
        for right in 0..=75usize {
            let scores = Scores(vec![vec![right as f64 / 75.0]]);
            let found = tenths(&scores).iter().position(|gains| !gains.is_empty());
            assert_eq!(found, Some((10 * right / 75).min(9)));
        }
    }

    #[test]
    fn the_papers_own_counts_confirm_it() {
        let found = verdict("mini", &INITIAL);
        assert_eq!(found.holds, Holds::Yes, "{found:?}");
        assert!(
            found
                .evidence
                .starts_with("1558 of 2000 improve; tenths with at least 20 episodes: 5, in which"),
            "{found:?}"
        );
        let mut counts = INITIAL;
        counts[8] = (10, 191);
        assert_eq!(verdict("x", &counts).holds, Holds::No);
        counts[8] = (95, 191);
        assert_eq!(verdict("x", &counts).holds, Holds::Open);
    }
}
