//! EfficientNet-Lite 0, 1 and 2, trained on ImageNet.
//!
//! With `C₁` a 1×1 convolution, `D` a depthwise one of 3×3 or 5×5 (each channel by itself), `N` a batch normalisation and
//! `φ(x) = min(max(x, 0), 6)`, a block maps `i` channels to `o`,
//!
//! ```text
//! y = N C₁ φ N D φ N C₁ x  (+ x where the shape stays)
//! ```
//!
//! with six times as many channels in between (the first block has no `φ N C₁` before `D`). A 3×3 convolution of stride 2
//! to 32 channels comes before the blocks, a 1×1 convolution to 1280 channels and `φ N` behind them. Edges are padded as
//! TensorFlow does it. Images are the central square, `(x − 127)/128`. Keys are those of `efficientnet-lite-pytorch`:
//! `_conv_stem`, `_bn0`, `_blocks.0._depthwise_conv`, …, `_conv_head`, `_bn1`.

use super::{Builder, Framing, ImageInput, Network, Op};

/// What batch normalisation adds to a variance here.
const EPSILON: f32 = 1e-3;
const EXPANSION: usize = 6;
const FIRST: usize = 32;
const LAST: usize = 1280;
/// Pixels by which the authors' images exceed what the network sees.
const MARGIN: usize = 32;

/// Repeats, kernel, stride and output channels of each stage, before a variant scales them.
const STAGES: [(usize, usize, usize, usize); 7] =
    [(1, 3, 1, 16), (2, 3, 2, 24), (2, 5, 2, 40), (3, 3, 2, 80), (3, 5, 1, 112), (4, 5, 2, 192), (1, 3, 1, 320)];

/// The names of the variants, with their scales of width and depth in tenths, and the size of their images.
const VARIANTS: [(&str, usize, usize, usize); 3] =
    [("efficientnet-lite0", 10, 10, 224), ("efficientnet-lite1", 10, 11, 240), ("efficientnet-lite2", 11, 12, 260)];

pub(super) fn efficientnet_lite(variant: usize) -> Network {
    let (name, wide, deep, size) = VARIANTS[variant];
    let mut b = Builder::default();
    let x = b.same_conv("_conv_stem", Builder::IMAGE, (3, FIRST), 3, 2);
    let mut x = norm_relu6(&mut b, "_bn0", x, FIRST);
    let (mut inputs, mut block) = (FIRST, 0);
    for (stage, (repeats, kernel, stride, outputs)) in STAGES.into_iter().enumerate() {
        let ends = stage == 0 || stage + 1 == STAGES.len();
        let repeats = if ends { repeats } else { (repeats * deep).div_ceil(10) };
        let outputs = scaled(outputs, wide);
        for repeat in 0..repeats {
            let stride = if repeat == 0 { stride } else { 1 };
            let at = format!("_blocks.{block}");
            let expanded = if stage == 0 { inputs } else { EXPANSION * inputs };
            let mut y = x;
            if expanded != inputs {
                y = b.same_conv(&format!("{at}._expand_conv"), y, (inputs, expanded), 1, 1);
                y = norm_relu6(&mut b, &format!("{at}._bn0"), y, expanded);
            }
            let name = format!("{at}._depthwise_conv");
            y = b.push(Op::Depthwise { name, channels: expanded, kernel, stride }, &[y]);
            y = norm_relu6(&mut b, &format!("{at}._bn1"), y, expanded);
            y = b.same_conv(&format!("{at}._project_conv"), y, (expanded, outputs), 1, 1);
            y = b.batch_norm_of(&format!("{at}._bn2"), y, outputs, EPSILON);
            x = if stride == 1 && inputs == outputs { b.push(Op::Add, &[x, y]) } else { y };
            inputs = outputs;
            block += 1;
        }
    }
    let x = b.same_conv("_conv_head", x, (inputs, LAST), 1, 1);
    norm_relu6(&mut b, "_bn1", x, LAST);
    let (mean, std) = ([127.0 / 255.0; 3], [128.0 / 255.0; 3]);
    let input = ImageInput { size, framing: Framing::Middle { margin: MARGIN }, mean, std };
    Network { name, nodes: b.nodes(), dim: LAST, input }
}

fn norm_relu6(b: &mut Builder, name: &str, x: usize, channels: usize) -> usize {
    let x = b.batch_norm_of(name, x, channels, EPSILON);
    b.push(Op::Relu6, &[x])
}

/// A number of channels times the scale, as the nearest multiple of 8 that is not more than a tenth below it.
fn scaled(channels: usize, tenths: usize) -> usize {
    let exact = channels * tenths;
    let nearest = (exact + 40) / 80 * 8;
    if 100 * nearest < 9 * exact { nearest + 8 } else { nearest }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn widths_are_multiples_of_eight() {
        let of = |channels| scaled(channels, 11);
        assert_eq!([16, 24, 40, 80, 112, 192, 320].map(of), [16, 24, 48, 88, 120, 208, 352]);
        assert_eq!(STAGES.map(|stage| scaled(stage.3, 10)), STAGES.map(|stage| stage.3));
    }
}
