//! From files of features to *c*-way *m*-shot episodes, and from episodes to tables.
//!
//! A [`FeatureTable`] holds one feature vector and one label per row; it is read from a file
//! ([`TableFile`], by `trustpath-table`) or comes with the crate ([`embedded`]). A [`Task`] draws [`Episode`]s from it,
//! each determined by the seed and its number alone; an [`EpisodeList`] fixes them in files that
//! other programs can read. [`stats`] and [`Journal`] turn what an algorithm scored on them into
//! means with intervals, and keep a long run resumable. [`noise`] makes labels wrong on purpose, and
//! measures how well they are found.
//!
//! ```
//! use trustpath_episodes::{Setting, Split, Task, embedded};
//!
//! let table = embedded::load("cub", Split::Novel)?;
//! let sampler = Task { way: 5, shot: 1, setting: Setting::Transductive, ..Task::default() }
//!     .check(table)?;
//! let episode = sampler.draw(7, 0)?;
//! assert_eq!((episode.support.rows.len(), episode.query.rows.len()), (5, 75));
//! # Ok::<(), trustpath_episodes::Error>(())
//! ```

pub mod embedded;
mod episode;
mod error;
mod evaluate;
mod journal;
mod list;
mod method;
pub mod noise;
mod sample;
pub mod stats;
mod summary;
mod task;

pub use embedded::Split;
pub use episode::{Episode, Rows};
pub use error::{Error, Result};
pub use evaluate::{Drawn, EpisodeObserver, Episodes, Listed, evaluate, evaluate_features, gather};
pub use journal::{Finished, Journal};
pub use list::{EpisodeList, ListMeta, read_scores};
pub use method::{Learner, Method};
pub use sample::Sampler;
pub use summary::{Summary, first_of, last_of};
pub use task::{Distractors, Queries, Setting, Task, Unlabeled};
pub use trustpath::random::Random;
pub use trustpath_table::{Classes, FeatureTable, TableFile, write_atomically};
