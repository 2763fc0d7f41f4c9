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

use trustpath_bench::{Result, Split};

fn main() -> Result<()> {
    let mut args: Vec<String> = std::env::args().skip(1).collect();
    let at_most = match args.iter().position(|arg| arg == "--at-most") {
        Some(at) => args.drain(at..).nth(1).and_then(|n| n.parse().ok()).unwrap_or(usize::MAX),
        None => usize::MAX,
    };
    let arg = |at: usize| args.get(at).map(String::as_str);
    let split = match arg(1) {
        Some("validation") => Split::Validation,
        _ => Split::Novel,
    };
    let draws: u64 = arg(2).and_then(|n| n.parse().ok()).unwrap_or(3);
    match (arg(0), arg(3)) {
        (Some("accuracy"), Some(_)) => accuracy::report_files(&args[3..], draws, at_most),
        (Some("accuracy"), _) => accuracy::report(split, draws, at_most),
        (Some("closed"), _) => accuracy::report_closed(split, draws, at_most),
        (Some(part), _) if next::Kind::of(part).is_some() => {
            let kind = next::Kind::of(part).unwrap_or(next::Kind::Balanced);
            next::report(kind, split, draws, args.get(3..).unwrap_or_default())
        }
        (Some("audit"), _) => match arg(1) {
            Some(folder) if !["novel", "validation"].contains(&folder) => {
                audit::report_folder(Path::new(folder), draws, at_most)
            }
            _ => audit::report(split, draws, at_most),
        },
        (Some("draws"), Some(folder)) => accuracy::write_draws(split, draws, at_most, Path::new(folder)),
        _ => {
            eprintln!("usage: label_quality PART [novel|validation] [DRAWS] [FOLDER] [--at-most N]");
            std::process::exit(2)
        }
    }
}

/// Prints the head of a table.
fn head(columns: &str) {
    println!("| {columns} |\n|{}", "---|".repeat(columns.split(" | ").count()));
}

fn mean(values: impl ExactSizeIterator<Item = f64>) -> f64 {
    let count = values.len() as f64;
    values.sum::<f64>() / count
}

/// The mean in percent; a dash if it is not a number.
fn percent(values: impl ExactSizeIterator<Item = f64>) -> String {
    let mean = 100.0 * mean(values);
    if mean.is_nan() { "–".into() } else { format!("{mean:.1}") }
}
