//! Whether what `label` says about its labels is true: promised precision, none of these, probabilities and accuracy, over many
//! draws of pools in which everything is known. Prints tables of `docs/measured`.
//!
//! ```sh
//! cargo run --release -p trustpath-bench --example trust_quality -- 20 cub:validation cifar-fs:validation
//! ```
//!
//! The first argument is the number of draws; the others are features: `NAME:validation` or `NAME:novel` for an embedded
//! dataset, or an `.npy` file beside which a file `-labels.npy` has the labels. An argument `case=TEXT` keeps the cases whose name
//! contains the text.

mod cases;
mod measure;

use std::path::Path;

use trustpath_bench::{FeatureTable, Result, Split, embedded};
use trustpath_table::TableFile;

use cases::{Case, Given};
use measure::Cell;

/// Twenty classes of sixty instances, five of each labelled.
const BASE: Case =
    Case { name: "", classes: 20, given: Given::Each(5), missing: 0.0, long_tailed: false, per_class: 60 };

/// The cases of the tables.
const CASES: &[Case] = &[
    Case { name: "closed 5 classes, 5 each", classes: 5, ..BASE },
    Case { name: "closed 5 each", ..BASE },
    Case { name: "closed 20 each", given: Given::Each(20), ..BASE },
    Case { name: "closed 2 each", given: Given::Each(2), ..BASE },
    Case { name: "closed 1 each", given: Given::Each(1), ..BASE },
    Case { name: "closed random 5", given: Given::Random(5), ..BASE },
    Case { name: "closed 10 each, 1:10", given: Given::Each(10), long_tailed: true, ..BASE },
    Case { name: "closed half 10, half 1", given: Given::HalfOne, ..BASE },
    Case { name: "closed typical 5", given: Given::Typical(5), ..BASE },
    Case { name: "open fifth missing, 5 each", missing: 0.2, ..BASE },
    Case { name: "open fifth missing, 20 each", missing: 0.2, given: Given::Each(20), ..BASE },
    Case { name: "open half missing, 10 each", missing: 0.5, given: Given::Each(10), ..BASE },
    Case { name: "many closed 77 classes, 5 each", classes: 77, ..BASE },
    Case { name: "many open 77 classes, 10 each", classes: 77, missing: 0.2, given: Given::Each(10), ..BASE },
    Case { name: "small 15 per class, 5 each", per_class: 20, ..BASE },
    Case { name: "large closed 5 each", per_class: 300, ..BASE },
    Case { name: "large closed 20 each", given: Given::Each(20), per_class: 300, ..BASE },
    Case { name: "large closed 20 each, 1:10", given: Given::Each(20), long_tailed: true, per_class: 300, ..BASE },
    Case { name: "large fifth missing, 5 each", missing: 0.2, per_class: 300, ..BASE },
    Case { name: "large fifth missing, 20 each", missing: 0.2, given: Given::Each(20), per_class: 300, ..BASE },
];

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
        let name = Path::new(source).file_stem().map_or(source.clone(), |n| n.to_string_lossy().into());
        for case in CASES.iter().filter(|case| case.name.contains(only)) {
            if let Some(cell) = Cell::measure(&table, case, draws)? {
                println!("| {name} | {} | {cell}", case.name);
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
