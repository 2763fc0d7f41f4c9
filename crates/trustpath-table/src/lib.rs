//! Where bytes become features, and results become files.
//!
//! A [`PoolFile`] reads a [`Pool`], instances of which some have labels, and a [`TableFile`] a
//! [`FeatureTable`], in which all have; both from any [`Format`], named by the file's ending or by the
//! user. Where the features of a pool would fill too much memory they stay in their file, if its format
//! allows it ([`PoolFile::in_memory_up_to`]). A [`ResultTable`] is written to an [`Output`], a file that is whole or not there, or a
//! standard stream. A [`TensorFile`] holds a model.
//!
//! Files are not trusted: sizes in headers are measured against the bytes that are there before memory
//! is taken, and pickles are never opened. Whatever is wrong is told in a sentence that names the file
//! and the remedy ([`Error`]).

mod atomic;
mod classes;
mod error;
mod format;
mod input;
pub mod npy;
mod output;
mod pool;
mod read;
mod result;
mod scalar;
mod stored;
mod table;
mod tensors;

pub use atomic::write_atomically;
pub use classes::Classes;
pub use error::{Error, Result};
pub use format::Format;
pub use output::Output;
pub use pool::{IN_MEMORY, Pool, PoolFile};
pub use result::{Column, ResultTable};
pub use table::{FeatureTable, TableFile};
pub use tensors::{Tensor, TensorFile};
