//! Thumbnails.

use crate::{Error, Result};

/// An image of three bytes (red, green, blue) per pixel, row by row.
///
/// ```
/// use trustpath_report::Image;
/// assert!(Image::new(2, 1, vec![255, 0, 0, 0, 0, 255]).is_ok());
/// assert!(Image::new(2, 2, vec![0; 6]).is_err());
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Image {
    pub(crate) width: usize,
    pub(crate) height: usize,
    /// The bytes, row by row.
    pub(crate) rgb: Vec<u8>,
}

impl Image {
    /// Takes the pixels of an image: exactly `3 · width · height` bytes, at least one pixel.
    pub fn new(width: usize, height: usize, rgb: Vec<u8>) -> Result<Self> {
        let expected = width.saturating_mul(height).saturating_mul(3);
        if expected == 0 || rgb.len() != expected {
            return Err(Error::Pixels { width, height, expected, given: rgb.len() });
        }
        Ok(Self { width, height, rgb })
    }

    /// The image reduced to at most `side` pixels per side, each the mean of the pixels it covers.
    pub(crate) fn shrunk(&self, side: usize) -> Image {
        let long = self.width.max(self.height);
        if long <= side {
            return self.clone();
        }
        let size = |n: usize| (n * side).div_ceil(long).max(1);
        let (width, height) = (size(self.width), size(self.height));
        let mut rgb = Vec::with_capacity(3 * width * height);
        for y in 0..height {
            for x in 0..width {
                // Nearly equal spans, never empty as the image only shrinks.
                let span = |i, parts, total| i * total / parts..(i + 1) * total / parts;
                let (rows, columns) = (span(y, height, self.height), span(x, width, self.width));
                for channel in 0..3 {
                    let value = |r, c| usize::from(self.rgb[3 * (r * self.width + c) + channel]);
                    let sum_of = |r| columns.clone().map(|c| value(r, c)).sum::<usize>();
                    let sum: usize = rows.clone().map(sum_of).sum();
                    let count = rows.len() * columns.len();
                    rgb.push(((sum + count / 2) / count) as u8);
                }
            }
        }
        Image { width, height, rgb }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shrinking_keeps_shape_and_mean() {
        let pixel = |i: usize| [if (i / 50).is_multiple_of(2) { 200 } else { 100 }, 7, 255];
        let rgb = (0..100 * 50).flat_map(pixel).collect();
        let small = Image::new(100, 50, rgb).unwrap().shrunk(20);
        assert_eq!((small.width, small.height), (20, 10));
        let red: f64 = small.rgb.iter().step_by(3).map(|v| f64::from(*v)).sum::<f64>() / 200.0;
        assert!((red - 150.0).abs() <= 1.0, "{red}");
        assert!(small.rgb.chunks(3).all(|p| p[1] == 7 && p[2] == 255));
        assert_eq!(small.shrunk(64), small);
    }

    #[test]
    fn narrow_images_are_shrunk_and_absurd_sizes_refused() {
        let narrow = Image::new(1, 1000, vec![9; 3000]).unwrap().shrunk(10);
        assert_eq!((narrow.width, narrow.height), (1, 10));
        assert!(Image::new(usize::MAX, 2, vec![]).is_err() && Image::new(0, 0, vec![]).is_err());
    }
}
