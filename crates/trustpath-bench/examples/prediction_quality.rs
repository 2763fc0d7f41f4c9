//! Whether predicted rows are labelled as well as rows of the pool, and whether the promise holds for them: a random part of a table
//! with all given labels is the pool, and the model that it trains predicts the rest.
//!
//! ```sh
//! cargo run --release -p trustpath-bench --example prediction_quality -- 10 FEATURES.npy...
//! ```
//!
//! The first argument is the number of draws; the others are files of features with a file `-labels.npy` beside each. An argument
//! `labels=N` keeps one number of labels per class, `part=N` one part, and `missing=SHARE` hides all labels of a share of the classes. The parts have
//! 3,000 and 6,000 rows, or half of the table where it is not at least half as large again.

use trustpath::Features;
use trustpath::label::Verdict;
use trustpath::spec::LabelSpec;
use trustpath_bench::pools::{self, KnownPool, share};
use trustpath_bench::stats::{MeanEstimate, paired_difference};
use trustpath_bench::{FeatureTable, Random, Result};

const PARTS: [usize; 2] = [3000, 6000];
const TARGET: f64 = 0.9;

/// What became of the rows of the pool without a label, or of the predicted rows.
#[derive(Debug, Clone, Copy)]
struct RowsOutcome {
    /// Share of the rows of labelled classes whose label is right.
    accuracy: f64,
    /// Share of wrong ones among the trusted (0 if nothing is trusted).
    wrong: f64,
    /// Share that is trusted.
    trusted: f64,
    /// Share that is none of these, and how many of the rows of missing classes are.
    none: (f64, f64),
    /// The accuracy that is expected from the probabilities.
    expected: f64,
}

/// A draw.
struct PartDraw {
    pool: RowsOutcome,
    predicted: RowsOutcome,
    /// Share of the rows of the pool that have the same label and verdict when they are predicted.
    same: f64,
}

fn main() -> Result<()> {
    let mut args: Vec<String> = std::env::args().skip(1).collect();
    let mut option = |name: &str| {
        let at = args.iter().position(|arg| arg.starts_with(name))?;
        args.remove(at)[name.len()..].parse::<f64>().ok()
    };
    let (labels, asked) = (option("labels="), option("part="));
    let missing = option("missing=").unwrap_or(0.0);
    let Some((draws, files)) = args.split_first() else {
        eprintln!("usage: prediction_quality DRAWS FEATURES... [labels=N] [part=N] [missing=SHARE]");
        std::process::exit(2)
    };
    let draws: u64 = draws.parse().unwrap_or(10);
    let columns = format!(
        "features | part | labels per class | in the pool | predicted | difference | pool: wrong at {TARGET} | \
         predicted: wrong | pool: trusted | predicted: trusted | ratio | expected − right | none of these, pool (recall) | \
         predicted (recall) | same in the pool"
    );
    println!("{}", pools::head(&columns));
    for file in files {
        let (name, table) = pools::open(file)?;
        let count = table.labels().len();
        let mut parts: Vec<usize> = PARTS.iter().copied().filter(|part| 3 * part <= 2 * count).collect();
        if parts.len() < PARTS.len() {
            parts.push(count / 2);
        }
        for part in parts.into_iter().filter(|&part| asked.is_none_or(|asked| asked == part as f64)) {
            for labels in [5, 20].into_iter().filter(|&n| labels.is_none_or(|asked| asked == n as f64)) {
                let draw = |seed| draw(&table, part, labels, missing, seed);
                let draws: Vec<PartDraw> = (0..draws).map(draw).collect::<Result<_>>()?;
                println!("| {name} | {part} | {labels} | {}", cells(&draws)?);
            }
        }
    }
    Ok(())
}

