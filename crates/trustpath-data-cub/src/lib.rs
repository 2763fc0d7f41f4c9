#![doc = include_str!("../README.md")]

/// Features of the novel classes of CUB, packed.
pub static NOVEL: &[u8] = include_bytes!("../cub-novel.safetensors.split.gz");

/// Features of the validation classes of CUB, packed.
pub static VALIDATION: &[u8] = include_bytes!("../cub-validation.safetensors.split.gz");
