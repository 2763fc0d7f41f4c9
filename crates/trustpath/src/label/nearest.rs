//! The nearest of a few rows to every row.

use rayon::prelude::*;

use crate::Matrix;
use crate::linalg::scan::{Candidates, NONE, QUERIES, SPARE, Shortlists};
use crate::linalg::{simd, vector};
use crate::reduce::neighbors::Graph;

/// A list of rows for every row, all of one length, or shorter where there are not as many.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lists {
    k: usize,
    index: Vec<u32>,
}

impl Lists {
    /// The first `k` neighbours of every point of a graph.
    pub(super) fn first_of(graph: &Graph, k: usize) -> Self {
        let k = k.min(graph.k());
        let lists = (0..graph.len()).flat_map(|i| &graph.indices(i)[..k]);
        Self { k, index: lists.copied().collect() }
    }

    /// Number of lists.
    pub fn len(&self) -> usize {
        self.index.len() / self.k
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.index.is_empty()
    }

    /// The list of a row, nearest first.
    pub fn of(&self, row: usize) -> impl Iterator<Item = usize> {
        let list = &self.index[row * self.k..(row + 1) * self.k];
        list.iter().take_while(|&&j| j != NONE).map(|&j| j as usize)
    }
}

/// For every row the `k` rows of `among`, a few at least, with which it has the largest inner products; of equals the
/// lower row, and never itself.
///
/// Inner products are taken in single precision, block by block; the best few more than asked for are measured in double
/// precision. So the lists are exact but for rows whose inner products agree to about six digits with the last kept.
pub(crate) fn nearest_of(x: &Matrix, among: &[usize], k: usize) -> Lists {
    let (d, k) = (x.cols(), k.max(1));
    let mut among = among.to_vec();
    among.sort_unstable();
    among.dedup();
    let single = |to: &mut [f32], row: usize| {
        to.iter_mut().zip(x.row(row)).for_each(|(to, &v)| *to = v as f32);
    };
    let mut rows = vec![0.0f32; among.len() * d];
    rows.chunks_exact_mut(d).zip(&among).for_each(|(to, &row)| single(to, row));
    let candidates = Candidates { rows: &rows, half: &vec![0.0; among.len()], first: 0 };
    let mut index = vec![NONE; x.rows() * k];
    index.par_chunks_mut(QUERIES * k).enumerate().for_each_init(
        || (Shortlists::default(), vec![0.0f32; QUERIES * d]),
        |(best, queries), (block, index)| {
            let (first, count) = (block * QUERIES, index.len() / k);
            queries.chunks_exact_mut(d).take(count).enumerate().for_each(|(q, to)| {
                single(to, first + q);
            });
            let own = |q: usize| among.binary_search(&(first + q)).map_or(NONE, |at| at as u32);
            best.clear(count, k + SPARE);
            best.scan(&queries[..count * d], d, candidates, own);
            for (q, list) in index.chunks_exact_mut(k).enumerate() {
                let shortlist = best.of(q).iter().map(|&at| among[at as usize]);
                let mut measured: Vec<(f64, usize)> =
                    simd::dispatch((x, first + q, shortlist), |(x, i, shortlist)| {
                        shortlist.map(|j| (vector::dot(x.row(i), x.row(j)), j)).collect()
                    });
                measured.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
                list.iter_mut().zip(measured).for_each(|(to, (_, j))| *to = j as u32);
            }
        },
    );
    Lists { k, index }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reduce::testing::clusters;

    fn brute_force(x: &Matrix, row: usize, among: &[usize], k: usize) -> Vec<usize> {
        let inner = |j: usize| vector::dot(x.row(row), x.row(j));
        let mut all: Vec<usize> = among.iter().copied().filter(|&j| j != row).collect();
        all.sort_by(|&a, &b| inner(b).total_cmp(&inner(a)).then(a.cmp(&b)));
        all.truncate(k);
        all
    }

    #[test]
    fn agrees_with_brute_force() {
        let x = clusters(5, 120, 40, 0.7);
        let among: Vec<usize> = (0..600).filter(|i| i * i % 7 == 2).collect();
        let lists = nearest_of(x.unit(), &among, 3);
        assert_eq!(lists.len(), 600);
        for row in 0..600 {
            let list: Vec<usize> = lists.of(row).collect();
            assert_eq!(list, brute_force(x.unit(), row, &among, 3));
        }
    }

    #[test]
    fn of_many_copies_the_lowest_rows_whatever_the_order_given() {
        let x = Matrix::from_fn(90, 5, |i, j| f64::from(u8::from(i % 2 == j)));
        let among: Vec<usize> = (0..90).rev().collect();
        let lists = nearest_of(&x, &among, 3);
        assert_eq!(lists.of(0).collect::<Vec<_>>(), [2, 4, 6]);
        assert_eq!(lists.of(7).collect::<Vec<_>>(), [1, 3, 5]);
    }

    #[test]
    fn lists_are_short_where_there_are_few() {
        let x = clusters(2, 10, 4, 1.0);
        let lists = nearest_of(x.unit(), &[4, 11], 3);
        for row in 0..20 {
            let list: Vec<usize> = lists.of(row).collect();
            assert_eq!(list, brute_force(x.unit(), row, &[4, 11], 3));
        }
        assert_eq!(lists.of(4).collect::<Vec<_>>(), [11]);
        assert_eq!(nearest_of(x.unit(), &[], 3).of(0).count(), 0);
    }
}
