//! Neighbours of points that are spread over several machines.
//!
//! The cells of all points are dealt to *regions*, groups of cells that are near each other, and the points of a region are on one
//! machine. To search around its cells, a region also needs the points of the cells around them, its *halo*. It then
//! does for its own points what one machine does for all (`cells.rs`, `refine.rs`), with two differences. A sweep leaves out candidates that are
//! neither in the region nor in its halo. And of the points that have a point among their neighbours it reads at most as many as it looks for
//! neighbours, the closest ranks first and of equal ranks the first in order, which in a region is another order than in all cells.
//!
//! Points are known by their *position* in the order of all cells.

use std::ops::Range;

use super::cells::{Effort, search_around};
use super::partition::{CellTable, Cells, assign, cell_means, cell_sample, largest_cell};
use super::points::{CentredPoints, Points, ascending, measure};
use super::refine::{Halo, Refinement};
use super::scan::NONE;
use crate::limits::{CELL_SAMPLE, CENTRE_ROWS};
use crate::{Error, Result};

/// How the cells of `n` points are placed: by the rows of a sample.
#[derive(Debug, Clone, PartialEq)]
pub struct CellPlan {
    /// Number of points.
    pub n: usize,
    /// Number of cells, before those with too many points are halved.
    pub count: usize,
    /// Points that k-means places them by.
    pub sample: Vec<usize>,
    /// Points whose mean is the centre of all.
    pub centre: Vec<usize>,
}

/// The centre of all points, and the means of cells seen from it.
#[derive(Debug, Clone, PartialEq)]
pub struct CellMeans {
    /// The centre.
    pub centre: Vec<f32>,
    /// The means, one after the other.
    pub means: Vec<f32>,
}

/// The points of a region in the order of its cells.
#[derive(Debug, Clone, PartialEq)]
pub struct RegionOrder {
    /// The points, cell by cell.
    pub order: Vec<u32>,
    /// Where each cell starts in this order, and the end of the last.
    pub start: Vec<usize>,
    /// The means of the cells, seen from the centre of all points.
    pub means: Vec<f32>,
}

impl CellPlan {
    /// For this number of points.
    pub fn new(n: usize) -> Self {
        let count = Effort::of(n).cells.clamp(1, n.max(1));
        let centre = (0..n).step_by(n.div_ceil(CENTRE_ROWS).max(1)).collect();
        Self { n, count, sample: cell_sample(n, count), centre }
    }

    /// The means of the cells, from the points of the sample and those for the centre.
    pub fn means(&self, sample: Points<'_>, centre: Points<'_>) -> CellMeans {
        let centre = centre.centre();
        let all: Vec<u32> = (0..sample.len() as u32).collect();
        // The sample has every point where a cell begins, or in a small pool all points.
        let every = |cell: usize| match CELL_SAMPLE * self.count <= self.n {
            true => cell * CELL_SAMPLE,
            false => cell * self.n / self.count,
        };
        let means = cell_means(sample, &centre, &all, (0..self.count).map(every));
        CellMeans { centre, means }
    }

    /// The cells of points of a region, whose numbers among those of [`means`](Self::means) are known.
    pub fn sort(&self, points: Points<'_>, centre: &[f32], cells: &[u32]) -> RegionOrder {
        let most = largest_cell(self.n, self.count);
        let Cells { order, table } = Cells::sorted(points, centre, cells, self.count, most);
        RegionOrder { order, start: table.start, means: table.means }
    }
}

impl CellMeans {
    /// The cell of each point.
    pub fn cells(&self, points: Points<'_>) -> Vec<u32> {
        let all: Vec<u32> = (0..points.len() as u32).collect();
        assign(points, &self.centre, &all, &self.means)
    }

    /// The region of each cell, where cells have these numbers of points: about as many points in each region, and cells that are near
    /// each other in the same. Cells without points are in the first; there are at most as many regions as cells with points.
    pub fn regions(&self, counts: &[usize], regions: usize) -> Vec<u32> {
        let mut some: Vec<u32> =
            (0..counts.len() as u32).filter(|&cell| counts[cell as usize] > 0).collect();
        let mut of_cell = vec![0; counts.len()];
        let regions = regions.clamp(1, some.len().max(1));
        self.split(&mut some, counts, 0..regions, &mut of_cell);
        of_cell
    }

