//! A described network that can be trained.

use std::collections::BTreeMap;

use tch::{Device, Kind, Tensor, no_grad};
use trustpath::random::Random;

use super::Torch;
use super::checkpoint::{self, TrainingState};
use super::device::kind;
use super::drop_block::drop_block;
use super::group::{ParameterGroup, ParameterShape};
use crate::network::{Network, Node, Op, Padding};
use crate::weights::NetworkWeights;
use crate::{Error, Result};

/// The share of the newest batch in the running statistics.
const STATISTICS_MOMENTUM: f64 = 0.1;
/// Keys of the classifier over all training classes, as the official code spells them.
const CLASSIFIER: [&str; 2] = ["clasifier.weight", "clasifier.bias"];

/// Whether the network learns; DropBlock then depends on the step.
#[derive(Debug, Clone, Copy)]
pub(super) enum Mode {
    Learn { step: u64 },
    Apply,
}

/// A network, its parameters, and a classifier over the training classes.
#[derive(Debug)]
pub(super) struct TrainableNetwork {
    network: Network,
    /// Weights of convolutions, in the precision of the computation.
    convolutions: ParameterGroup,
    /// Batch normalisations and the classifier, in 32 bits.
    others: ParameterGroup,
    /// Running means and variances.
    statistics: BTreeMap<String, Tensor>,
    /// Where each key is: whether among the convolutions, and which.
    places: BTreeMap<String, (bool, usize)>,
    /// Where it computes.
    pub device: Device,
    kind: Kind,
}

/// A square map with the zeros of [`Padding::Same`] around it.
fn padded(x: &Tensor, kernel: usize, stride: usize) -> Torch<Tensor> {
    let zeros = Padding::Same.zeros(kernel, stride, x.size()[3] as usize);
    let [before, after] = zeros.map(|zeros| zeros as i64);
    x.f_constant_pad_nd([before, after, before, after])
}

impl TrainableNetwork {
    /// With the parameters a training starts from.
    pub fn new(network: &Network, classes: usize, seed: u64, device: Device) -> Result<Self> {
        let mut model = Self::zeros(network, classes, kind(device), device)?;
        model.start(seed)?;
        Ok(model)
    }

    /// With weights that were trained, in 32 bits: it only computes features.
    pub fn trained(network: &Network, weights: &NetworkWeights, device: Device) -> Result<Self> {
        let mut model = Self::zeros(network, 1, Kind::Float, device)?;
        let values = |p: &ParameterShape| {
            let zeros = vec![0.0; p.len() as usize];
            // The classifier over training classes, which features do not pass, is not among the weights.
            let values = weights.get(&p.key).map_or_else(|| zeros.clone(), |parameter| parameter.values.clone());
            Ok::<_, Error>((values, zeros))
        };
        model.convolutions.set(values)?;
        model.others.set(values)?;
        for (key, tensor) in &mut model.statistics {
            let shape: Vec<usize> = tensor.size().iter().map(|&n| n as usize).collect();
            tensor.f_copy_(&Tensor::f_from_slice(weights.shaped(key, &shape)?)?)?;
        }
        Ok(model)
    }

    /// With parameters that are all zero.
    fn zeros(network: &Network, classes: usize, kind: Kind, device: Device) -> Result<Self> {
        if network.is_transformer() {
            let name = network.name;
            return Err(Error::Input(format!(
                "{name} is run by this program's own code alone, not by libtorch: leave out --device"
            )));
        }
        let (mut convolutions, mut others) = (Vec::new(), Vec::new());
        let (mut statistics, mut places) = (BTreeMap::new(), BTreeMap::new());
        for (key, shape) in network.parameters() {
            let shape: Vec<i64> = shape.into_iter().map(|n| n as i64).collect();
            if key.ends_with("running_mean") || key.ends_with("running_var") {
                let start = if key.ends_with("var") { 1.0 } else { 0.0 };
                statistics.insert(key, Tensor::f_full(&shape[..], start, (Kind::Float, device))?);
                continue;
            }
            let convolution = shape.len() == 4;
            let group = if convolution { &mut convolutions } else { &mut others };
            places.insert(key.clone(), (convolution, group.len()));
            group.push(ParameterShape { key, shape });
        }
        let shapes = [vec![classes as i64, network.dim as i64], vec![classes as i64]];
        for (key, shape) in CLASSIFIER.into_iter().zip(shapes) {
            places.insert(key.into(), (false, others.len()));
            others.push(ParameterShape { key: key.into(), shape });
        }
        Ok(Self {
            network: network.clone(),
            convolutions: ParameterGroup::new(convolutions, kind, device)?,
            others: ParameterGroup::new(others, Kind::Float, device)?,
            statistics,
            places,
            device,
            kind,
        })
    }

