//! What is run on an episode, as names and numbers alone: it can be read from a command line, printed, and hashed into a
//! journal.

use std::fmt;
use std::str::FromStr;

use serde::Serialize;
use trustpath::incidental::{IciCParams, IciRParams, Incidental, linear, logistic};
use trustpath::reduce::lle::Lle;
use trustpath::reduce::{Reduce, identity::Identity};
use trustpath::select::{CoefficientNorm, Confidence, Credibility, Nearest, Random, Rule, Select};
use trustpath::{SelfTaught, SelfTaughtParams, classify, reduce};

use crate::{Error, Result};

/// Where the official code's ICI-C path ends, relative to `λ_max`.
const OFFICIAL_ICIC_RATIO: f64 = 0.01;

/// The model with incidental parameters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Model {
    /// Linear regression, ICI-R.
    #[default]
    IciR,
    /// Logistic regression, ICI-C.
    IciC,
}

/// How instances are chosen in a round.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Selector {
    /// By credibility.
    #[default]
    Ici,
    /// RA, at random.
    Ra,
    /// NN, nearest to a training instance of the class.
    Nn,
    /// CO, by the classifier's confidence.
    Co,
    /// CN, by the norm of the coefficient.
    Cn,
}

/// The sparsity penalty on the incidental parameters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Penalty {
    /// One norm an instance.
    Group,
    /// Entry by entry.
    Elementwise,
}

/// A method: every choice that Algorithm 1 leaves open.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Method {
    /// The model that ranks.
    pub model: Model,
    /// Its penalty; `None` for the model's own default, which is what the official code ran: group for ICI-R,
    /// elementwise for ICI-C.
    pub penalty: Option<Penalty>,
    /// The reduction.
    #[serde(serialize_with = "as_text")]
    pub reduction: reduce::Method,
    /// Dimensions to reduce to.
    pub d: usize,
    /// Neighbours of the reductions that have them.
    pub neighbors: usize,
    /// The classifier.
    #[serde(serialize_with = "as_text")]
    pub classifier: classify::Method,
    /// How instances are chosen.
    pub selector: Selector,
    /// Instances of each pseudo-class taken in a round.
    pub step: usize,
    /// Instances of each pseudo-class taken altogether.
    pub cap: Option<usize>,
    /// ICI-C's price of `β` relative to `γ`.
    pub alpha: f64,
    /// The rules of the official code: vanishing on the grid with ties in row order, scikit-learn's choice of null
    /// vectors in LLE, ICI-C's path down to a hundredth.
    pub compat: bool,
    /// Seed of the random selector.
    pub seed: u64,
}

impl Default for Method {
    fn default() -> Self {
        Self {
            model: Model::IciR,
            penalty: None,
            reduction: reduce::Method::Lle,
            d: reduce::DEFAULT_D,
            neighbors: reduce::DEFAULT_NEIGHBORS,
            classifier: classify::Method::Logistic,
            selector: Selector::Ici,
            step: 5,
            cap: None,
            alpha: 0.5,
            compat: false,
            seed: 0,
        }
    }
}

impl Method {
    /// The learner of this method.
    ///
    /// # Errors
    /// When a parameter is outside its domain.
    pub fn build(&self) -> Result<SelfTaught> {
        let params = SelfTaughtParams { step: self.step, cap: self.cap };
        Ok(SelfTaught::new(self.reduction()?, self.classifier.build(), self.select()?, params)?)
    }

    /// The reduction of this method.
    ///
    /// # Errors
    /// When a parameter is outside its domain.
    pub fn reduction(&self) -> Result<Box<dyn Reduce>> {
        let (d, neighbors) = (self.d, self.neighbors);
        Ok(match self.reduction {
            reduce::Method::Lle => {
                let params = Lle { d, neighbors, compat: self.compat, ..Default::default() };
                Box::new(params.check()?)
            }
            reduce::Method::Identity => Box::new(Identity),
            other => other.build(d, neighbors)?,
        })
    }

    /// The model with incidental parameters of this method.
    ///
    /// # Errors
    /// When a parameter is outside its domain.
    pub fn incidental(&self) -> Result<Box<dyn Incidental>> {
        Ok(match self.model {
            Model::IciR => {
                let penalty = match self.penalty {
                    Some(Penalty::Elementwise) => linear::Penalty::Elementwise,
                    _ => linear::Penalty::Group,
                };
                Box::new(IciRParams { penalty, ..Default::default() }.check()?)
            }
            Model::IciC => {
                let mut params = IciCParams { alpha: self.alpha, ..Default::default() };
                if self.penalty == Some(Penalty::Group) {
                    params.penalty = logistic::Penalty::Grouped;
                }
                if self.compat {
                    params.grid.ratio = OFFICIAL_ICIC_RATIO;
                }
                Box::new(params.check()?)
            }
        })
    }

    fn select(&self) -> Result<Box<dyn Select>> {
        Ok(match self.selector {
            Selector::Ici => {
                let rule = if self.compat { Rule::Grid } else { Rule::Continuous };
                Box::new(Credibility { model: self.incidental()?, rule })
            }
            Selector::Ra => Box::new(Random { seed: self.seed }),
            Selector::Nn => Box::new(Nearest),
            Selector::Co => Box::new(Confidence),
            Selector::Cn => Box::new(CoefficientNorm { model: self.incidental()? }),
        })
    }
}

pub(crate) fn as_text<S: serde::Serializer>(
    value: &impl fmt::Display,
    serializer: S,
) -> std::result::Result<S::Ok, S::Error> {
    serializer.collect_str(value)
}

/// Names of an enum's values, for the command line.
trait Named: Sized + Copy + PartialEq + 'static {
    const WHAT: &'static str;
    const EXPECTED: &'static str;
    const NAMES: &'static [(&'static str, Self)];

    fn name(self) -> &'static str {
        Self::NAMES.iter().find(|(_, value)| *value == self).map_or("", |(name, _)| name)
    }

    fn parse(text: &str) -> Result<Self> {
        let lower = text.to_ascii_lowercase();
        let found = Self::NAMES.iter().find(|(name, _)| *name == lower);
        found.map(|(_, value)| *value).ok_or(Error::parameter(Self::WHAT, text, Self::EXPECTED))
    }
}

impl Named for Model {
    const WHAT: &'static str = "model";
    const EXPECTED: &'static str = "choose icir or icic";
    const NAMES: &'static [(&'static str, Self)] = &[("icir", Self::IciR), ("icic", Self::IciC)];
}

impl Named for Selector {
    const WHAT: &'static str = "selector";
    const EXPECTED: &'static str = "choose ici, ra, nn, co or cn";
    const NAMES: &'static [(&'static str, Self)] = &[
        ("ici", Self::Ici),
        ("ra", Self::Ra),
        ("nn", Self::Nn),
        ("co", Self::Co),
        ("cn", Self::Cn),
    ];
}

impl Named for Penalty {
    const WHAT: &'static str = "penalty";
    const EXPECTED: &'static str = "choose group or elementwise";
    const NAMES: &'static [(&'static str, Self)] =
        &[("group", Self::Group), ("elementwise", Self::Elementwise)];
}

impl fmt::Display for Model {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl fmt::Display for Selector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl fmt::Display for Penalty {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Model {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        Self::parse(text)
    }
}

impl FromStr for Selector {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        Self::parse(text)
    }
}

impl FromStr for Penalty {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        Self::parse(text)
    }
}
