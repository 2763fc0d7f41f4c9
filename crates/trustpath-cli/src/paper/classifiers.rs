//! ICI with other classifiers.

use trustpath::classify::ClassifierKind;

use super::ablation::Ablation;
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
    variants: &[
        ("kNN", ClassifierKind::Nearest),
        ("SVM", ClassifierKind::Svm),
        ("LR", ClassifierKind::Logistic),
    ],
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
        Ok(())
    },
};
