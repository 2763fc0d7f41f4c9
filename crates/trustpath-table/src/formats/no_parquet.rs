//! Stands in for the Parquet reader and writer in builds without them.

use super::raw::{RawTable, ReadOptions};
use crate::input::Input;
use crate::{Error, Output, Result, ResultTable};

pub(super) fn read(input: Input, _: ReadOptions) -> Result<RawTable> {
    Err(Error::NotBuilt {
        file: input.name,
        remedy: "build with the cargo feature `parquet`, or convert the file to .npy or .csv",
    })
}

pub(super) fn write(_: &ResultTable, _: &Output) -> Result<()> {
    Err(Error::NotBuilt {
        file: "a table in parquet".into(),
        remedy: "build with the cargo feature `parquet`, or write .csv or .jsonl",
    })
}
