//! Which labels a command needs.

use trustpath_vision::dataset::Dataset;

use crate::error::{Error, Result};

/// The labels that a command needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wanted {
    /// Some instances have a label, others do not.
    Some,
    /// Only instances with a label are used.
    Given,
    /// No labels are needed, and none are searched for beside the features.
    None,
    /// Labels are used where there are any.
    Any,
}

impl Wanted {
    /// Whether it takes labels of two classes.
    pub fn needs_labels(self) -> bool {
        matches!(self, Self::Some | Self::Given)
    }

    /// Refuses image folders that do not give these labels, with the remedy.
    pub fn check(self, images: &Dataset) -> Result<()> {
        let labelled = (0..images.len()).filter(|&row| images.class(row).is_some()).count();
        let name = images.origin();
        if self.needs_labels() && labelled == 0 {
            return Err(Error::Usage(format!(
                "no image of {name} has a label: put some of each class in a folder named after it, or give --labels FILE with file names and labels; see trustpath help labels"
            )));
        }
        if self == Self::Some && labelled == images.len() {
            return Err(Error::Usage(format!(
                "every image of {name} has a label, so there is nothing to label: put images without a label in a folder named unlabeled, or give the labels of some by --labels; to find wrong labels, use trustpath audit"
            )));
        }
        Ok(())
    }
}
