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
use super::block::{Block16, KernelWindow, LANES, MapShape};
use super::conv::Convolution;
use super::depthwise::Depthwise;
use super::epilogue::Rectifier;
use super::pointwise::{self, LayerNorm};
use super::pool::{Affine, WindowPool};
use super::tokens::{self, Pooling, Tokens};
use crate::network::{Gelu, MapIndex, Network, Op, Padding};
use crate::weights::NetworkWeights;
use crate::{Error, Result};

/// What a step does.
pub(super) enum Work {
    /// A convolution; a second input is added before the rectifier.
    Conv(Convolution),
    Depthwise(Depthwise),
    Pool(WindowPool),
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
pub(super) type Everywhere = fn(&mut [Block16]);

/// A step of the plan.
pub(super) struct FusedStep {
    pub work: Work,
    /// What is done to its output.
    pub then: Option<Everywhere>,
    pub inputs: Vec<MapIndex>,
    pub output: MapIndex,
}

/// The steps of a network whose weights are all there, and the shape of every value.
pub(super) fn fuse(network: &Network, weights: &NetworkWeights) -> Result<(Vec<FusedStep>, Vec<Option<MapShape>>)> {
    let image = MapShape { channels: 3, height: network.input.size, width: network.input.size };
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
    Ok((steps, fuser.shapes))
}

struct Fuser<'a> {
    network: &'a Network,
    weights: &'a NetworkWeights,
    /// The shapes of the values that are known so far.
    shapes: Vec<Option<MapShape>>,
    /// The value that a value is the same as.
    alias: Vec<MapIndex>,
    /// Nodes that are part of a step.
    done: Vec<bool>,
}

