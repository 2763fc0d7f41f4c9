#![doc = include_str!("../README.md")]

/// ResNet-12 in half precision, trained on CIFAR-FS: the first 8 MiB of its safetensors file; the rest is in
/// `trustpath-data-resnet12-2`.
pub static RESNET12: &[u8] = include_bytes!("../resnet12-cifar-fs.safetensors.1");
