#![doc = include_str!("../README.md")]

/// Features of the novel classes of CIFAR-FS, packed: the first 9 MiB; the rest is in `trustpath-data-cifar-fs-2`.
pub static NOVEL: &[u8] = include_bytes!("../cifar-fs-novel.safetensors.split.gz.1");
