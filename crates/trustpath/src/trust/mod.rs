//! Trust: which labels can be relied on, from scores and held-out labels.
//!
//! Folds of the given labels are hidden in turn, and the pool labelled without them. [`Calibration`] turns what that shows
//! into a trusted set with a promised precision, [`RightCurve`] into a probability for every label, and [`Novelty`] detects instances of
//! classes without labels.

mod absorption;
mod confidence;
mod cross_validation;
mod density;
mod folds;
mod novelty;
mod precision;
mod probability;
mod shares;
mod typicality;
mod unknown;

pub use confidence::{ClassPromise, Promise};
pub use cross_validation::RankedBy;
pub use novelty::{MIN_LABELS, Novelty};
pub use precision::{Calibration, Estimate, HeldOut};
pub use probability::RightCurve;

pub(crate) use cross_validation::{
    Candidate, CrossValidation, FoldPrediction, FoldRun, cross_validate, cross_validate_predictions,
};
pub(crate) use folds::{Fold, Folds};
pub(crate) use precision::rank;
pub(crate) use unknown::Unknown;

use absorption::absorption;
pub(crate) use typicality::rank_low;

use typicality::are_picked;

/// How trusted labels are chosen.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Trust {
    /// As many as possible with this promise.
    Precision(Promise),
    /// As many of every class as possible with this promise for the class by itself.
    PerClass(Promise),
    /// As many as possible such that the expected share of right ones is at least this, over random choices of the given labels. A choice
    /// by which nothing is trusted counts as one without an error.
    Average(f64),
    /// Those whose credibility is at least this (0.5: no other label fits better).
    Credibility(f64),
}

impl Trust {
    /// The precision that is promised, if one is.
    pub fn precision(self) -> Option<f64> {
        match self {
            Self::Precision(promise) | Self::PerClass(promise) => Some(promise.precision),
            Self::Average(precision) => Some(precision),
            Self::Credibility(_) => None,
        }
    }

    /// The same promise of another precision.
    pub fn with_precision(self, precision: f64) -> Self {
        match self {
            Self::Precision(promise) => Self::Precision(Promise { precision, ..promise }),
            Self::PerClass(promise) => Self::PerClass(Promise { precision, ..promise }),
            Self::Average(_) | Self::Credibility(_) => Self::Average(precision),
        }
    }
}
