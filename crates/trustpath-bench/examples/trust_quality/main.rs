//! Whether what `label` says about its labels is true: promised precision, none of these, probabilities and accuracy, over many
//! draws of pools in which everything is known. Prints tables of `docs/measured`.
//!
//! ```sh
//! cargo run --release -p trustpath-bench --example trust_quality -- 20 cub:validation cifar-fs:validation
//! ```
//!
//! The first argument is the number of draws; the others are features: `NAME:validation` or `NAME:novel` for an embedded
//! dataset, or an `.npy` file beside which a file `-labels.npy` has the labels. An argument `case=TEXT` keeps the cases whose name
//! contains the text. An argument `updates` prints instead what changes from update to update while somebody labels what is suggested.

mod cases;
mod measure;
mod session;

use trustpath_bench::{Result, pools};

use cases::{BASE, Given, PoolCase};
use measure::Cell;
use session::{Sessions, Strategy};

/// The cases of the table.
const CASES: &[PoolCase] = &[
    PoolCase { name: "5 classes, 5 each", classes: 5, ..BASE },
    PoolCase { name: "10 classes, random 5", classes: 10, given: Given::Random(5), ..BASE },
    PoolCase { name: "5 each", ..BASE },
    PoolCase { name: "20 each", given: Given::Each(20), ..BASE },
    PoolCase { name: "2 each", given: Given::Each(2), ..BASE },
    PoolCase { name: "1 each", given: Given::Each(1), ..BASE },
    PoolCase { name: "random 5", given: Given::Random(5), ..BASE },
    PoolCase { name: "random 20", given: Given::Random(20), ..BASE },
    PoolCase { name: "10 each, 1:10", given: Given::Each(10), long_tailed: true, per_class: 300, ..BASE },
    PoolCase { name: "half 10, half 1", given: Given::HalfOne, ..BASE },
    PoolCase { name: "typical 5", given: Given::Typical(5), ..BASE },
    PoolCase { name: "5 each, 5 % wrong", wrong: 0.05, ..BASE },
    PoolCase { name: "20 each, 5 % wrong", given: Given::Each(20), wrong: 0.05, ..BASE },
    PoolCase { name: "5 each, ten near-copies", per_class: 20, copies: 10, ..BASE },
    PoolCase { name: "fifth missing, 5 each", missing: 0.2, ..BASE },
    PoolCase { name: "fifth missing, 20 each", missing: 0.2, given: Given::Each(20), ..BASE },
    PoolCase { name: "half missing, 10 each", missing: 0.5, given: Given::Each(10), ..BASE },
    PoolCase { name: "odd ones, 5 each", odd: true, ..BASE },
    PoolCase { name: "77 classes, 5 each", classes: 77, ..BASE },
    PoolCase { name: "77 classes, fifth missing, 10 each", classes: 77, missing: 0.2, given: Given::Each(10), ..BASE },
    PoolCase { name: "15 per class, 5 each", per_class: 20, ..BASE },
    PoolCase { name: "300 per class, 5 each", per_class: 300, ..BASE },
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
    if let Some(at) = features.iter().position(|arg| arg == "updates") {
        return sessions(draws, &[&features[..at], &features[at + 1..]].concat());
    }
    println!("{}", pools::head(Cell::COLUMNS));
    for source in features {
        let (name, table) = pools::open(source)?;
        for case in CASES.iter().filter(|case| case.name.contains(only)) {
            if let Some(cell) = Cell::measure(&table, case, draws)? {
                println!("| {name} | {} | {cell}", case.name);
            }
        }
    }
    Ok(())
}

/// Prints what changes from update to update.
fn sessions(draws: u64, features: &[String]) -> Result<()> {
    println!("{}", pools::head(Sessions::COLUMNS));
    for source in features {
        let (name, table) = pools::open(source)?;
        for classes in [10, 20] {
            for (strategy_name, strategy) in Strategy::ALL {
                let sessions = Sessions::measure(&table, classes, strategy, draws)?;
                println!("| {name} | {classes} | {strategy_name} | {sessions}");
            }
        }
    }
    Ok(())
}
