//! The graph whose centroids, widths and weights are learned, and the derivatives of the objective.

use std::ops::Range;

use faer::linalg::solvers::{PartialPivLu, Solve};

use super::AlphaAmShots;
use crate::Matrix;
use crate::linalg::{simd, vector};
use crate::task::CheckedTask;
use crate::transductive::geometry::{class_means, product};
use crate::transductive::information::Information;
use crate::transductive::softmax::softmax;

/// Added to the row sums.
const OFFSET: f64 = 1e-12;

/// An edge of the graph: of which node, to which, and its weight.
type Edge = (usize, usize, f64);

/// The graph, its solution, and their derivatives.
pub(super) struct Manifold<'a> {
    x: &'a Matrix,
    labels: &'a [usize],
    params: AlphaAmShots,
    sharpness: f64,
    classes: usize,
    /// Centroids and rows of the pool.
    pub nodes: usize,
    /// Centroids, then `b`, then `g`.
    pub unknowns: Vec<f64>,
    pub gradient: Vec<f64>,
    /// Distances between nodes.
    distances: Matrix,
    /// Sums of the distances between rows of the pool, and of their squares.
    fixed: [f64; 2],
    /// Mean and standard deviation of all distances.
    moments: [f64; 2],
    edges: Vec<Edge>,
    /// `(a + aᵀ)/2`.
    similarities: Matrix,
    /// `D^(−1/2)`.
    roots: Vec<f64>,
    system: Option<PartialPivLu<f64>>,
    /// `(I − α ŵ)⁻¹` times the one-hot rows.
    solution: Matrix,
}

impl<'a> Manifold<'a> {
    /// The graph before the first step.
    pub fn new(
        x: &'a Matrix,
        task: &CheckedTask<'a>,
        params: AlphaAmShots,
        sharpness: f64,
    ) -> Self {
        let (classes, nodes) = (task.classes, task.classes + task.pool);
        let centroids = class_means(x, task.labels, classes);
        let size = centroids.as_slice().len();
        let mut unknowns = vec![1.0; size + 2 * nodes * nodes];
        unknowns[..size].copy_from_slice(centroids.as_slice());
        unknowns[size..size + nodes * nodes].fill(params.spread);
        let mut distances = Matrix::zeros(nodes, nodes);
        let mut fixed = [0.0; 2];
        for i in 0..task.pool {
            for j in 0..i {
                let d = distance(x.row(i), x.row(j));
                distances[(classes + i, classes + j)] = d;
                distances[(classes + j, classes + i)] = d;
                fixed[0] += 2.0 * d;
                fixed[1] += 2.0 * d * d;
            }
        }
        Self {
            x,
            labels: task.labels,
            params,
            sharpness,
            classes,
            nodes,
            gradient: vec![0.0; unknowns.len()],
            unknowns,
            distances,
            fixed,
            moments: [0.0, 1.0],
            edges: Vec::new(),
            similarities: Matrix::zeros(nodes, nodes),
            roots: vec![0.0; nodes],
            system: None,
            solution: Matrix::zeros(nodes, classes),
        }
    }

    /// Where `b` and `g` begin among the unknowns.
    fn offsets(&self) -> (usize, usize) {
        let size = self.classes * self.x.cols();
        (size, size + self.nodes * self.nodes)
    }

    fn centroid(&self, k: usize) -> &[f64] {
        &self.unknowns[k * self.x.cols()..][..self.x.cols()]
    }

    fn node(&self, i: usize) -> &[f64] {
        if i < self.classes { self.centroid(i) } else { self.x.row(i - self.classes) }
    }

    /// The solution under the unknowns.
    pub fn forward(&mut self) {
        self.measure();
        self.connect();
        let (nodes, (b, _)) = (self.nodes, self.offsets());
        self.similarities.as_mut_slice().fill(0.0);
        for &(i, j, a) in &self.edges {
            self.similarities[(i, j)] += 0.5 * a;
            self.similarities[(j, i)] += 0.5 * a;
        }
        let weights = &self.unknowns[b..][..nodes * nodes];
        for i in 0..nodes {
            let sum = vector::dot(self.similarities.row(i), &weights[i * nodes..][..nodes]);
            self.roots[i] = (sum + OFFSET).max(OFFSET).sqrt().recip();
        }
        let mut system = Matrix::zeros(nodes, nodes);
        for i in 0..nodes {
            let scale = -self.params.spread * self.roots[i];
            let parts = self.similarities.row(i).iter().zip(&weights[i * nodes..]);
            for (m, ((s, b), root)) in system.row_mut(i).iter_mut().zip(parts.zip(&self.roots)) {
                *m = scale * s * b * root;
            }
            system[(i, i)] += 1.0;
        }
        let system = system.view().partial_piv_lu();
        let labels = Matrix::from_fn(nodes, self.classes, |i, k| f64::from(u8::from(i == k)));
        self.solution = Matrix::from_view(system.solve(labels.view()).as_ref());
        self.system = Some(system);
    }

