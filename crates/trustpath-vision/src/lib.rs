//! Images, datasets and backbones: from images to features.
//!
//! A [`network::Network`] is a description, a list of operations with named parameters; every engine that runs or
//! trains one reads the same description. [`weights::NetworkWeights`] are what a checkpoint holds, [`train`] computes
//! them from images, and a [`cpu::Engine`] computes features with them. [`extract::Extraction`] runs a
//! [`dataset::Dataset`] through any [`backbone::Backbone`] and writes the features to a file.

/// The examples of the README are tested.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

pub mod backbone;
pub mod cpu;
pub mod dataset;
pub mod environment;
mod error;
pub mod extract;
pub mod fingerprint;
pub mod image;
mod named;
pub mod network;
pub mod onnx;
mod pickle;
mod source;
pub mod torch;
pub mod train;
pub mod weights;

pub use dataset::pack;
pub use error::{Error, Result};
