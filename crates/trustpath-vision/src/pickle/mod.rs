//! Pickles, read by a parser that can only build data.
//!
//! A pickle is a program for a small stack machine, and Python runs whatever functions it names. Here nothing is ever
//! called: a function that is named, its arguments and the state that is given to its result stay what they are,
//! an inert [`PickledValue::Object`], and [numpy](Pickle::array) arrays are understood by looking at such objects. Protocols
//! 0 to 5 are read.
//!
//! Values lie side by side in a [`Pickle`] and refer to each other by [`Id`]. Shared nodes are stored once and
//! recursive ones never followed without end, so no input takes more memory than a multiple of its own size, and long
//! strings stay in the file until they are needed.

mod input;
mod literal;
mod machine;
mod numpy;
#[cfg(test)]
mod tests;

use crate::source::Section;
use crate::{Error, Result};

/// A node of a [`Pickle`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Id(u32);

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum PickledValue {
    None,
    Bool(bool),
    Int(i64),
    /// An integer that needs more than 64 bits.
    BigInt,
    Float(f64),
    /// Bytes, which include the strings of Python 2.
    Bytes(Blob),
    Text(String),
    /// A list, or a set.
    List(Vec<Id>),
    Tuple(Vec<Id>),
    /// A dictionary, in the order it was filled.
    Dict(Vec<(Id, Id)>),
    /// A class or function by its name.
    Global {
        module: String,
        name: String,
    },
    /// What Python would have got by calling something. Nothing was called.
    Object(Box<Object>),
    /// Something outside the pickle, by its description.
    Persistent(Id),
}

/// A call that was not made, and what was put into its result.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Object {
    callable: Id,
    args: Id,
    state: Option<Id>,
    /// What was to be appended to it.
    items: Vec<Id>,
    /// What was to be set in it.
    entries: Vec<(Id, Id)>,
}

/// Bytes of a pickle.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Blob {
    Here(Vec<u8>),
    /// Still in the file.
    At {
        offset: u64,
        len: u64,
    },
}

impl Blob {
    fn len(&self) -> u64 {
        match self {
            Self::Here(bytes) => bytes.len() as u64,
            Self::At { len, .. } => *len,
        }
    }
}

/// All that a pickle holds.
#[derive(Debug, Clone)]
pub(crate) struct Pickle {
    /// The file it was read from.
    pub section: Section,
    pub nodes: Vec<PickledValue>,
    /// The outermost node.
    pub root: Id,
    /// Where in the file it ends.
    pub end: u64,
}

impl Pickle {
    pub fn node(&self, id: Id) -> &PickledValue {
        &self.nodes[id.0 as usize]
    }

    /// The elements of a list or tuple.
    pub fn list(&self, id: Id) -> Option<&[Id]> {
        match self.node(id) {
            PickledValue::List(items) | PickledValue::Tuple(items) => Some(items),
            PickledValue::Object(object) if !object.items.is_empty() => Some(&object.items),
            _ => None,
        }
    }

    /// The entries of a dictionary, or of an object that is filled like one.
    pub fn entries(&self, id: Id) -> Option<&[(Id, Id)]> {
        match self.node(id) {
            PickledValue::Dict(entries) => Some(entries),
            PickledValue::Object(object) if !object.entries.is_empty() => Some(&object.entries),
            _ => None,
        }
    }

    /// An entry of a dictionary; the last one of a name counts, as in Python.
    pub fn entry(&self, id: Id, key: &str) -> Option<Id> {
        let is_key = |id: Id| match self.node(id) {
            PickledValue::Text(here) => here == key,
            PickledValue::Bytes(Blob::Here(here)) => here == key.as_bytes(),
            _ => false,
        };
        let mut entries = self.entries(id)?.iter().rev();
        entries.find(|(of, _)| is_key(*of)).map(|(_, value)| *value)
    }

    /// Text, or a string of Python 2.
    pub fn text(&self, id: Id) -> Option<String> {
        match self.node(id) {
            PickledValue::Text(text) => Some(text.clone()),
            PickledValue::Bytes(Blob::Here(bytes)) => Some(String::from_utf8_lossy(bytes).into_owned()),
            _ => None,
        }
    }

    /// Texts, as a list; none for anything else.
    pub fn texts(&self, id: Id) -> Option<Vec<String>> {
        self.list(id)?.iter().map(|item| self.text(*item)).collect()
    }

    /// The module and name of a class or function.
    pub fn global(&self, id: Id) -> Option<(&str, &str)> {
        match self.node(id) {
            PickledValue::Global { module, name } => Some((module, name)),
            _ => None,
        }
    }

    /// What was to be called, and with which arguments.
    pub fn call(&self, id: Id) -> Option<(&str, &str, &[Id])> {
        let PickledValue::Object(object) = self.node(id) else { return None };
        let (module, name) = self.global(object.callable)?;
        Some((module, name, self.list(object.args)?))
    }

    pub fn bytes(&self, blob: &Blob) -> Result<Vec<u8>> {
        match blob {
            Blob::Here(bytes) => Ok(bytes.clone()),
            Blob::At { offset, len } => {
                let len = usize::try_from(*len).map_err(|_| self.refuse("it is too large"))?;
                self.section.read_at(*offset, len)
            }
        }
    }

    /// Says that the pickle is not what was expected.
    pub fn refuse(&self, reason: impl Into<String>) -> Error {
        Error::Pickle { name: self.section.name.clone(), reason: reason.into() }
    }
}
