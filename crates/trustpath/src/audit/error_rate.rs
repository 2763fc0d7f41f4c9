//! How many labels are wrong, and how probably each of them is.
//!
//! The path gives a probability of every label `k` of an instance, and mistakes are a mixture with it:
//!
//! ```text
//! p(k | i) ∝ exp(−τ λ(i, k))                            what a right label looks like
//! given label y:  (1 − ε) p̃(y | i) + ε q(y | i)         ε the error rate,   q(y | i) = (1 − p̃(y | i)) / (c − 1)
//! p̃ = (1 − π) p_τ + π p_{τ/2}                           a share π of the right labels is atypical
//! probability that the label of i is wrong  =  ε q / ((1 − ε) p̃ + ε q)
//! ```
//!
//! `τ` and `ε` maximise the likelihood of the given labels. Right labels that fit badly become rare at the rate `τ`; wrong ones
//! do not, since they were not chosen by the features. That difference identifies `ε`, under the assumption that mistakes go to any other
//! class. `π` is fixed: fitted, it would explain every mistake.
//!
//! Where mistakes go to similar classes instead, they look like ambiguous instances and this counts too few. So there is a
//! second estimate, an upper one ([`upper_rate`]): `q(y | i) = Σ_z p(z | i) Q(z, y)`, where `Q`, fitted as well, is the probability that class `z`
//! is mistaken for `y`. It takes ambiguous instances for mistakes where classes overlap, so it counts too many.

use rayon::prelude::*;

/// The share of right labels that are atypical.
const ATYPICAL: f64 = 0.02;
/// By how much an atypical instance spreads its probability.
const SPREAD: f64 = 2.0;
/// The same in the upper estimate, which fits the share of atypical ones.
const UPPER_SPREAD: f64 = 3.0;
/// The range of `τ` and the number of values tried in it, before the best is refined.
const TAU: (f64, f64, usize) = (2.0, 80.0, 20);
/// Classes up to which these ranges are wide enough. With more, the coordinates hold no corner for each class, the `λ` of the labels of an
/// instance differ by less in proportion, and the ranges go on as far.
const TAU_CLASSES: f64 = 64.0;
/// Refinements, each of which halves the step.
const REFINED: usize = 5;
/// The same for the upper estimate, which needs `τ` less exactly.
const UPPER_TAU: (f64, f64, usize) = (4.0, 40.0, 10);
/// Iterations of the upper estimate, and after how many `Q` is fitted again.
const UPPER_STEPS: (usize, usize) = (60, 10);
/// Mistakes of each class that `Q` starts from, spread over all other classes.
const SMOOTHING: f64 = 20.0;
/// The largest error rate that is considered.
const MOST: f64 = 0.9;

/// Where every label of some instances vanishes.
#[derive(Debug)]
pub(super) struct VanishTable {
    pub classes: usize,
    /// `λ(i, k)`, one row per instance.
    pub vanish: Vec<f32>,
    /// The given labels.
    pub labels: Vec<usize>,
}

/// The fitted mixture.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct MistakeModel {
    tau: f64,
    pub rate: f64,
    /// The standard error of the rate, given `τ`.
    pub error: f64,
}

impl MistakeModel {
    /// Fits the mixture to the given labels of a sample.
    pub fn fit(table: &VanishTable) -> Self {
        let of = |tau: f64| Self::at(table, tau);
        let (tried, step) = range(TAU, table.classes);
        let (low, high) = (tried[0], tried[tried.len() - 1]);
        let first = (f64::NEG_INFINITY, Self { tau: low, rate: 0.0, error: 0.0 });
        let mut best = tried.into_iter().map(of).fold(first, better);
        let mut half = 0.5 * step;
        for _ in 0..REFINED {
            let tau = best.1.tau;
            for factor in [-half, half] {
                best = better(best, of((tau * factor.exp()).clamp(low, high)));
            }
            half *= 0.5;
        }
        best.1
    }

