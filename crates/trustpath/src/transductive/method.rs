//! The transductive methods by name.

use super::{
    AdaptiveParams, BavardageParams, BdCspnParams, IlpcParams, LaplaceParams, LaplacianShotParams,
    PaddleParams, Plain, ProtoLpParams, PrototypeParams, SoftKmeansParams, TimParams, Transductive,
    Unem,
};
use crate::Result;
use crate::choice::choices;

choices! {
    /// Which transductive method labels a pool, each with the parameters its authors published; the adaptive mode and
    /// UNEM-Gaussian with their own, learned here.
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
        /// Prototypes as anchors of a graph, and equally frequent classes.
        ProtoLp = "protolp",
        /// The same without the constraint on class sizes.
        ProtoLpFree = "protolp-free",
        /// Prototypes, and as few classes as explain the pool.
        Paddle = "paddle",
        /// The same in ten steps with learned weights.
        Unem = "unem-gaussian",
        /// A mixture of Gaussians with unknown class frequencies.
        Bavardage = "bavardage",
        /// The harmonic function on the graph of neighbours.
        Laplace = "laplace-learning",
        /// Rounds of propagation, balance and cleaning.
        Ilpc = "ilpc",
        /// Information maximisation.
        Tim = "tim-gd",
        /// Information maximisation with α-entropies.
        AlphaTim = "alpha-tim",
    }
}

impl TransductiveKind {
    /// The method with the parameters its authors published, or those learned here ([`TransductiveKind`]).
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
            Self::ProtoLp => Box::new(ProtoLpParams::default().check()?),
            Self::ProtoLpFree => Box::new(ProtoLpParams::free().check()?),
            Self::Paddle => Box::new(PaddleParams::default().check()?),
            Self::Unem => Box::new(Unem::default()),
            Self::Bavardage => Box::new(BavardageParams::default().check()?),
            Self::Laplace => Box::new(LaplaceParams::default().check()?),
            Self::Ilpc => Box::new(IlpcParams::default().check()?),
            Self::Tim => Box::new(TimParams::tim_gd().check()?),
            Self::AlphaTim => Box::new(TimParams::alpha_tim().check()?),
        })
    }

    /// Whether its parameters were learned here, and are not those that its authors published.
    pub fn is_learned_here(self) -> bool {
        matches!(self, Self::Adaptive | Self::Unem)
    }
}
