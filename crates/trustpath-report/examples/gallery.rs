//! Draws every kind of figure from synthetic data and combines them into one report, with two interactive label pages.
//!
//! `cargo run -p trustpath-report --example gallery -- FOLDER` writes `gallery.html`, `gallery.md`, `label.html`,
//! `audit.html` and `figures/*.svg|png` to FOLDER.

#[path = "../tests/all/sample.rs"]
mod sample;

use std::path::PathBuf;
use trustpath_report::label_page::ReportVerdict;
use trustpath_report::*;

/// Nearly normal: the sum of twelve uniform numbers, centred.
fn normal(seed: usize) -> f64 {
    (0..12).map(|k| sample::noise(12 * seed + k)).sum::<f64>() - 6.0
}

fn path(log: bool) -> PathPlot {
    let report = sample::label(100, 5);
    let path = report.path.unwrap_or_default();
    let line = |line: &label_page::ReportLine| {
        let instance = &report.instances[line.instance];
        let correct = !matches!(instance.verdict, ReportVerdict::Doubtful | ReportVerdict::NoneOfThese);
        let norms = line.norms.iter().map(|norm| f64::from(*norm)).collect();
        PathLine { norms, correct, accepted: !log && instance.round == Some(1) }
    };
    PathPlot {
        title: "Wrong pseudo-labels need their own parameter for longer".into(),
        subtitle: "Each line is one instance; lines that reach zero further left are more trustworthy".into(),
        x: if log { Axis::new("λ").log() } else { Axis::new("λ") },
        lines: path.lines.iter().map(line).collect(),
        lambdas: path.lambda,
        ..PathPlot::default()
    }
}

fn iterations(interval: Interval) -> Curves {
    let curve = |(step, top): (usize, f64)| {
        let point = |k: usize| {
            let n = (k * step) as f64;
            let y = 78.3 + (top - 78.3) * (1.0 - (-n / 4.0).exp()) + 0.1 * normal(k + step);
            CurvePoint { x: n, y, error: 0.42 + 0.01 * n }
        };
        Curve { name: format!("ICI ({step})"), points: (0..=15 / step).map(point).collect() }
    };
    Curves {
        title: "Selecting a few instances at a time is better than all at once".into(),
        subtitle: "5-way 1-shot, CIFAR-FS, 2000 episodes; intervals are 95%".into(),
        x: Axis::new("Selected instances per class").whole(),
        y: Axis::new("Accuracy").unit("%"),
        curves: [(1, 84.6), (3, 84.2), (5, 83.8), (15, 82.1)].map(curve).to_vec(),
        interval,
    }
}

fn errors() -> Histogram {
    let values: Vec<f64> = (0..20_000).map(|i| 0.18 * normal(i)).collect();
    let deviation = (values.iter().map(|v| v * v).sum::<f64>() / values.len() as f64).sqrt();
    let bell = |x: f64| (-0.5 * (x / deviation).powi(2)).exp() / (deviation * 2.5066);
    let points = (-100..=100).map(|i| i as f64 / 125.0).map(|x| (x, bell(x))).collect();
    Histogram {
        title: "The noise is close to normal".into(),
        subtitle: "Residuals of 20,000 instances with a correct pseudo-label".into(),
        x: Axis::new("Residual"),
        name: "instances".into(),
        bins: Bins::of(&values),
        density: Some(Density { name: format!("normal with σ = {deviation:.2}"), points }),
        ..Histogram::default()
    }
}

fn improvement() -> Bars {
    let series = |name: &str, values: [f64; 5], error: f64| BarSeries {
        name: name.into(),
        bars: values.map(|value| Bar { value, error }).to_vec(),
    };
    Bars {
        title: "Improvement by initial accuracy".into(),
        subtitle: "CIFAR-FS, 2000 episodes, grouped by the accuracy of the first classifier (%)".into(),
        y: Axis::new("Improvement").unit("percentage points"),
        groups: [50, 60, 70, 80, 90].map(|low| format!("{low} to {}", low + 10)).to_vec(),
        series: vec![
            series("1-shot", [4.1, 6.9, 7.8, 4.4, -0.6], 0.7),
            series("5-shot", [f64::NAN, 3.2, 3.9, 2.1, 0.3], 0.4),
        ],
        decimals: Some(1),
    }
}

fn balance() -> Scatter {
    let group = |name: &str, points: &[(&str, f64, f64)]| {
        let point =
            |&(label, x, y): &(&str, f64, f64)| ScatterPoint { label: label.into(), x, y, x_error: 0.5, y_error: 0.7 };
        ScatterGroup { name: name.into(), points: points.iter().map(point).collect() }
    };
    Scatter {
        title: "Balanced against imbalanced queries".into(),
        subtitle: "Methods below the dashed line lose accuracy on imbalanced queries".into(),
        x: Axis::new("Accuracy, balanced").unit("%"),
        y: Axis::new("Accuracy, imbalanced").unit("%").log(),
        groups: vec![
            group("this program", &[("LR", 78.2, 78.0), ("ICI-R", 84.1, 79.0)]),
            group("others", &[("PT-MAP", 85.4, 67.5), ("α-TIM", 83.0, 80.2), ("TIM", 83.4, 79.9)]),
        ],
        diagonal: true,
    }
}

