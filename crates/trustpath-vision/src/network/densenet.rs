//! DenseNet-121, in which every layer reads all layers before it.
//!
//! Four dense blocks of 6, 12, 24 and 16 layers. With `N` a batch normalisation, `φ` the rectifier,
//! `C₁` a 1×1 convolution to 128 channels and `C` a 3×3 one to 32, a layer is
//!
//! ```text
//! y = [x, C φ N C₁ φ N x]
//! ```
//!
//! and between blocks `φ N`, a 1×1 convolution to half as many channels, and the mean of 2×2
//! windows. `φ N` ends the network. The few-shot variant (SimpleShot) begins with a 3×3 convolution
//! and takes 84×84; that of ImageNet with a 7×7 one of stride 2, `φ N` and a 3×3 maximum of stride 2,
//! and takes 224×224. Keys are those of torchvision: `features.conv0`,
//! `features.denseblock1.denselayer1.norm1`, …, `features.norm5`.

use super::{Builder, ImageInput, Network, Op};

const LAYERS: [usize; 4] = [6, 12, 24, 16];
const GROWTH: usize = 32;
const BOTTLENECK: usize = 4 * GROWTH;
const FIRST: usize = 64;

/// The variant of the few-shot literature.
pub(super) fn densenet121() -> Network {
    let mut b = Builder::default();
    let x = b.conv("features.conv0", Builder::IMAGE, (3, FIRST), 3, 1);
    blocks("densenet121", b, x, 84)
}

/// The variant of ImageNet.
pub(super) fn densenet121_imagenet() -> Network {
    let mut b = Builder::default();
    let mut x = b.conv("features.conv0", Builder::IMAGE, (3, FIRST), 7, 2);
    x = b.norm_relu("features.norm0", x, FIRST, 0.0);
    x = b.push(Op::MaxPool { kernel: 3, stride: 2, padding: 1, ceil: false }, &[x]);
    blocks("densenet121-imagenet", b, x, 224)
}

fn blocks(name: &'static str, mut b: Builder, mut x: usize, size: usize) -> Network {
    let mut channels = FIRST;
    for (block, layers) in LAYERS.into_iter().enumerate() {
        for layer in 1..=layers {
            let at = format!("features.denseblock{}.denselayer{layer}", block + 1);
            let mut y = b.norm_relu(&format!("{at}.norm1"), x, channels, 0.0);
            y = b.conv(&format!("{at}.conv1"), y, (channels, BOTTLENECK), 1, 1);
            y = b.norm_relu(&format!("{at}.norm2"), y, BOTTLENECK, 0.0);
            y = b.conv(&format!("{at}.conv2"), y, (BOTTLENECK, GROWTH), 3, 1);
            x = b.push(Op::Concat, &[x, y]);
            channels += GROWTH;
        }
        if block + 1 < LAYERS.len() {
            let at = format!("features.transition{}", block + 1);
            x = b.norm_relu(&format!("{at}.norm"), x, channels, 0.0);
            x = b.conv(&format!("{at}.conv"), x, (channels, channels / 2), 1, 1);
            x = b.push(Op::AveragePool { kernel: 2, stride: 2 }, &[x]);
            channels /= 2;
        }
    }
    b.norm_relu("features.norm5", x, channels, 0.0);
    Network { name, nodes: b.nodes(), dim: channels, input: ImageInput { size, ..ImageInput::default() } }
}
