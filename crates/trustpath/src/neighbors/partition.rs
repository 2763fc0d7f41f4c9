//! Points sorted into cells: k-means on a sample, then every point goes to the nearest centre.
//!
//! A cell that holds far more points than others, as copies of one point do, is halved along its longest direction
//! until it does not.

use rayon::prelude::*;

use super::points::{Points, ascending, measure};
use super::scan::{NONE, ScannedRows, Shortlists, search};
use crate::limits::CELL_SAMPLE;

/// Steps of k-means: the centres need not be the best, only spread like the points.
const STEPS: usize = 4;
/// Means up to which each point is compared with all of them.
const FEW_MEANS: usize = 1024;
/// Groups of means that a point of a group is compared with.
const GROUPS_AROUND: usize = 8;
/// Points that are compared together.
const QUERIES: usize = 1024;
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

/// The nearest mean of each of these points; with many means, the nearest of those around the group that the point is nearest to.
pub(super) fn assign(points: Points<'_>, centre: &[f32], which: &[u32], means: &[f32]) -> Vec<u32> {
    let dims = points.dims();
    let count = means.len() / dims;
    let query = |q: usize, to: &mut [f32]| points.copy(which[q] as usize, centre, to);
    if count <= FEW_MEANS {
        return nearest(which.len(), query, means, dims);
    }
    // Groups of means, and the nearest group of every mean and of every point.
    let groups = count.isqrt();
    let mut leaders: Vec<f32> =
        (0..groups).flat_map(|g| &means[g * count / groups * dims..(g * count / groups + 1) * dims]).copied().collect();
    let mean = |m: usize, to: &mut [f32]| to.copy_from_slice(&means[m * dims..(m + 1) * dims]);
    let all: Vec<u32> = (0..count as u32).collect();
    let mut members = grouped(&all, &nearest(count, mean, &leaders, dims), groups);
    for _ in 0..STEPS {
        for (leader, group) in leaders.chunks_exact_mut(dims).zip(members.1.windows(2)) {
            let group = &members.0[group[0]..group[1]];
            for (j, leader) in leader.iter_mut().enumerate().filter(|_| !group.is_empty()) {
                let sum: f64 = group.iter().map(|&m| f64::from(means[m as usize * dims + j])).sum();
                *leader = (sum / group.len() as f64) as f32;
            }
        }
        members = grouped(&all, &nearest(count, mean, &leaders, dims), groups);
    }
    let places: Vec<u32> = (0..which.len() as u32).collect();
    let (order, start) = grouped(&places, &nearest(which.len(), query, &leaders, dims), groups);
    let of_group = |group: usize| {
        let own = &leaders[group * dims..(group + 1) * dims];
        let mut far: Vec<(f32, u32)> = (0..groups as u32).map(|other| (0.0, other)).collect();
        measure(own, &leaders, &mut far);
        far.sort_unstable_by(ascending);
        let some_of = |other: usize| members.1[other] < members.1[other + 1];
        let around = far.iter().map(|&(_, other)| other as usize).filter(|&g| some_of(g));
        let mut some: Vec<u32> = around
            .take(GROUPS_AROUND)
            .flat_map(|other| &members.0[members.1[other]..members.1[other + 1]])
            .copied()
            .collect();
        some.sort_unstable();
        let rows: Vec<f32> =
            some.iter().flat_map(|&m| &means[m as usize * dims..(m as usize + 1) * dims]).copied().collect();
        let half = half_squares(&rows, dims);
        let candidates = ScannedRows { rows: &rows, dims, half: &half, first: 0 };
        let nearest_of = |queries: &[u32]| {
            let mut rows = vec![0.0; queries.len() * dims];
            rows.chunks_exact_mut(dims).zip(queries).for_each(|(to, &q)| query(q as usize, to));
            let mut best = Shortlists::default();
            best.clear(queries.len(), 1);
            best.scan(&rows, candidates, |_| NONE);
            (0..queries.len()).map(|q| some[best.of(q)[0] as usize]).collect::<Vec<u32>>()
        };
        let queries = &order[start[group]..start[group + 1]];
        queries.par_chunks(QUERIES).flat_map_iter(nearest_of).collect::<Vec<u32>>()
    };
    let by_group: Vec<Vec<u32>> = (0..groups).into_par_iter().map(of_group).collect();
    let mut nearest = vec![0; which.len()];
    for (&place, mean) in order.iter().zip(by_group.into_iter().flatten()) {
        nearest[place as usize] = mean;
    }
    nearest
}

/// The nearest of all means to each of the queries.
fn nearest(queries: usize, query: impl Fn(usize, &mut [f32]) + Sync, means: &[f32], dims: usize) -> Vec<u32> {
    let half = half_squares(means, dims);
    let candidates = ScannedRows { rows: means, dims, half: &half, first: 0 };
    let mut nearest = vec![0; queries];
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

    #[test]
    fn with_many_means_nearly_every_point_finds_the_nearest() {
        let (n, count) = (4000, 2 * FEW_MEANS);
        let value = |at: usize| (crate::random::mix(at as u64) >> 40) as f32 / (1 << 24) as f32;
        let values: Vec<f32> = (0..n * 3).map(value).collect();
        let points = Points::new(&values, n, 3).unwrap();
        let (centre, means) = (points.centre(), &values[..count * 3]);
        let which: Vec<u32> = (0..n as u32).collect();
        let query = |q: usize, to: &mut [f32]| points.copy(q, &centre, to);
        let shifted: Vec<f32> = means.iter().enumerate().map(|(at, v)| v - centre[at % 3]).collect();
        let exact = nearest(n, query, &shifted, 3);
        let assigned = assign(points, &centre, &which, &shifted);
        let same = assigned.iter().zip(&exact).filter(|(a, b)| a == b).count();
        assert!(same * 100 >= 99 * n, "{same} of {n}");
        // All means in one place: the groups but one are empty.
        let copies = vec![0.5; count * 3];
        assert!(assign(points, &centre, &which, &copies).iter().all(|&mean| mean == 0));
    }
}
