//! Networks, described once for every engine.
//!
//! A [`Network`] is a list of [`Node`]s in an order in which they can be computed. The value of a node
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
mod framing;
mod resnet;
mod resnet12;
mod transformer;
mod wrn;

pub use builder::Builder;
pub use framing::Framing;
pub use transformer::{Family, TransformerShape};

use crate::{Error, Result};

/// Mean and standard deviation of the colours of ImageNet.
const IMAGENET_COLOURS: ([f32; 3], [f32; 3]) = ([0.485, 0.456, 0.406], [0.229, 0.224, 0.225]);

/// What batch normalisation usually adds to a variance before its root is taken.
pub const BATCH_NORM_EPSILON: f32 = 1e-5;

/// The zeros before `n` positions where a convolution makes `⌈n/stride⌉` of them: half of all zeros, rounded down.
pub fn same_padding(kernel: usize, stride: usize, n: usize) -> usize {
    ((n.div_ceil(stride) - 1) * stride + kernel).saturating_sub(n) / 2
}

/// A feature map made by a node, or the image (0).
pub type Value = usize;

/// A GELU activation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Gelu {
    /// `x Φ(x)`, with the distribution function of the normal distribution.
    Exact,
    /// `x/2 (1 + tanh(√(2/π) (x + 0.044715 x³)))`.
    Tanh,
    /// `x/(1 + exp(−1.702 x))`.
    Quick,
}

/// One operation on feature maps. The tokens of a transformer are a map of one row, a position per token.
#[derive(Debug, Clone, PartialEq)]
pub enum Op {
    /// A square convolution; zeros around the edge. With a kernel of 1 it is a fully connected layer for each position.
    Conv {
        /// Where its parameters are found.
        name: String,
        /// Input channels.
        inputs: usize,
        /// Output channels.
        outputs: usize,
        /// Edge of the kernel.
        kernel: usize,
        /// Step between positions.
        stride: usize,
        /// Zeros added at each edge.
        padding: usize,
        /// Whether a number of its own is added to each output channel.
        bias: bool,
    },
    /// A square convolution without bias and as many zeros around the edge as make `⌈n/stride⌉` of `n` positions, on the
    /// right one more where they are odd.
    SameConv {
        /// Where its parameters are found.
        name: String,
        /// Input channels.
        inputs: usize,
        /// Output channels.
        outputs: usize,
        /// Edge of the kernel.
        kernel: usize,
        /// Step between positions.
        stride: usize,
    },
    /// The same with a filter for each channel by itself.
    Depthwise {
        /// Where its parameters are found.
        name: String,
        /// How many channels.
        channels: usize,
        /// Edge of the kernel.
        kernel: usize,
        /// Step between positions.
        stride: usize,
    },
    /// `weight (x − mean)/√(variance + ε) + bias`, channel by channel.
    BatchNorm {
        /// Where its parameters are found.
        name: String,
        /// How many channels.
        channels: usize,
        /// `ε`.
        epsilon: f32,
    },
    /// `min(max(x, 0), 6)`.
    Relu6,
    /// `max(x, slope · x)`; a slope of zero is the rectifier.
    LeakyRelu {
        /// The slope below zero.
        slope: f32,
    },
    /// The largest value of each square window. Padding never wins.
    MaxPool {
        /// Edge of the window.
        kernel: usize,
        /// Step between windows.
        stride: usize,
        /// Positions added at each edge.
        padding: usize,
        /// Whether a window may reach beyond the edge, so that no position is left out.
        ceil: bool,
    },
    /// The mean of each square window that lies within the map.
    AveragePool {
        /// Edge of the window.
        kernel: usize,
        /// Step between windows.
        stride: usize,
    },
    /// The sum of two maps of the same shape.
    Add,
    /// The channels of all inputs, one after the other.
    Concat,
    /// The positions of a map as tokens: what is learned for each position is added, and tokens that are learned
    /// altogether come first.
    Tokens {
        /// Where its parameters are found: `name.leading` and `name.positions`.
        name: String,
        /// Tokens that come first.
        leading: usize,
        /// Positions of the map.
        positions: usize,
        /// Numbers per token.
        channels: usize,
    },
    /// `weight (x − mean)/√(variance + ε) + bias`, position by position.
    LayerNorm {
        /// Where its parameters are found.
        name: String,
        /// Numbers per position.
        channels: usize,
        /// `ε`.
        epsilon: f32,
    },
    /// Every channel times a number of its own.
    Scale {
        /// Where its parameters are found.
        name: String,
        /// How many channels.
        channels: usize,
    },
    /// What each position gathers from all, head by head: `Σⱼ softmaxⱼ(qᵢ·kⱼ) vⱼ`. The channels are queries, keys and
    /// values, one after the other; the scale of the scores is part of the queries.
    Attention {
        /// Attention heads.
        heads: usize,
    },
    /// The same for one query that is learned; the channels are keys and values, and one position comes out.
    Pooling {
        /// Where its parameter is found: `name.query`.
        name: String,
        /// Numbers of the query.
        channels: usize,
        /// Attention heads.
        heads: usize,
    },
    /// A GELU activation.
    Gelu(Gelu),
    /// The first position alone.
    First,
    /// While training, each value is zero with this probability and the rest are scaled up.
    Dropout {
        /// The share that is dropped.
        rate: f64,
    },
    /// While training, whole squares of each channel are zero; `rate` is reached in 40,000 steps.
    DropBlock {
        /// The share that is dropped at the end.
        rate: f64,
        /// Edge of the squares.
        size: usize,
    },
}

