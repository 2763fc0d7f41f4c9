//! Other ways to select five instances of each class, once: at random, the nearest, the most confident, the smallest
//! coefficient.

use trustpath_bench::judges::Selector;

use super::ablation::{Ablation, Variant};
use super::frame::*;
use super::published::SELECTORS;

pub const TARGET: PaperTarget = PaperTarget {
    name: "selectors",
    about: "Other rules of selection: RA, NN, CO, CN",
    heading: "Rules of selection",
    paper: "with 5 of 15 unlabeled instances of each class selected once, ICI is better than selecting at random (RA), by \
            nearest neighbour (NN), by confidence (CO) and by the norm of the coefficient (CN), in all four settings. CN is \
            no better than chance. It selects \"based on the y-axis in Fig. 5 instead of x-axis\", \"without considering the \
            effect of γ\": CN here is the norm at the smallest λ, and LS the error of the regression without γ.",
    find: |lab, finding| ABLATION.find(lab, finding),
};

/// The largest difference between CN and RA in the paper, in points.
const AS_RANDOM: f64 = 0.22;

const ABLATION: Ablation<Selector> = Ablation {
    variants: &[
        ("RA", Selector::Random),
        ("NN", Selector::Nearest),
        ("CO", Selector::Confidence),
        ("CN", Selector::CoefficientNorm),
        ("LS", Selector::LeastSquares),
        ("ICIR", Selector::Ici),
    ],
    change: |experiment, selector| {
        // For ICI the first round of the full run is the same, and other targets run that as well.
        let cap = (selector != Selector::Ici).then_some(5);
        experiment.with(|m| (m.selector, m.cap) = (selector, cap.or(m.cap)))
    },
    rounds: 1,
    published: &SELECTORS,
    caption: "Accuracy in % after one round",
    title: "Gain of one round of selection",
    verdicts: |finding, title, variants| {
        let [random, .., norm, least_squares, ici] = variants else { return Ok(()) };
        for other in variants.iter().filter(|other| other.name != "ICIR" && other.name != "LS") {
            let claim = format!("ICIR selects better than {}", other.name);
            finding.larger(title, &claim, &ici.minus(other, &[1, 5])?);
        }
        for cn in [norm, least_squares] {
            as_random(finding, title, cn, &cn.minus(random, &[1, 5])?);
        }
        Ok(())
    },
};

/// Whether the norm of the coefficient is as good as chance: in the paper the two are 0.22 points apart at most.
fn as_random(finding: &mut Finding, title: &str, cn: &Variant, differences: &[Comparison]) {
    let reading = match cn.name {
        "LS" => "CN read as the error of the least-squares fit",
        _ => "CN",
    };
    let claim = format!("{reading} is about as good as RA (within {AS_RANDOM} points)");
    let holds = differences.iter().map(|c| Holds::within(&c.difference, AS_RANDOM / 100.0));
    let evidence = differences.iter().map(|c| format!("{} = {}", c.name, points(&c.difference)));
    let evidence = evidence.collect::<Vec<_>>().join("; ");
    finding.verdict(title, &claim, Holds::all(holds), evidence);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bound_is_the_papers_largest_difference() {
        let row = |name| SELECTORS.iter().find(|row| row.0 == name).unwrap().1;
        let apart = row("CN").into_iter().zip(row("RA")).map(|(cn, ra)| (cn.0 - ra.0).abs());
        assert!((apart.fold(0.0, f64::max) - AS_RANDOM).abs() < 1e-9);
    }
}
