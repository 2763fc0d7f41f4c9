//! Locally linear embedding (Roweis and Saul 2000): the paper's reduction.
//!
//! Each instance is written as a combination of its `k` neighbours, and coordinates are sought that fulfil the same
//! combinations:
//!
//! ```text
//! wᵢ = argmin ‖xᵢ − Σⱼ wᵢⱼ xⱼ‖² + R‖wᵢ‖²,  Σⱼ wᵢⱼ = 1:   (Cᵢ + R I) wᵢ ∝ 1,   Cᵢ = ((xₐ − xᵢ)ᵀ(x_b − xᵢ))ₐb
//! min Σᵢ ‖zᵢ − Σⱼ wᵢⱼ zⱼ‖² = tr Zᵀ M Z,   M = (I − W)ᵀ(I − W),   ZᵀZ = I,  Zᵀ1 = 0
//! ```
//!
//! with `R = reg · tr Cᵢ`, or `reg` itself where all neighbours are duplicates of `xᵢ`. `Z` are the lowest eigenvectors
//! of `M` but the constant one.
//!
//! `M 1 = 0` always. When the neighbourhood graph falls into pieces, `M` has other null vectors besides, and which of
//! them a solver returns first is rounding noise. Here exactly the constant vector is deflated, `M + c 11ᵀ/n`, and the
//! rest of the null space is kept: it tells the pieces apart. With [`LleParams::compat`] the first of the lowest `d + 1`
//! eigenvectors is dropped instead, whatever it is, as scikit-learn does; the two agree where the nullity is one.

use super::neighbors::{Neighbors, well_apart};
use super::{
    DEFAULT_D, DEFAULT_NEIGHBORS, Embedding, Reduce, check_dimensions, check_instances,
    check_positive, columns,
};
use crate::linalg::Tridiagonal;
use crate::{Error, Instances, Matrix, Result};

/// An eigenvalue below this, relative to `‖M‖`, is zero.
pub(super) const NULL: f64 = 1e-12;

/// Parameters of [`Lle`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LleParams {
    /// Number of dimensions (5).
    pub d: usize,
    /// Number of neighbours (5).
    pub neighbors: usize,
    /// Regulariser of the local Gram matrices, relative to their trace (10⁻³).
    pub reg: f64,
    /// Drop the first of the lowest `d + 1` eigenvectors instead of the constant one (no).
    pub compat: bool,
}

impl Default for LleParams {
    fn default() -> Self {
        Self { d: DEFAULT_D, neighbors: DEFAULT_NEIGHBORS, reg: 1e-3, compat: false }
    }
}

impl LleParams {
    /// Checks what can be checked without data.
    ///
    /// # Errors
    /// [`Error::Parameter`].
    pub fn check(self) -> Result<Lle> {
        check_positive("d", self.d)?;
        check_positive("neighbors", self.neighbors)?;
        if !(self.reg > 0.0 && self.reg.is_finite()) {
            return Err(Error::parameter("reg", self.reg, "it must be positive and finite"));
        }
        Ok(Lle(self))
    }
}

/// Locally linear embedding.
#[derive(Debug, Clone)]
pub struct Lle(LleParams);

impl Reduce for Lle {
    fn name(&self) -> &'static str {
        "lle"
    }

    fn reduce(&self, instances: &Instances, n: usize) -> Result<Embedding> {
        let LleParams { d, neighbors, reg, compat } = self.0;
        check_instances(instances, n)?;
        let graph = Neighbors::of(instances, n, neighbors)?;
        check_dimensions(d, n - 1)?;
        let mut m = alignment(instances, &graph, reg);
        let norm = norm(&m);
        if !compat {
            deflate_constant(&mut m, norm);
        }
        let skip = usize::from(compat);
        let tridiagonal = Tridiagonal::of(&m);
        let nullity = tridiagonal.count_below(NULL * norm) + 1 - skip;
        let vectors = tridiagonal.lowest(d + skip)?.vectors;
        Ok(Embedding { x: columns(&vectors, skip), nullity: Some(nullity) })
    }
}

/// `M = (I − W)ᵀ(I − W)`, summed over the instances.
fn alignment(instances: &Instances, graph: &Neighbors, reg: f64) -> Matrix {
    let n = graph.len();
    let mut m = Matrix::zeros(n, n);
    let mut weights = Weights::new(graph.index(0).len(), instances.dims());
    for i in 0..n {
        let w = weights.of(instances, graph, i, reg);
        m[(i, i)] += 1.0;
        for (&a, &wa) in graph.index(i).iter().zip(w) {
            m[(i, a)] -= wa;
            m[(a, i)] -= wa;
            for (&b, &wb) in graph.index(i).iter().zip(w) {
                m[(a, b)] += wa * wb;
            }
        }
    }
    m
}

