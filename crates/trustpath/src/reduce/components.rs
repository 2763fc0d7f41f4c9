//! The connected components of a neighbourhood graph, and the vectors that tell them apart.
//!
//! Functions that are constant on every component are null vectors of every alignment matrix. Those that are orthogonal to the
//! constant are spanned by contrasts, one for each component except the last, the larger components first:
//!
//! ```text
//! c_p = a on component p,  −b on all later components,  0 on all earlier ones;    m_p a = b Σ_{q > p} m_q
//! ```
//!
//! with `m_p` the mass of a component. They are orthogonal to each other, and each is of unit length.

use super::order::CommunityOrder;
use crate::Matrix;
use crate::neighbors::Neighbors;

/// Which component each instance belongs to.
#[derive(Debug)]
pub(super) struct ConnectedComponents {
    label: Vec<usize>,
    count: usize,
}

impl ConnectedComponents {
    /// The components of `n` instances with these edges, in order of their first member.
    pub fn new(n: usize, edges: impl IntoIterator<Item = (usize, usize)>) -> Self {
        let mut root: Vec<usize> = (0..n).collect();
        fn find(root: &mut [usize], mut i: usize) -> usize {
            while root[i] != i {
                root[i] = root[root[i]];
                i = root[i];
            }
            i
        }
        for (i, j) in edges {
            let (a, b) = (find(&mut root, i), find(&mut root, j));
            root[a.max(b)] = a.min(b);
        }
        let mut label = vec![0; n];
        let mut count = 0;
        for i in 0..n {
            // A root is the first member of its component.
            let first = find(&mut root, i);
            label[i] = if first == i { count } else { label[first] };
            count += usize::from(first == i);
        }
        Self { label, count }
    }

    /// The components of a graph whose edges have no direction.
    pub fn of(graph: &Neighbors) -> Self {
        let edges = (0..graph.len()).flat_map(|i| graph.indices(i).map(move |j| (i, j)));
        Self::new(graph.len(), edges)
    }

    /// The same of instances in another order.
    pub fn reordered(self, order: &CommunityOrder) -> Self {
        Self { label: order.at.iter().map(|&i| self.label[i]).collect(), ..self }
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.count
    }

    /// The members of each, in ascending order.
    pub fn members(&self) -> Vec<Vec<usize>> {
        let mut members = vec![Vec::new(); self.count];
        for (i, &component) in self.label.iter().enumerate() {
            members[component].push(i);
        }
        members
    }

    /// The constant and the first `most` contrasts, one column each, times the roots of the masses of the instances.
    pub fn contrasts(&self, roots: &[f64], most: usize) -> Matrix {
        let mut mass = vec![0.0; self.count];
        for (&component, root) in self.label.iter().zip(roots) {
            mass[component] += root * root;
        }
        let mut order: Vec<usize> = (0..self.count).collect();
        order.sort_by(|&a, &b| mass[b].total_cmp(&mass[a]));
        let mut place = vec![0; self.count];
        order.iter().enumerate().for_each(|(at, &component)| place[component] = at);
        let mut rest: f64 = mass.iter().sum();
        let constant = rest.sqrt().recip();
        let steps: Vec<(f64, f64)> = order
            .iter()
            .take(most.min(self.count - 1))
            .map(|&component| {
                let (own, all) = (mass[component], rest);
                rest -= own;
                ((rest / (own * all)).sqrt(), (own / (rest * all)).sqrt())
            })
            .collect();
        Matrix::from_fn(roots.len(), steps.len() + 1, |i, j| {
            let at = place[self.label[i]];
            let value = match j.checked_sub(1) {
                None => constant,
                Some(p) if p == at => steps[p].0,
                Some(p) if p < at => -steps[p].1,
                Some(_) => 0.0,
            };
            roots[i] * value
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contrasts_are_orthonormal_and_constant_on_components() {
        let edges = [(0, 4), (0, 2), (1, 5), (5, 6), (5, 8), (5, 1), (3, 3)];
        let components = ConnectedComponents::new(9, edges);
        assert_eq!(components.count(), 4);
        assert_eq!(components.members(), [vec![0, 2, 4], vec![1, 5, 6, 8], vec![3], vec![7]]);
        let roots: Vec<f64> = (0..9).map(|i| 1.0 + 0.1 * i as f64).collect();
        let c = components.contrasts(&roots, 8);
        assert_eq!(c.cols(), 4);
        for p in 0..4 {
            for q in 0..4 {
                let dot: f64 = (0..9).map(|i| c[(i, p)] * c[(i, q)]).sum();
                assert!((dot - f64::from(u8::from(p == q))).abs() < 1e-14);
            }
            for (a, b) in [(0, 2), (0, 4), (1, 5), (1, 6), (1, 8)] {
                assert!((c[(a, p)] / roots[a] - c[(b, p)] / roots[b]).abs() < 1e-14);
            }
        }
        // The first contrast sets the largest component apart.
        assert!(c[(1, 1)] > 0.0 && [0, 3, 7].iter().all(|&i| c[(i, 1)] < 0.0));
        assert_eq!(components.contrasts(&roots, 2).cols(), 3);
    }
}
