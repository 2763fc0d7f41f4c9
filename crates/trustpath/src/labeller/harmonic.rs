//! Labels by the similarity graph, and their product with those of a classifier.
//!
//! ```text
//! hᵢₖ    the probability that a random walk from instance i meets a label of class k first, with a leak of κ = 0.1 × the median degree
//! pᵢₖ √hᵢₖ / Σₗ pᵢₗ √hᵢₗ                     where the classifier says pᵢₖ
//! ```
//!
//! The graph sees groups of any shape that the classifier has too few labels for, and knows nothing where no label is near; a
//! classifier is the other way round. The square root makes up for what both read off the same neighbours. On pools of four kinds of
//! features the product was right more often than either, with and without rounds (`docs/label.md`).

use rayon::prelude::*;

use crate::classify::Trainer;
use crate::linalg::vector::arg_max;
use crate::neighbors::{LeakyWalk, SimilarityGraph};
use crate::pool::Labels;

/// The rate of the leak, relative to the median degree.
const LEAK: f64 = 0.1;
/// Residual of the solution, relative to the right-hand side: only ratios between classes matter.
const TOLERANCE: f64 = 1e-3;
/// What is added to every probability of the walk, which is zero in a part of the graph without any label.
const FLOOR: f64 = 1e-6;
/// Classes that are solved for together.
const CLASSES: usize = 8;
/// Rows whose class probabilities are in memory together.
const BLOCK: usize = 512;

/// How likely each class is for every row of a pool, by the graph alone.
#[derive(Debug)]
pub(crate) struct GraphLabels {
    classes: usize,
    /// `√h` of every row, in single precision: only the order of a product with it matters. A row with a given label has that one.
    roots: Vec<f32>,
}

impl GraphLabels {
    pub fn new(graph: &SimilarityGraph, split: Labels<'_>) -> Self {
        let (n, classes) = (graph.len(), split.classes);
        let mut class_of = vec![None; n];
        split.given.iter().zip(split.labels).for_each(|(&row, &k)| class_of[row] = Some(k));
        let labelled: Vec<bool> = class_of.iter().map(Option::is_some).collect();
        let walk = LeakyWalk::new(graph, &labelled, LEAK);
        let solve = |first: usize| -> Vec<[f64; CLASSES]> {
            let towards = |i: usize| {
                let mut b = [0.0; CLASSES];
                for (j, w) in graph.edges(i) {
                    let class = class_of[j].and_then(|class: usize| class.checked_sub(first));
                    if let Some(b) = class.and_then(|class| b.get_mut(class)) {
                        *b += w;
                    }
                }
                if labelled[i] { [0.0; CLASSES] } else { b }
            };
            let b: Vec<[f64; CLASSES]> = (0..n).map(towards).collect();
            let mut enough = [0.0; CLASSES];
            b.iter().for_each(|b| (0..CLASSES).for_each(|k| enough[k] += b[k] * b[k]));
            let enough = enough.map(|square| TOLERANCE * square.sqrt());
            walk.solve(&b, vec![[0.0; CLASSES]; n], enough)
        };
        let firsts: Vec<usize> = (0..classes).step_by(CLASSES).collect();
        let chunks: Vec<Vec<[f64; CLASSES]>> = firsts.into_par_iter().map(solve).collect();
        let mut roots = vec![0.0f32; n * classes];
        roots.par_chunks_mut(classes).enumerate().for_each(|(row, roots)| {
            let h = |k: usize| match class_of[row] {
                Some(class) => f64::from(u8::from(class == k)),
                None => chunks[k / CLASSES][row][k % CLASSES].max(0.0),
            };
            roots.iter_mut().enumerate().for_each(|(k, root)| *root = (h(k) + FLOOR).sqrt() as f32);
        });
        Self { classes, roots }
    }

    /// The most probable class of every open row by the product, and its probability.
    pub fn label(&self, trainer: &dyn Trainer, open: &[usize]) -> (Vec<usize>, Vec<f64>) {
        let (mut labels, mut probability) = (Vec::new(), Vec::new());
        for rows in open.chunks(BLOCK) {
            let mut p = trainer.probabilities(rows);
            for (at, &row) in rows.iter().enumerate() {
                let roots = &self.roots[row * self.classes..(row + 1) * self.classes];
                let p = p.row_mut(at);
                p.iter_mut().zip(roots).for_each(|(p, &root)| *p *= f64::from(root));
                let label = arg_max(p);
                labels.push(label);
                probability.push(p[label] / p.iter().sum::<f64>());
            }
        }
        (labels, probability)
    }

    /// `h` of every row, row by row.
    pub fn hits(&self) -> Vec<f32> {
        self.roots.iter().map(|root| root * root).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::neighbors::Neighbors;
    use crate::testing::clusters;

    fn graph(x: &crate::Instances) -> SimilarityGraph {
        let neighbors = Neighbors::of(x, x.len(), 6).unwrap();
        SimilarityGraph::of(&neighbors, |i, k| neighbors.squared_distances(i)[k])
    }

    #[test]
    fn the_nearest_label_on_the_graph_is_the_most_probable() {
        // More classes than are solved for together.
        let x = clusters(11, 12, 20, 3.0);
        let given: Vec<usize> = (0..11).map(|class| 12 * class + 5).collect();
        let labels: Vec<usize> = (0..11).collect();
        let open: Vec<usize> = (0..132).filter(|row| row % 12 != 5).collect();
        let split = Labels { given: &given, labels: &labels, open: &open, classes: 11 };
        let graph_labels = GraphLabels::new(&graph(&x), split);
        let right =
            |(row, roots): (&usize, &[f32])| (0..11).all(|class| class == row / 12 || roots[class] < roots[row / 12]);
        let roots = |row: &usize| &graph_labels.roots[11 * row..11 * (row + 1)];
        let right = open.iter().filter(|row| right((row, roots(row)))).count();
        assert!(right > 115, "{right} of 121");
    }

    #[test]
    fn where_no_label_is_near_nothing_is_said() {
        let x = clusters(2, 15, 8, 5.0);
        let open: Vec<usize> = (2..30).collect();
        let split = Labels { given: &[0, 1], labels: &[0, 1], open: &open, classes: 2 };
        let graph_labels = GraphLabels::new(&graph(&x), split);
        let far = graph_labels.roots.chunks(2).skip(15).map(|roots| roots[0] / roots[1]);
        assert!(far.into_iter().all(|ratio| (0.5..2.0).contains(&ratio)));
    }
}
