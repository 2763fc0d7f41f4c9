//! Parameters that are updated together, by stochastic gradient descent with momentum.
//!
//! ```text
//! v ← μ v + g + δ w        w ← w − η v
//! ```
//!
//! All parameters of a group lie one after the other in one vector, so that a step is a handful of
//! operations however many layers there are. The network computes with a copy of a lower precision;
//! `w` and `v` have 32 bits.

use tch::{Device, Kind, Tensor, no_grad};

use super::{Recipe, Torch};

/// A parameter: its key, and its axes as they are published.
#[derive(Debug)]
pub(super) struct ParameterShape {
    pub key: String,
    pub shape: Vec<i64>,
}

impl ParameterShape {
    pub fn len(&self) -> i64 {
        self.shape.iter().product()
    }

    /// The axes as they lie in memory: the channels of a convolution come last, as the hardware wants.
    fn stored(&self) -> Vec<i64> {
        match self.shape[..] {
            [o, i, h, w] => vec![o, h, w, i],
            _ => self.shape.clone(),
        }
    }

    fn published_from_stored(&self, tensor: &Tensor) -> Torch<Tensor> {
        if self.shape.len() == 4 { tensor.f_permute([0, 3, 1, 2]) } else { Ok(tensor.shallow_clone()) }
    }

    fn stored_from_published(&self, tensor: &Tensor) -> Torch<Tensor> {
        let tensor = if self.shape.len() == 4 { tensor.f_permute([0, 2, 3, 1])? } else { tensor.shallow_clone() };
        tensor.f_reshape([-1])
    }
}

/// Parameters, their velocities, and the copies the network computes with.
#[derive(Debug)]
pub(super) struct ParameterGroup {
    parameters: Vec<ParameterShape>,
    weights: Tensor,
    velocity: Tensor,
    working: Tensor,
    /// The copies the network computes with, in the order of the parameters.
    pub leaves: Vec<Tensor>,
}

impl ParameterGroup {
    /// All zero.
    pub fn new(parameters: Vec<ParameterShape>, kind: Kind, device: Device) -> Torch<Self> {
        let len: i64 = parameters.iter().map(ParameterShape::len).sum();
        let weights = Tensor::f_zeros([len], (Kind::Float, device))?;
        let velocity = weights.f_zeros_like()?;
        let working = Tensor::f_zeros([len], (kind, device))?;
        let leaf = |part: Tensor| part.f_detach()?.f_set_requires_grad(true);
        let leaves = published(&parameters, &working)?.into_iter().map(leaf).collect::<Torch<_>>()?;
        Ok(Self { parameters, weights, velocity, working, leaves })
    }

    /// One step against these gradients, which are in the order of the parameters.
    pub fn step(&mut self, gradients: &[Tensor], recipe: &Recipe, rate: f64) -> Torch<()> {
        let parts = self.parameters.iter().zip(gradients);
        let parts: Vec<Tensor> = parts.map(|(p, gradient)| p.stored_from_published(gradient)).collect::<Torch<_>>()?;
        let gradient = Tensor::f_cat(&parts, 0)?.f_to_kind(Kind::Float)?;
        no_grad(|| {
            let decay = self.weights.f_mul_scalar(recipe.weight_decay)?;
            let _ = self.velocity.f_mul_scalar_(recipe.momentum)?;
            let _ = self.velocity.f_add_(&gradient)?.f_add_(&decay)?;
            let _ = self.weights.f_sub_(&self.velocity.f_mul_scalar(rate)?)?;
            self.working.f_copy_(&self.weights)
        })
    }

    /// The numbers of every parameter, and those of its velocity, with its published axes.
    pub fn numbers(&self) -> Torch<Vec<(&ParameterShape, Vec<f32>, Vec<f32>)>> {
        let read = |from: &Tensor| -> Torch<Vec<Vec<f32>>> {
            let parts = published(&self.parameters, &from.f_to_device(Device::Cpu)?)?;
            let values = |part: Tensor| Vec::<f32>::try_from(part.f_contiguous()?.f_view([-1])?);
            parts.into_iter().map(values).collect()
        };
        let both = read(&self.weights)?.into_iter().zip(read(&self.velocity)?);
        Ok(self.parameters.iter().zip(both).map(|(p, (weights, velocity))| (p, weights, velocity)).collect())
    }

    /// Sets every parameter, and its velocity, to what `find` gives for its key.
    pub fn set<E: From<tch::TchError>>(
        &mut self,
        mut find: impl FnMut(&ParameterShape) -> Result<(Vec<f32>, Vec<f32>), E>,
    ) -> Result<(), E> {
        let (mut weights, mut velocity) = (Vec::new(), Vec::new());
        for parameter in &self.parameters {
            let (w, v) = find(parameter)?;
            for (values, all) in [(w, &mut weights), (v, &mut velocity)] {
                let published = Tensor::f_from_slice(&values)?.f_view(&parameter.shape[..])?;
                all.push(parameter.stored_from_published(&published)?);
            }
        }
        no_grad(|| {
            self.weights.f_copy_(&Tensor::f_cat(&weights, 0)?)?;
            self.velocity.f_copy_(&Tensor::f_cat(&velocity, 0)?)?;
            self.working.f_copy_(&self.weights)
        })?;
        Ok(())
    }
}

/// The part of each parameter in one vector of all, with its published axes.
fn published(parameters: &[ParameterShape], all: &Tensor) -> Torch<Vec<Tensor>> {
    let mut start = 0;
    let part = |parameter: &ParameterShape| {
        let part = all.f_narrow(0, start, parameter.len())?.f_view(&parameter.stored()[..])?;
        start += parameter.len();
        parameter.published_from_stored(&part)
    };
    parameters.iter().map(part).collect()
}
