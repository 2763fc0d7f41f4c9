//! Images inside pickles.

use super::store::ImageLocation;
use crate::Result;
use crate::pickle::{Blob, Id, Pickle, PickledValue};
use crate::source::Section;

/// The sections that hold the images of pickles.
#[derive(Default)]
pub(super) struct PickleSections {
    files: Vec<Section>,
    /// Images so short that the parser has copied them; they become the first section.
    short: Vec<u8>,
}

impl PickleSections {
    /// Adds the file of a pickle.
    pub fn file(&mut self, doc: &Pickle) -> usize {
        self.push(doc.section.clone())
    }

    fn push(&mut self, section: Section) -> usize {
        self.files.push(section);
        self.files.len()
    }

    /// Images side by side in an array of bytes: N × height × width × 3, or N × (3 planes of a square) if `planes`.
    /// Gives their number and the location of each.
    pub fn pixels(
        &mut self,
        doc: &Pickle,
        id: Id,
        planes: bool,
    ) -> Result<(usize, impl Fn(usize) -> ImageLocation + use<>)> {
        let array = doc.array(id)?.ok_or_else(|| doc.refuse("its images are no array"))?;
        let size = match (array.shape.as_slice(), planes) {
            (&[count, height, width, 3], false) => Some((count, height, width)),
            (&[count, values], true) => {
                let edge = (values / 3).isqrt();
                (edge > 0 && 3 * edge * edge == values).then_some((count, edge, edge))
            }
            _ => None,
        };
        let is_bytes = !array.fortran && array.dtype.size == 1 && array.dtype.kind == 'u';
        let (count, height, width) = size.filter(|_| is_bytes).ok_or_else(|| {
            doc.refuse(format!(
                "its images are an array of shape {:?} of {}{}, not of bytes in RGB",
                array.shape, array.dtype.kind, array.dtype.size
            ))
        })?;
        let (section, start) = match array.data {
            Blob::At { offset, .. } => (self.file(doc), offset),
            Blob::Here(bytes) => (self.push(Section::of_bytes(&doc.section.name, bytes)), 0),
        };
        let stride = (3 * height * width) as u64;
        let location = move |row: usize| {
            let offset = start + stride * row as u64;
            ImageLocation::Pixels { section, offset, width, height, planes }
        };
        Ok((count, location))
    }

    /// An encoded image, as bytes or an array of bytes. `file` is the number of its pickle.
    pub fn encoded(&mut self, doc: &Pickle, file: usize, id: Id) -> Result<ImageLocation> {
        let data = match (doc.node(id), doc.array(id)?) {
            (PickledValue::Bytes(blob), _) => blob.clone(),
            (_, Some(array)) if array.dtype.size == 1 => array.data,
            _ => return Err(doc.refuse("one of its images is not bytes")),
        };
        let (section, offset, len) = match data {
            Blob::At { offset, len } => (file, offset, len as usize),
            Blob::Here(bytes) => {
                let offset = self.short.len() as u64;
                self.short.extend_from_slice(&bytes);
                (0, offset, bytes.len())
            }
        };
        Ok(ImageLocation::Encoded { section, offset, len })
    }

    /// All sections, in the order of their numbers.
    pub fn finish(self) -> Vec<Section> {
        let short = Section::of_bytes("short images", self.short);
        std::iter::once(short).chain(self.files).collect()
    }
}

/// Refuses a pickle with another number of labels than images.
pub(super) fn as_many(doc: &Pickle, images: usize, labels: usize) -> Result<()> {
    if images == labels { Ok(()) } else { Err(doc.refuse(format!("there are {labels} labels for {images} images"))) }
}

/// An entry that has to be there.
pub(super) fn entry(doc: &Pickle, key: &str) -> Result<Id> {
    doc.entry(doc.root, key).ok_or_else(|| {
        let entries = doc.entries(doc.root).unwrap_or_default();
        let keys: Vec<String> = entries.iter().filter_map(|(key, _)| doc.text(*key)).take(8).collect();
        doc.refuse(format!("it has no entry {key:?}, only {keys:?}"))
    })
}

/// Labels or rows, which have to be integers.
pub(super) fn integers(doc: &Pickle, id: Id) -> Result<Vec<i64>> {
    doc.ints(id)?.ok_or_else(|| doc.refuse("its labels or rows are no integers"))
}

/// Names of classes, which have to be texts.
pub(super) fn class_names(doc: &Pickle, id: Id) -> Result<Vec<String>> {
    doc.texts(id).ok_or_else(|| doc.refuse("its class names are no texts"))
}
