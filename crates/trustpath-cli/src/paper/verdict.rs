//! Whether a conclusion of the paper holds on the features at hand, decided by intervals.

use trustpath_episodes::stats::Estimate;

/// The answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Holds {
    /// It does.
    Yes,
    /// The opposite does.
    No,
    /// The intervals do not tell.
    Open,
}

impl Holds {
    /// `Yes` above zero, `No` below, both beyond the interval.
    pub fn above_zero(difference: &Estimate) -> Self {
        match difference.interval() {
            (low, _) if low > 0.0 => Self::Yes,
            (_, high) if high < 0.0 => Self::No,
            _ => Self::Open,
        }
    }

    /// `Yes` or `No`, where nothing is estimated.
    pub fn when(condition: bool) -> Self {
        if condition { Self::Yes } else { Self::No }
    }

    /// In a table.
    pub fn name(self) -> &'static str {
        match self {
            Self::Yes => "yes",
            Self::No => "no",
            Self::Open => "not decided",
        }
    }
}

/// A conclusion of the paper and what the numbers say about it.
#[derive(Debug, Clone, PartialEq)]
pub struct Verdict {
    /// On which dataset.
    pub dataset: String,
    /// The paper's conclusion: the rest of a sentence that begins with "that".
    pub claim: String,
    /// Whether it holds.
    pub holds: Holds,
    /// The numbers it is decided by.
    pub evidence: String,
}

/// Two things compared on the same episodes.
#[derive(Debug, Clone, PartialEq)]
pub struct Comparison {
    /// What is compared, as in "ICIR − LR".
    pub name: String,
    /// The paired difference.
    pub difference: Estimate,
}

impl Comparison {
    /// A comparison by name.
    pub fn new(name: impl Into<String>, difference: Estimate) -> Self {
        Self { name: name.into(), difference }
    }

    fn words(&self) -> String {
        format!("{} = {} points", self.name, points(&self.difference))
    }
}

impl Verdict {
    /// A conclusion decided by hand.
    pub fn new(
        dataset: impl Into<String>,
        claim: impl Into<String>,
        holds: Holds,
        evidence: impl Into<String>,
    ) -> Self {
        let (dataset, claim, evidence) = (dataset.into(), claim.into(), evidence.into());
        Self { dataset, claim, holds, evidence }
    }

    /// The conclusion that a difference is positive.
    pub fn larger(
        dataset: impl Into<String>,
        claim: impl Into<String>,
        comparison: &Comparison,
    ) -> Self {
        let Comparison { difference, .. } = comparison;
        let evidence =
            format!("{} over {} paired episodes", comparison.words(), difference.episodes);
        Self::new(dataset, claim, Holds::above_zero(difference), evidence)
    }

    /// The conclusion that all differences are positive: contradicted by one that is negative beyond its interval.
    pub fn all_larger(
        dataset: impl Into<String>,
        claim: impl Into<String>,
        comparisons: &[Comparison],
    ) -> Self {
        let count = |wanted| {
            comparisons.iter().filter(|c| Holds::above_zero(&c.difference) == wanted).count()
        };
        let (positive, negative) = (count(Holds::Yes), count(Holds::No));
        let holds = match (positive, negative) {
            (_, 1..) => Holds::No,
            (n, 0) if n == comparisons.len() && n > 0 => Holds::Yes,
            _ => Holds::Open,
        };
        let least = comparisons
            .iter()
            .min_by(|a, b| a.difference.mean.total_cmp(&b.difference.mean))
            .map_or(String::new(), |c| format!("; the smallest is {}", c.words()));
        let evidence = format!(
            "beyond their 95% intervals {positive} of {} paired differences are positive and {negative} negative{least}",
            comparisons.len()
        );
        Self::new(dataset, claim, holds, evidence)
    }

