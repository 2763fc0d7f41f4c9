//! How long files take to read, or a table of results in every format for other programs to read.
//!
//! ```text
//! cargo run --release -p trustpath-table --example formats -- read pool.csv pool.npy
//! cargo run --release -p trustpath-table --example formats -- write DIR ROWS
//! ```

use std::time::Instant;

use trustpath_table::{Column, Format, Output, PartlyLabelledFile, Result, ResultTable};

fn main() -> Result<()> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    match args.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["read", ref files @ ..] => files.iter().try_for_each(|file| read(file)),
        ["write", folder, rows] => write(folder, rows.parse().unwrap_or(12_000)),
        _ => {
            eprintln!("read FILE… or write DIR ROWS");
            Ok(())
        }
    }
}

fn read(file: &str) -> Result<()> {
    let mut best = f64::INFINITY;
    let mut shape = (0, 0, 0);
    for _ in 0..3 {
        let start = Instant::now();
        let table = PartlyLabelledFile::new(file).read()?;
        best = best.min(start.elapsed().as_secs_f64());
        shape = (table.rows(), table.dims(), table.class_names().len());
    }
    println!("{file}: {} × {}, {} classes, {best:.3} s", shape.0, shape.1, shape.2);
    Ok(())
}

fn write(folder: &str, rows: usize) -> Result<()> {
    let texts = ["plain", "a \"quoted\", one", "two\nlines", "é✓𝛌", "=1+1", ""];
    let text = |row: usize| texts[row % texts.len()].to_owned();
    let label = |row: usize| (!row.is_multiple_of(3)).then(|| text(row));
    let credibility = |row: usize| row.is_multiple_of(2).then_some(0.5);
    let round = |row: u64| Some(row % 4).filter(|&round| round > 0);
    let mut table = ResultTable::default();
    table.push("id", Column::Text((0..rows).map(|row| format!("{row}.jpg")).collect()))?;
    table.push("label", Column::OptionalText((0..rows).map(label).collect()))?;
    table.push("probability", Column::Number((0..rows).map(|r| r as f64 / rows as f64).collect()))?;
    table.push("credibility", Column::OptionalNumber((0..rows).map(credibility).collect()))?;
    table.push("row", Column::Count((0..rows as u64).collect()))?;
    table.push("round", Column::OptionalCount((0..rows as u64).map(round).collect()))?;
    table.push("trusted", Column::Flag((0..rows).map(|row| row % 5 == 0).collect()))?;
    table.push("reason", Column::Text((0..rows).map(|row| text(row + 1)).collect()))?;
    for format in Format::NAMES {
        let start = Instant::now();
        table.write(&Output::new(format!("{folder}/results.{format}")))?;
        println!("{format}: {rows} rows, {:.3} s", start.elapsed().as_secs_f64());
    }
    Ok(())
}
