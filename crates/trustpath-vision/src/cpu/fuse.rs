//! From the nodes of a network to fewer and larger steps.
//!
//! A batch normalisation behind a convolution becomes part of its filters,
//!
//! ```text
//! w′ = w γ/√(σ² + ε),    b′ = β − μ γ/√(σ² + ε)
//! ```
//!
//! and an addition and a rectifier behind that are done while the sums are still in registers. A scale for every channel
//! becomes part of the filters as well. What is for training alone vanishes.

use super::attention::Attention;
use super::block::{Block, LANES, Shape, blocked};
use super::conv::{Convolution, Filters};
use super::depthwise::Depthwise;
use super::epilogue::Rectifier;
use super::pointwise::{self, LayerNorm};
use super::pool::{Affine, Pool};
use super::tokens::{self, Pooling, Tokens};
use crate::network::{Gelu, Network, Op, Value, same_padding};
use crate::weights::NetworkWeights;
use crate::{Error, Result};

/// What a step does.
pub(super) enum Work {
    /// A convolution; a second input is added before the rectifier.
    Conv(Convolution),
    Depthwise(Depthwise),
    Pool(Pool),
    Affine(Affine),
    /// A sum and a rectifier.
    Add(Rectifier),
    Concat,
    Tokens(Tokens),
    LayerNorm(LayerNorm),
    Attention(Attention),
    Pooling(Pooling),
    First,
}

/// What is done to all numbers of a map.
pub(super) type Everywhere = fn(&mut [Block]);

/// A step of the plan.
pub(super) struct FusedStep {
    pub work: Work,
    /// What is done to its output.
    pub then: Option<Everywhere>,
    pub inputs: Vec<Value>,
    pub output: Value,
}

/// The steps of a network, and the shape of every value.
pub(super) struct Steps {
    pub steps: Vec<FusedStep>,
    pub shapes: Vec<Option<Shape>>,
}

/// Fuses a network whose weights are all there.
pub(super) fn fuse(network: &Network, weights: &NetworkWeights) -> Result<Steps> {
    let image = Shape { channels: 3, height: network.size, width: network.size };
    let mut fuser = Fuser {
        network,
        weights,
        shapes: vec![None; network.nodes.len() + 1],
        alias: (0..=network.nodes.len()).collect(),
        done: vec![false; network.nodes.len()],
    };
    fuser.shapes[0] = Some(image);
    let mut steps = Vec::new();
    for node in 0..network.nodes.len() {
        if !fuser.done[node] {
            steps.extend(fuser.step(node)?);
        }
    }
    let last = fuser.alias[network.nodes.len()];
    let channels = fuser.shapes[last].map(|shape| shape.channels);
    if channels != Some(network.dim) || last == 0 {
        return Err(fuser.wrong(format!("it ends in {channels:?} channels, not {}", network.dim)));
    }
    Ok(Steps { steps, shapes: fuser.shapes })
}

struct Fuser<'a> {
    network: &'a Network,
    weights: &'a NetworkWeights,
    /// The shapes of the values that are known so far.
    shapes: Vec<Option<Shape>>,
    /// The value that a value is the same as.
    alias: Vec<Value>,
    /// Nodes that are part of a step.
    done: Vec<bool>,
}

