//! `eˣ` for many numbers at once.

/// `eˣ` for `x ≤ 0`, to about one unit in the last place; below −708, where the result would be subnormal, it is `e⁻⁷⁰⁸`.
///
/// `x = m ln 2 + r` with `|r| ≤ ln 2 / 2`, a Taylor polynomial in `r`, and `2ᵐ` by its exponent bits. Adding `1.5 · 2⁵²`
/// rounds to an integer and leaves it in the low bits, ready to be shifted into the exponent.
#[inline(always)]
fn exp(x: f64) -> f64 {
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

/// Replaces every `x ≤ 0` by `eˣ`. A plain loop: the compiler knows how to shift 64-bit lanes.
#[inline(always)]
pub(crate) fn exponentiate(values: &mut [f64]) {
    for value in values {
        *value = exp(*value);
    }
}

/// [`exp`] in single precision; below −87 it is `e⁻⁸⁷`.
#[inline(always)]
pub(crate) fn exp_single(x: f32) -> f32 {
    const ROUND: f32 = 12_582_912.0;
    const LN2_HIGH: f32 = 0.693_359_4;
    const LN2_LOW: f32 = -2.121_944_4e-4;
    const INVERSE_FACTORIALS: [f32; 7] =
        [1.0 / 720.0, 1.0 / 120.0, 1.0 / 24.0, 1.0 / 6.0, 0.5, 1.0, 1.0];
    let x = if x > -87.0 { x } else { -87.0 };
    let shifted = x.mul_add(std::f32::consts::LOG2_E, ROUND);
    let m = shifted - ROUND;
    let r = m.mul_add(-LN2_LOW, m.mul_add(-LN2_HIGH, x));
    let mut polynomial = 1.0 / 5040.0;
    for coefficient in INVERSE_FACTORIALS {
        polynomial = r.mul_add(polynomial, coefficient);
    }
    let power = f32::from_bits((shifted.to_bits() << 23).wrapping_add(1.0_f32.to_bits()));
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
    fn exp_agrees_in_single_precision() {
        for i in 0..90_000u32 {
            let x = -(i as f32) * 0.001;
            let (ours, theirs) = (f64::from(exp_single(x)), f64::from(x.max(-87.0)).exp());
            assert!((ours - theirs).abs() <= 2e-7 * theirs, "e^{x}: {ours} against {theirs}");
        }
        assert_eq!(exp_single(0.0), 1.0);
    }
}
