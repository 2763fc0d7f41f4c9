//! Drawing: a figure is a list of marks ([`scene`]), which two writers render alike: [`svg`] as text, [`png`] as pixels.
//!
//! Both writers see the same coordinates and the same text widths (of the embedded [`font`]), so that the two images agree.

pub(crate) mod escape;
pub(crate) mod font;
pub(crate) mod image;
pub(crate) mod png;
pub(crate) mod scene;
pub(crate) mod svg;
