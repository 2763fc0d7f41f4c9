//! ResNet-18, 34, 50 and 101 for ImageNet.
//!
//! A 7×7 convolution of stride 2 to 64 channels, `φ N` and a 3×3 maximum of stride 2 come first, then four stages of
//! blocks at 56, 28, 14 and 7 positions. With `C` a 3×3 convolution, `C₁` a 1×1 one, `N` a batch normalisation and `φ` the
//! rectifier, a block of the first two networks and one of the others are
//!
//! ```text
//! y = φ( N C φ N C x + x )            y = φ( N C₁ φ N C φ N C₁ x + x )
//! ```
//!
//! where the last `x` is `N C₁ x` if the shape changes, and the stride is that of the first or the only `C`. Keys are
//! those of torchvision and timm: `conv1`, `bn1`, `layer1.0.conv1`, …, `layer2.0.downsample.0`. Images are resized to a
//! shorter side of 256, bilinear, of which the middle 224×224 are taken.

use super::{Builder, Framing, ImageInput, Network, Op};
use crate::image::Filter;

const FIRST: usize = 64;
/// How many times wider the end of a bottleneck is than its middle.
const EXPANSION: usize = 4;

/// Name, blocks of each stage, and whether they are bottlenecks.
const VARIANTS: [(&str, [usize; 4], bool); 4] = [
    ("resnet18", [2, 2, 2, 2], false),
    ("resnet34", [3, 4, 6, 3], false),
    ("resnet50", [3, 4, 6, 3], true),
    ("resnet101", [3, 4, 23, 3], true),
];

pub(super) fn resnet(variant: usize) -> Network {
    let (name, stages, bottleneck) = VARIANTS[variant];
    let mut b = Builder::default();
    let mut x = b.conv("conv1", Builder::IMAGE, (3, FIRST), 7, 2);
    x = b.norm_relu("bn1", x, FIRST, 0.0);
    x = b.push(Op::MaxPool { kernel: 3, stride: 2, padding: 1, ceil: false }, &[x]);
    let mut inputs = FIRST;
    for (stage, blocks) in stages.into_iter().enumerate() {
        let width = FIRST << stage;
        let outputs = if bottleneck { EXPANSION * width } else { width };
        for block in 0..blocks {
            let at = format!("layer{}.{block}", stage + 1);
            let stride = if stage > 0 && block == 0 { 2 } else { 1 };
            let convolutions = if bottleneck {
                vec![(inputs, width, 1, 1), (width, width, 3, stride), (width, outputs, 1, 1)]
            } else {
                vec![(inputs, width, 3, stride), (width, outputs, 3, 1)]
            };
            let last = convolutions.len();
            let mut y = x;
            for (i, (from, to, kernel, stride)) in convolutions.into_iter().enumerate() {
                y = b.conv(&format!("{at}.conv{}", i + 1), y, (from, to), kernel, stride);
                y = b.batch_norm(&format!("{at}.bn{}", i + 1), y, to);
                if i + 1 < last {
                    y = b.leaky_relu(y, 0.0);
                }
            }
            if stride > 1 || inputs != outputs {
                x = b.conv(&format!("{at}.downsample.0"), x, (inputs, outputs), 1, stride);
                x = b.batch_norm(&format!("{at}.downsample.1"), x, outputs);
            }
            x = b.push(Op::Add, &[y, x]);
            x = b.leaky_relu(x, 0.0);
            inputs = outputs;
        }
    }
    let framing = Framing::Shorter { edge: 256, filter: Filter::Bilinear };
    Network { name, nodes: b.nodes(), dim: inputs, input: ImageInput { framing, ..ImageInput::default() } }
}
