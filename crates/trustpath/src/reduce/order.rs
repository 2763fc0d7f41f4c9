//! An order of the instances in which neighbours lie close to each other.
//!
//! Products with a sparse matrix read the rows of neighbours, which is fast where instances that are close in memory share
//! most neighbours. So instances are put in order of communities: each takes the label that most of its neighbours have, of
//! equally frequent ones that of the nearest neighbour, a few times over, beginning with labels of their own
//! (Raghavan, Albert and Kumara 2007). The order changes results only by rounding.

use crate::Matrix;
use crate::neighbors::Neighbors;

/// How often labels are passed on.
const SWEEPS: usize = 6;

/// A permutation of the instances.
#[derive(Debug)]
pub(super) struct CommunityOrder {
    /// Which instance is at each place.
    pub at: Vec<usize>,
    /// The place of each instance.
    pub place: Vec<usize>,
}

impl CommunityOrder {
    /// By communities of the graph.
    pub fn of(graph: &Neighbors) -> Self {
        let n = graph.len();
        let mut label: Vec<u32> = (0..n as u32).collect();
        for _ in 0..SWEEPS {
            for i in 0..n {
                let list = graph.list(i);
                let votes = |of: u32| list.iter().filter(|&&l| label[l as usize] == of).count();
                let mut best = (0, label[i]);
                for &j in list {
                    let count = votes(label[j as usize]);
                    if count > best.0 {
                        best = (count, label[j as usize]);
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
        let order = CommunityOrder::of(&Neighbors::of(&shuffled, 120, 5).unwrap());
        let class = |p: usize| order.at[p] * 7 % 120 / 30;
        // Communities lie within clusters, so that the cluster seldom changes from one place to the next.
        assert!((1..120).filter(|&p| class(p) != class(p - 1)).count() < 30);
        let numbers = Matrix::from_fn(120, 1, |p, _| order.at[p] as f64);
        assert!((0..120).all(|i| order.undo(&numbers)[(i, 0)] == i as f64));
    }
}
