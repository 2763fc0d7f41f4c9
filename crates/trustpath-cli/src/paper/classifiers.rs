//! ICI with other classifiers.

use trustpath_bench::classifiers::ClassifierKind;

use super::ablation::Ablation;
use super::frame::*;
use super::published::CLASSIFIERS;

pub const TARGET: PaperTarget = PaperTarget {
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
        let (mut gains, mut one, mut five) = (Vec::new(), Vec::new(), Vec::new());
        for variant in variants {
            gains.extend(variant.gains()?);
        }
        for other in others {
            one.extend(lr.minus(other, &[1])?);
            five.extend(lr.minus(other, &[5])?);
        }
        finding.larger(title, "ICI improves every classifier", &gains);
        finding.larger(title, "LR is better than kNN and SVM at 5 shots", &five);
        let claim = "the classifiers are comparable at 1 shot (no further from LR than in the paper)";
        let holds = one.iter().map(|c| Holds::within(&c.difference, limit(&c.name) / 100.0));
        let evidence =
            one.iter().map(|c| format!("{} = {} points, at most {:.2}", c.name, points(&c.difference), limit(&c.name)));
        finding.verdict(title, claim, Holds::all(holds), evidence.collect::<Vec<_>>().join("; "));
        Ok(())
    },
};

/// The largest difference to LR at one shot in the paper, in points, by setting. It calls all of its classifiers
/// comparable, so that this much is comparable.
const APART: [(&str, f64); 2] = [("Tran.", 0.94), ("Semi.", 3.18)];

/// The limit for a comparison, whose name has the setting.
fn limit(comparison: &str) -> f64 {
    APART.iter().find(|(setting, _)| comparison.contains(setting)).map_or(0.0, |(_, points)| *points)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_limits_are_the_papers_largest_differences() {
        let [others @ .., (_, lr)] = &CLASSIFIERS;
        for ((_, limit), cell) in APART.into_iter().zip([0, 2]) {
            let apart = others.iter().map(|(_, row)| (lr[cell].0 - row[cell].0).abs());
            assert!((apart.fold(0.0, f64::max) - limit).abs() < 1e-9);
        }
    }
}
