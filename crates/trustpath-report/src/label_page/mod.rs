//! The interactive page about the user's own data: which labels can be trusted, which cannot, and why.
//!
//! A [`LabelReport`] is plain data; [`LabelReport::html`] makes one self-contained page of it that opens from disk and
//! loads nothing: a summary, a map of the features, the regularisation path, galleries, the self-training rounds, and a
//! table of all instances. If the data are too large for a page, it shows a representative part and says so.
//!
//! ```
//! use trustpath_report::label_page::{LabelReport, ReportInstance, ReportVerdict};
//! let cat = ReportInstance {
//!     id: "0001.png".into(),
//!     rival: Some(1),
//!     probability: 0.97,
//!     credibility: 0.88,
//!     round: Some(1),
//!     verdict: ReportVerdict::Trusted,
//!     reason: "its nearest labelled instances are all \"cat\"".into(),
//!     position: [0.3, 1.2],
//!     ..ReportInstance::default()
//! };
//! let report = LabelReport {
//!     title: "Labels for my images".into(),
//!     classes: vec!["cat".into(), "<script>".into()],
//!     instances: vec![cat],
//!     ..LabelReport::default()
//! };
//! assert!(report.html()?.starts_with("<!DOCTYPE html>"));
//! # Ok::<(), trustpath_report::Error>(())
//! ```

mod data;
mod model;
mod page;
mod thin;

pub use model::{
    LabelReport, ReportInstance, ReportKind, ReportLine, ReportPath, ReportRound, ReportVerdict, Thumbnail,
};
