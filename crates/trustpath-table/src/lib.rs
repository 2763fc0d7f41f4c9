//! Reads features and labels from files, and writes results to files.
//!
//! A [`PartlyLabelledFile`] reads a [`PartlyLabelledTable`], some of whose instances have labels, and a
//! [`TableFile`] reads a [`FeatureTable`], all of whose instances have labels. The [`Format`] of a file
//! follows from the ending of its name, or is given. Features that would take too much memory stay in
//! their file if its format allows it ([`PartlyLabelledFile::in_memory_up_to`]). A [`ResultTable`] is
//! written to an [`Output`], and a [`TensorFile`] holds a model.
//!
//! Files are not trusted: sizes in headers are compared with the bytes available before memory is allocated, and
//! pickles are never opened. Every [`Error`] is a sentence that names the file and says what to do.

mod answers;
mod atomic;
mod block_file;
mod classes;
mod error;
mod formats;
mod input;
mod label_studio;
mod labels;
mod limits;
mod lock;
mod missing;
mod output;
mod partly_labelled;
mod paths;
mod printable;
mod result;
mod scalar;
mod table;
mod tensors;
#[cfg(test)]
mod testing;

pub use answers::{AnswerKind, AnswerRow, journal_of, read_answers, write_answers};
pub use atomic::{FileSet, write_atomically};
pub use classes::Classes;
pub use error::{Error, Result};
pub use formats::raw::CarriedColumn;
pub use formats::{Format, npy};
pub use label_studio::{
    ControlNames, ImageAddress, MODEL_VERSION, TaskAnswer, TaskContent, TaskRow, TaskWriter, Tasks, answer_of,
    task_content,
};
pub use lock::FileLock;
pub use missing::{JudgedLabels, MissingLabels, ReadingNote};
pub use output::Output;
pub use partly_labelled::{IN_MEMORY, PartlyLabelledFile, PartlyLabelledTable};
pub use paths::is_same_file;
pub use printable::{printable, printable_sentence};
pub use result::{Column, ResultTable};
pub use table::{FeatureTable, TableFile};
pub use tensors::{Tensor, TensorFile};