/// A coloured disc that stands for a photograph.
fn image(seed: usize, class: usize) -> Result<Image> {
    let between = |k: usize, low: f64, high: f64| low + (high - low) * sample::noise(4 * seed + k);
    let (cx, cy, r) = (between(0, 20.0, 64.0), between(1, 20.0, 64.0), between(2, 12.0, 26.0));
    let sky = between(3, 150.0, 240.0);
    let colors = [[200, 90, 60], [70, 140, 200], [90, 170, 80], [210, 170, 60], [150, 100, 180]];
    let pixel = |i: usize| {
        let (x, y) = ((i % 84) as f64, (i / 84) as f64);
        let inside = (x - cx).hypot(y - cy) < r;
        if inside { colors[class % 5] } else { [(sky - 0.8 * y) as u8; 3] }
    };
    Image::new(84, 84, (0..84 * 84).flat_map(pixel).collect())
}

fn images(count: usize, class: usize) -> Result<Vec<Image>> {
    (0..count).map(|i| image(100 * class + i, class)).collect()
}

fn episode(with_images: bool) -> Result<EpisodeGrid> {
    let counts = [[(5, 0), (5, 0), (4, 1)], [(5, 0), (4, 1), (4, 1)], [(4, 0), (4, 1), (2, 3)]];
    let selected = |count: usize, class: usize| {
        if with_images { images(count, class).map(Selected::Images) } else { Ok(Selected::Count(count)) }
    };
    let mut rounds = Vec::new();
    for (r, round) in counts.iter().enumerate() {
        let cell = |(class, &(right, wrong)): (usize, &(usize, usize))| {
            let note = format!("{} %", 80 + 3 * r + class);
            Ok(EpisodeCell { right: selected(right, class)?, wrong: selected(wrong, class + 2)?, note })
        };
        let cells = round.iter().enumerate().map(cell).collect::<Result<_>>()?;
        let note = format!("{:.1} %", 82.7 + 1.3 * r as f64);
        rounds.push(EpisodeRound { name: format!("Round {}", r + 1), note, cells });
    }
    Ok(EpisodeGrid {
        title: "New instances per round and class".into(),
        subtitle: "One 1-shot episode of CUB; accuracies on all queries after the round".into(),
        classes: vec!["Painted Bunting".into(), "Cape Starling".into(), "Least Tern".into()],
        rounds,
    })
}

fn contact_sheet() -> Result<ContactSheet> {
    let row = |class: usize| -> Result<ContactRow> {
        let (name, note) = (format!("class {class}"), format!("{} images", 4 + 2 * class));
        Ok(ContactRow { name, note, images: images(4 + 2 * class, class)? })
    };
    let rows = (0..4).map(row).collect::<Result<_>>()?;
    Ok(ContactSheet { title: "Images of each class".into(), subtitle: String::new(), rows })
}

fn table() -> Result<Table> {
    let columns = ["CIFAR-FS 1-shot (%)", "CIFAR-FS 5-shot (%)", "Time (ms)"].map(Column::right);
    let mut table = Table::new([vec![Column::left("Method")], columns.to_vec()].concat());
    table.push(["logistic regression", "78.31 ± 0.52", "88.20 ± 0.35", "0.4"])?;
    table.push(["ICI-C", "83.10 ± 0.60", "89.40 ± 0.36", "6.0"])?;
    table.push(["ICI-R", "84.07 ± 0.60", "89.90 ± 0.36", "1.3"])?;
    (1..=2).for_each(|accuracy| table.bold_best(accuracy, Best::Highest));
    table.bold_best(3, Best::Lowest);
    Ok(table)
}

fn main() -> std::result::Result<(), Box<dyn std::error::Error>> {
    let folder = PathBuf::from(std::env::args().nth(1).ok_or("give a folder to write to")?);
    let figures = [
        ("path", path(false).figure()?),
        ("path-log", path(true).figure()?),
        ("curves-bands", iterations(Interval::Band).figure()?),
        ("curves-bars", iterations(Interval::Bars).figure()?),
        ("histogram", errors().figure()?),
        ("bars", improvement().figure()?),
        ("scatter", balance().figure()?),
        ("episode", episode(false)?.figure()?),
        ("episode-images", episode(true)?.figure()?),
        ("contact-sheet", contact_sheet()?.figure()?),
    ];
    let section = |(name, figure): (&str, Figure)| DocumentSection {
        heading: figure.title().to_owned(),
        blocks: vec![DocumentBlock::Figure { name: name.into(), caption: String::new(), figure }],
    };
    let table = table()?;
    print!("{}", table.text());
    let document = Document {
        title: "Gallery".into(),
        lead: vec![
            DocumentBlock::Paragraph("Every kind of figure, drawn from synthetic data.".into()),
            DocumentBlock::Table { caption: "Accuracy and time (synthetic)".into(), table },
            DocumentBlock::Code("cargo run -p trustpath-report --example gallery -- FOLDER".into()),
        ],
        sections: figures.into_iter().map(section).collect(),
    };
    document.write(&folder, "gallery")?;
    std::fs::write(folder.join("label.html"), sample::label(400, 8).html()?)?;
    std::fs::write(folder.join("audit.html"), sample::audit(400, 12).html()?)?;
    println!("wrote gallery.html, label.html and audit.html to {}", folder.display());
    Ok(())
}
