//! What the pages of labels and audits share: the map and the path.

use trustpath::{Instances, MapParams, Matrix, Result, map_2d};
use trustpath_report::labelling::{ReportLine, ReportPath};

/// Places on the map.
pub(crate) fn places(coordinates: &Instances) -> Result<Vec<[f32; 2]>> {
    let map = map_2d(coordinates, MapParams::default())?;
    Ok(map.iter_rows().map(|p| [p[0] as f32, p[1] as f32]).collect())
}

/// The lines of the rows that are part of the path.
pub(crate) fn path(lambda: &[f64], norms: &Matrix, part: impl Fn(usize) -> bool) -> ReportPath {
    let lines = (0..norms.cols())
        .filter(|&row| part(row))
        .map(|instance| ReportLine {
            instance,
            norms: (0..norms.rows()).map(|k| norms[(k, instance)] as f32).collect(),
        })
        .collect();
    ReportPath { lambda: lambda.to_vec(), lines }
}
