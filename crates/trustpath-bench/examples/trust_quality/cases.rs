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
    /// Share of the given labels that is another class's, drawn at random.
    pub wrong: f64,
    /// How many near-copies there are of every row: labels are given to rows of the whole at random.
    pub copies: usize,
    /// Whether there is one instance of each of all other classes.
    pub odd: bool,
}

/// Twenty classes of sixty instances, five of each labelled.
pub const BASE: PoolCase = PoolCase {
    name: "",
    classes: 20,
    given: Given::Each(5),
    missing: 0.0,
    long_tailed: false,
    per_class: 60,
    wrong: 0.0,
    copies: 1,
    odd: false,
};
/// The jitter of near-copies, relative to the size of a feature.
const JITTER: f64 = 1e-3;
/// Other classes that a case with odd instances needs.
const ODD: usize = 20;

impl PoolCase {
    /// Draws a pool; `None` if the table has too few classes or rows.
    pub fn draw(&self, table: &FeatureTable, seed: u64) -> Option<KnownPool> {
        let all = table.class_names().len();
        if self.classes > 20 && all < 40 || self.odd && all < self.classes + ODD {
            return None;
        }
        let mut random = Random::stream(seed, 15);
        let drawn = shuffled_classes(table, self.classes, &mut random);
        let classes = drawn.len();
        let kinds: Vec<usize> = drawn.iter().map(|(class, _)| *class).collect();
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
        if self.odd {
            let mut others: Vec<usize> = (0..all).filter(|class| !kinds.contains(class)).collect();
            random.shuffle(&mut others);
            for (at, class) in others.into_iter().enumerate() {
                let row = random.choose(&table.members()[class], 1)[0];
                pool.values.extend_from_slice(table.row(row));
                pool.truth.push(classes + at);
                pool.given.push(None);
            }
        }
        if self.copies > 1 {
            pool = self.with_copies(&pool, &mut random);
        }
        self.mislabel(&mut pool, &mut random);
        Some(pool)
    }

    /// Near-copies of every row, as many of each class labelled as before, but of all copies.
    fn with_copies(&self, pool: &KnownPool, random: &mut Random) -> KnownPool {
        let dims = pool.values.len() / pool.truth.len();
        let mut copies = KnownPool { values: Vec::new(), truth: Vec::new(), given: Vec::new(), classes: pool.classes };
        for (row, &class) in pool.values.chunks_exact(dims).zip(&pool.truth) {
            let jitter = JITTER * norm(row) / (dims as f64).sqrt();
            for _ in 0..self.copies {
                copies.values.extend(row.iter().map(|v| v + (jitter * random.normal()) as f32));
                copies.truth.push(class);
                copies.given.push(None);
            }
        }
        for class in 0..pool.classes {
            let labels = pool.given.iter().filter(|given| **given == Some(class)).count();
            let rows: Vec<usize> = (0..copies.truth.len()).filter(|&row| copies.truth[row] == class).collect();
            random.choose(&rows, labels).into_iter().for_each(|row| copies.given[row] = Some(class));
        }
        copies
    }

    /// Gives a share of the labels to another class, as long as every class keeps one.
    fn mislabel(&self, pool: &mut KnownPool, random: &mut Random) {
        let given: Vec<usize> = (0..pool.given.len()).filter(|&row| pool.given[row].is_some()).collect();
        for row in random.choose(&given, (self.wrong * given.len() as f64).round() as usize) {
            let class = pool.truth[row];
            if pool.given.iter().filter(|given| **given == Some(class)).count() > 1 {
                pool.given[row] = Some((class + 1 + random.below(pool.classes - 1)) % pool.classes);
            }
        }
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
