//! The nearest prototype: SimpleShot of Wang, Chao, Weinberger and van der Maaten (2019).
//!
//! ```text
//! μ_k = mean of the labelled instances of class k,       p_ik ∝ exp(−½ τ ‖x_i − μ_k‖²)
//! ```
//!
//! on the unit sphere (L2N), optionally after subtracting the mean `m` of all labelled and unlabeled instances,
//! `x ← (x − m)/‖x − m‖` (CL2N; the published variant subtracts the mean of the base classes, which are not available
//! here). The labels do not depend on `τ`.

use std::borrow::Cow;

use super::softmax::nearest;
use super::{Posterior, Transductive};
use trustpath::task::CheckedTask;
use trustpath::{Result, Task};
use trustpath_path::linalg::geometry::{centre, class_means, mean};

/// Sharpness `τ` of the probabilities.
const SHARPNESS: f64 = 10.0;

#[derive(Debug)]
pub(super) struct Prototype {
    /// Subtract the mean of the pool first.
    pub centre: bool,
}

impl Transductive for Prototype {
    fn label(&self, task: &Task<'_>) -> Result<Posterior> {
        let task = CheckedTask::new(task)?;
        let mut x = Cow::Borrowed(task.instances.unit());
        if self.centre {
            let (mean, rows) = (mean(&x, 0..task.pool), x.rows());
            centre(x.to_mut(), 0..rows, &mean);
        }
        let prototypes = class_means(&x, task.labels, task.classes);
        Ok(Posterior::of(&task, |rows| nearest(&x, rows, &prototypes, SHARPNESS)))
    }
}
