//! What `label`, `audit` and `predict` share in writing their results.

use std::path::Path;

use rayon::ThreadPool;
use trustpath_explain::{DataInfo, ResultColumns};
use trustpath_report::label_page::LabelReport;
use trustpath_table::{Format, Output, PartlyLabelledTable};

use crate::error::{Error, Result};
use crate::images::ExtractedImages;
use crate::print;
use crate::progress::Progress;

/// Where the page is written; refused at once if it could not be written in the end.
pub fn page_output(path: &Path) -> Result<Output> {
    let named = path.extension().is_some_and(|e| e.eq_ignore_ascii_case("html"));
    if !named {
        let name = path.display();
        return Err(Error::Usage(format!("--report {name} must end in .html: a browser opens it")));
    }
    // The format only says that there is one: a page has its own.
    let output = Output::new(path).as_format(Format::Csv);
    output.check()?;
    Ok(output)
}

/// Refuses at once a model file that could not be written in the end.
pub fn check_model_output(path: &Path) -> Result<()> {
    if Format::of(path).ok() != Some(Format::Safetensors) {
        let name = path.display();
        return Err(Error::Usage(format!("--model {name} must end in .safetensors")));
    }
    Ok(Output::new(path).check()?)
}

/// A pool without its features.
pub fn data_info(pool: &PartlyLabelledTable) -> DataInfo<'_> {
    DataInfo {
        source: pool.source(),
        dims: pool.dims(),
        ids: pool.ids(),
        labels: pool.labels(),
        classes: pool.class_names(),
    }
}

/// Draws a page, with thumbnails where the instances are images, and writes it.
pub fn write_page(
    output: &Output,
    threads: &ThreadPool,
    progress: Progress,
    images: Option<&ExtractedImages>,
    page: impl FnOnce() -> trustpath::Result<(LabelReport, Vec<usize>)> + Send,
) -> Result<()> {
    let stage = progress.stage("drawing the page", 1, "page");
    let html = threads.install(|| -> Result<String> {
        let (mut page, rows) = page()?;
        if let Some(images) = images {
            images.illustrate(&mut page, &rows)?;
        }
        Ok(page.html()?)
    })?;
    stage.step();
    Ok(output.write(|file| file.write_all(html.as_bytes()))?)
}

/// Writes the table where it is asked for, and prints the summary unless the table goes to standard output.
pub fn finish(output: Option<&Output>, result: &impl ResultColumns, summary: &str) -> Result<()> {
    if let Some(output) = output {
        result.table()?.write(output)?;
    }
    match output.is_some_and(Output::is_stream) {
        true => Ok(()),
        false => print::stdout(summary),
    }
}
