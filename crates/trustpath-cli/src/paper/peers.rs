//! Methods that label a pool at once next to ICI, on balanced and imbalanced pools.

use trustpath_bench::SelfTrainingSpec;
use trustpath_bench::transductive::TransductiveKind::{Adaptive, AlphaTim, Ilpc, Laplace, LaplacianShot, Plain, Tim};
use trustpath_bench::{BenchMethod, EpisodeShape, Finished, Queries, last_of};
use trustpath_report::{Scatter, ScatterGroup, ScatterPoint};

use super::frame::*;
use crate::run::Speed;

pub const TARGET: PaperTarget = PaperTarget {
    name: "peers",
    about: "Other methods on balanced and imbalanced pools",
    heading: "Peers",
    paper: "ICI is compared with methods on other features; here all methods use the same features and the same episodes. \
            The paper has balanced pools only.",
    find,
};

const BALANCED: Queries = Queries::PerClass(15);
const IMBALANCED: Queries = Queries::Dirichlet { total: 75, alpha: 2.0 };
/// The cells, by pool and shots.
const CELLS: [(&str, Queries, usize); 4] = [
    ("Balanced", BALANCED, 1),
    ("Balanced", BALANCED, 5),
    ("Dirichlet(2)", IMBALANCED, 1),
    ("Dirichlet(2)", IMBALANCED, 5),
];
/// Cells of one shot: balanced and imbalanced.
const ONE_SHOT: [usize; 2] = [0, 2];
/// The factor by which the episodes of slow methods are reduced.
const THINNED: usize = 10;

/// A method in every cell.
struct PeerRuns {
    method: BenchMethod,
    runs: Vec<Vec<Finished>>,
    /// In the first cell: one shot, balanced.
    speed: Speed,
}

impl PeerRuns {
    fn scores(&self, cell: usize) -> Vec<f64> {
        self.runs[cell].iter().map(last_of).collect()
    }

    /// Its group in the figures, each of which has a colour.
    fn group(&self) -> &'static str {
        match &self.method {
            BenchMethod::SelfTraining(_) => "rounds of selection",
            BenchMethod::Label(_) => "label",
            BenchMethod::Transductive(Adaptive) => "adaptive",
            BenchMethod::Transductive(Plain) => "labelled instances alone",
            BenchMethod::Transductive(LaplacianShot | Laplace | Ilpc) => "graph of the pool",
            _ => "prototypes",
        }
    }
}

