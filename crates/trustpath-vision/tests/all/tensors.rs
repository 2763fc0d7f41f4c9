//! Features that PyTorch saved; `data/make_checkpoints.py` makes the files.

use trustpath_vision::torch::{TorchMatrix, read_matrix};

use super::data;

fn read(name: &str, names: Option<&[String]>) -> Result<TorchMatrix, String> {
    read_matrix(&data("tensors").join(name), names).map_err(|e| e.to_string())
}

#[test]
fn a_tensor_or_the_only_matrix_of_a_dictionary() {
    let values: Vec<f32> = (0..18).map(|i| i as f32 * 0.25 - 1.0).collect();
    for name in ["tensor.pt", "tensor-old.pt", "f16.pt", "turned.pt", "dict.pt", "requires-grad.pt"] {
        let tensor = read(name, None).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!((tensor.dims, &tensor.values), (3, &values), "{name}");
    }
}

#[test]
fn other_files_are_refused() {
    for (name, expected) in [
        ("vector.pt", "of shape [18]"),
        ("whole-numbers.pt", "no tensor of floating-point numbers"),
        ("two.pt", "several matrices (\"x\" of shape [6, 3], \"z\" of shape [6, 3]): name one"),
        ("none.pt", "cannot read"),
    ] {
        let error = read(name, None).unwrap_err();
        assert!(error.contains(name) && error.contains(expected), "{error}");
    }
    assert_eq!(read("two.pt", Some(&["z".to_owned()])).unwrap().values[0], 1.0);
}

/// Neither a changed byte nor a program in the pickle does more than being refused.
#[test]
fn hostile_files_are_refused() {
    let bytes = std::fs::read(data("tensors/tensor.pt")).unwrap();
    let folder = tempfile::tempdir().unwrap();
    for place in 0..bytes.len() {
        let mut changed = bytes.clone();
        changed[place] ^= 0xff;
        let path = super::put(folder.path(), "changed.pt", &changed);
        let _ = read_matrix(&path, None);
    }
    let program = b"\x80\x02cos\nsystem\nX\x04\x00\x00\x00true\x85R.";
    let path = super::put(folder.path(), "program.pt", program);
    assert!(read_matrix(&path, None).is_err());
}
