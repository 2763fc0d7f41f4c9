//! Sums over contiguous slices, in a fixed order: fast, and the same on every run.
//!
//! There are three orders of summation, each with its own users, because results must not change from one version to the
//! next: [`dot`] and [`sum`] add eight interleaved partial sums in a tree, [`fused`] adds eight partial sums of fused
//! multiply-adds one after the other, and [`dot_in_order`] goes from the first entry to the last.

/// Number of interleaved partial sums, and of the entries of a [`block`].
pub const LANES: usize = 8;

/// [`LANES`] entries of a slice: as many as the widest vector register holds.
#[inline(always)]
pub fn block<T>(slice: &[T], from: usize) -> &[T; LANES] {
    slice[from..].first_chunk().expect("the slice is padded to complete blocks")
}

/// [`block`], to be written to.
#[inline(always)]
pub fn block_mut<T>(slice: &mut [T], from: usize) -> &mut [T; LANES] {
    slice[from..].first_chunk_mut().expect("the slice is padded to complete blocks")
}

/// The interleaved partial sums of complete blocks, and the sum of what is left; `add` adds a pair of entries to a sum.
#[inline(always)]
pub(super) fn partial_sums(a: &[f64], b: &[f64], add: impl Fn(f64, f64, f64) -> f64) -> ([f64; LANES], f64) {
    let (a8, b8) = (a.chunks_exact(LANES), b.chunks_exact(LANES));
    let mut rest = 0.0;
    for (a, b) in a8.remainder().iter().zip(b8.remainder()) {
        rest = add(rest, *a, *b);
    }
    let mut lanes = [0.0; LANES];
    for (a, b) in a8.zip(b8) {
        for k in 0..LANES {
            lanes[k] = add(lanes[k], a[k], b[k]);
        }
    }
    (lanes, rest)
}

/// `Σᵢ aᵢ bᵢ`.
#[inline(always)]
pub fn dot(a: &[f64], b: &[f64]) -> f64 {
    fold(partial_sums(
        a,
        b,
        #[inline(always)]
        |sum, a, b| sum + a * b,
    ))
}

/// `‖a − b‖²`, in the order of [`dot`].
#[inline(always)]
pub fn squared_difference(a: &[f64], b: &[f64]) -> f64 {
    fold(partial_sums(
        a,
        b,
        #[inline(always)]
        |sum, a, b| sum + (a - b) * (a - b),
    ))
}

/// `Σᵢ aᵢ bᵢ`, from the first entry to the last of the shorter slice.
#[inline(always)]
pub fn dot_in_order(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// `Σᵢ aᵢ`.
#[inline(always)]
pub fn sum(a: &[f64]) -> f64 {
    fold(partial_sums(
        a,
        a,
        #[inline(always)]
        |sum, a, _| sum + a,
    ))
}

/// `y ← y + s x`.
#[inline(always)]
pub fn add_scaled(y: &mut [f64], s: f64, x: &[f64]) {
    for (y, x) in y.iter_mut().zip(x) {
        *y += s * x;
    }
}

/// Euclidean norm.
#[inline(always)]
pub fn norm(a: &[f64]) -> f64 {
    dot(a, a).sqrt()
}

/// Scales a vector to unit length; a zero vector stays.
#[inline(always)]
pub fn to_unit(x: &mut [f64]) {
    let norm = norm(x);
    if norm > 0.0 {
        x.iter_mut().for_each(|v| *v /= norm);
    }
}

#[inline(always)]
fn fold((l, rest): ([f64; LANES], f64)) -> f64 {
    ((l[0] + l[4]) + (l[2] + l[6])) + ((l[1] + l[5]) + (l[3] + l[7])) + rest
}

/// The same operations with fused multiply-adds.
pub mod fused {
    use super::LANES;

    /// `Σᵢ aᵢ bᵢ`.
    #[inline(always)]
    pub fn dot(a: &[f64], b: &[f64]) -> f64 {
        let (lanes, rest) = super::partial_sums(
            a,
            b,
            #[inline(always)]
            |sum, a, b| a.mul_add(b, sum),
        );
        total(&lanes) + rest
    }

    /// `Σᵢ aᵢ` of a slice whose length is a multiple of [`LANES`].
    #[inline(always)]
    pub fn total(a: &[f64]) -> f64 {
        let mut lanes = [0.0; LANES];
        for a in a.chunks_exact(LANES) {
            for l in 0..LANES {
                lanes[l] += a[l];
            }
        }
        lanes.into_iter().fold(0.0, |sum, value| sum + value)
    }

    /// `y ← y + a x`.
    #[inline(always)]
    pub fn add_scaled(y: &mut [f64], a: f64, x: &[f64]) {
        for (y, x) in y.iter_mut().zip(x) {
            *y = a.mul_add(*x, *y);
        }
    }

    /// `y ← x + a y`.
    #[inline(always)]
    pub fn scale_add(y: &mut [f64], a: f64, x: &[f64]) {
        for (y, x) in y.iter_mut().zip(x) {
            *y = a.mul_add(*y, *x);
        }
    }
}

/// The first of the largest entries.
pub fn arg_max(p: &[f64]) -> usize {
    let mut best = 0;
    for (k, value) in p.iter().enumerate() {
        if *value > p[best] {
            best = k;
        }
    }
    best
}