fn find(lab: &Lab, finding: &mut Finding) -> Result<()> {
    for dataset in &lab.datasets {
        let peers = run(lab, dataset)?;
        let title = dataset.title();
        let adaptive = BenchMethod::Transductive(Adaptive);
        let reference = peers.iter().find(|peer| peer.method == adaptive);
        let mut columns = Columns::default().names("Method", peers.iter().map(|peer| peer.method.to_string()));
        for (cell, (pool, _, shot)) in CELLS.into_iter().enumerate() {
            let accuracies = estimates(peers.iter().map(|peer| peer.scores(cell)))?;
            columns.accuracies(format!("{pool} {shot}-shot"), &accuracies);
            if let Some(reference) = reference {
                let ours = reference.scores(cell);
                let paired = |peer: &PeerRuns| -> Result<String> {
                    let is_other = peer.method != reference.method;
                    let difference = is_other.then(|| difference(&peer.scores(cell), &ours)).transpose()?;
                    Ok(difference.as_ref().map(points).unwrap_or_default())
                };
                columns.numbers("to adaptive", peers.iter().map(paired).collect::<Result<Vec<_>>>()?);
            }
        }
        columns.numbers("ms per episode", peers.iter().map(|peer| format!("{:.2}", peer.speed.milliseconds())));
        columns.numbers("episodes", peers.iter().map(|peer| peer.runs[0].len().to_string()));
        finding.table(
            format!(
                "Accuracy in % on {title}, 5-way transductive, 75 queries; time is that of the processor for an episode at one \
                 shot, and \"to adaptive\" the paired difference on the same episodes. TIM-GD, alpha-TIM and iLPC are slow and run on fewer episodes: bold is the best over all \
                 episodes."
            ),
            columns.table()?,
        );
        let by_time = |peer: &PeerRuns, [balanced, imbalanced]: [f64; 2]| {
            (peer.speed.milliseconds(), 50.0 * (balanced + imbalanced))
        };
        let figure = Scatter {
            title: format!("Accuracy against time on {title}"),
            subtitle: "5-way 1-shot transductive; the mean over balanced and Dirichlet(2) pools".into(),
            x: Axis::new("Processor time per episode").unit("ms").log(),
            y: Axis::new("Accuracy").unit("%"),
            groups: scatter(&peers, by_time)?,
            diagonal: false,
        };
        finding.figure(format!("peers-time-{}", dataset.name), figure.figure()?);
        let figure = Scatter {
            title: format!("Balanced against imbalanced pools on {title}"),
            subtitle: "5-way 1-shot transductive; on the dashed line imbalance costs nothing".into(),
            x: Axis::new("Accuracy on balanced pools").unit("%"),
            y: Axis::new("Accuracy on Dirichlet(2) pools").unit("%"),
            groups: scatter(&peers, |_, [balanced, imbalanced]| (100.0 * balanced, 100.0 * imbalanced))?,
            diagonal: true,
        };
        finding.figure(format!("peers-balance-{}", dataset.name), figure.figure()?);
        let named = |name: &str| peers.iter().find(|peer| peer.method.to_string() == name);
        if let (Some(icir), Some(plain)) = (named("icir"), named("plain")) {
            let compare = |(cell, (pool, _, shot)): (usize, (&str, Queries, usize))| {
                let name = format!("ICIR − LR {shot}-shot {pool}");
                Comparison::between(name, &icir.scores(cell), &plain.scores(cell))
            };
            let comparisons = CELLS.into_iter().enumerate().map(compare).collect::<Result<Vec<_>>>()?;
            let claim = "ICIR improves on the plain classifier, also where the pool is imbalanced";
            finding.larger(&title, claim, &comparisons);
        }
    }
    Ok(())
}

fn run(lab: &Lab, dataset: &PaperDataset) -> Result<Vec<PeerRuns>> {
    let mut methods = BenchMethod::all(&SelfTrainingSpec::default());
    let asked = &lab.args.methods;
    methods.retain(|method| asked.is_empty() || asked.contains(&method.to_string()));
    let table = dataset.table(Split::Novel);
    let mut peers = Vec::new();
    for method in methods {
        let slow = matches!(method, BenchMethod::Transductive(Tim | AlphaTim | Ilpc));
        let asked = lab.episodes();
        let count = (asked / if slow { THINNED } else { 1 }).max(50).min(asked);
        let (mut runs, mut speed) = (Vec::new(), None);
        for (pool, queries, shot) in CELLS {
            let task = EpisodeShape { shot, queries, ..EpisodeShape::default() };
            let name = format!("{} {shot}-shot {pool} {method}", dataset.name);
            let run = lab.evaluate(&name, table, task, &method, count)?;
            lab.say_speed(&name, &run.speed);
            runs.push(run.finished);
            speed.get_or_insert(run.speed);
        }
        peers.extend(speed.map(|speed| PeerRuns { method, runs, speed }));
    }
    Ok(peers)
}

/// A point for each method, from its accuracies on balanced and imbalanced pools at one shot.
fn scatter(peers: &[PeerRuns], place: impl Fn(&PeerRuns, [f64; 2]) -> (f64, f64)) -> Result<Vec<ScatterGroup>> {
    let mut groups: Vec<ScatterGroup> = Vec::new();
    for peer in peers {
        let accuracies = estimates(ONE_SHOT.map(|cell| peer.scores(cell)))?;
        let (x, y) = place(peer, [accuracies[0].mean, accuracies[1].mean]);
        let label = peer.method.to_string();
        let point = ScatterPoint { label, x, y };
        let name = peer.group();
        match groups.iter_mut().find(|group| group.name == name) {
            Some(group) => group.points.push(point),
            None => groups.push(ScatterGroup { name: name.into(), points: vec![point] }),
        }
    }
    Ok(groups)
}
