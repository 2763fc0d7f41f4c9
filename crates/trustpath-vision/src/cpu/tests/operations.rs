//! The engine against the definition of each operation, summed plainly in double precision.

use crate::cpu::Engine;
use crate::network::{Builder, Gelu, ImageInput, MapIndex, Network, Node, Op, Padding};
use crate::weights::NetworkWeights;

use super::{images, weights};

/// Channels × height × width.
pub(super) struct FeatureMap {
    channels: usize,
    height: usize,
    width: usize,
    pub(super) values: Vec<f64>,
}

impl FeatureMap {
    pub(super) fn from_fn(
        (channels, height, width): (usize, usize, usize),
        value: impl Fn(usize, usize, usize) -> f64,
    ) -> Self {
        let mut values = Vec::new();
        for c in 0..channels {
            for y in 0..height {
                values.extend((0..width).map(|x| value(c, y, x)));
            }
        }
        Self { channels, height, width, values }
    }

    fn shape(&self) -> (usize, usize, usize) {
        (self.channels, self.height, self.width)
    }

    /// The value at a position, if that lies within the map.
    fn at(&self, c: usize, y: isize, x: isize) -> Option<f64> {
        let (y, x) = (usize::try_from(y).ok()?, usize::try_from(x).ok()?);
        (y < self.height && x < self.width).then(|| self.values[(c * self.height + y) * self.width + x])
    }

    /// What is there of a window.
    fn window(&self, c: usize, (y, x): (isize, isize), edge: usize) -> Vec<f64> {
        let edge = edge as isize;
        (0..edge * edge).filter_map(|i| self.at(c, y + i / edge, x + i % edge)).collect()
    }

    fn map(&self, f: impl Fn(usize, f64) -> f64) -> Self {
        Self::from_fn(self.shape(), |c, y, x| f(c, self.at(c, y as isize, x as isize).unwrap()))
    }
}

/// The position in the input at which a window of the output begins.
fn start(at: usize, stride: usize, padding: usize) -> isize {
    (at * stride) as isize - padding as isize
}

fn parameter(weights: &NetworkWeights, name: &str, part: &str) -> Vec<f64> {
    let values = &weights.get(&format!("{name}.{part}")).unwrap().values;
    values.iter().map(|&x| f64::from(x)).collect()
}

