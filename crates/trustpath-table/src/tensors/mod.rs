//! Named tensors with texts of metadata, in which models are saved.
//!
//! A safetensors file is the length of a header, the header (JSON with the type, shape and place of every tensor, and
//! texts under `__metadata__`), and the bytes. Equal tensors give files that are equal bit for bit.

mod open;
mod write;

use std::collections::BTreeMap;
use std::path::Path;

use crate::input::Input;
use crate::output::Output;
use crate::scalar::Scalar;
use crate::{Error, Result};
pub(crate) use open::TensorReader;
pub(crate) use write::{TensorEntry, write};

/// Numbers of one type in row-major order, and the lengths of their axes.
#[derive(Debug, Clone, PartialEq)]
#[expect(missing_docs, reason = "the names of the fields say what they are")]
pub enum Tensor {
    /// 32-bit floats.
    F32 { shape: Vec<usize>, values: Vec<f32> },
    /// 64-bit floats.
    F64 { shape: Vec<usize>, values: Vec<f64> },
}

/// Tensors and texts by their names.
///
/// ```
/// use trustpath_table::{Tensor, TensorFile};
/// let folder = tempfile::tempdir().unwrap();
/// let path = folder.path().join("model.safetensors");
/// let mut model = TensorFile::default();
/// model.metadata.insert("classes".into(), "[\"auk\",\"gull\"]".into());
/// model.tensors.insert("bias".into(), Tensor::F64 { shape: vec![2], values: vec![0.5, -0.5] });
/// model.write(&path)?;
/// assert_eq!(TensorFile::read(&path)?, model);
/// # Ok::<(), trustpath_table::Error>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TensorFile {
    /// Texts.
    pub metadata: BTreeMap<String, String>,
    /// Tensors.
    pub tensors: BTreeMap<String, Tensor>,
}

impl TensorFile {
    /// Reads a safetensors file whose tensors are all floats; `-` is standard input. Half precision
    /// becomes [`Tensor::F32`].
    ///
    /// # Errors
    /// If it cannot be read, is damaged, or holds tensors of other types.
    pub fn read(path: impl AsRef<Path>) -> Result<Self> {
        Self::from_input(Input::open(path.as_ref())?)
    }

    /// The same from the contents of a file; errors call it `name`.
    ///
    /// # Errors
    /// As [`read`](Self::read).
    pub fn from_bytes(bytes: Vec<u8>, name: &str) -> Result<Self> {
        Self::from_input(Input::memory(bytes, name))
    }

    fn from_input(input: Input) -> Result<Self> {
        let file = TensorReader::open(input)?;
        let mut tensors = BTreeMap::new();
        for name in file.names() {
            let expected = "a model holds only floats; check that this file is a model";
            let (scalar, shape) = file.scalar(&name, expected)?;
            let bytes = file.bytes(&name)?;
            let tensor = match scalar {
                Scalar::F64 => Tensor::F64 { shape, values: scalar.to_f64s(&bytes) },
                Scalar::F32 | Scalar::F16 | Scalar::Bf16 => Tensor::F32 { shape, values: scalar.to_f32s(&bytes) },
                _ => {
                    let (file, dtype) = (file.called(&name), "whole numbers".into());
                    return Err(Error::Dtype { file, dtype, expected });
                }
            };
            tensors.insert(name, tensor);
        }
        Ok(Self { metadata: file.metadata(), tensors })
    }

    /// Writes the file, which is then complete or unchanged; `-` is standard output.
    ///
    /// # Errors
    /// [`Error::Write`] if it cannot be written, [`Error::Shape`] if the number of values of a tensor
    /// does not match its shape.
    pub fn write(&self, path: impl AsRef<Path>) -> Result<()> {
        let entries = self.entries(path.as_ref())?;
        Output::new(path.as_ref()).write(|w| write(w, &self.metadata, entries))
    }

    /// The contents of the file.
    ///
    /// # Errors
    /// [`Error::Shape`] if the values of a tensor are not as many as its shape says.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        let (path, mut bytes) = (Path::new("memory"), Vec::new());
        let written = write(&mut bytes, &self.metadata, self.entries(path)?);
        written.map_err(|error| Error::write(path, error))?;
        Ok(bytes)
    }

    fn entries(&self, path: &Path) -> Result<Vec<TensorEntry>> {
        self.tensors.iter().map(|(name, tensor)| entry(name, tensor, path)).collect()
    }
}

