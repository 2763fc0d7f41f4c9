//! From files of features to *c*-way *m*-shot episodes, and from episodes to tables.
//!
//! A [`FeatureTable`] holds one feature vector and one label per row; it is read from a file ([`TableFile`], by
//! `trustpath-table`) or comes with the crate ([`embedded`]). An [`EpisodeShape`] draws [`Episode`]s from it, each
//! determined by the seed and its number alone; an [`EpisodeList`] fixes them in files that other programs can read.
//! [`stats`] turns the accuracies of an algorithm into means with intervals, and a [`Journal`] keeps a long run
//! resumable. [`noise`] makes labels wrong on purpose, and measures how well they are found; [`pools`] are larger than
//! episodes.
//!
//! ```
//! use trustpath_bench::{EpisodeShape, Setting, Split, embedded};
//!
//! let table = embedded::load("cub", Split::Novel)?;
//! let shape = EpisodeShape { way: 5, shot: 1, setting: Setting::Transductive, ..Default::default() };
//! let sampler = shape.check(table)?;
//! let episode = sampler.draw(7, 0)?;
//! assert_eq!((episode.support.rows.len(), episode.query.rows.len()), (5, 75));
//! # Ok::<(), trustpath_bench::Error>(())
//! ```

/// The examples of the README are tested.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

pub mod classifiers;
mod coordinates;
pub mod embedded;
mod episode;
mod error;
mod evaluate;
mod journal;
pub mod judges;
mod list;
mod method;
pub mod noise;
pub mod pools;
pub mod processor;
pub mod reduce;
mod sample;
mod self_trainer;
mod self_training_spec;
mod shape;
pub mod stats;
mod summary;
#[cfg(test)]
#[path = "../../trustpath/src/testing.rs"]
mod testing;
pub mod transductive;

pub use coordinates::{EpisodeCoordinates, WithCoordinates};
pub use embedded::Split;
pub use episode::{Episode, EpisodeRows, gather};
pub use error::{Error, Result};
pub use evaluate::{Drawn, EpisodeObserver, Episodes, Listed, evaluate, evaluate_features};
pub use journal::{Finished, Journal, fnv1a};
pub use list::{EpisodeList, ListMeta, read_scores};
pub use method::{BenchMethod, Learner};
pub use sample::Sampler;
pub use self_trainer::{SelfTrainer, SelfTrainingOutcome};
pub use self_training_spec::{IncidentalKind, SelfTrainingSpec};
pub use shape::{Distractors, EpisodeShape, Queries, Setting, Unlabeled};
pub use summary::{AccuracySummary, first_of, last_of};
pub use trustpath::random::Random;
pub use trustpath_table::{Classes, FeatureTable, TableFile, write_atomically};

#[cfg(test)]
mod tests {
    use trustpath::incidental::logistic::Scaling;

    use crate::classifiers::ClassifierKind;
    use crate::judges::Selector;
    use crate::reduce::ReductionKind;
    use crate::transductive::TransductiveKind;

    /// Every name is read as the value that prints it, and a refusal lists all names.
    macro_rules! names_round_trip {
        ($($type:ty),*) => {$(
            let refusal = "nonsense".parse::<$type>().unwrap_err().to_string();
            for value in <$type>::ALL {
                assert_eq!(value.to_string().parse::<$type>().unwrap(), value);
                assert!(refusal.contains(value.name()), "{refusal}");
            }
            assert_eq!(<$type>::ALL.len(), <$type>::NAMES.len());
        )*};
    }

    #[test]
    fn names_round_trip() {
        names_round_trip!(ClassifierKind, Selector, ReductionKind, TransductiveKind, Scaling);
    }
}
