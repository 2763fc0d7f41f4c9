//! Weights that come with the program.

use std::path::Path;

use super::Weights;
use crate::Result;

/// Names of the networks whose weights come with the program, and their files.
const SHIPPED: [(&str, &[u8]); 1] =
    [("cifar-fs", include_bytes!("../../../../assets/networks/resnet12-cifar-fs.safetensors"))];

impl Weights {
    /// Weights of ResNet-12 that come with the program, by the dataset on whose 64 base classes they were
    /// trained; the first is the default.
    pub const SHIPPED: [&'static str; SHIPPED.len()] = [SHIPPED[0].0];

    /// Weights that come with the program, or else of a file. A file of that very name in another folder is
    /// named with it, as in `./cifar-fs`.
    ///
    /// ```
    /// # use trustpath_vision::weights::Weights;
    /// assert!(Weights::by_name("cifar-fs")?.get("layer1.0.conv1.weight").is_some());
    /// assert!(Weights::by_name("none.pth").is_err());
    /// # Ok::<(), trustpath_vision::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Weights`](crate::Error::Weights) if it is a file that cannot be read or is damaged.
    pub fn by_name(name: &str) -> Result<Self> {
        match SHIPPED.iter().find(|(shipped, _)| *shipped == name) {
            Some((name, bytes)) => Self::from_safetensors(bytes, name),
            None => Self::read(Path::new(name)),
        }
    }
}
