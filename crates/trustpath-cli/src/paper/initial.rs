//! Improvement by the accuracy of the first classifier.

use super::frame::*;
use super::published::INITIAL;

pub const TARGET: PaperTarget = PaperTarget {
    name: "initial",
    about: "Improvement by initial accuracy",
    heading: "The initial classifier",
    paper: "most episodes are improved whatever the accuracy of the initial classifier (1558 of 2000; more than half in \
            every bin from 40% to 100%).",
    find,
};

/// Bins with fewer episodes decide nothing.
const ENOUGH: usize = 20;

/// Improved and all episodes of a bin.
type Count = (usize, usize);

fn find(lab: &Lab, finding: &mut Finding) -> Result<()> {
    let ratio = |(improved, all): &Count| format!("{improved}/{all}");
    let mut columns = Columns::default().names("Initial accuracy (%)", (0..10).map(name));
    columns.numbers(PAPER, INITIAL.iter().map(ratio));
    let mut series = vec![(PAPER.to_owned(), INITIAL)];
    for dataset in &lab.datasets {
        let scores = lab.run(dataset, &Experiment::new(1, PoolKind::Transductive))?;
        let gains = bins(&scores);
        let counts = gains.each_ref().map(|gains| count(gains));
        columns.numbers(dataset.title(), counts.iter().map(ratio));
        let mean = |gains: &Vec<f64>| {
            let mean = MeanEstimate::of(gains).map(|gain| 100.0 * gain.mean);
            mean.map_or("–".into(), |mean| format!("{mean:+.1}"))
        };
        columns.numbers("gain", gains.iter().map(mean));
        let (holds, evidence) = decide(&counts);
        let claim = "most episodes improve whatever the initial accuracy";
        finding.verdict(&dataset.title(), claim, holds, evidence);
        series.push((dataset.title(), counts));
    }
    finding.table(
        "Improved / all episodes by the accuracy of the initial classifier, 5-way 1-shot transductive ICIR, and the \
         mean gain in points.",
        columns.table()?,
    );
    finding.figure("initial", figure(&series)?);
    Ok(())
}

fn name(bin: usize) -> String {
    format!("{}–{}", 10 * bin, 10 * bin + 10)
}

/// The gains of the episodes in ten bins of the initial accuracy; the last includes 100%.
fn bins(scores: &RoundScores) -> [Vec<f64>; 10] {
    let mut bins: [Vec<f64>; 10] = Default::default();
    for (first, last) in scores.plain().into_iter().zip(scores.last()) {
        // An accuracy is a count over 75: a value on a boundary must not fall below it by rounding.
        let bin = (10.0 * first + 1e-9) as usize;
        bins[bin.min(9)].push(last - first);
    }
    bins
}

fn count(gains: &[f64]) -> Count {
    (gains.iter().filter(|gain| **gain > 0.0).count(), gains.len())
}

/// The share of improved episodes in a bin with enough of them.
fn improved(&(improved, all): &Count) -> Option<MeanEstimate> {
    share(improved, all).filter(|_| all >= ENOUGH)
}

/// Whether more than half of the episodes improve in every bin, and the evidence.
fn decide(counts: &[Count; 10]) -> (Holds, String) {
    let total = counts.iter().fold((0, 0), |sum, c| (sum.0 + c.0, sum.1 + c.1));
    let judge = |(bin, count)| Some((bin, Holds::above(&improved(count)?, 0.5)));
    let judged: Vec<(usize, Holds)> = counts.iter().enumerate().filter_map(judge).collect();
    let names = |wanted: Holds| -> Vec<String> {
        judged.iter().filter(|(_, holds)| *holds == wanted).map(|(bin, _)| name(*bin)).collect()
    };
    let holds = Holds::all(judged.iter().map(|(_, holds)| *holds));
    let mut evidence = format!(
        "{} of {} improve; bins with at least {ENOUGH} episodes: {}, of which more than half improve beyond the interval in {}",
        total.0,
        total.1,
        judged.len(),
        names(Holds::Yes).len()
    );
    for (words, bins) in [("fewer than half", names(Holds::No)), ("not decided", names(Holds::Open))] {
        if !bins.is_empty() {
            evidence += &format!(", {words} in {}", bins.join(", "));
        }
    }
    (holds, evidence)
}

fn figure(datasets: &[(String, [Count; 10])]) -> Result<Figure> {
    let shown: Vec<usize> =
        (0..10).filter(|&bin| datasets.iter().any(|(_, counts)| improved(&counts[bin]).is_some())).collect();
    let one_bar = |count| improved(count).map_or(Bar { value: f64::NAN, error: 0.0 }, |share| bar(&share));
    let series = datasets.iter().map(|(name, counts)| BarSeries {
        name: name.clone(),
        bars: shown.iter().map(|&bin| one_bar(&counts[bin])).collect(),
    });
    let bars = Bars {
        title: "Episodes that ICIR improves, by initial accuracy".into(),
        subtitle: format!("5-way 1-shot transductive; bins with fewer than {ENOUGH} episodes omitted"),
        y: Axis::new("Improved").unit("% of the episodes").range(0.0, 100.0),
        groups: shown.iter().map(|&bin| format!("{}%", name(bin))).collect(),
        series: series.collect(),
        decimals: None,
    };
    Ok(bars.figure()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accuracies_fall_into_their_bin() {
        let episodes = [(0.0, 0.1), (0.6, 0.6), (45.0 / 75.0, 0.5), (0.59, 0.7), (1.0, 1.0)];
        let scores = RoundScores(episodes.map(|(first, last)| vec![first, last]).to_vec());
        let counts = bins(&scores).map(|gains| count(&gains));
        assert_eq!([0, 5, 6, 9].map(|bin| counts[bin]), [(1, 1), (1, 1), (0, 2), (0, 1)]);
        // Every count over 75 is where the exact fraction is.
        for right in 0..=75usize {
            let scores = RoundScores(vec![vec![right as f64 / 75.0]]);
            let bin = bins(&scores).iter().position(|gains| !gains.is_empty());
            assert_eq!(bin, Some((10 * right / 75).min(9)));
        }
    }

    #[test]
    fn the_papers_own_counts_confirm_it() {
        let (holds, evidence) = decide(&INITIAL);
        assert_eq!(holds, Holds::Yes, "{evidence}");
        let start = "1558 of 2000 improve; bins with at least 20 episodes: 5, of which";
        assert!(evidence.starts_with(start), "{evidence}");
        let mut counts = INITIAL;
        counts[8] = (10, 191);
        assert_eq!(decide(&counts).0, Holds::No);
        counts[8] = (95, 191);
        assert_eq!(decide(&counts).0, Holds::Open);
    }
}
