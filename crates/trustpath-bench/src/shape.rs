//! The shape of episodes: ways, shots, queries and the setting.

use crate::{Error, Result};

/// What an algorithm is given in addition to the labelled rows.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Setting {
    /// Nothing: each query is classified by itself.
    Inductive,
    /// The queries, all at once.
    Transductive,
    /// Rows without a label, which are not the queries.
    SemiSupervised {
        /// Number of unlabeled rows of each class.
        unlabeled: Unlabeled,
        /// Unlabeled rows of other classes.
        distractors: Distractors,
    },
}

/// Number of unlabeled rows of each class of an episode.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unlabeled {
    /// Exactly this number.
    Exactly(usize),
    /// All rows of the class that are neither support nor queries, but at most this number.
    UpTo(usize),
}

/// Unlabeled rows that belong to none of the episode's classes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Distractors {
    /// Number of other classes.
    pub classes: usize,
    /// Rows of each.
    pub per_class: usize,
}

/// Number of queries.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Queries {
    /// This number of each class.
    PerClass(usize),
    /// All rows of each class that are neither support nor needed as unlabeled rows: with all classes as ways, the
    /// features are one pool, as `label` meets it.
    Rest,
    /// `total` over all classes, in proportions drawn from the symmetric Dirichlet distribution and rounded by largest
    /// remainder; drawn again where a class has too few rows. An infinite concentration gives classes as equal as
    /// `total` allows.
    Dirichlet {
        /// Queries of all classes together.
        total: usize,
        /// The concentration: the smaller, the less balanced.
        alpha: f64,
    },
}

/// The shape of episodes. The default is 5-way 1-shot, transductive, with 15 queries per class.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EpisodeShape {
    /// Classes of an episode, *c*.
    pub way: usize,
    /// Labelled rows of each class, *m*.
    pub shot: usize,
    /// Rows to classify.
    pub queries: Queries,
    /// What is given in addition.
    pub setting: Setting,
}

impl Default for EpisodeShape {
    fn default() -> Self {
        Self { way: 5, shot: 1, queries: Queries::PerClass(15), setting: Setting::Transductive }
    }
}

impl EpisodeShape {
    /// Checks everything that does not depend on the features.
    pub(crate) fn check_parameters(&self) -> Result<()> {
        if self.way < 2 {
            return Err(Error::parameter("way", self.way, "at least 2 classes are needed"));
        }
        if self.shot == 0 {
            return Err(Error::parameter("shot", self.shot, "label at least 1 row of each class"));
        }
        match self.queries {
            Queries::PerClass(0) | Queries::Dirichlet { total: 0, .. } => {
                Err(Error::parameter("queries", 0, "ask for at least 1"))
            }
            Queries::Dirichlet { alpha, .. } if alpha.is_nan() || alpha <= 0.0 => {
                Err(Error::parameter("alpha", alpha, "it must be positive; inf is balanced"))
            }
            _ => Ok(()),
        }
    }

    /// The distractors; only the semi-supervised setting has any.
    pub(crate) fn distractors(&self) -> Distractors {
        match self.setting {
            Setting::SemiSupervised { distractors, .. } => distractors,
            _ => Distractors::default(),
        }
    }

    /// The minimum and the maximum number of unlabeled rows of a class.
    pub(crate) fn unlabeled(&self) -> (usize, usize) {
        match self.setting {
            Setting::SemiSupervised { unlabeled: Unlabeled::Exactly(u), .. } => (u, u),
            Setting::SemiSupervised { unlabeled: Unlabeled::UpTo(u), .. } => (0, u),
            _ => (0, 0),
        }
    }
}
