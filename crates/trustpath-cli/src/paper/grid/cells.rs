//! The settings of the grid.

use trustpath_bench::{EpisodeShape, Queries, Split};

use crate::paper::dataset::PaperDataset;

const WAYS: [usize; 3] = [5, 20, 50];
const SHOTS: [usize; 2] = [1, 5];
const QUERIES: [usize; 4] = [20, 75, 300, 1500];
const ALPHAS: [f64; 6] = [0.5, 1.0, 2.0, 8.0, 20.0, f64::INFINITY];

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GridSetting {
    pub way: usize,
    pub shot: usize,
    pub queries: usize,
    /// The concentration of the class sizes.
    pub alpha: f64,
}

/// The settings whose number of classes the dataset has.
pub fn settings(dataset: &PaperDataset) -> Vec<GridSetting> {
    let classes = dataset.table(Split::Novel).class_names().len();
    let mut settings = Vec::new();
    for way in WAYS.into_iter().filter(|&way| way <= classes) {
        for shot in SHOTS {
            for queries in QUERIES {
                settings.extend(ALPHAS.map(|alpha| GridSetting { way, shot, queries, alpha }));
            }
        }
    }
    settings
}

impl GridSetting {
    pub fn task(&self) -> EpisodeShape {
        let queries = Queries::Dirichlet { total: self.queries, alpha: self.alpha };
        EpisodeShape { way: self.way, shot: self.shot, queries, ..EpisodeShape::default() }
    }

    /// The number of episodes to run: fewer where the pool is large, because each is then more precise.
    pub fn episodes(&self, asked: usize) -> usize {
        let thinned = match self.queries {
            ..76 => 10,
            76..301 => 20,
            _ => 50,
        };
        (asked / thinned).max(20).min(asked.max(2))
    }

    pub fn text(&self) -> String {
        let Self { way, shot, queries, .. } = self;
        format!("{way}-way {shot}-shot, n = {queries}, α = {}", self.alpha_text())
    }

    pub fn alpha_text(&self) -> String {
        if self.alpha.is_finite() { self.alpha.to_string() } else { "∞".into() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::paper::tests::with_lab;

    #[test]
    fn a_dataset_has_the_ways_it_has_classes_for() {
        let counts: Vec<usize> = with_lab("grid", |lab| lab.datasets.iter().map(|d| settings(d).len()).collect());
        assert_eq!(counts, vec![2 * 2 * 24, 3 * 2 * 24]);
    }

    #[test]
    fn large_pools_have_fewer_episodes() {
        let setting = |queries| GridSetting { way: 5, shot: 1, queries, alpha: 1.0 };
        let counts = [20, 75, 300, 1500].map(|queries| setting(queries).episodes(2000));
        assert_eq!(counts, [200, 200, 100, 40]);
        assert_eq!((setting(75).episodes(30), setting(75).episodes(1)), (20, 2));
    }
}
