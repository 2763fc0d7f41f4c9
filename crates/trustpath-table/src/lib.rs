//! Where bytes become features, and results become files.
//!
//! A [`FeatureTable`] holds one feature vector and one label per row; a [`TableFile`] reads it from
//! any of the formats. [`write_atomically`] leaves files that are either whole or not there. Files
//! are not trusted: sizes in headers are measured against the bytes that are there before memory is
//! taken, and pickles are never opened.

mod atomic;
mod error;
mod format;
mod input;
pub mod npy;
mod output;
mod pool;
mod read;
mod result;
mod scalar;
mod table;
mod tensors;

pub use atomic::write_atomically;
pub use error::{Error, Result};
pub use format::Format;
pub use output::Output;
pub use pool::{Pool, PoolFile};
pub use result::{Column, ResultTable};
pub use table::{FeatureTable, TableFile};
pub use tensors::{Tensor, TensorFile};
