//! The result as an aligned table, JSON or CSV.

use serde::Serialize;
use trustpath_bench::stats::MeanEstimate;
use trustpath_bench::{AccuracySummary, BenchMethod, Finished};
use trustpath_report::Table;

use crate::error::Result;
use crate::method::describe;
use crate::print;
use crate::run::Speed;

/// All there is to say of a run. Accuracies are fractions here and percent in the table.
#[derive(Debug, Serialize)]
pub struct Report<'a> {
    pub version: &'static str,
    pub features: &'a str,
    pub episodes: &'a str,
    /// The number of episodes asked for.
    pub asked: usize,
    pub seed: u64,
    pub method: &'a BenchMethod,
    pub accuracy: Accuracy,
    /// Others on the same episodes.
    pub compared: Vec<Compared>,
    pub speed: Speed,
    /// Every episode.
    pub scores: Vec<Score<'a>>,
}

/// Accuracies of a method.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub enum Accuracy {
    /// By round.
    Rounds(AccuracySummary),
    /// Of a method without rounds.
    Once {
        /// In the end.
        #[serde(rename = "final")]
        last: MeanEstimate,
    },
}

impl Accuracy {
    /// Of episodes, of which there must be one.
    pub fn of(method: &BenchMethod, finished: &[Finished]) -> Result<Self> {
        let summary = AccuracySummary::of(finished)?;
        Ok(match method {
            BenchMethod::SelfTraining(_) => Self::Rounds(summary),
            _ => Self::Once { last: summary.last },
        })
    }

    fn table(&self) -> Result<Table> {
        let mut table = print::table([""], ["accuracy (%)"]);
        let accuracy = match self {
            Self::Rounds(summary) => summary,
            Self::Once { last } => {
                table.push(["final".to_owned(), last.percent()])?;
                return Ok(table);
            }
        };
        table.push(["plain classifier".to_owned(), accuracy.plain.percent()])?;
        // The last rounds, which few episodes reach and which change nothing, are left to JSON and CSV.
        let shown = accuracy.rounds.iter().take(accuracy.settled_after());
        for (round, estimate) in shown.enumerate() {
            table.push([format!("round {}", round + 1), estimate.percent()])?;
        }
        let rounds = print::count(accuracy.rounds.len(), "round", "rounds");
        table.push([format!("final, after {rounds} at most"), accuracy.last.percent()])?;
        table.push(["gain over plain".to_owned(), print::points(&accuracy.gain)])?;
        Ok(table)
    }

    /// Every estimate with its name.
    fn named(&self) -> Vec<(String, &MeanEstimate)> {
        match self {
            Self::Once { last } => vec![("final".into(), last)],
            Self::Rounds(accuracy) => {
                let rounds = accuracy.rounds.iter().enumerate().map(|(i, round)| (format!("round {}", i + 1), round));
                let ends = [("final".into(), &accuracy.last), ("gain".into(), &accuracy.gain)];
                [("plain".into(), &accuracy.plain)].into_iter().chain(rounds).chain(ends).collect()
            }
        }
    }
}

/// Another method on the same episodes.
#[derive(Debug, Serialize)]
pub struct Compared {
    pub name: String,
    pub accuracy: MeanEstimate,
    /// Ours less its, in pairs.
    pub difference: MeanEstimate,
}

/// The accuracies of an episode, the plain classifier's first.
#[derive(Debug, Serialize)]
pub struct Score<'a> {
    pub episode: u64,
    pub accuracies: &'a [f64],
}

impl Report<'_> {
    /// For people.
    pub fn text(&self) -> Result<String> {
        let done = print::count(self.scores.len(), "episode", "episodes");
        let of =
            if self.scores.len() < self.asked { format!(" of the {} asked for", self.asked) } else { String::new() };
        let mut text = format!("{}: {}, {done}{of}\n{}\n\n", self.features, self.episodes, describe(self.method));

        text += &self.accuracy.table()?.text();

        if !self.compared.is_empty() {
            let mut table = print::table(["against"], ["its accuracy (%)", "difference", "episodes"]);
            for Compared { name, accuracy, difference } in &self.compared {
                let episodes = difference.episodes.to_string();
                table.push([name.clone(), accuracy.percent(), print::points(difference), episodes])?;
            }
            text += &format!("\n{}", table.text());
        }

        let Speed { episodes, seconds, threads, .. } = self.speed;
        text += &format!(
            "\n{} in {seconds:.2} s: {} episodes per second, {:.2} ms per episode and thread, {}\n",
            print::count(episodes, "episode", "episodes"),
            print::rate(self.speed.per_second()),
            self.speed.milliseconds(),
            print::count(threads, "thread", "threads"),
        );
        Ok(text)
    }

    /// For programs: the estimates, as fractions.
    pub fn csv(&self) -> Result<Table> {
        let mut table = print::table(["quantity", "mean", "half_width", "episodes"], [""; 0]);
        let mut push = |name: String, estimate: &MeanEstimate| {
            let half_width = match estimate.half_width {
                width if width.is_finite() => width.to_string(),
                _ => String::new(),
            };
            table.push([name, estimate.mean.to_string(), half_width, estimate.episodes.to_string()])
        };
        for (name, estimate) in self.accuracy.named() {
            push(name, estimate)?;
        }
        for Compared { name, accuracy, difference } in &self.compared {
            push(format!("against {name}"), accuracy)?;
            push(format!("difference to {name}"), difference)?;
        }
        Ok(table)
    }
}