impl<'a> Fuser<'a> {
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
        let shapes: Option<Vec<MapShape>> = inputs.iter().map(|&input| self.shapes[input]).collect();
        let Some(shape) = shapes.as_ref().and_then(|shapes| shapes.first().copied()) else {
            return Err(self.wrong(format!("node {node} reads nothing")));
        };
        self.done[node] = true;
        let output = node + 1;
        let mut chain = Chain { end: output, residual: None, then: None };
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
        inputs: &[MapIndex],
        shape: MapShape,
        chain: &mut Chain,
    ) -> Result<Option<(Work, MapShape)>> {
        let op = self.op(node);
        Ok(Some(match op {
            Op::Conv { .. } => self.convolution(node, shape, chain)?,
            Op::Depthwise { name, channels, kernel, stride } => {
                self.check(node, *channels == shape.channels)?;
                let (window, output) = self.window(node, (*kernel, *stride), Padding::Same, shape)?;
                let (weight, bias) = self.filters(name, false, *channels, chain)?;
                let mut conv = Depthwise::new(window, &weight, &bias, (shape, output));
                conv.rectifier = self.rectifier(chain);
                (Work::Depthwise(conv), output)
            }
            Op::BatchNorm { name, channels, epsilon } => {
                self.check(node, *channels == shape.channels)?;
                let (scale, shift) = self.normalisation(name, *epsilon)?;
                let scale: Vec<f32> = scale.iter().map(|&x| x as f32).collect();
                (Work::Affine(Affine::new(&scale, &shift, self.rectifier(chain))), shape)
            }
            Op::Scale { name, channels } => {
                self.check(node, *channels == shape.channels)?;
                let (scale, shift) = (self.parameter(name, "weight")?, vec![0.0; *channels]);
                (Work::Affine(Affine::new(scale, &shift, Rectifier::NONE)), shape)
            }
            Op::LeakyRelu { .. } | Op::Relu6 | Op::Gelu(_) => {
                if let Op::Gelu(kind) = op {
                    chain.then = Some(everywhere(*kind));
                }
                let (ones, zeros) = (vec![1.0; shape.channels], vec![0.0; shape.channels]);
                (Work::Affine(Affine::new(&ones, &zeros, rectifier_of(op).unwrap_or(Rectifier::NONE))), shape)
            }
            Op::MaxPool { .. } | Op::AveragePool { .. } => self.pool(node, shape)?,
            Op::Add => {
                self.check(node, inputs.len() == 2 && self.shapes[inputs[1]] == Some(shape))?;
                (Work::Add(self.rectifier(chain)), shape)
            }
            Op::Concat => {
                let all: Vec<MapShape> = inputs.iter().filter_map(|&at| self.shapes[at]).collect();
                let whole = |s: &MapShape| {
                    s.channels.is_multiple_of(LANES) && (s.height, s.width) == (shape.height, shape.width)
                };
                self.check(node, all.iter().all(whole))?;
                let channels = all.iter().map(|shape| shape.channels).sum();
                (Work::Concat, MapShape { channels, ..shape })
            }
            Op::Tokens { .. } | Op::LayerNorm { .. } | Op::Attention { .. } | Op::Pooling { .. } | Op::First => {
                self.tokens(node, shape)?
            }
            Op::Dropout { .. } | Op::DropBlock { .. } => return Ok(None),
        }))
    }

    fn pool(&self, node: usize, shape: MapShape) -> Result<(Work, MapShape)> {
        let pool = match *self.op(node) {
            Op::MaxPool { kernel, stride, padding, ceil } => {
                self.check(node, kernel > 0 && stride > 0 && padding < kernel)?;
                WindowPool { window: KernelWindow { kernel, stride, padding }, ceil, mean: false }
            }
            Op::AveragePool { kernel, stride } => {
                let fits = kernel > 0 && kernel <= shape.height && kernel <= shape.width;
                self.check(node, stride > 0 && fits)?;
                WindowPool { window: KernelWindow { kernel, stride, padding: 0 }, ceil: false, mean: true }
            }
            _ => return Err(self.misplaced(node)),
        };
        Ok((Work::Pool(pool), pool.output(shape)))
    }

    /// What only transformers do.
    fn tokens(&self, node: usize, shape: MapShape) -> Result<(Work, MapShape)> {
        let attention = |heads: usize, channels: usize, parts: usize| -> Result<Attention> {
            let attention = tokens::attention(heads, channels).filter(|_| channels * parts == shape.channels);
            attention.ok_or_else(|| self.misplaced(node))
        };
        Ok(match self.op(node) {
            Op::Tokens { name, leading, positions, channels } => {
                let fits = *positions == shape.positions() && *channels == shape.channels;
                self.check(node, fits && *positions > 0)?;
                let (first, places) = (self.parameter(name, "leading")?, self.parameter(name, "positions")?);
                (Work::Tokens(Tokens::new(first, places, *channels)), row(*channels, leading + positions))
            }
            Op::LayerNorm { name, channels, epsilon } => {
                self.check(node, *channels == shape.channels && channels.is_multiple_of(LANES))?;
                let (weight, bias) = (self.parameter(name, "weight")?, self.parameter(name, "bias")?);
                (Work::LayerNorm(LayerNorm::new(weight, bias, *epsilon)), shape)
            }
            Op::Attention { heads } => {
                let channels = shape.channels / 3;
                (Work::Attention(attention(*heads, channels, 3)?), row(channels, shape.positions()))
            }
            Op::Pooling { name, channels, heads } => {
                let attention = attention(*heads, *channels, 2)?;
                (Work::Pooling(Pooling::new(attention, self.parameter(name, "query")?)), row(*channels, 1))
            }
            Op::First => (Work::First, row(shape.channels, 1)),
            _ => return Err(self.misplaced(node)),
        })
    }

    fn op(&self, node: usize) -> &'a Op {
        &self.network.nodes[node].op
    }

    fn misplaced(&self, node: usize) -> Error {
        self.wrong(format!("node {node}, {:?}, does not fit what it reads", self.op(node)))
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

    /// The rectifier behind a chain, which becomes a part of it.
    fn rectifier(&mut self, chain: &mut Chain) -> Rectifier {
        let Some(node) = self.reader(chain) else { return Rectifier::NONE };
        let rectifier = rectifier_of(self.op(node));
        if rectifier.is_some() {
            self.take(node, chain);
        }
        rectifier.unwrap_or(Rectifier::NONE)
    }

    /// An addition whose other operand is there by the time the step begins.
    fn addition(&mut self, begin: usize, shape: MapShape, chain: &mut Chain) {
        let Some(node) = self.reader(chain) else { return };
        let Op::Add = self.op(node) else { return };
        let [a, b] = self.network.nodes[node].inputs[..] else { return };
        let other = self.alias[if a == chain.end { b } else { a }];
        if other <= begin && self.shapes[other] == Some(shape) {
            chain.residual = Some(other);
            self.take(node, chain);
        }
    }

    /// The window of a convolution, and the shape of what comes out but for its channels.
    fn window(
        &self,
        node: usize,
        (kernel, stride): (usize, usize),
        padding: Padding,
        shape: MapShape,
    ) -> Result<(KernelWindow, MapShape)> {
        self.check(node, kernel > 0 && stride > 0)?;
        let zeros = |n: usize| padding.zeros(kernel, stride, n);
        let after = |n: usize| -> Result<usize> {
            let span = (n + zeros(n).iter().sum::<usize>()).checked_sub(kernel);
            span.map(|span| span / stride + 1).ok_or_else(|| self.misplaced(node))
        };
        let output = MapShape { height: after(shape.height)?, width: after(shape.width)?, ..shape };
        Ok((KernelWindow { kernel, stride, padding: zeros(shape.height)[0] }, output))
    }

    fn convolution(&mut self, node: usize, shape: MapShape, chain: &mut Chain) -> Result<(Work, MapShape)> {
        let Op::Conv { name, inputs, outputs, kernel, stride, padding, bias } = self.op(node) else {
            return Err(self.misplaced(node));
        };
        self.check(node, *inputs == shape.channels && *outputs > 0)?;
        let (window, output) = self.window(node, (*kernel, *stride), *padding, shape)?;
        let output = MapShape { channels: *outputs, ..output };
        let (weight, bias) = self.filters(name, *bias, *outputs, chain)?;
        let mut conv = Convolution::new(window, &weight, &bias, (shape, output));
        self.addition(node, output, chain);
        conv.rectifier = self.rectifier(chain);
        if let Some(after) = self.reader(chain)
            && let Op::Gelu(kind) = self.op(after)
        {
            chain.then = Some(everywhere(*kind));
            self.take(after, chain);
        }
        Ok((Work::Conv(conv), output))
    }

    /// The filters of a convolution with the batch normalisation or scale behind it, and what is added.
    fn filters(&mut self, name: &str, bias: bool, outputs: usize, chain: &mut Chain) -> Result<(Vec<f64>, Vec<f32>)> {
        let values = self.parameter(name, "weight")?;
        let mut weight: Vec<f64> = values.iter().map(|&w| f64::from(w)).collect();
        let each = (weight.len() / outputs).max(1);
        let mut bias = if bias { self.parameter(name, "bias")?.to_vec() } else { vec![0.0; outputs] };
        let Some(after) = self.reader(chain) else { return Ok((weight, bias)) };
        let (scale, shift) = match self.op(after) {
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
    end: MapIndex,
    residual: Option<MapIndex>,
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
fn row(channels: usize, tokens: usize) -> MapShape {
    MapShape { channels, height: 1, width: tokens }
}

/// The rectifier that an operation is.
fn rectifier_of(op: &Op) -> Option<Rectifier> {
    match op {
        Op::LeakyRelu { slope } => Some(Rectifier::leaky(*slope)),
        Op::Relu6 => Some(Rectifier::RELU6),
        _ => None,
    }
}
