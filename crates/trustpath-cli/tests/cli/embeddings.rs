//! Features as other tools write them: docs/embeddings.md.

use super::{folder_with, npy, printed, trustpath_in};

const ROWS: usize = 24;
const DIMS: usize = 8;

/// Row `i` leans towards axis `i mod 3`.
fn value(row: usize, column: usize) -> f32 {
    let noise = ((row * 31 + column * 17) % 11) as f32 / 16.0;
    if column == row % 3 { 2.0 + noise } else { noise }
}

fn values() -> impl Iterator<Item = f32> {
    (0..ROWS * DIMS).map(|at| value(at / DIMS, at % DIMS))
}

/// Labels of the first twelve, in order.
fn labels() -> String {
    let label = |row: usize| if row < 12 { ["a", "b", "c"][row % 3] } else { "" };
    (0..ROWS).map(|row| format!("{}\n", label(row))).collect::<String>()
}

/// A safetensors file with one tensor of features and one of labels.
fn safetensors(kind: &str, features: &[u8]) -> Vec<u8> {
    let labels: Vec<u8> = (0..ROWS).flat_map(|row| ((row % 3) as i64).to_le_bytes()).collect();
    let (middle, end) = (features.len(), features.len() + labels.len());
    let header = format!(
        r#"{{"features":{{"dtype":"{kind}","shape":[{ROWS},{DIMS}],"data_offsets":[0,{middle}]}},"labels":{{"dtype":"I64","shape":[{ROWS}],"data_offsets":[{middle},{end}]}}}}"#
    );
    let mut bytes = (header.len() as u64).to_le_bytes().to_vec();
    bytes.extend(header.as_bytes());
    bytes.extend(features);
    bytes.extend(labels);
    bytes
}

/// The upper half of single precision, exact for these values up to rounding.
fn bfloat16(x: f32) -> [u8; 2] {
    ((x.to_bits() >> 16) as u16).to_le_bytes()
}

/// Half precision of a number from 0.0625 to 3, cut off.
fn float16(x: f32) -> [u8; 2] {
    if x == 0.0 {
        return [0; 2];
    }
    let bits = x.to_bits();
    let exponent = ((bits >> 23) & 0xff) as u16 + 15 - 127;
    (exponent << 10 | ((bits >> 13) & 0x3ff) as u16).to_le_bytes()
}

#[test]
fn embeddings_of_other_tools_are_read() {
    let shape = format!("({ROWS}, {DIMS})");
    let single: Vec<u8> = values().flat_map(f32::to_le_bytes).collect();
    let half: Vec<u8> = values().flat_map(float16).collect();
    let small: Vec<u8> = values().map(|x| (x * 40.0) as i8 as u8).collect();
    let brain: Vec<u8> = values().flat_map(bfloat16).collect();
    let openai: String = (0..ROWS)
        .map(|row| {
            let embedding: Vec<f32> = (0..DIMS).map(|column| value(row, column)).collect();
            let label = (row < 12).then(|| ["a", "b", "c"][row % 3]);
            let line = serde_json::json!({
                "object": "embedding", "index": row, "input": format!("text {row}"),
                "embedding": embedding, "label": label,
            });
            format!("{line}\n")
        })
        .collect();
    let folder = folder_with(&[
        ("sentence.npy", &npy("<f4", &shape, &single)),
        ("clip.npy", &npy("<f2", &shape, &half)),
        ("int8.npy", &npy("|i1", &shape, &small)),
        ("timm.safetensors", &safetensors("BF16", &brain)),
        ("timm16.safetensors", &safetensors("F16", &half)),
        ("openai.jsonl", openai.as_bytes()),
        ("y.csv", labels().as_bytes()),
    ]);
    for name in ["sentence.npy", "clip.npy", "int8.npy"] {
        let said = printed(&mut trustpath_in(&folder, &["check", name, "--labels", "y.csv"]));
        assert!(said.contains("24 instances, 8 features each"), "{said}");
        assert!(said.contains("12 labelled, 12 unlabelled; 3 classes"), "{said}");
        printed(&mut trustpath_in(&folder, &["label", name, "--labels", "y.csv"]));
    }
    for name in ["timm.safetensors", "timm16.safetensors"] {
        let said = printed(&mut trustpath_in(&folder, &["audit", name]));
        assert!(said.contains("24"), "{said}");
    }
    let said = printed(&mut trustpath_in(&folder, &["label", "openai.jsonl"]));
    assert!(said.contains("24 instances, 8 features each; 12 labels of 3 classes"), "{said}");
}
