//! What several tests need: the golden fixtures (`.npy` arrays and `case.json`), random numbers and differences.

// The tests of two crates share it, and each uses a part.
#![allow(dead_code)]

use std::fs;
use std::path::PathBuf;

use serde_json::Value;
use trustpath_path::Matrix;
use trustpath_path::incidental::Path;

/// Uniform random numbers in `[0, 1)`, the same on every machine.
pub struct Uniform(pub u64);

impl Uniform {
    pub fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }

    pub fn normal(&mut self) -> f64 {
        (0..12).map(|_| self.next()).sum::<f64>() - 6.0
    }
}

/// The nine cases of `tests/golden`.
pub const CASES: [&str; 9] =
    ["t1_seed1", "t1_seed2", "t1_seed3", "t5_seed1", "t5_seed2", "t5_seed3", "s30_seed1", "s30_seed2", "s30_seed3"];

/// A little-endian, C-ordered array of at most three dimensions, its values widened to `f64`.
pub struct Array {
    pub shape: Vec<usize>,
    pub values: Vec<f64>,
}

impl Array {
    /// The values as class or row numbers.
    pub fn indices(&self) -> Vec<usize> {
        self.values.iter().map(|&v| v as usize).collect()
    }
}

/// Where the fixtures are, for the tests of every crate.
pub const GOLDEN: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../trustpath-path/tests/golden");

/// One fixture directory.
pub struct Case {
    directory: PathBuf,
    pub json: Value,
}

impl Case {
    pub fn open(name: &str) -> Self {
        let directory = PathBuf::from(GOLDEN).join(name);
        let text = fs::read_to_string(directory.join("case.json")).unwrap();
        Self { directory, json: serde_json::from_str(&text).unwrap() }
    }

    pub fn number(&self, key: &str) -> usize {
        self.json[key].as_u64().unwrap() as usize
    }

    pub fn has(&self, name: &str) -> bool {
        self.directory.join(format!("{name}.npy")).exists()
    }

    pub fn array(&self, name: &str) -> Array {
        read_npy(&fs::read(self.directory.join(format!("{name}.npy"))).unwrap())
    }

    /// Raw features, `[support; unlabeled]` and, where they are not the unlabeled rows themselves, the query rows after them.
    pub fn raw_rows(&self) -> (Vec<f32>, usize, usize) {
        let (mut data, mut rows, mut dims) = (Vec::new(), 0, 0);
        for name in ["sx", "ux", "qx"].into_iter().filter(|&name| name != "ux" || self.has(name)) {
            let array = self.array(name);
            rows += array.shape[0];
            dims = array.shape[1];
            data.extend(array.values.iter().map(|&v| v as f32));
        }
        (data, rows, dims)
    }

    /// The coordinates `X_lle` and the labels of the first round.
    pub fn first_round(&self) -> (Matrix, Vec<usize>) {
        let x = self.array("X_lle");
        (Matrix::from_vec(x.shape[0], x.shape[1], x.values).unwrap(), self.first_labels())
    }

    /// `[sy; pseudo0]`: the labels of the first round.
    pub fn first_labels(&self) -> Vec<usize> {
        let mut labels = self.array("sy").indices();
        labels.extend(self.array("pseudo0").indices());
        labels
    }
}

/// Parses the `.npy` format, version 1.0, dtypes `<f4 <f8 <i8`.
fn read_npy(bytes: &[u8]) -> Array {
    let header_length = u16::from_le_bytes([bytes[8], bytes[9]]) as usize;
    let header = std::str::from_utf8(&bytes[10..10 + header_length]).unwrap();
    assert!(header.contains("'fortran_order': False"));
    let shape_text = header.split("'shape': (").nth(1).unwrap().split(')').next().unwrap();
    let shape = shape_text.split(',').filter_map(|s| s.trim().parse().ok()).collect();
    let body = &bytes[10 + header_length..];
    let words = |size| body.chunks_exact(size);
    let values = if header.contains("'<f8'") {
        words(8).map(|b| f64::from_le_bytes(b.try_into().unwrap())).collect()
    } else if header.contains("'<f4'") {
        words(4).map(|b| f64::from(f32::from_le_bytes(b.try_into().unwrap()))).collect()
    } else {
        assert!(header.contains("'<i8'"), "{header}");
        words(8).map(|b| i64::from_le_bytes(b.try_into().unwrap()) as f64).collect()
    };
    Array { shape, values }
}

/// Largest absolute difference.
pub fn max_diff(a: &[f64], b: &[f64]) -> f64 {
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).fold(0.0, |m, (x, y)| m.max((x - y).abs()))
}

/// Largest relative difference; not a number if one is not.
pub fn relative_diff(a: &[f64], b: &[f64]) -> f64 {
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).map(|(a, b)| (a / b - 1.0).abs()).max_by(f64::total_cmp).unwrap_or(0.0)
}

/// The largest entry, at least zero.
pub fn worst(values: &[f64]) -> f64 {
    values.iter().copied().fold(0.0, f64::max)
}

/// Row numbers from the most to the least credible.
pub fn ranking(vanish: &[f64]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..vanish.len()).collect();
    order.sort_by(|&a, &b| vanish[a].total_cmp(&vanish[b]));
    order
}

/// All `β` of a path, one after the other.
pub fn betas(path: &Path) -> Vec<f64> {
    path.beta.iter().flatten().flat_map(|beta| beta.as_slice().to_vec()).collect()
}
