//! Synthetic reports of realistic shape.

use trustpath_report::label_page::{
    LabelReport, ReportInstance, ReportKind, ReportLine, ReportPath, ReportRound, ReportVerdict as Verdict, Thumbnail,
};

/// Uniform in 0..1; the same seed always gives the same number.
fn noise(seed: usize) -> f64 {
    let x = (seed as u64).wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let x = (x ^ (x >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    ((x ^ (x >> 32)) >> 11) as f64 / (1u64 << 53) as f64
}

/// `n` instances around the centres of `classes` classes, a fifth of them doubtful.
pub fn label(n: usize, classes: usize) -> LabelReport {
    let center = |c: usize| {
        let angle = c as f64 * 2.399_963;
        [angle.cos(), angle.sin()].map(|v| v * (3.0 + 5.0 * (c as f64).sqrt()))
    };
    let instance = |i: usize| {
        let class = i % classes;
        let doubt = noise(7 * i);
        let verdict = match i / classes {
            0..3 => Verdict::Given,
            _ if doubt > 0.97 => Verdict::NoneOfThese,
            _ if doubt > 0.8 => Verdict::Doubtful,
            _ => Verdict::Trusted,
        };
        let credibility = (1.0 - doubt * (0.7 + 0.3 * noise(11 * i))).clamp(0.0, 1.0);
        let spread = 0.8 + 3.0 * doubt * doubt;
        let offset = |k: usize| spread * ([31, 37, 41].map(|p| noise(i * p + k)).iter().sum::<f64>() - 1.5);
        ReportInstance {
            id: format!("shots/2024/{i:05}.png"),
            label: class,
            rival: Some((class + 1 + i % 2) % classes),
            probability: 1.0 - 0.6 * doubt,
            credibility,
            round: (verdict == Verdict::Trusted).then(|| 1 + (doubt * 8.0) as usize),
            verdict,
            reason: format!("4 of the 5 nearest labelled instances are \"class {class}\""),
            position: [0, 1].map(|k| (center(class)[k] + offset(k)) as f32),
            neighbours: (0..3).map(|k| (class + k * classes).min(n - 1)).collect(),
            ..ReportInstance::default()
        }
    };
    let mut instances: Vec<ReportInstance> = (0..n).map(instance).collect();
    let doubtful = instances.iter_mut().filter(|i| i.verdict == Verdict::Doubtful);
    doubtful.take(10).enumerate().for_each(|(k, i)| i.suggested = Some(k + 1));

    let lambda: Vec<f64> = (0..100).map(|k| 0.9 * 0.001f64.powf(f64::from(k) / 99.0)).collect();
    let line = |(i, instance): (usize, &ReportInstance)| {
        let vanish = 0.05 + 0.85 * (1.0 - instance.credibility);
        let norm = |l: &f64| ((vanish - l).max(0.0) * (1.0 + 0.4 * noise(i))) as f32;
        ReportLine { instance: i, norms: lambda.iter().map(norm).collect() }
    };
    let lines = instances.iter().enumerate().map(line).collect();
    let last = instances.iter().filter_map(|i| i.round).max().unwrap_or(0);
    let rounds = (1..=last).map(|r| {
        let mut accepted = vec![0; classes];
        instances.iter().filter(|i| i.round == Some(r)).for_each(|i| accepted[i.label] += 1);
        ReportRound { accepted, changed: n / (20 * r) }
    });
    LabelReport {
        title: "Labels for embeddings.npy".into(),
        subtitle: format!("{n} instances, {classes} classes"),
        facts: vec![
            ("estimated precision of the trusted labels".into(), "96.2 %".into()),
            ("time".into(), "3.1 s".into()),
        ],
        notes: vec!["Two classes have few labels: their precision is uncertain.".into()],
        classes: (0..classes).map(|c| format!("class {c}")).collect(),
        rounds: rounds.collect(),
        path: Some(ReportPath { lambda: lambda.clone(), lines }),
        instances,
        ..LabelReport::default()
    }
}

/// Given labels, some of them suspect.
pub fn audit(n: usize, classes: usize) -> LabelReport {
    let mut report = label(n, classes);
    report.kind = ReportKind::Audit;
    report.title = "Audit of labels.csv".into();
    report.rounds.clear();
    for (i, instance) in report.instances.iter_mut().enumerate() {
        let suspect = instance.verdict == Verdict::Doubtful;
        instance.verdict = if suspect { Verdict::Suspect } else { Verdict::Fits };
        let shift = if suspect { 1 + i % (classes - 1) } else { 0 };
        instance.given = Some((instance.label + shift) % classes);
        (instance.round, instance.suggested) = (None, None);
    }
    report
}

/// Uses such texts for everything that has a name.
pub fn rename(report: &mut LabelReport, texts: &[&str]) {
    let text = |i: usize| texts[i % texts.len()].to_owned();
    (report.title, report.subtitle) = (text(0), text(1));
    (report.facts, report.notes) = (vec![(text(2), text(0))], vec![text(1)]);
    report.classes.iter_mut().enumerate().for_each(|(i, class)| *class = text(i));
    for (i, instance) in report.instances.iter_mut().enumerate() {
        (instance.id, instance.reason) = (format!("{i} {}", text(i)), text(i + 1));
    }
}

/// An image of one colour: a GIF of one pixel.
pub fn image(red: u8, green: u8, blue: u8) -> Thumbnail {
    let mut bytes = b"GIF89a\x01\0\x01\0\x80\0\0".to_vec();
    bytes.extend([red, green, blue, 0, 0, 0]);
    bytes.extend(b",\0\0\0\0\x01\0\x01\0\0\x02\x02D\x01\0;");
    Thumbnail { bytes, mime: "image/gif".into() }
}
