//! What the pages of `label` and `audit` share.

use std::path::Path;

use trustpath::{Instances, MapParams, Matrix, map_2d};
use trustpath_report::labelling::{ReportLine, ReportPath};
use trustpath_table::{Error as TableError, Format, Output};

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

/// Places on the map.
pub fn places(coordinates: &Instances) -> Result<Vec<[f32; 2]>> {
    let map = map_2d(coordinates, MapParams::default())?;
    Ok(map.iter_rows().map(|p| [p[0] as f32, p[1] as f32]).collect())
}

/// The lines of the rows that are part of the path.
pub fn path(lambda: &[f64], norms: &Matrix, part: impl Fn(usize) -> bool) -> ReportPath {
    let lines = (0..norms.cols())
        .filter(|&row| part(row))
        .map(|instance| ReportLine {
            instance,
            norms: (0..norms.rows()).map(|k| norms[(k, instance)] as f32).collect(),
        })
        .collect();
    ReportPath { lambda: lambda.to_vec(), lines }
}