    /// The whole sentence.
    pub fn sentence(&self) -> String {
        let Self { dataset, claim, evidence, .. } = self;
        let holds = match self.holds {
            Holds::Yes => "holds here",
            Holds::No => "does not hold here",
            Holds::Open => "is neither confirmed nor contradicted here",
        };
        format!("{dataset}: that {claim} {holds} ({evidence}).")
    }
}

/// A difference of accuracies in points of percent, signed.
pub fn points(difference: &Estimate) -> String {
    let (mean, half) = (100.0 * difference.mean, 100.0 * difference.half_width);
    if half.is_finite() { format!("{mean:+.2} ± {half:.2}") } else { format!("{mean:+.2}") }
}

/// A share of a number of trials, with its normal 95% interval.
pub fn share(successes: usize, trials: usize) -> Option<Estimate> {
    let mean = (trials > 0).then(|| successes as f64 / trials as f64)?;
    let half_width = 1.96 * (mean * (1.0 - mean) / trials as f64).sqrt();
    Some(Estimate { mean, half_width, episodes: trials })
}

/// The difference of two shares of different trials.
pub fn share_difference(left: &Estimate, right: &Estimate) -> Estimate {
    Estimate {
        mean: left.mean - right.mean,
        half_width: left.half_width.hypot(right.half_width),
        episodes: left.episodes + right.episodes,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn estimate(mean: f64, half_width: f64) -> Estimate {
        Estimate { mean, half_width, episodes: 100 }
    }

    #[test]
    fn the_interval_decides() {
        let decided = |mean, half| Holds::above_zero(&estimate(mean, half));
        assert_eq!(decided(0.02, 0.01), Holds::Yes);
        assert_eq!(decided(-0.02, 0.01), Holds::No);
        assert_eq!(decided(0.02, 0.03), Holds::Open);
        assert_eq!(decided(0.02, f64::INFINITY), Holds::Open);
    }

    #[test]
    fn sentences_say_what_was_found() {
        let larger = |mean| {
            let comparison = Comparison::new("ICIR − LR", estimate(mean, 0.0031));
            Verdict::larger("CUB", "ICI improves on LR", &comparison).sentence()
        };
        assert_eq!(
            larger(0.0532),
            "CUB: that ICI improves on LR holds here (ICIR − LR = +5.32 ± 0.31 points over 100 paired episodes)."
        );
        assert!(larger(-0.0532).contains("does not hold here (ICIR − LR = -5.32"));
        assert!(larger(0.0001).contains("neither confirmed nor contradicted"));
    }

    #[test]
    fn one_contradiction_is_enough_and_one_doubt_leaves_it_open() {
        let verdict = |means: &[f64]| {
            let comparisons: Vec<_> =
                means.iter().map(|&m| Comparison::new(format!("{m}"), estimate(m, 0.01))).collect();
            Verdict::all_larger("CUB", "…", &comparisons)
        };
        assert_eq!(verdict(&[0.02, 0.03]).holds, Holds::Yes);
        assert_eq!(verdict(&[0.02, 0.005]).holds, Holds::Open);
        assert_eq!(verdict(&[0.02, 0.005, -0.02]).holds, Holds::No);
        assert_eq!(verdict(&[]).holds, Holds::Open);
        let evidence = verdict(&[0.02, -0.02, 0.03]).evidence;
        assert!(evidence.starts_with(
            "beyond their 95% intervals 2 of 3 paired differences are positive and 1 negative"
        ));
        assert!(evidence.ends_with("the smallest is -0.02 = -2.00 ± 1.00 points"), "{evidence}");
    }

    #[test]
    fn shares_have_binomial_intervals() {
        let half = share(50, 100).unwrap();
        assert_eq!(half.mean, 0.5);
        assert!((half.half_width - 0.098).abs() < 1e-12);
        assert_eq!(share(0, 0), None);
        let difference = share_difference(&share(90, 100).unwrap(), &half);
        assert!((difference.mean - 0.4).abs() < 1e-12);
        assert_eq!(Holds::above_zero(&difference), Holds::Yes);
    }
}