    /// Distances from and to the centroids, and the moments of all.
    fn measure(&mut self) {
        let [mut sum, mut squares] = self.fixed;
        for k in 0..self.classes {
            for j in k + 1..self.nodes {
                let d = distance(self.centroid(k), self.node(j));
                self.distances[(k, j)] = d;
                self.distances[(j, k)] = d;
                sum += 2.0 * d;
                squares += 2.0 * d * d;
            }
        }
        let pairs = (self.nodes * self.nodes) as f64;
        let mean = sum / pairs;
        let variance = (squares - pairs * mean * mean) / (pairs - 1.0);
        // Where all nodes are the same point, all distances are zero, whatever divides them.
        self.moments = [mean, if variance > 0.0 { variance.sqrt() } else { 1.0 }];
    }

    /// The edges from every row to its nearest nodes.
    fn connect(&mut self) {
        let (nodes, (_, g)) = (self.nodes, self.offsets());
        let count = self.params.neighbors.min(nodes - 1);
        self.edges.clear();
        let mut exponents: Vec<(f64, usize)> = Vec::with_capacity(nodes);
        for i in self.classes..nodes {
            exponents.clear();
            let widths = &self.unknowns[g + i * nodes..][..nodes];
            let row = self.distances.row(i).iter().zip(widths).enumerate();
            let others = row.filter(|(j, _)| *j != i);
            exponents.extend(others.map(|(j, (d, g))| (d * g / self.moments[1], j)));
            let by_size =
                |a: &(f64, usize), b: &(f64, usize)| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1));
            if count < exponents.len() {
                exponents.select_nth_unstable_by(count, by_size);
            }
            self.edges.extend(exponents[..count].iter().map(|&(e, j)| (i, j, (-e).exp())));
        }
    }

    /// The gradient of the objective, after [`forward`](Self::forward).
    pub fn backward(&mut self) {
        let (nodes, classes) = (self.nodes, self.classes);
        let (b_at, g_at) = self.offsets();
        let Some(system) = &self.system else { return };
        // With respect to the solution.
        let alpha = Some(self.params.exponent);
        let information = Information { weights: [1.0; 3], alpha };
        let mut slopes = self.probabilities(classes..nodes);
        information.differentiate(&mut slopes, self.labels);
        let by_solution = Matrix::from_fn(nodes, classes, |i, k| match i < classes {
            true => 0.0,
            false => self.sharpness * slopes[(i - classes, k)],
        });
        // With respect to ŵ: α times the adjoint solution times the solution.
        let adjoint = Matrix::from_view(system.solve_transpose(by_solution.view()).as_ref());
        let mut by_normalised = Matrix::zeros(nodes, nodes);
        product(
            &mut by_normalised,
            adjoint.view(),
            self.solution.view().transpose(),
            self.params.spread,
        );
        // With respect to w: directly, and through the sums of the rows.
        let weights = &self.unknowns[b_at..][..nodes * nodes];
        let mut by_sum = vec![0.0; nodes];
        for i in 0..nodes {
            for j in 0..nodes {
                let part =
                    by_normalised[(i, j)] * self.similarities[(i, j)] * weights[i * nodes + j];
                by_sum[i] += part * self.roots[j];
                by_sum[j] += part * self.roots[i];
            }
        }
        for (sum, root) in by_sum.iter_mut().zip(&self.roots) {
            *sum *= -0.5 * root.powi(3);
        }
        self.gradient.fill(0.0);
        for i in 0..nodes {
            for j in 0..nodes {
                let by_weight = by_normalised[(i, j)] * self.roots[i] * self.roots[j] + by_sum[i];
                self.gradient[b_at + i * nodes + j] = by_weight * self.similarities[(i, j)];
                by_normalised[(i, j)] = by_weight * weights[i * nodes + j];
            }
        }
        // With respect to the edges, their widths and their scaled distances.
        let deviation = self.moments[1];
        let mut by_distance = Matrix::zeros(nodes, nodes);
        let mut by_deviation = 0.0;
        for &(i, j, a) in &self.edges {
            let by_edge = 0.5 * a * (by_normalised[(i, j)] + by_normalised[(j, i)]);
            let (at, d) = (g_at + i * nodes + j, self.distances[(i, j)]);
            self.gradient[at] = -by_edge * d / deviation;
            let by_scaled = -by_edge * self.unknowns[at];
            by_distance[(i, j)] = by_scaled / deviation;
            by_deviation -= by_scaled * d / (deviation * deviation);
        }
        self.pull(&by_distance, by_deviation);
    }

    /// The gradient with respect to the centroids, from those with respect to distances and their deviation.
    fn pull(&mut self, by_distance: &Matrix, by_deviation: f64) {
        let (nodes, dims) = (self.nodes, self.x.cols());
        let [mean, deviation] = self.moments;
        let share = by_deviation / (((nodes * nodes) as f64 - 1.0) * deviation);
        let mut gradient = std::mem::take(&mut self.gradient);
        for k in 0..self.classes {
            let pull = &mut gradient[k * dims..][..dims];
            for j in (0..nodes).filter(|&j| j != k) {
                let d = self.distances[(k, j)];
                if d > 0.0 {
                    let by_pair = by_distance[(k, j)] + by_distance[(j, k)];
                    let factor = (by_pair + 2.0 * share * (d - mean)) / d;
                    vector::add_scaled(pull, factor, self.centroid(k));
                    vector::add_scaled(pull, -factor, self.node(j));
                }
            }
        }
        self.gradient = gradient;
    }

    /// The probabilities of these nodes.
    pub fn probabilities(&self, nodes: Range<usize>) -> Matrix {
        let mut p = Matrix::from_view(self.solution.view().subrows(nodes.start, nodes.len()));
        p.as_mut_slice().iter_mut().for_each(|s| *s *= self.sharpness);
        softmax(&mut p);
        p
    }

    /// The probabilities of rows that are no nodes.
    pub fn attach(&self, x: &Matrix, rows: Range<usize>) -> Matrix {
        let mut p = Matrix::zeros(rows.len(), self.classes);
        for (to, i) in rows.enumerate() {
            let near = |j: usize| distance(x.row(i), self.node(j)) / self.moments[1];
            let mut others: Vec<(f64, usize)> = (0..self.nodes).map(|j| (near(j), j)).collect();
            others.sort_by(|a, b| a.0.total_cmp(&b.0));
            others.truncate(self.params.neighbors);
            let closest = others.first().map_or(0.0, |other| other.0);
            let mut total = 0.0;
            for &(d, j) in &others {
                let weight = (closest - d).exp();
                total += weight;
                vector::add_scaled(p.row_mut(to), weight * self.sharpness, self.solution.row(j));
            }
            p.row_mut(to).iter_mut().for_each(|s| *s /= total);
        }
        softmax(&mut p);
        p
    }
}