    /// Convolutions by He et al. (2015), over what goes out; the classifier uniform.
    fn start(&mut self, seed: u64) -> Result<()> {
        let dim = self.network.dim as f64;
        let mut stream = 0;
        let mut first = |p: &ParameterShape| -> Result<(Vec<f32>, Vec<f32>)> {
            let len = p.len() as usize;
            // Steps use the streams from 0 up, parameters those from the top down.
            let mut random = Random::stream(seed, u64::MAX - stream);
            stream += 1;
            let values: Vec<f32> = match (&p.shape[..], &p.key[..]) {
                ([o, _, h, w], _) => {
                    let spread = (2.0 / (o * h * w) as f64).sqrt();
                    (0..len).map(|_| (spread * random.normal()) as f32).collect()
                }
                (_, key) if CLASSIFIER.contains(&key) => {
                    let bound = 1.0 / dim.sqrt();
                    (0..len).map(|_| (bound * (2.0 * random.uniform() - 1.0)) as f32).collect()
                }
                (_, key) => vec![if key.ends_with("weight") { 1.0 } else { 0.0 }; len],
            };
            Ok((values, vec![0.0; len]))
        };
        self.convolutions.set(&mut first)?;
        self.others.set(&mut first)
    }

    fn parameter(&self, key: &str) -> &Tensor {
        let (convolution, index) = self.places[key];
        let group = if convolution { &self.convolutions } else { &self.others };
        &group.leaves[index]
    }

    /// Feature maps of images, batch × channels × height × width, in 32 bits.
    pub fn maps(&self, images: &Tensor, mode: Mode) -> Torch<Tensor> {
        let nodes = &self.network.nodes;
        let mut last_use = vec![nodes.len(); nodes.len() + 1];
        for (i, node) in nodes.iter().enumerate() {
            node.inputs.iter().for_each(|&value| last_use[value] = i);
        }
        let mut values = vec![Some(images.f_to_kind(self.kind)?)];
        for (i, node) in nodes.iter().enumerate() {
            let inputs: Vec<Tensor> =
                node.inputs.iter().filter_map(|&v| values[v].as_ref().map(Tensor::shallow_clone)).collect();
            let value = self.apply(node, &inputs, mode)?;
            node.inputs.iter().filter(|&&v| last_use[v] == i).for_each(|&v| values[v] = None);
            values.push(Some(value));
        }
        let maps = values.pop().flatten();
        maps.as_ref().unwrap_or(images).f_to_kind(Kind::Float)
    }

    /// Features of images: the mean of each channel's map, on the processor.
    pub fn features(&self, images: &Tensor) -> Torch<Tensor> {
        let maps = no_grad(|| self.maps(images, Mode::Apply))?;
        maps.f_mean_dim(&[2_i64, 3][..], false, Kind::Float)?.f_to_device(Device::Cpu)
    }