fn draw(table: &FeatureTable, part: usize, labels: usize, missing: f64, seed: u64) -> Result<PartDraw> {
    let mut random = Random::stream(seed, labels as u64);
    let available = table.class_names().len();
    let known = available - (missing * available as f64).round() as usize;
    let mut order: Vec<usize> = (0..available).collect();
    random.shuffle(&mut order);
    let mut number = vec![0; available];
    order.iter().enumerate().for_each(|(at, &class)| number[class] = at);
    let mut rows: Vec<usize> = (0..table.labels().len()).collect();
    random.shuffle(&mut rows);
    let truth = |row: usize| number[table.labels()[row]];
    let mut given = vec![0; available];
    let (mut first, mut rest) = (Vec::new(), Vec::new());
    for row in rows {
        let class = truth(row);
        given[class] += 1;
        if class < known && given[class] <= labels { first.push(row) } else { rest.push(row) }
    }
    let (labelled, open) = (first.len(), part.saturating_sub(first.len()));
    let rows = [&first[..], &rest[..open]].concat();
    let truths = |rows: &[usize]| rows.iter().map(|&row| truth(row)).collect::<Vec<usize>>();
    let given = rows.iter().enumerate().map(|(at, &row)| (at < labelled).then(|| truth(row))).collect();
    let pool = KnownPool { values: table.gather(&rows), truth: truths(&rows), given, classes: known };
    let labelling = pool.label(&LabelSpec { seed, precision: Some(TARGET), ..LabelSpec::default() })?;
    let again = labelling.model.predict(&pool.features()?)?;
    let is_same = |at: usize| (again.labels[at], again.verdicts[at]) == (labelling.labels[at], labelling.verdicts[at]);
    let new = &rest[open..];
    let values = table.gather(new);
    let predicted = labelling.model.predict(&Features::new(&values[..], new.len(), table.dims())?)?;
    let new_rows: Vec<usize> = (0..new.len()).collect();
    Ok(PartDraw {
        same: share(&pool.open(), is_same).unwrap_or(f64::NAN),
        pool: outcome(&pool.open(), &pool.truth, known, &labelling.labels, &labelling.verdicts, &labelling.probability),
        predicted: outcome(
            &new_rows,
            &truths(new),
            known,
            &predicted.labels,
            &predicted.verdicts,
            &predicted.probability,
        ),
    })
}

/// What became of these rows.
fn outcome(
    rows: &[usize],
    truth: &[usize],
    known: usize,
    labels: &[Option<usize>],
    verdicts: &[Verdict],
    probability: &[f64],
) -> RowsOutcome {
    let part = |of: &dyn Fn(usize) -> bool| rows.iter().copied().filter(|&at| of(at)).collect::<Vec<usize>>();
    let share = |rows: &[usize], is: &dyn Fn(usize) -> bool| share(rows, is).unwrap_or(0.0);
    let right = |at: usize| labels[at] == Some(truth[at]);
    let trusted = |at: usize| verdicts[at] == Verdict::Trusted;
    let none = |at: usize| verdicts[at] == Verdict::NoneOfThese;
    let labelled = part(&|at| labels[at].is_some());
    let expected = labelled.iter().map(|&at| probability[at]).sum::<f64>() / labelled.len() as f64;
    RowsOutcome {
        accuracy: share(&part(&|at| truth[at] < known), &right),
        wrong: share(&part(&trusted), &|at| !right(at)),
        trusted: share(rows, &trusted),
        none: (share(rows, &none), share(&part(&|at| truth[at] >= known), &none)),
        expected: expected - share(&labelled, &right),
    }
}

fn cells(draws: &[PartDraw]) -> Result<String> {
    let of = |read: &dyn Fn(&PartDraw) -> f64| draws.iter().map(read).collect::<Vec<f64>>();
    let mean = |read: &dyn Fn(&PartDraw) -> f64| -> Result<String> {
        Ok(format!("{:.1}", 100.0 * MeanEstimate::of(&of(read))?.mean))
    };
    let (pool, predicted) = (of(&|d| d.pool.accuracy), of(&|d| d.predicted.accuracy));
    let ratio =
        MeanEstimate::of(&of(&|d| d.predicted.trusted))?.mean / MeanEstimate::of(&of(&|d| d.pool.trusted))?.mean;
    Ok(format!(
        "{} | {} | {} | {} | {} | {} | {} | {ratio:.2} | {} | {} ({}) | {} ({}) | {} |",
        MeanEstimate::of(&pool)?.percent(),
        MeanEstimate::of(&predicted)?.percent(),
        paired_difference(&predicted, &pool)?.percent(),
        MeanEstimate::of(&of(&|d| d.pool.wrong))?.percent(),
        MeanEstimate::of(&of(&|d| d.predicted.wrong))?.percent(),
        mean(&|d| d.pool.trusted)?,
        mean(&|d| d.predicted.trusted)?,
        mean(&|d| d.predicted.expected)?,
        mean(&|d| d.pool.none.0)?,
        mean(&|d| d.pool.none.1)?,
        mean(&|d| d.predicted.none.0)?,
        mean(&|d| d.predicted.none.1)?,
        mean(&|d| d.same)?,
    ))
}
