//! Spectral embedding (Laplacian eigenmaps, Belkin and Niyogi 2003).
//!
//! Coordinates under which instances that are neighbours stay together:
//!
//! ```text
//! min Σᵢⱼ aᵢⱼ ‖zᵢ − zⱼ‖²,   Zᵀ D Z = I,  Zᵀ D 1 = 0;   A = (G + Gᵀ)/2,  D = diag(A 1)
//! ```
//!
//! with `G` the 0/1 graph of the nearest neighbours. `Z = D^(−½) V`, `V` the lowest eigenvectors of the normalised
//! Laplacian `L = I − D^(−½) A D^(−½)` but `D^½ 1`, which is its null vector always. When the graph falls into pieces it
//! is still this one that is deflated; the others are kept, for they tell the pieces apart.
//!
//! As in scikit-learn a neighbourhood has `n / 10` members, one of which is the instance itself, and self-loops do not
//! count. Below 20 instances that would leave no edge at all, so a neighbourhood here has at least two members.

use super::lle::NULL;
use super::neighbors::Neighbors;
use super::{
    DEFAULT_D, Embedding, Reduce, check_dimensions, check_instances, check_positive, columns,
};
use crate::linalg::Tridiagonal;
use crate::{Error, Instances, Matrix, Result};

/// The spectrum of a normalised Laplacian ends at 2.
const BEYOND: f64 = 2.0;

/// Parameters of [`Spectral`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SpectralParams {
    /// Number of dimensions (5).
    pub d: usize,
    /// Members of a neighbourhood, the instance itself counted (a tenth of the instances).
    pub members: Option<usize>,
}

impl Default for SpectralParams {
    fn default() -> Self {
        Self { d: DEFAULT_D, members: None }
    }
}

impl SpectralParams {
    /// Checks what can be checked without data.
    ///
    /// # Errors
    /// [`Error::Parameter`].
    pub fn check(self) -> Result<Spectral> {
        check_positive("d", self.d)?;
        if self.members.is_some_and(|members| members < 2) {
            let members = self.members.unwrap_or_default();
            return Err(Error::parameter("members", members, "it must be at least 2"));
        }
        Ok(Spectral(self))
    }
}

/// Spectral embedding.
#[derive(Debug, Clone)]
pub struct Spectral(SpectralParams);

impl Reduce for Spectral {
    fn name(&self) -> &'static str {
        "se"
    }

    fn reduce(&self, instances: &Instances, n: usize) -> Result<Embedding> {
        let SpectralParams { d, members } = self.0;
        check_instances(instances, n)?;
        let members = members.unwrap_or((n / 10).max(2));
        let graph = Neighbors::of(instances, n, members - 1)?;
        check_dimensions(d, n - 1)?;
        let mut laplacian = affinity(&graph);
        let root: Vec<f64> =
            laplacian.iter_rows().map(|row| row.iter().sum::<f64>().sqrt()).collect();
        let total: f64 = root.iter().map(|r| r * r).sum();
        for i in 0..n {
            for (j, l) in laplacian.row_mut(i).iter_mut().enumerate() {
                *l = BEYOND * root[i] * root[j] / total - *l / (root[i] * root[j]);
            }
            laplacian[(i, i)] += 1.0;
        }
        let tridiagonal = Tridiagonal::of(&laplacian);
        let nullity = Some(tridiagonal.count_below(NULL * BEYOND) + 1);
        let mut x = columns(&tridiagonal.lowest(d)?.vectors, 0);
        for (i, root) in root.iter().enumerate() {
            x.row_mut(i).iter_mut().for_each(|x| *x /= root);
        }
        Ok(Embedding { x, nullity })
    }
}

/// `(G + Gᵀ)/2` without self-loops. Every instance has a neighbour, so no row is zero.
fn affinity(graph: &Neighbors) -> Matrix {
    let n = graph.len();
    let mut a = Matrix::zeros(n, n);
    for i in 0..n {
        for &j in graph.index(i) {
            a[(i, j)] += 0.5;
            a[(j, i)] += 0.5;
        }
    }
    a
}
