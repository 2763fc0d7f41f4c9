//! Labels for a pool in which few instances have one, and for each label how far it can be trusted and why.
//!
//! [`label`](crate::label()) runs the pipeline representation → labeller → judge → trust:
//!
//! 1. it represents the pool: power transform, centring where that helps, smoothing over neighbours, principal components (`represent`);
//! 2. it detects instances that belong to none of the labelled classes ([`crate::trust::Novelty`]);
//! 3. folds of the given labels are hidden in turn and the pool is labelled without them, which chooses the
//!    [labeller](crate::labeller) and the ranking score (`trust`);
//! 4. the labeller labels the pool, and the path of incidental parameters judges every label
//!    ([`credibility`](crate::judge::Judgement::credibility));
//! 5. the held-out labels decide how many of the best-ranked labels can be trusted ([`crate::trust::Calibration`]);
//! 6. it suggests what to label next ([`label_first`](crate::label_first) does in a pool without labels), and trains a model for new instances ([`LabelModel`]).
//!
//! ```
//! use trustpath::label::Verdict;
//! use trustpath::{Features, label};
//!
//! // Instance i leans towards axis i mod 3, and the first sixty are labelled.
//! let values: Vec<f32> = (0..90 * 8)
//!     .map(|at| {
//!         let (i, j) = (at / 8, at % 8);
//!         if j == i % 3 { 2.0 } else { 0.5 + 0.3 * ((at * at) as f32).sin() }
//!     })
//!     .collect();
//! let given: Vec<Option<usize>> = (0..90).map(|i| (i < 60).then_some(i % 3)).collect();
//!
//! let features = Features::new(&values[..], 90, 8)?;
//! let labelling = label(&features, &given).run()?;
//! assert_eq!(labelling.labels[70], Some(70 % 3));
//! assert_eq!(labelling.verdicts[70], Verdict::Trusted);
//! assert!(labelling.credibility[70] > 0.5);
//! # Ok::<(), trustpath::Error>(())
//! ```

mod candidates;
mod labelling;
mod model;
mod row_labeller;
mod suggest;
mod train;
mod trusted;

pub use labelling::{Labelling, Verdict};
pub use model::{LabelModel, Prediction, PredictionTrust};
pub use suggest::Suggestion;
pub use trusted::Trusted;

pub use crate::trust::Trust;

pub(crate) use candidates::{candidates, judged_dims};
pub(crate) use model::{PredictedRow, blocks};
pub(crate) use suggest::{Candidates, alternate, margins};
pub(crate) use train::ModelInput;
pub(crate) use trusted::RankedRows;
