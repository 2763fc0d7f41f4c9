//! Features as other tools write them: docs/embeddings.md.

use super::*;

const ROWS: usize = 24;
const DIMS: usize = 8;

/// Row `i` leans towards axis `i mod 3`.
fn value(row: usize, column: usize) -> f32 {
    let noise = ((row * 31 + column * 17) % 11) as f32 / 16.0;
    if column == row % 3 { 2.0 + noise } else { noise }
}

/// The features in some form, value by value.
fn encoded<const N: usize>(encode: impl Fn(f32) -> [u8; N]) -> Vec<u8> {
    (0..ROWS * DIMS).flat_map(|at| encode(value(at / DIMS, at % DIMS))).collect()
}

/// The label of a row; only the first twelve have one.
fn label(row: usize) -> Option<&'static str> {
    (row < 12).then(|| ["a", "b", "c"][row % 3])
}

fn labels() -> Vec<u8> {
    (0..ROWS).map(|row| format!("{}\n", label(row).unwrap_or_default())).collect::<String>().into_bytes()
}

fn npy_of(kind: &str, features: &[u8]) -> Vec<u8> {
    npy(kind, &format!("({ROWS}, {DIMS})"), features)
}

/// A safetensors file with one tensor of features and one of labels.
fn safetensors(kind: &str, features: &[u8]) -> Vec<u8> {
    let labels: Vec<u8> = (0..ROWS).flat_map(|row| ((row % 3) as i64).to_le_bytes()).collect();
    let (middle, end) = (features.len(), features.len() + labels.len());
    let header = format!(
        r#"{{"features":{{"dtype":"{kind}","shape":[{ROWS},{DIMS}],"data_offsets":[0,{middle}]}},"labels":{{"dtype":"I64","shape":[{ROWS}],"data_offsets":[{middle},{end}]}}}}"#
    );
    [&(header.len() as u64).to_le_bytes()[..], header.as_bytes(), features, &labels].concat()
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
    let (half, small) = (encoded(float16), encoded(|x| [(x * 40.0) as i8 as u8]));
    let openai = (0..ROWS).map(|row| {
        let embedding: Vec<f32> = (0..DIMS).map(|column| value(row, column)).collect();
        let line = serde_json::json!({
            "object": "embedding", "index": row, "input": format!("text {row}"),
            "embedding": embedding, "label": label(row),
        });
        format!("{line}\n")
    });
    let folder = CommandFolder::with([
        ("sentence.npy", npy_of("<f4", &encoded(f32::to_le_bytes))),
        ("clip.npy", npy_of("<f2", &half)),
        ("int8.npy", npy_of("|i1", &small)),
        ("timm.safetensors", safetensors("BF16", &encoded(bfloat16))),
        ("timm16.safetensors", safetensors("F16", &half)),
        ("int8.safetensors", safetensors("I8", &small)),
        ("openai.jsonl", openai.collect::<String>().into_bytes()),
        ("y.csv", labels()),
    ]);
    for name in ["sentence.npy", "clip.npy", "int8.npy"] {
        let said = folder.prints(&format!("check {name} --labels y.csv"));
        contains(&said, &["24 instances, 8 features each", "12 labelled, 12 unlabelled; 3 classes"]);
        folder.prints(&format!("label {name} --labels y.csv"));
    }
    for name in ["timm.safetensors", "timm16.safetensors", "int8.safetensors"] {
        contains(&folder.prints(&format!("audit {name}")), &["24"]);
    }
    contains(&folder.prints("label openai.jsonl"), &["24 instances, 8 features each; 12 labels of 3 classes"]);
}

#[test]
fn only_directions_count_so_cosines_and_dot_products_of_unit_vectors_are_the_same() {
    // Powers of two change lengths alone.
    let scale = |row: usize| f32::from(1u16 << (row % 5));
    let longer = (0..ROWS * DIMS).flat_map(|at| (scale(at / DIMS) * value(at / DIMS, at % DIMS)).to_le_bytes());
    let folder = CommandFolder::with([
        ("plain.npy", npy_of("<f4", &encoded(f32::to_le_bytes))),
        ("longer.npy", npy_of("<f4", &longer.collect::<Vec<u8>>())),
        ("y.csv", labels()),
    ]);
    let labelled = |name: &str| folder.prints(&format!("label {name} --labels y.csv --out -"));
    assert_eq!(labelled("plain.npy"), labelled("longer.npy"));
}

#[test]
fn near_duplicates_are_left_out() {
    // Rows 24 to 29 repeat 3 to 5, which have labels, and 18 to 20, which have none.
    let repeated = [3, 4, 5, 18, 19, 20];
    let rows = (0..ROWS).chain(repeated);
    let values = rows.flat_map(|row| (0..DIMS).flat_map(move |column| (2.0 * value(row, column)).to_le_bytes()));
    let all = ROWS + repeated.len();
    let pool = npy("<f4", &format!("({all}, {DIMS})"), &values.collect::<Vec<u8>>());
    let folder =
        CommandFolder::with([("pool.npy", pool), ("y.csv", [labels(), b"\n".repeat(repeated.len())].concat())]);
    let left = |options: &str| {
        let said = folder.prints(&format!("label pool.npy --labels y.csv --out out.csv {options}"));
        (said, folder.read("out.csv").lines().count() - 1)
    };
    assert_eq!(left("").1, all);
    let (said, count) = left("--leave-out-duplicates=0.9999");
    contains(&said, &["6 near-duplicates were left out (cosine at least 0.9999)"]);
    assert_eq!(count, ROWS);
}
