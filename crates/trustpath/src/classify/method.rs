//! The classifiers by name.

use super::{Classify, Logistic, Nearest, Svm};
use crate::choices;

choices! {
    /// Which classifier gives the pseudo-labels.
    ///
    /// ```
    /// use trustpath::classify::ClassifierKind;
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
            Self::Svm => Box::new(Svm::default()),
            Self::Nearest => Box::new(Nearest::default()),
        }
    }
}
