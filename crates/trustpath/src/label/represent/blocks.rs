//! A pool too large to hold: features are read block by block, and kept in fewer dimensions.
//!
//! ```text
//! y = Bᵀx,    ρ = ‖x‖² − ‖y‖²          B the leading right singular vectors of all rows, from their product XᵀX
//! ```
//!
//! Smoothing is linear, so `Bᵀ` of the smoothed instances is the smoothed `y`. What `B` cuts off is orthogonal to it and, in
//! hundreds of dimensions, nearly so between any two instances: it adds `ρᵢ + ρⱼ` to their squared distance, and averages
//! out as instances move towards each other. So distances, lengths and components come from `y` and `ρ` alone. They
//! are kept in single precision; sums are taken in double.

use std::sync::Arc;

use super::kept::{KeptRows, in_features, negated_product, sign_rows, signs_of, singular_vectors};
use super::recall::RecallSample;
use super::smoothing::NEIGHBORS;
use super::{Projection, Representation};
use crate::label::run::NEAREST;
use crate::limits::Limits;
use crate::neighbors::{Neighbors, Points, SimilarityGraph};
use crate::observer::Stages;
use crate::{Features, Instances, Matrix, Result};

pub(super) fn represent(
    features: &Features<'_>,
    limits: Limits,
    stages: &mut Stages<'_>,
) -> Result<Representation> {
    stages.next("reading the features")?;
    let (n, d) = (features.rows(), features.dims());
    let signed = signs_of(features.gather(sign_rows(n))?);
    let basis = singular_vectors(negated_product(features, signed, stages)?.as_ref(), d, n)?;
    let mut sample = RecallSample::of(features, signed)?;
    let mut kept = KeptRows::of(features, 0, signed, &basis, &mut sample, stages)?;
    stages.next("finding neighbours")?;
    let neighbors = {
        let points = Points::new(&kept.y, n, kept.dims)?.with_extra(&kept.rho)?;
        Neighbors::search(points, NEIGHBORS.min(n - 1), limits.search)?
    };
    stages.next("smoothing")?;
    kept.smooth(&neighbors);
    // Over the neighbours that they had before: another search would take as long as the first, and finds unknown classes hardly
    // better.
    let cosine = |i: usize, k: usize| kept.cosine(i, neighbors.list(i)[k] as usize);
    let graph = SimilarityGraph::of(&neighbors, |i, k| 2.0 - 2.0 * f64::from(cosine(i, k)));
    let recall = sample.recall(|k, other| neighbors.list(sample.rows[k]).contains(&(other as u32)));
    let nearest = Some(neighbors.first(NEAREST));
    drop(neighbors);
    let (mean, components) = kept.scatter(n).components(n)?;
    let c = components.rows();
    // In single precision before they are converted, so that the two are never in memory together with what they come from.
    let u = kept.coordinates(&mean, &components);
    let u = Matrix::from_fn(n, c, |i, j| f64::from(u[i * c + j]));
    let smooth = Arc::new(Instances::from_unit(u));
    let (mean, basis) = in_features(&basis, mean, &components)?;
    Ok(Representation {
        smooth,
        projection: Projection { signed, origin: None, mean, basis },
        unit: None,
        graph,
        recall: Some(recall),
        neighbors: nearest,
    })
}
