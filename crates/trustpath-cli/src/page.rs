//! What the pages of `label` and `audit` share.

use std::path::Path;

use trustpath_findings::About;
use trustpath_table::{Error as TableError, Format, Output, PartlyLabelledTable};

use crate::error::{Error, Result};

/// Where a page goes; refused at once if it could not be written in the end.
pub fn output(path: &Path) -> Result<Output> {
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

/// Writes a page, whole or not at all.
pub fn write(output: &Output, html: &str) -> std::result::Result<(), TableError> {
    output.write(|file| file.write_all(html.as_bytes()))
}

/// A pool without its features.
pub fn about(pool: &PartlyLabelledTable) -> About<'_> {
    About {
        source: pool.source(),
        dims: pool.dims(),
        ids: pool.ids(),
        labels: pool.labels(),
        classes: pool.class_names(),
    }
}
