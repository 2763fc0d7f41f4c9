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

pub fn run(args: &DataCheckArgs) -> Result<()> {
    let files = CommandFiles::default().reads("the dataset", [&args.source.data]);
    files.writes("--sheet", &args.sheet).check()?;
    let dataset = Dataset::open(&args.source.data, args.source.dataset)?;
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
    if let Some(bad) = inspection.as_ref().map(|read| &read.unreadable).filter(|bad| !bad.is_empty()) {
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
    let sizes = match inspection.and_then(|read| read.smallest.zip(read.largest)) {
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
    let numbers = ["classes", "images", "published"].map(TableColumn::right);
    let mut table =
        Table::new([TableColumn::left("split")].into_iter().chain(numbers).chain([TableColumn::left("")]).collect());
    for check in splits {
        let state = match (check.is_absent(), check.is_whole()) {
            (true, _) => "absent",
            (false, true) if check.expected.is_some() => "whole",
            (false, true) => "",
            (false, false) => "differs",
        };
        table.push([
            name(check),
            format!("{} of {}", check.classes_here(), check.classes.len()),
            check.images().to_string(),
            or_dash(check.expected),
            state.into(),
        ])?;
    }
    Ok(table)
}

fn name(check: &SplitCheck) -> String {
    check.split.map_or("none".into(), |split| split.to_string())
}

fn or_dash(expected: Option<usize>) -> String {
    expected.map_or("–".into(), |expected| expected.to_string())
}

/// Classes and their sizes: those that differ from what was published first.
fn class_table(splits: &[SplitCheck], all: bool) -> Result<String> {
    let mut rows: Vec<(String, &ClassCheck)> = Vec::new();
    for check in splits.iter().filter(|check| !check.is_absent()) {
        rows.extend(check.classes.iter().map(|class| (name(check), class)));
    }
    if rows.is_empty() {
        return Ok(String::new());
    }
    rows.sort_by_key(|(_, class)| class.is_whole());
    let shown = if all { rows.len() } else { SHOWN };
    let mut table = print::table(["class", "split"], ["images", "published"]);
    for (split, class) in rows.iter().take(shown) {
        table.push([class.name.clone(), split.clone(), class.images.to_string(), or_dash(class.expected)])?;
    }
    let more = print::more(rows.len(), shown).map(|more| format!("{more}, which --all shows\n"));
    Ok(format!("\n{}{}", table.text(), more.unwrap_or_default()))
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
    let more = print::more(names.len(), MOST).map(|more| format!(" {more}"));
    format!("{}{}", names[..names.len().min(MOST)].join(", "), more.unwrap_or_default())
}

/// An error if the dataset cannot be used as it is.
fn verdict(dataset: &Dataset, splits: &[SplitCheck], inspection: Option<&Inspection>) -> Result<()> {
    let mut wrong = Vec::new();
    for check in splits.iter().filter(|check| !check.is_absent() && !check.is_whole()) {
        let name = check.split.map_or("it".into(), |split| format!("its split {split}"));
        wrong.push(format!("{name} is not what was published"));
    }
    let unreadable = inspection.map_or(0, |read| read.unreadable.len());
    if unreadable > 0 {
        wrong.push(format!("{} cannot be read", print::count(unreadable, "image", "images")));
    }
    if wrong.is_empty() {
        Ok(())
    } else {
        Err(Error::Usage(format!("{} has to be repaired, see above: {}", dataset.origin(), wrong.join(" and "))))
    }
}
