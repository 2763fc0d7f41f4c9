//! Resizing as the Python imaging library does it, so that a network sees the pixels it was trained on.
//!
//! Pixel `u` of the result has its centre at `c = (u + ½) s` of the original, where `s` is the ratio of
//! the sizes, and is the weighted mean
//!
//! ```text
//! y_u = Σ_v w((v + ½ − c)/max(s, 1)) x_v / Σ_v w((v + ½ − c)/max(s, 1))
//! ```
//!
//! so that the kernel `w` widens as an image shrinks and nothing aliases. Rows are resized first, then
//! columns; both passes round to 8 bits, with weights of 22 fractional bits.

use super::RgbImage;

/// Fractional bits of a weight: 8 bits of a pixel and 2 of headroom leave 22 of an `i32`.
const PRECISION: u32 = 32 - 8 - 2;

/// How far neighbours reach into a resized pixel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Filter {
    /// A triangle of radius 1.
    Bilinear,
    /// Keys' cubic with a = −½, of radius 2.
    #[default]
    Bicubic,
}

impl Filter {
    fn radius(self) -> f64 {
        match self {
            Self::Bilinear => 1.0,
            Self::Bicubic => 2.0,
        }
    }

    fn weight(self, x: f64) -> f64 {
        match self {
            Self::Bilinear => (1.0 - x.abs()).max(0.0),
            Self::Bicubic => cubic(-0.5, x),
        }
    }
}

/// Keys' cubic.
pub(crate) fn cubic(a: f64, x: f64) -> f64 {
    let x = x.abs();
    match x {
        _ if x < 1.0 => ((a + 2.0) * x - (a + 3.0)) * x * x + 1.0,
        _ if x < 2.0 => (((x - 5.0) * x + 8.0) * x - 4.0) * a,
        _ => 0.0,
    }
}

/// The image at another size; its proportions may change.
///
/// # Panics
/// If a side is zero, which no [`RgbImage`] that was decoded or cropped has.
pub fn resize(image: &RgbImage, width: usize, height: usize, filter: Filter) -> RgbImage {
    assert!(width > 0 && height > 0, "an image has at least one pixel");
    let mut rgb = None;
    if width != image.width {
        rgb = Some(rows(&image.rgb, image.width, &fixed_taps(image.width, width, filter)));
    }
    if height != image.height {
        let from = rgb.as_deref().unwrap_or(&image.rgb);
        rgb = Some(columns(from, 3 * width, &fixed_taps(image.height, height, filter)));
    }
    RgbImage { width, height, rgb: rgb.unwrap_or_else(|| image.rgb.clone()) }
}

/// The weights of one resized pixel, and the first pixel they apply to.
pub(crate) struct Tap<W> {
    pub first: usize,
    pub weights: Vec<W>,
}

/// The weights of `to` pixels out of `from`; those of each pixel sum to one.
pub(crate) fn taps(from: usize, to: usize, filter: Filter) -> Vec<Tap<f64>> {
    let scale = from as f64 / to as f64;
    let stretch = scale.max(1.0);
    let reach = filter.radius() * stretch;
    let tap = |u: usize| {
        let centre = (u as f64 + 0.5) * scale;
        let first = (centre - reach + 0.5).max(0.0) as usize;
        let last = ((centre + reach + 0.5) as usize).min(from);
        // A division here would differ from the reference in the last bit of a weight.
        let shrink = 1.0 / stretch;
        let weight = |v: usize| filter.weight((v as f64 - centre + 0.5) * shrink);
        let mut weights: Vec<f64> = (first..last).map(weight).collect();
        let total: f64 = weights.iter().sum();
        weights.iter_mut().for_each(|w| *w /= total);
        Tap { first, weights }
    };
    (0..to).map(tap).collect()
}

/// The same weights as numbers of fixed precision.
fn fixed_taps(from: usize, to: usize, filter: Filter) -> Vec<Tap<i32>> {
    let fixed = |w: f64| (w * f64::from(1 << PRECISION)).round() as i32;
    let taps = taps(from, to, filter).into_iter();
    taps.map(|Tap { first, weights }| Tap { first, weights: weights.into_iter().map(fixed).collect() }).collect()
}

/// A sum of products, which started at one half, as a pixel.
fn pixel(sum: i32) -> u8 {
    (sum >> PRECISION).clamp(0, 255) as u8
}

const HALF: i32 = 1 << (PRECISION - 1);

fn rows(rgb: &[u8], width: usize, taps: &[Tap<i32>]) -> Vec<u8> {
    let mut out = Vec::with_capacity(rgb.len() / width * taps.len());
    for row in rgb.chunks_exact(3 * width) {
        for tap in taps {
            let mut sums = [HALF; 3];
            for (pixel, &w) in row[3 * tap.first..].chunks_exact(3).zip(&tap.weights) {
                for (sum, &x) in sums.iter_mut().zip(pixel) {
                    *sum += i32::from(x) * w;
                }
            }
            out.extend(sums.map(pixel));
        }
    }
    out
}

/// `stride` is the number of values in a row.
fn columns(rgb: &[u8], stride: usize, taps: &[Tap<i32>]) -> Vec<u8> {
    let mut out = Vec::with_capacity(stride * taps.len());
    let mut sums = vec![0; stride];
    for tap in taps {
        sums.fill(HALF);
        for (row, &w) in rgb[stride * tap.first..].chunks_exact(stride).zip(&tap.weights) {
            for (sum, &x) in sums.iter_mut().zip(row) {
                *sum += i32::from(x) * w;
            }
        }
        out.extend(sums.iter().map(|&sum| pixel(sum)));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_flat_stays_flat_at_every_size() {
        for filter in [Filter::Bilinear, Filter::Bicubic] {
            for (width, height) in [(1, 1), (2, 9), (7, 3), (84, 84)] {
                let flat = RgbImage { width: 5, height: 4, rgb: [9, 120, 255].repeat(20) };
                let resized = resize(&flat, width, height, filter);
                assert_eq!((resized.width, resized.height), (width, height));
                assert_eq!(resized.rgb, [9, 120, 255].repeat(width * height));
            }
        }
    }

    #[test]
    fn the_same_size_is_the_same_image() {
        let image = RgbImage { width: 2, height: 1, rgb: vec![1, 2, 3, 250, 251, 252] };
        assert_eq!(resize(&image, 2, 1, Filter::Bicubic), image);
    }

    #[test]
    fn halving_by_triangles_is_the_mean_weighted_three_to_one() {
        // Around each centre: distances ½ and 1½ of a triangle stretched to radius 2.
        let row = [0, 0, 0, 80, 80, 80, 160, 160, 160, 240, 240, 240].to_vec();
        let image = RgbImage { width: 4, height: 1, rgb: row };
        let half = resize(&image, 2, 1, Filter::Bilinear);
        // (3·0 + 3·80 + 1·160)/7 and its mirror (1·80 + 3·160 + 3·240)/7.
        assert_eq!(half.rgb, [57, 57, 57, 183, 183, 183]);
    }
}
