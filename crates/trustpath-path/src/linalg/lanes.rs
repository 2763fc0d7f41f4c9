//! Instances side by side in the lanes of vector registers.
//!
//! As many instances as a register holds form a group; the group's numbers of one kind are one vector. A kernel is a struct
//! that implements [`pulp::WithSimd`], generic over the instruction set and run by [`run`] with the best one this machine
//! has. [`Vector`] gives it the usual operators, [`View`] and [`ViewMut`] its operands, group by group.

use pulp::{Simd, WithSimd};

/// Runs a kernel with the widest instruction set of this machine.
pub fn run<K: WithSimd>(kernel: K) -> K::Output {
    pulp::Arch::new().dispatch(kernel)
}

/// The number of lanes of this machine's vectors.
pub fn lanes() -> usize {
    struct Lanes;
    impl WithSimd for Lanes {
        type Output = usize;

        #[inline(always)]
        fn with_simd<S: Simd>(self, _: S) -> usize {
            S::F64_LANES
        }
    }
    run(Lanes)
}

/// How instances are cut into groups; the last may end in spare lanes.
#[derive(Debug, Clone, Copy)]
pub struct Layout {
    pub groups: usize,
    /// Logarithm of the number of lanes, which is a power of two: shifts are faster than divisions.
    shift: u32,
}

impl Layout {
    pub fn new(rows: usize) -> Self {
        let lanes = lanes();
        Self { groups: rows.div_ceil(lanes), shift: lanes.trailing_zeros() }
    }

    /// Number of lanes, including the spare ones.
    pub fn width(&self) -> usize {
        self.groups << self.shift
    }

    /// Room for one number of each of `kinds` kinds per instance.
    pub fn room(&self, kinds: usize) -> Vec<f64> {
        vec![0.0; kinds * self.width()]
    }

    /// Index of number `kind` of instance `i`; for a single kind that is `i`.
    pub fn at(&self, i: usize, kinds: usize, kind: usize) -> usize {
        let group = i >> self.shift;
        (((group * kinds + kind) << self.shift) + i) - (group << self.shift)
    }
}

/// As many numbers as fit a register.
#[derive(Clone, Copy)]
pub struct Vector<S: Simd> {
    simd: S,
    lanes: S::f64s,
}

impl<S: Simd> Vector<S> {
    #[inline(always)]
    pub fn splat(simd: S, value: f64) -> Self {
        Self { simd, lanes: simd.splat_f64s(value) }
    }

    /// The same number in every lane of a vector like this one.
    #[inline(always)]
    pub fn like(self, value: f64) -> Self {
        Self::splat(self.simd, value)
    }

    /// `self · b + c`.
    #[inline(always)]
    pub fn mul_add(self, b: Self, c: Self) -> Self {
        Self { lanes: self.simd.mul_add_e_f64s(self.lanes, b.lanes, c.lanes), ..self }
    }

    #[inline(always)]
    pub fn max(self, other: Self) -> Self {
        Self { lanes: self.simd.max_f64s(self.lanes, other.lanes), ..self }
    }

    #[inline(always)]
    pub fn abs(self) -> Self {
        Self { lanes: self.simd.abs_f64s(self.lanes), ..self }
    }

    #[inline(always)]
    pub fn sqrt(self) -> Self {
        Self { lanes: self.simd.sqrt_f64s(self.lanes), ..self }
    }

    /// `yes` in the lanes where `self > bound`, `no` in the others.
    #[inline(always)]
    pub fn above(self, bound: Self, yes: Self, no: Self) -> Self {
        let mask = self.simd.greater_than_f64s(self.lanes, bound.lanes);
        Self { lanes: self.simd.select_f64s(mask, yes.lanes, no.lanes), ..self }
    }

    /// The sum of the lanes.
    #[inline(always)]
    pub fn total(self) -> f64 {
        self.simd.reduce_sum_f64s(self.lanes)
    }
}

macro_rules! operator {
    ($($trait:ident $method:ident $simd:ident),*) => {$(
        impl<S: Simd> std::ops::$trait for Vector<S> {
            type Output = Self;

            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                Self { lanes: self.simd.$simd(self.lanes, other.lanes), ..self }
            }
        }
    )*};
}

operator!(Add add add_f64s, Sub sub sub_f64s, Mul mul mul_f64s, Div div div_f64s);

/// Numbers of several kinds, seen as vectors, group after group.
#[derive(Clone, Copy)]
pub struct View<'a, S: Simd> {
    simd: S,
    vectors: &'a [S::f64s],
    kinds: usize,
}

impl<'a, S: Simd> View<'a, S> {
    #[inline(always)]
    pub fn new(simd: S, numbers: &'a [f64], kinds: usize) -> Self {
        Self { simd, vectors: S::as_simd_f64s(numbers).0, kinds }
    }

    /// Group `g` alone: one vector of each kind.
    #[inline(always)]
    pub fn group(&self, g: usize) -> Self {
        Self { vectors: &self.vectors[g * self.kinds..(g + 1) * self.kinds], ..*self }
    }

    /// The first `count` groups, or as many as there are.
    #[inline(always)]
    pub fn first(&self, count: usize) -> Self {
        Self { vectors: &self.vectors[..self.vectors.len().min(count * self.kinds)], ..*self }
    }

    pub fn kinds(&self) -> usize {
        self.kinds
    }

    /// The vector of a kind in the first group.
    #[inline(always)]
    pub fn get(&self, kind: usize) -> Vector<S> {
        Vector { simd: self.simd, lanes: self.vectors[kind] }
    }

