//! Methods that label a pool at once beside ICI, on balanced and imbalanced pools.

use trustpath::transductive;
use trustpath_episodes::stats::Estimate;
use trustpath_episodes::{Approach, EpisodeShape, Finished, Method, Queries, Split};
use trustpath_report::{Axis, Best, Column, Figure, Scatter, ScatterGroup, ScatterPoint, Table};

use super::dataset::Dataset;
use super::error::Result;
use super::finding::Finding;
use super::lab::{Lab, difference};
use super::verdict::{Comparison, Verdict};
use crate::bench::median;
use trustpath_episodes::last_of;

const BALANCED: Queries = Queries::PerClass(15);
const IMBALANCED: Queries = Queries::Dirichlet { total: 75, alpha: 2.0 };
/// The cells, by pool and shots.
const CELLS: [(&str, Queries, usize); 4] = [
    ("Balanced", BALANCED, 1),
    ("Balanced", BALANCED, 5),
    ("Dirichlet(2)", IMBALANCED, 1),
    ("Dirichlet(2)", IMBALANCED, 5),
];
/// By how much the episodes of slow methods are fewer.
const THINNED: usize = 10;

/// A method in every cell.
struct Peer {
    approach: Approach,
    runs: Vec<Vec<Finished>>,
}

impl Peer {
    fn scores(&self, cell: usize) -> Vec<f64> {
        self.runs[cell].iter().map(last_of).collect()
    }

    fn accuracy(&self, cell: usize) -> Result<Estimate> {
        Ok(Estimate::of(&self.scores(cell))?)
    }

    /// Of one episode at one shot, on one thread.
    fn milliseconds(&self) -> f64 {
        1e3 * median(self.runs[0].iter().map(|episode| episode.seconds).collect())
    }
}

/// Compares the methods.
pub fn find(lab: &Lab) -> Result<Finding> {
    let mut finding = Finding::new(
        "Peers",
        "ICI is compared with methods on other features; here all methods see the same features and the same episodes. \
         The paper has balanced pools only.",
    );
    for dataset in &lab.datasets {
        let peers = run(lab, dataset)?;
        let title = dataset.title();
        finding.table(
            format!(
                "Accuracy in % on {title}, 5-way transductive, 75 queries; time is the median of an episode at one shot \
                 on one thread. TIM-GD and alpha-TIM are slow and run on fewer episodes."
            ),
            table(&peers)?,
        );
        finding.figure(format!("peers-time-{}", dataset.name), against_time(&title, &peers)?);
        finding.figure(format!("peers-balance-{}", dataset.name), by_balance(&title, &peers)?);
        finding.verdicts.extend(verdict(&title, &peers)?);
    }
    Ok(finding)
}

fn run(lab: &Lab, dataset: &Dataset) -> Result<Vec<Peer>> {
    let mut approaches = Approach::all(&Method::default());
    approaches.retain(|a| lab.methods.is_empty() || lab.methods.contains(&a.to_string()));
    let table = dataset.table(Split::Novel);
    let mut peers = Vec::new();
    for approach in approaches {
        let thinned = if is_slow(&approach) { THINNED } else { 1 };
        let count = (lab.episodes / thinned).max(50).min(lab.episodes);
        let mut runs = Vec::new();
        for (pool, queries, shot) in CELLS {
            let task = EpisodeShape { shot, queries, ..EpisodeShape::default() };
            let name = format!("{} {shot}-shot {pool} {approach}", dataset.name);
            let watcher = lab.watcher(&name, count);
            runs.push(lab.evaluate(table, task, approach.clone(), count, watcher)?);
        }
        peers.push(Peer { approach, runs });
    }
    Ok(peers)
}

fn is_slow(approach: &Approach) -> bool {
    use transductive::Method::{AlphaTim, Tim};
    matches!(approach, Approach::Transductive { name: Tim | AlphaTim })
}

