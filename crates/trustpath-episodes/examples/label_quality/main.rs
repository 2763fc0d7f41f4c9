//! How good labels are that were found for whole pools: all classes of an embedded dataset at once, all labels but a few
//! a class hidden. Prints the tables of `docs/label.md`.
//!
//! ```sh
//! cargo run --release -p trustpath-episodes --example label_quality -- accuracy novel 3
//! ```
//!
//! The first argument is the part: `accuracy`, `closed` (the same when told that every class has labels), `strangers`
//! (none of these), `next` (what to label next), `audit`, or `draws`, which writes the pools of `accuracy` to the folder
//! that is the fourth argument, for `scripts/label_against_sklearn.py`. Then come `novel` or `validation`, and the
//! number of draws.

mod accuracy;
mod audit;
mod draw;
mod next;
mod strangers;

use std::path::Path;

use trustpath_episodes::{Result, Split};

/// Rows of a class at most, in the parts that label or audit a pool many times over.
const PER_CLASS: usize = 200;

fn main() -> Result<()> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let arg = |at: usize| args.get(at).map(String::as_str);
    let split = match arg(1) {
        Some("validation") => Split::Validation,
        _ => Split::Novel,
    };
    let draws: u64 = arg(2).and_then(|n| n.parse().ok()).unwrap_or(3);
    match (arg(0), arg(3)) {
        (Some("accuracy"), _) => accuracy::report(split, draws),
        (Some("closed"), _) => accuracy::report_closed(split, draws),
        (Some("strangers"), _) => strangers::report(split, draws),
        (Some("next"), _) => next::report(split, draws),
        (Some("audit"), _) => audit::report(split, draws),
        (Some("draws"), Some(folder)) => accuracy::write_draws(split, draws, Path::new(folder)),
        _ => {
            eprintln!("usage: label_quality PART [novel|validation] [DRAWS] [FOLDER]");
            std::process::exit(2)
        }
    }
}

fn mean(values: impl ExactSizeIterator<Item = f64>) -> f64 {
    let count = values.len() as f64;
    values.sum::<f64>() / count
}
