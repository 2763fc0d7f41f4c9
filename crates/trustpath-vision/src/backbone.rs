//! Anything that turns images into features.

use crate::Result;
use crate::fingerprint::Fingerprint;
use crate::image::RgbImage;
use crate::network::Network;

/// The images that a backbone takes: resized to a square, then `(x/255 − mean)/std` in each colour.
/// With a margin, the square is the middle of the image, `size/(size + margin)` of its shorter side; else it is all of the
/// image, whatever its proportions.
///
/// ```
/// use trustpath_vision::backbone::Input;
/// use trustpath_vision::image::RgbImage;
///
/// let input = Input { size: 1, margin: 0, mean: [0.5; 3], std: [0.25, 0.5, 1.0] };
/// let grey = RgbImage { width: 2, height: 2, rgb: vec![255; 12] };
/// let mut values = [0.0; 3];
/// input.prepare(&grey, &mut values);
/// assert_eq!(values, [2.0, 1.0, 0.5]);
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Input {
    /// Width and height of the images in pixels.
    pub size: usize,
    /// Pixels by which images are larger before their middle is cut out; 0 if all of an image is taken.
    pub margin: usize,
    /// Mean of each colour, subtracted from values in 0 … 1.
    pub mean: [f32; 3],
    /// Standard deviation of each colour, by which the rest is divided.
    pub std: [f32; 3],
}

impl Input {
    /// What a network takes.
    pub fn of(network: &Network) -> Self {
        let Network { size, margin, mean, std, .. } = *network;
        Self { size, margin, mean, std }
    }

    /// How many values an image becomes.
    pub fn values(&self) -> usize {
        3 * self.size * self.size
    }

    /// Makes an image ready: its three colours one after another. `values` has room for exactly one.
    pub fn prepare(&self, image: &RgbImage, values: &mut [f32]) {
        let middle = match self.margin {
            0 => None,
            margin => image.central(self.size as f64 / (self.size + margin) as f64),
        };
        let image = middle.as_ref().unwrap_or(image);
        let resized;
        let image = if (image.width, image.height) == (self.size, self.size) {
            image
        } else {
            resized = image.resized(self.size);
            &resized
        };
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
        // Identities that were kept before there were margins stay the same.
        let margin = (input.margin > 0).then_some(input.margin as u64);
        all.numbers(colours).numbers(margin).get()
    }

    /// The features of some images, one after another, each image made ready by
    /// [`Input::prepare`].
    ///
    /// # Errors
    /// If they cannot be computed.
    fn features(&self, images: &[f32]) -> Result<Vec<f32>>;
}
