//! Images, datasets and backbones: from pictures to features.
//!
//! A [`network::Network`] is a description, a list of operations with named parameters; every engine
//! that runs or trains one reads the same description. [`weights::Weights`] are what a checkpoint
//! holds, [`train`] is how they come about, and a [`cpu::Engine`] computes features with them.
//! [`extract::Extraction`] takes a [`dataset::Dataset`] through any [`backbone::Backbone`] to a file.

pub mod backbone;
pub mod cpu;
pub mod dataset;
mod error;
pub mod extract;
mod fingerprint;
pub mod network;
pub mod onnx;
pub mod pack;
pub mod pickle;
pub mod picture;
pub mod source;
pub mod train;
pub mod weights;

pub use error::{Error, Result};
