//! Checkpoints of vision transformers, whoever wrote them.
//!
//! The sizes of a transformer are read off its weights, and the parameters get the names that
//! `Network::transformer` gives them. What is fixed is computed once: class and register tokens with what is learned for
//! their positions, the learned query of a pooling, `W_q l + b_q`, and the scale of the scores, `1/√64`, which becomes part
//! of the queries. Weights do not show how wide heads are: in all published models of these families up to ViT-L they have 64
//! numbers, in most larger ones 72 to 104, so that wider tokens are refused.

mod names;
mod positions;

use std::collections::BTreeMap;

use super::file::refuse;
use super::{NetworkWeights, Parameter};
use crate::network::{Family, Network, TransformerShape};
use crate::{Error, Result};
use names::{ALL, FeatureHead, Names, PoolNames};
use positions::Resampling;

/// Numbers of a head.
const HEAD: usize = 64;
/// Numbers of a token of ViT-L.
const WIDEST: usize = 1024;
/// Edge of the images that the authors of DINOv2 use.
const DINO_SIZE: usize = 224;

/// The transformer that some weights are of, with its weights under the names of the network; none if they are not of one.
/// `size` is the edge of the images where it is not the usual one. `quick` says whether the activation function is QuickGELU, if
/// that is known from elsewhere: weights do not show it.
pub(super) fn of_weights(
    weights: &NetworkWeights,
    family: Option<Family>,
    size: Option<usize>,
    quick: Option<bool>,
) -> Result<Option<(Network, NetworkWeights)>> {
    let checkpoint = ALL.iter().find_map(|names| {
        let prefixes = weights.iter().filter_map(|(key, _)| key.strip_suffix(names.landmark));
        let prefixes = prefixes.filter(|prefix| prefix.is_empty() || prefix.ends_with('.'));
        let prefix = prefixes.min_by_key(|prefix| prefix.len())?;
        Some(Checkpoint { weights, names, prefix })
    });
    let Some(checkpoint) = checkpoint else { return Ok(None) };
    let names = checkpoint.names;
    let layout = match () {
        _ if checkpoint.has(&checkpoint.layer(0, names.scales[0])) => Family::DinoV2,
        _ if checkpoint.has(&format!("{}weight", names.before)) => Family::Clip,
        _ if names.pool.as_ref().is_some_and(|pool| checkpoint.has(pool.latent)) => Family::SigLip,
        _ => return Ok(None),
    };
    let source = weights.source();
    let family = match (layout, family) {
        (Family::Clip, Some(family @ (Family::Clip | Family::OpenClip))) => family,
        (layout, Some(family)) if layout == family => family,
        (layout, Some(family)) => {
            return Err(Error::Input(format!(
                "{source} holds no weights of {family}: they are of {layout}, so choose that backbone"
            )));
        }
        (Family::Clip, None) => match quick {
            Some(true) => Family::Clip,
            Some(false) => Family::OpenClip,
            None => {
                return Err(Error::Input(format!(
                    "{source} has the layout of CLIP, and weights do not show which activation function (QuickGELU or GELU) they were trained with: give --backbone clip for those of OpenAI, or --backbone openclip for others"
                )));
            }
        },
        (layout, None) => layout,
    };
    checkpoint.network(family, size).map(Some)
}

struct Checkpoint<'a> {
    weights: &'a NetworkWeights,
    names: &'a Names,
    prefix: &'a str,
}

