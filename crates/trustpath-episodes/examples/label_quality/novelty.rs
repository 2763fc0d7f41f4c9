//! None of these: classes that are in the pool and were never labelled.

use trustpath::label::{LabelParams, Verdict};
use trustpath_episodes::noise::auroc;
use trustpath_episodes::{FeatureTable, Random, Result, Split, embedded};

use crate::draw::{Balance, Draw, Drawing};
use crate::{PER_CLASS, mean};

const LABELS: [usize; 3] = [2, 5, 20];
const HELD_OUT: [f64; 3] = [0.0, 0.2, 0.5];

/// One draw. All are shares; not a number where nobody is a stranger.
struct Run {
    auroc: f64,
    /// The AUROC that the given labels let one expect.
    expected: f64,
    recall: f64,
    /// Strangers and others with the verdict, as shares of the pool.
    hits: f64,
    alarms: f64,
    /// Share of the instances of labelled classes that are taken for strangers.
    false_alarms: f64,
    /// Share of strangers in the pool, as it is estimated and as it is.
    estimated_share: f64,
    true_share: f64,
}

pub fn report(split: Split, draws: u64) -> Result<()> {
    println!(
        "| dataset | labels a class | classes held out | AUROC | expected | recall | precision \
         | false alarms | estimated share | true share |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|");
    for dataset in embedded::DATASETS {
        let table = embedded::load(dataset, split)?;
        for labels in LABELS {
            for held_out in HELD_OUT {
                let run = |seed| run(table, labels, held_out, seed);
                let runs: Vec<Run> = (0..draws).map(run).collect::<Result<_>>()?;
                let cell = |figure: fn(&Run) -> f64| percent(mean(runs.iter().map(figure)));
                // Over all draws together: one without a verdict has no precision of its own.
                let hits = mean(runs.iter().map(|r| r.hits));
                let precision = hits / (hits + mean(runs.iter().map(|r| r.alarms)));
                println!(
                    "| {dataset} | {labels} | {:.0} % | {} | {} | {} | {} | {} | {} | {} |",
                    100.0 * held_out,
                    cell(|r| r.auroc),
                    cell(|r| r.expected),
                    cell(|r| r.recall),
                    percent(if held_out > 0.0 { precision } else { f64::NAN }),
                    cell(|r| r.false_alarms),
                    cell(|r| r.estimated_share),
                    cell(|r| r.true_share),
                );
            }
        }
    }
    Ok(())
}

/// In percent; a dash for what is not a number.
fn percent(share: f64) -> String {
    if share.is_nan() { "–".into() } else { format!("{:.1}", 100.0 * share) }
}

fn run(table: &FeatureTable, labels: usize, held_out: f64, seed: u64) -> Result<Run> {
    let drawing = Drawing { labels, balance: Balance::Even, at_most: PER_CLASS, seed };
    let mut draw = drawing.from(table);
    hide_classes(&mut draw, held_out, seed);
    // The folds serve the estimate of precision alone.
    let found = draw.label(&LabelParams { seed, folds: 2, ..Default::default() })?;
    let open = draw.open();
    let strange: Vec<bool> = open.iter().map(|&i| draw.truth[i] >= draw.classes).collect();
    let said: Vec<bool> = open.iter().map(|&i| found.verdicts[i] == Verdict::NoneOfThese).collect();
    let count = |f: &dyn Fn(bool, bool) -> bool| {
        strange.iter().zip(&said).filter(|(strange, said)| f(**strange, **said)).count() as f64
    };
    let (hits, strangers) = (count(&|strange, said| strange && said), count(&|strange, _| strange));
    let alarms = count(&|strange, said| !strange && said);
    let all = open.len() as f64;
    let novelty = found.novelty.expect("there are two labels of every class, and ten classes");
    let run = Run {
        auroc: auroc(&novelty.probability, &strange),
        expected: novelty.auroc,
        recall: hits / strangers,
        hits: hits / all,
        alarms: alarms / all,
        false_alarms: alarms / (all - strangers),
        estimated_share: novelty.share,
        true_share: strangers / all,
    };
    Ok(run)
}

/// Takes the given labels of some classes away, and numbers the others before them.
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