fn compute(op: &Op, inputs: &[&FeatureMap], weights: &NetworkWeights) -> FeatureMap {
    let parameter = |name: &str, part: &str| parameter(weights, name, part);
    let x = inputs[0];
    match op {
        Op::Conv { name, outputs, kernel, stride, padding, bias, .. } => {
            let bias = if *bias { parameter(name, "bias") } else { vec![0.0; *outputs] };
            convolved(x, (*kernel, *stride, *padding), &parameter(name, "weight"), &bias, false)
        }
        Op::Depthwise { name, channels, kernel, stride } => {
            let window = (*kernel, *stride, Padding::Same);
            convolved(x, window, &parameter(name, "weight"), &vec![0.0; *channels], true)
        }
        Op::BatchNorm { name, epsilon, .. } => {
            let (gamma, beta) = (parameter(name, "weight"), parameter(name, "bias"));
            let (mean, variance) = (parameter(name, "running_mean"), parameter(name, "running_var"));
            x.map(|c, x| {
                let root = (variance[c] + f64::from(*epsilon)).sqrt();
                gamma[c] * (x - mean[c]) / root + beta[c]
            })
        }
        Op::Relu6 => x.map(|_, x| x.clamp(0.0, 6.0)),
        Op::LeakyRelu { slope } => x.map(|_, x| if x > 0.0 { x } else { f64::from(*slope) * x }),
        Op::MaxPool { .. } | Op::AveragePool { .. } => pooled(op, x),
        Op::Add => {
            let both = x.values.iter().zip(&inputs[1].values).map(|(a, b)| a + b).collect();
            FeatureMap { values: both, ..x.map(|_, x| x) }
        }
        Op::Concat => {
            let values = inputs.iter().flat_map(|map| map.values.clone()).collect();
            let channels = inputs.iter().map(|map| map.channels).sum();
            FeatureMap { channels, height: x.height, width: x.width, values }
        }
        Op::Tokens { name, leading, channels, .. } => {
            let (first, places) = (parameter(name, "leading"), parameter(name, "positions"));
            let count = x.height * x.width;
            FeatureMap::from_fn((*channels, 1, leading + count), |c, _, t| match t.checked_sub(*leading) {
                None => first[t * channels + c],
                Some(t) => x.values[c * count + t] + places[t * channels + c],
            })
        }
        Op::LayerNorm { name, epsilon, .. } => {
            let (gamma, beta) = (parameter(name, "weight"), parameter(name, "bias"));
            layer_normalised(x, &gamma, &beta, f64::from(*epsilon))
        }
        Op::Scale { name, .. } => {
            let scale = parameter(name, "weight");
            x.map(|c, x| scale[c] * x)
        }
        Op::Attention { heads } => {
            let width = x.channels / 3;
            let query = |c: usize, t: usize| x.values[c * x.width + t];
            gathered(x, (width, *heads), x.width, query, width)
        }
        Op::Pooling { name, channels, heads } => {
            let query = parameter(name, "query");
            gathered(x, (*channels, *heads), 1, |c, _| query[c], 0)
        }
        Op::Gelu(kind) => x.map(|_, x| match kind {
            Gelu::Exact => x * normal(x),
            Gelu::Tanh => {
                let z = (2.0 / std::f64::consts::PI).sqrt() * (x + 0.044_715 * x.powi(3));
                x / 2.0 * (1.0 + z.tanh())
            }
            Gelu::Quick => x / (1.0 + (-1.702 * x).exp()),
        }),
        Op::First => FeatureMap::from_fn((x.channels, 1, 1), |c, _, _| x.values[c * x.height * x.width]),
        Op::Dropout { .. } | Op::DropBlock { .. } => x.map(|_, x| x),
    }
}

/// A convolution of all channels, or of each by itself.
fn convolved(
    x: &FeatureMap,
    (kernel, stride, padding): (usize, usize, Padding),
    w: &[f64],
    bias: &[f64],
    depthwise: bool,
) -> FeatureMap {
    let after = |n: usize| match padding {
        Padding::Each(zeros) => (n + 2 * zeros - kernel) / stride + 1,
        Padding::Same => n.div_ceil(stride),
    };
    let start = |at: usize, n: usize| start(at, stride, padding.zeros(kernel, stride, n)[0]);
    let inputs = if depthwise { 1 } else { x.channels };
    FeatureMap::from_fn((bias.len(), after(x.height), after(x.width)), |o, y, column| {
        let (y, column) = (start(y, x.height), start(column, x.width));
        let mut sum = bias[o];
        for i in 0..inputs {
            for tap in 0..kernel * kernel {
                let (dy, dx) = ((tap / kernel) as isize, (tap % kernel) as isize);
                let value = x.at(if depthwise { o } else { i }, y + dy, column + dx).unwrap_or(0.0);
                sum += w[(o * inputs + i) * kernel * kernel + tap] * value;
            }
        }
        sum
    })
}

fn pooled(op: &Op, x: &FeatureMap) -> FeatureMap {
    match op {
        &Op::MaxPool { kernel, stride, padding, ceil } => {
            let after = |n: usize| {
                let all = (n + 2 * padding - kernel) as f64 / stride as f64;
                let count = if ceil { all.ceil() } else { all.floor() } as usize + 1;
                // As PyTorch has it, a window begins within the map or the padding before it.
                if (count - 1) * stride >= n + padding { count - 1 } else { count }
            };
            FeatureMap::from_fn((x.channels, after(x.height), after(x.width)), |c, y, column| {
                let at = (start(y, stride, padding), start(column, stride, padding));
                x.window(c, at, kernel).into_iter().fold(f64::NEG_INFINITY, f64::max)
            })
        }
        &Op::AveragePool { kernel, stride } => {
            let after = |n: usize| (n - kernel) / stride + 1;
            FeatureMap::from_fn((x.channels, after(x.height), after(x.width)), |c, y, column| {
                let window = x.window(c, (start(y, stride, 0), start(column, stride, 0)), kernel);
                window.iter().sum::<f64>() / window.len() as f64
            })
        }
        op => panic!("{op:?} pools nothing"),
    }
}

