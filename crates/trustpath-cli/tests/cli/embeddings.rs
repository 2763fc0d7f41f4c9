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
        ("int8.safetensors", &safetensors("I8", &small)),
        ("openai.jsonl", openai.as_bytes()),
        ("y.csv", labels().as_bytes()),
    ]);
    for name in ["sentence.npy", "clip.npy", "int8.npy"] {
        let said = printed(&mut trustpath_in(&folder, &["check", name, "--labels", "y.csv"]));
        assert!(said.contains("24 instances, 8 features each"), "{said}");
        assert!(said.contains("12 labelled, 12 unlabelled; 3 classes"), "{said}");
        printed(&mut trustpath_in(&folder, &["label", name, "--labels", "y.csv"]));
    }
    for name in ["timm.safetensors", "timm16.safetensors", "int8.safetensors"] {
        let said = printed(&mut trustpath_in(&folder, &["audit", name]));
        assert!(said.contains("24"), "{said}");
    }
    let said = printed(&mut trustpath_in(&folder, &["label", "openai.jsonl"]));
    assert!(said.contains("24 instances, 8 features each; 12 labels of 3 classes"), "{said}");
}

#[test]
fn only_directions_count_so_cosines_and_dot_products_of_unit_vectors_are_the_same() {
    let shape = format!("({ROWS}, {DIMS})");
    // Powers of two change lengths alone.
    let scale = |at: usize| f32::from(1u16 << (at / DIMS % 5));
    let plain: Vec<u8> = values().flat_map(f32::to_le_bytes).collect();
    let longer: Vec<u8> = values().enumerate().flat_map(|(at, x)| (x * scale(at)).to_le_bytes()).collect();
    let folder = folder_with(&[
        ("plain.npy", &npy("<f4", &shape, &plain)),
        ("longer.npy", &npy("<f4", &shape, &longer)),
        ("y.csv", labels().as_bytes()),
    ]);
    let labelled =
        |name: &str| printed(&mut trustpath_in(&folder, &["label", name, "--labels", "y.csv", "--out", "-"]));
    assert_eq!(labelled("plain.npy"), labelled("longer.npy"));
}

#[test]
fn near_duplicates_are_left_out() {
    // Rows 24 to 29 repeat 3 to 5, which have labels, and 18 to 20, which have none.
    let repeated = [3, 4, 5, 18, 19, 20];
    let rows: Vec<usize> = (0..ROWS).chain(repeated).collect();
    let shape = format!("({}, {DIMS})", rows.len());
    let bytes: Vec<u8> = rows
        .iter()
        .flat_map(|&row| (0..DIMS).flat_map(move |column| (2.0 * value(row, column)).to_le_bytes()))
        .collect();
    let given = labels() + &"\n".repeat(repeated.len());
    let folder = folder_with(&[("pool.npy", &npy("<f4", &shape, &bytes)), ("y.csv", given.as_bytes())]);
    let with = |more: &[&str]| {
        let args = ["label", "pool.npy", "--labels", "y.csv", "--out", "out.csv"];
        let said = printed(&mut trustpath_in(&folder, &[&args[..], more].concat()));
        let out = std::fs::read_to_string(folder.path().join("out.csv")).unwrap();
        (said, out.lines().count() - 1)
    };
    assert_eq!(with(&[]).1, rows.len());
    let (said, left) = with(&["--leave-out-duplicates=0.9999"]);
    assert!(said.contains("6 near-duplicates were left out (cosine at least 0.9999)"), "{said}");
    assert_eq!(left, ROWS);
}
