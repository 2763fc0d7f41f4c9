//! Trust: which labels can be relied on, from scores and held-out labels.
//!
//! Folds of the given labels are hidden in turn, and the pool labelled without them. [`Calibration`] turns what that shows
//! into a trusted set with a promised precision, [`RightCurve`] into a probability for every label, and [`Novelty`] detects instances of
//! classes without labels.

mod absorption;
mod cross_validation;
mod density;
mod folds;
mod novelty;
mod precision;
mod probability;
mod shares;
mod typicality;
mod unknown;

pub use cross_validation::RankedBy;
pub use novelty::{MIN_LABELS, Novelty};
pub use precision::{Calibration, Estimate, HeldOut, labels_needed};
pub use probability::RightCurve;

pub(crate) use cross_validation::{
    Candidate, CrossValidation, FoldPrediction, FoldRun, cross_validate, cross_validate_predictions,
};
pub(crate) use folds::{Fold, Folds};
pub(crate) use precision::rank;
pub(crate) use unknown::Unknown;

use absorption::absorption;
use typicality::are_picked;

/// How trusted labels are chosen.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Trust {
    /// As many as possible such that the expected share of correct ones is at least this.
    Precision(f64),
    /// Those whose credibility is at least this (0.5: no other label fits better).
    Credibility(f64),
    /// This many of every class, the most credible ones, as in the paper.
    PerClass(usize),
}