    fn apply(&self, node: &Node, inputs: &[Tensor], mode: Mode) -> Torch<Tensor> {
        let x = &inputs[0];
        let convolved = |x: &Tensor, name: &str, stride: usize, zeros: usize, groups: usize| {
            let weight = self.parameter(&format!("{name}.weight"));
            x.f_conv2d(weight, None::<&Tensor>, [stride as i64; 2], [zeros as i64; 2], [1; 2], groups as i64)
        };
        match &node.op {
            Op::Conv { name, kernel, stride, padding, .. } => match padding {
                Padding::Each(zeros) => convolved(x, name, *stride, *zeros, 1),
                Padding::Same => convolved(&padded(x, *kernel, *stride)?, name, *stride, 0, 1),
            },
            Op::Depthwise { name, channels, kernel, stride } => {
                convolved(&padded(x, *kernel, *stride)?, name, *stride, 0, *channels)
            }
            Op::BatchNorm { name, epsilon, .. } => {
                let learned = |part: &str| Some(self.parameter(&format!("{name}.{part}")));
                let running = |part: &str| Some(&self.statistics[&format!("{name}.{part}")]);
                x.f_batch_norm(
                    learned("weight"),
                    learned("bias"),
                    running("running_mean"),
                    running("running_var"),
                    matches!(mode, Mode::Learn { .. }),
                    STATISTICS_MOMENTUM,
                    f64::from(*epsilon),
                    true,
                )
            }
            Op::Relu6 => x.f_clamp(0.0, 6.0),
            // The rectifier itself cannot be given a slope from Rust, but its derivative can, and that
            // times `x` is the rectifier: one operation, and one on the way back.
            Op::LeakyRelu { slope } => x.f_detach()?.f_leaky_relu_backward(x, f64::from(*slope), false),
            Op::MaxPool { kernel, stride, padding, ceil } => {
                let [kernel, stride, padding] = [kernel, stride, padding].map(|&n| [n as i64; 2]);
                x.f_max_pool2d(kernel, stride, padding, [1; 2], *ceil)
            }
            Op::AveragePool { kernel, stride } => {
                let [kernel, stride] = [kernel, stride].map(|&n| [n as i64; 2]);
                x.f_avg_pool2d(kernel, stride, [0; 2], false, true, None)
            }
            Op::Add => x.f_add(&inputs[1]),
            Op::Concat => Tensor::f_cat(inputs, 1),
            Op::Dropout { rate } => x.f_dropout(*rate, matches!(mode, Mode::Learn { .. })),
            Op::DropBlock { rate, size } => match mode {
                Mode::Learn { step } => drop_block(x, *rate, *size, step),
                Mode::Apply => Ok(x.shallow_clone()),
            },
            // `zeros` refuses networks with these.
            Op::Tokens { .. }
            | Op::LayerNorm { .. }
            | Op::Scale { .. }
            | Op::Attention { .. }
            | Op::Pooling { .. }
            | Op::Gelu(_)
            | Op::First => Err(tch::TchError::Kind(format!("{:?} is not run by libtorch", node.op))),
        }
    }

    /// Scores of every training class for rows of features.
    pub fn classify(&self, features: &Tensor) -> Torch<Tensor> {
        let [weight, bias] = CLASSIFIER.map(|key| self.parameter(key));
        features.f_linear(weight, Some(bias))
    }

    /// One step of the optimiser down the slope of a loss.
    pub fn step(&mut self, loss: &Tensor, recipe: &super::Recipe, rate: f64) -> Torch<()> {
        let gradients = self.gradients(loss)?;
        let (first, second) = gradients.split_at(self.convolutions.leaves.len());
        self.convolutions.step(first, recipe, rate)?;
        self.others.step(second, recipe, rate)
    }

    /// The gradient of a loss for every parameter: convolutions, then the others.
    pub fn gradients(&self, loss: &Tensor) -> Torch<Vec<Tensor>> {
        let leaves: Vec<&Tensor> = self.convolutions.leaves.iter().chain(&self.others.leaves).collect();
        Tensor::f_run_backward(&[loss], &leaves, false, false)
    }

    /// Every number a training is resumed from: parameters, running statistics and, under `momentum.`,
    /// the velocity of the optimiser; each with its axes.
    pub fn state(&self) -> Result<TrainingState> {
        let mut state = BTreeMap::new();
        for group in [&self.convolutions, &self.others] {
            for (parameter, weights, velocity) in group.numbers()? {
                let shape: Vec<usize> = parameter.shape.iter().map(|&n| n as usize).collect();
                state.insert(format!("momentum.{}", parameter.key), (shape.clone(), velocity));
                state.insert(parameter.key.clone(), (shape, weights));
            }
        }
        for (key, tensor) in &self.statistics {
            let values = Vec::<f32>::try_from(tensor.f_to_device(Device::Cpu)?)?;
            state.insert(key.clone(), (vec![values.len()], values));
        }
        Ok(state)
    }

    /// Resumes from such a state.
    pub fn restore(&mut self, state: &TrainingState) -> Result<()> {
        let find = |key: &str, shape: &[i64]| -> Result<Vec<f32>> {
            let entry = state
                .get(key)
                .filter(|(axes, _)| axes.len() == shape.len() && axes.iter().zip(shape).all(|(&a, &b)| a as i64 == b));
            let (_, values) =
                entry.ok_or_else(|| checkpoint::refuse(format!("it has no {key} of this network's shape")))?;
            Ok(values.clone())
        };
        let both = |p: &ParameterShape| -> Result<(Vec<f32>, Vec<f32>)> {
            Ok((find(&p.key, &p.shape)?, find(&format!("momentum.{}", p.key), &p.shape)?))
        };
        self.convolutions.set(both)?;
        self.others.set(both)?;
        for (key, tensor) in &mut self.statistics {
            let values = find(key, &tensor.size())?;
            tensor.f_copy_(&Tensor::f_from_slice(&values)?)?;
        }
        Ok(())
    }
}
