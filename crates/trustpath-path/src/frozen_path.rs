//! Credibility, and the path that others are judged against once it is frozen.
//!
//! A path is fitted to the one-hot labels of a pool. Any instance with coordinates `x` can then be asked, for any label
//! `k`: from which `λ` on would its parameter be zero?
//!
//! ```text
//! λ(x, k) = the smallest λ with ‖e_k − β(λ')ᵀx‖ ≤ λ'  for all λ' ≥ λ,        credibility = max(0, 1 − λ/√2)
//! ```
//!
//! `√2` is the distance between the corners of two classes. So credibility is 1 where the regression puts an instance
//! right on the corner of its label, ½ where it stands half-way to another one, and 0 where it stands on that other one.
//!
//! With `f = β(λ)ᵀx` the squared distance is `‖f‖² − 2f_k + 1`. Where there are more than a few classes, only labels are
//! followed down the path whose `f_k` is among the largest somewhere on it: at any one `λ` these are the nearest, so that
//! the label that vanishes first is one of them. Where there are more classes than coordinates, `‖f‖² = xᵀ(ββᵀ)x` and a
//! few `f_k` cost less than all of `f`.

use rayon::prelude::*;

use crate::Matrix;
use crate::incidental::Path;
use crate::limits::FEW_CLASSES;
use crate::linalg::block::multiply;
use crate::linalg::geometry::most_similar;
use crate::linalg::simd;
use crate::linalg::vector::dot;
use crate::one_hot_fit::{LabelDescent, ROWS, Turned};

/// Places on the path where the nearest labels are looked for, with more classes.
const LOOKS: usize = 4;
/// Labels followed from each of these places.
const NEAREST: usize = 4;

/// The coefficients of a path, at every `λ` of its grid.
#[derive(Debug, Clone, PartialEq)]
pub struct FrozenPath {
    /// The grid, descending.
    pub lambda: Vec<f64>,
    /// `β(λ)`, `d × c`, for every `λ`.
    pub beta: Vec<Matrix>,
}

/// What a frozen path says of an instance.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Judgement {
    /// The label that it was judged under.
    pub label: usize,
    /// Where that vanishes.
    pub vanish: f64,
    /// The other label that vanishes first.
    pub rival: usize,
    /// Where that vanishes.
    pub rival_vanish: f64,
}

impl Judgement {
    /// How credible the label is: `rival / (label + rival)` of where the two vanish, ½ where both fit equally well and 1 where
    /// no other label fits at all. Unlike `λ` itself it does not depend on the number of classes and coordinates.
    pub fn credibility(&self) -> f64 {
        match self.vanish + self.rival_vanish {
            sum if sum > 0.0 => self.rival_vanish / sum,
            _ => 0.5,
        }
    }

    /// Of where each label vanishes: judged under `label`.
    pub fn of(vanish: &[f64], label: usize) -> Self {
        Self::among(vanish.iter().copied().enumerate(), Some(label))
    }

    /// Of labels and where they vanish: judged under `label`, or under the first to vanish.
    fn among(candidates: impl Iterator<Item = (usize, f64)> + Clone, label: Option<usize>) -> Self {
        let first = |excluded: Option<usize>| {
            let others = candidates.clone().filter(|&(k, _)| Some(k) != excluded);
            let best = others.min_by(|a, b| a.1.total_cmp(&b.1).then(a.0.cmp(&b.0)));
            best.unwrap_or((excluded.unwrap_or(0), f64::MAX))
        };
        let (label, vanish) = match label {
            None => first(None),
            Some(label) => {
                let candidate = candidates.clone().find(|&(k, _)| k == label);
                candidate.unwrap_or((label, f64::MAX))
            }
        };
        let (rival, rival_vanish) = first(Some(label));
        Self { label, vanish, rival, rival_vanish }
    }
}