    /// Splits cells in two along their longest direction until there is one region for each part.
    fn split(
        &self,
        cells: &mut [u32],
        counts: &[usize],
        regions: Range<usize>,
        of_cell: &mut [u32],
    ) {
        if regions.len() <= 1 {
            cells.iter().for_each(|&cell| of_cell[cell as usize] = regions.start as u32);
            return;
        }
        let dims = self.centre.len();
        let mean = |cell: u32| &self.means[cell as usize * dims..(cell as usize + 1) * dims];
        let total: usize = cells.iter().map(|&cell| counts[cell as usize]).sum();
        let mut middle = vec![0.0f64; dims];
        for &cell in cells.iter() {
            let share = counts[cell as usize] as f64 / total as f64;
            middle.iter_mut().zip(mean(cell)).for_each(|(m, v)| *m += share * f64::from(*v));
        }
        let middle: Vec<f32> = middle.into_iter().map(|m| m as f32).collect();
        let mut far: Vec<(f32, u32)> = cells.iter().map(|&cell| (0.0, cell)).collect();
        measure(&middle, &self.means, &mut far);
        if let Some(&(_, pole)) = far.iter().max_by(|a, b| ascending(a, b)) {
            measure(mean(pole), &self.means, &mut far);
        }
        far.sort_unstable_by(ascending);
        cells.iter_mut().zip(&far).for_each(|(cell, (_, from))| *cell = *from);
        let low = regions.len() / 2;
        let wanted = total * low / regions.len();
        let (mut held, mut at) = (0, 0);
        // Every region gets a cell.
        while at < cells.len() - (regions.len() - low) && (at < low || held < wanted) {
            held += counts[cells[at] as usize];
            at += 1;
        }
        let (near, rest) = cells.split_at_mut(at);
        let border = regions.start + low;
        self.split(near, counts, regions.start..border, of_cell);
        self.split(rest, counts, border..regions.end, of_cell);
    }
}

/// A region among all cells: its own ones, which follow each other in their order, and those around them.
#[derive(Debug)]
pub struct Region {
    table: CellTable,
    own: Range<usize>,
    halo: Vec<usize>,
}

/// Lists of near neighbours of the points of a region, `k` for each.
#[derive(Debug, Clone, PartialEq)]
pub struct RegionLists {
    /// Positions of the neighbours, nearest first.
    pub ends: Vec<u32>,
    /// Their squared distances.
    pub squared: Vec<f32>,
    /// Which are new since the last sweep.
    pub new: Vec<bool>,
}

impl Region {
    /// The region of these cells. `start` says where each of all cells starts, and the end of the last; `means` are those of all cells.
    pub fn new(start: Vec<usize>, means: Vec<f32>, own: Range<usize>) -> Self {
        let table = CellTable { start, means };
        let dims = table.means.len() / table.len();
        let budget = Effort::of(table.points()).budget;
        let mut taken = vec![false; table.len()];
        let mut around = Vec::new();
        for cell in own.clone() {
            around.clear();
            table.around(cell, dims, budget, &mut around);
            around.iter().for_each(|&other| taken[other] = true);
        }
        let halo = (0..table.len()).filter(|cell| taken[*cell] && !own.contains(cell)).collect();
        Self { table, own, halo }
    }

    /// Sweeps that refine the lists of this number of points.
    pub fn sweeps(n: usize) -> usize {
        Effort::of(n).sweeps
    }

    /// The positions of the region's own points.
    pub fn own(&self) -> Range<usize> {
        self.table.start[self.own.start]..self.table.start[self.own.end]
    }

    /// The positions of the points of the halo, ascending.
    pub fn halo(&self) -> Vec<u32> {
        let of_cell =
            |&cell: &usize| self.table.start[cell] as u32..self.table.start[cell + 1] as u32;
        self.halo.iter().flat_map(of_cell).collect()
    }

    /// Near neighbours of the own points. `points` are these, then those of the halo.
    ///
    /// # Errors
    /// [`Error::Parameter`] for so many neighbours that the halo does not hold the cells they are searched in.
    pub fn search(&self, points: Points<'_>, centre: &[f32], k: usize) -> Result<RegionLists> {
        let effort = Effort::of(self.table.points());
        if effort.budget_for(k) > effort.budget {
            let expected =
                "a region knows too few cells around its own for so many neighbours: ask for fewer";
            return Err(Error::parameter("neighbors", k, expected));
        }
        let points = CentredPoints::of(points, centre, |i| i);
        let own = self.own();
        // Where the points of each cell of the halo begin.
        let mut begin = vec![0; self.table.len()];
        let mut next = own.len();
        for &cell in &self.halo {
            begin[cell] = next;
            next += self.table.start[cell + 1] - self.table.start[cell];
        }
        let place = |cell: usize| match self.own.contains(&cell) {
            true => self.table.start[cell] - own.start,
            false => begin[cell],
        };
        let lists = search_around(&points, &self.table, self.own.clone(), place, k, effort);
        Ok(self.named(lists, vec![true; own.len() * k]))
    }

