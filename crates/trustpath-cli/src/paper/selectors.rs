//! Other ways to select five instances of each class, once: at random, the nearest, the most confident, the smallest
//! coefficient.

use trustpath_episodes::Selector;

use super::ablation::{self, CELLS, Variant, cell_name};
use super::error::Result;
use super::finding::Finding;
use super::lab::{Lab, difference};
use super::published::SELECTORS;
use super::verdict::{Comparison, Verdict};

/// The rules, and how far the episodes are thinned: CN needs `γ` on all of the path, down to its slow end.
const RULES: [(&str, Selector, usize); 5] = [
    ("RA", Selector::Ra, 1),
    ("NN", Selector::Nn, 1),
    ("CO", Selector::Co, 1),
    ("CN", Selector::Cn, 4),
    ("ICIR", Selector::Ici, 1),
];

/// Compares them.
pub fn find(lab: &Lab) -> Result<Finding> {
    let mut finding = Finding::new(
        "Ways to select",
        "with 5 of 15 unlabeled instances of each class selected once, ICI is better than selecting at random (RA), by \
         nearest neighbour (NN), by confidence (CO) and by the norm of the coefficient (CN), in all four settings.",
    );
    for dataset in &lab.datasets {
        let mut variants = Vec::new();
        for (name, selector, thinned) in RULES {
            // The first round of the full run is the same for ICI, and it has been run elsewhere.
            let cap = (selector != Selector::Ici).then_some(5);
            variants.push(Variant::run(lab, dataset, name, 1, |experiment| {
                experiment.with(|m| (m.selector, m.cap) = (selector, cap.or(m.cap))).thin(thinned)
            })?);
        }
        let title = dataset.title();
        finding.table(
            format!(
                "Accuracy in % after one round on {title}, beside the paper's on miniImageNet."
            ),
            ablation::table(&variants, &SELECTORS)?,
        );
        let caption = format!("What one round of selection adds on {title}");
        finding
            .figure(format!("selectors-{}", dataset.name), ablation::figure(caption, &variants)?);
        let [others @ .., ici] = &variants[..] else { continue };
        for other in others {
            let mut comparisons = Vec::new();
            for (i, cell) in CELLS.into_iter().enumerate() {
                comparisons.push(Comparison::new(
                    format!("ICIR − {} {}", other.name, cell_name(cell)),
                    difference(&ici.accuracy(i), &other.accuracy(i))?,
                ));
            }
            let claim = format!("ICIR selects better than {}", other.name);
            finding.verdicts.push(Verdict::all_larger(&title, claim, &comparisons));
        }
    }
    Ok(finding)
}