impl FrozenPath {
    /// Of a path whose coefficients were asked for.
    pub fn of(path: &Path) -> Self {
        Self { lambda: path.lambda.clone(), beta: path.beta.clone().unwrap_or_default() }
    }

    /// Coordinates that it reads.
    pub fn dims(&self) -> usize {
        self.beta.first().map_or(0, Matrix::rows)
    }

    /// Judges rows of `x`, of which the first coordinates count: the `k`-th of them under `label(k)`, or under the label
    /// that vanishes first.
    pub fn judge(&self, x: &Matrix, rows: &[usize], label: impl Fn(usize) -> Option<usize> + Sync) -> Vec<Judgement> {
        let (d, c) = (self.dims(), self.beta.first().map_or(0, Matrix::cols));
        let turned: Option<Vec<Turned>> = self.beta.par_iter().map(Turned::of).collect();
        let judge = |(block, rows): (usize, &[usize])| {
            let mut gathered = Vec::with_capacity(rows.len() * d);
            rows.iter().for_each(|&row| gathered.extend_from_slice(&x.row(row)[..d]));
            let label = |at: usize| label(block * ROWS + at);
            self.judge_block(&gathered, c, turned.as_deref(), label)
        };
        rows.par_chunks(ROWS).enumerate().flat_map_iter(judge).collect()
    }

    fn judge_block(
        &self,
        x: &[f64],
        c: usize,
        turned: Option<&[Turned]>,
        label: impl Fn(usize) -> Option<usize>,
    ) -> Vec<Judgement> {
        let rows = x.len() / self.dims().max(1);
        let mut followed = self.candidates(x, c, &label);
        let mut sheet = vec![0.0; rows * if turned.is_some() { self.dims() } else { c }];
        for (step, (beta, &lambda)) in self.beta.iter().zip(&self.lambda).enumerate() {
            let before = step.checked_sub(1).map(|above| self.lambda[above]);
            match turned {
                None => {
                    multiply(x, rows, beta.view(), &mut sheet);
                    for (fit, followed) in sheet.chunks_exact(c).zip(&mut followed) {
                        let square = simd::dispatch(
                            fit,
                            #[inline(always)]
                            |fit| dot(fit, fit),
                        );
                        for (k, descent) in followed {
                            descent.down(before, lambda, square - 2.0 * fit[*k] + 1.0);
                        }
                    }
                }
                Some(turned) => {
                    let (Turned { beta, gram }, d) = (&turned[step], self.dims());
                    multiply(x, rows, gram.view(), &mut sheet);
                    let rows = x.chunks_exact(d).zip(sheet.chunks_exact(d));
                    simd::dispatch(
                        (rows, &mut followed, before, lambda, beta),
                        #[inline(always)]
                        |(rows, followed, before, lambda, beta)| {
                            for ((x, bent), followed) in rows.zip(followed) {
                                let square = dot(x, bent);
                                for (k, descent) in followed {
                                    let fit = dot(x, beta.row(*k));
                                    descent.down(before, lambda, square - 2.0 * fit + 1.0);
                                }
                            }
                        },
                    );
                }
            }
        }
        let judged = |(at, followed): (usize, &Vec<(usize, LabelDescent)>)| {
            Judgement::among(followed.iter().map(|(k, descent)| (*k, descent.vanish)), label(at))
        };
        followed.iter().enumerate().map(judged).collect()
    }

