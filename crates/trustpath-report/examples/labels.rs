//! Builds the interactive page from real features, labelled by their nearest class means.
//!
//! `cargo run --release -p trustpath-report --example labels -- cifar-fs 5 5 80 page.html [FOLDER OF IMAGES]`: of so many
//! classes, so many labels each, so many instances in all. The folder holds one subfolder a class, in the order of the rows.

use std::path::Path;
use std::time::Instant;

use trustpath::incidental::{IciRParams, Incidental, Keep};
use trustpath::transductive::{PrototypeParams, Transductive};
use trustpath::{Features, MapParams, Matrix, Task, map_2d};
use trustpath_episodes::{Split, embedded};
use trustpath_report::labelling::{
    LabelReport, ReportInstance, ReportKind, ReportLine, ReportPath, ReportRound, Thumbnail,
    Verdict,
};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [dataset, classes, shots, total, out, folder @ ..] = &arguments[..] else {
        return Err("give: DATASET CLASSES LABELS-A-CLASS INSTANCES PAGE.html [IMAGES]".into());
    };
    let table = embedded::load(dataset, Split::Novel)?;
    let classes = classes.parse::<usize>()?.min(table.class_names().len());
    let (shots, each) = (shots.parse::<usize>()?, total.parse::<usize>()?.div_ceil(classes));

    // Labelled rows first, then the pool, class after class in both.
    let members = &table.members()[..classes];
    let part = |from: usize, to: usize| {
        members.iter().flat_map(move |m| m.iter().skip(from).take(to.saturating_sub(from)).copied())
    };
    let rows: Vec<usize> = part(0, shots).chain(part(shots, each)).collect();
    let labels: Vec<usize> = part(0, shots).map(|row| table.labels()[row]).collect();
    let values = table.gather(&rows);
    let instances = Features::new(&values[..], rows.len(), table.dims())?.normalize()?;
    let task = Task {
        instances: &instances,
        labels: &labels,
        unlabeled: rows.len() - labels.len(),
        classes,
        truth: None,
    };
    let posterior = PrototypeParams { centre: true, sharpness: 30.0 }.check()?.label(&task)?;

    let clock = Instant::now();
    let map = map_2d(&instances, MapParams::default())?;
    println!("map of {} × {}: {:.3} s", rows.len(), table.dims(), clock.elapsed().as_secs_f64());

    let mut all = labels.clone();
    let best = |p: &[f64]| (0..classes).max_by(|a, b| p[*a].total_cmp(&p[*b])).unwrap_or(0);
    all.extend(posterior.unlabeled.iter_rows().map(best));
    let path = IciRParams::default().check()?.path(
        &cosines(instances.unit(), &all, classes),
        &all,
        classes,
        Keep { gamma: true, ..Keep::default() },
    )?;
    let largest = path.vanish.iter().copied().fold(0.0, f64::max);

    let files = folder.first().map(|f| images(Path::new(f))).transpose()?;
    let names = table.class_names();
    let row = |i: usize| {
        let unlabeled = i.checked_sub(labels.len());
        let p = unlabeled.map_or(1.0, |u| posterior.unlabeled[(u, all[i])]);
        let second = unlabeled.map(|u| {
            let other = |c: &usize| *c != all[i];
            let p = |c: &usize| posterior.unlabeled[(u, *c)];
            (0..classes).filter(other).max_by(|a, b| p(a).total_cmp(&p(b))).unwrap_or(0)
        });
        let credibility = 1.0 - path.vanish[i] / largest;
        let verdict = match unlabeled {
            None => Verdict::Given,
            Some(_) if p < 0.25 => Verdict::NoneOfThese,
            Some(_) if credibility > 0.45 => Verdict::Trusted,
            Some(_) => Verdict::Doubtful,
        };
        let near = nearest(instances.unit(), i, labels.len());
        let reason = match second {
            None => "the label was given".into(),
            Some(other) => format!(
                "\"{}\" at {:.2} against \"{}\" at {:.2}; {} of its {} nearest labelled instances are \"{}\"",
                names[all[i]],
                p,
                names[other],
                unlabeled.map_or(0.0, |u| posterior.unlabeled[(u, other)]),
                near.iter().filter(|n| all[**n] == all[i]).count(),
                near.len(),
                names[all[i]]
            ),
        };
        ReportInstance {
            id: format!("{}/{:03}", names[table.labels()[rows[i]]], rows[i] % 600),
            label: all[i],
            given: None,
            probability: p,
            credibility,
            round: (verdict == Verdict::Trusted).then(|| 1 + ((1.0 - credibility) * 12.0) as usize),
            verdict,
            reason,
            position: [map[(i, 0)] as f32, map[(i, 1)] as f32],
            suggested: None,
            neighbours: near,
            thumbnail: files.as_ref().and_then(|f| thumbnail(f.get(rows[i])?)),
        }
    };
    let mut report = LabelReport {
        kind: ReportKind::Label,
        title: format!("Labels for {dataset}"),
        subtitle: format!(
            "{} novel classes, {shots} labels each, {} instances",
            classes,
            rows.len()
        ),
        classes: names[..classes].to_vec(),
        instances: (0..rows.len()).map(row).collect(),
        ..LabelReport::default()
    };
    summarise(&mut report, table.labels(), &rows);
    let norms = path.gamma_norm.as_ref();
    report.path = norms.map(|norms| ReportPath {
        lines: (labels.len()..rows.len())
            .map(|i| ReportLine {
                instance: i,
                norms: (0..path.lambda.len()).map(|k| norms[(k, i)] as f32).collect(),
            })
            .collect(),
        lambda: path.lambda.clone(),
    });
    let clock = Instant::now();
    let page = report.html()?;
    println!("page of {} bytes: {:.3} s", page.len(), clock.elapsed().as_secs_f64());
    std::fs::write(out, page)?;
    Ok(())
}

