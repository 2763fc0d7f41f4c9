//! Points sorted into cells: k-means on a sample, then every point goes to the nearest centre.
//!
//! A cell that holds far more points than others, as copies of one point do, is halved along its longest direction
//! until it does not.

use rayon::prelude::*;

use super::points::{Points, ascending, measure};
use super::scan::{NONE, ScannedRows, search};
use crate::limits::CELL_SAMPLE;

/// Steps of k-means: the centres need not be the best, only spread like the points.
const STEPS: usize = 4;
/// A cell may hold this many times as many points as the average.
const LARGE: usize = 3;

/// Cells, each a part of the order.
#[derive(Debug)]
pub(super) struct Cells {
    /// All points, cell by cell, in ascending order within each.
    pub order: Vec<u32>,
    /// Where each cell is.
    pub table: CellTable,
}

/// How many points each cell has, and where their mean is: what is known of cells wherever their points are.
#[derive(Debug, Clone)]
pub struct CellTable {
    /// Where each cell starts in the order of all cells, and the end of the last.
    pub start: Vec<usize>,
    /// The mean of each cell, seen from the centre of the points.
    pub means: Vec<f32>,
}

impl Cells {
    /// About this number of cells; none is empty.
    pub fn of(points: Points<'_>, centre: &[f32], count: usize) -> Self {
        let (n, dims) = (points.len(), points.dims());
        let count = count.clamp(1, n);
        // K-means on some of the points, spread over all of them, starts with every so many of these.
        let sampled = (CELL_SAMPLE * count).min(n);
        let sample: Vec<u32> = (0..sampled).map(|i| (i * n / sampled) as u32).collect();
        let mut means = vec![0.0; count * dims];
        means.chunks_exact_mut(dims).enumerate().for_each(|(cell, mean)| points.copy(cell * n / count, centre, mean));
        for _ in 0..STEPS {
            let (order, start) = grouped(&sample, &assign(points, centre, &sample, &means), count);
            update(points, centre, &order, &start, &mut means);
        }
        let all: Vec<u32> = (0..n as u32).collect();
        let (mut order, start) = grouped(&all, &assign(points, centre, &all, &means), count);
        let mut split = vec![0];
        for cell in start.windows(2).filter(|cell| cell[0] < cell[1]) {
            halve(points, &mut order[cell[0]..cell[1]], LARGE * n.div_ceil(count), &mut split);
        }
        let mut means = vec![0.0; (split.len() - 1) * dims];
        update(points, centre, &order, &split, &mut means);
        Self { order, table: CellTable { start: split, means } }
    }
}

impl CellTable {
    /// Number of cells.
    pub fn len(&self) -> usize {
        self.start.len() - 1
    }

    /// Appends to the list the nearest cells, nearest first and the cell itself before all, until they hold `budget`
    /// points.
    pub fn around(&self, cell: usize, dims: usize, budget: usize, list: &mut Vec<usize>) {
        let own = &self.means[cell * dims..(cell + 1) * dims];
        let mut far: Vec<(f32, u32)> = (0..self.len() as u32).map(|other| (0.0, other)).collect();
        measure(own, &self.means, &mut far);
        far[cell].0 = -1.0;
        far.sort_unstable_by(ascending);
        let mut held = 0;
        for (_, other) in far {
            if held >= budget {
                break;
            }
            let other = other as usize;
            held += self.start[other + 1] - self.start[other];
            list.push(other);
        }
    }
}

/// The nearest mean of each of these points.
fn assign(points: Points<'_>, centre: &[f32], which: &[u32], means: &[f32]) -> Vec<u32> {
    let dims = points.dims();
    let query = |q: usize, to: &mut [f32]| points.copy(which[q] as usize, centre, to);
    let half = half_squares(means, dims);
    let candidates = ScannedRows { rows: means, dims, half: &half, first: 0 };
    let mut nearest = vec![0; which.len()];
    search(&mut nearest, 1, 1, candidates, query, |_| NONE, |_, shortlist, nearest| nearest[0] = shortlist[0]);
    nearest
}

