//! What `label`, `audit` and `predict` share in writing their results.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;
use std::time::Duration;

use rayon::ThreadPool;
use serde::Serialize;
use trustpath_explain::carry_columns;
use trustpath_report::label_page::LabelReport;
use trustpath_table::{Column, FileSet, Format, Output, PartlyLabelledTable, ResultTable, printable};

use crate::args::RunArgs;
use crate::error::{Error, Result};
use crate::images::ExtractedImages;
use crate::print;
use crate::progress::ProgressMode;
use crate::reading;

/// Where the page is written; refused at once if it could not be written in the end.
pub fn page_output(path: &Path, set: &FileSet) -> Result<Output> {
    if !path.extension().is_some_and(|e| e.eq_ignore_ascii_case("html")) {
        return Err(Error::Usage(format!("--report {} must end in .html: a browser opens it", path.display())));
    }
    // The format only says that there is one.
    let output = Output::new(path).as_format(Format::Csv).staged(set);
    output.check()?;
    Ok(output)
}

/// Where the model is written; refused at once if it could not be written in the end.
pub fn model_output(path: &Path, set: &FileSet) -> Result<Output> {
    if Format::of(path).ok() != Some(Format::Safetensors) {
        return Err(Error::Usage(format!("--model {} must end in .safetensors", path.display())));
    }
    let output = Output::new(path).staged(set);
    output.check()?;
    Ok(output)
}

/// Draws a page, with thumbnails where the instances are images and the texts of the column `shown`, and writes it.
pub fn write_page(
    output: &Output,
    pool: &PartlyLabelledTable,
    threads: &ThreadPool,
    progress: ProgressMode,
    images: Option<&ExtractedImages>,
    shown: Option<&str>,
    page: impl FnOnce() -> (LabelReport, Vec<usize>) + Send,
) -> Result<()> {
    let stage = progress.stage("drawing the page", 1, "page");
    let html = threads.install(|| -> Result<String> {
        let (mut page, rows) = page();
        page.notes.splice(0..0, reading::pool_notes(pool));
        for (instance, &row) in page.instances.iter_mut().zip(&rows) {
            for column in pool.carried() {
                match &column.texts[row] {
                    Some(text) if shown == Some(column.name.as_str()) => instance.text = Some(text.clone()),
                    Some(text) => instance.reason += &format!("; {}: {text}", column.name),
                    None => {}
                }
            }
        }
        if let Some(images) = images {
            images.illustrate(&mut page, &rows)?;
        }
        Ok(page.html()?)
    })?;
    stage.step();
    Ok(output.write(|file| file.write_all(html.as_bytes()))?)
}

/// What is said about a result besides its table.
#[derive(Debug, Default)]
pub struct Summary {
    /// For a terminal.
    pub text: String,
    /// Names and values.
    pub facts: Vec<(String, String)>,
    /// What a user should know before relying on the result.
    pub notes: Vec<String>,
    /// The ids of the instances to label next.
    pub suggested: Vec<String>,
    pub took: Duration,
}

/// A result for programs.
#[derive(Serialize)]
struct JsonSummary<'a> {
    source: &'a str,
    instances: usize,
    features: usize,
    labelled: usize,
    classes: &'a [String],
    verdicts: BTreeMap<String, usize>,
    facts: BTreeMap<String, String>,
    notes: Vec<String>,
    suggested: Vec<String>,
    seconds: f64,
}

/// Writes the table where it is asked for, publishes all files of the command, and prints the summary unless the
/// table goes to standard output. The table is made only if it is asked for.
pub fn finish(
    run: &RunArgs,
    output: Option<&Output>,
    set: &FileSet,
    pool: &PartlyLabelledTable,
    table: impl FnOnce() -> Result<ResultTable>,
    summary: Summary,
) -> Result<()> {
    let notes = reading::pool_notes(pool);
    if run.json || output.is_some() {
        let mut table = table()?;
        carry_columns(&mut table, pool)?;
        if let Some(output) = output {
            table.write(output)?;
        }
        set.publish()?;
        if run.json {
            return print::json(&as_json(pool, &table, notes, summary));
        }
    }
    set.publish()?;
    let notes: String = notes.into_iter().map(|note| note + "\n").collect();
    if output.is_some_and(Output::is_stream) {
        // A closed standard error must not change the result.
        let _ = std::io::stderr().write_all(printable(&notes).as_bytes());
        Ok(())
    } else if notes.is_empty() {
        print::stdout(&summary.text)
    } else {
        print::stdout(&format!("{notes}\n{}", summary.text))
    }
}

fn as_json<'a>(
    pool: &'a PartlyLabelledTable,
    table: &ResultTable,
    mut notes: Vec<String>,
    summary: Summary,
) -> JsonSummary<'a> {
    let mut verdicts = BTreeMap::new();
    for (name, column) in table.columns() {
        if let ("verdict", Column::Text(texts)) = (name.as_str(), column) {
            texts.iter().for_each(|text| *verdicts.entry(text.clone()).or_default() += 1);
        }
    }
    notes.extend(summary.notes);
    JsonSummary {
        source: pool.source(),
        instances: pool.rows(),
        features: pool.dims(),
        labelled: pool.labels().iter().flatten().count(),
        classes: pool.class_names(),
        verdicts,
        facts: summary.facts.into_iter().collect(),
        notes,
        suggested: summary.suggested,
        seconds: (1e3 * summary.took.as_secs_f64()).round() / 1e3,
    }
}
