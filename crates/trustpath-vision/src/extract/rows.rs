//! Features that are computed in blocks, and are on the disk until all are there.

use std::io::Write;
use std::path::{Path, PathBuf};

use trustpath_table::{npy, write_atomically};

use super::partial::{COMPLETE, PartialFile};
use crate::fingerprint::Fingerprint;
use crate::{Error, Result};

/// Features of texts or of anything else, on their way to a `.npy` file. Only one block is in memory; an extraction that was
/// interrupted goes on where it was.
pub struct FeatureBlocks {
    partial: PartialFile,
    out: PathBuf,
    dims: usize,
}

impl FeatureBlocks {
    /// Begins, or resumes what was begun for the same texts by the same representation. `settings` is a number that changes
    /// with all that its features depend on.
    ///
    /// # Errors
    /// If the file beside `out` cannot be written, or another process writes it.
    pub fn open<T: AsRef<str>>(out: &Path, settings: u64, texts: &[T], dims: usize) -> Result<Self> {
        let mut all = Fingerprint::new();
        all.number(settings).number(texts.len() as u64);
        for text in texts {
            all.add(text.as_ref());
        }
        let partial = PartialFile::open(out, all.get(), 4 * dims)?;
        Ok(Self { partial, out: out.to_owned(), dims })
    }

    /// Rows that are there.
    pub fn done(&self) -> usize {
        self.partial.done
    }

    /// Adds rows.
    ///
    /// # Errors
    /// If they are not finite, or cannot be written.
    pub fn append(&mut self, features: &[f32]) -> Result<()> {
        if let Some(at) = features.iter().position(|x| !x.is_finite()) {
            let (row, value) = (self.done() + at / self.dims, features[at]);
            return Err(Error::Input(format!("the feature of row {row} contains {value}: the weights do not suit it")));
        }
        let mut records = Vec::with_capacity(features.len() * 4 + features.len() / self.dims);
        for row in features.chunks_exact(self.dims) {
            records.push(COMPLETE);
            row.iter().for_each(|x| records.extend(x.to_le_bytes()));
        }
        self.partial.append(&records)
    }

    /// Writes the result, complete or not at all.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn finish(self) -> Result<()> {
        let shape = [self.partial.done, self.dims];
        write_atomically(&self.out, |w| {
            npy::write_header(w, "'<f4'", &shape)?;
            self.partial.each(|_, row| w.write_all(row))
        })?;
        self.partial.remove()
    }
}

#[cfg(test)]
mod tests {
    use trustpath_table::npy::NpyArray;

    use super::*;

    #[test]
    fn what_was_interrupted_goes_on_and_other_texts_begin_anew() {
        let folder = tempfile::tempdir().unwrap();
        let out = folder.path().join("x.npy");
        let open = |identity, texts: &[&str]| FeatureBlocks::open(&out, identity, texts, 2).unwrap();
        let mut blocks = open(7, &["a", "b", "c"]);
        blocks.append(&[1.0, 2.0, 3.0, 4.0]).unwrap();
        let error = blocks.append(&[1.0, f32::NAN]).unwrap_err().to_string();
        assert!(error.contains("the feature of row 2 contains NaN"), "{error}");
        drop(blocks);
        assert!(!out.exists());
        assert_eq!(open(7, &["a", "b", "c"]).done(), 2);
        assert_eq!(open(7, &["a", "b", "d"]).done(), 0);
        let mut blocks = open(8, &["a", "b"]);
        blocks.append(&[5.0, 6.0]).unwrap();
        drop(blocks);
        let mut blocks = open(8, &["a", "b"]);
        assert_eq!(blocks.done(), 1);
        blocks.append(&[7.0, 8.0]).unwrap();
        blocks.finish().unwrap();
        let written = NpyArray::open(&out).unwrap().to_f32s().unwrap();
        assert_eq!(written, [5.0, 6.0, 7.0, 8.0]);
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}
