//! Vision transformers: DINOv2, CLIP and SigLIP.
//!
//! The image is cut into patches of `p × p` pixels; a patch becomes a token by a linear map `E`, to which what is learned for
//! its position is added, and a few learned tokens come first. With `N` layer normalisations, `A` the attention of all heads
//! and `S` a scale for every channel (DINOv2 only), a layer maps tokens `x` to
//!
//! ```text
//! y = x + S₁ (A(N₁ x) Wₒ + bₒ),        z = y + S₂ (gelu(N₂ y W₁ + b₁) W₂ + b₂)
//! ```
//!
//! The feature is what the authors publish:
//!
//! | family | first tokens | before the layers | `gelu` | feature |
//! |---|---|---|---|---|
//! | `dinov2` | class, registers | | exact | `N z` of the class token |
//! | `clip` | class | `N` | quick | `N z` of the class token, times the projection where the file has one |
//! | `openclip` | class | `N` | exact | the same |
//! | `siglip` | | | tanh | `u + MLP(N u)`, where `u` is the projection of what one learned query gathers from `N z` |
//!
//! `openclip` is for weights that others trained in CLIP's layout. Sizes are those of the weights; parameters have the names
//! below whatever the checkpoint calls them
//! ([`NetworkWeights::recognise`](crate::weights::NetworkWeights::recognise)).

use super::{Builder, Framing, Gelu, ImageInput, MapIndex, Network, Op, Padding};
use crate::image::Filter;

/// Mean and standard deviation of the colours that CLIP was trained with.
const CLIP_COLOURS: ([f32; 3], [f32; 3]) =
    ([0.481_454_66, 0.457_827_5, 0.408_210_73], [0.268_629_54, 0.261_302_6, 0.275_777_1]);

/// By whom a transformer was published.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Family {
    /// DINOv2, with or without registers.
    DinoV2,
    /// CLIP with the weights of its authors.
    Clip,
    /// CLIP with weights of others.
    OpenClip,
    /// SigLIP.
    SigLip,
}

crate::named::named!(
    Family,
    "family of vision transformers",
    [DinoV2 = "dinov2", Clip = "clip", OpenClip = "openclip", SigLip = "siglip",]
);

impl Family {
    /// The images of this size, as the authors prepare them.
    fn input(self, size: usize) -> ImageInput {
        let shorter = |edge: usize| Framing::Shorter { edge, filter: Filter::Bicubic };
        match self {
            // The middle 224 of 256 pixels, or as much of other sizes.
            Self::DinoV2 => ImageInput { size, framing: shorter((size * 8).div_ceil(7)), ..ImageInput::default() },
            Self::Clip | Self::OpenClip => {
                let (mean, std) = CLIP_COLOURS;
                ImageInput { size, framing: shorter(size), mean, std }
            }
            Self::SigLip => ImageInput { size, framing: Framing::Squeeze, mean: [0.5; 3], std: [0.5; 3] },
        }
    }
}

/// The sizes of a vision transformer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TransformerShape {
    pub family: Family,
    pub layers: usize,
    /// Numbers per token.
    pub width: usize,
    pub heads: usize,
    /// Numbers per token between the two products of a layer.
    pub inner: usize,
    /// Edge of a patch in pixels.
    pub patch: usize,
    /// Patches along an edge of the image.
    pub grid: usize,
    /// Learned tokens that come first.
    pub leading: usize,
    /// Whether the linear map of the patches has a bias.
    pub patch_bias: bool,
    /// Numbers of the projected feature, if it is projected.
    pub projected: Option<usize>,
}

impl TransformerShape {
    fn norm(&self, b: &mut Builder, name: &str, x: MapIndex) -> MapIndex {
        let epsilon = match self.family {
            Family::DinoV2 | Family::SigLip => 1e-6,
            Family::Clip | Family::OpenClip => 1e-5,
        };
        b.push(Op::LayerNorm { name: name.to_string(), channels: self.width, epsilon }, &[x])
    }

    /// Two products with a function between them.
    fn perceptron(&self, b: &mut Builder, name: &str, x: MapIndex) -> MapIndex {
        let gelu = match self.family {
            Family::DinoV2 | Family::OpenClip => Gelu::Exact,
            Family::Clip => Gelu::Quick,
            Family::SigLip => Gelu::Tanh,
        };
        let x = b.dense(&format!("{name}.fc1"), x, (self.width, self.inner));
        let x = b.push(Op::Gelu(gelu), &[x]);
        b.dense(&format!("{name}.fc2"), x, (self.inner, self.width))
    }

    /// Attention and a perceptron, each added to what it reads.
    fn layer(&self, b: &mut Builder, at: &str, x: MapIndex) -> MapIndex {
        let (width, heads) = (self.width, self.heads);
        let scaled = |b: &mut Builder, part: usize, x: MapIndex| match self.family {
            Family::DinoV2 => {
                let name = format!("{at}.scale{part}");
                b.push(Op::Scale { name, channels: width }, &[x])
            }
            _ => x,
        };
        let mut y = self.norm(b, &format!("{at}.norm1"), x);
        y = b.dense(&format!("{at}.qkv"), y, (width, 3 * width));
        y = b.push(Op::Attention { heads }, &[y]);
        y = b.dense(&format!("{at}.proj"), y, (width, width));
        y = scaled(b, 1, y);
        let x = b.push(Op::Add, &[y, x]);
        y = self.norm(b, &format!("{at}.norm2"), x);
        y = self.perceptron(b, at, y);
        y = scaled(b, 2, y);
        b.push(Op::Add, &[y, x])
    }
}

impl Network {
    /// A vision transformer of these sizes.
    pub(crate) fn transformer(shape: TransformerShape) -> Network {
        let TransformerShape { family, width, heads, patch, grid, leading, .. } = shape;
        let mut b = Builder::default();
        let patches = Op::Conv {
            name: "patch".into(),
            inputs: 3,
            outputs: width,
            kernel: patch,
            stride: patch,
            padding: Padding::Each(0),
            bias: shape.patch_bias,
        };
        let mut x = b.push(patches, &[Builder::IMAGE]);
        let positions = grid * grid;
        let tokens = Op::Tokens { name: "tokens".into(), leading, positions, channels: width };
        x = b.push(tokens, &[x]);
        if matches!(family, Family::Clip | Family::OpenClip) {
            x = shape.norm(&mut b, "before", x);
        }
        for layer in 0..shape.layers {
            x = shape.layer(&mut b, &format!("blocks.{layer}"), x);
        }
        if family == Family::SigLip {
            x = shape.norm(&mut b, "norm", x);
            x = b.dense("pool.kv", x, (width, 2 * width));
            x = b.push(Op::Pooling { name: "pool".into(), channels: width, heads }, &[x]);
            x = b.dense("pool.proj", x, (width, width));
            let y = shape.norm(&mut b, "pool.norm", x);
            let y = shape.perceptron(&mut b, "pool", y);
            b.push(Op::Add, &[y, x]);
        } else {
            x = b.push(Op::First, &[x]);
            x = shape.norm(&mut b, "norm", x);
            if let Some(outputs) = shape.projected {
                b.conv("head", x, (width, outputs), 1, 1);
            }
        }
        let dim = shape.projected.unwrap_or(width);
        Network { name: Family::NAMES[family as usize], nodes: b.nodes(), dim, input: family.input(grid * patch) }
    }
}
