//! The compiled half of the Python package `trustpath`: arrays in, arrays out.
//!
//! What users see is in `python/trustpath`; it checks and names things there, and calls `trustpath._trustpath` here. Every
//! function takes C-contiguous numpy arrays as they are, lets go of the interpreter while it works, stops when Python is
//! interrupted (`work.rs`), and turns errors of the engine into `ValueError`s.

mod arrays;
mod audit;
mod errors;
mod evaluate;
mod label;
mod part;
mod path;
mod remote;
mod work;

use pyo3::prelude::*;

#[pymodule(name = "_trustpath")]
mod module {
    #[pymodule_export]
    use crate::audit::{audit, audit_page};
    #[pymodule_export]
    use crate::evaluate::{dataset, evaluate, methods, summary};
    #[pymodule_export]
    use crate::label::{Model, label, label_page};
    #[pymodule_export]
    use crate::part::Part;
    #[pymodule_export]
    use crate::path::{path, reduce};
    #[pymodule_export]
    use crate::remote::walk;
}
