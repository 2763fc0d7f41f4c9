//! What training lowers: the paper's two losses over the feature map.
//!
//! For an image with feature `f_p` at position `p`, with `W` the classifier over all `C` training
//! classes and `m_k` the mean feature of the labeled images of class `k` of the episode,
//!
//! ```text
//! L = mean_p −log softmax(W f_p + b)_class  +  w · mean_p −log softmax(s · cos(f_p, m_k))_class
//! ```
//!
//! over the images that are to be recognised: the global loss, and the nearest-neighbour loss with
//! weight `w` = ½ and scale `s` = 7.

use tch::{Kind, Reduction, Tensor};

use super::model::TrainableNetwork;
use super::{Recipe, Torch};

/// The losses of a step, and the share of positions at which the nearest mean is right.
#[derive(Debug)]
pub(super) struct Losses {
    pub total: Tensor,
    pub global: Tensor,
    pub nearest: Tensor,
    pub right: Tensor,
}

/// The losses over maps in the order of a step: labeled images, then those to be recognised.
pub(super) fn losses(model: &TrainableNetwork, maps: &Tensor, classes: &Tensor, recipe: &Recipe) -> Torch<Losses> {
    let [batch, ways, shots, queries] = [recipe.batch, recipe.ways, recipe.shots, recipe.queries].map(|n| n as i64);
    let (_, channels, height, width) = maps.size4()?;
    let positions = height * width;

    let support = maps.f_narrow(0, 0, batch * ways * shots)?;
    let means = support.f_reshape([batch, ways, shots, channels, positions])?.f_mean_dim(
        &[2_i64, 4][..],
        false,
        Kind::Float,
    )?;
    let count = batch * ways * queries;
    let query = maps.f_narrow(0, batch * ways * shots, count)?;
    let rows = query.f_permute([0, 2, 3, 1])?.f_reshape([count * positions, channels])?;

    let global = model.classify(&rows)?;
    let global = cross_entropy(&global, &each_position(classes, positions)?)?;

    let cosines =
        unit(&rows)?.f_view([batch, ways * queries * positions, channels])?.f_bmm(&unit(&means)?.f_transpose(1, 2)?)?;
    let scores = cosines.f_mul_scalar(recipe.scale)?.f_view([count * positions, ways])?;
    let way = Tensor::f_arange(ways, (Kind::Int64, maps.device()))?.f_view([1, ways, 1])?;
    let way = way.f_expand([batch, ways, queries], false)?.f_reshape([-1])?;
    let target = each_position(&way, positions)?;
    let nearest = cross_entropy(&scores, &target)?;
    let right = scores.f_argmax(1, false)?.f_eq_tensor(&target)?.f_to_kind(Kind::Float)?;
    let right = right.f_mean(Kind::Float)?.f_detach()?;

    let total = global.f_add(&nearest.f_mul_scalar(recipe.nearest_weight)?)?;
    Ok(Losses { total, global: global.f_detach()?, nearest: nearest.f_detach()?, right })
}

fn each_position(classes: &Tensor, positions: i64) -> Torch<Tensor> {
    classes.f_unsqueeze(1)?.f_expand([-1, positions], false)?.f_reshape([-1])
}

fn cross_entropy(scores: &Tensor, target: &Tensor) -> Torch<Tensor> {
    scores.f_cross_entropy_loss(target, None::<&Tensor>, Reduction::Mean, -100, 0.0)
}

/// Along the last axis.
fn unit(x: &Tensor) -> Torch<Tensor> {
    let norm = x.f_norm_scalaropt_dim(2.0, [-1_i64], true)?;
    x.f_div(&norm.f_clamp_min(1e-12)?)
}