    /// The best rate for this `τ`, and the likelihood.
    fn at(table: &VanishTable, tau: f64) -> (f64, Self) {
        let densities: Vec<(f64, f64)> = table.densities(|vanish, label| {
            let right = typical(vanish, label, tau);
            (right, wrong(right, table.classes))
        });
        let slope = |rate: f64| {
            let terms = densities.iter().map(|(p, q)| (q - p) / ((1.0 - rate) * p + rate * q));
            terms.sum::<f64>()
        };
        // The likelihood is concave in the rate, so its slope changes sign at most once.
        let (mut low, mut high) = (0.0, MOST);
        if slope(low) <= 0.0 {
            high = 0.0;
        }
        for _ in 0..40 {
            let middle = 0.5 * (low + high);
            if slope(middle) > 0.0 { low = middle } else { high = middle }
        }
        let rate = 0.5 * (low + high);
        let (mut likelihood, mut information) = (0.0, 0.0);
        for (p, q) in &densities {
            let mixed = (1.0 - rate) * p + rate * q;
            likelihood += mixed.ln();
            information += ((q - p) / mixed).powi(2);
        }
        let error = if information > 0.0 { information.sqrt().recip() } else { 0.0 };
        (likelihood, Self { tau, rate, error })
    }

    /// The probability that `label` is wrong for an instance whose labels vanish at `vanish`.
    pub fn probability<T: Copy + Into<f64>>(&self, vanish: &[T], label: usize) -> f64 {
        let right = typical(vanish, label, self.tau);
        let (p, q) = ((1.0 - self.rate) * right, self.rate * wrong(right, vanish.len()));
        if p + q > 0.0 { q / (p + q) } else { 0.0 }
    }
}

/// The values of `τ` to try, ascending, and the logarithm of the ratio of neighbouring ones.
fn range((low, high, count): (f64, f64, usize), classes: usize) -> (Vec<f64>, f64) {
    let step = (high / low).ln() / (count - 1) as f64;
    let further = (classes as f64 / TAU_CLASSES).max(1.0).ln() / step;
    let values = (0..count + further.ceil() as usize).map(|k| low * (step * k as f64).exp());
    (values.collect(), step)
}

fn better(best: (f64, MistakeModel), other: (f64, MistakeModel)) -> (f64, MistakeModel) {
    if other.0 > best.0 { other } else { best }
}

/// `p̃(label)`, never zero.
fn typical<T: Copy + Into<f64>>(vanish: &[T], label: usize, tau: f64) -> f64 {
    let spread = softmax(vanish, label, tau / SPREAD);
    ((1.0 - ATYPICAL) * softmax(vanish, label, tau) + ATYPICAL * spread).max(f64::MIN_POSITIVE)
}

/// `q(label)`, where `p̃(label)` is `right`.
fn wrong(right: f64, classes: usize) -> f64 {
    ((1.0 - right) / (classes - 1) as f64).max(f64::MIN_POSITIVE)
}

/// `exp(−τ λ_label) / Σ_k exp(−τ λ_k)`.
fn softmax<T: Copy + Into<f64>>(vanish: &[T], label: usize, tau: f64) -> f64 {
    let own: f64 = vanish[label].into();
    let sum: f64 = vanish.iter().map(|&other| (tau * (own - other.into())).exp()).sum();
    1.0 / sum
}

impl VanishTable {
    fn rows(&self) -> impl IndexedParallelIterator<Item = (&[f32], usize)> {
        self.vanish.par_chunks_exact(self.classes).zip(self.labels.par_iter().copied())
    }

    fn densities<T: Send>(&self, of: impl Fn(&[f32], usize) -> T + Sync) -> Vec<T> {
        self.rows().map(|(vanish, label)| of(vanish, label)).collect()
    }
}

