//! Where the pictures of a dataset lie.

use crate::picture::{Crop, Picture};
use crate::source::{Section, Source};
use crate::{Error, Result};

/// The files of a dataset, and the large ones among them that hold many pictures.
#[derive(Debug)]
pub(crate) struct Store {
    pub source: Source,
    pub sections: Vec<Section>,
}

/// One picture.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Item {
    pub id: String,
    pub class: Option<usize>,
    pub stored: Stored,
}

/// Where and how a picture lies.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Stored {
    /// A file of the source whose name is the id, of which a part may be meant.
    File(Option<Crop>),
    /// An encoded picture inside a section.
    Encoded { section: usize, offset: u64, len: usize },
    /// Pixels inside a section.
    Pixels { section: usize, offset: u64, width: usize, height: usize, planes: bool },
}

impl Store {
    /// Reads a picture in its own size.
    pub fn picture(&self, item: &Item) -> Result<Picture> {
        match item.stored {
            Stored::File(None) => Picture::decode(&self.source.read(&item.id)?, &item.id),
            Stored::File(Some(crop)) => {
                let bytes = self.source.read(&item.id)?;
                let whole = Picture::decode_as_stored(&bytes, &item.id)?;
                whole.cropped(crop).ok_or_else(|| Error::Picture {
                    name: item.id.clone(),
                    reason: format!(
                        "its box begins at {}, {}, outside its {} × {} pixels",
                        crop.x, crop.y, whole.width, whole.height
                    ),
                })
            }
            Stored::Encoded { section, offset, len } => {
                Picture::decode(&self.sections[section].read_at(offset, len)?, &item.id)
            }
            Stored::Pixels { section, offset, width, height, planes } => {
                let count = 3 * width * height;
                let mut rgb = self.sections[section].read_at(offset, count)?;
                if planes {
                    rgb = interleaved(&rgb);
                }
                Ok(Picture { width, height, rgb })
            }
        }
    }

    /// The encoded bytes of a picture that is stored encoded and whole.
    pub fn encoded(&self, item: &Item) -> Result<Option<Vec<u8>>> {
        match item.stored {
            Stored::File(None) => self.source.read(&item.id).map(Some),
            Stored::Encoded { section, offset, len } => {
                self.sections[section].read_at(offset, len).map(Some)
            }
            Stored::File(Some(_)) | Stored::Pixels { .. } => Ok(None),
        }
    }
}

/// Three planes as triples.
fn interleaved(planes: &[u8]) -> Vec<u8> {
    let area = planes.len() / 3;
    (0..area).flat_map(|i| [planes[i], planes[area + i], planes[2 * area + i]]).collect()
}
