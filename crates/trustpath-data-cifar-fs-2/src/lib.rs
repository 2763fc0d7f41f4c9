#![doc = include_str!("../README.md")]

/// Features of the novel classes of CIFAR-FS, packed: what follows the 9 MiB in `trustpath-data-cifar-fs-1`.
pub static NOVEL: &[u8] = include_bytes!("../cifar-fs-novel.safetensors.split.gz.2");

/// Features of the validation classes of CIFAR-FS, packed.
pub static VALIDATION: &[u8] = include_bytes!("../cifar-fs-validation.safetensors.split.gz");
