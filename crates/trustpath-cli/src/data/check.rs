//! `trustpath data check`: which parts of a dataset are there.

use std::path::PathBuf;

use clap::Args;
use trustpath_report::{Table, TableColumn};
use trustpath_vision::dataset::{ClassCheck, Dataset, Inspection, SplitCheck};

use super::{DatasetSourceArgs, sheet, step};
use crate::error::{Error, Result};
use crate::files::CommandFiles;
use crate::images::list;
use crate::print;

/// What to check.
#[derive(Debug, Args)]
#[command(after_help = AFTER)]
pub struct DataCheckArgs {
    #[command(flatten)]
    source: DatasetSourceArgs,
    /// Draw some images of each class into this PNG
    #[arg(long, value_name = "FILE")]
    sheet: Option<PathBuf>,
    /// Count the images, but do not read them
    #[arg(long)]
    quick: bool,
    /// Show all classes in the table, not only the first and those that differ
    #[arg(long)]
    all: bool,
}

const AFTER: &str = "\
Examples:
  trustpath data check downloads/ --dataset cifar-fs --sheet sheet.png
  trustpath data check CUB_200_2011.tgz --dataset cub-closer-look
  trustpath data check photos/ --quick --all

Exit status: 0 when what is there can be used, 1 when the sheet cannot be written, 2 when something is wrong with the data.";

/// Classes shown, unless all are asked for.
const SHOWN: usize = 20;

/// Runs the command.
pub fn run(args: &DataCheckArgs) -> Result<()> {
    let files = CommandFiles::default().reads("the dataset", [&args.source.data]);
    files.writes("--sheet", &args.sheet).check()?;
    let dataset = args.source.open()?;
    let splits = dataset.check();
    let inspection = if args.quick {
        None
    } else {
        let stage = args.source.progress.get().stage("read", dataset.len() as u64, "images");
        Some(dataset.inspect(|| step(&stage)))
    };
    let mut text = headline(&dataset, inspection.as_ref());
    if !splits.is_empty() {
        text += &format!("\n{}", split_table(&splits)?.text());
    }
    text += &class_table(&splits, args.all)?;
    text += &missing(&dataset, &splits);
    if let Some(bad) = inspection.as_ref().map(|found| &found.unreadable).filter(|b| !b.is_empty()) {
        let count = print::count(bad.len(), "image", "images");
        text += &format!("\n{count} cannot be read:\n{}", list(bad.iter().map(|(_, error)| error)));
    }
    if let Some(path) = &args.sheet {
        let rows = sheet::write(&dataset, path)?;
        text += &format!("\n{}: {}\n", path.display(), print::count(rows, "row of images", "rows of images"));
    }
    print::stdout(&text)?;
    verdict(&dataset, &splits, inspection.as_ref())
}

fn headline(dataset: &Dataset, inspection: Option<&Inspection>) -> String {
    let size = |size: (usize, usize)| format!("{} × {}", size.0, size.1);
    let sizes = match inspection.and_then(|found| found.smallest.zip(found.largest)) {
        Some((least, most)) if least == most => format!(", each {} pixels", size(least)),
        Some((least, most)) => format!(", from {} to {} pixels", size(least), size(most)),
        None => String::new(),
    };
    format!(
        "{}, read as {}: {} of {}{sizes}\n",
        dataset.origin(),
        dataset.kind(),
        print::count(dataset.len(), "image", "images"),
        print::count(dataset.classes().len(), "class", "classes"),
    )
}

fn split_table(splits: &[SplitCheck]) -> Result<Table> {
    let mut table = Table::new(vec![
        TableColumn::left("split"),
        TableColumn::right("classes"),
        TableColumn::right("images"),
        TableColumn::right("published"),
        TableColumn::left(""),
    ]);
    for check in splits {
        let name = check.split.map_or("none".into(), |split| split.to_string());
        let state = match (check.is_absent(), check.is_whole()) {
            (true, _) => "absent",
            (false, true) if check.expected.is_some() => "whole",
            (false, true) => "",
            (false, false) => "differs",
        };
        table.push([
            name,
            format!("{} of {}", check.classes_here(), check.classes.len()),
            check.images().to_string(),
            check.expected.map_or("–".into(), |expected| expected.to_string()),
            state.into(),
        ])?;
    }
    Ok(table)
}

/// Classes and their sizes: those that differ from what was published first.
fn class_table(splits: &[SplitCheck], all: bool) -> Result<String> {
    let mut rows: Vec<(String, &ClassCheck)> = Vec::new();
    for check in splits.iter().filter(|check| !check.is_absent()) {
        let split = check.split.map_or("none".into(), |split| split.to_string());
        rows.extend(check.classes.iter().map(|class| (split.clone(), class)));
    }
    if rows.is_empty() {
        return Ok(String::new());
    }
    rows.sort_by_key(|(_, class)| class.is_whole());
    let shown = if all { rows.len() } else { SHOWN };
    let mut table = Table::new(vec![
        TableColumn::left("class"),
        TableColumn::left("split"),
        TableColumn::right("images"),
        TableColumn::right("published"),
    ]);
    for (split, class) in rows.iter().take(shown) {
        let expected = class.expected.map_or("–".into(), |expected| expected.to_string());
        table.push([class.name.clone(), split.clone(), class.images.to_string(), expected])?;
    }
    let mut text = format!("\n{}", table.text());
    if let Some(more) = rows.len().checked_sub(shown).filter(|&more| more > 0) {
        text += &format!("and {more} more, which --all shows\n");
    }
    Ok(text)
}

/// What is missing, and where to get it.
fn missing(dataset: &Dataset, splits: &[SplitCheck]) -> String {
    let mut text = String::new();
    for check in splits {
        let lacking = check.classes.iter().filter(|class| class.images == 0);
        let names: Vec<&str> = lacking.map(|class| class.name.as_str()).collect();
        let (Some(first), Some(split)) = (names.first(), check.split) else { continue };
        text += &if check.is_absent() {
            format!("\n{split} is not there: {} classes from {first} on\n", names.len())
        } else {
            format!("\n{split} lacks {} classes: {}\n", names.len(), some(&names))
        };
    }
    match dataset.kind().home().filter(|_| !text.is_empty()) {
        Some(home) => text + &format!("{home}.\n"),
        None => text,
    }
}

fn some(names: &[&str]) -> String {
    const MOST: usize = 5;
    let more = match names.len().saturating_sub(MOST) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    format!("{}{more}", names[..names.len().min(MOST)].join(", "))
}

/// An error if the dataset cannot be used as it is.
fn verdict(dataset: &Dataset, splits: &[SplitCheck], found: Option<&Inspection>) -> Result<()> {
    let mut wrong = Vec::new();
    for check in splits.iter().filter(|check| !check.is_absent() && !check.is_whole()) {
        let name = check.split.map_or("it".into(), |split| format!("its split {split}"));
        wrong.push(format!("{name} is not what was published"));
    }
    let unreadable = found.map_or(0, |found| found.unreadable.len());
    if unreadable > 0 {
        wrong.push(format!("{} cannot be read", print::count(unreadable, "image", "images")));
    }
    if wrong.is_empty() {
        Ok(())
    } else {
        Err(Error::Usage(format!("{} has to be repaired, see above: {}", dataset.origin(), wrong.join(" and "))))
    }
}
