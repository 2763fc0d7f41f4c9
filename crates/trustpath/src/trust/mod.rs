//! Trust: which labels can be relied on, from scores and held-out labels.
//!
//! [`Calibration`] turns cross-validated labels into a threshold with a guarantee, [`Novelty`] detects instances of
//! classes without labels.

mod cross_validation;
mod novelty;
mod precision;

pub use novelty::{MIN_LABELS, Novelty};
pub use precision::{Calibration, labels_needed};

pub(crate) use cross_validation::cross_validate;
pub(crate) use novelty::novelty;