    /// The labels of each row that are worth following, among them the one that it is judged under.
    fn candidates(
        &self,
        x: &[f64],
        c: usize,
        label: impl Fn(usize) -> Option<usize>,
    ) -> Vec<Vec<(usize, LabelDescent)>> {
        let rows = x.len() / self.dims().max(1);
        let start = |k: usize| (k, LabelDescent::default());
        if c <= FEW_CLASSES {
            return vec![(0..c).map(start).collect(); rows];
        }
        let mut followed: Vec<Vec<(usize, LabelDescent)>> =
            (0..rows).map(|at| label(at).map(start).into_iter().collect()).collect();
        let mut fit = vec![0.0; rows * c];
        let last = self.beta.len() - 1;
        for look in (1..=LOOKS).map(|k| last * k / LOOKS) {
            multiply(x, rows, self.beta[look].view(), &mut fit);
            for (fit, followed) in fit.chunks_exact(c).zip(&mut followed) {
                for k in most_similar(fit, c, NEAREST) {
                    if followed.iter().all(|(other, _)| *other != k) {
                        followed.push(start(k));
                    }
                }
            }
        }
        followed
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::incidental::{Grid, IciRParams, Incidental, Keep};
    use crate::testing::many_classes;

    fn path(x: &Matrix, labels: &[usize], classes: usize, points: usize) -> Path {
        let params = IciRParams { grid: Grid { points, ratio: 0.01 }, ..Default::default() };
        let keep = Keep { beta: true, ..Keep::default() };
        params.check().unwrap().path(x, labels, classes, keep).unwrap()
    }

    #[test]
    fn the_frozen_path_judges_the_instances_of_the_path_as_the_path_did() {
        let x = Matrix::from_fn(60, 3, |i, j| f64::from(u8::from(i % 3 == j)) + 0.4 * ((i * 7 + j * 3) as f64).sin());
        let labels: Vec<usize> = (0..60).map(|i| if i % 11 == 0 { (i + 1) % 3 } else { i % 3 }).collect();
        let path = path(&x, &labels, 3, 200);
        let rows: Vec<usize> = (0..60).collect();
        let judged = FrozenPath::of(&path).judge(&x, &rows, |at| Some(labels[at]));
        for (i, (judged, theirs)) in judged.iter().zip(&path.vanish).enumerate() {
            let ours = judged.vanish;
            assert!((ours - theirs).abs() < 2e-3 * path.lambda[0], "{i}: {ours} {theirs}");
        }
        // A label that fits vanishes before one that does not.
        assert!(judged[1].vanish < judged[1].rival_vanish);
        assert!(judged[11].vanish > judged[11].rival_vanish && judged[11].rival == 2);
        let best = FrozenPath::of(&path).judge(&x, &[11], |_| None);
        assert_eq!((best[0].label, best[0].vanish), (2, judged[11].rival_vanish));
    }

    #[test]
    fn with_many_classes_the_same_labels_come_first() {
        let (n, c) = (400, 40);
        let (x, labels) = many_classes(n);
        let frozen = FrozenPath::of(&path(&x, &labels, c, 40));
        let rows: Vec<usize> = (0..n).collect();
        let label = |at: usize| (!at.is_multiple_of(3)).then(|| labels[at]);
        let turned = frozen.judge(&x, &rows, label);
        let plain = frozen.judge_block(x.as_slice(), c, None, label);
        for (at, (judged, plain)) in turned.iter().zip(&plain).enumerate() {
            // Every label by itself, which is then followed whatever its fit.
            let each = |k: usize| frozen.judge(&x, &[at], |_| Some(k))[0].vanish;
            let all: Vec<f64> = (0..c).map(each).collect();
            let all = Judgement::among(all.into_iter().enumerate(), label(at));
            for other in [plain, &all] {
                assert_eq!((judged.label, judged.rival), (other.label, other.rival));
                assert!((judged.vanish - other.vanish).abs() < 1e-12);
                assert!((judged.rival_vanish - other.rival_vanish).abs() < 1e-12);
            }
        }
    }

    #[test]
    fn credibility_compares_a_label_with_its_rival() {
        let of = |vanish: &[f64], label| Judgement::of(vanish, label).credibility();
        assert_eq!(of(&[0.0, 1.0, 1.4], 0), 1.0);
        assert_eq!(of(&[0.5, 0.5, 1.4], 1), 0.5);
        assert_eq!(of(&[0.3, 0.9, 1.4], 1), 0.25);
        assert_eq!(of(&[0.0, 0.0], 1), 0.5);
    }
}