fn table(peers: &[Peer]) -> Result<Table> {
    let mut heads = vec![Column::left("Method")];
    heads.extend(CELLS.map(|(pool, _, shot)| Column::right(format!("{pool} {shot}-shot"))));
    heads.extend(["ms an episode", "episodes"].map(Column::right));
    let mut table = Table::new(heads);
    for peer in peers {
        let mut cells = vec![peer.approach.to_string()];
        for cell in 0..CELLS.len() {
            cells.push(peer.accuracy(cell)?.percent());
        }
        cells.push(format!("{:.2}", peer.milliseconds()));
        cells.push(peer.runs[0].len().to_string());
        table.push(cells)?;
    }
    for column in 1..=CELLS.len() {
        table.bold_best(column, Best::Highest);
    }
    Ok(table)
}

/// The kinds of methods, each with a colour of its own.
fn kind(approach: &Approach) -> &'static str {
    use transductive::Method::{Adaptive, LabelPropagation, LabelSpreading, LaplacianShot, Plain};
    match approach {
        Approach::SelfTaught(_) => "rounds of selection",
        Approach::Transductive { name: Adaptive } => "adaptive",
        Approach::Transductive { name: Plain } => "labelled instances alone",
        Approach::Transductive { name: LabelPropagation | LabelSpreading | LaplacianShot } => {
            "graph of the pool"
        }
        Approach::Transductive { .. } => "prototypes",
    }
}

fn groups(
    peers: &[Peer],
    point: impl Fn(&Peer) -> Result<ScatterPoint>,
) -> Result<Vec<ScatterGroup>> {
    let mut groups: Vec<ScatterGroup> = Vec::new();
    for peer in peers {
        let (name, point) = (kind(&peer.approach), point(peer)?);
        match groups.iter_mut().find(|group| group.name == name) {
            Some(group) => group.points.push(point),
            None => groups.push(ScatterGroup { name: name.into(), points: vec![point] }),
        }
    }
    Ok(groups)
}

fn against_time(title: &str, peers: &[Peer]) -> Result<Figure> {
    let point = |peer: &Peer| {
        let both = [peer.accuracy(0)?, peer.accuracy(2)?];
        Ok(ScatterPoint {
            label: peer.approach.to_string(),
            x: peer.milliseconds(),
            y: 50.0 * (both[0].mean + both[1].mean),
            ..ScatterPoint::default()
        })
    };
    let scatter = Scatter {
        title: format!("Accuracy against time on {title}"),
        subtitle: "5-way 1-shot transductive; the mean over balanced and Dirichlet(2) pools".into(),
        x: Axis::new("Time of an episode on one thread").unit("ms").log(),
        y: Axis::new("Accuracy").unit("%"),
        groups: groups(peers, point)?,
        diagonal: false,
    };
    Ok(scatter.figure()?)
}

fn by_balance(title: &str, peers: &[Peer]) -> Result<Figure> {
    let point = |peer: &Peer| {
        let (x, y) = (peer.accuracy(0)?, peer.accuracy(2)?);
        Ok(ScatterPoint {
            label: peer.approach.to_string(),
            x: 100.0 * x.mean,
            y: 100.0 * y.mean,
            ..ScatterPoint::default()
        })
    };
    let scatter = Scatter {
        title: format!("Balanced against imbalanced pools on {title}"),
        subtitle: "5-way 1-shot transductive; on the dashed line imbalance costs nothing".into(),
        x: Axis::new("Accuracy on balanced pools").unit("%"),
        y: Axis::new("Accuracy on Dirichlet(2) pools").unit("%"),
        groups: groups(peers, point)?,
        diagonal: true,
    };
    Ok(scatter.figure()?)
}

fn verdict(title: &str, peers: &[Peer]) -> Result<Option<Verdict>> {
    let named = |name: &str| peers.iter().find(|peer| peer.approach.to_string() == name);
    let (Some(icir), Some(plain)) = (named("icir"), named("plain")) else { return Ok(None) };
    let mut comparisons = Vec::new();
    for (cell, (pool, _, shot)) in CELLS.into_iter().enumerate() {
        let name = format!("ICIR − LR {shot}-shot {pool}");
        let difference = difference(&icir.scores(cell), &plain.scores(cell))?;
        comparisons.push(Comparison::new(name, difference));
    }
    let claim = "ICIR improves on the plain classifier, also where the pool is imbalanced";
    Ok(Some(Verdict::all_larger(title, claim, &comparisons)))
}
