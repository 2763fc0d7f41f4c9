//! The connected components of a neighbourhood graph.

use trustpath::neighbors::Neighbors;

/// Which component each instance belongs to.
#[derive(Debug)]
pub(super) struct ConnectedComponents {
    label: Vec<usize>,
    count: usize,
}

impl ConnectedComponents {
    /// The components of `n` instances with these edges, in order of their first member.
    fn new(n: usize, edges: impl IntoIterator<Item = (usize, usize)>) -> Self {
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

    /// The members of each, in ascending order.
    pub fn members(&self) -> Vec<Vec<usize>> {
        let mut members = vec![Vec::new(); self.count];
        for (i, &component) in self.label.iter().enumerate() {
            members[component].push(i);
        }
        members
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_are_in_order() {
        let edges = [(0, 4), (0, 2), (1, 5), (5, 6), (5, 8), (5, 1), (3, 3)];
        let components = ConnectedComponents::new(9, edges);
        assert_eq!(components.members(), [vec![0, 2, 4], vec![1, 5, 6, 8], vec![3], vec![7]]);
    }
}
