//! `eˣ` of many numbers at once.

/// Defines `eˣ` for `x ≤ 0` in one precision, to about one unit in the last place. Below `LOWEST`, where the result would
/// be subnormal, it is `e^LOWEST`.
///
/// `x = m ln 2 + r` with `|r| ≤ ln 2 / 2`, a Taylor polynomial in `r`, and `2ᵐ` by its exponent bits. Adding `ROUND`, 1.5
/// times the power of two at which neighbouring numbers are one apart, rounds to an integer and leaves it in the low bits,
/// ready to be shifted into the exponent.
macro_rules! exp {
    ($name:ident, $float:ident, $lowest:literal, $round:literal, $ln2:expr, $mantissa:literal, $factorials:expr) => {
        #[inline(always)]
        pub fn $name(x: $float) -> $float {
            const LOWEST: $float = $lowest;
            const ROUND: $float = $round;
            const LN2: [$float; 2] = $ln2;
            let x = if x > LOWEST { x } else { LOWEST };
            let shifted = x.mul_add(std::$float::consts::LOG2_E, ROUND);
            let m = shifted - ROUND;
            let r = m.mul_add(-LN2[1], m.mul_add(-LN2[0], x));
            let mut polynomial = 0.0;
            for factorial in $factorials {
                polynomial = r.mul_add(polynomial, 1.0 / factorial);
            }
            let bits = shifted.to_bits() << $mantissa;
            polynomial * $float::from_bits(bits.wrapping_add((1.0 as $float).to_bits()))
        }
    };
}

exp!(
    exp,
    f64,
    -708.0,
    6_755_399_441_055_744.0,
    [0.693_147_180_369_123_8, 1.908_214_929_270_587_7e-10],
    52,
    [
        6_227_020_800.0,
        479_001_600.0,
        39_916_800.0,
        3_628_800.0,
        362_880.0,
        40_320.0,
        5_040.0,
        720.0,
        120.0,
        24.0,
        6.0,
        2.0,
        1.0,
        1.0,
    ]
);

exp!(
    exp_single,
    f32,
    -87.0,
    12_582_912.0,
    [0.693_359_4, -2.121_944_4e-4],
    23,
    [5_040.0, 720.0, 120.0, 24.0, 6.0, 2.0, 1.0, 1.0]
);

/// Replaces every `x ≤ 0` by `eˣ`. A plain loop, which the compiler vectorises.
#[inline(always)]
pub fn exponentiate(values: &mut [f64]) {
    for value in values {
        *value = exp(*value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exp_agrees_with_the_standard_library() {
        for i in 0..200_000 {
            let x = -f64::from(i) * 0.00354;
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
