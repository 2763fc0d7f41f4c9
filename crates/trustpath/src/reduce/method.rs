//! The reductions by name.

use super::identity::IdentityParams;
use super::isomap::IsomapParams;
use super::lle::LleParams;
use super::ltsa::LtsaParams;
use super::mds::MdsParams;
use super::pca::PcaParams;
use super::spectral::SpectralParams;
use super::{DEFAULT_D, DEFAULT_NEIGHBORS, Reduce};
use crate::Result;
use crate::choice::choices;

choices! {
    /// Which reduction to use.
    ///
    /// ```
    /// use trustpath::reduce::Reduction;
    ///
    /// assert_eq!("se".parse::<Reduction>()?, Reduction::Spectral);
    /// assert_eq!(Reduction::default().to_string(), "lle");
    /// assert!("umap".parse::<Reduction>().is_err());
    /// # Ok::<(), trustpath::Error>(())
    /// ```
    #[derive(Default)]
    #[non_exhaustive]
    pub enum Reduction("reduction") {
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
        /// No reduction.
        Identity = "none",
    }
}

impl Reduction {
    /// The reduction to `d` dimensions. `neighbors` counts for `lle`, `ltsa` and `isomap`; `se` has its own rule, and the
    /// others have no neighbourhoods.
    ///
    /// # Errors
    /// [`Error::Parameter`].
    pub fn build(self, d: usize, neighbors: usize) -> Result<Box<dyn Reduce>> {
        Ok(match self {
            Self::Lle => Box::new(LleParams { d, neighbors, ..Default::default() }.check()?),
            Self::Ltsa => Box::new(LtsaParams { d, neighbors }.check()?),
            Self::Isomap => Box::new(IsomapParams { d, neighbors }.check()?),
            Self::Spectral => Box::new(SpectralParams { d, ..Default::default() }.check()?),
            Self::Pca => Box::new(PcaParams { d }.check()?),
            Self::Mds => Box::new(MdsParams { d, ..Default::default() }.check()?),
            Self::Identity => Box::new(IdentityParams {}.check()?),
        })
    }

    /// The reduction with the paper's five dimensions and five neighbours.
    ///
    /// # Errors
    /// None: these parameters are good for every method.
    pub fn build_default(self) -> Result<Box<dyn Reduce>> {
        self.build(DEFAULT_D, DEFAULT_NEIGHBORS)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Error;
    use crate::reduce::neighbors::Neighbors;
    use crate::reduce::testing::{clusters, instances, max_difference, projector};

    #[test]
    fn every_method_refuses_what_it_cannot_reduce() {
        let (x, same) =
            (clusters(2, 6, 20, 1.0), instances(12, 20, |i, j| (i + 1) as f64 * j as f64));
        for method in Reduction::ALL {
            let reduction = method.build_default().unwrap();
            assert_eq!(reduction.reduce(&same, 12).unwrap_err(), Error::Constant { rows: 12 });
            assert!(matches!(reduction.reduce(&x, 13), Err(Error::Parameter { name: "n", .. })));
            assert!(matches!(reduction.reduce(&x, 0), Err(Error::Empty { rows: 0, .. })));
            if method != Reduction::Identity {
                assert!(matches!(method.build(0, 5), Err(Error::Parameter { name: "d", .. })));
                let wide = method.build(12, 12).unwrap();
                assert!(matches!(
                    wide.reduce(&x, 12),
                    Err(Error::TooManyDimensions { asked: 12, available: 11 }
                        | Error::TooFewForNeighbors { rows: 12, neighbors: 12 })
                ));
            }
        }
        for method in [Reduction::Lle, Reduction::Ltsa, Reduction::Isomap] {
            let error = method.build_default().unwrap().reduce(&x, 5).unwrap_err();
            assert_eq!(error, Error::TooFewForNeighbors { rows: 5, neighbors: 5 });
        }
        for method in
            [Reduction::Lle, Reduction::Isomap, Reduction::Spectral, Reduction::Pca, Reduction::Mds]
        {
            let error = method.build(8, 5).unwrap().reduce(&x, 8).unwrap_err();
            assert_eq!(error, Error::TooManyDimensions { asked: 8, available: 7 });
        }
    }

    #[test]
    fn graphs_of_another_shape_are_refused() {
        let x = clusters(2, 30, 6, 1.0);
        for method in Reduction::ALL {
            let reduction = method.build(3, 7).unwrap();
            let Some(k) = reduction.neighbors(60) else {
                assert!(reduction.reduce_on(&x, 60, None).is_ok());
                continue;
            };
            let right = Neighbors::of(&x, 60, k).unwrap();
            let on = reduction.reduce_on(&x, 60, Some(&right)).unwrap();
            assert_eq!(on.x, reduction.reduce(&x, 60).unwrap().x);
            let (short, thin) = (Neighbors::of(&x, 59, k), Neighbors::of(&x, 60, k + 1));
            for graph in [None, Some(&short.unwrap()), Some(&thin.unwrap())] {
                let error = reduction.reduce_on(&x, 60, graph).unwrap_err();
                assert!(matches!(error, Error::Parameter { name: "graph", .. }), "{error}");
            }
        }
    }

    #[test]
    fn few_of_very_many_are_reduced_as_if_alone() {
        let all = clusters(3, 800, 6, 1.0);
        let alone = instances(90, 6, |i, j| all.unit()[(i * 20, j)]);
        let first = instances(2400, 6, |i, j| all.unit()[(if i < 90 { i * 20 } else { i }, j)]);
        for method in Reduction::ALL {
            let reduction = method.build(2, 6).unwrap();
            let (a, b) =
                (reduction.reduce(&first, 90).unwrap(), reduction.reduce(&alone, 90).unwrap());
            assert_eq!(a.nullity, b.nullity);
            assert!(max_difference(&projector(&a.x), &projector(&b.x)) < 1e-6, "{method}");
        }
    }

    #[test]
    fn no_reduction_gives_the_features() {
        let x = clusters(2, 6, 4, 1.0);
        let z = Reduction::Identity.build(5, 5).unwrap().reduce(&x, 9).unwrap().x;
        assert_eq!((z.rows(), z.cols()), (9, 4));
        assert_eq!(z.as_slice(), &x.unit().as_slice()[..36]);
    }
}
