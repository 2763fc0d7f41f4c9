//! The compiled half of the Python package `trustpath`: arrays in, arrays out.
//!
//! What users see is in `python/trustpath`: it checks the data, and calls `trustpath._trustpath` here with arrays and one
//! dict of options (`options.rs`). Every function takes C-contiguous numpy arrays without copying them, releases the
//! interpreter while it works, stops when Python is interrupted (`work.rs`), and turns errors of the engine into
//! exceptions (`errors.rs`).

mod arrays;
mod audit;
mod command;
mod errors;
mod evaluate;
mod label;
mod options;
mod part;
mod path;
mod remote;
mod results;
mod texts;
mod work;

use pyo3::prelude::pymodule;

#[pymodule(name = "_trustpath")]
mod module {
    use pyo3::prelude::*;

    #[pymodule_export]
    use crate::audit::{Audit, audit};
    #[pymodule_export]
    use crate::command::main;
    #[pymodule_export]
    use crate::evaluate::{dataset, evaluate, methods, summary};
    #[pymodule_export]
    use crate::label::{Labelling, Model, Represented, label, label_options, missing_labels, represent_pool};
    #[pymodule_export]
    use crate::part::Part;
    #[pymodule_export]
    use crate::path::{path, reduce};
    #[pymodule_export]
    use crate::remote::walk;
    #[pymodule_export]
    use crate::texts::{Texts, represent};

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
