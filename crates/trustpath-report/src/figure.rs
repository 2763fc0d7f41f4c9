//! A finished figure.

use crate::Result;
use crate::draw::{png, scene::Scene, svg};

/// A finished figure, written as SVG or as PNG; both look alike.
#[derive(Debug, Clone, PartialEq)]
pub struct Figure {
    pub(crate) scene: Scene,
    pub(crate) title: String,
    pub(crate) description: String,
}

impl Figure {
    /// The figure as one self-contained SVG.
    pub fn svg(&self) -> String {
        svg::write(&self.scene, &self.title, &self.description)
    }

    /// The figure as PNG with `scale` pixels per unit; 2 is sharp on most screens.
    pub fn png(&self, scale: f64) -> Result<Vec<u8>> {
        png::write(&self.scene, scale)
    }
}
