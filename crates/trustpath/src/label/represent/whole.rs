//! A pool that is represented with everything in memory, in double precision and with exact neighbours.

use rayon::prelude::*;

use super::components::principal_components;
use super::{NEIGHBORS, Projection, Representation, SMOOTHING, SWEEPS, to_unit, weight};
use crate::power::{SIGNED_FROM, is_signed, power};
use crate::reduce::neighbors::Neighbors;
use crate::{Features, Instances, Matrix, Result};

pub(super) fn represent(features: &Features<'_>) -> Result<Representation> {
    let mut powered = features.normalize()?.into_unit();
    let signed = is_signed(&powered, powered.rows(), SIGNED_FROM);
    power(&mut powered, signed);
    let smoothed = smooth(&Instances::from_unit(powered))?;
    let (mean, basis) = principal_components(&smoothed)?;
    let projection = Projection { signed, mean, basis };
    let smooth = Instances::from_unit(projection.coordinates(&smoothed));
    Ok(Representation { smooth, projection, recall: None, neighbors: None })
}

/// Moves every instance towards its neighbours.
fn smooth(instances: &Instances) -> Result<Matrix> {
    let x = instances.unit();
    let (n, d) = (x.rows(), x.cols());
    let k = NEIGHBORS.min(n.saturating_sub(1));
    if k == 0 {
        return Ok(x.clone());
    }
    let graph = Neighbors::of(instances, n, k)?;
    let mut z = x.clone();
    for _ in 0..SWEEPS {
        let mut next = Matrix::zeros(n, d);
        next.as_mut_slice().par_chunks_exact_mut(d).enumerate().for_each(|(i, to)| {
            let total: f64 =
                graph.squared_distances(i).iter().map(|&squared| weight(squared)).sum();
            to.iter_mut().zip(x.row(i)).for_each(|(to, x)| *to = (1.0 - SMOOTHING) * x);
            if total > 0.0 {
                for (&j, &squared) in graph.indices(i).iter().zip(graph.squared_distances(i)) {
                    let w = SMOOTHING * weight(squared) / total;
                    to.iter_mut().zip(z.row(j)).for_each(|(to, z)| *to += w * z);
                }
            }
        });
        z = next;
    }
    z.as_mut_slice().par_chunks_exact_mut(d).for_each(to_unit);
    Ok(z)
}
