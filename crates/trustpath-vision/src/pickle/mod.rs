//! Pickles, read by a parser that can only build data.
//!
//! A pickle is a program for a small stack machine, and Python runs whatever functions it names. Here
//! nothing is ever called: a function that is named, its arguments and the state that is given to its
//! result are kept as what they are, an inert [`Node::Object`], and [numpy](Document::array) arrays are
//! understood by looking at such objects. Protocols 0 to 5 are read.
//!
//! Nodes lie side by side in a [`Document`] and refer to each other by [`Id`]. What is shared is stored
//! once and what is recursive ends nowhere in a loop, so no input takes more memory than a multiple of its
//! own size, and long strings stay in the file until they are asked for.

mod input;
mod literal;
mod machine;
mod numpy;

use crate::source::Section;
use crate::{Error, Result};

pub use numpy::{Dtype, NumpyArray};

/// A node of a [`Document`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Id(u32);

/// A piece of data.
#[derive(Debug, Clone, PartialEq)]
pub enum Node {
    /// `None`.
    None,
    /// A truth value.
    Bool(bool),
    /// A whole number.
    Int(i64),
    /// A whole number that needs more than 64 bits.
    BigInt,
    /// A number.
    Float(f64),
    /// Bytes, which include the strings of Python 2.
    Bytes(Blob),
    /// Text.
    Text(String),
    /// A list, or a set.
    List(Vec<Id>),
    /// A tuple.
    Tuple(Vec<Id>),
    /// A dictionary, in the order it was filled.
    Dict(Vec<(Id, Id)>),
    /// A class or function by its name.
    Global {
        /// Where Python would look for it.
        module: String,
        /// What it is called there.
        name: String,
    },
    /// What Python would have got by calling something. Nothing was called.
    Object(Box<Object>),
    /// Something that lies outside the pickle, by what is said of it.
    Persistent(Id),
}

/// A call that was not made, and what was put into its result.
#[derive(Debug, Clone, PartialEq)]
pub struct Object {
    /// What was to be called.
    pub callable: Id,
    /// Its arguments.
    pub args: Id,
    /// The state that was to be given to the result.
    pub state: Option<Id>,
    /// What was to be appended to it.
    pub items: Vec<Id>,
    /// What was to be set in it.
    pub entries: Vec<(Id, Id)>,
}

/// Bytes of a pickle.
#[derive(Debug, Clone, PartialEq)]
pub enum Blob {
    /// Here.
    Here(Vec<u8>),
    /// Still in the file.
    At {
        /// Where they begin.
        offset: u64,
        /// How many.
        len: u64,
    },
}

impl Blob {
    /// How many bytes.
    pub fn len(&self) -> u64 {
        match self {
            Self::Here(bytes) => bytes.len() as u64,
            Self::At { len, .. } => *len,
        }
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// All that a pickle holds.
#[derive(Debug, Clone)]
pub struct Document {
    section: Section,
    nodes: Vec<Node>,
    root: Id,
    end: u64,
}

impl Document {
    /// Reads the pickle that begins at `offset` of a file.
    ///
    /// ```
    /// use trustpath_vision::{pickle::Document, source::Section};
    /// // pickle.dumps({"answer": [41, 42]})
    /// let bytes = b"\x80\x02}q\x00X\x06\x00\x00\x00answerq\x01]q\x02(K)K*es.";
    /// let doc = Document::read(&Section::of_bytes("it", bytes.to_vec()), 0)?;
    /// let answer = doc.entry(doc.root(), "answer").unwrap();
    /// assert_eq!(doc.ints(answer)?, Some(vec![41, 42]));
    /// # Ok::<(), trustpath_vision::Error>(())
    /// ```
    pub fn read(section: &Section, offset: u64) -> Result<Self> {
        machine::run(section, offset)
    }

    /// The outermost node.
    pub fn root(&self) -> Id {
        self.root
    }

    /// Where in the file the pickle ends.
    pub fn end(&self) -> u64 {
        self.end
    }

    /// The file it was read from.
    pub fn section(&self) -> &Section {
        &self.section
    }

    /// A node.
    pub fn node(&self, id: Id) -> &Node {
        &self.nodes[id.0 as usize]
    }

    /// All nodes.
    pub fn nodes(&self) -> impl Iterator<Item = &Node> {
        self.nodes.iter()
    }

    /// The elements of a list or tuple.
    pub fn list(&self, id: Id) -> Option<&[Id]> {
        match self.node(id) {
            Node::List(items) | Node::Tuple(items) => Some(items),
            Node::Object(object) if !object.items.is_empty() => Some(&object.items),
            _ => None,
        }
    }

    /// The entries of a dictionary, or of what is filled like one.
    pub fn entries(&self, id: Id) -> Option<&[(Id, Id)]> {
        match self.node(id) {
            Node::Dict(entries) => Some(entries),
            Node::Object(object) if !object.entries.is_empty() => Some(&object.entries),
            _ => None,
        }
    }

    /// An entry of a dictionary; the last one of a name counts, as in Python.
    pub fn entry(&self, id: Id, key: &str) -> Option<Id> {
        let entries = self.entries(id)?.iter().rev();
        entries.into_iter().find(|(of, _)| self.is_text(*of, key)).map(|(_, value)| *value)
    }

    fn is_text(&self, id: Id, text: &str) -> bool {
        match self.node(id) {
            Node::Text(here) => here == text,
            Node::Bytes(Blob::Here(here)) => here == text.as_bytes(),
            _ => false,
        }
    }

    /// Text, or a string of Python 2.
    pub fn text(&self, id: Id) -> Option<String> {
        match self.node(id) {
            Node::Text(text) => Some(text.clone()),
            Node::Bytes(Blob::Here(bytes)) => Some(String::from_utf8_lossy(bytes).into_owned()),
            _ => None,
        }
    }

    /// A class or function.
    pub fn global(&self, id: Id) -> Option<(&str, &str)> {
        match self.node(id) {
            Node::Global { module, name } => Some((module, name)),
            _ => None,
        }
    }

    /// What was to be called by this name, and with which arguments.
    pub fn call(&self, id: Id) -> Option<(&str, &str, &[Id])> {
        let Node::Object(object) = self.node(id) else { return None };
        let (module, name) = self.global(object.callable)?;
        Some((module, name, self.list(object.args)?))
    }

    /// Fetches bytes.
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
        Error::Pickle { name: self.section.name().into(), reason: reason.into() }
    }
}
