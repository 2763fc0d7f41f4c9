//! Anything that turns images into features.

use std::ops::RangeInclusive;

use crate::Result;
use crate::fingerprint::Fingerprint;
use crate::image::RgbImage;
use crate::network::{Framing, Network};

/// Widths and heights that images may have, in pixels.
pub(crate) const SIZES: RangeInclusive<usize> = 1..=4096;

/// The images that a backbone takes: a square by [`Framing`], then `(x/255 − mean)/std` in each colour.
///
/// ```
/// use trustpath_vision::backbone::Input;
/// use trustpath_vision::image::RgbImage;
/// use trustpath_vision::network::Framing;
///
/// let input = Input { size: 1, framing: Framing::Squeeze, mean: [0.5; 3], std: [0.25, 0.5, 1.0] };
/// let grey = RgbImage { width: 2, height: 2, rgb: vec![255; 12] };
/// let mut values = [0.0; 3];
/// input.prepare(&grey, &mut values);
/// assert_eq!(values, [2.0, 1.0, 0.5]);
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Input {
    /// Width and height of the images in pixels.
    pub size: usize,
    /// How an image becomes a square of that size.
    pub framing: Framing,
    /// Mean of each colour, subtracted from values in 0 … 1.
    pub mean: [f32; 3],
    /// Standard deviation of each colour, by which the rest is divided.
    pub std: [f32; 3],
}

impl Input {
    /// What a network takes.
    pub fn of(network: &Network) -> Self {
        let Network { size, framing, mean, std, .. } = *network;
        Self { size, framing, mean, std }
    }

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

/// Something that turns images into features.
pub trait Backbone: Sync {
    /// Its name.
    fn name(&self) -> &str;

    /// Numbers per feature.
    fn dim(&self) -> usize;

    /// The images it takes.
    fn input(&self) -> Input;

    /// A number that changes with its weights.
    fn fingerprint(&self) -> u64;

    /// A number that identifies how features are made: the network, its weights, and how it takes images.
    fn identity(&self) -> u64 {
        let input = self.input();
        let colours = input.mean.iter().chain(&input.std).map(|value| value.to_bits().into());
        let mut all = Fingerprint::new();
        all.add(self.name()).number(self.fingerprint()).number(input.size as u64);
        // Identities that were kept before there were other framings stay the same.
        let framing = match input.framing {
            Framing::Squeeze => vec![],
            Framing::Middle { margin } => vec![margin as u64],
            Framing::Shorter { edge, filter } => vec![edge as u64, 1 + filter as u64],
        };
        all.numbers(colours).numbers(framing).get()
    }

    /// The features of some images, one after another, each image made ready by
    /// [`Input::prepare`].
    ///
    /// # Errors
    /// If they cannot be computed.
    fn features(&self, images: &[f32]) -> Result<Vec<f32>>;
}
