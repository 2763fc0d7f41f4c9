//! None of these: classes that are in the pool but have no labels.

use trustpath::label::Verdict;
use trustpath::spec::LabelSpec;
use trustpath_episodes::noise::auroc;
use trustpath_episodes::{FeatureTable, Random, Result, Split, embedded};

use crate::draw::{Balance, Draw, Drawing};
use crate::{PER_CLASS, head, mean, percent};

const LABELS: [usize; 3] = [2, 5, 20];
const HIDDEN: [f64; 3] = [0.0, 0.2, 0.5];

/// One draw. All figures are shares; not a number where no instance is novel.
struct Run {
    auroc: f64,
    /// The AUROC estimated from the given labels.
    expected: f64,
    recall: f64,
    /// Novel and other instances with the verdict, as shares of the pool.
    hits: f64,
    alarms: f64,
    /// The share of instances of labelled classes that are taken for novel.
    false_alarms: f64,
    /// The share of novel instances in the pool, estimated and true.
    estimated_share: f64,
    true_share: f64,
}

pub fn report(split: Split, draws: u64) -> Result<()> {
    head(
        "dataset | labels per class | hidden classes | AUROC | expected | recall | precision \
         | false alarms | estimated share | true share",
    );
    for dataset in embedded::DATASETS {
        let table = embedded::load(dataset, split)?;
        for (labels, hidden) in LABELS.into_iter().flat_map(|l| HIDDEN.map(|h| (l, h))) {
            let run = |seed| run(table, labels, hidden, seed);
            let runs: Vec<Run> = (0..draws).map(run).collect::<Result<_>>()?;
            let cell = |figure: fn(&Run) -> f64| percent(runs.iter().map(figure));
            // Over all draws together: a draw without a verdict has no precision of its own.
            let hits = mean(runs.iter().map(|r| r.hits));
            let precision = hits / (hits + mean(runs.iter().map(|r| r.alarms)));
            println!(
                "| {dataset} | {labels} | {:.0} % | {} | {} | {} | {} | {} | {} | {} |",
                100.0 * hidden,
                cell(|r| r.auroc),
                cell(|r| r.expected),
                cell(|r| r.recall),
                percent([if hidden > 0.0 { precision } else { f64::NAN }].into_iter()),
                cell(|r| r.false_alarms),
                cell(|r| r.estimated_share),
                cell(|r| r.true_share),
            );
        }
    }
    Ok(())
}

fn run(table: &FeatureTable, labels: usize, hidden: f64, seed: u64) -> Result<Run> {
    let drawing = Drawing { labels, balance: Balance::Even, at_most: PER_CLASS, seed };
    let mut draw = drawing.from(table);
    hide_classes(&mut draw, hidden, seed);
    // The folds only serve the estimate of precision.
    let found = draw.label(&LabelSpec { seed, folds: 2, ..Default::default() })?;
    let open = draw.open();
    let novel: Vec<bool> = open.iter().map(|&i| draw.truth[i] >= draw.classes).collect();
    let verdicts = open.iter().map(|&i| found.verdicts[i] == Verdict::NoneOfThese);
    let (mut hits, mut alarms) = (0.0, 0.0);
    for (novel, _) in novel.iter().zip(verdicts).filter(|(_, verdict)| *verdict) {
        *(if *novel { &mut hits } else { &mut alarms }) += 1.0;
    }
    let (all, count) = (open.len() as f64, novel.iter().filter(|novel| **novel).count() as f64);
    let novelty = found.novelty.expect("there are two labels of every class, and ten classes");
    Ok(Run {
        auroc: auroc(&novelty.probability, &novel),
        expected: novelty.auroc,
        recall: hits / count,
        hits: hits / all,
        alarms: alarms / all,
        false_alarms: alarms / (all - count),
        estimated_share: novelty.share,
        true_share: count / all,
    })
}

/// Removes the given labels of some classes, and numbers the other classes before them.
fn hide_classes(draw: &mut Draw<'_>, share: f64, seed: u64) {
    let mut order: Vec<usize> = (0..draw.classes).collect();
    Random::stream(seed, u64::MAX).shuffle(&mut order);
    let known = draw.classes - (share * draw.classes as f64).round() as usize;
    let mut number = vec![0; draw.classes];
    order.iter().enumerate().for_each(|(at, &class)| number[class] = at);
    draw.truth.iter_mut().for_each(|class| *class = number[*class]);
    for label in &mut draw.given {
        *label = label.map(|class| number[class]).filter(|&class| class < known);
    }
    draw.classes = known;
}
