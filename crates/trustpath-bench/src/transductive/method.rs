//! The transductive methods by name.

use super::{
    Transductive, bavardage::Bavardage, bd_cspn::BdCspn, ilpc::Ilpc, laplace::Laplace, laplacian_shot::LaplacianShot,
    paddle::Paddle, plain::Plain, proto_lp::ProtoLp, prototype::Prototype, soft_kmeans::SoftKmeans, tim::Tim,
    unem::Unem,
};
use trustpath::Result;
use trustpath::labeller::AdaptiveParams;
use trustpath_path::choices;

choices! {
    /// Which transductive method labels a pool, each with the parameters its authors published; the adaptive mode and
    /// UNEM-Gaussian with parameters that were learned here.
    ///
    /// ```
    /// use trustpath_bench::transductive::TransductiveKind;
    /// assert_eq!("pt-map".parse::<TransductiveKind>()?, TransductiveKind::PtMap);
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
            Self::Plain => Box::new(Plain),
            Self::SimpleShot => Box::new(Prototype { centre: false }),
            Self::SimpleShotCentred => Box::new(Prototype { centre: true }),
            Self::BdCspn => Box::new(BdCspn),
            Self::LaplacianShot => Box::new(LaplacianShot),
            Self::PtMap => Box::new(SoftKmeans { balanced: true }),
            Self::SoftKmeans => Box::new(SoftKmeans { balanced: false }),
            Self::ProtoLp => Box::new(ProtoLp { balanced: true }),
            Self::ProtoLpFree => Box::new(ProtoLp { balanced: false }),
            Self::Paddle => Box::new(Paddle),
            Self::Unem => Box::new(Unem),
            Self::Bavardage => Box::new(Bavardage),
            Self::Laplace => Box::new(Laplace),
            Self::Ilpc => Box::new(Ilpc),
            Self::Tim => Box::new(Tim::GD),
            Self::AlphaTim => Box::new(Tim::ALPHA),
        })
    }

    /// Whether its parameters were learned here, and are not those that its authors published.
    pub fn is_learned_here(self) -> bool {
        matches!(self, Self::Adaptive | Self::Unem)
    }
}
