//! A pool that is represented with everything in memory, in double precision and with exact neighbours.

use rayon::prelude::*;

use super::smoothing::{NEIGHBORS, smooth};
use super::{Projection, Representation};
use crate::limits::POOL_COMPONENTS;
use crate::linalg::pca::principal_axes;
use crate::linalg::vector::to_unit;
use crate::neighbors::{Neighbors, SimilarityGraph};
use crate::power::{SIGNED_FROM, is_signed, power};
use crate::{Features, Instances, Result};

/// Neighbours in the graph of the smoothed instances.
const GRAPH_NEIGHBORS: usize = 20;

pub(super) fn represent(features: &Features<'_>) -> Result<Representation> {
    let unit = features.normalize()?;
    let mut x = unit.unit().clone();
    let signed = is_signed(&x, x.rows(), SIGNED_FROM);
    power(&mut x, signed);
    let (n, d) = (x.rows(), x.cols());
    let k = NEIGHBORS.min(n - 1);
    let mut graph = SimilarityGraph::default();
    if k > 0 {
        let powered = Instances::from_unit(x);
        let neighbors = Neighbors::of(&powered, n, k)?;
        x = powered.into_unit();
        smooth(x.as_mut_slice(), d, &neighbors, |weight| weight);
        x.as_mut_slice().par_chunks_exact_mut(d).for_each(to_unit);
        let smoothed = Instances::from_unit(x);
        let neighbors = Neighbors::of(&smoothed, n, GRAPH_NEIGHBORS.min(n - 1))?;
        graph = SimilarityGraph::of(&neighbors, |i, k| neighbors.squared_distances(i)[k]);
        x = smoothed.into_unit();
    }
    let (mean, basis) = principal_axes(&x, POOL_COMPONENTS)?;
    let projection = Projection { signed, mean, basis };
    let smooth = Instances::from_unit(projection.coordinates(&x));
    Ok(Representation {
        smooth,
        projection,
        unit: Some(unit),
        graph,
        recall: None,
        neighbors: None,
    })
}
