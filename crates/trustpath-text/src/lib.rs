//! Texts to features.
//!
//! Two representations: a [`SentenceModel`], a transformer such as all-MiniLM-L6-v2 whose weights are on this machine, and
//! [`TfIdf`], which needs nothing but the texts. A [`TextModel`] is the choice between them; the [`TextRepresentation`] that a
//! model was trained with represents new texts the same way.

/// The examples of the README are tested.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

mod error;
pub mod folder;
mod representation;
mod sentence;
mod tfidf;
mod tokenizer;

pub use error::{Error, Result};
pub use representation::{GET_WEIGHTS, TextModel, TextRepresentation};
pub use sentence::SentenceModel;
pub use tfidf::TfIdf;
pub use tokenizer::{Tokenizer, words};
