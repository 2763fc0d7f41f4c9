//! What chance decides in many steps, sent to the device at once.
//!
//! To send something is to wait until the device has done all it was asked to do. Sent an epoch at a
//! time, the device never waits for the next step.

use tch::{Device, Tensor};

use super::draw::Step;
use super::torch::Torch;

/// Numbers by which a picture is changed: top and left edge of the crop, whether it is mirrored, and
/// top, left, bottom and right edge of what is erased.
pub(super) const CHANGES: i64 = 7;

/// Many steps on the device.
#[derive(Debug)]
pub(super) struct StepsOnDevice {
    pictures: Tensor,
    changes: Tensor,
    classes: Tensor,
}

/// One of them.
#[derive(Debug)]
pub(super) struct StepOnDevice {
    /// Rows of the pictures, where the pictures are.
    pub pictures: Tensor,
    /// How each is changed.
    pub changes: Tensor,
    /// The class of each that is to be recognised.
    pub classes: Tensor,
}

impl StepsOnDevice {
    /// Sends steps to the device, and the rows of their pictures to where the pictures are.
    pub fn send(steps: &[Step], pictures_at: Device, device: Device) -> Torch<Self> {
        let count = steps.len() as i64;
        let send = |numbers: Vec<i64>, at: Device| {
            Tensor::f_from_slice(&numbers)?.f_view([count, -1])?.f_to_device(at)
        };
        let draws = || steps.iter().flat_map(|step| &step.draws);
        let change = |draw: &super::draw::Draw| {
            let [top, left, height, width] = draw.erased;
            let mirrored = i64::from(draw.mirrored);
            [draw.top, draw.left, mirrored, top, left, top + height, left + width]
        };
        Ok(Self {
            pictures: send(draws().map(|draw| draw.picture).collect(), pictures_at)?,
            changes: send(draws().flat_map(change).collect(), device)?,
            classes: send(steps.iter().flat_map(|step| step.classes.clone()).collect(), device)?,
        })
    }

    /// Step number `i` of those that were sent.
    pub fn get(&self, i: usize) -> Torch<StepOnDevice> {
        let of = |all: &Tensor| all.f_select(0, i as i64);
        Ok(StepOnDevice {
            pictures: of(&self.pictures)?,
            changes: of(&self.changes)?,
            classes: of(&self.classes)?,
        })
    }
}
