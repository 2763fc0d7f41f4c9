//! Pools as users have them, drawn from a table in which every label is known.

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
pub struct Case {
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

/// A pool: its features, the class of every row (those without labels come after the labelled ones), and the given labels.
pub struct Draw {
    pub values: Vec<f32>,
    pub truth: Vec<usize>,
    pub given: Vec<Option<usize>>,
    /// Number of classes with labels.
    pub classes: usize,
}

impl Case {
    /// Draws a pool; `None` if the table has too few classes or rows.
    pub fn draw(&self, table: &FeatureTable, seed: u64) -> Option<Draw> {
        let mut random = Random::stream(seed, 15);
        let available = table.class_names().len();
        let classes = self.classes.min(available);
        if self.classes > 20 && available < 40 {
            return None;
        }
        let mut order: Vec<usize> = (0..available).collect();
        random.shuffle(&mut order);
        order.truncate(classes);
        let missing = (self.missing * classes as f64).round() as usize;
        let labelled = classes - missing;
        let mut members: Vec<Vec<usize>> = Vec::new();
        for (rank, &class) in order.iter().enumerate() {
            let mut rows = table.members()[class].clone();
            random.shuffle(&mut rows);
            rows.truncate(self.per_class);
            if self.long_tailed {
                let keep = 10.0 + (rows.len() - 10) as f64 * 0.1f64.powf(rank as f64 / (classes - 1) as f64);
                rows.truncate(keep as usize);
            }
            if let Given::Typical(_) = self.given {
                by_typicality(table, &mut rows);
            }
            members.push(rows);
        }
        let mut counts: Vec<usize> = (0..labelled)
            .map(|rank| match self.given {
                Given::Each(n) | Given::Typical(n) => n,
                Given::Random(_) => 0,
                Given::HalfOne => {
                    if rank % 2 == 0 {
                        10
                    } else {
                        1
                    }
                }
            })
            .collect();
        if let Given::Random(mean) = self.given {
            let sizes: Vec<usize> = members[..labelled].iter().map(Vec::len).collect();
            let mut all: Vec<usize> = (0..labelled).flat_map(|k| vec![k; sizes[k]]).collect();
            random.shuffle(&mut all);
            all[..mean * labelled].iter().for_each(|&k| counts[k] += 1);
        }
        let mut draw = Draw { values: Vec::new(), truth: Vec::new(), given: Vec::new(), classes: 0 };
        let seen: Vec<usize> = (0..labelled).filter(|&k| counts[k] > 0).collect();
        draw.classes = seen.len();
        let unseen = (labelled..classes).chain((0..labelled).filter(|&k| counts[k] == 0));
        for (number, k) in seen.iter().copied().chain(unseen).enumerate() {
            for (at, &row) in members[k].iter().enumerate() {
                let is_given = number < seen.len() && at < counts[k];
                draw.values.extend_from_slice(table.row(row));
                draw.truth.push(number);
                draw.given.push(is_given.then_some(number));
            }
        }
        Some(draw)
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
