//! Pools as users have them, drawn from a table in which every label is known.

use trustpath_bench::pools::{KnownPool, long_tailed, shuffled_classes};
use trustpath_bench::{FeatureTable, Random};

/// How labels are given.
#[derive(Debug, Clone, Copy)]
pub enum Given {
    /// This many of each class.
    Each(usize),
    /// A random sample with this many of each class on average; classes without any leave the pool.
    Random(usize),
    /// Ten of the classes of even rank, one of the others.
    HalfOne,
    /// This many of each class, those nearest to the mean of their class.
    Typical(usize),
}

/// How to draw a pool.
#[derive(Debug, Clone, Copy)]
pub struct PoolCase {
    pub name: &'static str,
    /// Number of classes, at most.
    pub classes: usize,
    pub given: Given,
    /// Share of the classes that has no label.
    pub missing: f64,
    /// Whether class sizes decrease to a tenth.
    pub long_tailed: bool,
    /// Rows of each class, at most.
    pub per_class: usize,
}

impl PoolCase {
    /// Draws a pool; `None` if the table has too few classes or rows.
    pub fn draw(&self, table: &FeatureTable, seed: u64) -> Option<KnownPool> {
        if self.classes > 20 && table.class_names().len() < 40 {
            return None;
        }
        let mut random = Random::stream(seed, 15);
        let drawn = shuffled_classes(table, self.classes, &mut random);
        let classes = drawn.len();
        let members: Vec<Vec<usize>> =
            drawn.into_iter().enumerate().map(|(rank, (_, rows))| self.part(table, rows, rank, classes)).collect();
        let labelled = classes - (self.missing * classes as f64).round() as usize;
        let counts = self.counts(&members[..labelled], &mut random);
        let seen: Vec<usize> = (0..labelled).filter(|&rank| counts[rank] > 0).collect();
        let unseen = (labelled..classes).chain((0..labelled).filter(|&rank| counts[rank] == 0));
        let mut pool = KnownPool { values: Vec::new(), truth: Vec::new(), given: Vec::new(), classes: seen.len() };
        for (number, rank) in seen.iter().copied().chain(unseen).enumerate() {
            for (at, &row) in members[rank].iter().enumerate() {
                let is_given = number < seen.len() && at < counts[rank];
                pool.values.extend_from_slice(table.row(row));
                pool.truth.push(number);
                pool.given.push(is_given.then_some(number));
            }
        }
        Some(pool)
    }

    /// The rows of a class that are in the pool, those that are labelled first.
    fn part(&self, table: &FeatureTable, mut rows: Vec<usize>, rank: usize, classes: usize) -> Vec<usize> {
        rows.truncate(self.per_class);
        if self.long_tailed {
            let size = 10.0 + (rows.len() - 10) as f64 * long_tailed(rank, classes);
            rows.truncate(size as usize);
        }
        if let Given::Typical(_) = self.given {
            by_typicality(table, &mut rows);
        }
        rows
    }

    /// How many labels each of these classes has.
    fn counts(&self, members: &[Vec<usize>], random: &mut Random) -> Vec<usize> {
        match self.given {
            Given::Each(n) | Given::Typical(n) => vec![n; members.len()],
            Given::HalfOne => (0..members.len()).map(|rank| if rank % 2 == 0 { 10 } else { 1 }).collect(),
            Given::Random(mean) => {
                let mut all: Vec<usize> =
                    members.iter().enumerate().flat_map(|(rank, rows)| vec![rank; rows.len()]).collect();
                random.shuffle(&mut all);
                let mut counts = vec![0; members.len()];
                all[..mean * members.len()].iter().for_each(|&rank| counts[rank] += 1);
                counts
            }
        }
    }
}

/// Sorts rows by their cosine to the mean of all of them, the largest first.
fn by_typicality(table: &FeatureTable, rows: &mut [usize]) {
    let mut mean = vec![0.0f64; table.dims()];
    for &row in rows.iter() {
        let length = norm(table.row(row));
        mean.iter_mut().zip(table.row(row)).for_each(|(m, v)| *m += f64::from(*v) / length);
    }
    let cosine = |row: usize| -> f64 {
        let row = table.row(row);
        row.iter().zip(&mean).map(|(v, m)| f64::from(*v) * m).sum::<f64>() / norm(row)
    };
    rows.sort_by(|&a, &b| cosine(b).total_cmp(&cosine(a)));
}

fn norm(row: &[f32]) -> f64 {
    row.iter().map(|v| f64::from(*v).powi(2)).sum::<f64>().sqrt()
}
