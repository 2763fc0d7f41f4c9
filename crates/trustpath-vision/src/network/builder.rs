//! A network put together operation by operation.

use super::{MapIndex, Node, Op, Padding};

/// Collects the nodes of a network; every method gives the value it made.
#[derive(Debug, Default)]
pub(crate) struct Builder {
    nodes: Vec<Node>,
}

impl Builder {
    /// The image.
    pub const IMAGE: MapIndex = 0;

    /// An operation on some values.
    pub fn push(&mut self, op: Op, inputs: &[MapIndex]) -> MapIndex {
        self.nodes.push(Node { op, inputs: inputs.to_vec() });
        self.nodes.len()
    }

    /// A square convolution that keeps the size at stride 1.
    pub fn conv(
        &mut self,
        name: &str,
        x: MapIndex,
        (inputs, outputs): (usize, usize),
        kernel: usize,
        stride: usize,
    ) -> MapIndex {
        let (name, padding, bias) = (name.to_string(), Padding::Each(kernel / 2), false);
        self.push(Op::Conv { name, inputs, outputs, kernel, stride, padding, bias }, &[x])
    }

    /// A fully connected layer with a bias, for each position by itself.
    pub fn dense(&mut self, name: &str, x: MapIndex, (inputs, outputs): (usize, usize)) -> MapIndex {
        let (name, padding, bias) = (name.to_string(), Padding::Each(0), true);
        self.push(Op::Conv { name, inputs, outputs, kernel: 1, stride: 1, padding, bias }, &[x])
    }

    /// A square convolution with [`Padding::Same`].
    pub fn same_conv(
        &mut self,
        name: &str,
        x: MapIndex,
        (inputs, outputs): (usize, usize),
        kernel: usize,
        stride: usize,
    ) -> MapIndex {
        let (name, padding, bias) = (name.to_string(), Padding::Same, false);
        self.push(Op::Conv { name, inputs, outputs, kernel, stride, padding, bias }, &[x])
    }

    /// A batch normalisation with the usual `ε`.
    pub fn batch_norm(&mut self, name: &str, x: MapIndex, channels: usize) -> MapIndex {
        self.batch_norm_of(name, x, channels, 1e-5)
    }

    /// A batch normalisation.
    pub fn batch_norm_of(&mut self, name: &str, x: MapIndex, channels: usize, epsilon: f32) -> MapIndex {
        self.push(Op::BatchNorm { name: name.to_string(), channels, epsilon }, &[x])
    }

    /// A leaky rectifier.
    pub fn leaky_relu(&mut self, x: MapIndex, slope: f32) -> MapIndex {
        self.push(Op::LeakyRelu { slope }, &[x])
    }

    /// A batch normalisation and a leaky rectifier behind it.
    pub fn norm_relu(&mut self, name: &str, x: MapIndex, channels: usize, slope: f32) -> MapIndex {
        let x = self.batch_norm(name, x, channels);
        self.leaky_relu(x, slope)
    }

    /// The nodes, in order.
    pub fn nodes(self) -> Vec<Node> {
        self.nodes
    }
}
