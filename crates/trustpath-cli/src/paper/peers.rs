//! Methods that label a pool at once next to ICI, on balanced and imbalanced pools.

use trustpath_bench::SelfTrainingSpec;
use trustpath_bench::transductive::TransductiveKind::{Adaptive, AlphaTim, Ilpc, Laplace, LaplacianShot, Plain, Tim};
use trustpath_bench::{EpisodeShape, Finished, Method, Queries, last_of};
use trustpath_report::{Scatter, ScatterGroup, ScatterPoint};

use super::frame::*;
use crate::print;
use crate::run::Speed;

pub const TARGET: Target = Target {
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
struct Peer {
    method: Method,
    runs: Vec<Vec<Finished>>,
    /// In the first cell: one shot, balanced.
    speed: Speed,
}

impl Peer {
    fn scores(&self, cell: usize) -> Vec<f64> {
        self.runs[cell].iter().map(last_of).collect()
    }

    /// Processor time of one episode at one shot.
    fn milliseconds(&self) -> f64 {
        self.speed.milliseconds()
    }

    /// Its group in the figures, each of which has a colour.
    fn group(&self) -> &'static str {
        match &self.method {
            Method::SelfTraining(_) => "rounds of selection",
            Method::Label(_) => "label",
            Method::Transductive(Adaptive) => "adaptive",
            Method::Transductive(Plain) => "labelled instances alone",
            Method::Transductive(LaplacianShot | Laplace | Ilpc) => "graph of the pool",
            _ => "prototypes",
        }
    }
}

fn find(lab: &Lab, finding: &mut Finding) -> Result<()> {
    for dataset in &lab.datasets {
        let peers = run(lab, dataset)?;
        let title = dataset.title();
        let adaptive = Method::Transductive(Adaptive);
        let reference = peers.iter().find(|peer| peer.method == adaptive);
        let mut columns = Columns::default().names("Method", peers.iter().map(|peer| peer.method.to_string()));
        for (cell, (pool, _, shot)) in CELLS.into_iter().enumerate() {
            let accuracies = estimates(peers.iter().map(|peer| peer.scores(cell)))?;
            columns.accuracies(format!("{pool} {shot}-shot"), &accuracies);
            if let Some(reference) = reference {
                let ours = reference.scores(cell);
                let paired = |peer: &Peer| {
                    if peer.method == reference.method {
                        Ok(String::new())
                    } else {
                        Ok(print::points(&difference(&peer.scores(cell), &ours)?))
                    }
                };
                let paired: Vec<String> = peers.iter().map(paired).collect::<Result<_>>()?;
                columns.numbers("to adaptive", paired);
            }
        }
        columns.numbers("ms per episode", peers.iter().map(|peer| format!("{:.2}", peer.milliseconds())));
        columns.numbers("episodes", peers.iter().map(|peer| peer.runs[0].len().to_string()));
        finding.table(
            format!(
                "Accuracy in % on {title}, 5-way transductive, 75 queries; time is that of the processor for an episode at one \
                 shot, and \"to adaptive\" the paired difference on the same episodes. TIM-GD, alpha-TIM and iLPC are slow and run on fewer episodes: bold is the best over all \
                 episodes."
            ),
            columns.table()?,
        );
        let against_time =
            scatter(&peers, |peer, balanced, imbalanced| (peer.milliseconds(), 50.0 * (balanced + imbalanced)))?;
        let figure = Scatter {
            title: format!("Accuracy against time on {title}"),
            subtitle: "5-way 1-shot transductive; the mean over balanced and Dirichlet(2) pools".into(),
            x: Axis::new("Processor time per episode").unit("ms").log(),
            y: Axis::new("Accuracy").unit("%"),
            groups: against_time,
            diagonal: false,
        };
        finding.figure(format!("peers-time-{}", dataset.name), figure.figure()?);
        let by_balance = scatter(&peers, |_, balanced, imbalanced| (100.0 * balanced, 100.0 * imbalanced))?;
        let figure = Scatter {
            title: format!("Balanced against imbalanced pools on {title}"),
            subtitle: "5-way 1-shot transductive; on the dashed line imbalance costs nothing".into(),
            x: Axis::new("Accuracy on balanced pools").unit("%"),
            y: Axis::new("Accuracy on Dirichlet(2) pools").unit("%"),
            groups: by_balance,
            diagonal: true,
        };
        finding.figure(format!("peers-balance-{}", dataset.name), figure.figure()?);
        let named = |name: &str| peers.iter().find(|peer| peer.method.to_string() == name);
        if let (Some(icir), Some(plain)) = (named("icir"), named("plain")) {
            let compare = |(cell, (pool, _, shot)): (usize, (&str, Queries, usize))| {
                let name = format!("ICIR − LR {shot}-shot {pool}");
                Comparison::between(name, &icir.scores(cell), &plain.scores(cell))
            };
            let comparisons: Vec<Comparison> = CELLS.into_iter().enumerate().map(compare).collect::<Result<_>>()?;
            let claim = "ICIR improves on the plain classifier, also where the pool is imbalanced";
            finding.larger(&title, claim, &comparisons);
        }
    }
    Ok(())
}

fn run(lab: &Lab, dataset: &Dataset) -> Result<Vec<Peer>> {
    let mut methods = Method::all(&SelfTrainingSpec::default());
    let asked = &lab.args.methods;
    methods.retain(|method| asked.is_empty() || asked.contains(&method.to_string()));
    let table = dataset.table(Split::Novel);
    let mut peers = Vec::new();
    for method in methods {
        let slow = matches!(method, Method::Transductive(Tim | AlphaTim | Ilpc));
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
        peers.extend(speed.map(|speed| Peer { method, runs, speed }));
    }
    Ok(peers)
}

/// A point for each method, from its accuracies on balanced and imbalanced pools at one shot.
fn scatter(peers: &[Peer], place: impl Fn(&Peer, f64, f64) -> (f64, f64)) -> Result<Vec<ScatterGroup>> {
    let mut groups: Vec<ScatterGroup> = Vec::new();
    for peer in peers {
        let accuracies = estimates(ONE_SHOT.map(|cell| peer.scores(cell)))?;
        let (x, y) = place(peer, accuracies[0].mean, accuracies[1].mean);
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
