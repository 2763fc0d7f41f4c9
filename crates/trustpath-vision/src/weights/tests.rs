use super::*;

/// Weights of a network that a formula makes, under keys with a prefix.
fn made(network: &Network, prefix: &str) -> BTreeMap<String, Parameter> {
    let parameter = |(i, (key, shape)): (usize, (String, Vec<usize>))| {
        let count = shape.iter().product();
        let values = (0..count).map(|j| ((i * 31 + j * 7) % 64) as f32 / 64.0).collect();
        (format!("{prefix}{key}"), Parameter { shape, values })
    };
    network.parameters().into_iter().enumerate().map(parameter).collect()
}

fn resnet12() -> Network {
    Network::by_name("resnet12").unwrap()
}

fn extra() -> Parameter {
    Parameter { shape: vec![2], values: vec![1.0, 2.0] }
}

#[test]
fn prefixes_are_dropped_and_extras_ignored() {
    let network = resnet12();
    let plain = NetworkWeights::new("a", made(&network, ""));
    for prefix in ["", "base.", "module.base.", "module.encoder."] {
        let mut saved = made(&network, prefix);
        saved.insert(format!("{prefix}layer1.0.bn1.num_batches_tracked"), extra());
        saved.insert("classifier.weight".into(), extra());
        let taken = NetworkWeights::new("a", saved).for_network(&network).unwrap();
        assert_eq!(taken, plain, "{prefix}");
    }
}

#[test]
fn missing_and_wrong_weights_are_refused() {
    let network = resnet12();
    let error = |saved| NetworkWeights::new("w.pth", saved).for_network(&network).unwrap_err().to_string();
    let mut lacking = made(&network, "base.");
    lacking.remove("base.layer3.0.bn2.running_var");
    let mut other_shape = lacking.clone();
    other_shape.insert("base.layer3.0.bn2.running_var".into(), extra());
    assert_eq!(
        error(lacking),
        "w.pth lacks 1 of the 80 parameters of resnet12, the first of them \"layer3.0.bn2.running_var\": give a complete checkpoint"
    );
    let mut nan = made(&network, "");
    nan.get_mut("layer1.0.bn1.bias").unwrap().values[3] = f32::NAN;
    for (saved, expected) in [
        (other_shape, "is of shape [2], but that of resnet12 is [256]"),
        (nan, "not finite"),
        (BTreeMap::from([("fc.weight".to_string(), extra())]), "keys such as \"fc.weight\""),
        (BTreeMap::new(), "it is empty"),
    ] {
        let error = error(saved);
        assert!(error.contains(expected), "{error}");
    }
}

#[test]
fn written_weights_are_read_back() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("w.safetensors");
    let weights = NetworkWeights::new(path.display().to_string(), made(&resnet12(), ""));
    for precision in [FloatPrecision::F16, FloatPrecision::F32] {
        // Multiples of 1/64 are the same in both.
        weights.write_safetensors(&path, precision).unwrap();
        assert_eq!(NetworkWeights::read(&path).unwrap(), weights);
    }
}

#[test]
fn counters_are_left_out_and_brain_floats_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("w.safetensors");
    let header = r#"{"n":{"dtype":"I64","shape":[],"data_offsets":[0,8]},"w":{"dtype":"BF16","shape":[2],"data_offsets":[8,12]}}"#;
    let mut bytes = (header.len() as u64).to_le_bytes().to_vec();
    bytes.extend(header.as_bytes());
    bytes.extend([7, 0, 0, 0, 0, 0, 0, 0, 0x80, 0x3f, 0x20, 0xc0]);
    std::fs::write(&path, &bytes).unwrap();
    let weights = NetworkWeights::read(&path).unwrap();
    assert_eq!(weights.iter().count(), 1);
    assert_eq!(weights.get("w").unwrap().values, [1.0, -2.5]);
}

#[test]
fn damaged_and_hostile_files_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("w.safetensors");
    let one = BTreeMap::from([("w".to_string(), extra())]);
    NetworkWeights::new("w", one).write_safetensors(&path, FloatPrecision::F32).unwrap();
    let whole = std::fs::read(&path).unwrap();
    let refused = |bytes: &[u8]| {
        std::fs::write(&path, bytes).unwrap();
        let error = NetworkWeights::read(&path).unwrap_err().to_string();
        assert!(error.contains("holds no weights that can be read"), "{error}");
    };
    (0..whole.len()).for_each(|end| refused(&whole[..end]));
    refused(&u64::MAX.to_le_bytes());
    refused(&[&(1u64 << 40).to_le_bytes()[..], b"{}"].concat());
    for shape in ["[1000000000000]", "[18446744073709551615,2]"] {
        let header = format!(r#"{{"w":{{"dtype":"F32","shape":{shape},"data_offsets":[0,4]}}}}"#);
        refused(&[&(header.len() as u64).to_le_bytes()[..], header.as_bytes(), &[0; 4]].concat());
    }
    std::fs::remove_file(&path).unwrap();
    let error = NetworkWeights::read(&path).unwrap_err().to_string();
    assert!(error.contains("check that the path is right"), "{error}");
}

#[test]
fn a_full_disk_and_a_wrong_shape_are_reported() {
    let three = Parameter { shape: vec![3], values: vec![0.0; 2] };
    for (parameter, expected) in [(extra(), "cannot write none/w.safetensors"), (three, "as many values as its shape")]
    {
        let one = NetworkWeights::new("w", BTreeMap::from([("w".to_string(), parameter)]));
        let error = one.write_safetensors("none/w.safetensors", FloatPrecision::F16).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    }
}
