//! Models in ONNX through onnxruntime, where its library is to be had; see onnx/make.py for the models.
#![cfg(feature = "onnx")]

use std::path::Path;

use trustpath_vision::backbone::Backbone;
use trustpath_vision::onnx::{OnnxModel, OnnxSettings};

fn small(output: Option<&str>) -> OnnxSettings {
    let (mean, std) = (Some([0.0; 3]), Some([1.0; 3]));
    OnnxSettings { input_size: Some(8), mean, std, output: output.map(Into::into) }
}

/// The model, or nothing where there is no library.
fn open(name: &str, settings: OnnxSettings) -> Option<Box<dyn Backbone>> {
    match model(name, settings).open(1) {
        Ok(backbone) => Some(backbone),
        Err(error) if error.to_string().contains("onnxruntime cannot be loaded") => {
            eprintln!("skipped: {error}");
            None
        }
        Err(error) => panic!("{error}"),
    }
}

fn model(name: &str, settings: OnnxSettings) -> OnnxModel {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/onnx");
    OnnxModel::new(&folder.join(name), settings).unwrap()
}

/// Images whose colours are constant, and their colours.
fn images(count: usize) -> (Vec<f32>, Vec<[f32; 3]>) {
    let colours: Vec<[f32; 3]> = (0..count).map(|i| [i as f32, 0.5 - i as f32, 2.0 * i as f32]).collect();
    let values = colours.iter().flatten().flat_map(|&colour| [colour; 64]).collect();
    (values, colours)
}

fn close(features: &[f32], expected: impl Iterator<Item = f32>) {
    let expected: Vec<f32> = expected.collect();
    assert_eq!(features.len(), expected.len());
    for (feature, expected) in features.iter().zip(expected) {
        assert!((feature - expected).abs() < 1e-4, "{feature} is not {expected}");
    }
}

#[test]
fn maps_tokens_and_rows_become_features() {
    let (values, colours) = images(5);
    for (output, times) in [(None, 64.0), (Some("rows"), 64.0), (Some("tokens"), 1.0), (Some("maps"), 1.0)] {
        let Some(backbone) = open("colours.onnx", small(output)) else { return };
        assert_eq!(backbone.info().dim, 6);
        let both = |[r, g, b]: &[f32; 3]| [*r, *g, *b, r / 2.0, g / 2.0, b / 2.0];
        let expected = colours.iter().flat_map(both).map(|x| times * x);
        close(&backbone.features(&values).unwrap(), expected);
    }
}

#[test]
fn a_fixed_batch_is_filled_up() {
    let Some(backbone) = open("threes.onnx", small(None)) else { return };
    let (values, colours) = images(7);
    assert_eq!(backbone.info().dim, 3);
    close(&backbone.features(&values).unwrap(), colours.into_iter().flatten());
}

#[test]
fn what_is_no_image_model_is_refused() {
    if open("colours.onnx", small(None)).is_none() {
        return;
    }
    let refused = |name: &str, settings: OnnxSettings, sentence: &str| {
        let Err(error) = model(name, settings).open(1) else { panic!("{name}") };
        assert!(error.to_string().contains(sentence), "{error}");
    };
    refused("sum.onnx", small(None), "it has 2 inputs");
    refused("none.onnx", small(None), "check that the path is right");
    refused("make.py", small(None), "check that the path is right");
    refused("colours.onnx", small(Some("depth")), "no output named depth among maps, tokens, rows");
    refused("colours.onnx", OnnxSettings::default(), "not n × 3 × 224 × 224");
}
