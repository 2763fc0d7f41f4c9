//! Pictures inside pickles.

use super::stored::Stored;
use crate::pickle::{Array, Blob, Document, Id};
use crate::source::Section;
use crate::{Error, Result};

/// The sections that the pictures of pickles lie in.
#[derive(Default)]
pub(super) struct Sections {
    files: Vec<Section>,
    /// Pictures so short that the parser has copied them; they become the first section.
    short: Vec<u8>,
}

impl Sections {
    /// Adds the file of a pickle.
    pub fn file(&mut self, doc: &Document) -> usize {
        self.push(doc.section().clone())
    }

    fn push(&mut self, section: Section) -> usize {
        self.files.push(section);
        self.files.len()
    }

    /// Pictures side by side in an array of bytes: N × height × width × 3, or N × (3 planes of a square)
    /// if `planes`. Gives the place of any of them.
    pub fn pixels(
        &mut self,
        doc: &Document,
        array: &Array,
        planes: bool,
    ) -> Result<(usize, impl Fn(usize) -> Stored + use<>)> {
        let refuse = || {
            doc.refuse(format!(
                "its pictures are an array of shape {:?} of {}{}, not of bytes in RGB",
                array.shape, array.dtype.kind, array.dtype.size
            ))
        };
        if array.fortran || array.dtype.size != 1 || array.dtype.kind != 'u' {
            return Err(refuse());
        }
        let (count, height, width) = match (array.shape.as_slice(), planes) {
            (&[count, height, width, 3], false) => (count, height, width),
            (&[count, values], true) => {
                let edge = (values / 3).isqrt();
                if edge == 0 || 3 * edge * edge != values {
                    return Err(refuse());
                }
                (count, edge, edge)
            }
            _ => return Err(refuse()),
        };
        let (section, start) = match &array.data {
            Blob::At { offset, .. } => (self.file(doc), *offset),
            Blob::Here(bytes) => {
                (self.push(Section::of_bytes(doc.section().name(), bytes.clone())), 0)
            }
        };
        let stride = (3 * height * width) as u64;
        let place = move |row: usize| {
            let offset = start + stride * row as u64;
            Stored::Pixels { section, offset, width, height, planes }
        };
        Ok((count, place))
    }

    /// An encoded picture, as bytes or an array of bytes. `file` is the number of its pickle.
    pub fn encoded(&mut self, doc: &Document, file: usize, id: Id) -> Result<Stored> {
        let data = match (doc.node(id), doc.array(id)?) {
            (crate::pickle::Node::Bytes(blob), _) => blob.clone(),
            (_, Some(array)) if array.dtype.size == 1 => array.data,
            _ => return Err(doc.refuse("one of its pictures is no bytes")),
        };
        match data {
            Blob::At { offset, len } => {
                Ok(Stored::Encoded { section: file, offset, len: len as usize })
            }
            Blob::Here(bytes) => {
                let offset = self.short.len() as u64;
                self.short.extend_from_slice(&bytes);
                Ok(Stored::Encoded { section: 0, offset, len: bytes.len() })
            }
        }
    }

    /// All sections, in the order of their numbers.
    pub fn finish(self) -> Vec<Section> {
        let short = Section::of_bytes("short pictures", self.short);
        std::iter::once(short).chain(self.files).collect()
    }
}

/// Refuses two things that should have as many elements.
pub(super) fn as_many(doc: &Document, pictures: usize, labels: usize) -> Result<()> {
    match pictures == labels {
        true => Ok(()),
        false => Err(doc.refuse(format!("there are {labels} labels for {pictures} pictures"))),
    }
}

/// An entry that has to be there.
pub(super) fn entry(doc: &Document, key: &str) -> Result<Id> {
    doc.entry(doc.root(), key).ok_or_else(|| {
        let keys: Vec<String> = doc
            .entries(doc.root())
            .unwrap_or_default()
            .iter()
            .filter_map(|(key, _)| doc.text(*key))
            .take(8)
            .collect();
        Error::Pickle {
            name: doc.section().name().into(),
            reason: format!("it has no entry {key:?}, only {keys:?}"),
        }
    })
}
