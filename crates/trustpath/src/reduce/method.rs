//! The reductions by name.

use std::fmt;
use std::str::FromStr;

use super::identity::Identity;
use super::isomap::Isomap;
use super::lle::Lle;
use super::ltsa::Ltsa;
use super::mds::Mds;
use super::pca::Pca;
use super::spectral::Spectral;
use super::{DEFAULT_D, DEFAULT_NEIGHBORS, Reduce};
use crate::{Error, Result};

/// Which reduction to use.
///
/// ```
/// use trustpath::reduce::Method;
///
/// assert_eq!("se".parse::<Method>()?, Method::Spectral);
/// assert_eq!(Method::default().to_string(), "lle");
/// assert!("umap".parse::<Method>().is_err());
/// # Ok::<(), trustpath::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Method {
    /// Locally linear embedding, the paper's choice.
    #[default]
    Lle,
    /// Local tangent space alignment.
    Ltsa,
    /// Isomap.
    Isomap,
    /// Spectral embedding.
    Spectral,
    /// Principal components.
    Pca,
    /// Non-metric multidimensional scaling.
    Mds,
    /// No reduction.
    Identity,
}

impl Method {
    /// All of them.
    pub const ALL: [Self; 7] =
        [Self::Lle, Self::Ltsa, Self::Isomap, Self::Spectral, Self::Pca, Self::Mds, Self::Identity];

    /// Its name, as on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Lle => "lle",
            Self::Ltsa => "ltsa",
            Self::Isomap => "isomap",
            Self::Spectral => "se",
            Self::Pca => "pca",
            Self::Mds => "mds",
            Self::Identity => "none",
        }
    }

    /// The reduction to `d` dimensions. `neighbors` counts for `lle`, `ltsa` and `isomap`; `se` has its own rule, and the
    /// others have no neighbourhoods.
    ///
    /// # Errors
    /// [`Error::Parameter`].
    pub fn build(self, d: usize, neighbors: usize) -> Result<Box<dyn Reduce>> {
        let reduction: Box<dyn Reduce> = match self {
            Self::Lle => Box::new(Lle { d, neighbors, ..Default::default() }),
            Self::Ltsa => Box::new(Ltsa { d, neighbors }),
            Self::Isomap => Box::new(Isomap { d, neighbors }),
            Self::Spectral => Box::new(Spectral { d, ..Default::default() }),
            Self::Pca => Box::new(Pca { d }),
            Self::Mds => Box::new(Mds { d, ..Default::default() }),
            Self::Identity => Box::new(Identity),
        };
        reduction.check_parameters()?;
        Ok(reduction)
    }

    /// The reduction with the paper's five dimensions and five neighbours.
    ///
    /// # Errors
    /// None: these parameters are good for every method.
    pub fn build_default(self) -> Result<Box<dyn Reduce>> {
        self.build(DEFAULT_D, DEFAULT_NEIGHBORS)
    }
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Method {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        Self::ALL.into_iter().find(|method| method.name() == name).ok_or_else(|| {
            Error::parameter(
                "reduction",
                name,
                "it must be one of lle, ltsa, isomap, se, pca, mds, none",
            )
        })
    }
}
