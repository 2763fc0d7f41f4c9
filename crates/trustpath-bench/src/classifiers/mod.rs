//! The classifiers that only the paper compares with, and all of them by name.

mod nearest;
mod svm;
#[cfg(test)]
mod tests;

use trustpath::classify::{Classify, Logistic};
use trustpath_path::choices;

choices! {
    /// Which classifier gives the pseudo-labels.
    ///
    /// ```
    /// use trustpath_bench::classifiers::ClassifierKind;
    /// assert_eq!("svm".parse::<ClassifierKind>()?, ClassifierKind::Svm);
    /// assert_eq!(ClassifierKind::default().to_string(), "lr");
    /// # Ok::<(), trustpath::Error>(())
    /// ```
    #[derive(Default)]
    #[non_exhaustive]
    pub enum ClassifierKind("classifier") {
        /// Multinomial logistic regression.
        #[default]
        Logistic = "lr",
        /// Linear support vector machine.
        Svm = "svm",
        /// Nearest neighbour.
        Nearest = "knn",
    }
}

impl ClassifierKind {
    /// The classifier with its default parameters.
    pub fn build(self) -> Box<dyn Classify> {
        match self {
            Self::Logistic => Box::new(Logistic::default()),
            Self::Svm => Box::new(svm::Svm::default()),
            Self::Nearest => Box::new(nearest::NearestNeighbor),
        }
    }
}
