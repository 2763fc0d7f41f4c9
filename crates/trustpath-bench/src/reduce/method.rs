//! The reductions by name.

use super::Reduce;
use super::identity::Identity;
use super::isomap::Isomap;
use super::lle::Lle;
use super::ltsa::Ltsa;
use super::mds::{Mds, MdsStart};
use super::pca::Pca;
use super::spectral::Spectral;
use trustpath::Result;
use trustpath_path::choices;

choices! {
    /// Which reduction to use.
    ///
    /// ```
    /// use trustpath_bench::reduce::ReductionKind;
    ///
    /// assert_eq!("se".parse::<ReductionKind>()?, ReductionKind::Spectral);
    /// assert_eq!(ReductionKind::default().to_string(), "lle");
    /// assert!("umap".parse::<ReductionKind>().is_err());
    /// # Ok::<(), trustpath::Error>(())
    /// ```
    #[derive(Default)]
    #[non_exhaustive]
    pub enum ReductionKind("reduction") {
        /// Locally linear embedding, the paper's choice.
        #[default]
        Lle = "lle",
        /// Local tangent space alignment.
        Ltsa = "ltsa",
        /// Isomap.
        Isomap = "isomap",
        /// Spectral embedding.
        Spectral = "se",
        /// Principal components.
        Pca = "pca",
        /// Non-metric multidimensional scaling.
        Mds = "mds",
        /// The same from random starts, as scikit-learn runs it for the paper's code.
        MdsRandom = "mds-random",
        /// No reduction.
        Identity = "none",
    }
}

impl ReductionKind {
    /// The reduction to `d` dimensions. `neighbors` counts for `lle`, `ltsa` and `isomap`; `se` has another rule, and
    /// the others have no neighbourhoods.
    ///
    /// # Errors
    /// [`Error::Parameter`](trustpath::Error::Parameter).
    pub fn build(self, d: usize, neighbors: usize) -> Result<Box<dyn Reduce>> {
        let reduction: Box<dyn Reduce> = match self {
            Self::Lle => Box::new(Lle { d, neighbors, compat: false }),
            Self::Ltsa => Box::new(Ltsa { d, neighbors }),
            Self::Isomap => Box::new(Isomap { d, neighbors }),
            Self::Spectral => Box::new(Spectral { d }),
            Self::Pca => Box::new(Pca { d }),
            Self::Mds => Box::new(Mds { d, start: MdsStart::Principal }),
            Self::MdsRandom => Box::new(Mds { d, start: MdsStart::Random }),
            Self::Identity => Box::new(Identity),
        };
        reduction.check_parameters()?;
        Ok(reduction)
    }
}
