//! Instances side by side: numbers of one kind lie next to each other, so that loops over a block run on vectors.
//!
//! Code inside [`vectorised`] must be inlined into it to be compiled for the instructions found at run time; plain
//! loops over slices of one length are what the compiler turns into vectors most reliably.

/// Instances of a block at most: a block's numbers stay in the first-level cache.
const BLOCK: usize = 128;
/// Blocks are filled up to a multiple of this.
const VECTOR: usize = 8;

/// How `n` instances are cut into equal blocks; the last may end in spare lanes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Layout {
    pub rows: usize,
    pub blocks: usize,
    pub width: usize,
}

impl Layout {
    pub fn new(rows: usize) -> Self {
        let blocks = rows.div_ceil(BLOCK).max(1);
        let width = rows.div_ceil(blocks).next_multiple_of(VECTOR);
        Self { rows, blocks: rows.div_ceil(width), width }
    }

    /// Room for one number of each of `kinds` kinds per instance.
    pub fn room(&self, kinds: usize) -> Vec<f64> {
        vec![0.0; self.blocks * kinds * self.width]
    }

    /// Where number `kind` of instance `i` lies.
    pub fn at(&self, i: usize, kinds: usize, kind: usize) -> usize {
        (i / self.width * kinds + kind) * self.width + i % self.width
    }

    /// Where all numbers of block `b` lie, kind after kind.
    pub fn block(&self, b: usize, kinds: usize) -> std::ops::Range<usize> {
        b * kinds * self.width..(b + 1) * kinds * self.width
    }
}

/// Runs inlined code with the widest vector instructions at hand.
pub(super) fn vectorised<R>(work: impl FnOnce() -> R) -> R {
    pulp::Arch::new().dispatch(work)
}

/// `out += a · x`, number by number.
#[inline(always)]
pub(super) fn axpy(out: &mut [f64], a: f64, x: &[f64]) {
    for (out, x) in out.iter_mut().zip(x) {
        *out = a.mul_add(*x, *out);
    }
}

/// The inner product of two blocks, always in the same order.
#[inline(always)]
pub(super) fn dot(a: &[f64], b: &[f64]) -> f64 {
    let mut sums = [0.0; VECTOR];
    for (a, b) in a.as_chunks::<VECTOR>().0.iter().zip(b.as_chunks::<VECTOR>().0) {
        for l in 0..VECTOR {
            sums[l] = a[l].mul_add(b[l], sums[l]);
        }
    }
    gather(&sums)
}

/// The sum of a block, always in the same order.
#[inline(always)]
pub(super) fn total(a: &[f64]) -> f64 {
    let mut sums = [0.0; VECTOR];
    for a in a.as_chunks::<VECTOR>().0 {
        for l in 0..VECTOR {
            sums[l] += a[l];
        }
    }
    gather(&sums)
}

/// The sum of absolute values of a block, always in the same order.
#[inline(always)]
pub(super) fn magnitude(a: &[f64]) -> f64 {
    let mut sums = [0.0; VECTOR];
    for a in a.as_chunks::<VECTOR>().0 {
        for l in 0..VECTOR {
            sums[l] += a[l].abs();
        }
    }
    gather(&sums)
}

#[inline(always)]
fn gather(s: &[f64; VECTOR]) -> f64 {
    ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]))
}

/// `eˣ` for `x ≤ 0`, to about one unit in the last place; below −708, where the result would be subnormal, it is `e⁻⁷⁰⁸`.
///
/// `x = m ln 2 + r` with `|r| ≤ ln 2 / 2`, a Taylor polynomial in `r`, and `2ᵐ` by its exponent bits. Adding `1.5 · 2⁵²`
/// rounds to an integer and leaves it in the low bits, ready to be shifted into the exponent.
#[inline(always)]
pub(super) fn exp(x: f64) -> f64 {
    const ROUND: f64 = 6_755_399_441_055_744.0;
    const LN2_HIGH: f64 = 0.693_147_180_369_123_8;
    const LN2_LOW: f64 = 1.908_214_929_270_587_7e-10;
    const INVERSE_FACTORIALS: [f64; 13] = [
        1.0 / 479_001_600.0,
        1.0 / 39_916_800.0,
        1.0 / 3_628_800.0,
        1.0 / 362_880.0,
        1.0 / 40_320.0,
        1.0 / 5_040.0,
        1.0 / 720.0,
        1.0 / 120.0,
        1.0 / 24.0,
        1.0 / 6.0,
        0.5,
        1.0,
        1.0,
    ];
    let x = if x > -708.0 { x } else { -708.0 };
    let shifted = x.mul_add(std::f64::consts::LOG2_E, ROUND);
    let m = shifted - ROUND;
    let r = m.mul_add(-LN2_LOW, m.mul_add(-LN2_HIGH, x));
    let mut polynomial = 1.0 / 6_227_020_800.0;
    for coefficient in INVERSE_FACTORIALS {
        polynomial = r.mul_add(polynomial, coefficient);
    }
    let power = f64::from_bits((shifted.to_bits() << 52).wrapping_add(1.0_f64.to_bits()));
    polynomial * power
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exp_agrees_with_the_standard_library() {
        for i in 0..70_000 {
            let x = -f64::from(i) * 0.01;
            let (ours, theirs) = (exp(x), x.exp());
            assert!((ours - theirs).abs() <= 4e-16 * theirs, "e^{x}: {ours} against {theirs}");
        }
        assert_eq!(exp(0.0), 1.0);
        assert!(exp(-1e300) > 0.0 && exp(-1e300) < 1e-300);
    }

    #[test]
    fn every_instance_has_its_place() {
        for rows in [1, 7, 8, 80, 128, 129, 275, 1000] {
            let layout = Layout::new(rows);
            let mut room = layout.room(3);
            for i in 0..rows {
                for kind in 0..3 {
                    room[layout.at(i, 3, kind)] += 1.0;
                }
            }
            assert_eq!(total(&room), 3.0 * rows as f64, "{rows} rows in {layout:?}");
            assert!(room.iter().all(|&count| count <= 1.0));
        }
    }
}
