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
    /// A picture cannot be read.
    #[error(
        "{name} cannot be read as a picture: {reason}; replace it, or go on without it by --skip-bad"
    )]
    Picture {
        /// The picture.
        name: String,
        /// What is wrong with it.
        reason: String,
    },
    /// A picture cannot be encoded.
    #[error("a picture of {width} × {height} pixels cannot be encoded: {reason}")]
    Encode {
        /// Its width.
        width: usize,
        /// Its height.
        height: usize,
        /// What the encoder says.
        reason: String,
    },
    /// A file, folder or archive cannot be read.
    #[error("{name} cannot be read: {reason}")]
    Read {
        /// The file, folder or archive.
        name: String,
        /// What is wrong, and the remedy where there is one.
        reason: String,
    },
    /// A name that is none of those known.
    #[error("there is no {what} named {name}: give one of {known}")]
    Unknown {
        /// What was asked for.
        what: &'static str,
        /// The name given.
        name: String,
        /// The names there are.
        known: String,
    },
    /// Files that are several datasets.
    #[error("{name} holds {kinds}: say which by --dataset")]
    Ambiguous {
        /// The folder or archive.
        name: String,
        /// The datasets found.
        kinds: String,
    },
    /// Files without the pictures of a dataset.
    #[error("{name} holds no pictures of {kind}: check the path and --dataset{hint}")]
    NoPictures {
        /// The folder or archive.
        name: String,
        /// The dataset looked for.
        kind: String,
        /// Where to get it.
        hint: String,
    },
    /// A split that cannot be had.
    #[error("the split {split} of {name} cannot be used: {reason}")]
    Split {
        /// The folder or archive.
        name: String,
        /// The split.
        split: crate::dataset::Split,
        /// Why.
        reason: String,
    },
    /// A file cannot be written.
    #[error("{name} cannot be written: {reason}; make room, or name another place")]
    Write {
        /// The file or folder.
        name: String,
        /// What the system says.
        reason: String,
    },
    /// A number out of its range.
    #[error("the {name} cannot be {value}: give {least} to {most}")]
    Parameter {
        /// What the number is.
        name: String,
        /// The number given.
        value: usize,
        /// The least it may be.
        least: usize,
        /// The most it may be.
        most: usize,
    },
    /// A pickle cannot be read.
    #[error("{name} cannot be read as a pickle: {reason}; get it again")]
    Pickle {
        /// The file.
        name: String,
        /// What is wrong with it.
        reason: String,
    },
    /// A file of weights cannot be read.
    #[error("{file} holds no weights that can be read: {reason}; {remedy}")]
    Weights {
        /// The file.
        file: String,
        /// What is wrong with it.
        reason: String,
        /// What to do.
        remedy: &'static str,
    },
    /// The weights are of another network.
    #[error("{file} holds no weights of {network}: {remedy}")]
    OtherNetwork {
        /// The file.
        file: String,
        /// The network they were meant for.
        network: String,
        /// What to do.
        remedy: String,
    },
    /// Some of the weights are not there.
    #[error(
        "{file} lacks {missing} of the {all} parameters of {network}, \"{first}\" to begin with: give a whole checkpoint"
    )]
    MissingWeights {
        /// The file.
        file: String,
        /// The network.
        network: String,
        /// How many are missing.
        missing: usize,
        /// How many there should be.
        all: usize,
        /// The first that is missing.
        first: String,
    },
    /// A parameter has another shape than the network's.
    #[error(
        "\"{key}\" in {file} is of shape {found:?}, but that of {network} is {expected:?}: give weights of the same variant"
    )]
    WeightShape {
        /// The file.
        file: String,
        /// The network.
        network: String,
        /// The parameter.
        key: String,
        /// Its shape.
        found: Vec<usize>,
        /// The shape it should have.
        expected: Vec<usize>,
    },
    /// The description of a network makes no sense.
    #[error("the network {network} cannot be run: {reason}; mend its description")]
    Network {
        /// The network.
        network: String,
        /// What is wrong with it.
        reason: String,
    },
    /// The pictures are not of the size of the network.
    #[error(
        "{found} values are no pictures of 3 × {size} × {size} as {network} takes them: resize them first"
    )]
    PictureSize {
        /// The network.
        network: String,
        /// How many values were given.
        found: usize,
        /// Edge of the pictures it takes.
        size: usize,
    },
    /// A model in ONNX cannot be used.
    #[error("{file} cannot be used: {reason}; {remedy}")]
    Onnx {
        /// The model, or the file beside it.
        file: String,
        /// What is wrong.
        reason: String,
        /// What to do.
        remedy: String,
    },
    /// Features cannot be written in the format that a file's ending says.
    #[error("features cannot be written as {file}: give a name that ends in .safetensors or .npy")]
    FeatureFormat {
        /// The file.
        file: String,
    },
    /// A file lies where it would be taken for something else.
    #[error("{file} lies beside {beside} and would be read as its labels: remove or rename it")]
    InTheWay {
        /// The file in the way.
        file: String,
        /// The file that is to be written.
        beside: String,
    },
    /// A feature that cannot be written.
    #[error("the feature of {id} has {value} in it: {remedy}")]
    Feature {
        /// The picture.
        id: String,
        /// The value.
        value: f32,
        /// What to do.
        remedy: &'static str,
    },
    /// Not one picture could be read.
    #[error("not one of the {pictures} pictures of {name} can be read, {first}")]
    AllBad {
        /// The dataset.
        name: String,
        /// How many there are.
        pictures: usize,
        /// What is wrong with the first.
        first: String,
    },
    /// Files of features.
    #[error(transparent)]
    Table(#[from] trustpath_table::Error),
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
    /// The loss is no number any more.
    #[error(
        "the loss of epoch {epoch} is not a finite number: training went astray at rate {rate}; give a lower --rate"
    )]
    Diverged {
        /// The epoch, from 1.
        epoch: usize,
        /// Its learning rate.
        rate: f64,
    },
    /// libtorch failed.
    #[error("libtorch failed: {reason}")]
    Torch {
        /// What it says.
        reason: String,
    },
}
