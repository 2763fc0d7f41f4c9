//! Sums over contiguous slices, in a fixed order of eight lanes: fast, and the same on every run.

const LANES: usize = 8;

/// `Σᵢ aᵢ bᵢ`.
#[inline(always)]
pub(crate) fn dot(a: &[f64], b: &[f64]) -> f64 {
    let mut lanes = [0.0; LANES];
    let (a8, b8) = (a.chunks_exact(LANES), b.chunks_exact(LANES));
    let tail: f64 = a8.remainder().iter().zip(b8.remainder()).map(|(x, y)| x * y).sum();
    for (x, y) in a8.zip(b8) {
        for k in 0..LANES {
            lanes[k] += x[k] * y[k];
        }
    }
    fold(lanes) + tail
}

/// `Σᵢ aᵢ bᵢ`, added one after the other: slower than [`dot`], for results that were published with this order.
pub(crate) fn dot_in_order(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// `Σᵢ aᵢ`.
#[inline(always)]
pub(crate) fn sum(a: &[f64]) -> f64 {
    let mut lanes = [0.0; LANES];
    let a8 = a.chunks_exact(LANES);
    let tail: f64 = a8.remainder().iter().sum();
    for x in a8 {
        for k in 0..LANES {
            lanes[k] += x[k];
        }
    }
    fold(lanes) + tail
}

/// `y ← y + s x`.
#[inline(always)]
pub(crate) fn add_scaled(y: &mut [f64], s: f64, x: &[f64]) {
    for (y, x) in y.iter_mut().zip(x) {
        *y += s * x;
    }
}

/// Euclidean norm.
#[inline(always)]
pub(crate) fn norm(a: &[f64]) -> f64 {
    dot(a, a).sqrt()
}

/// Scales a vector to unit length; a zero vector stays.
#[inline(always)]
pub(crate) fn to_unit(x: &mut [f64]) {
    let norm = norm(x);
    if norm > 0.0 {
        x.iter_mut().for_each(|v| *v /= norm);
    }
}

#[inline(always)]
fn fold(l: [f64; LANES]) -> f64 {
    ((l[0] + l[4]) + (l[2] + l[6])) + ((l[1] + l[5]) + (l[3] + l[7]))
}