/// The upper estimate of the error rate, with mistakes that may prefer certain classes.
pub(super) fn upper_rate(table: &VanishTable) -> f64 {
    let (tried, _) = range(UPPER_TAU, table.classes);
    let tried: Vec<(f64, f64)> = tried.into_par_iter().map(|tau| upper_at(table, tau)).collect();
    let best = tried.into_iter().max_by(|a, b| a.0.total_cmp(&b.0));
    best.map_or(0.0, |(_, rate)| rate)
}

/// Expectation maximisation at one `τ`: the likelihood and the rate.
fn upper_at(table: &VanishTable, tau: f64) -> (f64, f64) {
    let (n, c) = (table.labels.len(), table.classes);
    // The probabilities of all labels.
    let mut p: Vec<f64> = table.vanish.iter().map(|&v| f64::from(v)).collect();
    let rows = || table.vanish.chunks_exact(c).zip(&table.labels);
    let spread: Vec<f64> = rows().map(|(v, &label)| softmax(v, label, tau / UPPER_SPREAD)).collect();
    for row in p.chunks_exact_mut(c) {
        let least = row.iter().copied().fold(f64::INFINITY, f64::min);
        row.iter_mut().for_each(|v| *v = (-tau * (*v - least)).exp());
        let sum: f64 = row.iter().sum();
        row.iter_mut().for_each(|v| *v /= sum);
    }
    let typical: Vec<f64> = p.chunks_exact(c).zip(&table.labels).map(|(p, &l)| p[l]).collect();
    let mut q: Vec<f64> = typical.iter().map(|&p| wrong(p, c)).collect();
    let (mut rate, mut atypical, mut likelihood) = (0.05, 0.1, 0.0);
    let (steps, again) = UPPER_STEPS;
    for step in 0..steps {
        let (mut mistaken, mut odd) = (0.0, 0.0);
        let mut posterior = Vec::with_capacity(n);
        likelihood = 0.0;
        for ((&p, &s), &q) in typical.iter().zip(&spread).zip(&q) {
            let parts = [(1.0 - rate) * (1.0 - atypical) * p, (1.0 - rate) * atypical * s, rate * q];
            let sum = (parts[0] + parts[1] + parts[2]).max(f64::MIN_POSITIVE);
            likelihood += sum.ln();
            odd += parts[1] / sum;
            mistaken += parts[2] / sum;
            posterior.push(parts[2] / sum);
        }
        if (step + 1) % again == 0 {
            q = mistaken_for(&p, &posterior, table);
        }
        rate = (mistaken / n as f64).min(MOST);
        atypical = (odd / (n as f64 - mistaken).max(1.0)).min(MOST);
    }
    (likelihood, rate)
}

/// `Σ_z p(z | i) Q(z, y)` for every instance, with `Q` fitted to what is probably a mistake.
fn mistaken_for(p: &[f64], posterior: &[f64], table: &VanishTable) -> Vec<f64> {
    let c = table.classes;
    let start = SMOOTHING / (c - 1) as f64;
    let mut counts = vec![start; c * c];
    (0..c).for_each(|z| counts[z * c + z] = 0.0);
    for ((p, &mistaken), &label) in p.chunks_exact(c).zip(posterior).zip(&table.labels) {
        let others = 1.0 - p[label];
        if others > 0.0 {
            let of = |z: usize| if z == label { 0.0 } else { mistaken * p[z] / others };
            (0..c).for_each(|z| counts[z * c + label] += of(z));
        }
    }
    for row in counts.chunks_exact_mut(c) {
        let sum: f64 = row.iter().sum();
        row.iter_mut().for_each(|count| *count /= sum);
    }
    let of = |(p, &label): (&[f64], &usize)| {
        let sum: f64 = p.iter().enumerate().map(|(z, p)| p * counts[z * c + label]).sum();
        sum.max(f64::MIN_POSITIVE)
    };
    p.chunks_exact(c).zip(&table.labels).map(of).collect()
}
