//! The classifiers by name.

use std::fmt;
use std::str::FromStr;

use super::{Classify, Logistic, Nearest, Svm};
use crate::{Error, Result};

/// Which classifier gives the pseudo-labels.
///
/// ```
/// use trustpath::classify::Method;
/// assert_eq!("svm".parse::<Method>()?, Method::Svm);
/// assert_eq!(Method::default().to_string(), "lr");
/// # Ok::<(), trustpath::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Method {
    /// Multinomial logistic regression, `lr`.
    #[default]
    Logistic,
    /// Linear support vector machine, `svm`.
    Svm,
    /// Nearest neighbour, `knn`.
    Nearest,
}

impl Method {
    /// All of them, the default first.
    pub const ALL: [Self; 3] = [Self::Logistic, Self::Svm, Self::Nearest];

    /// The classifier with its default parameters.
    pub fn build(self) -> Box<dyn Classify> {
        match self {
            Self::Logistic => Box::new(Logistic::default()),
            Self::Svm => Box::new(Svm::default()),
            Self::Nearest => Box::new(Nearest::default()),
        }
    }
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Logistic => "lr",
            Self::Svm => "svm",
            Self::Nearest => "knn",
        })
    }
}

impl FromStr for Method {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        Self::ALL.into_iter().find(|method| method.to_string() == name).ok_or_else(|| {
            Error::parameter("classifier", name, "choose one of `lr`, `svm` and `knn`")
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_go_there_and_back() {
        for method in Method::ALL {
            assert_eq!(method.to_string().parse::<Method>().unwrap(), method);
            assert_eq!(method.build().name(), method.to_string());
        }
        assert!(matches!("LR".parse::<Method>(), Err(Error::Parameter { .. })));
    }
}
