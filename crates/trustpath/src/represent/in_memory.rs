//! A pool that is represented with everything in memory, in double precision and with exact neighbours.
//!
//! Beyond [`GRAM_ROWS`] instances the neighbours of smoothed instances are chosen by all features from candidates that are nearest in
//! the principal components, which hold nearly all that smoothing has left of their differences.

use std::sync::Arc;

use rayon::prelude::*;

use super::centring::{centre, origin};
use super::copies::near_copies;
use super::smoothing::{NEIGHBORS, smooth};
use super::{Projection, Represented, to_unit_rows};
use crate::limits::{GRAM_ROWS, POOL_COMPONENTS};
use crate::linalg::pca::principal_axes;
use crate::linalg::vector::{squared_difference, to_unit};
use crate::neighbors::{Neighbors, SimilarityGraph};
use crate::power::{SIGNED_FROM, is_signed, power};
use crate::{Features, Instances, Result};

/// Neighbours in the graph of the smoothed instances.
const GRAPH_NEIGHBORS: usize = 20;

pub(super) fn represent(features: &Features<'_>) -> Result<Represented> {
    let unit = features.normalize()?;
    let mut x = unit.unit().clone();
    let signed = is_signed(&x, x.rows(), SIGNED_FROM);
    power(&mut x, signed);
    let (n, d) = (x.rows(), x.cols());
    let origin = origin(&x)?;
    if let Some(origin) = &origin {
        x.as_mut_slice().par_chunks_exact_mut(d).for_each(|row| centre(row, origin));
    }
    let k = NEIGHBORS.min(n - 1);
    let (mut neighbors, mut copies) = (Neighbors::default(), Vec::new());
    if k > 0 {
        let powered = Instances::from_unit(x);
        neighbors = Neighbors::of(&powered, n, k)?;
        x = powered.into_unit();
        copies = near_copies(&x, &neighbors);
        smooth(x.as_mut_slice(), d, &neighbors);
        x.as_mut_slice().par_chunks_exact_mut(d).for_each(to_unit);
    }
    let (mean, basis) = principal_axes(&x, POOL_COMPONENTS)?;
    let projection = Projection { signed, origin, mean, basis };
    let centred = projection.centred(&x);
    let graph = match GRAPH_NEIGHBORS.min(n - 1) {
        0 => SimilarityGraph::default(),
        k => {
            let neighbors = if n > GRAM_ROWS && 2 * centred.cols() <= d {
                let u: Vec<f32> = centred.as_slice().iter().map(|&v| v as f32).collect();
                let square = |row| squared_difference(row, &projection.mean);
                let square: Vec<f64> = x.iter_rows().map(square).collect();
                Neighbors::of_projected(&x, &u, &square, k)?
            } else {
                let smoothed = Instances::from_unit(x);
                Neighbors::of(&smoothed, n, k)?
            };
            SimilarityGraph::of(&neighbors, |i, k| neighbors.squared_distances(i)[k])
        }
    };
    let smooth = Arc::new(Instances::from_unit(to_unit_rows(centred)));
    Ok(Represented { smooth, projection, unit, graph, neighbors, copies })
}