impl Fuser<'_> {
    fn wrong(&self, reason: String) -> Error {
        let name = self.network.name;
        Error::Input(format!("the network {name} cannot be run: {reason}; correct its description"))
    }

    /// The step that begins at a node, if it does anything.
    fn step(&mut self, node: usize) -> Result<Option<FusedStep>> {
        let mut inputs = Vec::new();
        for &input in &self.network.nodes[node].inputs {
            if input > node {
                return Err(self.wrong(format!("node {node} reads what is not yet computed")));
            }
            inputs.push(self.alias[input]);
        }
        let shapes: Option<Vec<Shape>> = inputs.iter().map(|&input| self.shapes[input]).collect();
        let Some(shape) = shapes.as_ref().and_then(|shapes| shapes.first().copied()) else {
            return Err(self.wrong(format!("node {node} reads nothing")));
        };
        self.done[node] = true;
        let output = node + 1;
        let mut chain = Chain { end: output, residual: None, rectifier: Rectifier::NONE, then: None };
        let Some((work, shape)) = self.work(node, &inputs, shape, &mut chain)? else {
            self.alias[output] = inputs[0];
            return Ok(None);
        };
        inputs.extend(chain.residual);
        self.shapes[chain.end] = Some(shape);
        Ok(Some(FusedStep { work, then: chain.then, inputs, output: chain.end }))
    }

    /// What a node does to its first input, which has this shape, and the shape of the result; nothing if the node is
    /// for training alone.
    fn work(
        &mut self,
        node: usize,
        inputs: &[Value],
        shape: Shape,
        chain: &mut Chain,
    ) -> Result<Option<(Work, Shape)>> {
        Ok(Some(match &self.network.nodes[node].op {
            Op::Conv { .. } | Op::SameConv { .. } => {
                let conv = self.convolution(node, shape, chain)?;
                let shape = conv.output();
                (Work::Conv(conv), shape)
            }
            Op::Depthwise { .. } => self.depthwise(node, shape, chain)?,
            Op::BatchNorm { name, channels, epsilon } => {
                self.check(node, *channels == shape.channels)?;
                let (scale, shift) = self.normalisation(name, *epsilon)?;
                self.rectifier(chain);
                let scale: Vec<f32> = scale.iter().map(|&x| x as f32).collect();
                let (scale, shift) = (blocked(&scale), blocked(&shift));
                (Work::Affine(Affine { scale, shift, rectifier: chain.rectifier }), shape)
            }
            op @ (Op::LeakyRelu { .. } | Op::Relu6) => {
                let (scale, shift) = (blocked(&vec![1.0; shape.channels]), blocked(&vec![0.0; shape.channels]));
                let rectifier = rectifier_of(op).unwrap_or(Rectifier::NONE);
                (Work::Affine(Affine { scale, shift, rectifier }), shape)
            }
            Op::MaxPool { .. } | Op::AveragePool { .. } => self.pool(node, shape)?,
            Op::Add => {
                self.check(node, inputs.len() == 2 && self.shapes[inputs[1]] == Some(shape))?;
                self.rectifier(chain);
                (Work::Add(chain.rectifier), shape)
            }
            Op::Concat => {
                let all: Vec<Shape> = inputs.iter().filter_map(|&at| self.shapes[at]).collect();
                let whole =
                    |s: &Shape| s.channels.is_multiple_of(LANES) && (s.height, s.width) == (shape.height, shape.width);
                self.check(node, all.iter().all(whole))?;
                let channels = all.iter().map(|shape| shape.channels).sum();
                (Work::Concat, Shape { channels, ..shape })
            }
            Op::Scale { name, channels } => {
                self.check(node, *channels == shape.channels)?;
                let scale = blocked(self.parameter(name, "weight")?);
                let shift = vec![Block::ZERO; shape.depth()];
                (Work::Affine(Affine { scale, shift, rectifier: Rectifier::NONE }), shape)
            }
            Op::Gelu(kind) => {
                chain.then = Some(everywhere(*kind));
                let one = vec![Block([1.0; LANES]); shape.depth()];
                let shift = vec![Block::ZERO; shape.depth()];
                let same = Affine { scale: one, shift, rectifier: Rectifier::NONE };
                (Work::Affine(same), shape)
            }
            Op::Tokens { .. } | Op::LayerNorm { .. } => self.tokens(node, shape)?,
            Op::Attention { .. } | Op::Pooling { .. } => self.attention(node, shape)?,
            Op::First => (Work::First, row(shape.channels, 1)),
            Op::Dropout { .. } | Op::DropBlock { .. } => return Ok(None),
        }))
    }

    fn depthwise(&mut self, node: usize, shape: Shape, chain: &mut Chain) -> Result<(Work, Shape)> {
        let Op::Depthwise { name, channels, kernel, stride } = &self.network.nodes[node].op else {
            return Err(self.misplaced(node));
        };
        self.check(node, *channels == shape.channels && *kernel > 0 && *stride > 0)?;
        let (padding, output) = same(*kernel, *stride, shape);
        let (weight, bias) = self.filters(name, false, *channels, chain)?;
        let (window, shapes) = ((*kernel, *stride, padding), (shape, output));
        let mut conv = Depthwise::new(window, &weight, &bias, shapes);
        self.rectifier(chain);
        conv.rectifier = chain.rectifier;
        Ok((Work::Depthwise(conv), output))
    }

    fn pool(&self, node: usize, shape: Shape) -> Result<(Work, Shape)> {
        let pool = match self.network.nodes[node].op {
            Op::MaxPool { kernel, stride, padding, ceil } => {
                self.check(node, kernel > 0 && stride > 0 && padding < kernel)?;
                Pool { kernel, stride, padding, ceil, mean: false }
            }
            Op::AveragePool { kernel, stride } => {
                let fits = kernel > 0 && kernel <= shape.height && kernel <= shape.width;
                self.check(node, stride > 0 && fits)?;
                Pool { kernel, stride, padding: 0, ceil: false, mean: true }
            }
            _ => return Err(self.misplaced(node)),
        };
        Ok((Work::Pool(pool), pool.output(shape)))
    }

    /// Tokens from the positions of a map, and the normalisation of each.
    fn tokens(&self, node: usize, shape: Shape) -> Result<(Work, Shape)> {
        match &self.network.nodes[node].op {
            Op::Tokens { name, leading, positions, channels } => {
                let fits = *positions == shape.positions() && *channels == shape.channels;
                self.check(node, fits && *positions > 0)?;
                let (first, places) = (self.parameter(name, "leading")?, self.parameter(name, "positions")?);
                let tokens = Tokens::new(first, places, *channels);
                Ok((Work::Tokens(tokens), row(*channels, leading + positions)))
            }
            Op::LayerNorm { name, channels, epsilon } => {
                let fits = *channels == shape.channels && channels.is_multiple_of(LANES);
                self.check(node, fits)?;
                let (weight, bias) = (self.parameter(name, "weight")?, self.parameter(name, "bias")?);
                Ok((Work::LayerNorm(LayerNorm::new(weight, bias, *epsilon)), shape))
            }
            _ => Err(self.misplaced(node)),
        }
    }

    /// Attention of all tokens to all, or of one learned query.
    fn attention(&self, node: usize, shape: Shape) -> Result<(Work, Shape)> {
        match &self.network.nodes[node].op {
            &Op::Attention { heads } => {
                let channels = shape.channels / 3;
                let attention = tokens::attention(heads, channels);
                self.check(node, channels * 3 == shape.channels && attention.is_some())?;
                let attention = attention.unwrap_or(Attention { heads: 1, depth: 1 });
                Ok((Work::Attention(attention), row(channels, shape.positions())))
            }
            Op::Pooling { name, channels, heads } => {
                let attention = tokens::attention(*heads, *channels);
                self.check(node, channels * 2 == shape.channels && attention.is_some())?;
                let attention = attention.unwrap_or(Attention { heads: 1, depth: 1 });
                let pooling = Pooling::new(attention, self.parameter(name, "query")?);
                Ok((Work::Pooling(pooling), row(*channels, 1)))
            }
            _ => Err(self.misplaced(node)),
        }
    }

    fn misplaced(&self, node: usize) -> Error {
        let op = &self.network.nodes[node].op;
        self.wrong(format!("node {node}, {op:?}, does not fit what it reads"))
    }

    fn check(&self, node: usize, right: bool) -> Result<()> {
        if right { Ok(()) } else { Err(self.misplaced(node)) }
    }

    /// The only node that reads the end of a chain.
    fn reader(&self, chain: &Chain) -> Option<usize> {
        let reads = |&node: &usize| self.network.nodes[node].inputs.contains(&chain.end);
        let mut readers = (chain.end..self.network.nodes.len()).filter(reads);
        let only = readers.next()?;
        readers.next().is_none().then_some(only)
    }

    fn take(&mut self, node: usize, chain: &mut Chain) {
        self.done[node] = true;
        chain.end = node + 1;
    }

    fn rectifier(&mut self, chain: &mut Chain) {
        if let Some(node) = self.reader(chain)
            && let Some(rectifier) = rectifier_of(&self.network.nodes[node].op)
        {
            chain.rectifier = rectifier;
            self.take(node, chain);
        }
    }

    /// An addition whose other operand is there by the time the step begins.
    fn addition(&mut self, begin: usize, shape: Shape, chain: &mut Chain) {
        let Some(node) = self.reader(chain) else { return };
        let Op::Add = self.network.nodes[node].op else { return };
        let [a, b] = self.network.nodes[node].inputs[..] else { return };
        let other = self.alias[if a == chain.end { b } else { a }];
        if other <= begin && self.shapes[other] == Some(shape) {
            chain.residual = Some(other);
            self.take(node, chain);
        }
    }

    fn convolution(&mut self, node: usize, shape: Shape, chain: &mut Chain) -> Result<Convolution> {
        let network = self.network;
        let (name, inputs, outputs, kernel, stride, fixed, own) = match &network.nodes[node].op {
            Op::Conv { name, inputs, outputs, kernel, stride, padding, bias } => {
                (name, *inputs, *outputs, *kernel, *stride, Some(*padding), *bias)
            }
            Op::SameConv { name, inputs, outputs, kernel, stride } => {
                (name, *inputs, *outputs, *kernel, *stride, None, false)
            }
            _ => return Err(self.wrong(format!("node {node} is not a convolution"))),
        };
        let fits = |n: usize| fixed.is_none_or(|padding| n + 2 * padding >= kernel);
        let right = inputs == shape.channels && fits(shape.height) && fits(shape.width);
        self.check(node, right && outputs > 0 && kernel > 0 && stride > 0)?;
        let (padding, output) = match fixed {
            Some(padding) => {
                let after = |n: usize| (n + 2 * padding - kernel) / stride + 1;
                (padding, Shape { height: after(shape.height), width: after(shape.width), ..shape })
            }
            None => same(kernel, stride, shape),
        };
        let output = Shape { channels: outputs, ..output };
        let (weight, bias) = self.filters(name, own, outputs, chain)?;
        let filters = Filters { inputs, outputs, kernel, stride, padding, weight, bias };
        let mut conv = Convolution::new(filters, shape, output);
        self.addition(node, conv.output(), chain);
        self.rectifier(chain);
        if let Some(after) = self.reader(chain)
            && let Op::Gelu(kind) = network.nodes[after].op
        {
            chain.then = Some(everywhere(kind));
            self.take(after, chain);
        }
        conv.rectifier = chain.rectifier;
        Ok(conv)
    }

    /// The filters of a convolution with the batch normalisation or scale behind it, and what is added; `own` says whether
    /// it has a bias of its own.
    fn filters(&mut self, name: &str, own: bool, outputs: usize, chain: &mut Chain) -> Result<(Vec<f64>, Vec<f32>)> {
        let values = self.parameter(name, "weight")?;
        let mut weight: Vec<f64> = values.iter().map(|&w| f64::from(w)).collect();
        let each = (weight.len() / outputs).max(1);
        let mut bias = if own { self.parameter(name, "bias")?.to_vec() } else { vec![0.0; outputs] };
        let network = self.network;
        let Some(after) = self.reader(chain) else { return Ok((weight, bias)) };
        let (scale, shift) = match &network.nodes[after].op {
            Op::BatchNorm { name, channels, epsilon } => {
                self.check(after, *channels == outputs)?;
                self.normalisation(name, *epsilon)?
            }
            Op::Scale { name, channels } => {
                self.check(after, *channels == outputs)?;
                let scale = self.parameter(name, "weight")?;
                (scale.iter().map(|&x| f64::from(x)).collect(), vec![0.0; outputs])
            }
            _ => return Ok((weight, bias)),
        };
        for (filter, scale) in weight.chunks_exact_mut(each).zip(&scale) {
            filter.iter_mut().for_each(|w| *w *= scale);
        }
        for ((bias, scale), shift) in bias.iter_mut().zip(scale).zip(shift) {
            *bias = (f64::from(*bias) * scale + f64::from(shift)) as f32;
        }
        self.take(after, chain);
        Ok((weight, bias))
    }

    /// `γ/√(σ² + ε)` and `β − μ γ/√(σ² + ε)`.
    fn normalisation(&self, name: &str, epsilon: f32) -> Result<(Vec<f64>, Vec<f32>)> {
        let part = |part| self.parameter(name, part);
        let (gamma, beta) = (part("weight")?, part("bias")?);
        let (mean, variance) = (part("running_mean")?, part("running_var")?);
        let scale =
            |(&gamma, &variance): (&f32, &f32)| f64::from(gamma) / (f64::from(variance) + f64::from(epsilon)).sqrt();
        let scale: Vec<f64> = gamma.iter().zip(variance).map(scale).collect();
        let shift = |((&beta, &mean), scale): ((&f32, &f32), &f64)| (f64::from(beta) - f64::from(mean) * scale) as f32;
        let shift = beta.iter().zip(mean).zip(&scale).map(shift).collect();
        Ok((scale, shift))
    }

    fn parameter(&self, name: &str, part: &str) -> Result<&[f32]> {
        let key = format!("{name}.{part}");
        match self.weights.get(&key) {
            Some(parameter) => Ok(&parameter.values),
            None => Err(self.wrong(format!("its weights lack \"{key}\""))),
        }
    }
}