fn entry(name: &str, tensor: &Tensor, path: &Path) -> Result<TensorEntry> {
    let (dtype, shape, count) = match tensor {
        Tensor::F32 { shape, values } => ("F32", shape, values.len()),
        Tensor::F64 { shape, values } => ("F64", shape, values.len()),
    };
    if shape.iter().try_fold(1usize, |product, &n| product.checked_mul(n)) != Some(count) {
        let file = format!("{} ({name})", path.display());
        return Err(Error::shape(&file, shape, "the number of its values does not match"));
    }
    let bytes = match tensor {
        Tensor::F32 { values, .. } => values.iter().flat_map(|v| v.to_le_bytes()).collect(),
        Tensor::F64 { values, .. } => values.iter().flat_map(|v| v.to_le_bytes()).collect(),
    };
    Ok(TensorEntry { name: name.to_owned(), dtype, shape: shape.clone(), bytes })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Folder;

    fn model() -> TensorFile {
        let mut model = TensorFile::default();
        for (key, text) in [("note", "é \"quoted\"\n"), ("a", ""), ("z", "1")] {
            model.metadata.insert(key.into(), text.into());
        }
        let values: Vec<f32> = (0..6).map(|i| i as f32 / 7.0).collect();
        model.tensors.insert("w".into(), Tensor::F32 { shape: vec![2, 3], values });
        model.tensors.insert("a".into(), Tensor::F32 { shape: vec![1], values: vec![0.1] });
        let values = vec![1.0 / 3.0, f64::MIN_POSITIVE];
        model.tensors.insert("b".into(), Tensor::F64 { shape: vec![2], values });
        model.tensors.insert("none".into(), Tensor::F64 { shape: vec![0, 4], values: vec![] });
        model
    }

    #[test]
    fn what_is_written_is_read_and_always_the_same() {
        let folder = Folder::new();
        let (one, two) = (folder.path("1.safetensors"), folder.path("2.safetensors"));
        model().write(&one).unwrap();
        TensorFile::read(&one).unwrap().write(&two).unwrap();
        assert_eq!(TensorFile::read(&one).unwrap(), model());
        let bytes = std::fs::read(&one).unwrap();
        assert_eq!(bytes, std::fs::read(&two).unwrap());
        // The reference implementation agrees.
        let reference = ::safetensors::SafeTensors::deserialize(&bytes).unwrap();
        assert_eq!(reference.tensor("w").unwrap().shape(), [2, 3]);
    }

    #[test]
    fn damaged_and_hostile_files_are_refused() {
        let whole = model().to_bytes().unwrap();
        let refused = |bytes: &[u8]| TensorFile::from_bytes(bytes.to_vec(), "m.safetensors").is_err();
        assert!((0..whole.len()).all(|end| refused(&whole[..end])));
        assert!(refused(&[&whole[..], b"more"].concat()));
        assert!(refused(&u64::MAX.to_le_bytes()));
        assert!(refused(&[&(1u64 << 40).to_le_bytes()[..], b"{}"].concat()));
        let with_header = |header: &str, data: usize| {
            let length = (header.len() as u64).to_le_bytes();
            [&length[..], header.as_bytes(), &vec![0; data]].concat()
        };
        assert!(refused(&with_header(&"[".repeat(100_000), 0)));
        for (shape, end, data) in
            [("[1000000000000]", "4", 4), ("[18446744073709551615,2]", "4", 4), ("[1000000000000]", "4000000000000", 0)]
        {
            let header = format!(r#"{{"w":{{"dtype":"F32","shape":{shape},"data_offsets":[0,{end}]}}}}"#);
            assert!(refused(&with_header(&header, data)), "{shape}");
        }
    }

    #[test]
    fn a_shape_that_does_not_fit_is_refused() {
        let mut model = model();
        model.tensors.insert("w".into(), Tensor::F32 { shape: vec![5], values: vec![0.0; 6] });
        assert!(matches!(model.write("none/m.safetensors"), Err(Error::Shape { .. })));
    }
}