fn distance(a: &[f64], b: &[f64]) -> f64 {
    simd::dispatch(
        (a, b),
        #[inline(always)]
        |(a, b)| vector::squared_difference(a, b),
    )
    .sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transductive::AlphaAmParams;
    use crate::transductive::adam::Adam;
    use crate::transductive::tests::pool;

    fn objective(manifold: &Manifold<'_>) -> f64 {
        let p = manifold.probabilities(manifold.classes..manifold.nodes);
        let alpha = Some(manifold.params.exponent);
        Information { weights: [1.0; 3], alpha }.value(&p, manifold.labels)
    }

    #[test]
    fn the_gradient_is_that_of_the_objective() {
        let pool = pool(2, &[7, 5, 4], 0.6);
        let task = pool.checked();
        let x = task.instances.unit();
        let params = AlphaAmShots { neighbors: 6, spread: 0.8, exponent: 2.0 };
        let mut manifold = Manifold::new(x, &task, params, 15.0);
        // Away from the start, where all widths are the same.
        for (at, v) in manifold.unknowns.iter_mut().enumerate() {
            *v += 0.05 * (at as f64 * 0.7).sin();
        }
        manifold.forward();
        manifold.backward();
        let (b, g) = manifold.offsets();
        let edge = manifold.edges.iter().find(|e| e.1 < 3).copied().unwrap();
        let entry = edge.0 * manifold.nodes + edge.1;
        for at in [0, 5, 13, b + entry, g + entry, b + edge.1 * manifold.nodes + edge.0] {
            let h = 1e-6;
            let given = manifold.gradient[at];
            let mut value = |shift: f64| {
                manifold.unknowns[at] += shift;
                manifold.forward();
                let value = objective(&manifold);
                manifold.unknowns[at] -= shift;
                value
            };
            let slope = (value(h) - value(-h)) / (2.0 * h);
            assert!((slope - given).abs() < 1e-7 * (1.0 + slope.abs()), "{at}: {slope} {given}");
            assert!(given != 0.0, "{at}");
        }
    }

    #[test]
    fn the_objective_falls() {
        let pool = pool(1, &[12, 8, 4], 0.8);
        let task = pool.checked();
        let params = AlphaAmParams::default();
        let mut manifold = Manifold::new(task.instances.unit(), &task, params.shots[0], 15.0);
        let mut adam = Adam::new(manifold.unknowns.len(), 1e-3);
        let mut values = Vec::new();
        for _ in 0..60 {
            manifold.forward();
            values.push(objective(&manifold));
            manifold.backward();
            adam.step(&mut manifold.unknowns, &manifold.gradient);
        }
        assert!(values[59] < values[30] && values[30] < values[0], "{values:?}");
    }
}
