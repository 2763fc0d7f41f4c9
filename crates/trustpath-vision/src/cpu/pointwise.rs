//! What a transformer does to single numbers and rows: `gelu`, layer normalisation and the softmax of scores.

use pulp::Arch;

use super::block::{Block16, LANES, blocked};

/// Beyond this `erf` is 1 in single precision.
const LAST: f32 = 4.0;
/// `erf(z) = z P(z²)/Q(z²)` for `|z| ≤ 4`, fitted to an error of 2e-9 by iterated least squares; from the lowest power on.
const P: [f32; 7] = [
    std::f32::consts::FRAC_2_SQRT_PI,
    0.184_537_4,
    0.054_366_674,
    0.003_839_877_4,
    0.000_385_034_74,
    4.846_866e-6,
    -1.399_567_8e-8,
];
const Q: [f32; 6] = [1.0, 0.496_875_58, 0.113_805_29, 0.015_462_403, 0.001_312_802_3, 6.463_862_5e-5];

#[inline(always)]
fn polynomial<const N: usize>(coefficients: [f32; N], x: f32) -> f32 {
    let mut sum = 0.0;
    for &coefficient in coefficients.iter().rev() {
        sum = x.mul_add(sum, coefficient);
    }
    sum
}

#[inline(always)]
fn erf(z: f32) -> f32 {
    let z = z.clamp(-LAST, LAST);
    z * polynomial(P, z * z) / polynomial(Q, z * z)
}

/// Multiplies each number by a factor that depends on it.
#[inline(always)]
fn multiply_each(rows: &mut [Block16], factor: impl Fn(f32) -> f32) {
    Arch::new().dispatch(
        #[inline(always)]
        || {
            for block in rows {
                for x in &mut block.0 {
                    *x *= factor(*x);
                }
            }
        },
    );
}

/// `x Φ(x)`, with the distribution function `Φ(x) = (1 + erf(x/√2))/2`.
pub(super) fn gelu(rows: &mut [Block16]) {
    multiply_each(
        rows,
        #[inline(always)]
        |x| 0.5 + 0.5 * erf(x * std::f32::consts::FRAC_1_SQRT_2),
    );
}

/// `1/(1 + e⁻ˣ)`.
#[inline(always)]
fn logistic(x: f32) -> f32 {
    let e = exp(-x.abs());
    (if x < 0.0 { e } else { 1.0 }) / (1.0 + e)
}

/// `x/2 (1 + tanh(√(2/π) (x + 0.044715 x³)))`, where `(1 + tanh z)/2` is the logistic function of `2z`.
pub(super) fn gelu_tanh(rows: &mut [Block16]) {
    const SCALE: f32 = std::f32::consts::FRAC_2_SQRT_PI * std::f32::consts::SQRT_2;
    multiply_each(
        rows,
        #[inline(always)]
        |x| logistic(SCALE * x * (0.044_715 * x).mul_add(x, 1.0)),
    );
}

/// `x/(1 + exp(−1.702 x))`.
pub(super) fn gelu_quick(rows: &mut [Block16]) {
    multiply_each(
        rows,
        #[inline(always)]
        |x| logistic(1.702 * x),
    );
}

/// `eˣ` for `x ≤ 0`: `x = m ln 2 + r`, a Taylor polynomial in `r`, and `2ᵐ` by its exponent bits.
#[inline(always)]
fn exp(x: f32) -> f32 {
    // 1.5 · 2²³: adding it rounds to a whole number, which is left in the low bits.
    const ROUND: f32 = 12_582_912.0;
    const FACTORIALS: [f32; 8] = [1.0, 1.0, 1.0 / 2.0, 1.0 / 6.0, 1.0 / 24.0, 1.0 / 120.0, 1.0 / 720.0, 1.0 / 5040.0];
    let x = if x > -87.0 { x } else { -87.0 };
    let shifted = x.mul_add(std::f32::consts::LOG2_E, ROUND);
    let m = shifted - ROUND;
    let r = m.mul_add(2.121_944_4e-4, m.mul_add(-0.693_359_4, x));
    let two_to_m = f32::from_bits((shifted.to_bits() << 23).wrapping_add(1f32.to_bits()));
    polynomial(FACTORIALS, r) * two_to_m
}

/// Makes every row of scores, `[key / 16][row]`, positive with a sum of 1; lanes beyond the last key become zero.
#[inline(always)]
pub(super) fn softmax(scores: &mut [Block16], rows: usize, keys: usize) {
    let beyond = scores.len() / rows * LANES - keys;
    let last = (scores.len() / rows - 1) * rows;
    for row in 0..rows {
        for lane in &mut scores[last + row].0[LANES - beyond..] {
            *lane = f32::NEG_INFINITY;
        }
        let mut most = [f32::NEG_INFINITY; LANES];
        for block in scores[row..].iter().step_by(rows) {
            for lane in 0..LANES {
                most[lane] = if block.0[lane] > most[lane] { block.0[lane] } else { most[lane] };
            }
        }
        let most = most.iter().fold(f32::NEG_INFINITY, |most, &x| most.max(x));
        let mut sums = [0.0; LANES];
        for block in scores[row..].iter_mut().step_by(rows) {
            for lane in 0..LANES {
                let e = exp(block.0[lane] - most);
                block.0[lane] = e;
                sums[lane] += e;
            }
        }
        for lane in LANES - beyond..LANES {
            sums[lane] -= scores[last + row].0[lane];
            scores[last + row].0[lane] = 0.0;
        }
        let share = 1.0 / sums.iter().sum::<f32>();
        for block in scores[row..].iter_mut().step_by(rows) {
            block.0.iter_mut().for_each(|x| *x *= share);
        }
    }
}

