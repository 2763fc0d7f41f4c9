//! Networks, described once for every engine.
//!
//! A [`Network`] is a list of nodes in an order in which they can be computed. The value of a node
//! is a feature map, channels × height × width; value 0 is the image, and node `i` makes value
//! `i + 1`. The feature of an image is the mean of the last value over all its positions:
//!
//! ```text
//! f_c = 1/(h w) Σ_{y,x} map_{c,y,x}
//! ```
//!
//! Parameters are found by name, under the keys of the published checkpoints: a convolution `conv1`
//! has `conv1.weight` (out × in × kernel × kernel), a batch normalisation `bn1` has `bn1.weight`,
//! `bn1.bias`, `bn1.running_mean` and `bn1.running_var`.

mod builder;
mod densenet;
mod efficientnet;
mod input;
mod resnet;
mod resnet12;
mod transformer;
mod wrn;

pub(crate) use builder::Builder;
pub(crate) use input::SIZES;
pub use input::{Framing, ImageInput};
pub use transformer::Family;
pub(crate) use transformer::TransformerShape;

use crate::{Error, Result};

/// The zeros around a map that a convolution reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Padding {
    /// So many at each edge.
    Each(usize),
    /// As many as make `⌈n/stride⌉` of `n` positions; where their number is odd, one more on the right.
    Same,
}

impl Padding {
    /// The zeros before and behind `n` positions.
    pub fn zeros(self, kernel: usize, stride: usize, n: usize) -> [usize; 2] {
        match self {
            Self::Each(zeros) => [zeros; 2],
            Self::Same => {
                let both = ((n.div_ceil(stride) - 1) * stride + kernel).saturating_sub(n);
                [both / 2, both - both / 2]
            }
        }
    }
}

/// A feature map made by a node, or the image (0).
pub(crate) type MapIndex = usize;

/// A GELU activation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Gelu {
    /// `x Φ(x)`, with the distribution function of the normal distribution.
    Exact,
    /// `x/2 (1 + tanh(√(2/π) (x + 0.044715 x³)))`.
    Tanh,
    /// `x/(1 + exp(−1.702 x))`.
    Quick,
}

/// One operation on feature maps. The tokens of a transformer are a map of one row, a position per token.
///
/// Parameters are found under `name`; `inputs`, `outputs` and `channels` are numbers of channels; `kernel` is the edge of a
/// window and `stride` the step between two; `epsilon` is `ε`.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Op {
    /// A square convolution; with `bias`, a learned number is added to each output channel. With a kernel of 1 it is a
    /// fully connected layer for each position.
    Conv { name: String, inputs: usize, outputs: usize, kernel: usize, stride: usize, padding: Padding, bias: bool },
    /// A square convolution of each channel by itself, without a bias and with [`Padding::Same`].
    Depthwise { name: String, channels: usize, kernel: usize, stride: usize },
    /// `weight (x − mean)/√(variance + ε) + bias`, channel by channel.
    BatchNorm { name: String, channels: usize, epsilon: f32 },
    /// `min(max(x, 0), 6)`.
    Relu6,
    /// `max(x, slope · x)`; a slope of zero is the rectifier.
    LeakyRelu { slope: f32 },
    /// The largest value of each square window. Padding never wins. With `ceil` a window may reach beyond the edge, so that
    /// no position is left out.
    MaxPool { kernel: usize, stride: usize, padding: usize, ceil: bool },
    /// The mean of each square window that lies within the map.
    AveragePool { kernel: usize, stride: usize },
    /// The sum of two maps of the same shape.
    Add,
    /// The channels of all inputs, one after the other.
    Concat,
    /// The positions of a map as tokens: what is learned for each position is added, and `leading` tokens that are learned
    /// altogether come first.
    Tokens { name: String, leading: usize, positions: usize, channels: usize },
    /// `weight (x − mean)/√(variance + ε) + bias`, position by position.
    LayerNorm { name: String, channels: usize, epsilon: f32 },
    /// Every channel times a learned number.
    Scale { name: String, channels: usize },
    /// What each position gathers from all, head by head: `Σⱼ softmaxⱼ(qᵢ·kⱼ) vⱼ`. The channels are queries, keys and
    /// values, one after the other; the scale of the scores is part of the queries.
    Attention { heads: usize },
    /// The same for one query that is learned; the channels are keys and values, and one position comes out.
    Pooling { name: String, channels: usize, heads: usize },
    /// A GELU activation.
    Gelu(Gelu),
    /// The first position alone.
    First,
    /// While training, each value is zero with the probability `rate`, and the rest are scaled up.
    Dropout { rate: f64 },
    /// While training, squares of each channel with edges of `size` are zero, altogether the share `rate` after 40,000 steps.
    DropBlock { rate: f64, size: usize },
}

