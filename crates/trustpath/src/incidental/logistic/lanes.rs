//! Sixteen instances side by side, and `eˣ` on all of them at once.
//!
//! Loops over a [`Lanes`] have a fixed length and no branches, so that inside [`vectorised`] the compiler turns each
//! into a few vector instructions.

/// Instances in one block.
pub(super) const LANES: usize = 16;

/// One number for each instance of a block.
pub(super) type Lanes = [f64; LANES];

/// Runs inlined code with the widest vector instructions at hand.
pub(super) fn vectorised<R>(work: impl FnOnce() -> R) -> R {
    pulp::Arch::new().dispatch(work)
}

/// The lane-wise combination of two blocks.
#[inline(always)]
pub(super) fn zip(a: &Lanes, b: &Lanes, f: impl Fn(f64, f64) -> f64) -> Lanes {
    std::array::from_fn(|l| f(a[l], b[l]))
}

/// Adds `a · b` lane by lane to `sum`.
#[inline(always)]
pub(super) fn accumulate(sum: &mut Lanes, a: &Lanes, b: &Lanes) {
    for l in 0..LANES {
        sum[l] = a[l].mul_add(b[l], sum[l]);
    }
}

/// The sum over the lanes, always in the same order.
#[inline(always)]
pub(super) fn total(a: &Lanes) -> f64 {
    let mut half: [f64; 8] = std::array::from_fn(|l| a[l] + a[l + 8]);
    for width in [4, 2, 1] {
        for l in 0..width {
            half[l] += half[l + width];
        }
    }
    half[0]
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
    let x = x.max(-708.0);
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
    fn total_adds_every_lane() {
        assert_eq!(total(&std::array::from_fn(|l| l as f64)), 120.0);
    }
}
