//! Whatever turns pictures into features.

use crate::Result;
use crate::fingerprint::Fingerprint;
use crate::network::Network;
use crate::picture::Picture;

/// The pictures that a backbone takes: resized to a square, then `(x/255 − mean)/std` in each colour.
///
/// ```
/// use trustpath_vision::backbone::Input;
/// use trustpath_vision::picture::Picture;
///
/// let input = Input { size: 1, mean: [0.5; 3], std: [0.25, 0.5, 1.0] };
/// let grey = Picture { width: 2, height: 2, rgb: vec![255; 12] };
/// let mut values = [0.0; 3];
/// input.prepare(&grey, &mut values);
/// assert_eq!(values, [2.0, 1.0, 0.5]);
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Input {
    /// Edge of the pictures.
    pub size: usize,
    /// Mean of each colour, subtracted from values in 0 … 1.
    pub mean: [f32; 3],
    /// Spread of each colour, by which the rest is divided.
    pub std: [f32; 3],
}

impl Input {
    /// What a network takes.
    pub fn of(network: &Network) -> Self {
        Self { size: network.size, mean: network.mean, std: network.std }
    }

    /// How many values a picture becomes.
    pub fn values(&self) -> usize {
        3 * self.size * self.size
    }

    /// Makes a picture ready: its three colours one after another. `values` has room for exactly one.
    pub fn prepare(&self, picture: &Picture, values: &mut [f32]) {
        let resized;
        let picture = if (picture.width, picture.height) == (self.size, self.size) {
            picture
        } else {
            resized = picture.resized(self.size);
            &resized
        };
        for (colour, plane) in values.chunks_exact_mut(self.size * self.size).enumerate() {
            let (mean, std) = (self.mean[colour], self.std[colour]);
            for (value, rgb) in plane.iter_mut().zip(picture.rgb.chunks_exact(3)) {
                *value = (f32::from(rgb[colour]) / 255.0 - mean) / std;
            }
        }
    }
}

/// Something that turns pictures into features.
pub trait Backbone: Sync {
    /// What it is called.
    fn name(&self) -> &str;

    /// How many numbers a feature has.
    fn dim(&self) -> usize;

    /// The pictures it takes.
    fn input(&self) -> Input;

    /// A number that changes with its weights.
    fn fingerprint(&self) -> u64;

    /// A number that tells by what features are made: the network, its weights, and how it takes pictures.
    fn identity(&self) -> u64 {
        let mut all = Fingerprint::new();
        all.add(self.name().as_bytes());
        all.number(self.fingerprint());
        let input = self.input();
        all.number(input.size as u64);
        let colours = input.mean.iter().chain(&input.std);
        colours.for_each(|value| all.number(u64::from(value.to_bits())));
        all.get()
    }

    /// The features of some pictures, one after another, each picture made ready by
    /// [`Input::prepare`].
    ///
    /// # Errors
    /// If they cannot be computed.
    fn features(&self, pictures: &[f32]) -> Result<Vec<f32>>;
}