/// An operation and the values it reads.
#[derive(Debug, Clone, PartialEq)]
pub struct Node {
    /// What is done.
    pub op: Op,
    /// To which values.
    pub inputs: Vec<Value>,
}

/// A backbone: how an image becomes a feature.
#[derive(Debug, Clone, PartialEq)]
pub struct Network {
    /// The name by which it is chosen.
    pub name: &'static str,
    /// The operations, in order.
    pub nodes: Vec<Node>,
    /// Numbers per feature.
    pub dim: usize,
    /// Width and height in pixels of the images it was made for.
    pub size: usize,
    /// How an image becomes a square of that size.
    pub framing: Framing,
    /// Mean of each colour, subtracted from values in 0 … 1.
    pub mean: [f32; 3],
    /// Standard deviation of each colour, by which the rest is divided.
    pub std: [f32; 3],
}

impl Network {
    /// The names of all networks whose sizes are fixed.
    pub const NAMES: [&'static str; 11] = [
        "resnet12",
        "wrn28-10",
        "densenet121",
        "densenet121-imagenet",
        "resnet18",
        "resnet34",
        "resnet50",
        "resnet101",
        "efficientnet-lite0",
        "efficientnet-lite1",
        "efficientnet-lite2",
    ];

    /// The network of this name.
    ///
    /// ```
    /// use trustpath_vision::network::Network;
    ///
    /// let network = Network::by_name("resnet12")?;
    /// assert_eq!(network.dim, 512);
    /// assert_eq!(network.size, 84);
    /// # Ok::<(), trustpath_vision::Error>(())
    /// ```
    pub fn by_name(name: &str) -> Result<Network> {
        match name {
            "resnet12" => Ok(resnet12::resnet12()),
            "wrn28-10" => Ok(wrn::wrn28_10()),
            "densenet121" => Ok(densenet::densenet121()),
            "densenet121-imagenet" => Ok(densenet::densenet121_imagenet()),
            "resnet18" => Ok(resnet::resnet(0)),
            "resnet34" => Ok(resnet::resnet(1)),
            "resnet50" => Ok(resnet::resnet(2)),
            "resnet101" => Ok(resnet::resnet(3)),
            "efficientnet-lite0" => Ok(efficientnet::efficientnet_lite(0)),
            "efficientnet-lite1" => Ok(efficientnet::efficientnet_lite(1)),
            "efficientnet-lite2" => Ok(efficientnet::efficientnet_lite(2)),
            _ if Family::NAMES.contains(&name) => {
                Err(Error::Input(format!("the sizes of {name} are those of its weights: give them with --weights")))
            }
            _ => {
                let all = [&Self::NAMES[..], &Family::NAMES[..]].concat();
                Err(Error::unknown("backbone", name, &all))
            }
        }
    }

    /// A network whose images are normalised by the colours of ImageNet.
    fn of_imagenet_colours(name: &'static str, builder: Builder, dim: usize, size: usize) -> Self {
        let (mean, std) = IMAGENET_COLOURS;
        let nodes = builder.nodes();
        Network { name, nodes, dim, size, framing: Framing::Squeeze, mean, std }
    }

    /// Takes images of another size. A shorter side ([`Framing::Shorter`]) grows in proportion; a margin
    /// ([`Framing::Middle`]) stays as it is.
    pub fn resize(&mut self, size: usize) {
        if let Framing::Shorter { edge, .. } = &mut self.framing {
            *edge = (*edge * size).div_ceil(self.size);
        }
        self.size = size;
    }

    /// Whether it has tokens and attention.
    pub fn is_transformer(&self) -> bool {
        self.nodes.iter().any(|node| matches!(node.op, Op::Tokens { .. }))
    }

    /// Every parameter and running statistic: its key and its shape, in the order of the nodes.
    pub fn parameters(&self) -> Vec<(String, Vec<usize>)> {
        let mut all = Vec::new();
        for node in &self.nodes {
            match &node.op {
                Op::Conv { name, inputs, outputs, kernel, .. } | Op::SameConv { name, inputs, outputs, kernel, .. } => {
                    let shape = vec![*outputs, *inputs, *kernel, *kernel];
                    all.push((format!("{name}.weight"), shape));
                    if matches!(node.op, Op::Conv { bias: true, .. }) {
                        all.push((format!("{name}.bias"), vec![*outputs]));
                    }
                }
                Op::Tokens { name, leading, positions, channels } => {
                    all.push((format!("{name}.leading"), vec![*leading, *channels]));
                    all.push((format!("{name}.positions"), vec![*positions, *channels]));
                }
                Op::LayerNorm { name, channels, .. } => {
                    for part in ["weight", "bias"] {
                        all.push((format!("{name}.{part}"), vec![*channels]));
                    }
                }
                Op::Scale { name, channels } => {
                    all.push((format!("{name}.weight"), vec![*channels]));
                }
                Op::Pooling { name, channels, .. } => {
                    all.push((format!("{name}.query"), vec![*channels]));
                }
                Op::Depthwise { name, channels, kernel, .. } => {
                    all.push((format!("{name}.weight"), vec![*channels, 1, *kernel, *kernel]));
                }
                Op::BatchNorm { name, channels, .. } => {
                    for part in ["weight", "bias", "running_mean", "running_var"] {
                        all.push((format!("{name}.{part}"), vec![*channels]));
                    }
                }
                _ => {}
            }
        }
        all
    }
}