/// Every column of channels with mean 0 and variance 1, then scaled and shifted.
fn layer_normalised(x: &FeatureMap, gamma: &[f64], beta: &[f64], epsilon: f64) -> FeatureMap {
    let (count, n) = (x.height * x.width, x.channels as f64);
    let column = |t: usize| (0..x.channels).map(move |c| x.values[c * count + t]);
    FeatureMap::from_fn(x.shape(), |c, y, t| {
        let t = y * x.width + t;
        let mean = column(t).sum::<f64>() / n;
        let variance = column(t).map(|x| (x - mean).powi(2)).sum::<f64>() / n;
        let unit = (x.values[c * count + t] - mean) / (variance + epsilon).sqrt();
        gamma[c] * unit + beta[c]
    })
}

/// What each of `asked` queries gathers from tokens whose keys begin at channel `first`, values behind them.
fn gathered(
    x: &FeatureMap,
    (width, heads): (usize, usize),
    asked: usize,
    query: impl Fn(usize, usize) -> f64,
    first: usize,
) -> FeatureMap {
    let head = width / heads;
    FeatureMap::from_fn((width, 1, asked), |c, _, i| {
        let begin = c / head * head;
        let score = |j: usize| -> f64 {
            (begin..begin + head).map(|d| query(d, i) * x.values[(first + d) * x.width + j]).sum()
        };
        let scores: Vec<f64> = (0..x.width).map(score).collect();
        let most = scores.iter().fold(f64::NEG_INFINITY, |most, &x| most.max(x));
        let (mut sum, mut total) = (0.0, 0.0);
        for (j, score) in scores.iter().enumerate() {
            let e = (score - most).exp();
            sum += e * x.values[(first + width + c) * x.width + j];
            total += e;
        }
        sum / total
    })
}

/// The distribution function of the normal distribution, by Simpson's rule.
fn normal(x: f64) -> f64 {
    let density = |t: f64| (-t * t / 2.0).exp() / std::f64::consts::TAU.sqrt();
    let weight = |i: usize| match i {
        0 | 400 => 1.0,
        i if i % 2 == 1 => 4.0,
        _ => 2.0,
    };
    let sum: f64 = (0..=400).map(|i| weight(i) * density(i as f64 * x / 400.0)).sum();
    0.5 + sum * x / 1200.0
}

/// What comes out of the last of some nodes.
pub(super) fn evaluated(nodes: &[Node], first: FeatureMap, weights: &NetworkWeights) -> FeatureMap {
    let mut maps = vec![first];
    for node in nodes {
        let inputs: Vec<&FeatureMap> = node.inputs.iter().map(|&input| &maps[input]).collect();
        maps.push(compute(&node.op, &inputs, weights));
    }
    maps.pop().unwrap()
}

fn reference(network: &Network, weights: &NetworkWeights, image: &[f32]) -> Vec<f64> {
    let size = network.input.size;
    let image = FeatureMap::from_fn((3, size, size), |c, y, x| f64::from(image[(c * size + y) * size + x]));
    let last = evaluated(&network.nodes, image, weights);
    let positions = last.height * last.width;
    last.values.chunks(positions).map(|map| map.iter().sum::<f64>() / positions as f64).collect()
}

fn network(name: &'static str, size: usize, dim: usize, build: impl Fn(&mut Builder) -> MapIndex) -> Network {
    let mut builder = Builder::default();
    build(&mut builder);
    Network { name, nodes: builder.nodes(), dim, input: ImageInput { size, ..ImageInput::default() } }
}

/// Builds a network that ends in `dim` channels and compares three images.
fn agrees(what: &str, size: usize, dim: usize, build: impl Fn(&mut Builder) -> MapIndex) {
    let network = network("small", size, dim, build);
    let weights = weights(&network);
    let engine = Engine::new(&network, weights.clone()).unwrap();
    let images = images(3, size);
    let features = engine.features(&images).unwrap();
    for (image, features) in images.chunks(network.input.values()).zip(features.chunks(dim)) {
        let expected = reference(&network, &weights, image);
        let largest = expected.iter().fold(1e-3, |most: f64, x| most.max(x.abs()));
        for (&value, expected) in features.iter().zip(&expected) {
            let difference = (f64::from(value) - expected).abs() / largest;
            assert!(difference < 1e-5, "{what} at {size}: {value} is not {expected}");
        }
    }
}

