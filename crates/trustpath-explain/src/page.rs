//! The regularisation path, as the pages of labels and audits draw it.

use trustpath::Matrix;
use trustpath_report::label_page::{ReportLine, ReportPath};

/// A line for each of these columns of `norms` and its instance.
pub(crate) fn path(lambda: &[f64], norms: &Matrix, columns: impl Iterator<Item = (usize, usize)>) -> ReportPath {
    let line = |(column, instance)| {
        let norms = (0..norms.rows()).map(|k| norms[(k, column)] as f32).collect();
        ReportLine { instance, norms }
    };
    ReportPath { lambda: lambda.to_vec(), lines: columns.map(line).collect() }
}
