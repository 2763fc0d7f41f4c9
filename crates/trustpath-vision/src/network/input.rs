//! The images that networks take, and how those of any proportions become such.

use std::ops::RangeInclusive;

use crate::image::resize::resize;
use crate::image::{Crop, Filter, RgbImage};

/// Widths and heights that images may have, in pixels.
pub(crate) const SIZES: RangeInclusive<usize> = 1..=4096;
/// How many times longer than wide an image is that is resized as a whole.
const LONGEST_STRIP: usize = 16;

/// How an image of any proportions becomes a square.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Framing {
    /// All of it is squeezed into the square, bicubic.
    Squeeze,
    /// The square in its middle, `size/(size + margin)` of the shorter side, is resized, bicubic.
    Middle {
        /// Pixels by which the image would be larger than its middle.
        margin: usize,
    },
    /// It is resized to a shorter side of `edge` pixels, and the middle of that is cut out.
    Shorter {
        /// The shorter side in pixels.
        edge: usize,
        /// How it is resized.
        filter: Filter,
    },
}

impl Framing {
    /// The square of an image; none where the image is that already.
    ///
    /// ```
    /// use trustpath_vision::image::{Filter, RgbImage};
    /// use trustpath_vision::network::Framing;
    ///
    /// let rgb = (0..40).flat_map(|x| [x; 3]).collect();
    /// let wide = RgbImage { width: 40, height: 1, rgb };
    /// let framing = Framing::Shorter { edge: 1, filter: Filter::Bilinear };
    /// assert_eq!(framing.square(&wide, 1).unwrap().rgb, [20; 3]);
    /// ```
    pub fn square(self, image: &RgbImage, size: usize) -> Option<RgbImage> {
        let framed = match self {
            Framing::Squeeze => None,
            Framing::Middle { margin } => image.central(size as f64 / (size + margin) as f64),
            Framing::Shorter { edge, filter } => {
                // What is far from the middle of a long strip would be resized only to be cut off.
                let short = image.width.min(image.height);
                let near = short * LONGEST_STRIP;
                let cut = |side: usize| side.saturating_sub(near) / 2;
                let (x, y) = (cut(image.width), cut(image.height));
                let strip = Crop { x, y, width: near, height: near };
                let strip = (x + y > 0).then(|| image.cropped(strip)).flatten();
                let image = strip.as_ref().unwrap_or(image);
                let side = |side: usize| if side == short { edge } else { edge * side / short };
                let (width, height) = (side(image.width), side(image.height));
                // Of an odd rest the half that is even is left of the middle, as Python rounds.
                let start = |side: usize| {
                    let rest = side.saturating_sub(size);
                    rest / 2 + usize::from(rest % 4 == 3)
                };
                let resized = resize(image, width, height, filter);
                let (x, y) = (start(width), start(height));
                resized.cropped(Crop { x, y, width: size, height: size })
            }
        };
        let image = framed.as_ref().unwrap_or(image);
        if (image.width, image.height) == (size, size) { framed } else { Some(image.resized(size)) }
    }
}

/// The images that a backbone takes: a square by [`Framing`], then `(x/255 − mean)/std` in each colour.
///
/// ```
/// use trustpath_vision::image::RgbImage;
/// use trustpath_vision::network::{Framing, ImageInput};
///
/// let input = ImageInput { size: 1, framing: Framing::Squeeze, mean: [0.5; 3], std: [0.25, 0.5, 1.0] };
/// let grey = RgbImage { width: 2, height: 2, rgb: vec![255; 12] };
/// let mut values = [0.0; 3];
/// input.prepare(&grey, &mut values);
/// assert_eq!(values, [2.0, 1.0, 0.5]);
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ImageInput {
    /// Width and height of the images in pixels.
    pub size: usize,
    /// How an image becomes a square of that size.
    pub framing: Framing,
    /// Mean of each colour, subtracted from values in 0 … 1.
    pub mean: [f32; 3],
    /// Standard deviation of each colour, by which the rest is divided.
    pub std: [f32; 3],
}

impl Default for ImageInput {
    /// Squeezed to 224 pixels, with the colours of ImageNet.
    fn default() -> Self {
        let (mean, std) = ([0.485, 0.456, 0.406], [0.229, 0.224, 0.225]);
        Self { size: 224, framing: Framing::Squeeze, mean, std }
    }
}

impl ImageInput {
    /// Says what is wrong with these numbers, if anything is.
    pub fn fault(&self) -> Option<String> {
        if !SIZES.contains(&self.size) {
            Some(format!("its images cannot be {} pixels wide", self.size))
        } else if !self.mean.iter().all(|x| x.is_finite()) {
            Some(format!("its mean cannot be {:?}", self.mean))
        } else if !self.std.iter().all(|&x| x.is_finite() && x > 0.0) {
            Some(format!("its std cannot be {:?}", self.std))
        } else {
            None
        }
    }

    /// Takes images of another size. A shorter side ([`Framing::Shorter`]) grows in proportion; a margin
    /// ([`Framing::Middle`]) stays as it is.
    pub fn resize(&mut self, size: usize) {
        if let Framing::Shorter { edge, .. } = &mut self.framing {
            *edge = (*edge * size).div_ceil(self.size);
        }
        self.size = size;
    }

    /// How many values an image becomes.
    pub fn values(&self) -> usize {
        3 * self.size * self.size
    }

    /// Makes an image ready: its three colours one after another. `values` has room for exactly one.
    pub fn prepare(&self, image: &RgbImage, values: &mut [f32]) {
        let framed = self.framing.square(image, self.size);
        let image = framed.as_ref().unwrap_or(image);
        for (colour, plane) in values.chunks_exact_mut(self.size * self.size).enumerate() {
            let (mean, std) = (self.mean[colour], self.std[colour]);
            for (value, rgb) in plane.iter_mut().zip(image.rgb.chunks_exact(3)) {
                *value = (f32::from(rgb[colour]) / 255.0 - mean) / std;
            }
        }
    }
}
