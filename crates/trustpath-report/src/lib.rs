//! Figures as SVG and PNG, tables, and self-contained reports, from plain data.
//!
//! Each plot is a struct of plain data with a `figure` method; a [`Figure`] is written as SVG or PNG, and both look alike.
//! Values that are not finite are left out; a figure with nothing left is an error, never a panic.
//!
//! ```
//! use trustpath_report::{Axis, Curve, CurvePoint, Curves};
//! let accuracy = [(0.0, 78.4, 0.6), (1.0, 81.9, 0.6), (2.0, 83.0, 0.7), (3.0, 83.2, 0.7)];
//! let curves = Curves {
//!     title: "Accuracy by round".into(),
//!     x: Axis::new("Round").whole(),
//!     y: Axis::new("Accuracy").unit("%"),
//!     curves: vec![Curve {
//!         name: "1-shot".into(),
//!         points: accuracy.map(|(x, y, error)| CurvePoint { x, y, error }).to_vec(),
//!     }],
//!     ..Curves::default()
//! };
//! let figure = curves.figure()?;
//! assert!(figure.svg().starts_with("<svg"));
//! assert_eq!(figure.png(2.0)?[1..4], *b"PNG");
//! # Ok::<(), trustpath_report::Error>(())
//! ```
//!
//! A [`Table`] becomes plain text, Markdown, HTML or CSV. A [`Document`] combines sections of text, tables and figures into
//! one HTML page and one Markdown file. A [`LabelReport`](label_page::LabelReport) becomes an interactive page about the
//! user's own labels.

#[cfg(test)]
extern crate self as trustpath_report;
#[cfg(test)]
#[allow(dead_code)]
#[path = "../tests/all/sample.rs"]
mod sample;

mod axis;
mod canvas;
pub mod document;
mod draw;
mod error;
mod figure;
pub mod label_page;
mod legend;
mod marker;
mod palette;
pub mod plot;
mod scale;
pub mod table;

pub use axis::Axis;
pub use document::{Document, DocumentBlock, DocumentSection};
pub use draw::image::Image;
pub use error::{Error, Result};
pub use figure::Figure;
pub use plot::bars::{Bar, BarSeries, Bars};
pub use plot::contact::{ContactRow, ContactSheet};
pub use plot::curves::{Curve, CurvePoint, Curves, Interval};
pub use plot::episode::{EpisodeCell, EpisodeGrid, EpisodeRound, Selected};
pub use plot::histogram::{Bins, Density, Histogram};
pub use plot::path::{PathLine, PathPlot};
pub use plot::scatter::{Scatter, ScatterGroup, ScatterPoint};
pub use table::{Align, Best, Column, Table, TableCell};
