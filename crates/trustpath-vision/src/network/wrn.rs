//! WRN-28-10, a wide residual network of 28 layers.
//!
//! A 3×3 convolution to 16 channels, then three groups of four blocks with 160, 320 and 640
//! channels, the second and third group at half the size of the one before. With `C` a 3×3
//! convolution, `N` a batch normalisation, `φ` the rectifier and `C₁` a 1×1 convolution, a block is
//!
//! ```text
//! y = C φ N C φ N x + x            z = φ N x,  y = C φ N C z + C₁ z
//! ```
//!
//! the latter where the number of channels changes; `φ N` ends the network. Keys are those of the
//! manifold-mixup checkpoints (S2M2): `conv1`, `block1.layer.0.bn1`, `…conv1`, `…bn2`, `…conv2`,
//! `…convShortcut`, and at the end `bn1`; their images are 80×80.

use super::{Builder, ImageInput, Network, Op};

const BLOCKS: usize = 4;
/// Share of the values that are dropped between the convolutions of a block while training.
const DROP_RATE: f64 = 0.5;

pub(super) fn wrn28_10() -> Network {
    let mut b = Builder::default();
    let mut inputs = 16;
    let mut x = b.conv("conv1", Builder::IMAGE, (3, inputs), 3, 1);
    for (group, outputs) in [160, 320, 640].into_iter().enumerate() {
        for block in 0..BLOCKS {
            let at = format!("block{}.layer.{block}", group + 1);
            let stride = if group > 0 && block == 0 { 2 } else { 1 };
            let mut y = b.norm_relu(&format!("{at}.bn1"), x, inputs, 0.0);
            if inputs != outputs {
                x = b.conv(&format!("{at}.convShortcut"), y, (inputs, outputs), 1, stride);
            }
            y = b.conv(&format!("{at}.conv1"), y, (inputs, outputs), 3, stride);
            y = b.norm_relu(&format!("{at}.bn2"), y, outputs, 0.0);
            y = b.push(Op::Dropout { rate: DROP_RATE }, &[y]);
            y = b.conv(&format!("{at}.conv2"), y, (outputs, outputs), 3, 1);
            x = b.push(Op::Add, &[x, y]);
            inputs = outputs;
        }
    }
    b.norm_relu("bn1", x, inputs, 0.0);
    Network { name: "wrn28-10", nodes: b.nodes(), dim: inputs, input: ImageInput { size: 80, ..ImageInput::default() } }
}