/// `½‖x‖²` of every row.
fn half_squares(rows: &[f32], dims: usize) -> Vec<f32> {
    let mut half: Vec<(f32, u32)> = (0..(rows.len() / dims) as u32).map(|j| (0.0, j)).collect();
    measure(&vec![0.0; dims], rows, &mut half);
    half.into_iter().map(|(square, _)| 0.5 * square).collect()
}

/// The points cell by cell, in their order within each, and where each cell starts.
fn grouped(which: &[u32], cell: &[u32], count: usize) -> (Vec<u32>, Vec<usize>) {
    let mut start = vec![0; count + 1];
    cell.iter().for_each(|&cell| start[cell as usize + 1] += 1);
    for cell in 0..count {
        start[cell + 1] += start[cell];
    }
    let (mut order, mut next) = (vec![0; which.len()], start.clone());
    for (&i, &cell) in which.iter().zip(cell) {
        order[next[cell as usize]] = i;
        next[cell as usize] += 1;
    }
    (order, start)
}

/// The mean of every cell; that of an empty one stays.
fn update(points: Points<'_>, centre: &[f32], order: &[u32], start: &[usize], means: &mut [f32]) {
    means.par_chunks_exact_mut(points.dims()).zip(start.par_windows(2)).for_each(|(mean, cell)| {
        if cell[0] < cell[1] {
            mean_of(points, &order[cell[0]..cell[1]], centre, mean);
        }
    });
}

fn mean_of(points: Points<'_>, which: &[u32], centre: &[f32], mean: &mut [f32]) {
    let mut sum = vec![0.0f64; mean.len()];
    let mut row = vec![0.0; mean.len()];
    for &i in which {
        points.copy(i as usize, centre, &mut row);
        sum.iter_mut().zip(&row).for_each(|(sum, &v)| *sum += f64::from(v));
    }
    for (mean, sum) in mean.iter_mut().zip(sum) {
        *mean = (sum / which.len() as f64) as f32;
    }
}

/// Reorders a cell into parts of at most `most` points and appends their ends. A half holds the points that are nearest to
/// the one farthest from the mean; copies of one point are in order of their index.
fn halve(points: Points<'_>, cell: &mut [u32], most: usize, ends: &mut Vec<usize>) {
    if cell.len() <= most {
        cell.sort_unstable();
        ends.push(ends[ends.len() - 1] + cell.len());
        return;
    }
    let mut mean = vec![0.0; points.dims()];
    mean_of(points, cell, &vec![0.0; points.dims()], &mut mean);
    let mut far: Vec<(f32, u32)> = cell.iter().map(|&i| (0.0, i)).collect();
    measure(&mean, points.values(), &mut far);
    if let Some(&(_, pole)) = far.iter().max_by(|a, b| ascending(a, b)) {
        measure(points.row(pole as usize), points.values(), &mut far);
    }
    let middle = far.len() / 2;
    far.select_nth_unstable_by(middle, ascending);
    cell.iter_mut().zip(far).for_each(|(i, (_, from))| *i = from);
    let (low, high) = cell.split_at_mut(middle);
    halve(points, low, most, ends);
    halve(points, high, most, ends);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_point_is_in_one_cell_of_moderate_size() {
        let n = 5000;
        // A thousand points in a square, and four thousand copies of one.
        let values: Vec<f32> = (0..n)
            .flat_map(|i| match i % 5 {
                0 => [(i % 71) as f32, (i % 97) as f32],
                _ => [30.0, 40.0],
            })
            .collect();
        let points = Points::new(&values, n, 2).unwrap();
        let cells = Cells::of(points, &points.centre(), 50);
        let mut all = cells.order.clone();
        all.sort_unstable();
        assert!(all.iter().enumerate().all(|(i, &j)| i as u32 == j));
        let table = &cells.table;
        assert_eq!(table.start[table.len()], n);
        for cell in table.start.windows(2) {
            assert!(cell[0] < cell[1] && cell[1] - cell[0] <= 300);
            assert!(cells.order[cell[0]..cell[1]].is_sorted());
        }
        let mut around = Vec::new();
        table.around(7, 2, n, &mut around);
        assert_eq!(around[0], 7);
        around.sort_unstable();
        assert_eq!(around, (0..table.len()).collect::<Vec<_>>());
    }
}
