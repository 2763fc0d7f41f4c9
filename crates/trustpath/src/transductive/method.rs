//! The transductive methods by name.

use super::{
    AdaptiveParams, BdCspnParams, LabelPropagationParams, LaplacianShotParams, Plain,
    PrototypeParams, SoftKmeansParams, TimParams, Transductive,
};
use crate::Result;
use crate::choice::choices;

choices! {
    /// Which transductive method labels a pool, each with its published parameters; the adaptive mode with its own.
    ///
    /// ```
    /// use trustpath::transductive::TransductiveKind;
    /// assert_eq!("pt-map".parse::<TransductiveKind>()?.build()?.name(), "pt-map");
    /// # Ok::<(), trustpath::Error>(())
    /// ```
    #[non_exhaustive]
    pub enum TransductiveKind("method") {
        /// Two marginals and a test between them.
        Adaptive = "adaptive",
        /// Logistic regression on the labelled instances alone.
        Plain = "plain",
        /// The nearest prototype.
        SimpleShot = "simpleshot",
        /// The nearest prototype of centred instances.
        SimpleShotCentred = "simpleshot-cl2n",
        /// Rectified prototypes.
        BdCspn = "bd-cspn",
        /// Laplacian regularisation.
        LaplacianShot = "laplacianshot",
        /// Power transform and optimal transport.
        PtMap = "pt-map",
        /// Soft k-means on power-transformed features.
        SoftKmeans = "soft-kmeans",
        /// Label propagation.
        LabelPropagation = "label-propagation",
        /// Label spreading.
        LabelSpreading = "label-spreading",
        /// Information maximisation.
        Tim = "tim-gd",
        /// Information maximisation with α-entropies.
        AlphaTim = "alpha-tim",
    }
}

impl TransductiveKind {
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
            Self::PtMap => Box::new(SoftKmeansParams::pt_map().check()?),
            Self::SoftKmeans => Box::new(SoftKmeansParams::default().check()?),
            Self::LabelPropagation => Box::new(LabelPropagationParams::propagation().check()?),
            Self::LabelSpreading => Box::new(LabelPropagationParams::spreading().check()?),
            Self::Tim => Box::new(TimParams::tim_gd().check()?),
            Self::AlphaTim => Box::new(TimParams::alpha_tim().check()?),
        })
    }
}
