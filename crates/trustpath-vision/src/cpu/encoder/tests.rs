use std::collections::BTreeMap;

use trustpath::random::mix;

use super::*;
use crate::weights::Parameter;

const SHAPE: EncoderShape = EncoderShape { layers: 2, width: 64, heads: 2, inner: 96, epsilon: 1e-12 };

fn noise(count: usize, seed: u64) -> Vec<f32> {
    let number = |i: u64| (mix(i + seed * 1_000_003) >> 40) as f32 / (1 << 24) as f32 - 0.5;
    (0..count as u64).map(number).collect()
}

fn weights() -> NetworkWeights {
    let mut all = BTreeMap::new();
    let (w, inner) = (SHAPE.width, SHAPE.inner);
    for (part, value) in [("weight", 1.5), ("bias", 0.25)] {
        let values = vec![value; w];
        all.insert(format!("embeddings.LayerNorm.{part}"), Parameter { shape: vec![w], values });
    }
    let mut seed = 1;
    for layer in 0..SHAPE.layers {
        let mut add = |name: &str, shape: &[usize]| {
            seed += 1;
            let mut values = noise(shape.iter().product(), seed);
            if name.ends_with("LayerNorm.weight") {
                values.iter_mut().for_each(|x| *x += 1.0);
            }
            let key = format!("encoder.layer.{layer}.{name}");
            all.insert(key, Parameter { shape: shape.to_vec(), values });
        };
        for name in ["query", "key", "value"] {
            add(&format!("attention.self.{name}.weight"), &[w, w]);
            add(&format!("attention.self.{name}.bias"), &[w]);
        }
        for (name, outputs, inputs) in [("attention.output", w, w), ("intermediate", inner, w), ("output", w, inner)] {
            add(&format!("{name}.dense.weight"), &[outputs, inputs]);
            add(&format!("{name}.dense.bias"), &[outputs]);
        }
        for name in ["attention.output", "output"] {
            add(&format!("{name}.LayerNorm.weight"), &[w]);
            add(&format!("{name}.LayerNorm.bias"), &[w]);
        }
    }
    NetworkWeights::new("made up", all)
}

/// The plain definition, in double precision.
fn defined(weights: &NetworkWeights, rows: &[f32]) -> Vec<f64> {
    let w = SHAPE.width;
    let mut x: Vec<f64> = rows.iter().map(|&x| x.into()).collect();
    for row in x.chunks_mut(w) {
        let mean = row.iter().sum::<f64>() / w as f64;
        let variance = row.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / w as f64;
        row.iter_mut().for_each(|x| *x = (*x - mean) / variance.sqrt() * 1.5 + 0.25);
    }
    for layer in 0..SHAPE.layers {
        let get = |name: &str| -> Vec<f64> {
            let parameter = weights.get(&format!("encoder.layer.{layer}.{name}")).unwrap();
            parameter.values.iter().map(|&x| x.into()).collect()
        };
        let dense = |name: &str, x: &[f64], inputs: usize| -> Vec<f64> {
            let (m, b) = (get(&format!("{name}.weight")), get(&format!("{name}.bias")));
            let one = |x: &[f64]| -> Vec<f64> {
                let dot = |o: usize| -> f64 { (0..inputs).map(|k| m[o * inputs + k] * x[k]).sum() };
                (0..b.len()).map(|o| dot(o) + b[o]).collect()
            };
            x.chunks(inputs).flat_map(one).collect()
        };
        let norm = |name: &str, x: Vec<f64>| -> Vec<f64> {
            let (g, b) = (get(&format!("{name}.weight")), get(&format!("{name}.bias")));
            let one = |x: &[f64]| -> Vec<f64> {
                let mean = x.iter().sum::<f64>() / w as f64;
                let variance = x.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / w as f64;
                (0..w).map(|i| (x[i] - mean) / (variance + 1e-12).sqrt() * g[i] + b[i]).collect()
            };
            x.chunks(w).flat_map(one).collect()
        };
        let [q, k, v] = ["query", "key", "value"].map(|name| dense(&format!("attention.self.{name}"), &x, w));
        let (n, head) = (x.len() / w, w / SHAPE.heads);
        let mut mixed = vec![0.0; x.len()];
        for h in 0..SHAPE.heads {
            let at = |m: &[f64], row: usize, d: usize| m[row * w + h * head + d];
            for i in 0..n {
                let score = |j: usize| {
                    let dot: f64 = (0..head).map(|d| at(&q, i, d) * at(&k, j, d)).sum();
                    (dot / (head as f64).sqrt()).exp()
                };
                let scores: Vec<f64> = (0..n).map(score).collect();
                let total: f64 = scores.iter().sum();
                for d in 0..head {
                    let sum: f64 = (0..n).map(|j| scores[j] * at(&v, j, d)).sum();
                    mixed[i * w + h * head + d] = sum / total;
                }
            }
        }
        let add = |a: Vec<f64>, b: &[f64]| a.iter().zip(b).map(|(a, b)| a + b).collect::<Vec<_>>();
        let merged = add(dense("attention.output.dense", &mixed, w), &x);
        let y = norm("attention.output.LayerNorm", merged);
        // tanh form of gelu differs by 1e-3; this is the integral, by Simpson's rule.
        let gelu = |x: f64| {
            let density = |t: f64| (-t * t / 2.0).exp() / std::f64::consts::TAU.sqrt();
            let step = x / 200.0;
            let weight = |i: usize| match i {
                0 | 200 => 1.0,
                i if i % 2 == 1 => 4.0,
                _ => 2.0,
            };
            let sum: f64 = (0..=200).map(|i| weight(i) * density(i as f64 * step)).sum();
            x * (0.5 + sum * step / 3.0)
        };
        let wide: Vec<f64> = dense("intermediate.dense", &y, w).into_iter().map(gelu).collect();
        x = norm("output.LayerNorm", add(dense("output.dense", &wide, SHAPE.inner), &y));
    }
    x
}

#[test]
fn sequences_of_any_length_follow_the_definition() {
    let weights = weights();
    let encoder = Encoder::new(SHAPE, &weights, "").unwrap();
    let lengths = [1, 3, 16, 17, 40];
    let rows = noise(lengths.iter().sum::<usize>() * SHAPE.width, 77);
    let mut together = rows.clone();
    let mut memory = EncoderMemory::default();
    encoder.run(&mut together, &lengths, &mut memory);
    let mut first = 0;
    for length in lengths {
        let part = first * SHAPE.width..(first + length) * SHAPE.width;
        first += length;
        let mut alone = rows[part.clone()].to_vec();
        encoder.run(&mut alone, &[length], &mut memory);
        assert!(alone == together[part.clone()], "the same bits alone and together");
        for (found, expected) in alone.iter().zip(defined(&weights, &rows[part])) {
            assert!((f64::from(*found) - expected).abs() < 2e-5, "{found} is not {expected}");
        }
    }
}

#[test]
fn sizes_that_cannot_be_run_are_refused() {
    let shape = EncoderShape { heads: 3, ..SHAPE };
    let error = Encoder::new(shape, &weights(), "").unwrap_err().to_string();
    assert!(error.contains("3 attention heads for 64 numbers"), "{error}");
    let shape = EncoderShape { layers: 3, ..SHAPE };
    let error = Encoder::new(shape, &weights(), "").unwrap_err().to_string();
    assert!(error.contains("encoder.layer.2.attention.self.query.weight"), "{error}");
}
