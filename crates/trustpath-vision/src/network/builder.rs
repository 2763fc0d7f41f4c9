//! A network put together operation by operation.

use super::{BATCH_NORM_EPSILON, Node, Op, Value};

/// Collects the nodes of a network; every method gives the value it made.
#[derive(Debug, Default)]
pub struct Builder {
    nodes: Vec<Node>,
}

impl Builder {
    /// The image.
    pub const IMAGE: Value = 0;

    /// An operation on some values.
    pub fn push(&mut self, op: Op, inputs: &[Value]) -> Value {
        self.nodes.push(Node { op, inputs: inputs.to_vec() });
        self.nodes.len()
    }

    /// A square convolution that keeps the size at stride 1.
    pub fn conv(
        &mut self,
        name: &str,
        x: Value,
        (inputs, outputs): (usize, usize),
        kernel: usize,
        stride: usize,
    ) -> Value {
        let (name, padding) = (name.to_string(), kernel / 2);
        let bias = false;
        self.push(Op::Conv { name, inputs, outputs, kernel, stride, padding, bias }, &[x])
    }

    /// A fully connected layer with a bias, for each position by itself.
    pub fn dense(&mut self, name: &str, x: Value, (inputs, outputs): (usize, usize)) -> Value {
        let name = name.to_string();
        let (kernel, stride, padding, bias) = (1, 1, 0, true);
        self.push(Op::Conv { name, inputs, outputs, kernel, stride, padding, bias }, &[x])
    }

    /// A square convolution padded to `⌈n/stride⌉` positions.
    pub fn same_conv(
        &mut self,
        name: &str,
        x: Value,
        (inputs, outputs): (usize, usize),
        kernel: usize,
        stride: usize,
    ) -> Value {
        let name = name.to_string();
        self.push(Op::SameConv { name, inputs, outputs, kernel, stride }, &[x])
    }

    /// A batch normalisation.
    pub fn batch_norm(&mut self, name: &str, x: Value, channels: usize) -> Value {
        self.batch_norm_of(name, x, channels, BATCH_NORM_EPSILON)
    }

    /// A batch normalisation with another `ε` than usual.
    pub fn batch_norm_of(&mut self, name: &str, x: Value, channels: usize, epsilon: f32) -> Value {
        self.push(Op::BatchNorm { name: name.to_string(), channels, epsilon }, &[x])
    }

    /// A leaky rectifier.
    pub fn leaky_relu(&mut self, x: Value, slope: f32) -> Value {
        self.push(Op::LeakyRelu { slope }, &[x])
    }

    /// A batch normalisation and a leaky rectifier behind it.
    pub fn norm_relu(&mut self, name: &str, x: Value, channels: usize, slope: f32) -> Value {
        let x = self.batch_norm(name, x, channels);
        self.leaky_relu(x, slope)
    }

    /// The nodes, in order.
    pub fn nodes(self) -> Vec<Node> {
        self.nodes
    }
}