#[test]
fn convolutions_of_every_kind() {
    for size in [5, 8, 9, 13] {
        for (kernel, stride) in [(1, 1), (1, 2), (3, 1), (3, 2), (5, 1), (5, 3)] {
            // Few and odd channels, and more than the kernel takes at once.
            for (middle, outputs) in [(5, 7), (16, 33), (40, 16)] {
                agrees(&format!("{kernel}/{stride} {middle}-{outputs}"), size, outputs, |b| {
                    let x = b.conv("a", Builder::IMAGE, (3, middle), 3, 1);
                    b.conv("b", x, (middle, outputs), kernel, stride)
                });
            }
        }
    }
}

#[test]
fn depthwise_convolutions_of_every_size() {
    for (kernel, stride) in [(3, 1), (3, 2), (5, 1), (5, 2), (7, 3)] {
        for size in [3, 6, 7, 13, 20] {
            agrees(&format!("depthwise {kernel} {stride} {size}"), size, 16, |b| {
                let x = b.same_conv("a", Builder::IMAGE, (3, 40), 3, 2);
                let x = b.push(Op::Relu6, &[x]);
                let name = "d".to_string();
                let x = b.push(Op::Depthwise { name, channels: 40, kernel, stride }, &[x]);
                let x = b.batch_norm_of("n", x, 40, 1e-3);
                let x = b.push(Op::Relu6, &[x]);
                let y = b.same_conv("p", x, (40, 16), 1, 1);
                let z = b.same_conv("q", y, (16, 16), 5, 1);
                let z = b.push(Op::Add, &[y, z]);
                b.push(Op::Relu6, &[z])
            });
        }
    }
}

#[test]
fn large_maps_go_in_pieces() {
    agrees("large", 67, 16, |b| {
        let x = b.conv("a", Builder::IMAGE, (3, 16), 5, 1);
        let y = b.conv("b", x, (16, 32), 3, 1);
        let z = b.conv("c", y, (32, 16), 1, 1);
        b.conv("d", z, (16, 16), 3, 2)
    });
}

#[test]
fn normalisation_rectifier_and_sum_behind_a_convolution() {
    for order in [[0, 1], [1, 0]] {
        agrees("residual", 11, 24, |b| {
            let x = b.conv("a", Builder::IMAGE, (3, 24), 3, 1);
            let x = b.batch_norm("an", x, 24);
            let x = b.leaky_relu(x, 0.1);
            let y = b.conv("b", x, (24, 24), 3, 1);
            let y = b.batch_norm("bn", y, 24);
            let y = b.push(Op::Dropout { rate: 0.5 }, &[y]);
            let both = [x, y];
            let z = b.push(Op::Add, &order.map(|i| both[i]));
            b.leaky_relu(z, 0.2)
        });
    }
}

#[test]
fn what_is_read_twice_is_kept() {
    agrees("twice", 9, 16, |b| {
        let x = b.conv("a", Builder::IMAGE, (3, 16), 3, 1);
        let y = b.batch_norm("n", x, 16);
        let y = b.leaky_relu(y, 0.0);
        let z = b.leaky_relu(x, 0.3);
        let y = b.conv("b", y, (16, 16), 3, 1);
        let sum = b.push(Op::Add, &[z, y]);
        let both = b.push(Op::Add, &[sum, x]);
        b.push(Op::Add, &[both, y])
    });
}

