#![doc = include_str!("../README.md")]

/// ResNet-12 in half precision, trained on CIFAR-FS: what follows the 8 MiB in `trustpath-data-resnet12-1`.
pub static RESNET12: &[u8] = include_bytes!("../resnet12-cifar-fs.safetensors.2");
