//! The methods by name.

use std::fmt;
use std::str::FromStr;

use super::{
    AdaptiveParams, BdCspnParams, LabelPropagationParams, LaplacianShotParams, Plain,
    PrototypeParams, SoftKmeansParams, TimParams, Transductive,
};
use crate::{Error, Result};

/// One line per method: its variant, its name, and how it is built.
macro_rules! methods {
    ($($(#[$doc:meta])* $variant:ident, $name:literal, $build:expr;)*) => {
        /// A method that labels a pool, with its published parameters; the adaptive mode with its own.
        ///
        /// ```
        /// use trustpath::transductive::Method;
        /// assert_eq!("pt-map".parse::<Method>()?.build()?.name(), "pt-map");
        /// # Ok::<(), trustpath::Error>(())
        /// ```
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum Method {
            $($(#[$doc])* $variant,)*
        }

        impl Method {
            /// All methods.
            pub const ALL: [Self; [$($name),*].len()] = [$(Self::$variant),*];

            /// Its name, as on the command line.
            pub fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }

            /// The method with its published parameters.
            ///
            /// # Errors
            /// Never for these parameters; they are checked like any others.
            pub fn build(self) -> Result<Box<dyn Transductive>> {
                Ok(match self { $(Self::$variant => Box::new($build),)* })
            }
        }
    };
}

methods! {
    /// Two marginals and a test between them, `adaptive`.
    Adaptive, "adaptive", AdaptiveParams::default().check()?;
    /// Logistic regression on the labelled instances alone, `plain`.
    Plain, "plain", Plain::default();
    /// The nearest prototype, `simpleshot`.
    SimpleShot, "simpleshot", PrototypeParams::default().check()?;
    /// The nearest prototype of centred instances, `simpleshot-cl2n`.
    SimpleShotCentred, "simpleshot-cl2n", PrototypeParams { centre: true, ..Default::default() }.check()?;
    /// Rectified prototypes, `bd-cspn`.
    BdCspn, "bd-cspn", BdCspnParams::default().check()?;
    /// Laplacian regularisation, `laplacianshot`.
    LaplacianShot, "laplacianshot", LaplacianShotParams::default().check()?;
    /// Power transform and optimal transport, `pt-map`.
    PtMap, "pt-map", SoftKmeansParams::pt_map().check()?;
    /// Soft k-means on power-transformed features, `soft-kmeans`.
    SoftKmeans, "soft-kmeans", SoftKmeansParams::default().check()?;
    /// Label propagation, `label-propagation`.
    LabelPropagation, "label-propagation", LabelPropagationParams::propagation().check()?;
    /// Label spreading, `label-spreading`.
    LabelSpreading, "label-spreading", LabelPropagationParams::spreading().check()?;
    /// Information maximisation, `tim-gd`.
    Tim, "tim-gd", TimParams::tim_gd().check()?;
    /// Information maximisation with α-entropies, `alpha-tim`.
    AlphaTim, "alpha-tim", TimParams::alpha_tim().check()?;
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
    fn names_can_be_parsed_and_are_listed_in_the_error() {
        let refusal = "nonsense".parse::<Method>().unwrap_err().to_string();
        for method in Method::ALL {
            assert_eq!(method.name().parse::<Method>().unwrap(), method);
            assert_eq!(method.build().unwrap().name(), method.name());
            assert!(refusal.contains(method.name()), "{method}");
        }
    }
}
