//! The options of `label` and `audit`.

use crate::choice_fields;
use crate::declare_spec;
use crate::incidental::Penalty;
use crate::incidental::logistic::Scaling;
pub use crate::labeller::LabellerKind;
use crate::limits::Limits;
use crate::trust::{Promise, Trust};
use crate::{Error, Result};

declare_spec! {
    /// The options of `label`.
    pub struct LabelSpec {
        ["Trust", "P"]
        /// Trust as many labels as possible such that, with the confidence asked for, at least the share P of them is right. This needs
        /// enough given labels; if there are too few, no label is trusted and the output says how many it takes [default: 0.9]
        precision: Option<f64> = None,
        ["Trust", "C"]
        /// Confidence of the promise [default: 0.9]
        confidence: Option<f64> = None,
        ["Trust", ""]
        /// Promise the precision for every class by itself, and say which classes need more labels
        per_class: bool = false,
        ["Trust", ""]
        /// Promise the precision on average only, over random choices of the given labels: a weaker promise that needs fewer labels. Of a
        /// single pool more may be wrong
        average: bool = false,
        ["Trust", "C"]
        /// Trust labels whose credibility is at least C instead, from 0.5 (another label fits equally well) to 1
        credibility: Option<f64> = None,
        ["Trust", ""]
        /// Disable the detection of instances of unknown classes: every instance belongs to a labelled class
        closed: bool = false,
        ["Trust", "Q"]
        /// Expected share of false alarms among the instances that are reported to be none of the labelled classes
        novel_fdr: f64 = 0.2,
        ["Labelling", "NAME"]
        /// Labelling algorithm: auto chooses one of the others by cross-validation (docs/label.md says what each does)
        labeller: LabellerKind = LabellerKind::Auto,
        ["Labelling", "K"]
        /// Folds of the cross-validation that estimates precision
        folds: usize = 5,
        ["Labelling", ""]
        /// Use every instance in every step, however large the pool is. This takes much longer in pools of more than 2,000
        /// instances, where some steps otherwise use a part of them
        exact: bool = false,
        ["Output", "N"]
        /// Suggest N instances to label next: those whose labels would help most, and every second one at random
        suggest: usize = 0,
        ["Run", "N"]
        /// Random seed
        seed: u64 = 0,
    }
}

impl LabelSpec {
    /// How trusted labels are chosen.
    ///
    /// # Errors
    /// [`Error::Parameter`] when more than one way is given, or a value is outside its domain.
    pub fn trust(&self) -> Result<Trust> {
        let between = |name, value: f64, expected| {
            if value > 0.0 && value < 1.0 { Ok(value) } else { Err(Error::parameter(name, value, expected)) }
        };
        if let Some(cut) = self.credibility {
            let other = [
                ("precision", self.precision.is_some()),
                ("confidence", self.confidence.is_some()),
                ("per-class", self.per_class),
                ("average", self.average),
            ];
            if let Some((name, _)) = other.into_iter().find(|(_, given)| *given) {
                return Err(Error::parameter(name, cut, "a credibility promises nothing: give only one of the two"));
            }
            return Ok(Trust::Credibility(between(
                "credibility",
                cut,
                "a credibility lies between 0 and 1, as in 0.5",
            )?));
        }
        let expected = "a precision lies between 0 and 1, as in 0.95";
        let precision = between("precision", self.precision.unwrap_or(DEFAULT_PRECISION), expected)?;
        let expected = "a confidence lies between 0 and 1, as in 0.9";
        let confidence = between("confidence", self.confidence.unwrap_or(DEFAULT_CONFIDENCE), expected)?;
        let promise = Promise { precision, confidence };
        match (self.average, self.per_class, self.confidence) {
            (false, false, _) => Ok(Trust::Precision(promise)),
            (false, true, _) => Ok(Trust::PerClass(promise)),
            (true, false, None) => Ok(Trust::Average(precision)),
            (true, true, _) => {
                Err(Error::parameter("per-class", true, "a promise on average is for all classes together"))
            }
            (true, _, Some(_)) => {
                Err(Error::parameter("confidence", confidence, "a promise on average has no confidence"))
            }
        }
    }

    /// Sets how trusted labels are chosen, in place of whatever was set before.
    pub fn set_trust(&mut self, trust: Trust) {
        (self.precision, self.confidence, self.credibility) = match trust {
            Trust::Precision(promise) | Trust::PerClass(promise) => {
                (Some(promise.precision), Some(promise.confidence), None)
            }
            Trust::Average(precision) => (Some(precision), None, None),
            Trust::Credibility(cut) => (None, None, Some(cut)),
        };
        self.average = matches!(trust, Trust::Average(_));
        self.per_class = matches!(trust, Trust::PerClass(_));
    }

    /// Checks every option.
    ///
    /// # Errors
    /// [`Error::Parameter`] for the first that is outside its domain.
    pub fn check(&self) -> Result<()> {
        self.trust()?;
        if !(2..=MOST_FOLDS).contains(&self.folds) {
            let expected = format!("cross-validation takes from 2 to {MOST_FOLDS} folds");
            return Err(Error::parameter("folds", self.folds, expected));
        }
        if self.novel_fdr > 0.0 && self.novel_fdr < 1.0 {
            Ok(())
        } else {
            let expected = "a share of false alarms lies between 0 and 1, as in 0.2";
            Err(Error::parameter("novel-fdr", self.novel_fdr, expected))
        }
    }

    /// How much of a large pool each step uses.
    pub fn limits(&self) -> Limits {
        if self.exact { Limits::NONE } else { Limits::default() }
    }
}

/// Folds of a cross-validation, at most: each is a run of every labeller.
const MOST_FOLDS: usize = 100;

/// The precision of trusted labels, unless another one is asked for.
pub const DEFAULT_PRECISION: f64 = 0.9;
/// The confidence of that promise, unless another one is asked for.
pub const DEFAULT_CONFIDENCE: f64 = 0.9;

declare_spec! {
    /// The options of `audit`.
    pub struct AuditSpec {
        ["Suspects", "P"]
        /// Call as many labels suspects as possible such that the expected share of wrong ones among them is at least P
        precision: f64 = 0.8,
        ["Labelling", ""]
        /// Use every instance in every step, however large the pool is. This takes much longer in pools of more than
        /// 20,000 instances, where some steps otherwise use a part of them
        exact: bool = false,
    }
}

impl AuditSpec {
    /// The precision asked of the suspects.
    ///
    /// # Errors
    /// [`Error::Parameter`] when it does not lie between 0 and 1.
    pub(crate) fn checked_precision(&self) -> Result<f64> {
        if self.precision > 0.0 && self.precision < 1.0 {
            Ok(self.precision)
        } else {
            let expected = "a precision lies between 0 and 1, as in 0.8";
            Err(Error::parameter("precision", self.precision, expected))
        }
    }

    /// How much of a large pool each step uses.
    pub fn limits(&self) -> Limits {
        if self.exact { Limits::NONE } else { Limits::default() }
    }
}

choice_fields!(LabellerKind, Penalty, Scaling);
