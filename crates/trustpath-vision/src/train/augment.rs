//! Pictures as a network gets them, cropped, mirrored and erased where the network computes.

use tch::{Device, Kind, Tensor};

use super::on_device::{CHANGES, StepOnDevice};
use super::torch::Torch;
use crate::network::Network;

/// What is put in place of an erased rectangle, after the colours are normalised.
const FILL: [f32; 3] = [0.4914, 0.4822, 0.4465];

/// Makes batches of pictures that lie as bytes, picture × row × column × colour.
#[derive(Debug)]
pub(super) struct Augment {
    scale: Tensor,
    shift: Tensor,
    fill: Tensor,
    device: Device,
    padding: i64,
}

impl Augment {
    /// For a network's colours.
    pub fn new(network: &Network, padding: usize, device: Device) -> Torch<Self> {
        let colours = |f: &dyn Fn(usize) -> f32| {
            Tensor::f_from_slice(&[f(0), f(1), f(2)])?.f_to_device(device)
        };
        Ok(Self {
            scale: colours(&|c| 1.0 / (255.0 * network.std[c]))?,
            shift: colours(&|c| -network.mean[c] / network.std[c])?,
            fill: colours(&|c| FILL[c])?,
            device,
            padding: padding as i64,
        })
    }

    /// The pictures of these rows as they are.
    pub fn plain(&self, bytes: &Tensor, start: usize, count: usize) -> Torch<Tensor> {
        let pictures = bytes.f_narrow(0, start as i64, count as i64)?.f_to_device(self.device)?;
        self.normalised(&pictures)?.f_permute([0, 3, 1, 2])
    }

    /// The pictures of a step, changed as was drawn.
    pub fn changed(&self, bytes: &Tensor, step: &StepOnDevice) -> Torch<Tensor> {
        let size = bytes.size()[1];
        let count = step.pictures.size()[0];
        let pictures = bytes.f_index_select(0, &step.pictures)?.f_to_device(self.device)?;
        let pad = self.padding;
        let padded = pictures.f_constant_pad_nd([0, 0, pad, pad, pad, pad])?;

        let changes = step.changes.f_view([count, CHANGES, 1, 1])?;
        let of_each = |i: i64| changes.f_select(1, i);
        let along = Tensor::f_arange(size, (Kind::Int64, self.device))?;
        let (down, across) = (along.f_view([1, size, 1])?, along.f_view([1, 1, size])?);
        let backwards = across.f_neg()?.f_add_scalar(size - 1)?;
        let mirrored = backwards.f_where_self(&of_each(2)?.f_gt(0)?, &across)?;
        let picture = Tensor::f_arange(count, (Kind::Int64, self.device))?.f_view([count, 1, 1])?;
        let cropped = padded.f_index(&[
            Some(picture),
            Some(down.f_add(&of_each(0)?)?),
            Some(mirrored.f_add(&of_each(1)?)?),
        ])?;

        let within = |x: &Tensor, from: i64, to: i64| -> Torch<Tensor> {
            x.f_ge_tensor(&of_each(from)?)?.f_logical_and(&x.f_lt_tensor(&of_each(to)?)?)
        };
        let erased = within(&down, 3, 5)?.f_logical_and(&within(&across, 4, 6)?)?.f_unsqueeze(3)?;
        let pictures = self.fill.f_where_self(&erased, &self.normalised(&cropped)?)?;
        pictures.f_permute([0, 3, 1, 2])
    }

    fn normalised(&self, bytes: &Tensor) -> Torch<Tensor> {
        bytes.f_to_kind(Kind::Float)?.f_mul(&self.scale)?.f_add(&self.shift)
    }
}
