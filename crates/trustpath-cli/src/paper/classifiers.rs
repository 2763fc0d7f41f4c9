//! ICI with other classifiers.

use trustpath_bench::classifiers::ClassifierKind;

use super::ablation::{Ablation, Variant};
use super::frame::*;
use super::published::CLASSIFIERS;

pub const TARGET: Target = Target {
    name: "classifiers",
    about: "Other classifiers: kNN, SVM",
    heading: "Classifiers",
    paper: "ICI works with any classifier: at 1 shot nearest neighbours (kNN), a linear support vector machine (SVM) and \
            logistic regression (LR) are comparable, at 5 shots LR is better than the other two.",
    find: |lab, finding| ABLATION.find(lab, finding),
};

const ABLATION: Ablation<ClassifierKind> = Ablation {
    variants: &[("kNN", ClassifierKind::Nearest), ("SVM", ClassifierKind::Svm), ("LR", ClassifierKind::Logistic)],
    change: |experiment, classifier| experiment.with(|m| m.classifier = classifier),
    rounds: usize::MAX,
    published: &CLASSIFIERS,
    caption: "Accuracy in % of ICIR by classifier",
    title: "Gain of ICIR over each classifier",
    verdicts: |finding, title, variants| {
        let [others @ .., lr] = variants else { return Ok(()) };
        let (mut gains, mut five) = (Vec::new(), Vec::new());
        for variant in variants {
            gains.extend(variant.gains()?);
        }
        for other in others {
            five.extend(lr.minus(other, "LR", &[5])?);
        }
        finding.larger(title, "ICI improves every classifier", &gains);
        finding.larger(title, "LR is better than kNN and SVM at 5 shots", &five);
        comparable(finding, title, others, lr)
    },
};

/// Whether no classifier is further from LR at one shot than the paper's: 0.94 points transductive, 3.18 semi-supervised.
fn comparable(finding: &mut Finding, title: &str, others: &[Variant], lr: &Variant) -> Result<()> {
    let mut apart = Vec::new();
    for other in others {
        apart.extend(lr.one_shot_differences(other, &CLASSIFIERS)?);
    }
    // The paper calls all of its classifiers comparable, so that its largest difference in a setting is comparable.
    let limit = |name: &str| {
        let setting = |text: &str| text.contains("Tran.");
        let same = apart.iter().filter(|(c, _)| setting(&c.name) == setting(name));
        same.map(|(_, printed)| printed.abs()).fold(0.0, f64::max)
    };
    let holds = apart.iter().map(|(c, _)| Holds::within(&c.difference, limit(&c.name)));
    let evidence = apart
        .iter()
        .map(|(c, _)| format!("{} = {} points, at most {:.2}", c.name, points(&c.difference), 100.0 * limit(&c.name)));
    let claim = "the classifiers are comparable at 1 shot (no further from LR than in the paper)";
    finding.verdict(title, claim, Holds::all(holds.collect::<Vec<_>>()), evidence.collect::<Vec<_>>().join("; "));
    Ok(())
}
