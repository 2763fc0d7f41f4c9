//! The encoder of texts against the definition of its layers.

use crate::cpu::encoder::{Encoder, EncoderMemory, EncoderShape};
use crate::network::{Builder, Gelu, Node, Op};
use crate::weights::{NetworkWeights, Parameter};

use super::operations::{FeatureMap, evaluated};
use super::{formula, noise};

const SHAPE: EncoderShape = EncoderShape { layers: 2, width: 64, heads: 2, inner: 96, epsilon: 1e-12 };

/// The operations of the layers. The scores are scaled by way of the queries.
fn layers() -> Vec<Node> {
    let EncoderShape { layers, width, heads, inner, epsilon } = SHAPE;
    let norm = |b: &mut Builder, name: &str, x| {
        b.push(Op::LayerNorm { name: format!("{name}.LayerNorm"), channels: width, epsilon }, &[x])
    };
    let mut b = Builder::default();
    let mut x = norm(&mut b, "embeddings", Builder::IMAGE);
    for layer in 0..layers {
        let at = |name: &str| format!("encoder.layer.{layer}.{name}");
        let [query, key, value] =
            ["query", "key", "value"].map(|name| b.dense(&at(&format!("attention.self.{name}")), x, (width, width)));
        let query = b.push(Op::Scale { name: "scale".into(), channels: width }, &[query]);
        let mut y = b.push(Op::Concat, &[query, key, value]);
        y = b.push(Op::Attention { heads }, &[y]);
        y = b.dense(&at("attention.output.dense"), y, (width, width));
        y = b.push(Op::Add, &[y, x]);
        x = norm(&mut b, &at("attention.output"), y);
        y = b.dense(&at("intermediate.dense"), x, (width, inner));
        y = b.push(Op::Gelu(Gelu::Exact), &[y]);
        y = b.dense(&at("output.dense"), y, (inner, width));
        y = b.push(Op::Add, &[y, x]);
        x = norm(&mut b, &at("output"), y);
    }
    b.nodes()
}

/// All parameters of the layers, and the scale of the scores, which the encoder does not read.
fn weights(nodes: &[Node]) -> NetworkWeights {
    let mut shapes = Vec::new();
    for node in nodes {
        let (name, weight, outputs) = match &node.op {
            Op::Conv { name, inputs, outputs, .. } => (name, vec![*outputs, *inputs], *outputs),
            Op::LayerNorm { name, channels, .. } => (name, vec![*channels], *channels),
            _ => continue,
        };
        shapes.push((format!("{name}.weight"), weight));
        shapes.push((format!("{name}.bias"), vec![outputs]));
    }
    let mut parameters = formula(shapes);
    let scale = 1.0 / ((SHAPE.width / SHAPE.heads) as f32).sqrt();
    let scale = Parameter { shape: vec![SHAPE.width], values: vec![scale; SHAPE.width] };
    parameters.insert("scale.weight".into(), scale);
    NetworkWeights::new("made by a formula", parameters)
}

#[test]
fn sequences_of_any_length_follow_the_definition() {
    let (nodes, width) = (layers(), SHAPE.width);
    let weights = weights(&nodes);
    let encoder = Encoder::new(SHAPE, &weights, "").unwrap();
    let lengths = [1, 3, 16, 17, 40];
    let rows: Vec<f32> = noise(lengths.iter().sum::<usize>() * width, 77).map(|x| x as f32).collect();
    let mut together = rows.clone();
    let mut memory = EncoderMemory::default();
    encoder.run(&mut together, &lengths, &mut memory);
    let mut first = 0;
    for length in lengths {
        let part = first * width..(first + length) * width;
        first += length;
        let mut alone = rows[part.clone()].to_vec();
        encoder.run(&mut alone, &[length], &mut memory);
        assert!(alone == together[part.clone()], "the same bits alone and together");
        let tokens = FeatureMap::from_fn((width, 1, length), |c, _, t| f64::from(rows[part.start + t * width + c]));
        let expected = evaluated(&nodes, tokens, &weights);
        for (i, &value) in alone.iter().enumerate() {
            let expected = expected.values[i % width * length + i / width];
            assert!((f64::from(value) - expected).abs() < 2e-5, "{value} is not {expected}");
        }
    }
}

#[test]
fn sizes_that_cannot_be_run_are_refused() {
    let weights = weights(&layers());
    for (shape, expected) in [
        (EncoderShape { heads: 3, ..SHAPE }, "3 attention heads for 64 numbers"),
        (EncoderShape { layers: 3, ..SHAPE }, "encoder.layer.2.attention.self.query.weight"),
    ] {
        let error = Encoder::new(shape, &weights, "").unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    }
}