/// `weight (x − mean)/√(variance + ε) + bias`, row by row.
pub(super) struct LayerNorm {
    weight: Vec<Block16>,
    bias: Vec<Block16>,
    width: usize,
    epsilon: f32,
}

impl LayerNorm {
    pub fn new(weight: &[f32], bias: &[f32], epsilon: f32) -> Self {
        let width = weight.len();
        Self { weight: blocked(weight), bias: blocked(bias), width, epsilon }
    }

    /// Normalises rows in place. Their number of blocks is exact, so no lane is idle.
    pub fn run(&self, rows: &mut [Block16], count: usize) {
        Arch::new().dispatch(
            #[inline(always)]
            || {
                let share = 1.0 / self.width as f32;
                for row in 0..count {
                    let mut sums = [0.0; LANES];
                    for block in rows[row..].iter().step_by(count) {
                        for lane in 0..LANES {
                            sums[lane] += block.0[lane];
                        }
                    }
                    let mean = sums.iter().sum::<f32>() * share;
                    let mut squares = [0.0; LANES];
                    for block in rows[row..].iter().step_by(count) {
                        for lane in 0..LANES {
                            let from_mean = block.0[lane] - mean;
                            squares[lane] = from_mean.mul_add(from_mean, squares[lane]);
                        }
                    }
                    let variance = squares.iter().sum::<f32>() * share;
                    let scale = 1.0 / (variance + self.epsilon).sqrt();
                    let blocks = rows[row..].iter_mut().step_by(count);
                    for (block, (weight, bias)) in blocks.zip(self.weight.iter().zip(&self.bias)) {
                        for lane in 0..LANES {
                            let unit = (block.0[lane] - mean) * scale;
                            block.0[lane] = unit.mul_add(weight.0[lane], bias.0[lane]);
                        }
                    }
                }
            },
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn erf_has_single_precision() {
        // Abramowitz and Stegun, table 7.1.
        for (z, expected) in [(0.0, 0.0), (0.1, 0.112_462_92), (0.5, 0.520_499_9), (1.0, 0.842_700_8)] {
            assert!((erf(z) - expected).abs() < 3e-7, "{z}");
            assert_eq!(erf(-z), -erf(z));
        }
        for (z, expected) in [(2.0, 0.995_322_3), (3.0, 0.999_977_9), (9.0, 1.0)] {
            assert!((erf(z) - expected).abs() < 4e-7, "{z}: {}", erf(z));
        }
    }

    #[test]
    fn exp_has_single_precision() {
        for i in 0..40_000u16 {
            let x = -f32::from(i) * 0.002;
            let (ours, theirs) = (f64::from(exp(x)), f64::from(x).exp());
            assert!((ours - theirs).abs() <= 3e-7 * theirs, "{x}: {ours} against {theirs}");
        }
    }

    #[test]
    fn the_other_rectifiers_are_defined_by_their_formulas() {
        for i in -80..=80 {
            let x = f64::from(i) / 8.0;
            let tanh = (2.0 / std::f64::consts::PI).sqrt() * (x + 0.044_715 * x.powi(3));
            let both = [
                (gelu_tanh as fn(&mut [Block16]), 0.5 * x * (1.0 + tanh.tanh())),
                (gelu_quick, x / (1.0 + (-1.702 * x).exp())),
            ];
            for (gelu, expected) in both {
                let mut block = [Block16([x as f32; LANES])];
                gelu(&mut block);
                let far = (f64::from(block[0].0[7]) - expected).abs();
                assert!(far <= 4e-7 * expected.abs() + 1e-7, "{x}: {far:.1e}");
            }
        }
    }

    #[test]
    fn softmax_ignores_lanes_without_a_key() {
        // Three keys and therefore three rows; the other lanes hold what must not count.
        let mut scores = vec![Block16([9.0; LANES]); 3];
        for (row, block) in scores.iter_mut().enumerate() {
            block.0[..3].copy_from_slice(&[row as f32, -50.0, row as f32 + 1.0]);
        }
        softmax(&mut scores, 3, 3);
        for block in scores {
            let e = 1f32.exp();
            assert!((block.0[0] - 1.0 / (1.0 + e)).abs() < 1e-6);
            assert!((block.0[2] - e / (1.0 + e)).abs() < 1e-6);
            assert!((block.0[..3].iter().sum::<f32>() - 1.0).abs() < 1e-6);
            assert_eq!(block.0[3..], [0.0; LANES - 3]);
        }
    }
}
