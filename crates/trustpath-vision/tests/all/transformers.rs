//! Vision transformers against their published code: see golden/make_transformers.py.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::Value;
use trustpath_vision::cpu::Engine;
use trustpath_vision::weights::{NetworkWeights, Parameter};

use super::{images, noise};

/// One model of the file.
struct Case {
    name: String,
    family: String,
    size: usize,
    keys: BTreeMap<String, Vec<usize>>,
    features: Vec<f64>,
}

fn cases() -> Vec<Case> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/transformers.json");
    let all: Vec<Value> = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let case = |one: Value| Case {
        name: one["name"].as_str().unwrap().into(),
        family: one["family"].as_str().unwrap().into(),
        size: one["size"].as_u64().unwrap() as usize,
        keys: serde_json::from_value(one["keys"].clone()).unwrap(),
        features: serde_json::from_value::<Vec<Vec<f64>>>(one["features"].clone()).unwrap().concat(),
    };
    all.into_iter().map(case).collect()
}

fn weights(keys: &BTreeMap<String, Vec<usize>>) -> NetworkWeights {
    let made = |(seed, (key, shape)): (usize, (&String, &Vec<usize>))| {
        let count: usize = shape.iter().product();
        let gain = (24.0 * shape[0] as f64 / count as f64).sqrt();
        let value = |x: f64| match shape.len() {
            _ if key.ends_with("head.bias") => 0.0,
            1 if key.ends_with("weight") => 1.0 + x,
            2.. if key.ends_with("weight") => x * gain,
            _ => x,
        };
        let values = noise(count, seed).map(|x| value(x) as f32).collect();
        (key.clone(), Parameter { shape: shape.clone(), values })
    };
    NetworkWeights::new("made by a formula", keys.iter().enumerate().map(made).collect())
}

#[test]
fn features_are_those_of_the_published_code() {
    let cases = cases();
    assert_eq!(cases.len(), 14);
    for case in cases {
        let native = case.size == 16;
        let size = (!native).then_some(case.size);
        // The activation function of CLIP is not in its weights.
        let name = case.family.ends_with("clip").then_some(case.family.as_str());
        let (network, weights) = weights(&case.keys).recognise(name, size).unwrap();
        assert_eq!((network.name, network.size), (&case.family[..], case.size), "{}", case.name);
        let engine = Engine::new(&network, weights).unwrap();
        let features = engine.features(&images(2, case.size)).unwrap();
        assert_eq!(features.len(), case.features.len(), "{}", case.name);
        let largest = case.features.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
        let far = features.iter().zip(&case.features).map(|(&a, b)| (f64::from(a) - b).abs());
        let far = far.fold(0.0, f64::max) / largest;
        println!("{} at {}: {far:.1e}", case.name, case.size);
        assert!(far < 1e-5, "{} at {}: {far:.1e}", case.name, case.size);
    }
}

#[test]
fn features_depend_on_neither_threads_nor_company() {
    let case = cases().into_iter().find(|case| case.family == "siglip").unwrap();
    let (network, weights) = weights(&case.keys).recognise(None, None).unwrap();
    let engine = Engine::new(&network, weights).unwrap();
    let all = images(19, network.size);
    let each = 3 * network.size * network.size;
    let alone: Vec<f32> = all.chunks(each).flat_map(|one| engine.features(one).unwrap()).collect();
    for threads in [1, 3] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        assert!(pool.install(|| engine.features(&all)).unwrap() == alone, "{threads} threads");
    }
}

#[test]
fn layouts_that_do_not_fit_are_refused_in_a_sentence() {
    let cases = cases();
    let case = |name: &str| &cases.iter().find(|case| case.name == name).unwrap().keys;
    let refused =
        |keys: &BTreeMap<String, Vec<usize>>, name, size| weights(keys).recognise(name, size).unwrap_err().to_string();
    let clip = case("clip of Hugging Face");
    let said = refused(clip, None, None);
    assert!(said.contains("give --backbone clip for those of OpenAI"), "{said}");
    let said = refused(clip, Some("dinov2"), None);
    assert!(said.contains("they are of clip, so choose that backbone"), "{said}");
    for size in [0, 57_344] {
        let said = refused(clip, Some("clip"), Some(size));
        assert!(said.contains("give 1 to 4096 as --input-size"), "{said}");
    }
    let said = refused(clip, Some("clip"), Some(18));
    assert!(said.contains("give a multiple of 4 as --input-size"), "{said}");
    let mut lacking = clip.clone();
    lacking.remove("vision_model.encoder.layers.1.mlp.fc2.bias");
    let said = refused(&lacking, Some("clip"), None);
    assert!(said.contains("lacks \"vision_model.encoder.layers.1.mlp.fc2.bias\""), "{said}");
    let mut plain = case("dinov2 of timm").clone();
    plain.retain(|key, _| !key.contains("ls"));
    for (name, what) in [(None, "weights of no network that is known"), (Some("siglip"), "no weights of siglip")] {
        let said = refused(&plain, name, None);
        assert!(said.contains(what), "{said}");
        assert!(said.contains("Known are resnet12, wrn28-10"), "{said}");
        assert!(said.contains("dinov2, clip, openclip, siglip"), "{said}");
    }
    assert!(refused(&BTreeMap::new(), None, None).contains("it is empty"));
}

#[test]
fn heads_of_other_widths_than_64_are_refused() {
    let cases = cases();
    let keys = &cases.iter().find(|case| case.name == "siglip of timm").unwrap().keys;
    // One that 64 does not divide, and that of SigLIP so400m: 64 divides it, but heads have 72 numbers.
    for width in [100, 1152] {
        let mut other = keys.clone();
        other.insert("visual.trunk.patch_embed.proj.weight".into(), vec![width, 3, 4, 4]);
        let said = weights(&other).recognise(None, None).unwrap_err().to_string();
        let expected = format!("its tokens have {width} numbers, and only heads of 64 numbers");
        assert!(said.contains(&expected), "{said}");
    }
}

#[test]
fn layers_that_are_incomplete_or_gated_are_refused() {
    let cases = cases();
    let keys = &cases.iter().find(|case| case.name == "clip of Hugging Face").unwrap().keys;
    let without = |part: &str| {
        let mut lacking = keys.clone();
        lacking.retain(|key, _| !key.contains(part));
        weights(&lacking).recognise(Some("clip"), None).unwrap_err().to_string()
    };
    for (part, expected) in [
        ("layers.1.layer_norm1.", "lacks \"vision_model.encoder.layers.1.layer_norm1.weight\""),
        ("layers.0.layer_norm1.", "lacks \"vision_model.encoder.layers.0.layer_norm1.weight\""),
        ("layers.", "it has no layers"),
        ("mlp.fc1.", "its layers have no mlp.fc1, as gated ones"),
    ] {
        let said = without(part);
        assert!(said.contains(expected), "{said}");
    }
}

#[test]
fn settings_beside_the_weights_tell_the_activation_function_of_clip() {
    let folder = tempfile::tempdir().unwrap();
    let cases = cases();
    let keys = &cases.iter().find(|case| case.name == "clip of Hugging Face").unwrap().keys;
    let path = folder.path().join("model.safetensors");
    weights(keys).write_safetensors(&path, trustpath_vision::weights::Precision::F32).unwrap();
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
