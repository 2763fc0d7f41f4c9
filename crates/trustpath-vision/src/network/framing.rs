//! Images of any proportions as the squares that networks take.

use crate::image::resize::resize;
use crate::image::{Crop, Filter, RgbImage};

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
