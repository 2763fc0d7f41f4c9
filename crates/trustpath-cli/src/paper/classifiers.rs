//! ICI with other classifiers.

use trustpath::classify::Method;

use super::ablation::{self, CELLS, Variant, cell_name};
use super::error::Result;
use super::finding::Finding;
use super::lab::{Lab, difference};
use super::published::CLASSIFIERS;
use super::verdict::{Comparison, Verdict};

const KINDS: [(&str, Method); 3] =
    [("kNN", Method::Nearest), ("SVM", Method::Svm), ("LR", Method::Logistic)];

/// Compares them.
pub fn find(lab: &Lab) -> Result<Finding> {
    let mut finding = Finding::new(
        "Classifiers",
        "ICI works with any classifier: at 1 shot nearest neighbours (kNN), a linear support vector machine (SVM) and \
         logistic regression (LR) are comparable, at 5 shots LR is better than the other two.",
    );
    for dataset in &lab.datasets {
        let mut variants = Vec::new();
        for (name, classifier) in KINDS {
            variants.push(Variant::run(lab, dataset, name, usize::MAX, |experiment| {
                experiment.with(|m| m.classifier = classifier)
            })?);
        }
        let title = dataset.title();
        finding.table(
            format!(
                "Accuracy in % of ICIR by classifier on {title}, beside the paper's on miniImageNet."
            ),
            ablation::table(&variants, &CLASSIFIERS)?,
        );
        let caption = format!("What ICIR adds to each classifier on {title}");
        finding
            .figure(format!("classifiers-{}", dataset.name), ablation::figure(caption, &variants)?);
        let (mut gains, mut five) = (Vec::new(), Vec::new());
        let [others @ .., lr] = &variants[..] else { continue };
        for (i, cell) in CELLS.into_iter().enumerate() {
            for variant in &variants {
                let name = format!("ICIR − plain {} {}", variant.name, cell_name(cell));
                gains.push(Comparison::new(name, variant.runs[i].gain()?));
            }
            for other in others.iter().filter(|_| cell.1 == 5) {
                five.push(Comparison::new(
                    format!("LR − {} {}", other.name, cell_name(cell)),
                    difference(&lr.accuracy(i), &other.accuracy(i))?,
                ));
            }
        }
        finding.verdicts.extend([
            Verdict::all_larger(&title, "ICI improves every classifier", &gains),
            Verdict::all_larger(&title, "LR is better than kNN and SVM at 5 shots", &five),
        ]);
    }
    Ok(finding)
}
