//! What to label next: whether labels of suggested instances, every second of which is random once there are labels, help more than labels of
//! random ones, from no label at all to ten in each class.

use trustpath::NoObserver;
use trustpath::label_first;
use trustpath::spec::{LabelSpec, LabellerKind};
use trustpath_bench::pools::{self, KnownPool, head, long_tailed, share, shuffled_classes};
use trustpath_bench::stats::{MeanEstimate, paired_difference};
use trustpath_bench::{FeatureTable, Random, Result, Split, embedded};

use crate::columns;

/// Labels per class before the batch.
const LABELS: [usize; 5] = [0, 1, 2, 5, 10];
/// Labels in the batch.
const BATCH: usize = 20;
/// Classes and instances per class of a pool, at most.
const CLASSES: usize = 20;
const PER_CLASS: usize = 60;

/// The pools of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SuggestionPools {
    /// Classes of one size, all of which have labels.
    Balanced,
    /// Class sizes fall from class to class; the last is a tenth of the first.
    LongTailed,
    /// No instance of every fourth class has a label.
    MissingClasses,
}

impl SuggestionPools {
    /// A pool of classes that are numbered from 0, with this many labels of each; its classes without labels are not
    /// the last.
    fn draw(self, table: &FeatureTable, labels: usize, seed: u64) -> KnownPool {
        let drawn = shuffled_classes(table, CLASSES, &mut Random::stream(seed, 20));
        let classes = drawn.len();
        let (mut rows, mut truth, mut given) = (Vec::new(), Vec::new(), Vec::new());
        for (number, (_, members)) in drawn.into_iter().enumerate() {
            let share = if self == Self::LongTailed { long_tailed(number, classes) } else { 1.0 };
            let size = (PER_CLASS as f64 * share).round() as usize;
            let labels = if self == Self::MissingClasses && number % 4 == 3 { 0 } else { labels };
            for (at, row) in members.into_iter().take(size).enumerate() {
                rows.push(row);
                truth.push(number);
                given.push((at < labels).then_some(number));
            }
        }
        KnownPool { values: table.gather(&rows), truth, given, classes }
    }
}

/// All classes are labelled, and the precision of the trusted labels is not needed.
fn params() -> LabelSpec {
    LabelSpec { closed: true, folds: 2, ..LabelSpec::default() }
}

pub fn report(kind: SuggestionPools, split: Split, draws: u64, files: &[String]) -> Result<()> {
    println!("{}", head("features | labels per class | no batch | random | suggested | suggested − random"));
    if files.is_empty() {
        for dataset in embedded::DATASETS {
            rows_of(kind, dataset, embedded::load(dataset, split)?, draws)?;
        }
    }
    for file in files {
        let (name, table) = pools::open(file)?;
        rows_of(kind, &name, &table, draws)?;
    }
    Ok(())
}

fn rows_of(kind: SuggestionPools, name: &str, table: &FeatureTable, draws: u64) -> Result<()> {
    // Without any label, missing classes are those of every pool.
    for labels in LABELS.into_iter().filter(|&n| n > 0 || kind != SuggestionPools::MissingClasses) {
        let accuracies: Vec<[f64; 3]> =
            (0..draws).map(|seed| accuracies(kind, table, labels, seed)).collect::<Result<_>>()?;
        let [none, random, suggested] = columns(&accuracies);
        let percent = |column: &[f64]| Ok::<_, trustpath_bench::Error>(MeanEstimate::of(column)?.percent());
        println!(
            "| {name} | {labels} | {} | {} | {} | {} |",
            // Without any label the batch is all there is.
            if labels == 0 { "–".into() } else { percent(&none)? },
            percent(&random)?,
            percent(&suggested)?,
            paired_difference(&suggested, &random)?.percent(),
        );
    }
    Ok(())
}

/// Accuracies with no batch, a random one, and the suggested one; all on the instances that are in none of the batches.
fn accuracies(kind: SuggestionPools, table: &FeatureTable, labels: usize, seed: u64) -> Result<[f64; 3]> {
    let pool = kind.draw(table, labels, seed);
    let open = pool.open();
    let random = Random::stream(seed, u64::MAX).choose(&open, BATCH);
    let batches = [Vec::new(), random, suggested(&pool)?];
    let judged: Vec<usize> = open.iter().copied().filter(|i| !batches.iter().flatten().any(|b| b == i)).collect();
    let mut scores = [0.0; 3];
    for (score, batch) in scores.iter_mut().zip(&batches) {
        if labels > 0 || !batch.is_empty() {
            *score = accuracy_with(&pool, batch, &judged)?;
        }
    }
    Ok(scores)
}

fn suggested(pool: &KnownPool) -> Result<Vec<usize>> {
    let features = pool.features()?;
    if pool.given.iter().all(Option::is_none) {
        return Ok(label_first(&features, BATCH, &mut NoObserver)?);
    }
    // Suggestions do not depend on the labeller.
    let spec = LabelSpec { suggest: BATCH, labeller: LabellerKind::NoRounds, ..params() };
    let (labels, _) = numbered(pool, &[]);
    let labelling = trustpath::label(&features, &labels).spec(&spec).run()?;
    Ok(labelling.suggestions.iter().map(|next| next.row).collect())
}

/// The labels once those of the batch are given too, with the classes that occur numbered from 0, and the number of
/// each class.
fn numbered(pool: &KnownPool, batch: &[usize]) -> (Vec<Option<usize>>, Vec<Option<usize>>) {
    let mut given = pool.given.clone();
    batch.iter().for_each(|&row| given[row] = Some(pool.truth[row]));
    let mut number = vec![None; pool.classes];
    let mut labelled = 0;
    for &class in given.iter().flatten() {
        if number[class].is_none() {
            number[class] = Some(labelled);
            labelled += 1;
        }
    }
    (given.into_iter().map(|class| number[class?]).collect(), number)
}

/// Accuracy on `judged` once the labels of the batch are given too. Classes without any label are never right.
fn accuracy_with(pool: &KnownPool, batch: &[usize], judged: &[usize]) -> Result<f64> {
    let (labels, number) = numbered(pool, batch);
    if number.iter().flatten().count() < 2 {
        return Ok(0.0);
    }
    let labelling = trustpath::label(&pool.features()?, &labels).spec(&params()).run()?;
    let right = |i: usize| labelling.labels[i].is_some() && labelling.labels[i] == number[pool.truth[i]];
    Ok(share(judged, right).unwrap_or(f64::NAN))
}
