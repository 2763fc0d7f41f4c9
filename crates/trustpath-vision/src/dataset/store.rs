//! Where the images of a dataset are.

use std::path::Path;

use super::RawDataset;
use crate::image::{Crop, RgbImage};
use crate::{Error, Result};

/// One image.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct StoredImage {
    pub id: String,
    pub class: Option<usize>,
    pub location: ImageLocation,
}

/// Where and how an image is stored.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum ImageLocation {
    /// A file of the source whose name is the id, or a part of that image.
    File(Option<Crop>),
    /// An encoded image inside a section.
    Encoded { section: usize, offset: u64, len: usize },
    /// Pixels inside a section.
    Pixels { section: usize, offset: u64, width: usize, height: usize, planes: bool },
}

impl RawDataset {
    /// Reads an image, which is not resized.
    pub fn image(&self, item: &StoredImage) -> Result<RgbImage> {
        match item.location {
            ImageLocation::File(Some(crop)) => {
                let bytes = self.source.read(&item.id)?;
                let whole = RgbImage::decode_as_stored(&bytes, &item.id)?;
                whole.cropped(crop).ok_or_else(|| Error::Image {
                    name: item.id.clone(),
                    reason: format!(
                        "its box begins at {}, {}, outside its {} × {} pixels",
                        crop.x, crop.y, whole.width, whole.height
                    ),
                })
            }
            ImageLocation::Pixels { section, offset, width, height, planes } => {
                let mut rgb = self.sections[section].read_at(offset, 3 * width * height)?;
                if planes {
                    let (red, rest) = rgb.split_at(width * height);
                    let (green, blue) = rest.split_at(width * height);
                    let pixels = red.iter().zip(green).zip(blue);
                    rgb = pixels.flat_map(|((&r, &g), &b)| [r, g, b]).collect();
                }
                Ok(RgbImage { width, height, rgb })
            }
            _ => {
                let bytes = self.encoded(item)?.unwrap_or_default();
                RgbImage::decode(&bytes, &item.id)
            }
        }
    }

    /// The file that an image is, if it is not a part of another file.
    pub fn file(&self, item: &StoredImage) -> Option<&Path> {
        match item.location {
            ImageLocation::File(None) => self.source.path(&item.id),
            _ => None,
        }
    }

    /// The encoded bytes of an image that is stored encoded and as a whole.
    pub fn encoded(&self, item: &StoredImage) -> Result<Option<Vec<u8>>> {
        match item.location {
            ImageLocation::File(None) => self.source.read(&item.id).map(Some),
            ImageLocation::Encoded { section, offset, len } => self.sections[section].read_at(offset, len).map(Some),
            ImageLocation::File(Some(_)) | ImageLocation::Pixels { .. } => Ok(None),
        }
    }
}
