//! Vision transformers against their published code: see tests/golden/make_transformers.py.

use std::collections::BTreeMap;

use crate::cpu::Engine;
use crate::weights::{FloatPrecision, NetworkWeights};
use serde::Deserialize;

use super::{depend_on_neither_threads_nor_company, difference, formula, golden, images};

/// Parameters by name.
type Shapes = BTreeMap<String, Vec<usize>>;

/// One model of the file.
#[derive(Deserialize)]
struct GoldenModel {
    name: String,
    family: String,
    size: usize,
    #[serde(rename = "keys")]
    shapes: Shapes,
    features: Vec<Vec<f64>>,
}

fn models() -> Vec<GoldenModel> {
    serde_json::from_str(&std::fs::read_to_string(golden("transformers.json")).unwrap()).unwrap()
}

fn weights(shapes: &Shapes) -> NetworkWeights {
    NetworkWeights::new("made by a formula", formula(shapes.clone().into_iter().collect()))
}

/// The shapes of the parameters of a model.
fn shapes(name: &str) -> Shapes {
    models().into_iter().find(|model| model.name == name).unwrap().shapes
}

#[test]
fn features_are_those_of_the_published_code() {
    let models = models();
    assert_eq!(models.len(), 14);
    for GoldenModel { name, family, size, shapes, features } in models {
        let other_size = (size != 16).then_some(size);
        // The activation function of CLIP is not in its weights.
        let asked = family.ends_with("clip").then_some(family.as_str());
        let (network, weights) = weights(&shapes).recognise(asked, other_size).unwrap();
        assert_eq!((network.name, network.input.size), (&family[..], size), "{name}");
        let engine = Engine::new(&network, weights).unwrap();
        let expected = features.concat();
        // Relative to the largest value of all features together.
        let difference = difference(&engine.features(&images(2, size)).unwrap(), &expected, expected.len());
        println!("{name} at {size}: {difference:.1e}");
        assert!(difference < 1e-5, "{name} at {size}: {difference:.1e}");
    }
}

#[test]
fn features_depend_on_neither_threads_nor_company() {
    let model = models().into_iter().find(|model| model.family == "siglip").unwrap();
    let (network, weights) = weights(&model.shapes).recognise(None, None).unwrap();
    depend_on_neither_threads_nor_company(&Engine::new(&network, weights).unwrap(), 19, &[1, 3]);
}

#[test]
fn layouts_that_do_not_fit_are_refused_in_a_sentence() {
    let refused = |shapes: &Shapes, name, size, expected: &str| {
        let error = weights(shapes).recognise(name, size).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    };
    let clip = shapes("clip of Hugging Face");
    for (name, size, expected) in [
        (None, None, "give --backbone clip for those of OpenAI"),
        (Some("dinov2"), None, "they are of clip, so choose that backbone"),
        (Some("clip"), Some(0), "give 1 to 4096 as --input-size"),
        (Some("clip"), Some(57_344), "give 1 to 4096 as --input-size"),
        (Some("clip"), Some(18), "give a multiple of 4 as --input-size"),
    ] {
        refused(&clip, name, size, expected);
    }
    let mut lacking = clip.clone();
    lacking.remove("vision_model.encoder.layers.1.mlp.fc2.bias");
    refused(&lacking, Some("clip"), None, "lacks \"vision_model.encoder.layers.1.mlp.fc2.bias\"");
    let mut plain = shapes("dinov2 of timm");
    plain.retain(|key, _| !key.contains("ls"));
    for (name, what) in [(None, "weights of no network that is known"), (Some("siglip"), "no weights of siglip")] {
        for expected in [what, "Known are resnet12, wrn28-10", "dinov2, clip, openclip, siglip"] {
            refused(&plain, name, None, expected);
        }
    }
    refused(&Shapes::new(), None, None, "it is empty");
}

#[test]
fn heads_of_other_widths_than_64_are_refused() {
    let shapes = shapes("siglip of timm");
    // One that 64 does not divide, and that of SigLIP so400m: 64 divides it, but heads have 72 numbers.
    for width in [100, 1152] {
        let mut other = shapes.clone();
        other.insert("visual.trunk.patch_embed.proj.weight".into(), vec![width, 3, 4, 4]);
        let said = weights(&other).recognise(None, None).unwrap_err().to_string();
        let expected = format!("its tokens have {width} numbers, and only heads of 64 numbers");
        assert!(said.contains(&expected), "{said}");
    }
}

#[test]
fn layers_that_are_incomplete_or_gated_are_refused() {
    let clip = shapes("clip of Hugging Face");
    for (part, expected) in [
        ("layers.1.layer_norm1.", "lacks \"vision_model.encoder.layers.1.layer_norm1.weight\""),
        ("layers.0.layer_norm1.", "lacks \"vision_model.encoder.layers.0.layer_norm1.weight\""),
        ("layers.", "it has no layers"),
        ("mlp.fc1.", "its layers have no mlp.fc1, as gated ones"),
    ] {
        let mut lacking = clip.clone();
        lacking.retain(|key, _| !key.contains(part));
        let error = weights(&lacking).recognise(Some("clip"), None).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    }
}

#[test]
fn settings_beside_the_weights_tell_the_activation_function_of_clip() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("model.safetensors");
    weights(&shapes("clip of Hugging Face")).write_safetensors(&path, FloatPrecision::F32).unwrap();
    for (file, text, name) in [
        ("config.json", r#"{"model_type":"clip","vision_config":{"hidden_act":"gelu"}}"#, "openclip"),
        ("config.json", r#"{"model_type":"clip","vision_config":{}}"#, "clip"),
        ("config.json", r#"{"model_type":"clip_vision_model","hidden_act":"quick_gelu"}"#, "clip"),
        ("open_clip_config.json", r#"{"model_cfg":{"embed_dim":512}}"#, "openclip"),
        ("open_clip_config.json", r#"{"model_cfg":{"quick_gelu":true}}"#, "clip"),
    ] {
        std::fs::write(folder.path().join(file), text).unwrap();
        for place in [folder.path(), path.as_path()] {
            let weights = NetworkWeights::read(place).unwrap();
            assert_eq!(weights.recognise(None, None).unwrap().0.name, name, "{text}");
        }
    }
}
