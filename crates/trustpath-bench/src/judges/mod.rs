//! The judges that the paper compares credibility with, and all of them by name.
//!
//! [`RandomOrder`] (RA), [`Nearest`] (NN), [`CoefficientNorm`] (CN), of which [`LeastSquares`] (LS) is a second
//! reading; confidence (CO) and credibility itself are in [`trustpath::judge`].

mod coefficient_norm;
mod least_squares;
mod nearest;
mod random;

pub use coefficient_norm::CoefficientNorm;
pub use least_squares::LeastSquares;
pub use nearest::Nearest;
pub use random::RandomOrder;

use trustpath_path::choices;

choices! {
    /// Which judge selects instances in a round of self-training.
    #[derive(Default)]
    #[non_exhaustive]
    pub enum Selector("selector") {
        /// By credibility: instance credibility inference.
        #[default]
        Ici = "ici",
        /// RA: at random.
        Random = "ra",
        /// NN: nearest to a training instance of the same pseudo-class.
        Nearest = "nn",
        /// CO: by the classifier's confidence.
        Confidence = "co",
        /// CN: by the norm of the incidental parameter.
        CoefficientNorm = "cn",
        /// LS: by the error of the least-squares fit of the labels.
        LeastSquares = "ls",
        /// LOO: by credibility on the path without the instance itself, as in an audit.
        LeaveOneOut = "loo",
    }
}
