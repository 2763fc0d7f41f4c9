//! Whether a conclusion of the paper holds on the features at hand, decided by 95% intervals.

use trustpath_bench::stats::MeanEstimate;

use super::lab::difference;
use crate::error::Result;
use crate::print::points;

/// Whether a conclusion holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Holds {
    Yes,
    No,
    /// The intervals do not decide.
    Open,
    /// It could not be otherwise, whatever the features are.
    ByConstruction,
}

impl Holds {
    /// `Yes` if the interval lies above the bound, `No` if it lies below.
    pub fn above(estimate: &MeanEstimate, bound: f64) -> Self {
        match (MeanEstimate { mean: estimate.mean - bound, ..*estimate }).interval() {
            (low, _) if low > 0.0 => Self::Yes,
            (_, high) if high < 0.0 => Self::No,
            _ => Self::Open,
        }
    }

    /// `Yes` if the interval lies below the bound, `No` if it lies above.
    pub fn below(estimate: &MeanEstimate, bound: f64) -> Self {
        Self::above(&MeanEstimate { mean: bound - estimate.mean, ..*estimate }, 0.0)
    }

    /// `Yes` if the interval lies within the bound on both sides of zero, `No` if it lies beyond it on one side.
    pub fn within(estimate: &MeanEstimate, bound: f64) -> Self {
        let size = MeanEstimate { mean: estimate.mean.abs(), ..*estimate };
        Self::below(&size, bound)
    }

    /// `No` if any is, else `Yes` if all are.
    pub fn all(each: impl IntoIterator<Item = Self>) -> Self {
        let each: Vec<Self> = each.into_iter().collect();
        if each.contains(&Self::No) {
            Self::No
        } else if !each.is_empty() && each.iter().all(|holds| *holds == Self::Yes) {
            Self::Yes
        } else {
            Self::Open
        }
    }

    /// `Yes` or `No`, where nothing is estimated.
    pub fn when(condition: bool) -> Self {
        if condition { Self::Yes } else { Self::No }
    }

    /// In a table, and at the beginning of a sentence.
    pub fn words(self) -> (&'static str, &'static str) {
        match self {
            Self::Yes => ("yes", "Confirmed"),
            Self::No => ("no", "Contradicted"),
            Self::Open => ("not decided", "Not decided"),
            Self::ByConstruction => ("by construction", "True by construction"),
        }
    }
}

/// A conclusion of the paper and what the numbers say about it.
#[derive(Debug, Clone, PartialEq)]
pub struct Conclusion {
    pub dataset: String,
    /// The paper's conclusion, as a sentence without a full stop.
    pub claim: String,
    pub holds: Holds,
    /// The numbers that decide it.
    pub evidence: String,
}

/// Two methods compared on the same episodes.
#[derive(Debug, Clone, PartialEq)]
pub struct Comparison {
    /// What is compared, as in "ICIR − LR".
    pub name: String,
    pub difference: MeanEstimate,
}

impl Comparison {
    /// A difference that is known already.
    pub fn new(name: impl Into<String>, difference: MeanEstimate) -> Self {
        Self { name: name.into(), difference }
    }

    /// The paired difference of two lists of scores.
    pub fn between(name: impl Into<String>, left: &[f64], right: &[f64]) -> Result<Self> {
        Ok(Self::new(name, difference(left, right)?))
    }

    fn words(&self) -> String {
        format!("{} = {} points", self.name, points(&self.difference))
    }
}

/// Decides whether all differences are positive, and gives the evidence. One that is negative beyond its interval is
/// enough for a `No`.
pub fn decide(comparisons: &[Comparison]) -> (Holds, String) {
    if let [only] = comparisons {
        let evidence = format!("{} over {} episodes", only.words(), only.difference.episodes);
        return (Holds::above(&only.difference, 0.0), evidence);
    }
    let each = || comparisons.iter().map(|c| Holds::above(&c.difference, 0.0));
    let count = |wanted| each().filter(|holds| *holds == wanted).count();
    let (positive, negative, all) = (count(Holds::Yes), count(Holds::No), comparisons.len());
    let holds = Holds::all(each());
    let smallest = comparisons
        .iter()
        .min_by(|a, b| a.difference.mean.total_cmp(&b.difference.mean))
        .map_or(String::new(), |c| format!("; the smallest is {}", c.words()));
    let evidence = format!(
        "positive beyond the 95% interval: {positive} of {all} paired differences, negative: {negative}{smallest}"
    );
    (holds, evidence)
}

