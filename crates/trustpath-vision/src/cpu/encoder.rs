//! A transformer encoder, as BERT has it, on sequences of any length.
//!
//! With `A` the attention of all heads and `N` layer normalisations, each layer maps rows `x`, one per token, to
//!
//! ```text
//! y = N₁(x + A(x) Wₒ + bₒ),    z = N₂(y + gelu(y W₁ + b₁) W₂ + b₂)
//! ```
//!
//! after a layer normalisation of the rows that it begins with.
//! Rows of several sequences lie one after another and share the products; only attention knows where a sequence ends, so
//! nothing is padded. All products go through one kernel, whose sums depend on nothing but
//! their row: the result of a sequence has the same bits whatever it is computed together with.

use super::attention::{Attention, AttentionScratch};
use super::block::{Block16, LANES, blocks};
use super::conv::Convolution;
use super::pointwise::{self, LayerNorm};
use crate::weights::NetworkWeights;
use crate::{Error, Result};

/// The sizes of an encoder.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EncoderShape {
    /// Number of layers.
    pub layers: usize,
    /// Numbers per token.
    pub width: usize,
    /// Attention heads.
    pub heads: usize,
    /// Numbers per token between the two products of a layer.
    pub inner: usize,
    /// What layer normalisation adds to a variance.
    pub epsilon: f32,
}

/// A transformer encoder that is ready to run.
pub struct Encoder {
    shape: EncoderShape,
    /// Of the rows that it begins with.
    before: LayerNorm,
    layers: Vec<Layer>,
}

struct Layer {
    /// Queries, keys and values side by side.
    project: Convolution,
    attention: Attention,
    merge: Convolution,
    after_attention: LayerNorm,
    widen: Convolution,
    narrow: Convolution,
    after_inner: LayerNorm,
}

/// Memory that runs share, one after another.
#[derive(Debug, Default)]
pub struct EncoderMemory {
    rows: Vec<Block16>,
    wide: Vec<Block16>,
    mixed: Vec<Block16>,
    scratch: AttentionScratch,
}

impl Encoder {
    /// Takes the parameters that BERT calls `{prefix}encoder.layer.0.attention.self.query.weight` and so on.
    ///
    /// # Errors
    /// If a parameter is missing or has another shape, or if heads are no multiple of 16 numbers wide.
    pub fn new(shape: EncoderShape, weights: &NetworkWeights, prefix: &str) -> Result<Self> {
        let EncoderShape { layers, width, heads, inner, epsilon } = shape;
        let head = width.checked_div(heads).unwrap_or(0);
        if head == 0 || head * heads != width || !head.is_multiple_of(LANES) {
            return Err(Error::Input(format!(
                "{} has {heads} attention heads for {width} numbers, which this program cannot run: give a model whose heads are 16, 32, 48, … numbers wide",
                weights.source()
            )));
        }
        let norm = |name: &str| -> Result<LayerNorm> {
            let part = |part: &str| weights.shaped(&format!("{prefix}{name}.{part}"), &[width]);
            Ok(LayerNorm::new(part("weight")?, part("bias")?, epsilon))
        };
        let layer = |at: usize| -> Result<Layer> {
            let dense = |name: &str, (inputs, outputs): (usize, usize)| -> Result<_> {
                let name = format!("{prefix}encoder.layer.{at}.{name}");
                let weight = weights.shaped(&format!("{name}.weight"), &[outputs, inputs])?;
                Ok((weight, weights.shaped(&format!("{name}.bias"), &[outputs])?))
            };
            let norm = |name: &str| norm(&format!("encoder.layer.{at}.{name}"));
            let square = (width, width);
            let [q, k, v] = ["query", "key", "value"].map(|name| dense(&format!("attention.self.{name}"), square));
            let (q, k, v) = (q?, k?, v?);
            // The scale of the scores, 1/√head, is part of the queries.
            let scale = 1.0 / (head as f32).sqrt();
            let scaled = |values: &[f32]| values.iter().map(|x| x * scale).collect::<Vec<f32>>();
            let (weight, bias) = ([&scaled(q.0), k.0, v.0].concat(), [&scaled(q.1), k.1, v.1].concat());
            let plain = |name: &str, (inputs, outputs): (usize, usize)| -> Result<Convolution> {
                let (weight, bias) = dense(name, (inputs, outputs))?;
                Ok(Convolution::dense(inputs, weight, bias))
            };
            Ok(Layer {
                project: Convolution::dense(width, &weight, &bias),
                attention: Attention { heads, depth: head / LANES },
                merge: plain("attention.output.dense", square)?,
                after_attention: norm("attention.output.LayerNorm")?,
                widen: plain("intermediate.dense", (width, inner))?,
                narrow: plain("output.dense", (inner, width))?,
                after_inner: norm("output.LayerNorm")?,
            })
        };
        let before = norm("embeddings.LayerNorm")?;
        Ok(Self { shape, before, layers: (0..layers).map(layer).collect::<Result<_>>()? })
    }

    /// Its sizes.
    pub fn shape(&self) -> EncoderShape {
        self.shape
    }

    /// Replaces rows, `width` numbers per token, by what the last layer makes of them. `lengths` are the numbers of tokens
    /// of the sequences that follow one another.
    ///
    /// # Panics
    /// If the lengths do not add up to the number of rows.
    pub fn run(&self, rows: &mut [f32], lengths: &[usize], memory: &mut EncoderMemory) {
        let (width, count) = (self.shape.width, lengths.iter().sum::<usize>());
        assert_eq!(rows.len(), count * width, "one row per token");
        let EncoderMemory { rows: x, wide, mixed, scratch } = memory;
        let fit = |memory: &mut Vec<Block16>, features: usize| {
            memory.resize(blocks(features) * count, Block16::ZERO);
        };
        fit(x, width);
        fit(mixed, width);
        to_blocks(rows, width, count, x);
        self.before.run(x, count);
        for layer in &self.layers {
            fit(wide, 3 * width);
            layer.project.rows(x, None, wide);
            layer.attention.run(wide, count, lengths, mixed, scratch);
            fit(wide, width);
            layer.merge.rows(mixed, Some(x), wide);
            std::mem::swap(x, wide);
            layer.after_attention.run(x, count);
            fit(wide, self.shape.inner);
            layer.widen.rows(x, None, wide);
            pointwise::gelu(wide);
            layer.narrow.rows(wide, Some(x), mixed);
            std::mem::swap(x, mixed);
            layer.after_inner.run(x, count);
        }
        from_blocks(x, width, count, rows);
    }
}

impl std::fmt::Debug for Encoder {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.debug_struct("Encoder").field("shape", &self.shape).finish_non_exhaustive()
    }
}

fn to_blocks(rows: &[f32], width: usize, count: usize, out: &mut [Block16]) {
    for (r, row) in rows.chunks_exact(width).enumerate() {
        for (k, chunk) in row.chunks(LANES).enumerate() {
            out[k * count + r].0[..chunk.len()].copy_from_slice(chunk);
        }
    }
}

fn from_blocks(x: &[Block16], width: usize, count: usize, rows: &mut [f32]) {
    for (r, row) in rows.chunks_exact_mut(width).enumerate() {
        for (k, chunk) in row.chunks_mut(LANES).enumerate() {
            chunk.copy_from_slice(&x[k * count + r].0[..chunk.len()]);
        }
    }
}
