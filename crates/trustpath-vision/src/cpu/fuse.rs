//! From the nodes of a network to fewer and larger steps.
//!
//! A batch normalisation behind a convolution becomes part of its filters,
//!
//! ```text
//! w′ = w γ/√(σ² + ε),    b′ = β − μ γ/√(σ² + ε)
//! ```
//!
//! and an addition and a rectifier behind that are done while the sums are still in registers. What
//! is for training alone vanishes.

use super::block::{LANES, Shape, blocked};
use super::conv::{Convolution, Filters};
use super::pool::{Affine, Pool};
use crate::network::{BATCH_NORM_EPSILON, Network, Op, Value};
use crate::weights::NetworkWeights;
use crate::{Error, Result};

/// What a step does.
pub(super) enum Work {
    /// A convolution; a second input is added before the rectifier.
    Conv(Convolution),
    Pool(Pool),
    Affine(Affine),
    /// A sum and a rectifier of this slope.
    Add(f32),
    Concat,
}

/// A step of the plan.
pub(super) struct FusedStep {
    pub work: Work,
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
        let mut chain = Chain { end: output, residual: None, slope: 1.0 };
        let (work, shape) = match &self.network.nodes[node].op {
            Op::Conv { .. } => {
                let conv = self.convolution(node, shape, &mut chain)?;
                let shape = conv.output();
                (Work::Conv(conv), shape)
            }
            Op::BatchNorm { name, channels } => {
                self.check(node, *channels == shape.channels)?;
                let (scale, shift) = self.normalisation(name)?;
                self.rectifier(&mut chain);
                let scale: Vec<f32> = scale.iter().map(|&x| x as f32).collect();
                let (scale, shift) = (blocked(&scale), blocked(&shift));
                (Work::Affine(Affine { scale, shift, slope: chain.slope }), shape)
            }
            Op::LeakyRelu { slope } => {
                let (scale, shift) =
                    (blocked(&vec![1.0; shape.channels]), blocked(&vec![0.0; shape.channels]));
                (Work::Affine(Affine { scale, shift, slope: *slope }), shape)
            }
            &Op::MaxPool { kernel, stride, padding, ceil } => {
                self.check(node, kernel > 0 && stride > 0 && padding < kernel)?;
                let pool = Pool { kernel, stride, padding, ceil, mean: false };
                (Work::Pool(pool), pool.output(shape))
            }
            &Op::AveragePool { kernel, stride } => {
                let fits = kernel > 0 && kernel <= shape.height && kernel <= shape.width;
                self.check(node, stride > 0 && fits)?;
                let pool = Pool { kernel, stride, padding: 0, ceil: false, mean: true };
                (Work::Pool(pool), pool.output(shape))
            }
            Op::Add => {
                self.check(node, inputs.len() == 2 && self.shapes[inputs[1]] == Some(shape))?;
                self.rectifier(&mut chain);
                (Work::Add(chain.slope), shape)
            }
            Op::Concat => {
                let all = shapes.unwrap_or_default();
                let whole = |s: &Shape| {
                    s.channels.is_multiple_of(LANES)
                        && (s.height, s.width) == (shape.height, shape.width)
                };
                self.check(node, all.iter().all(whole))?;
                let channels = all.iter().map(|shape| shape.channels).sum();
                (Work::Concat, Shape { channels, ..shape })
            }
            Op::Dropout { .. } | Op::DropBlock { .. } => {
                self.alias[output] = inputs[0];
                return Ok(None);
            }
        };
        inputs.extend(chain.residual);
        self.shapes[chain.end] = Some(shape);
        Ok(Some(FusedStep { work, inputs, output: chain.end }))
    }

    fn check(&self, node: usize, right: bool) -> Result<()> {
        if right {
            return Ok(());
        }
        let op = &self.network.nodes[node].op;
        Err(self.wrong(format!("node {node}, {op:?}, does not fit what it reads")))
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
            && let Op::LeakyRelu { slope } = self.network.nodes[node].op
        {
            chain.slope = slope;
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
        let Op::Conv { name, inputs, outputs, kernel, stride, padding } = &network.nodes[node].op
        else {
            return Err(self.wrong(format!("node {node} is no convolution")));
        };
        let (inputs, outputs, kernel) = (*inputs, *outputs, *kernel);
        let (stride, padding) = (*stride, *padding);
        let fits = |n: usize| kernel > 0 && stride > 0 && n + 2 * padding >= kernel;
        let right = inputs == shape.channels && fits(shape.height) && fits(shape.width);
        self.check(node, right && outputs > 0)?;
        let values = self.parameter(name, "weight")?;
        let mut weight: Vec<f64> = values.iter().map(|&w| f64::from(w)).collect();
        let mut bias = vec![0.0; outputs];
        if let Some(after) = self.reader(chain)
            && let Op::BatchNorm { name, channels } = &network.nodes[after].op
        {
            self.check(after, *channels == outputs)?;
            let (scale, shift) = self.normalisation(name)?;
            for (filter, scale) in weight.chunks_exact_mut(inputs * kernel * kernel).zip(scale) {
                filter.iter_mut().for_each(|w| *w *= scale);
            }
            bias = shift;
            self.take(after, chain);
        }
        let filters = Filters { inputs, outputs, kernel, stride, padding, weight, bias };
        let mut conv = Convolution::new(filters, shape);
        self.addition(node, conv.output(), chain);
        self.rectifier(chain);
        conv.rectify(chain.slope);
        Ok(conv)
    }

    /// `γ/√(σ² + ε)` and `β − μ γ/√(σ² + ε)`.
    fn normalisation(&self, name: &str) -> Result<(Vec<f64>, Vec<f32>)> {
        let part = |part| self.parameter(name, part);
        let (gamma, beta) = (part("weight")?, part("bias")?);
        let (mean, variance) = (part("running_mean")?, part("running_var")?);
        let scale = |(&gamma, &variance): (&f32, &f32)| {
            f64::from(gamma) / (f64::from(variance) + f64::from(BATCH_NORM_EPSILON)).sqrt()
        };
        let scale: Vec<f64> = gamma.iter().zip(variance).map(scale).collect();
        let shift = |((&beta, &mean), scale): ((&f32, &f32), &f64)| {
            (f64::from(beta) - f64::from(mean) * scale) as f32
        };
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
    slope: f32,
}
