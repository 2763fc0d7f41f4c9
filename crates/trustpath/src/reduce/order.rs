//! An order of the instances in which neighbours lie close to each other.
//!
//! Products with a sparse matrix fetch the rows of neighbours: from a cache, if those of most instances at hand are the
//! same few. So instances are put in order of communities: each takes the label that most of its neighbours have, of
//! equally frequent ones that of the nearest neighbour, a few times over, beginning with labels of their own
//! (Raghavan, Albert and Kumara 2007). What comes out changes no result but by rounding.

use super::neighbors::Neighbors;
use crate::Matrix;

/// How often labels are passed on.
const SWEEPS: usize = 6;

/// A permutation of the instances.
#[derive(Debug)]
pub(super) struct Order {
    /// Which instance is at each place.
    pub at: Vec<usize>,
    /// The place of each instance.
    pub place: Vec<usize>,
}

impl Order {
    /// By communities of the graph.
    pub fn of(graph: &Neighbors) -> Self {
        let n = graph.len();
        let mut label: Vec<usize> = (0..n).collect();
        for _ in 0..SWEEPS {
            for i in 0..n {
                let index = graph.indices(i);
                let votes = |j: usize| index.iter().filter(|&&l| label[l] == label[j]).count();
                let mut best = (0, label[i]);
                for &j in index {
                    let count = votes(j);
                    if count > best.0 {
                        best = (count, label[j]);
                    }
                }
                label[i] = best.1;
            }
        }
        let mut at: Vec<usize> = (0..n).collect();
        at.sort_by_key(|&i| label[i]);
        let mut place = vec![0; n];
        at.iter().enumerate().for_each(|(p, &i)| place[i] = p);
        Self { at, place }
    }

    /// Rows that are in this order, in the order of the instances.
    pub fn undo(&self, x: &Matrix) -> Matrix {
        Matrix::from_fn(x.rows(), x.cols(), |i, j| x[(self.place[i], j)])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reduce::testing::clusters;

    #[test]
    fn clusters_come_together_and_nothing_is_lost() {
        let x = clusters(4, 30, 8, 30.0);
        let shuffled = crate::reduce::testing::instances(120, 8, |i, j| x.unit()[(i * 7 % 120, j)]);
        let order = Order::of(&Neighbors::of(&shuffled, 120, 5).unwrap());
        let class = |p: usize| order.at[p] * 7 % 120 / 30;
        // Communities lie within clusters, so that the cluster seldom changes from one place to the next.
        assert!((1..120).filter(|&p| class(p) != class(p - 1)).count() < 30);
        let numbers = Matrix::from_fn(120, 1, |p, _| order.at[p] as f64);
        assert!((0..120).all(|i| order.undo(&numbers)[(i, 0)] == i as f64));
    }
}