    /// `Σ aⱼ · kind j` in the first group.
    #[inline(always)]
    pub fn dot(&self, a: &[f64]) -> Vector<S> {
        let mut sum = Vector::splat(self.simd, 0.0);
        for (&lanes, &a) in self.vectors.iter().zip(a) {
            sum = Vector { lanes, ..sum }.mul_add(Vector::splat(self.simd, a), sum);
        }
        sum
    }
}

/// A [`View`] to be written.
pub struct ViewMut<'a, S: Simd> {
    simd: S,
    vectors: &'a mut [S::f64s],
    kinds: usize,
}

impl<'a, S: Simd> ViewMut<'a, S> {
    #[inline(always)]
    pub fn new(simd: S, numbers: &'a mut [f64], kinds: usize) -> Self {
        Self { simd, vectors: S::as_mut_simd_f64s(numbers).0, kinds }
    }

    /// Group `g` alone.
    #[inline(always)]
    pub fn group(&mut self, g: usize) -> ViewMut<'_, S> {
        let vectors = &mut self.vectors[g * self.kinds..(g + 1) * self.kinds];
        ViewMut { simd: self.simd, vectors, kinds: self.kinds }
    }

    #[inline(always)]
    pub fn get(&self, kind: usize) -> Vector<S> {
        Vector { simd: self.simd, lanes: self.vectors[kind] }
    }

    #[inline(always)]
    pub fn set(&mut self, kind: usize, value: Vector<S>) {
        self.vectors[kind] = value.lanes;
    }
}

/// Adds the inner product of kind `i` of `a` and kind `j` of `b` to `out[i · kinds_b + j]`, always in the same order.
#[inline(always)]
pub fn gram<S: Simd>(a: View<'_, S>, b: View<'_, S>, out: &mut [f64]) {
    let (m, n) = (a.kinds, b.kinds);
    for i in (0..m).step_by(3) {
        for j in (0..n).step_by(3) {
            let to = &mut out[i * n + j..];
            match ((m - i).min(3), (n - j).min(3)) {
                (3, 3) => tile::<S, 3, 3>(a, b, (i, j), to),
                (3, 2) => tile::<S, 3, 2>(a, b, (i, j), to),
                (3, _) => tile::<S, 3, 1>(a, b, (i, j), to),
                (2, 3) => tile::<S, 2, 3>(a, b, (i, j), to),
                (2, 2) => tile::<S, 2, 2>(a, b, (i, j), to),
                (2, _) => tile::<S, 2, 1>(a, b, (i, j), to),
                (_, 3) => tile::<S, 1, 3>(a, b, (i, j), to),
                (_, 2) => tile::<S, 1, 2>(a, b, (i, j), to),
                _ => tile::<S, 1, 1>(a, b, (i, j), to),
            }
        }
    }
}

/// A tile of [`gram`]: nine running sums keep the multipliers busy and fit the registers.
#[inline(always)]
fn tile<S: Simd, const M: usize, const N: usize>(
    a: View<'_, S>,
    b: View<'_, S>,
    (i, j): (usize, usize),
    out: &mut [f64],
) {
    let simd = a.simd;
    let mut sums = [[Vector::splat(simd, 0.0); N]; M];
    for (a, b) in a.vectors.chunks_exact(a.kinds).zip(b.vectors.chunks_exact(b.kinds)) {
        let (a, b) = (&a[i..i + M], &b[j..j + N]);
        for (sums, &a) in sums.iter_mut().zip(a) {
            for (sum, &b) in sums.iter_mut().zip(b) {
                *sum = Vector { simd, lanes: a }.mul_add(Vector { simd, lanes: b }, *sum);
            }
        }
    }
    for (row, sums) in sums.iter().enumerate() {
        for (column, sum) in sums.iter().enumerate() {
            out[row * b.kinds + column] += sum.total();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_instance_has_its_own_index() {
        for rows in [1, 7, 8, 80, 128, 129, 275, 1000] {
            let layout = Layout::new(rows);
            let mut room = layout.room(3);
            for i in 0..rows {
                for kind in 0..3 {
                    room[layout.at(i, 3, kind)] += 1.0;
                }
            }
            assert_eq!(room.iter().sum::<f64>(), 3.0 * rows as f64, "{rows} rows in {layout:?}");
            assert!(room.iter().all(|&count| count <= 1.0));
        }
    }

    #[test]
    fn gram_is_all_inner_products() {
        struct Gram<'a>(&'a [f64], &'a [f64], &'a mut [f64]);
        impl WithSimd for Gram<'_> {
            type Output = ();
            #[inline(always)]
            fn with_simd<S: Simd>(self, simd: S) {
                gram(View::new(simd, self.0, 5), View::new(simd, self.1, 4), self.2);
            }
        }
        let layout = Layout::new(19);
        let (mut a, mut b) = (layout.room(5), layout.room(4));
        let entry = |i: usize, kind: usize| ((i * 7 + kind * 5) % 11) as f64;
        for i in 0..19 {
            (0..5).for_each(|kind| a[layout.at(i, 5, kind)] = entry(i, kind));
            (0..4).for_each(|kind| b[layout.at(i, 4, kind)] = entry(i, kind + 5));
        }
        let mut out = vec![1.0; 20];
        run(Gram(&a, &b, &mut out));
        for (at, &value) in out.iter().enumerate() {
            let dot: f64 = (0..19).map(|i| entry(i, at / 4) * entry(i, 5 + at % 4)).sum();
            assert_eq!(value, 1.0 + dot);
        }
    }
}
