//! The quality of labels found for entire pools: all classes of an embedded dataset at once, with all labels hidden except
//! a few per class. Prints tables of `docs/measured`.
//!
//! ```sh
//! cargo run --release -p trustpath-bench --example label_quality -- accuracy novel 3
//! ```
//!
//! The first argument is the part: `accuracy`, `closed` (the same, with the information that every class has labels), `next`
//! (what to label next; `next-imbalanced` with class sizes of 1:10, `next-missing` with classes nobody labelled), `audit`, or `draws`, which writes the pools of `accuracy` to the
//! folder given as the fourth argument, for `scripts/label_against_sklearn.py`. Then follow `novel` or `validation`, and
//! the number of draws. In place of `novel` or `validation`, `audit` also takes a folder of features; `accuracy` and `next` take files of
//! features after the number of draws, each with a file `-labels.npy` beside it. `--at-most N` takes at most N instances of each class
//! (`accuracy`, `closed`, `draws`) or only sets of at most N labels (`audit`).

mod accuracy;
mod audit;
mod draw;
mod next;

use std::path::Path;

use next::SuggestionPools;
use trustpath_bench::{Result, Split};

fn main() -> Result<()> {
    let mut args: Vec<String> = std::env::args().skip(1).collect();
    let at_most = match args.iter().position(|arg| arg == "--at-most") {
        Some(at) => args.drain(at..).nth(1).and_then(|n| n.parse().ok()).unwrap_or(usize::MAX),
        None => usize::MAX,
    };
    let arg = |at: usize| args.get(at).map_or("", String::as_str);
    let split = if arg(1) == "validation" { Split::Validation } else { Split::Novel };
    let draws: u64 = arg(2).parse().unwrap_or(3);
    let files = args.get(3..).unwrap_or_default();
    match (arg(0), files) {
        ("accuracy", [_, ..]) => accuracy::report_files(files, draws, at_most),
        ("accuracy" | "closed", _) => accuracy::report(split, draws, at_most, arg(0) == "closed"),
        ("audit", _) if ["", "novel", "validation"].contains(&arg(1)) => audit::report(split, draws, at_most),
        ("audit", _) => audit::report_folder(arg(1), draws, at_most),
        ("draws", [folder, ..]) => accuracy::write_draws(split, draws, at_most, Path::new(folder)),
        ("next", _) => next::report(SuggestionPools::Balanced, split, draws, files),
        ("next-imbalanced", _) => next::report(SuggestionPools::LongTailed, split, draws, files),
        ("next-missing", _) => next::report(SuggestionPools::MissingClasses, split, draws, files),
        _ => {
            eprintln!("usage: label_quality PART [novel|validation] [DRAWS] [FOLDER] [--at-most N]");
            std::process::exit(2)
        }
    }
}

/// The numbers of all runs, column by column.
fn columns<const N: usize>(runs: &[[f64; N]]) -> [Vec<f64>; N] {
    std::array::from_fn(|at| runs.iter().map(|run| run[at]).collect())
}

/// The mean in percent; a dash if it is not a number.
fn percent(values: &[f64]) -> String {
    let mean = 100.0 * (values.iter().sum::<f64>() / values.len() as f64);
    if mean.is_nan() { "–".into() } else { format!("{mean:.1}") }
}