impl Conclusion {
    pub fn sentence(&self) -> String {
        let Self { dataset, claim, holds, evidence } = self;
        format!("{} on {dataset}: {claim} ({evidence}).", holds.words().1)
    }
}

/// A share of a number of trials, with a 95% interval. Its width is that of two more successes and two more failures
/// (Agresti and Coull 1998): that of the share itself would be zero where all trials agree, however few they are.
pub fn share(successes: usize, trials: usize) -> Option<MeanEstimate> {
    let mean = (trials > 0).then(|| successes as f64 / trials as f64)?;
    let more = (trials + 4) as f64;
    let likely = (successes + 2) as f64 / more;
    let half_width = 1.96 * (likely * (1.0 - likely) / more).sqrt();
    Some(MeanEstimate { mean, half_width, episodes: trials })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn estimate(mean: f64, half_width: f64) -> MeanEstimate {
        MeanEstimate { mean, half_width, episodes: 100 }
    }

    #[test]
    fn the_interval_decides() {
        let above = |mean, half| Holds::above(&estimate(mean, half), 0.0);
        assert_eq!(above(0.02, 0.01), Holds::Yes);
        assert_eq!(above(-0.02, 0.01), Holds::No);
        assert_eq!(above(0.02, 0.03), Holds::Open);
        assert_eq!(above(0.02, f64::INFINITY), Holds::Open);
        let below = |mean| Holds::below(&estimate(mean, 0.002), 0.005);
        assert_eq!([0.0, 0.004, 0.008].map(below), [Holds::Yes, Holds::Open, Holds::No]);
        let within = |mean| Holds::within(&estimate(mean, 0.002), 0.005);
        assert_eq!([-0.002, 0.004, -0.008].map(within), [Holds::Yes, Holds::Open, Holds::No]);
    }

    #[test]
    fn sentences_give_the_decision_and_its_numbers() {
        let sentence = |mean| {
            let (holds, evidence) = decide(&[Comparison::new("ICIR − LR", estimate(mean, 0.0031))]);
            let (dataset, claim) = ("CUB".into(), "ICI improves on LR".into());
            Conclusion { dataset, claim, holds, evidence }.sentence()
        };
        assert_eq!(
            sentence(0.0532),
            "Confirmed on CUB: ICI improves on LR (ICIR − LR = +5.32 ± 0.31 points over 100 episodes)."
        );
        assert!(sentence(-0.0532).starts_with("Contradicted on CUB: ICI improves on LR (ICIR − LR = -5.32"));
        assert!(sentence(0.0001).starts_with("Not decided on CUB"));
    }

    #[test]
    fn one_contradiction_is_enough_and_one_open_difference_leaves_it_open() {
        let decide = |means: &[f64]| {
            let compare = |&m: &f64| Comparison::new(format!("{m}"), estimate(m, 0.01));
            decide(&means.iter().map(compare).collect::<Vec<_>>())
        };
        assert_eq!(decide(&[0.02, 0.03]).0, Holds::Yes);
        assert_eq!(decide(&[0.02, 0.005]).0, Holds::Open);
        assert_eq!(decide(&[0.02, 0.005, -0.02]).0, Holds::No);
        assert_eq!(decide(&[]).0, Holds::Open);
        let evidence = decide(&[0.02, -0.02, 0.03]).1;
        let start = "positive beyond the 95% interval: 2 of 3 paired differences, negative: 1; ";
        assert!(evidence.starts_with(start), "{evidence}");
        assert!(evidence.ends_with("the smallest is -0.02 = -2.00 ± 1.00 points"), "{evidence}");
    }

    #[test]
    fn shares_have_binomial_intervals() {
        let half = share(50, 100).unwrap();
        assert_eq!(half.mean, 0.5);
        assert!((half.half_width - 1.96 * (0.25_f64 / 104.0).sqrt()).abs() < 1e-12);
        assert!(share(7, 7).unwrap().half_width > 0.2);
        assert_eq!(share(0, 0), None);
    }
}
