//! Checkpoints in both formats of PyTorch; `data/make_checkpoints.py` makes them.

use std::io::Write;
use std::path::PathBuf;

use proptest::prelude::*;
use trustpath_vision::weights::NetworkWeights;

fn path(name: &str) -> PathBuf {
    super::data("checkpoints").join(name)
}

fn check(weights: &NetworkWeights, prefix: &str) {
    for (key, shape, values) in [
        ("f32", &[2, 3][..], &[0.0f32, 1.0, 2.0, 3.0, 4.0, 5.0][..]),
        ("f64", &[2, 2], &[0.0, 1.0 / 3.0, 2.0 / 3.0, 1.0]),
        ("f16", &[3], &[0.0, 0.5, 1.0]),
        ("bf16", &[3], &[0.0, 100.0, 200.0]),
        ("turned", &[3, 2], &[0.0, 3.0, 1.0, 4.0, 2.0, 5.0]),
        ("view", &[2, 2], &[4.0, 5.0, 6.0, 7.0]),
        ("steps", &[4], &[0.0, 3.0, 6.0, 9.0]),
        ("scalar", &[], &[5.0]),
        ("empty", &[0, 4], &[]),
        ("parameter", &[2], &[0.0, 1.0]),
    ] {
        let parameter = weights.get(&format!("{prefix}{key}")).unwrap_or_else(|| panic!("{prefix}{key}"));
        assert_eq!((parameter.shape.as_slice(), parameter.values.as_slice()), (shape, values), "{key}");
    }
    assert!(weights.get(&format!("{prefix}num_batches_tracked")).is_none());
}

#[test]
fn both_formats_are_read_wherever_the_tensors_are() {
    for form in ["zip", "old"] {
        for name in ["plain", "state-dict", "params"] {
            let weights = NetworkWeights::read(path(&format!("{name}-{form}.pth"))).unwrap();
            assert_eq!(weights.iter().count(), 10, "{name}-{form}");
            check(&weights, "");
        }
        let two = NetworkWeights::read(path(&format!("two-{form}.pth"))).unwrap();
        assert_eq!(two.iter().count(), 20);
        check(&two, "teacher.");
        check(&two, "student.");
    }
}

#[test]
fn what_holds_no_weights_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let put = |name: &str, bytes: &[u8]| super::put(dir.path(), name, bytes);
    let said = |path: PathBuf| {
        let name = path.display().to_string();
        let error = NetworkWeights::read(path).unwrap_err().to_string();
        assert!(error.starts_with(&name), "{error}");
        error
    };
    for form in ["zip", "old"] {
        assert!(said(path(&format!("list-{form}.pth"))).contains("no tensors by name"));
        let whole = std::fs::read(path(&format!("plain-{form}.pth"))).unwrap();
        for cut in [3, 20, 200, whole.len() / 2, whole.len() - 30] {
            said(put("cut.pth", &whole[..cut]));
        }
    }
    assert!(said(dir.path().join("nowhere.pth")).contains("check that the path is right"));
    assert!(said(put("other.pth", b"\x80\x02]q\x00.")).contains("not a checkpoint of PyTorch"));
    let mut script = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (name, bytes) in [
        ("RN50/data.pkl", &b"\x80\x02}q\x00."[..]),
        ("RN50/code/__torch__/clip.py", b""),
        ("RN50/constants.pkl", b"\x80\x02)."),
    ] {
        script.start_file(name, zip::write::SimpleFileOptions::default()).unwrap();
        script.write_all(bytes).unwrap();
    }
    let script = put("RN50.pt", script.finish().unwrap().get_ref());
    assert!(said(script).contains("it is a TorchScript archive; save its tensors by torch.save("));
    // A shape larger than its storage, and an offset beyond it.
    let whole = std::fs::read(path("plain-old.pth")).unwrap();
    let at = whole.windows(6).position(|w| w == b"K\x00K\x02K\x03").unwrap();
    let mut lie = whole.clone();
    lie[at + 3] = 200;
    assert!(said(put("shape.pth", &lie)).contains("f32 claims more numbers than there are"));
    let mut lie = whole;
    lie[at + 1] = 200;
    assert!(said(put("offset.pth", &lie)).contains("f32 reaches beyond its storage"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn changed_checkpoints_are_refused_or_read(
        changes in proptest::collection::vec((any::<u16>(), any::<u8>()), 1..5)
    ) {
        let mut bytes = std::fs::read(path("plain-old.pth")).unwrap();
        let most = bytes.len();
        changes.into_iter().for_each(|(at, byte)| bytes[usize::from(at) % most] = byte);
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), bytes).unwrap();
        match NetworkWeights::read_pth(file.path()) {
            Ok(weights) => for (_, parameter) in weights.iter() {
                prop_assert_eq!(parameter.values.len(), parameter.shape.iter().product::<usize>());
            },
            Err(e) => prop_assert!(e.to_string().contains("holds no weights that can be read"), "{}", e),
        }
    }
}
