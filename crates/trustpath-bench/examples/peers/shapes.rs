//! The settings: class balance, absent classes, ways, shots and pool sizes.

use trustpath_bench::{Drawn, Episode, EpisodeRows, EpisodeShape, Episodes, FeatureTable, Queries, Setting};

/// Concentration of the class sizes of balanced pools.
pub const BALANCED: f64 = f64::INFINITY;
/// The seed of all episodes.
const SEED: u64 = 17;

/// A shape of pools.
#[derive(Clone, Copy, PartialEq)]
pub struct PeerSetting {
    /// Classes with labels; none for all classes of the file.
    pub way: Option<usize>,
    pub shot: usize,
    /// Queries in total; none for all rows that are left.
    pub queries: Option<usize>,
    /// Concentration of the class sizes.
    pub alpha: f64,
    /// Classes that the queries belong to; none for all that have labels.
    pub present: Option<usize>,
}

impl PeerSetting {
    /// In words: ways, shots, number of queries, balance.
    pub fn text(&self) -> String {
        let Self { way, shot, queries, alpha, present } = self;
        let of = |number: &Option<usize>| number.map_or("all".to_owned(), |n| n.to_string());
        let pool = match present {
            Some(present) => format!("{present} of {} classes present", of(way)),
            None if queries.is_none() => "complete".to_owned(),
            None if alpha.is_finite() => format!("Dirichlet({alpha})"),
            None => "balanced".to_owned(),
        };
        format!("{}-way {shot}-shot, n = {}, {pool}", of(way), of(queries))
    }

    /// The shape of its episodes, before classes are left out.
    pub fn shape(&self, table: &FeatureTable) -> EpisodeShape {
        let classes = table.members().iter().filter(|rows| !rows.is_empty()).count();
        let way = self.way.unwrap_or(classes);
        let queries = match self.queries {
            None => Queries::Rest,
            Some(total) if self.alpha.is_finite() => Queries::Dirichlet { total, alpha: self.alpha },
            Some(total) => Queries::PerClass(total / self.present.unwrap_or(way)),
        };
        EpisodeShape { way, shot: self.shot, queries, setting: Setting::Transductive }
    }

    /// How many episodes there are where `asked` are asked for of 75 queries: larger pools have fewer, at least a fifteenth.
    pub fn count(&self, asked: usize) -> usize {
        let total = self.queries.unwrap_or(3000);
        (asked * 75 / total.max(75)).max(asked / 15).max(3).min(asked)
    }

    /// Its episodes; none where the classes are too few or too small.
    pub fn episodes(&self, table: &FeatureTable, asked: usize) -> Option<Vec<Episode>> {
        let sampler = self.shape(table).check(table).ok()?;
        let drawn = Drawn { sampler, seed: SEED, count: self.count(asked) };
        let episode = |index| Some(self.without_absent(drawn.get(index).ok()?.into_owned()));
        (0..drawn.count).map(episode).collect()
    }

    /// The episode with the queries of its first classes alone.
    fn without_absent(&self, episode: Episode) -> Episode {
        let Some(present) = self.present else { return episode };
        let (rows, labels) = episode.query.pairs().filter(|(_, label)| *label < present).unzip();
        Episode { query: EpisodeRows { rows, labels }, ..episode }
    }
}

/// All settings.
pub fn all() -> Vec<PeerSetting> {
    let shape = |way, shot, queries, alpha, present| PeerSetting {
        way: Some(way),
        shot,
        queries: Some(queries),
        alpha,
        present,
    };
    let mut shapes = Vec::new();
    for shot in [1, 5] {
        for alpha in [BALANCED, 20.0, 8.0, 2.0, 1.0, 0.5] {
            shapes.push(shape(5, shot, 75, alpha, None));
        }
        for (way, present) in [(5, 3), (5, 2), (10, 5), (16, 5), (40, 5)] {
            let queries = if present == 2 { 40 } else { 75 };
            shapes.push(shape(way, shot, queries, BALANCED, Some(present)));
        }
        for alpha in [BALANCED, 2.0] {
            for queries in [20, 200, 1500] {
                shapes.push(shape(5, shot, queries, alpha, None));
            }
            for (way, queries) in [(2, 30), (10, 150), (16, 240), (40, 600), (50, 750)] {
                shapes.push(shape(way, shot, queries, alpha, None));
            }
            for way in [40, 50] {
                shapes.push(shape(way, shot, 1500, alpha, None));
            }
        }
    }
    for shot in [2, 10, 20] {
        for alpha in [BALANCED, 2.0, 0.5] {
            shapes.push(shape(5, shot, 75, alpha, None));
        }
    }
    for shot in [1, 5, 20] {
        shapes.push(PeerSetting { way: None, shot, queries: None, alpha: BALANCED, present: None });
    }
    shapes
}