impl Checkpoint<'_> {
    fn get(&self, name: &str) -> Option<&Parameter> {
        self.weights.get(&format!("{}{name}", self.prefix))
    }

    fn has(&self, name: &str) -> bool {
        self.get(name).is_some()
    }

    fn shaped(&self, name: &str, shape: &[usize]) -> Result<&[f32]> {
        self.weights.shaped(&format!("{}{name}", self.prefix), shape)
    }

    fn wrong(&self, reason: String) -> Error {
        let remedy = "export such a model to ONNX and give it by --backbone model.onnx";
        refuse(self.weights.source(), reason, remedy)
    }

    /// The name of a part of a layer; none has an empty one.
    fn layer(&self, layer: usize, part: &str) -> String {
        match part {
            "" => String::new(),
            part => format!("{}{layer}.{part}", self.names.layers),
        }
    }

    /// One more than the largest number of a layer, so that one that is incomplete is missed.
    fn layers(&self) -> usize {
        let number = |key: &str| -> Option<usize> {
            let rest = key.strip_prefix(self.prefix)?.strip_prefix(self.names.layers)?;
            Some(rest.split_once('.')?.0.parse::<u32>().ok()? as usize + 1)
        };
        self.weights.iter().filter_map(|(key, _)| number(key)).max().unwrap_or(0)
    }

    /// The numbers of rows of `width` numbers, whatever axes of length 1 there are.
    fn rows(&self, name: &str, width: usize) -> Result<&[f32]> {
        match self.get(name).filter(|p| p.shape.last() == Some(&width)) {
            Some(parameter) => Ok(&parameter.values),
            None => self.shaped(name, &[1, width]),
        }
    }

    fn network(&self, family: Family, size: Option<usize>) -> Result<(Network, NetworkWeights)> {
        let names = self.names;
        let patches = self.get(&format!("{}weight", names.patch));
        let (width, patch) = match patches.map(|p| &p.shape[..]) {
            Some(&[width, 3, patch, across]) if patch == across && patch > 0 => (width, patch),
            _ => return Err(self.wrong("its patches are no squares of three colours".into())),
        };
        let layers = self.layers();
        if layers == 0 {
            return Err(self.wrong("it has no layers".into()));
        }
        let inner = self.get(&self.layer(0, &format!("{}weight", names.mlp[0])));
        let inner = inner.and_then(|p| p.shape.first().copied()).unwrap_or(0);
        if inner == 0 {
            let part = names.mlp[0].trim_end_matches('.');
            return Err(self.wrong(format!("its layers have no {part}, as gated ones (ViT-g)")));
        }
        if !width.is_multiple_of(HEAD) || !(HEAD..=WIDEST).contains(&width) {
            return Err(self.wrong(format!(
                "its tokens have {width} numbers, and only heads of {HEAD} numbers (ViT-S, B and L) are supported"
            )));
        }
        let (leading, rows, grid) = self.tokens(family, width, (patch, size))?;
        let positions = grid * grid;
        let head = self.head(family, width);
        let shape = TransformerShape {
            family,
            layers,
            width,
            heads: width / HEAD,
            inner,
            patch,
            grid,
            leading: leading.len() / width,
            patch_bias: self.has(&format!("{}bias", names.patch)),
            projected: head.as_ref().map(|head| head.len() / width),
        };
        let mut named = Named(BTreeMap::new());
        let kernel = [width, 3, patch, patch];
        named.put("patch.weight", &kernel, self.shaped(&format!("{}weight", names.patch), &kernel)?);
        if shape.patch_bias {
            let bias = self.shaped(&format!("{}bias", names.patch), &[width])?;
            named.put("patch.bias", &[width], bias);
        }
        named.put("tokens.leading", &[shape.leading, width], &leading);
        named.put("tokens.positions", &[positions, width], &rows);
        if matches!(family, Family::Clip | Family::OpenClip) {
            self.norm(&mut named, "before", names.before, width)?;
        }
        for layer in 0..layers {
            self.block(&mut named, layer, &shape)?;
        }
        self.norm(&mut named, "norm", names.norm, width)?;
        if let Some(head) = head {
            named.put("head.weight", &[head.len() / width, width, 1, 1], &head);
        }
        if let (Family::SigLip, Some(pool)) = (family, &names.pool) {
            self.pool(&mut named, pool, &shape)?;
        }
        let weights = NetworkWeights::new(self.weights.source(), named.0);
        Ok((Network::transformer(shape), weights))
    }

    /// The tokens that come first, what is added to the others, and how many of those lie along an edge.
    fn tokens(
        &self,
        family: Family,
        width: usize,
        (patch, size): (usize, Option<usize>),
    ) -> Result<(Vec<f32>, Vec<f32>, usize)> {
        let names = self.names;
        let class = match family {
            Family::SigLip => None,
            _ => Some(self.rows(names.class, width)?),
        };
        let registers = names.registers.iter().find(|name| self.has(name));
        let registers = registers.map(|name| self.rows(name, width)).transpose()?;
        let mut learned = self.rows(names.positions, width)?;
        let mut leading = class.unwrap_or_default().to_vec();
        // A number of positions that is no square includes that of the class token.
        let edge = |rows: &[f32]| (rows.len() / width).isqrt();
        if class.is_some() && edge(learned).pow(2) != learned.len() / width {
            let (first, rest) = learned.split_at(width);
            leading.iter_mut().zip(first).for_each(|(x, place)| *x += place);
            learned = rest;
        }
        let from = edge(learned);
        if from == 0 || from * from * width != learned.len() {
            return Err(self.wrong("its positions form no square".into()));
        }
        let size = size.unwrap_or(match family {
            Family::DinoV2 if from * patch > DINO_SIZE => DINO_SIZE,
            _ => from * patch,
        });
        let grid = size / patch;
        if grid == 0 || grid * patch != size {
            return Err(Error::Input(format!(
                "images of {size} pixels cannot be cut into patches of {patch}: give a multiple of {patch} as --input-size"
            )));
        }
        leading.extend_from_slice(registers.unwrap_or_default());
        let by = match family {
            Family::DinoV2 if registers.is_some() => Resampling::Widened,
            Family::DinoV2 => Resampling::Nearest(0.1),
            Family::Clip | Family::OpenClip | Family::SigLip => Resampling::Nearest(0.0),
        };
        let rows = positions::resampled(learned, width, (from, grid), by);
        Ok((leading, rows, grid))
    }

    fn norm(&self, named: &mut Named, to: &str, from: &str, width: usize) -> Result<()> {
        for part in ["weight", "bias"] {
            let values = self.shaped(&format!("{from}{part}"), &[width])?;
            named.put(&format!("{to}.{part}"), &[width], values);
        }
        Ok(())
    }

    fn dense(&self, named: &mut Named, to: &str, from: &str, (inputs, outputs): (usize, usize)) -> Result<()> {
        let weight = self.shaped(&format!("{from}weight"), &[outputs, inputs])?;
        named.put(&format!("{to}.weight"), &[outputs, inputs, 1, 1], weight);
        let bias = self.shaped(&format!("{from}bias"), &[outputs])?;
        named.put(&format!("{to}.bias"), &[outputs], bias);
        Ok(())
    }

    fn block(&self, named: &mut Named, layer: usize, shape: &TransformerShape) -> Result<()> {
        let (names, width, inner) = (self.names, shape.width, shape.inner);
        let at = |part: &str| self.layer(layer, part);
        let to = |part: &str| format!("blocks.{layer}.{part}");
        self.norm(named, &to("norm1"), &at(names.norm1), width)?;
        self.norm(named, &to("norm2"), &at(names.norm2), width)?;
        let there = |part: &&str| self.has(&at(&format!("{part}weight")));
        let qkv = names.qkv.iter().find(|parts| there(&parts[0])).unwrap_or(&names.qkv[0]);
        let outputs = 3 * width / qkv.len();
        let (mut weight, mut bias) = (Vec::new(), Vec::new());
        for part in *qkv {
            let part = at(part);
            weight.extend_from_slice(self.shaped(&format!("{part}weight"), &[outputs, width])?);
            bias.extend_from_slice(self.shaped(&format!("{part}bias"), &[outputs])?);
        }
        scale(&mut weight[..width * width]);
        scale(&mut bias[..width]);
        named.put(&to("qkv.weight"), &[3 * width, width, 1, 1], &weight);
        named.put(&to("qkv.bias"), &[3 * width], &bias);
        let proj = names.proj.iter().find(|part| there(part)).unwrap_or(&names.proj[0]);
        self.dense(named, &to("proj"), &at(proj), (width, width))?;
        self.dense(named, &to("fc1"), &at(names.mlp[0]), (width, inner))?;
        self.dense(named, &to("fc2"), &at(names.mlp[1]), (inner, width))?;
        if shape.family == Family::DinoV2 {
            for (i, part) in names.scales.into_iter().enumerate() {
                let values = self.shaped(&at(part), &[width])?;
                named.put(&to(&format!("scale{}.weight", i + 1)), &[width], values);
            }
        }
        Ok(())
    }

    /// The projection of the feature, outputs × inputs.
    fn head(&self, family: Family, width: usize) -> Option<Vec<f32>> {
        if !matches!(family, Family::Clip | Family::OpenClip) {
            return None;
        }
        let (parameter, turned) = match self.names.head {
            FeatureHead::None => return None,
            FeatureHead::Beside(name) => {
                let part = self.prefix.strip_suffix("vision_model.").unwrap_or(self.prefix);
                (self.weights.get(&format!("{part}{name}")), false)
            }
            FeatureHead::Unbiased(name) => {
                let bias = self.get(&format!("{name}bias"));
                let projects = bias.is_none_or(|bias| bias.values.iter().all(|&x| x == 0.0));
                (self.get(&format!("{name}weight")).filter(|_| projects), false)
            }
            FeatureHead::Turned(name) => (self.get(name), true),
        };
        let Parameter { shape, values } = parameter?;
        match (&shape[..], turned) {
            (&[_, inputs], false) if inputs == width => Some(values.clone()),
            (&[inputs, outputs], true) if inputs == width => {
                Some((0..outputs * width).map(|i| values[i % width * outputs + i / width]).collect())
            }
            _ => None,
        }
    }

    fn pool(&self, named: &mut Named, pool: &PoolNames, shape: &TransformerShape) -> Result<()> {
        let (width, inner) = (shape.width, shape.inner);
        let latent = self.rows(pool.latent, width)?;
        let outputs = [width, 3 * width][usize::from(pool.query.len() == 1)];
        let part = |name: &str, outputs: usize| -> Result<(&[f32], &[f32])> {
            let weight = self.shaped(&format!("{name}weight"), &[outputs, width])?;
            Ok((weight, self.shaped(&format!("{name}bias"), &[outputs])?))
        };
        let (first, second) = part(pool.query[0], outputs)?;
        let (weight, bias) = match pool.query.get(1) {
            Some(name) => part(name, 2 * width)?,
            None => (&first[width * width..], &second[width..]),
        };
        let row = |(row, bias): (&[f32], &f32)| {
            let dot: f64 = row.iter().zip(latent).map(|(&a, &b)| f64::from(a) * f64::from(b)).sum();
            (dot + f64::from(*bias)) as f32
        };
        let mut query: Vec<f32> = first.chunks_exact(width).zip(&second[..width]).map(row).collect();
        scale(&mut query);
        named.put("pool.query", &[width], &query);
        named.put("pool.kv.weight", &[2 * width, width, 1, 1], weight);
        named.put("pool.kv.bias", &[2 * width], bias);
        self.dense(named, "pool.proj", pool.proj, (width, width))?;
        self.norm(named, "pool.norm", pool.norm, width)?;
        self.dense(named, "pool.fc1", pool.mlp[0], (width, inner))?;
        self.dense(named, "pool.fc2", pool.mlp[1], (inner, width))
    }
}

/// Parameters under the names of the network.
struct Named(BTreeMap<String, Parameter>);

impl Named {
    fn put(&mut self, key: &str, shape: &[usize], values: &[f32]) {
        let parameter = Parameter { shape: shape.to_vec(), values: values.to_vec() };
        self.0.insert(key.to_owned(), parameter);
    }
}

/// `1/√64`, a power of two, so that nothing is rounded.
fn scale(queries: &mut [f32]) {
    queries.iter_mut().for_each(|x| *x /= (HEAD as f32).sqrt());
}
