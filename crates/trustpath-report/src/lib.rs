#![doc = include_str!("../README.md")]

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
pub mod serve_page;
pub mod table;
mod web;

pub use axis::Axis;
pub use document::{Document, DocumentBlock, DocumentSection};
pub use draw::escape::escape;
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
pub use table::{Table, TableCell, TableColumn};
