//! The result as an aligned table, JSON or CSV.

use serde::Serialize;
use trustpath_bench::stats::Estimate;
use trustpath_bench::{Finished, Method};
use trustpath_report::{Table, TableColumn};

use crate::error::{Error, Result};
use crate::method::describe;
use crate::print;
use crate::run::Speed;
use trustpath_bench::AccuracySummary;

/// All there is to say of a run. Accuracies are fractions here and percent in the table.
#[derive(Debug, Serialize)]
pub struct Report<'a> {
    /// Of this program.
    pub version: &'static str,
    /// Where the features come from.
    pub features: &'a str,
    /// What the episodes are.
    pub episodes: &'a str,
    /// How many were asked for.
    pub asked: usize,
    /// Their seed.
    pub seed: u64,
    /// What ran on them.
    pub method: &'a Method,
    /// Its accuracies.
    pub accuracy: Accuracy,
    /// Others on the same episodes.
    pub compared: Vec<Compared>,
    /// How long it took.
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
        last: Estimate,
    },
}

impl Accuracy {
    /// Of episodes, of which there must be one.
    pub fn of(method: &Method, finished: &[Finished]) -> Result<Self> {
        let summary = AccuracySummary::of(finished)?;
        Ok(match method {
            Method::SelfTraining(_) => Self::Rounds(summary),
            _ => Self::Once { last: summary.last },
        })
    }

    fn table(&self) -> Result<Table> {
        let mut table = Table::new(vec![TableColumn::left(""), TableColumn::right("accuracy (%)")]);
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
    fn named(&self) -> Vec<(String, &Estimate)> {
        match self {
            Self::Once { last } => vec![("final".into(), last)],
            Self::Rounds(accuracy) => {
                let mut named = vec![("plain".to_owned(), &accuracy.plain)];
                let rounds = accuracy.rounds.iter().enumerate();
                named.extend(rounds.map(|(i, round)| (format!("round {}", i + 1), round)));
                named.push(("final".into(), &accuracy.last));
                named.push(("gain".into(), &accuracy.gain));
                named
            }
        }
    }
}

/// Another method on the same episodes.
#[derive(Debug, Serialize)]
pub struct Compared {
    /// Its name.
    pub name: String,
    /// Its accuracy.
    pub accuracy: Estimate,
    /// Ours less its, in pairs.
    pub difference: Estimate,
}

/// The accuracies of an episode, the plain classifier's first.
#[derive(Debug, Serialize)]
pub struct Score<'a> {
    episode: u64,
    accuracies: &'a [f64],
}

impl<'a> Score<'a> {
    /// The score of a finished episode.
    pub fn of(finished: &'a Finished) -> Self {
        Self { episode: finished.episode, accuracies: &finished.accuracies }
    }
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
            let columns = [TableColumn::left("against"), TableColumn::right("its accuracy (%)")];
            let columns = columns.into_iter().chain([TableColumn::right("difference"), TableColumn::right("episodes")]);
            let mut table = Table::new(columns.collect());
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

    /// For programs: everything.
    pub fn json(&self) -> Result<String> {
        let text = serde_json::to_string_pretty(self).map_err(|e| Error::Print(e.to_string()))?;
        Ok(text + "\n")
    }

    /// For programs: the estimates, as fractions.
    pub fn csv(&self) -> Result<String> {
        let names = ["quantity", "mean", "half_width", "episodes"];
        let mut table = Table::new(names.map(TableColumn::left).to_vec());
        let mut push = |name: String, estimate: &Estimate| {
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
        Ok(table.csv())
    }
}