/// The nodes that one step does.
struct Chain {
    /// The value that comes out.
    end: Value,
    residual: Option<Value>,
    rectifier: Rectifier,
    then: Option<Everywhere>,
}

/// A GELU activation, of all numbers of a map.
fn everywhere(kind: Gelu) -> Everywhere {
    match kind {
        Gelu::Exact => pointwise::gelu,
        Gelu::Tanh => pointwise::gelu_tanh,
        Gelu::Quick => pointwise::gelu_quick,
    }
}

/// The shape of some tokens.
fn row(channels: usize, tokens: usize) -> Shape {
    Shape { channels, height: 1, width: tokens }
}

/// The rectifier that an operation is.
fn rectifier_of(op: &Op) -> Option<Rectifier> {
    match op {
        Op::LeakyRelu { slope } => Some(Rectifier::leaky(*slope)),
        Op::Relu6 => Some(Rectifier::RELU6),
        _ => None,
    }
}

/// The zeros before a map and the shape behind it, where as many are added as `⌈n/stride⌉` positions need.
fn same(kernel: usize, stride: usize, shape: Shape) -> (usize, Shape) {
    let after = |n: usize| n.div_ceil(stride);
    let output = Shape { height: after(shape.height), width: after(shape.width), ..shape };
    (same_padding(kernel, stride, shape.height), output)
}
