//! DropBlock (Ghiasi et al. 2018): whole squares of a channel are dropped while training.
//!
//! The share that is dropped grows from nothing to `rate` over 40,000 steps. A square of edge `s` hides
//! `s²` positions, and on a map of edge `e` there are `(e − s + 1)²` places for it, so that a place is
//! taken with probability
//!
//! ```text
//! γ = share / s² · e² / (e − s + 1)²
//! ```

use tch::{Kind, Tensor};

use super::Torch;

/// Steps after which the full share is dropped.
const RAMP: f64 = 40_000.0;

/// The share of positions that is dropped in a step.
pub(super) fn share(rate: f64, step: u64) -> f64 {
    (rate * (step + 1) as f64 / RAMP).min(rate)
}

pub(super) fn drop_block(x: &Tensor, rate: f64, size: usize, step: u64) -> Torch<Tensor> {
    let (batch, channels, height, width) = x.size4()?;
    let size = (size as i64).min(height).min(width);
    let (rows, columns) = (height - size + 1, width - size + 1);
    let gamma = share(rate, step) / (size * size) as f64 * (height * width) as f64 / (rows * columns) as f64;
    // Made with the channels last, as the maps are.
    let chance = Tensor::f_rand([batch, rows, columns, channels], (Kind::Float, x.device()))?;
    let places = chance.f_lt(gamma)?.f_to_kind(x.kind())?.f_permute([0, 3, 1, 2])?;
    let reach = size - 1;
    let hidden = places
        .f_constant_pad_nd([reach, reach, reach, reach])?
        .f_max_pool2d([size; 2], [1; 2], [0; 2], [1; 2], false)?;
    let shown = hidden.f_neg()?.f_add_scalar(1.0)?;
    let share_shown = shown.f_mean(Kind::Float)?;
    x.f_mul(&shown)?.f_div(&share_shown.f_to_kind(x.kind())?)
}
