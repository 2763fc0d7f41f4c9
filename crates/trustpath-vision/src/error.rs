//! What can go wrong, in one sentence each: which input, and what to do about it.

/// The result of every fallible function of this crate.
pub type Result<T> = std::result::Result<T, Error>;

/// Everything this crate refuses, each with the input it names and the remedy.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The name is of no known backbone.
    #[error("there is no backbone named {name}: give one of {known}")]
    UnknownBackbone {
        /// The name given.
        name: String,
        /// The names there are.
        known: String,
    },
    /// A recipe that cannot be trained by.
    #[error("this recipe cannot be trained by: {what}")]
    Recipe {
        /// What holds for every recipe.
        what: &'static str,
    },
    /// A class has fewer pictures than an episode takes.
    #[error(
        "class {name} has {found} pictures but an episode takes {needed} of each: give more, leave the class out, or ask for fewer shots and queries"
    )]
    SmallClass {
        /// The class.
        name: String,
        /// How many pictures it has.
        found: usize,
        /// How many an episode takes.
        needed: usize,
    },
    /// Fewer classes than an episode has ways.
    #[error(
        "there are {found} classes with enough pictures but an episode has {needed}: give more classes or ask for fewer ways"
    )]
    FewClasses {
        /// How many there are.
        found: usize,
        /// How many an episode has.
        needed: usize,
    },
    /// A checkpoint that cannot be gone on from.
    #[error("the checkpoint cannot be gone on from: {reason}; give another folder with --out")]
    Checkpoint {
        /// What is wrong with it.
        reason: String,
    },
    /// A GPU was asked for and there is none.
    #[error(
        "a GPU was asked for but libtorch sees none: check that nvidia-smi shows one and that this libtorch was built for CUDA, or train with --device cpu"
    )]
    NoGpu,
    /// The GPU has too little memory.
    #[error("the GPU is out of memory: give a smaller --batch, or free memory that others use")]
    GpuMemory,
    /// libtorch failed.
    #[error("libtorch failed: {reason}")]
    Torch {
        /// What it says.
        reason: String,
    },
}
