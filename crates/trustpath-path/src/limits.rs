//! Sizes at which a path is computed in another way, each with its reason.

/// Instances up to which each vanishing `λ` is root-found with the regression solved at every trial. Beyond, it is read
/// off the interpolated path, whose kinks (of relative size 1/n) are then far below its precision.
pub(crate) const EXACT_ROOTS: usize = 5000;
/// The same with more than [`DENSE_UNKNOWNS`] unknowns, where a trial is expensive.
pub(crate) const EXACT_ROOTS_MANY_UNKNOWNS: usize = 500;
/// Unknowns of ICI-R up to which the curvature matrix is formed: its cost grows with their square, that of a product
/// linearly.
pub(crate) const DENSE_UNKNOWNS: usize = 200;
/// Classes up to which every label of an instance is followed down a frozen path; beyond, only the likely ones.
pub(crate) const FEW_CLASSES: usize = 16;
