//! `trustpath check`: a summary of a features file and its labels, or what is wrong with it.

use clap::Args;
use trustpath::Origin;
use trustpath_table::{Column, PartlyLabelledTable};

use crate::args::{InputArgs, OutputArgs, Wanted};
use crate::error::{Error, Result};
use crate::files::CommandFiles;
use crate::repeated::{self, Repeated};
use crate::{print, reading};

#[derive(Debug, Args)]
#[command(after_help = AFTER)]
pub struct CheckArgs {
    #[command(flatten)]
    input: InputArgs,
    #[command(flatten)]
    output: OutputArgs,
    /// Also find near-duplicates: instances whose features have at least this cosine [without a number: 0.99]. With --out,
    /// the column duplicate_of names the first one of each group
    #[arg(long, value_name = "COSINE", num_args = 0..=1, require_equals = true,
        default_missing_value = repeated::COSINE)]
    duplicates: Option<f64>,
    /// Print the summary as JSON
    #[arg(long, conflicts_with = "out")]
    json: bool,
}

const AFTER: &str = "\
Examples:
  trustpath check embeddings.npy --labels labels.csv
  trustpath check pool.parquet --label-column kind --id-column file
  trustpath check embeddings.npy --labels labels.csv --duplicates=0.995 --out checked.csv
  zcat pool.csv.gz | trustpath check - --out labels.jsonl

Exit status: 0 if the data can be used, 1 if the output cannot be written, 2 if the data is invalid.";

/// The largest number of classes that are listed.
const SHOWN: usize = 20;

pub fn run(args: &CheckArgs) -> Result<()> {
    let output = args.output.output()?;
    if args.input.is_images() && !args.input.is_texts() {
        let sentence =
            "folders, archives and lists of images are checked by trustpath data check; give a features file here";
        return Err(Error::Usage(sentence.into()));
    }
    args.input.files(Wanted::Some, args.output.files(CommandFiles::default())).check()?;
    let pool = if args.input.is_texts() {
        args.input.texts(Wanted::Some)?.pool
    } else {
        let pool = args.input.file(Wanted::Some)?.read()?;
        pool.check_values()?;
        pool
    };
    let origins = pool.origins::<Origin>(Origin::NAMES)?;
    let duplicates = args.duplicates.map(|cosine| Repeated::find(&pool, cosine)).transpose()?;
    match &output {
        None if args.json => print::json(&as_json(&pool, duplicates.as_ref()))?,
        Some(output) => {
            let mut table = reading::labels(&pool)?;
            if !origins.is_empty() {
                table.push("origin", Column::Text(origins.iter().map(|origin| origin.to_string()).collect()))?;
            }
            if let Some(duplicates) = &duplicates {
                table.push("duplicate_of", duplicates.column(&pool))?;
            }
            table.write(output)?;
        }
        None => {
            let mut text = summary(&pool)?;
            text.extend(duplicates.map(|duplicates| duplicates.text(&pool)));
            text.extend(reading::pool_notes(&pool).into_iter().map(|note| format!("\n{note}\n")));
            print::stdout(&text)?;
        }
    }
    Ok(pool.check_labels()?)
}

/// The summary for programs.
fn as_json(pool: &PartlyLabelledTable, duplicates: Option<&Repeated>) -> serde_json::Value {
    let counts = counts(pool).into_iter().map(Into::into);
    let classes: serde_json::Map<String, serde_json::Value> = pool.class_names().iter().cloned().zip(counts).collect();
    let mut json = serde_json::json!({
        "source": pool.source(),
        "instances": pool.rows(),
        "features": pool.dims(),
        "labelled": pool.labels().iter().flatten().count(),
        "classes": classes,
        "carried": pool.carried().iter().map(|column| &column.name).collect::<Vec<_>>(),
        "notes": reading::pool_notes(pool),
    });
    if let Some(duplicates) = duplicates {
        let ids = |rows: &Vec<usize>| rows.iter().map(|&row| pool.ids()[row].as_str()).collect::<Vec<_>>();
        json["duplicates"] = duplicates.groups.iter().map(ids).collect();
    }
    json
}

/// The number of labels of every class.
fn counts(pool: &PartlyLabelledTable) -> Vec<usize> {
    let mut counts = vec![0; pool.class_names().len()];
    pool.labels().iter().flatten().for_each(|&class| counts[class] += 1);
    counts
}

fn summary(pool: &PartlyLabelledTable) -> Result<String> {
    let counts = counts(pool);
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
    let mut table = print::table(["class"], ["labels"]);
    for &class in classes.iter().take(SHOWN) {
        table.push([pool.class_names()[class].clone(), counts[class].to_string()])?;
    }
    text.push_str(&format!("\n{}", table.text()));
    text.extend(print::more(classes.len(), SHOWN).map(|more| more + "\n"));
    Ok(text)
}
