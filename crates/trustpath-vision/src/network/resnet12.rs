//! ResNet-12, the backbone of the paper.
//!
//! Four blocks of 64, 128, 256 and 512 channels; with `C` a 3×3 convolution, `N` a batch
//! normalisation and `φ` the leaky rectifier of slope 0.1, a block is
//!
//! ```text
//! y = pool₂( φ( N C φ N C φ N C x  +  N C₁ x ) )
//! ```
//!
//! where `C₁` is a 1×1 convolution and the 2×2 maximum reaches over the edge, so that 84×84 becomes
//! 42, 21, 11 and at last 6×6. Dropout follows the first two blocks and DropBlock of 5×5 the last two.

use super::{Builder, ImageInput, Network, Op};

/// Share of the values that are dropped while training.
const DROP_RATE: f64 = 0.1;
/// Slope of the rectifier below zero.
const SLOPE: f32 = 0.1;

pub(super) fn resnet12() -> Network {
    let mut b = Builder::default();
    let mut x = Builder::IMAGE;
    let mut inputs = 3;
    for (block, outputs) in [64, 128, 256, 512].into_iter().enumerate() {
        let at = format!("layer{}.0", block + 1);
        let mut y = x;
        for i in 1..=3 {
            let from = if i == 1 { inputs } else { outputs };
            y = b.conv(&format!("{at}.conv{i}"), y, (from, outputs), 3, 1);
            y = b.batch_norm(&format!("{at}.bn{i}"), y, outputs);
            if i < 3 {
                y = b.leaky_relu(y, SLOPE);
            }
        }
        let shortcut = b.conv(&format!("{at}.downsample.0"), x, (inputs, outputs), 1, 1);
        let shortcut = b.batch_norm(&format!("{at}.downsample.1"), shortcut, outputs);
        y = b.push(Op::Add, &[y, shortcut]);
        y = b.leaky_relu(y, SLOPE);
        y = b.push(Op::MaxPool { kernel: 2, stride: 2, padding: 0, ceil: true }, &[y]);
        let drop = match block {
            0 | 1 => Op::Dropout { rate: DROP_RATE },
            _ => Op::DropBlock { rate: DROP_RATE, size: 5 },
        };
        x = b.push(drop, &[y]);
        inputs = outputs;
    }
    Network { name: "resnet12", nodes: b.nodes(), dim: inputs, input: ImageInput { size: 84, ..ImageInput::default() } }
}