    /// One sweep over the lists of the own points. `points` are these, then those of the halo, whose lists and what is new in them come
    /// as well.
    pub fn sweep(
        &self,
        points: Points<'_>,
        centre: &[f32],
        k: usize,
        own: RegionLists,
        halo: (&[u32], &[bool]),
    ) -> RegionLists {
        let points = CentredPoints::of(points, centre, |i| i);
        let positions = self.halo();
        let local = |end: u32| self.local(&positions, end);
        let lists = own.ends.iter().zip(&own.squared);
        let lists = lists.map(|(&end, &squared)| (squared, local(end))).collect();
        // Neighbours that this region does not know are left out.
        let (mut ends, mut new) = (vec![NONE; halo.0.len()], vec![false; halo.0.len()]);
        let of_points = halo.0.chunks_exact(k).zip(halo.1.chunks_exact(k));
        for ((of, of_new), (to, to_new)) in
            of_points.zip(ends.chunks_exact_mut(k).zip(new.chunks_exact_mut(k)))
        {
            let known = of.iter().zip(of_new).map(|(&end, &new)| (local(end), new));
            let known = known.filter(|(end, _)| *end != NONE);
            for ((to, to_new), (end, new)) in to.iter_mut().zip(to_new).zip(known) {
                (*to, *to_new) = (end, new);
            }
        }
        let mut refinement = Refinement::new(&points, k, lists);
        refinement.new = own.new;
        refinement.sweep(&Halo { ends: &ends, new: &new });
        let new = refinement.new;
        self.named(refinement.lists, new)
    }

    /// The place of a position among the own points and those of the halo; [`NONE`] where it is neither.
    fn local(&self, halo: &[u32], position: u32) -> u32 {
        let own = self.own();
        match own.contains(&(position as usize)) {
            true => position - own.start as u32,
            false => match halo.binary_search(&position) {
                Ok(place) => (own.len() + place) as u32,
                Err(_) => NONE,
            },
        }
    }

