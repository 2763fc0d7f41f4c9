//! Other ways to select five instances of each class, once: at random, the nearest, the most confident, the smallest
//! coefficient.

use trustpath::judge::Selector;

use super::ablation::Ablation;
use super::frame::*;
use super::published::SELECTORS;

pub const TARGET: Target = Target {
    name: "selectors",
    about: "Other rules of selection: RA, NN, CO, CN",
    heading: "Rules of selection",
    paper: "with 5 of 15 unlabeled instances of each class selected once, ICI is better than selecting at random (RA), by \
            nearest neighbour (NN), by confidence (CO) and by the norm of the coefficient (CN), in all four settings.",
    find: |lab, finding| ABLATION.find(lab, finding),
};

/// Each rule with the factor by which its episodes are reduced: CN needs `γ` on the entire path, whose end is slow.
const ABLATION: Ablation<(Selector, usize)> = Ablation {
    variants: &[
        ("RA", (Selector::Random, 1)),
        ("NN", (Selector::Nearest, 1)),
        ("CO", (Selector::Confidence, 1)),
        ("CN", (Selector::CoefficientNorm, 4)),
        ("ICIR", (Selector::Ici, 1)),
    ],
    change: |experiment, (selector, thinned)| {
        // For ICI the first round of the full run is the same, and other targets run that as well.
        let cap = (selector != Selector::Ici).then_some(5);
        experiment.with(|m| (m.selector, m.cap) = (selector, cap.or(m.cap))).thin(thinned)
    },
    rounds: 1,
    published: &SELECTORS,
    caption: "Accuracy in % after one round",
    title: "Gain of one round of selection",
    verdicts: |finding, title, variants| {
        let [others @ .., ici] = variants else { return Ok(()) };
        for other in others {
            let claim = format!("ICIR selects better than {}", other.name);
            finding.larger(title, &claim, &ici.minus(other, "ICIR", &[1, 5])?);
        }
        Ok(())
    },
};
