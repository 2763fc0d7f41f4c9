//! What all tests share: files.

mod checkpoints;
mod datasets;
mod images;
mod packs;
mod tensors;

use std::path::{Path, PathBuf};

use trustpath_vision::image::RgbImage;

/// A file or folder of the tests' data.
fn data(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(name)
}

/// Writes a file, and the folders it is in.
fn put(folder: &Path, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
    let path = folder.join(name);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(&path, bytes).unwrap();
    path
}

/// An image of one pixel.
fn pixel() -> Vec<u8> {
    RgbImage { width: 1, height: 1, rgb: vec![1, 2, 3] }.png().unwrap()
}