    /// Lists by position instead of by place.
    fn named(&self, lists: Vec<(f32, u32)>, new: Vec<bool>) -> RegionLists {
        let (own, halo) = (self.own(), self.halo());
        let position = |place: u32| match (place as usize).checked_sub(own.len()) {
            None => own.start as u32 + place,
            Some(at) => halo[at],
        };
        RegionLists {
            ends: lists.iter().map(|&(_, place)| position(place)).collect(),
            squared: lists.iter().map(|&(squared, _)| squared).collect(),
            new,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::COMPARED;
    use crate::neighbors::scan::SPARE;
    use crate::neighbors::{Neighbors, Search};
    use crate::random::Random;

    /// Neighbours found in this many regions, by row, and the largest halo.
    fn in_regions(
        values: &[f32],
        n: usize,
        dims: usize,
        k: usize,
        regions: usize,
    ) -> (Vec<Vec<u32>>, usize) {
        let points = Points::new(values, n, dims).unwrap();
        let gather = |rows: &[usize]| -> Vec<f32> {
            rows.iter().flat_map(|&row| &values[row * dims..(row + 1) * dims]).copied().collect()
        };
        let plan = CellPlan::new(n);
        let (sample, middle) = (gather(&plan.sample), gather(&plan.centre));
        let means = plan.means(
            Points::new(&sample, plan.sample.len(), dims).unwrap(),
            Points::new(&middle, plan.centre.len(), dims).unwrap(),
        );
        assert_eq!(means.centre, points.centre());
        let cells = means.cells(points);
        let mut counts = vec![0; plan.count];
        cells.iter().for_each(|&cell| counts[cell as usize] += 1);
        let of_cell = means.regions(&counts, regions);
        // Every region sorts its points; then all cells are known.
        let (mut rows, mut start, mut all, mut bounds) = (Vec::new(), vec![0], Vec::new(), vec![0]);
        for region in 0..regions as u32 {
            let own: Vec<usize> =
                (0..n).filter(|&i| of_cell[cells[i] as usize] == region).collect();
            assert!(own.len() * regions > n / 2, "{} of {n} in {regions}", own.len());
            let x = gather(&own);
            let own_cells: Vec<u32> = own.iter().map(|&i| cells[i]).collect();
            let sorted =
                plan.sort(Points::new(&x, own.len(), dims).unwrap(), &means.centre, &own_cells);
            let before = start[start.len() - 1];
            start.extend(sorted.start[1..].iter().map(|end| before + end));
            all.extend(sorted.means);
            rows.extend(sorted.order.iter().map(|&at| own[at as usize]));
            bounds.push(start.len() - 1);
        }
        let known: Vec<Region> = bounds
            .windows(2)
            .map(|cells| Region::new(start.clone(), all.clone(), cells[0]..cells[1]))
            .collect();
        let with_halo = |region: &Region| -> Vec<f32> {
            let halo = region.halo();
            let positions = region.own().chain(halo.iter().map(|&p| p as usize));
            gather(&positions.map(|position| rows[position]).collect::<Vec<_>>())
        };
        let held: Vec<Vec<f32>> = known.iter().map(with_halo).collect();
        let largest = known.iter().map(|region| region.halo().len()).max().unwrap();
        let points = |at: usize| Points::new(&held[at], held[at].len() / dims, dims).unwrap();
        let mut lists: Vec<RegionLists> = (0..regions)
            .map(|at| known[at].search(points(at), &means.centre, k).unwrap())
            .collect();
        for _ in 0..Region::sweeps(n) {
            let ends: Vec<u32> = lists.iter().flat_map(|of| of.ends.clone()).collect();
            let new: Vec<bool> = lists.iter().flat_map(|of| of.new.clone()).collect();
            let sweep = |at: usize| {
                let halo = known[at].halo();
                let of = |p: &u32| *p as usize * k..(*p as usize + 1) * k;
                let ends: Vec<u32> = halo.iter().flat_map(|p| &ends[of(p)]).copied().collect();
                let new: Vec<bool> = halo.iter().flat_map(|p| &new[of(p)]).copied().collect();
                known[at].sweep(points(at), &means.centre, k, lists[at].clone(), (&ends, &new))
            };
            lists = (0..regions).map(sweep).collect();
        }
        let mut found = vec![Vec::new(); n];
        let ends: Vec<u32> = lists.into_iter().flat_map(|of| of.ends).collect();
        for (position, list) in ends.chunks_exact(k).enumerate() {
            found[rows[position]] = list.iter().map(|&p| rows[p as usize] as u32).collect();
        }
        (found, largest)
    }

    #[test]
    fn regions_find_what_one_machine_finds() {
        let (n, dims, k) = (30_000, 12, 8);
        let mut random = Random::stream(11, 0);
        let centres: Vec<f32> = (0..60 * dims).map(|_| 4.0 * random.normal() as f32).collect();
        let values: Vec<f32> = (0..n)
            .flat_map(|i| {
                let centre = &centres[i * 7 % 60 * dims..(i * 7 % 60 + 1) * dims];
                centre.iter().map(|c| c + random.normal() as f32).collect::<Vec<f32>>()
            })
            .collect();
        let one =
            Neighbors::search(Points::new(&values, n, dims).unwrap(), k, Search::Cells).unwrap();
        let (all, none) = in_regions(&values, n, dims, k, 1);
        assert_eq!(none, 0);
        let same = |found: &[Vec<u32>]| {
            let of_row = |i: usize| found[i].iter().filter(|j| one.list(i).contains(j)).count();
            (0..n).map(of_row).sum::<usize>() as f64 / (n * k) as f64
        };
        assert_eq!(same(&all), 1.0);
        let (found, halo) = in_regions(&values, n, dims, k, 5);
        assert!(same(&found) > 0.999 && 0 < halo && halo < n * 4 / 5, "{} {halo}", same(&found));
    }

    #[test]
    fn more_neighbours_than_the_halo_is_made_for_are_refused() {
        let values: Vec<f32> = (0..6000).map(|i| i as f32).collect();
        let points = Points::new(&values, 6000, 1).unwrap();
        let means = values.iter().step_by(100).map(|first| first + 49.5).collect();
        let region = Region::new((0..=6000).step_by(100).collect(), means, 0..60);
        let most = COMPARED - SPARE - 1;
        assert_eq!(region.search(points, &[0.0], 5).unwrap().ends.len(), 6000 * 5);
        let error = region.search(points, &[0.0], most + 1).unwrap_err();
        assert!(matches!(error, Error::Parameter { name: "neighbors", .. }), "{error}");
    }

    #[test]
    fn few_points_and_copies_have_regions_too() {
        let values: Vec<f32> = (0..90).map(|i| (i / 30) as f32).collect();
        let (found, _) = in_regions(&values, 90, 1, 4, 3);
        for (i, list) in found.iter().enumerate() {
            assert!(
                list.iter().all(|&j| j as usize / 30 == i / 30 && j as usize != i),
                "{i} {list:?}"
            );
        }
    }
}