#[test]
fn pools_and_concatenation() {
    for size in [9, 10, 12] {
        for (kernel, stride, padding, ceil) in
            [(2, 2, 0, true), (2, 2, 0, false), (3, 2, 1, false), (3, 2, 1, true), (3, 3, 1, true)]
        {
            agrees(&format!("{kernel} {stride} {padding} {ceil}"), size, 48, |b| {
                let x = b.conv("a", Builder::IMAGE, (3, 16), 3, 1);
                let y = b.conv("b", x, (16, 32), 3, 1);
                let z = b.push(Op::Concat, &[y, x]);
                let z = b.push(Op::MaxPool { kernel, stride, padding, ceil }, &[z]);
                b.push(Op::AveragePool { kernel: 2, stride: 2 }, &[z])
            });
        }
    }
}

/// Tokens of 3 × 3 patches of an image, and two that come first.
fn tokens(b: &mut Builder, size: usize, channels: usize) -> MapIndex {
    let name = "patch".to_string();
    let padding = Padding::Each(0);
    let patches = Op::Conv { name, inputs: 3, outputs: channels, kernel: 3, stride: 3, padding, bias: true };
    let x = b.push(patches, &[Builder::IMAGE]);
    let (name, leading, positions) = ("tokens".to_string(), 2, (size / 3).pow(2));
    b.push(Op::Tokens { name, leading, positions, channels }, &[x])
}

#[test]
fn transformers_in_parts() {
    for size in [3, 6, 12, 15] {
        for gelu in [Gelu::Exact, Gelu::Tanh, Gelu::Quick] {
            agrees(&format!("{gelu:?}"), size, 48, |b| {
                let x = tokens(b, size, 32);
                let norm = Op::LayerNorm { name: "n".into(), channels: 32, epsilon: 1e-5 };
                let y = b.push(norm, &[x]);
                let y = b.dense("qkv", y, (32, 96));
                let y = b.push(Op::Attention { heads: 2 }, &[y]);
                let y = b.dense("proj", y, (32, 32));
                let y = b.push(Op::Scale { name: "s".into(), channels: 32 }, &[y]);
                let x = b.push(Op::Add, &[y, x]);
                let y = b.dense("wide", x, (32, 48));
                b.push(Op::Gelu(gelu), &[y])
            });
        }
        agrees("first", size, 16, |b| {
            let x = tokens(b, size, 16);
            let y = b.push(Op::Gelu(Gelu::Quick), &[x]);
            let x = b.push(Op::Scale { name: "s".into(), channels: 16 }, &[x]);
            let x = b.push(Op::Add, &[x, y]);
            b.push(Op::First, &[x])
        });
        agrees("pooling", size, 32, |b| {
            let x = tokens(b, size, 16);
            let x = b.dense("kv", x, (16, 64));
            b.push(Op::Pooling { name: "pool".into(), channels: 32, heads: 2 }, &[x])
        });
    }
}

#[test]
fn descriptions_that_make_no_sense_are_refused() {
    type Build = fn(&mut Builder) -> MapIndex;
    let wrong: [(&str, Build); 8] = [
        ("heads", |b| {
            let x = tokens(b, 6, 48);
            b.push(Op::Attention { heads: 2 }, &[x])
        }),
        ("positions", |b| tokens(b, 9, 16)),
        ("lanes", |b| {
            let x = tokens(b, 6, 24);
            b.push(Op::LayerNorm { name: "n".into(), channels: 24, epsilon: 1e-5 }, &[x])
        }),
        ("channels", |b| b.conv("a", Builder::IMAGE, (4, 16), 3, 1)),
        ("too small", |b| {
            let (name, padding) = ("a".into(), Padding::Each(0));
            let conv = Op::Conv { name, inputs: 3, outputs: 16, kernel: 9, stride: 1, padding, bias: false };
            b.push(conv, &[Builder::IMAGE])
        }),
        ("shapes", |b| {
            let x = b.conv("a", Builder::IMAGE, (3, 16), 3, 1);
            let y = b.conv("b", x, (16, 16), 3, 2);
            b.push(Op::Add, &[x, y])
        }),
        ("later", |b| b.push(Op::LeakyRelu { slope: 0.1 }, &[5])),
        ("nothing", |_| 0),
    ];
    for (what, build) in wrong {
        let network = network("odd", 7, 16, build);
        let error = Engine::new(&network, weights(&network)).unwrap_err().to_string();
        assert!(error.starts_with("the network odd cannot be run"), "{what}: {error}");
    }
}