/// `‖M‖∞`, an upper bound of the spectrum.
pub(super) fn norm(m: &Matrix) -> f64 {
    m.iter_rows().fold(0.0, |largest, row| row.iter().map(|x| x.abs()).sum::<f64>().max(largest))
}

/// `M + c 11ᵀ/n`: the constant vector moves from the bottom of the spectrum to `c`, all others stay.
pub(super) fn deflate_constant(m: &mut Matrix, c: f64) {
    let each = c / m.rows() as f64;
    m.as_mut_slice().iter_mut().for_each(|x| *x += each);
}

/// Workspace for the weights of one instance.
struct Weights {
    k: usize,
    gram: Vec<f64>,
    weights: Vec<f64>,
    /// `xₐ − xᵢ`, for neighbours too close for the Gram matrix.
    differences: Matrix,
}

impl Weights {
    fn new(k: usize, dims: usize) -> Self {
        let differences = Matrix::zeros(k, dims);
        Self { k, gram: vec![0.0; k * k], weights: vec![0.0; k], differences }
    }

    fn of(&mut self, instances: &Instances, graph: &Neighbors, i: usize, reg: f64) -> &[f64] {
        let k = self.k;
        self.local_gram(instances, graph, i);
        let trace: f64 = (0..k).map(|a| self.gram[a * k + a]).sum();
        let ridge = if trace > 0.0 { reg * trace } else { reg };
        for a in 0..k {
            self.gram[a * k + a] += ridge;
        }
        cholesky(&mut self.gram, k);
        self.weights.fill(1.0);
        solve(&self.gram, &mut self.weights);
        let total: f64 = self.weights.iter().sum();
        self.weights.iter_mut().for_each(|w| *w /= total);
        &self.weights
    }

    /// The lower triangle of `Cᵢ`.
    fn local_gram(&mut self, instances: &Instances, graph: &Neighbors, i: usize) {
        let (k, index) = (self.k, graph.index(i));
        if well_apart(graph, i) {
            let gram = instances.gram();
            let to_i = gram.row(i);
            for (a, &ja) in index.iter().enumerate() {
                let to_a = gram.row(ja);
                for (b, &jb) in index[..=a].iter().enumerate() {
                    self.gram[a * k + b] = (to_a[jb] - to_i[ja]) + (to_i[i] - to_i[jb]);
                }
            }
        } else {
            let unit = instances.unit();
            for (a, &j) in index.iter().enumerate() {
                let points = unit.row(j).iter().zip(unit.row(i));
                let row = self.differences.row_mut(a);
                row.iter_mut().zip(points).for_each(|(to, (x, center))| *to = x - center);
            }
            for a in 0..k {
                for b in 0..=a {
                    let (row, other) = (self.differences.row(a), self.differences.row(b));
                    self.gram[a * k + b] = row.iter().zip(other).map(|(x, y)| x * y).sum();
                }
            }
        }
    }
}

/// `C = L Lᵀ` in place, in the lower triangle, with the inverse of the diagonal of `L` on the diagonal. The ridge keeps
/// every pivot positive.
fn cholesky(c: &mut [f64], k: usize) {
    for a in 0..k {
        let (above, row) = c.split_at_mut(a * k);
        for b in 0..a {
            let other = &above[b * k..b * k + k];
            let inner: f64 = row[..b].iter().zip(other).map(|(x, y)| x * y).sum();
            row[b] = (row[b] - inner) * other[b];
        }
        let square: f64 = row[..a].iter().map(|x| x * x).sum();
        row[a] = 1.0 / (row[a] - square).sqrt();
    }
}

/// `x ← (L Lᵀ)⁻¹ x`.
fn solve(l: &[f64], x: &mut [f64]) {
    let k = x.len();
    for a in 0..k {
        let row = &l[a * k..a * k + k];
        let inner: f64 = row[..a].iter().zip(&*x).map(|(l, x)| l * x).sum();
        x[a] = (x[a] - inner) * row[a];
    }
    for a in (0..k).rev() {
        let inner: f64 = (a + 1..k).map(|b| l[b * k + a] * x[b]).sum();
        x[a] = (x[a] - inner) * l[a * k + a];
    }
}