/// A name and what makes the network of this name.
type NamedNetwork = (&'static str, fn() -> Network);

/// The networks whose sizes are fixed.
const NETWORKS: [NamedNetwork; 11] = [
    ("resnet12", resnet12::resnet12),
    ("wrn28-10", wrn::wrn28_10),
    ("densenet121", densenet::densenet121),
    ("densenet121-imagenet", densenet::densenet121_imagenet),
    ("resnet18", || resnet::resnet(0)),
    ("resnet34", || resnet::resnet(1)),
    ("resnet50", || resnet::resnet(2)),
    ("resnet101", || resnet::resnet(3)),
    ("efficientnet-lite0", || efficientnet::efficientnet_lite(0)),
    ("efficientnet-lite1", || efficientnet::efficientnet_lite(1)),
    ("efficientnet-lite2", || efficientnet::efficientnet_lite(2)),
];

/// An operation and the values it reads.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Node {
    /// What is done.
    pub op: Op,
    /// To which values.
    pub inputs: Vec<MapIndex>,
}

/// A backbone: how an image becomes a feature.
#[derive(Debug, Clone, PartialEq)]
pub struct Network {
    /// The name by which it is chosen.
    pub name: &'static str,
    /// The operations, in order.
    pub(crate) nodes: Vec<Node>,
    /// Numbers per feature.
    pub dim: usize,
    /// The images it was made for.
    pub input: ImageInput,
}

impl Network {
    /// The names of all networks whose sizes are fixed.
    pub const NAMES: [&'static str; NETWORKS.len()] = {
        let mut names = [""; NETWORKS.len()];
        let mut i = 0;
        while i < names.len() {
            names[i] = NETWORKS[i].0;
            i += 1;
        }
        names
    };

    /// The network of this name.
    ///
    /// ```
    /// use trustpath_vision::network::Network;
    ///
    /// let network = Network::by_name("resnet12")?;
    /// assert_eq!(network.dim, 512);
    /// assert_eq!(network.input.size, 84);
    /// # Ok::<(), trustpath_vision::Error>(())
    /// ```
    pub fn by_name(name: &str) -> Result<Network> {
        match NETWORKS.iter().find(|(known, _)| *known == name) {
            Some((_, network)) => Ok(network()),
            None if Family::NAMES.contains(&name) => {
                Err(Error::Input(format!("the sizes of {name} are those of its weights: give them with --weights")))
            }
            None => {
                let all = [&Self::NAMES[..], &Family::NAMES[..]].concat();
                Err(Error::unknown("backbone", name, &all))
            }
        }
    }

    /// Whether it has tokens and attention.
    pub fn is_transformer(&self) -> bool {
        self.nodes.iter().any(|node| matches!(node.op, Op::Tokens { .. }))
    }

    /// Every parameter and running statistic: its key and its shape, in the order of the nodes.
    pub fn parameters(&self) -> Vec<(String, Vec<usize>)> {
        let of_channels = |name: &str, channels: usize, parts: &[&str]| -> Vec<(String, Vec<usize>)> {
            parts.iter().map(|part| (format!("{name}.{part}"), vec![channels])).collect()
        };
        let mut all = Vec::new();
        for node in &self.nodes {
            match &node.op {
                Op::Conv { name, inputs, outputs, kernel, bias, .. } => {
                    all.push((format!("{name}.weight"), vec![*outputs, *inputs, *kernel, *kernel]));
                    if *bias {
                        all.push((format!("{name}.bias"), vec![*outputs]));
                    }
                }
                Op::Tokens { name, leading, positions, channels } => {
                    all.push((format!("{name}.leading"), vec![*leading, *channels]));
                    all.push((format!("{name}.positions"), vec![*positions, *channels]));
                }
                Op::Depthwise { name, channels, kernel, .. } => {
                    all.push((format!("{name}.weight"), vec![*channels, 1, *kernel, *kernel]));
                }
                Op::LayerNorm { name, channels, .. } => all.extend(of_channels(name, *channels, &["weight", "bias"])),
                Op::Scale { name, channels } => all.extend(of_channels(name, *channels, &["weight"])),
                Op::Pooling { name, channels, .. } => all.extend(of_channels(name, *channels, &["query"])),
                Op::BatchNorm { name, channels, .. } => {
                    all.extend(of_channels(name, *channels, &["weight", "bias", "running_mean", "running_var"]));
                }
                _ => {}
            }
        }
        all
    }
}
