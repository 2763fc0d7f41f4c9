//! The methods by name.

use std::fmt;
use std::str::FromStr;

use super::{
    AdaptiveParams, BdCspnParams, LabelPropagationParams, LaplacianShotParams, Plain,
    PrototypeParams, PtMapParams, SoftKmeansParams, TimParams, Transductive,
};
use crate::{Error, Result};

/// Which method labels a pool, each with its published parameters; the adaptive mode with its own.
///
/// ```
/// use trustpath::transductive::Method;
/// assert_eq!("pt-map".parse::<Method>()?.build()?.name(), "pt-map");
/// # Ok::<(), trustpath::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Method {
    /// Two marginals and a test between them, `adaptive`.
    Adaptive,
    /// Logistic regression on the labelled instances alone, `plain`.
    Plain,
    /// The nearest prototype, `simpleshot`.
    SimpleShot,
    /// The nearest prototype of centred instances, `simpleshot-cl2n`.
    SimpleShotCentred,
    /// Rectified prototypes, `bd-cspn`.
    BdCspn,
    /// Laplacian regularisation, `laplacianshot`.
    LaplacianShot,
    /// Power transform and optimal transport, `pt-map`.
    PtMap,
    /// Soft k-means on power-transformed features, `soft-kmeans`.
    SoftKmeans,
    /// Label propagation, `label-propagation`.
    LabelPropagation,
    /// Label spreading, `label-spreading`.
    LabelSpreading,
    /// Information maximisation, `tim-gd`.
    Tim,
    /// Information maximisation with α-entropies, `alpha-tim`.
    AlphaTim,
}

impl Method {
    /// All of them.
    pub const ALL: [Self; 12] = [
        Self::Adaptive,
        Self::Plain,
        Self::SimpleShot,
        Self::SimpleShotCentred,
        Self::BdCspn,
        Self::LaplacianShot,
        Self::PtMap,
        Self::SoftKmeans,
        Self::LabelPropagation,
        Self::LabelSpreading,
        Self::Tim,
        Self::AlphaTim,
    ];

    /// Its name, as on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Adaptive => "adaptive",
            Self::Plain => "plain",
            Self::SimpleShot => "simpleshot",
            Self::SimpleShotCentred => "simpleshot-cl2n",
            Self::BdCspn => "bd-cspn",
            Self::LaplacianShot => "laplacianshot",
            Self::PtMap => "pt-map",
            Self::SoftKmeans => "soft-kmeans",
            Self::LabelPropagation => "label-propagation",
            Self::LabelSpreading => "label-spreading",
            Self::Tim => "tim-gd",
            Self::AlphaTim => "alpha-tim",
        }
    }

    /// The method with its published parameters.
    ///
    /// # Errors
    /// Never for these parameters; they are checked like any others.
    pub fn build(self) -> Result<Box<dyn Transductive>> {
        Ok(match self {
            Self::Adaptive => Box::new(AdaptiveParams::default().check()?),
            Self::Plain => Box::new(Plain::default()),
            Self::SimpleShot => Box::new(PrototypeParams::default().check()?),
            Self::SimpleShotCentred => {
                Box::new(PrototypeParams { centre: true, ..Default::default() }.check()?)
            }
            Self::BdCspn => Box::new(BdCspnParams::default().check()?),
            Self::LaplacianShot => Box::new(LaplacianShotParams::default().check()?),
            Self::PtMap => Box::new(PtMapParams::default().check()?),
            Self::SoftKmeans => Box::new(SoftKmeansParams::default().check()?),
            Self::LabelPropagation => Box::new(LabelPropagationParams::propagation().check()?),
            Self::LabelSpreading => Box::new(LabelPropagationParams::spreading().check()?),
            Self::Tim => Box::new(TimParams::tim_gd().check()?),
            Self::AlphaTim => Box::new(TimParams::alpha_tim().check()?),
        })
    }
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Method {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        let found = Self::ALL.into_iter().find(|method| method.name() == name);
        found.ok_or_else(|| {
            Error::parameter(
                "method",
                name,
                "choose one of adaptive, plain, simpleshot, simpleshot-cl2n, bd-cspn, laplacianshot, pt-map, \
                 soft-kmeans, label-propagation, label-spreading, tim-gd and alpha-tim",
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_go_there_and_back() {
        let refusal = "nonsense".parse::<Method>().unwrap_err().to_string();
        for method in Method::ALL {
            assert_eq!(method.name().parse::<Method>().unwrap(), method);
            assert_eq!(method.build().unwrap().name(), method.name());
            assert!(refusal.contains(method.name()), "{method}");
        }
    }
}
