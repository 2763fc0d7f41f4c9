//! What to label next: whether labels of suggested instances help more than labels of others.

use trustpath::label::Labelling;
use trustpath::spec::LabelSpec;
use trustpath_episodes::stats::{Estimate, paired_difference};
use trustpath_episodes::{FeatureTable, Random, Result, Split, embedded};

use crate::draw::{Balance, Draw, Drawing};
use crate::{PER_CLASS, head};

const LABELS: [usize; 2] = [1, 5];
const BATCH: usize = 20;

/// All classes are labelled, and the precision of the trusted labels is not needed.
fn params(suggest: usize) -> LabelSpec {
    LabelSpec { closed: true, suggest, folds: 2, ..LabelSpec::default() }
}

/// Accuracies before and after labelling a batch: suggested, at random, the least probable. All are measured on the
/// instances that are in none of the batches.
type Run = [f64; 4];

pub fn report(split: Split, draws: u64) -> Result<()> {
    head(&format!(
        "dataset | labels per class | before | {BATCH} suggested | {BATCH} at random | \
         {BATCH} least probable | suggested − random | suggested − least probable"
    ));
    for dataset in embedded::DATASETS {
        let table = embedded::load(dataset, split)?;
        for labels in LABELS {
            let runs: Vec<Run> =
                (0..draws).map(|seed| run(table, labels, seed)).collect::<Result<_>>()?;
            let of = |at: usize| runs.iter().map(|run| run[at]).collect::<Vec<_>>();
            let mut row = format!("| {dataset} | {labels} |");
            for at in 0..4 {
                row += &format!(" {} |", Estimate::of(&of(at))?.percent());
            }
            for other in [2, 3] {
                row += &format!(" {} |", paired_difference(&of(1), &of(other))?.percent());
            }
            println!("{row}");
        }
    }
    Ok(())
}

fn run(table: &FeatureTable, labels: usize, seed: u64) -> Result<Run> {
    let drawing = Drawing { labels, balance: Balance::Even, at_most: PER_CLASS, seed };
    let mut draw = drawing.from(table);
    let before = draw.label(&params(BATCH))?;
    let open = draw.open();
    let batches = [
        before.suggestions.clone(),
        Random::stream(seed, u64::MAX).choose(&open, BATCH),
        least_probable(&before, &open),
    ];
    let untouched: Vec<usize> =
        open.iter().copied().filter(|i| !batches.iter().flatten().any(|b| b == i)).collect();
    let mut scores = [draw.accuracy(&before.labels, &untouched); 4];
    for (score, batch) in scores[1..].iter_mut().zip(&batches) {
        *score = with_labels_of(&mut draw, batch, &untouched)?;
    }
    Ok(scores)
}

fn least_probable(found: &Labelling, open: &[usize]) -> Vec<usize> {
    let mut order = open.to_vec();
    order.sort_by(|&a, &b| found.probability[a].total_cmp(&found.probability[b]));
    order.truncate(BATCH);
    order
}

/// Accuracy on `judged` once the labels of the batch are given too.
fn with_labels_of(draw: &mut Draw<'_>, batch: &[usize], judged: &[usize]) -> Result<f64> {
    let before = draw.given.clone();
    batch.iter().for_each(|&i| draw.given[i] = Some(draw.truth[i]));
    let found = draw.label(&params(0))?;
    draw.given = before;
    Ok(draw.accuracy(&found.labels, judged))
}
