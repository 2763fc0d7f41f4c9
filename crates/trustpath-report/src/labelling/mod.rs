//! The page about one's own data: which labels can be trusted, which cannot, and why.
//!
//! A [`LabelReport`] is plain data; [`LabelReport::html`] makes one self-contained page of it that opens from disk and
//! fetches nothing: a summary, a map of the features, the regularisation path, galleries, the rounds, and a table of
//! every instance. Where the data are larger than a page should be, it shows a fair part of them and says so.
//!
//! ```
//! use trustpath_report::labelling::{LabelReport, ReportInstance, Verdict};
//! let cat = ReportInstance {
//!     id: "0001.png".into(),
//!     label: 0,
//!     given: None,
//!     probability: 0.97,
//!     credibility: 0.88,
//!     round: Some(1),
//!     verdict: Verdict::Trusted,
//!     reason: "its nearest labelled instances are all \"cat\"".into(),
//!     position: [0.3, 1.2],
//!     suggested: None,
//!     neighbours: vec![],
//!     thumbnail: None,
//! };
//! let report = LabelReport {
//!     title: "Labels for my pictures".into(),
//!     classes: vec!["cat".into(), "<script>".into()],
//!     instances: vec![cat],
//!     ..LabelReport::default()
//! };
//! assert!(report.html()?.starts_with("<!DOCTYPE html>"));
//! # Ok::<(), trustpath_report::Error>(())
//! ```

mod data;
mod json;
mod model;
mod page;
mod sha256;
#[cfg(test)]
mod testing;
mod thin;

pub use model::{
    LabelReport, ReportInstance, ReportKind, ReportLine, ReportPath, ReportRound, Thumbnail,
    Verdict,
};
