//! Images: bytes of any common format become 8-bit RGB.
//!
//! The format is detected from the contents, never from the name. Whatever the file holds becomes RGB the way
//! the Python imaging library's `convert("RGB")` does it, on which the published networks were trained:
//! grey is repeated, palettes are looked up, alpha is dropped (not blended), 16-bit samples keep their
//! high byte, CMYK is converted, and of an animation the first frame is taken.

mod decode;
pub mod resize;

use crate::{Error, Result};

pub use resize::Filter;

/// An image of 8-bit RGB.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RgbImage {
    /// Pixels in a row.
    pub width: usize,
    /// Rows.
    pub height: usize,
    /// Red, green and blue of each pixel, row after row.
    pub rgb: Vec<u8>,
}

/// A part of an image in whole pixels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Crop {
    /// Pixels left of it.
    pub x: usize,
    /// Rows above it.
    pub y: usize,
    /// Pixels in a row of it.
    pub width: usize,
    /// Rows of it.
    pub height: usize,
}

impl RgbImage {
    /// Reads an encoded image and turns it upright where its EXIF data say how.
    ///
    /// `name` is what a refusal calls it.
    pub fn decode(bytes: &[u8], name: &str) -> Result<Self> {
        decode::decode(bytes, true).map_err(refused(name))
    }

    /// Reads an encoded image as its pixels are stored, which is what boxes and labels of pixels
    /// refer to.
    pub fn decode_as_stored(bytes: &[u8], name: &str) -> Result<Self> {
        decode::decode(bytes, false).map_err(refused(name))
    }

    /// The image as a square of the given edge, by the default [`Filter`]; its proportions may change.
    ///
    /// ```
    /// # use trustpath_vision::image::RgbImage;
    /// let image = RgbImage { width: 2, height: 1, rgb: vec![0, 0, 0, 200, 100, 50] };
    /// let square = image.resized(84);
    /// assert_eq!((square.width, square.height, square.rgb.len()), (84, 84, 84 * 84 * 3));
    /// ```
    pub fn resized(&self, edge: usize) -> Self {
        resize::resize(self, edge, edge, Filter::default())
    }

    /// The image with sides of at most `edge` pixels and its proportions; one that is smaller stays as it is.
    ///
    /// ```
    /// # use trustpath_vision::image::RgbImage;
    /// let image = RgbImage { width: 400, height: 2, rgb: vec![7; 2400] };
    /// let small = image.within(84);
    /// assert_eq!((small.width, small.height), (84, 1));
    /// assert_eq!(small.within(100), small);
    /// ```
    pub fn within(&self, edge: usize) -> Self {
        let long = self.width.max(self.height);
        if long <= edge || edge == 0 {
            return self.clone();
        }
        let side = |side: usize| ((side * edge + long / 2) / long).max(1);
        resize::resize(self, side(self.width), side(self.height), Filter::default())
    }

    /// About how many bytes a [`thumbnail`](Self::thumbnail) takes.
    pub const THUMBNAIL_BYTES: usize = 2600;

    /// The image as a small JPEG, for pages that show a large number of them.
    pub fn thumbnail(&self) -> Result<Vec<u8>> {
        const EDGE: usize = 84;
        self.within(EDGE).jpeg(Self::THUMBNAIL_QUALITY)
    }

    /// The quality of thumbnails, of 100.
    pub const THUMBNAIL_QUALITY: u8 = 78;

    /// The part inside the box, which is cut at the edges of the image; none where nothing is left.
    pub fn cropped(&self, part: Crop) -> Option<Self> {
        let right = part.x.saturating_add(part.width).min(self.width);
        let bottom = part.y.saturating_add(part.height).min(self.height);
        if part.x >= right || part.y >= bottom {
            return None;
        }
        let row = |y: usize| &self.rgb[3 * (y * self.width + part.x)..3 * (y * self.width + right)];
        let rgb = (part.y..bottom).flat_map(row).copied().collect();
        Some(Self { width: right - part.x, height: bottom - part.y, rgb })
    }

    /// The square in its middle, this share of its shorter side; none where that is less than a pixel.
    ///
    /// ```
    /// # use trustpath_vision::image::RgbImage;
    /// let image = RgbImage { width: 40, height: 20, rgb: vec![7; 2400] };
    /// let middle = image.central(0.875).unwrap();
    /// assert_eq!((middle.width, middle.height), (17, 17));
    /// ```
    pub fn central(&self, share: f64) -> Option<Self> {
        let edge = (share * self.width.min(self.height) as f64) as usize;
        let start = |side: usize| (side - edge).div_ceil(2);
        self.cropped(Crop { x: start(self.width), y: start(self.height), width: edge, height: edge })
    }

    /// The image as PNG.
    pub fn png(&self) -> Result<Vec<u8>> {
        decode::encode(self, None)
    }

    /// The image as JPEG of a quality from 1 to 100.
    pub fn jpeg(&self, quality: u8) -> Result<Vec<u8>> {
        decode::encode(self, Some(quality.clamp(1, 100)))
    }
}

fn refused(name: &str) -> impl FnOnce(String) -> Error {
    let name = name.to_string();
    |reason| Error::Image { name, reason }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_crop_keeps_to_the_image() {
        let image = RgbImage { width: 3, height: 2, rgb: (0..18).collect() };
        let part = Crop { x: 1, y: 1, width: 9, height: 9 };
        let cropped = image.cropped(part).unwrap();
        assert_eq!((cropped.width, cropped.height), (2, 1));
        assert_eq!(cropped.rgb, (12..18).collect::<Vec<u8>>());
        assert!(image.cropped(Crop { x: 3, ..part }).is_none());
        assert!(image.cropped(Crop { width: 0, ..part }).is_none());
        let whole = Crop { x: 0, y: 0, width: usize::MAX, height: usize::MAX };
        assert_eq!(image.cropped(whole).unwrap(), image);
    }

    #[test]
    fn png_loses_nothing_and_jpeg_little() {
        let rgb = (0..16 * 16 * 3).map(|i| (i / 3) as u8).collect();
        let image = RgbImage { width: 16, height: 16, rgb };
        assert_eq!(RgbImage::decode(&image.png().unwrap(), "png").unwrap(), image);
        let jpeg = RgbImage::decode(&image.jpeg(95).unwrap(), "jpeg").unwrap();
        let far = jpeg.rgb.iter().zip(&image.rgb).map(|(a, b)| a.abs_diff(*b)).max();
        assert!(far.unwrap() < 16, "{far:?}");
    }
}
