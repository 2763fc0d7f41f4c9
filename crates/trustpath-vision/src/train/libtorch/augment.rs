//! Images as a network gets them: cropped, mirrored and erased on the device.

use tch::{Device, Kind, Tensor};

use super::Torch;
use super::draw::{DrawnStep, ImageDraw};
use crate::network::Network;

/// What is put in place of an erased rectangle, after the colours are normalised.
const FILL: [f32; 3] = [0.4914, 0.4822, 0.4465];

/// Numbers that describe how an image is changed: top and left edge of the crop, whether it is mirrored, and top, left,
/// bottom and right edge of what is erased.
const CHANGES: i64 = 7;

/// One step on the device, or several. Sending waits until the device has done all it was asked to do; sent an epoch at a
/// time, the device never waits for the next step.
#[derive(Debug)]
pub(super) struct StepsOnDevice {
    /// Rows of the images, where the images are.
    pub images: Tensor,
    /// How each is changed.
    pub changes: Tensor,
    /// The class of each that is to be recognised.
    pub classes: Tensor,
}

impl StepsOnDevice {
    /// Sends steps to the device, and the rows of their images to where the images are.
    pub fn send(steps: &[DrawnStep], images_at: Device, device: Device) -> Torch<Self> {
        let count = steps.len() as i64;
        let send = |numbers: Vec<i64>, at: Device| Tensor::f_from_slice(&numbers)?.f_view([count, -1])?.f_to_device(at);
        let draws = || steps.iter().flat_map(|step| &step.draws);
        let change = |draw: &ImageDraw| {
            let [top, left, height, width] = draw.erased;
            let mirrored = i64::from(draw.mirrored);
            [draw.top, draw.left, mirrored, top, left, top + height, left + width]
        };
        Ok(Self {
            images: send(draws().map(|draw| draw.image).collect(), images_at)?,
            changes: send(draws().flat_map(change).collect(), device)?,
            classes: send(steps.iter().flat_map(|step| step.classes.clone()).collect(), device)?,
        })
    }

    /// DrawnStep number `i` of those that were sent.
    pub fn get(&self, i: usize) -> Torch<Self> {
        let of = |all: &Tensor| all.f_select(0, i as i64);
        Ok(Self { images: of(&self.images)?, changes: of(&self.changes)?, classes: of(&self.classes)? })
    }
}

/// Makes batches of images from bytes, image × row × column × colour.
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
        let colours = |f: &dyn Fn(usize) -> f32| Tensor::f_from_slice(&[f(0), f(1), f(2)])?.f_to_device(device);
        Ok(Self {
            scale: colours(&|c| 1.0 / (255.0 * network.input.std[c]))?,
            shift: colours(&|c| -network.input.mean[c] / network.input.std[c])?,
            fill: colours(&|c| FILL[c])?,
            device,
            padding: padding as i64,
        })
    }

    /// The images of these rows as they are.
    pub fn plain(&self, bytes: &Tensor, start: usize, count: usize) -> Torch<Tensor> {
        let images = bytes.f_narrow(0, start as i64, count as i64)?.f_to_device(self.device)?;
        self.normalised(&images)?.f_permute([0, 3, 1, 2])
    }

    /// The images of a step, changed as was drawn.
    pub fn changed(&self, bytes: &Tensor, step: &StepsOnDevice) -> Torch<Tensor> {
        let size = bytes.size()[1];
        let count = step.images.size()[0];
        let images = bytes.f_index_select(0, &step.images)?.f_to_device(self.device)?;
        let pad = self.padding;
        let padded = images.f_constant_pad_nd([0, 0, pad, pad, pad, pad])?;

        let changes = step.changes.f_view([count, CHANGES, 1, 1])?;
        let of_each = |i: i64| changes.f_select(1, i);
        let along = Tensor::f_arange(size, (Kind::Int64, self.device))?;
        let (down, across) = (along.f_view([1, size, 1])?, along.f_view([1, 1, size])?);
        let backwards = across.f_neg()?.f_add_scalar(size - 1)?;
        let mirrored = backwards.f_where_self(&of_each(2)?.f_gt(0)?, &across)?;
        let image = Tensor::f_arange(count, (Kind::Int64, self.device))?.f_view([count, 1, 1])?;
        let cropped =
            padded.f_index(&[Some(image), Some(down.f_add(&of_each(0)?)?), Some(mirrored.f_add(&of_each(1)?)?)])?;

        let within = |x: &Tensor, from: i64, to: i64| -> Torch<Tensor> {
            x.f_ge_tensor(&of_each(from)?)?.f_logical_and(&x.f_lt_tensor(&of_each(to)?)?)
        };
        let erased = within(&down, 3, 5)?.f_logical_and(&within(&across, 4, 6)?)?.f_unsqueeze(3)?;
        let images = self.fill.f_where_self(&erased, &self.normalised(&cropped)?)?;
        images.f_permute([0, 3, 1, 2])
    }

    fn normalised(&self, bytes: &Tensor) -> Torch<Tensor> {
        bytes.f_to_kind(Kind::Float)?.f_mul(&self.scale)?.f_add(&self.shift)
    }
}
