//! Made-up reports for tests.

use super::{LabelReport, ReportInstance, ReportLine, ReportPath, ReportRound, Verdict};

/// `n` instances in `classes` classes, with every verdict, a path and two rounds.
pub(super) fn report(n: usize, classes: usize) -> LabelReport {
    let verdicts = [Verdict::Trusted, Verdict::Trusted, Verdict::Doubtful, Verdict::Given];
    let instance = |i: usize| ReportInstance {
        id: format!("picture-{i:05}.png"),
        label: i % classes,
        given: None,
        probability: (i % 100) as f64 / 100.0,
        credibility: (i % 73) as f64 / 73.0,
        round: (i % 4 < 2).then_some(i % 4 + 1),
        verdict: verdicts[i / classes % 4],
        reason: format!(
            "close to \"class {}\" (0.61) and \"class {}\" (0.33)",
            i % classes,
            (i + 1) % classes
        ),
        position: [(i as f32).sin(), (i as f32 * 1.7).cos()],
        suggested: None,
        neighbours: vec![i / 2, i / 3],
        thumbnail: None,
    };
    let lambda: Vec<f64> = (0..60).map(|k| 0.9 * k as f64 / 59.0).collect();
    let norms =
        |i: usize| lambda.iter().map(|l| ((i % 90) as f64 / 100.0 - l).max(0.0) as f32).collect();
    LabelReport {
        title: "Labels".into(),
        classes: (0..classes).map(|c| format!("class {c}")).collect(),
        instances: (0..n).map(instance).collect(),
        path: Some(ReportPath {
            lines: (0..n).map(|i| ReportLine { instance: i, norms: norms(i) }).collect(),
            lambda,
        }),
        rounds: vec![ReportRound { accepted: vec![5; classes], changed: 3 }; 2],
        ..LabelReport::default()
    }
}
