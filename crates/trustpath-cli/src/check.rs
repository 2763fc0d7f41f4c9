//! `trustpath check`: a summary of a features file and its labels, or what is wrong with it.

use clap::Args;
use trustpath_report::{Column as TableColumn, Table};
use trustpath_table::PartlyLabelledTable;

use crate::args::{InputArgs, OutputArgs, Wanted};
use crate::error::{Error, Result};
use crate::files::CommandFiles;
use crate::{print, results};

#[derive(Debug, Args)]
#[command(after_help = AFTER)]
pub struct CheckArgs {
    #[command(flatten)]
    input: InputArgs,
    #[command(flatten)]
    output: OutputArgs,
    /// Print the summary as JSON
    #[arg(long, conflicts_with = "out")]
    json: bool,
}

const AFTER: &str = "\
Examples:
  trustpath check embeddings.npy --labels labels.csv
  trustpath check pool.parquet --label-column kind --id-column file
  zcat pool.csv.gz | trustpath check - --out labels.jsonl

Exit status: 0 if the data can be used, 1 if the output cannot be written, 2 if the data is invalid.";

/// The largest number of classes that are listed.
const SHOWN: usize = 20;

pub fn run(args: &CheckArgs) -> Result<()> {
    let output = args.output.output()?;
    if args.input.is_images() && !args.input.is_texts() {
        let sentence = "folders, archives and lists of images are checked by trustpath data check; give a features file here";
        return Err(Error::Usage(sentence.into()));
    }
    args.input.files(Wanted::Some, args.output.files(CommandFiles::default())).check()?;
    let pool = match args.input.is_texts() {
        true => args.input.texts(Wanted::Some)?.pool,
        false => {
            let pool = args.input.file()?.read()?;
            pool.check_values()?;
            pool
        }
    };
    match &output {
        None if args.json => print::json(&as_json(&pool))?,
        Some(output) => results::labels(&pool)?.write(output)?,
        None => {
            let mut text = summary(&pool)?;
            for note in results::reading_notes(&pool) {
                text.push_str(&format!("\n{note}\n"));
            }
            print::stdout(&text)?;
        }
    }
    Ok(pool.check_labels()?)
}

/// The summary for programs.
fn as_json(pool: &PartlyLabelledTable) -> serde_json::Value {
    let mut counts = vec![0usize; pool.class_names().len()];
    pool.labels().iter().flatten().for_each(|&class| counts[class] += 1);
    let classes: serde_json::Map<String, serde_json::Value> =
        pool.class_names().iter().cloned().zip(counts.into_iter().map(Into::into)).collect();
    serde_json::json!({
        "source": pool.source(),
        "instances": pool.rows(),
        "features": pool.dims(),
        "labelled": pool.labels().iter().flatten().count(),
        "classes": classes,
        "carried": pool.carried().iter().map(|column| &column.name).collect::<Vec<_>>(),
        "notes": results::reading_notes(pool),
    })
}

fn summary(pool: &PartlyLabelledTable) -> Result<String> {
    let mut counts = vec![0usize; pool.class_names().len()];
    pool.labels().iter().flatten().for_each(|&class| counts[class] += 1);
    let labelled: usize = counts.iter().sum();
    let mut text = format!(
        "{}: {}\nids {} … {}\n{labelled} labelled, {} unlabelled; {}\n",
        pool.source(),
        match pool.dims() {
            0 => print::count(pool.rows(), "text", "texts"),
            dims => format!(
                "{}, {} each",
                print::count(pool.rows(), "instance", "instances"),
                print::count(dims, "feature", "features")
            ),
        },
        pool.ids()[0],
        pool.ids()[pool.rows() - 1],
        pool.rows() - labelled,
        print::count(counts.len(), "class", "classes"),
    );
    if counts.is_empty() {
        return Ok(text);
    }
    let mut classes: Vec<usize> = (0..counts.len()).collect();
    classes.sort_by_key(|&class| std::cmp::Reverse(counts[class]));
    let mut table = Table::new(vec![TableColumn::left("class"), TableColumn::right("labels")]);
    for &class in classes.iter().take(SHOWN) {
        table.push([pool.class_names()[class].clone(), counts[class].to_string()])?;
    }
    text.push_str(&format!("\n{}", table.text()));
    if let Some(more) = classes.len().checked_sub(SHOWN).filter(|&more| more > 0) {
        text.push_str(&format!("and {more} more\n"));
    }
    Ok(text)
}
