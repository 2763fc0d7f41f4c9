//! Draws every kind of figure from synthetic data and combines them into one report, with two interactive label pages.
//!
//! `cargo run -p trustpath-report --example gallery -- FOLDER` writes `gallery.html`, `gallery.md`, `label.html`,
//! `audit.html` and `figures/*.svg|png` to FOLDER.

#[allow(dead_code)]
#[path = "../tests/all/sample.rs"]
mod sample;

use std::path::PathBuf;
use trustpath_report::*;

fn strings<const N: usize>(texts: [&str; N]) -> Vec<String> {
    texts.map(String::from).to_vec()
}

/// A small linear congruential generator, the same on every run.
struct Noise(u64);

impl Noise {
    /// Uniform in 0..1.
    fn uniform(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Nearly normal: the sum of twelve uniforms, centred.
    fn normal(&mut self) -> f64 {
        (0..12).map(|_| self.uniform()).sum::<f64>() - 6.0
    }
}

fn path(log: bool) -> Result<Figure> {
    let mut noise = Noise(3);
    let most: f64 = 0.9;
    let lambdas: Vec<f64> = (0..100)
        .map(|i| if log { most * 0.01f64.powf(i as f64 / 99.0) } else { most * i as f64 / 99.0 })
        .collect();
    let mut lines: Vec<(f64, PathLine)> = (0..75)
        .map(|i| {
            let correct = i % 5 != 0;
            let center = if correct { 0.27 } else { 0.55 };
            let vanish = (center + 0.13 * noise.normal()).clamp(0.04, most);
            let bend = 0.6 + 0.5 * noise.uniform();
            let norm = |l: &f64| (vanish - l).max(0.0) * (1.0 + bend * (1.0 - l / most).powi(2));
            let norms = lambdas.iter().map(norm).collect();
            (vanish, PathLine { norms, correct, accepted: false })
        })
        .collect();
    lines.sort_by(|a, b| a.0.total_cmp(&b.0));
    lines.iter_mut().take(12).for_each(|(_, line)| line.accepted = !log);
    PathPlot {
        title: "Wrong pseudo-labels need their own parameter for longer".into(),
        subtitle: "One 5-way 1-shot episode of CIFAR-FS, first round; ICI trusts the lines that vanish first".into(),
        x: if log { Axis::new("λ").log() } else { Axis::new("λ") },
        lambdas,
        lines: lines.into_iter().map(|(_, line)| line).collect(),
        ..PathPlot::default()
    }
    .figure()
}

fn iterations() -> Result<Figure> {
    let mut noise = Noise(5);
    let mut curve = |step: usize, top: f64| Curve {
        name: format!("ICI ({step})"),
        points: (0..=15 / step)
            .map(|k| {
                let n = (k * step) as f64;
                let y = 78.3 + (top - 78.3) * (1.0 - (-n / 4.0).exp()) + 0.1 * noise.normal();
                CurvePoint { x: n, y, error: 0.42 + 0.01 * n }
            })
            .collect(),
    };
    Curves {
        title: "Selecting a few instances at a time is better than all at once".into(),
        subtitle: "5-way 1-shot, CIFAR-FS, 2000 episodes; bands are 95% intervals".into(),
        x: Axis::new("Selected instances per class").whole(),
        y: Axis::new("Accuracy").unit("%"),
        curves: [(1, 84.6), (3, 84.2), (5, 83.8), (15, 82.1)].map(|(s, t)| curve(s, t)).to_vec(),
        interval: Interval::Band,
    }
    .figure()
}

fn alpha() -> Result<Figure> {
    let mut noise = Noise(6);
    let mut curve = |name: &str, best: f64, top: f64| Curve {
        name: name.into(),
        points: [0.01, 0.05, 0.1, 0.25, 0.5, 1.0, 2.0, 5.0]
            .map(|x: f64| {
                let y = top - 0.9 * (x / best).ln().abs() + 0.1 * noise.normal();
                CurvePoint { x, y, error: 0.5 }
            })
            .to_vec(),
    };
    Curves {
        title: "Validation accuracy by α".into(),
        subtitle: "ICI-C, λ₁ = α λ₂, 2000 episodes; bars are 95% intervals".into(),
        x: Axis::new("α").log(),
        y: Axis::new("Accuracy").unit("%"),
        curves: vec![curve("CIFAR-FS, 1-shot", 0.5, 83.0), curve("CUB, 1-shot", 0.4, 88.1)],
        interval: Interval::Bars,
    }
    .figure()
}

fn errors() -> Result<Figure> {
    let mut noise = Noise(7);
    let values: Vec<f64> = (0..20_000).map(|_| 0.18 * noise.normal()).collect();
    let deviation = (values.iter().map(|v| v * v).sum::<f64>() / values.len() as f64).sqrt();
    let bell = |x: f64| (-0.5 * (x / deviation).powi(2)).exp() / (deviation * 2.5066);
    Histogram {
        title: "The noise is close to normal".into(),
        subtitle: "Residuals of 20,000 instances whose pseudo-label is right".into(),
        x: Axis::new("Residual"),
        name: "instances".into(),
        bins: Bins::of(&values),
        density: Some(Density {
            name: format!("normal with σ = {deviation:.2}"),
            points: (-100..=100).map(|i| i as f64 / 125.0).map(|x| (x, bell(x))).collect(),
        }),
        ..Histogram::default()
    }
    .figure()
}

fn series<const N: usize>(name: &str, bars: [(f64, f64); N]) -> BarSeries {
    let bars = bars.map(|(value, error)| Bar { value, error }).to_vec();
    BarSeries { name: name.into(), bars }
}

fn selectors() -> Result<Figure> {
    Bars {
        title: "Accuracy by dataset and method".into(),
        subtitle: "5-way, transductive, 2000 episodes; error bars are 95% intervals; the axis begins at 60%".into(),
        y: Axis::new("Accuracy").unit("%").range(60.0, 100.0),
        groups: strings(["CIFAR-FS 1-shot", "CIFAR-FS 5-shot", "CUB 1-shot", "CUB 5-shot"]),
        series: vec![
            series("logistic regression", [(78.31, 0.52), (88.2, 0.35), (82.6, 0.49), (92.0, 0.3)]),
            series("ICI-C", [(83.1, 0.6), (89.4, 0.36), (88.0, 0.51), (93.1, 0.3)]),
            series("ICI-R", [(84.07, 0.6), (89.9, 0.36), (89.2, 0.5), (93.4, 0.3)]),
        ],
        decimals: Some(1),
    }
    .figure()
}

fn initial() -> Result<Figure> {
    let [one, five] = [[4.1, 6.9, 7.8, 4.4, -0.6], [f64::NAN, 3.2, 3.9, 2.1, 0.3]];
    Bars {
        title: "Improvement by initial accuracy".into(),
        subtitle: "CIFAR-FS, 2000 episodes; groups of episodes by the accuracy of the first classifier (%)".into(),
        y: Axis::new("Improvement").unit("percentage points"),
        groups: strings(["below 60", "60 to 70", "70 to 80", "80 to 90", "above 90"]),
        series: vec![
            series("1-shot", one.map(|value| (value, 0.7))),
            series("5-shot", five.map(|value| (value, 0.4))),
        ],
        decimals: Some(1),
    }
    .figure()
}

fn point((label, x, y): (&str, f64, f64), x_error: f64, y_error: f64) -> ScatterPoint {
    ScatterPoint { label: label.into(), x, y, x_error, y_error }
}

fn time() -> Result<Figure> {
    let ours = [
        ("LR", 0.4, 78.3),
        ("ICI-R", 1.3, 84.1),
        ("ICI-C", 6.0, 83.4),
        ("ICI-R adaptive", 2.0, 84.9),
    ];
    let others = [
        ("official ICI-R", 410.0, 83.9),
        ("official ICI-C", 2300.0, 83.2),
        ("TIM", 350.0, 83.0),
        ("PT-MAP", 95.0, 85.4),
        ("BD-CSPN", 3.0, 83.8),
    ];
    let group = |name: &str, points: &[(&str, f64, f64)]| ScatterGroup {
        name: name.into(),
        points: points.iter().map(|p| point(*p, 0.0, 0.6)).collect(),
    };
    Scatter {
        title: "Accuracy against time".into(),
        subtitle: "5-way 1-shot, CIFAR-FS; error bars are 95% intervals".into(),
        x: Axis::new("Time per episode").unit("ms").log(),
        y: Axis::new("Accuracy").unit("%"),
        groups: vec![group("this program", &ours), group("other programs", &others)],
        diagonal: false,
    }
    .figure()
}

fn balance() -> Result<Figure> {
    let methods = [
        ("LR", 78.2, 78.0),
        ("ICI-R", 84.1, 79.0),
        ("ICI-R adaptive", 84.9, 81.2),
        ("PT-MAP", 85.4, 67.5),
        ("α-TIM", 83.0, 80.2),
        ("BD-CSPN", 83.8, 77.0),
    ];
    let points = methods.map(|method| point(method, 0.5, 0.7)).to_vec();
    Scatter {
        title: "Balanced against imbalanced queries".into(),
        subtitle:
            "Methods below the dashed line lose accuracy on imbalanced queries (Dirichlet, α = 2)"
                .into(),
        x: Axis::new("Accuracy, balanced").unit("%"),
        y: Axis::new("Accuracy, imbalanced").unit("%"),
        groups: vec![ScatterGroup { name: String::new(), points }],
        diagonal: true,
    }
    .figure()
}

/// A coloured disc that stands for a photograph.
fn thumbnail(noise: &mut Noise, hue: usize) -> Result<Image> {
    let mut between = |low: f64, high: f64| low + (high - low) * noise.uniform();
    let (cx, cy, r) = (between(20.0, 64.0), between(20.0, 64.0), between(12.0, 26.0));
    let tone =
        [[200, 90, 60], [70, 140, 200], [90, 170, 80], [210, 170, 60], [150, 100, 180]][hue % 5];
    let sky = between(150.0, 240.0);
    let mut rgb = Vec::with_capacity(84 * 84 * 3);
    for i in 0..84 * 84 {
        let (x, y) = ((i % 84) as f64, (i / 84) as f64);
        let inside = (x - cx).hypot(y - cy) < r;
        for channel in tone {
            rgb.push(if inside { channel } else { (sky - 0.8 * y) as u8 });
        }
    }
    Image::new(84, 84, rgb)
}

fn episode(images: bool) -> Result<Figure> {
    let mut noise = Noise(11);
    let counts = [
        [(5, 0), (5, 0), (4, 1), (5, 0), (4, 1)],
        [(5, 0), (4, 1), (4, 1), (5, 0), (3, 2)],
        [(4, 0), (4, 1), (2, 3), (3, 1), (2, 2)],
    ];
    let mut rounds = Vec::new();
    for (r, round) in counts.iter().enumerate() {
        let mut cells = Vec::new();
        for (class, (right, wrong)) in round.iter().enumerate() {
            let mut some = |n: usize, shift: usize| -> Result<Selected> {
                if !images {
                    return Ok(Selected::Count(n));
                }
                let images = (0..n).map(|_| thumbnail(&mut noise, class + shift));
                Ok(Selected::Images(images.collect::<Result<_>>()?))
            };
            let note = format!("{} %", 80 + 3 * r + class);
            cells.push(EpisodeCell { right: some(*right, 0)?, wrong: some(*wrong, 2)?, note });
        }
        let note = format!("{:.1} %", 82.7 + 1.3 * r as f64);
        rounds.push(EpisodeRound { name: format!("Round {}", r + 1), note, cells });
    }
    EpisodeGrid {
        title: "New instances per round and class".into(),
        subtitle: "One 5-way 1-shot episode of CUB; accuracies on all queries after the round"
            .into(),
        classes: strings([
            "Painted Bunting",
            "Cape Glossy Starling",
            "Least Tern",
            "Laysan Albatross",
            "Pomarine Jaeger",
        ]),
        rounds,
    }
    .figure()
}

fn table() -> Result<Table> {
    let mut table = Table::new(vec![
        Column::left("Method"),
        Column::right("CIFAR-FS 1-shot (%)"),
        Column::right("CIFAR-FS 5-shot (%)"),
        Column::right("Time (ms)"),
    ]);
    table.push(["logistic regression", "78.31 ± 0.52", "88.20 ± 0.35", "0.4"])?;
    table.push(["ICI-C", "83.10 ± 0.60", "89.40 ± 0.36", "6.0"])?;
    table.push(["ICI-R", "84.07 ± 0.60", "89.90 ± 0.36", "1.3"])?;
    table.bold_best(1, Best::Highest);
    table.bold_best(2, Best::Highest);
    table.bold_best(3, Best::Lowest);
    Ok(table)
}

fn main() -> std::result::Result<(), Box<dyn std::error::Error>> {
    let folder = PathBuf::from(std::env::args().nth(1).ok_or("name a folder to write to")?);
    let figures = [
        ("path", path(false)?),
        ("path-log", path(true)?),
        ("iterations", iterations()?),
        ("alpha", alpha()?),
        ("errors", errors()?),
        ("selectors", selectors()?),
        ("initial", initial()?),
        ("time", time()?),
        ("balance", balance()?),
        ("episode", episode(false)?),
        ("episode-images", episode(true)?),
    ];
    let table = table()?;
    print!("{}", table.text());
    let section = |(name, figure): (&str, Figure)| DocumentSection {
        heading: figure.title().to_owned(),
        blocks: vec![DocumentBlock::Figure { name: name.into(), caption: String::new(), figure }],
    };
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