/// Cosines with the class means: as many coordinates as classes.
fn cosines(x: &Matrix, labels: &[usize], classes: usize) -> Matrix {
    let mut means = Matrix::zeros(classes, x.cols());
    for (i, &label) in labels.iter().enumerate() {
        means.row_mut(label).iter_mut().zip(x.row(i)).for_each(|(m, v)| *m += v);
    }
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    Matrix::from_fn(x.rows(), classes, |i, c| {
        dot(x.row(i), means.row(c)) / dot(means.row(c), means.row(c)).sqrt()
    })
}

/// The five labelled instances nearest to `i`.
fn nearest(x: &Matrix, i: usize, labelled: usize) -> Vec<usize> {
    let distance =
        |j: usize| -> f64 { x.row(i).iter().zip(x.row(j)).map(|(a, b)| (a - b) * (a - b)).sum() };
    let mut all: Vec<(f64, usize)> =
        (0..labelled).filter(|j| *j != i).map(|j| (distance(j), j)).collect();
    all.sort_by(|a, b| a.0.total_cmp(&b.0));
    all.into_iter().take(5).map(|(_, j)| j).collect()
}

fn summarise(report: &mut LabelReport, truth: &[usize], rows: &[usize]) {
    let mut doubtful: Vec<usize> =
        (0..rows.len()).filter(|i| report.instances[*i].verdict == Verdict::Doubtful).collect();
    doubtful.sort_by(|a, b| {
        report.instances[*a].probability.total_cmp(&report.instances[*b].probability)
    });
    for (rank, i) in doubtful.into_iter().take(12).enumerate() {
        report.instances[i].suggested = Some(rank + 1);
    }
    let trusted = || (0..rows.len()).filter(|i| report.instances[*i].verdict == Verdict::Trusted);
    let right = trusted().filter(|i| truth[rows[*i]] == report.instances[*i].label).count();
    let last = report.instances.iter().filter_map(|i| i.round).max().unwrap_or(0);
    report.rounds = (1..=last)
        .map(|r| {
            let mut accepted = vec![0; report.classes.len()];
            let of_round = |i: &&ReportInstance| i.round == Some(r);
            report.instances.iter().filter(of_round).for_each(|i| accepted[i.label] += 1);
            ReportRound { accepted, changed: 0 }
        })
        .collect();
    report.facts = vec![(
        "precision of the trusted, by the true labels".into(),
        format!("{:.1} %", 100.0 * right as f64 / trusted().count().max(1) as f64),
    )];
    report.notes =
        vec!["This page is an example: its labels come from the nearest class mean, its rounds are slices of credibility.".into()];
}

/// All files two folders deep, in order.
fn images(folder: &Path) -> std::io::Result<Vec<std::path::PathBuf>> {
    let sorted = |folder: &Path| -> std::io::Result<Vec<std::path::PathBuf>> {
        let mut inside = std::fs::read_dir(folder)?
            .map(|f| Ok(f?.path()))
            .collect::<std::io::Result<Vec<_>>>()?;
        inside.sort();
        Ok(inside)
    };
    let mut all = Vec::new();
    for class in sorted(folder)? {
        all.extend(sorted(&class)?);
    }
    Ok(all)
}

fn thumbnail(file: &Path) -> Option<Thumbnail> {
    let kind = if file.extension()? == "webp" { "webp" } else { "jpeg" };
    Some(Thumbnail { bytes: std::fs::read(file).ok()?, mime: format!("image/{kind}") })
}
