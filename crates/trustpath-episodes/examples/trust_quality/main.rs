//! Whether what `label` says about its labels is true: promised precision, none of these, probabilities and accuracy, over many
//! draws of pools in which everything is known. Prints the tables of `docs/trust.md`.
//!
//! ```sh
//! cargo run --release -p trustpath-episodes --example trust_quality -- 20 cub:validation cifar-fs:validation
//! ```
//!
//! The first argument is the number of draws; the others are features: `NAME:validation` or `NAME:novel` for an embedded
//! dataset, or an `.npy` file beside which a file `-labels.npy` has the labels. A last argument `case=TEXT` keeps the cases whose name
//! contains the text.

mod cases;
mod measure;

use std::path::Path;

use trustpath_episodes::{FeatureTable, Result, Split, embedded};
use trustpath_table::TableFile;

use cases::CASES;
use measure::Cell;

fn main() -> Result<()> {
    let mut args: Vec<String> = std::env::args().skip(1).collect();
    let only = args.iter().position(|arg| arg.starts_with("case=")).map(|at| args.remove(at));
    let only = only.as_deref().map_or("", |text| &text["case=".len()..]);
    let Some((draws, features)) = args.split_first() else {
        eprintln!("usage: trust_quality DRAWS FEATURES... [case=TEXT]");
        std::process::exit(2)
    };
    let draws: u64 = draws.parse().unwrap_or(20);
    println!("{}", Cell::HEAD);
    for source in features {
        let table = load(source)?;
        let name =
            Path::new(source).file_stem().map_or(source.clone(), |n| n.to_string_lossy().into());
        for case in CASES.iter().filter(|case| case.name.contains(only)) {
            if let Some(cell) = Cell::measure(&table, case, draws)? {
                println!("| {name} | {} | {}", case.name, cell);
            }
        }
    }
    Ok(())
}

/// An embedded dataset, or a file of features with one of labels beside it.
fn load(source: &str) -> Result<FeatureTable> {
    match source.split_once(':') {
        Some((name, "validation")) => Ok(embedded::load(name, Split::Validation)?.clone()),
        Some((name, "novel")) => Ok(embedded::load(name, Split::Novel)?.clone()),
        _ => Ok(TableFile::new(source).read()?),
    }
}
