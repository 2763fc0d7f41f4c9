//! NumPy's `.npy`: a magic number, a Python literal with type, order and shape, and the bytes.
//!
//! ```text
//! \x93NUMPY  major minor  header length (u16, from version 2 on u32)
//! {'descr': '<f4', 'fortran_order': False, 'shape': (1200, 512), }  padding \n
//! values
//! ```
//!
//! Every size in the header is compared with the number of bytes available before memory is
//! allocated, and arrays of Python objects (pickles) are never opened.

mod header;
mod write;

use std::io::Read;
use std::path::Path;

use super::raw::{RawTable, ReadOptions, check_label_shape, matrix_shape};
use crate::block_file::ArrayInFile;
use crate::input::Input;
use crate::labels::FileLabels;
use crate::scalar::Scalar;
use crate::{Error, Result};
use header::{ElementType, NpyHeader};
pub use write::{write_f32, write_header, write_i32};

/// An array, its elements in row-major order and little-endian.
#[derive(Debug)]
pub struct NpyArray {
    /// The file, and the array in it.
    file: String,
    descr: String,
    element: ElementType,
    /// The lengths of its axes.
    pub shape: Vec<usize>,
    data: Vec<u8>,
}

/// Reads features, or labels alone. Features in C order may stay in their file.
pub(super) fn read(mut input: Input, options: ReadOptions) -> Result<RawTable> {
    let (length, file) = (input.length, input.name.clone());
    let header = NpyHeader::read(&mut input, length, file)?;
    if options.labels_only {
        let labels = NpyArray::after(header, input)?.to_labels()?;
        return Ok(RawTable::of_labels(Some(labels), None));
    }
    let (rows, dims) = matrix_shape(&header.file, &header.shape)?;
    let NpyHeader { element, fortran, start, big_endian, .. } = header;
    match element {
        ElementType::Number(scalar) if !fortran => {
            ArrayInFile { input, start, rows, dims, scalar, big_endian }.into_table(options)
        }
        _ => {
            let features = NpyArray::after(header, input)?.to_f32s()?;
            Ok(RawTable { features, rows, dims, ..RawTable::default() })
        }
    }
}

impl NpyArray {
    /// Reads the file at `path`.
    ///
    /// # Errors
    /// If it is missing, truncated, damaged, or holds something other than numbers or text.
    pub fn open(path: &Path) -> Result<Self> {
        let input = Input::open(path)?;
        let (length, file) = (input.length, input.name.clone());
        Self::read(input, length, file)
    }

    /// Reads an array from a source that holds at most `available` bytes, and calls it `file`.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn read(mut source: impl Read, available: u64, file: String) -> Result<Self> {
        let header = NpyHeader::read(&mut source, available, file)?;
        Self::after(header, source)
    }

    fn after(header: NpyHeader, source: impl Read) -> Result<Self> {
        let NpyHeader { file, descr, element, big_endian, fortran, shape, bytes: expected, .. } = header;
        // Grows with the bytes that arrive, so that a wrong `available` costs no memory.
        let mut data = Vec::new();
        let read = source.take(expected as u64).read_to_end(&mut data);
        read.map_err(|e| Error::damaged(&file, e))?;
        if data.len() < expected {
            let available = data.len() as u64;
            return Err(Error::Truncated { file, expected: expected as u64, available });
        }
        if big_endian {
            let unit = match element {
                ElementType::Number(scalar) => scalar.size(),
                ElementType::Text { character, .. } => character,
            };
            data.chunks_exact_mut(unit).for_each(<[u8]>::reverse);
        }
        if fortran {
            data = to_row_major(&data, &shape, element.size());
        }
        Ok(Self { file, descr, element, shape, data })
    }

    /// Reads features. In NumPy's default order they are converted as they arrive and are never in memory twice.
    pub(super) fn read_matrix(mut source: &mut dyn Read, available: u64, file: String) -> Result<RawTable> {
        let header = NpyHeader::read(&mut source, available, file)?;
        let (rows, dims) = matrix_shape(&header.file, &header.shape)?;
        let features = match header.element {
            ElementType::Number(scalar) if !header.big_endian && !header.fortran => {
                let read = scalar.read_f32s(source, rows * dims);
                let features = read.map_err(|e| Error::damaged(&header.file, e))?;
                if features.len() < rows * dims {
                    let available = (features.len() * scalar.size()) as u64;
                    return Err(Error::Truncated { file: header.file, expected: header.bytes as u64, available });
                }
                features
            }
            _ => Self::after(header, source)?.to_f32s()?,
        };
        Ok(RawTable { features, rows, dims, ..RawTable::default() })
    }

    /// The numbers as features.
    ///
    /// # Errors
    /// If the array holds something else.
    pub fn to_f32s(&self) -> Result<Vec<f32>> {
        let expected = "features must be numbers; save them as float16, float32, float64 or an integer type";
        self.scalar(expected).map(|scalar| scalar.to_f32s(&self.data))
    }

    /// The numbers in double precision.
    ///
    /// # Errors
    /// If the array holds something else.
    pub fn to_f64s(&self) -> Result<Vec<f64>> {
        self.scalar("numbers are needed").map(|scalar| scalar.to_f64s(&self.data))
    }

    /// The numbers as integers.
    ///
    /// # Errors
    /// If the array holds something else, or a number with a fraction.
    pub fn to_i64s(&self) -> Result<Vec<i64>> {
        let scalar = self.scalar("whole numbers are needed; save it as int32")?;
        scalar.to_i64s(&self.data).map_err(|e| Error::damaged(&self.file, e))
    }

    /// The elements as labels: whole numbers or names.
    pub(super) fn to_labels(&self) -> Result<FileLabels> {
        check_label_shape(&self.file, &self.shape)?;
        match self.element {
            ElementType::Number(scalar) => FileLabels::from_array(scalar, &self.data, &self.file),
            ElementType::Text { .. } => Ok(FileLabels::from_names(self.to_strings()?)),
        }
    }

    /// The elements as text.
    ///
    /// # Errors
    /// If the array holds something else.
    pub fn to_strings(&self) -> Result<Vec<String>> {
        let ElementType::Text { character, .. } = self.element else {
            return Err(self.wrong_type("names are needed; save them with dtype=str"));
        };
        let text = |element: &[u8]| -> Option<String> {
            let text = match character {
                1 => String::from_utf8(element.to_vec()).ok()?,
                _ => {
                    let codes = element.as_chunks().0.iter().map(|&code| u32::from_le_bytes(code));
                    codes.map(char::from_u32).collect::<Option<_>>()?
                }
            };
            Some(text.trim_end_matches('\0').to_owned())
        };
        let texts: Option<_> = self.data.chunks_exact(self.element.size()).map(text).collect();
        texts.ok_or_else(|| Error::damaged(&self.file, "its text is not valid Unicode"))
    }

    /// One text for each element: names, or whole numbers as text.
    pub(super) fn to_texts(&self) -> Result<Vec<String>> {
        match self.element {
            ElementType::Text { .. } => self.to_strings(),
            ElementType::Number(_) => Ok(self.to_i64s()?.iter().map(i64::to_string).collect()),
        }
    }

    fn scalar(&self, expected: &'static str) -> Result<Scalar> {
        match self.element {
            ElementType::Number(scalar) => Ok(scalar),
            ElementType::Text { .. } => Err(self.wrong_type(expected)),
        }
    }

    fn wrong_type(&self, expected: &'static str) -> Error {
        Error::Dtype { file: self.file.clone(), dtype: self.descr.clone(), expected }
    }
}

/// Reorders elements whose first index runs fastest.
fn to_row_major(data: &[u8], shape: &[usize], size: usize) -> Vec<u8> {
    let mut sorted = vec![0; data.len()];
    let mut index = vec![0; shape.len()];
    for element in data.chunks_exact(size) {
        let place = index.iter().zip(shape).fold(0, |place, (&i, &n)| place * n + i);
        sorted[place * size..][..size].copy_from_slice(element);
        for (i, &n) in index.iter_mut().zip(shape) {
            *i += 1;
            if *i < n {
                break;
            }
            *i = 0;
        }
    }
    sorted
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::header::MAGIC;
    use super::*;

    fn npy(header: &str, data: &[u8]) -> Vec<u8> {
        let length = (header.len() as u16).to_le_bytes();
        [&MAGIC[..], &[1, 0], &length, header.as_bytes(), data].concat()
    }

    fn array(descr: &str, shape: &str, data: &[u8]) -> Vec<u8> {
        npy(&format!("{{'descr': {descr}, 'fortran_order': False, 'shape': {shape}, }}\n"), data)
    }

    fn read(bytes: &[u8]) -> Result<NpyArray> {
        NpyArray::read(bytes, bytes.len() as u64, "x.npy".into())
    }

    #[test]
    fn text_becomes_names() {
        let unicode: Vec<u8> = "éa\0b\0\0".chars().flat_map(|c| (c as u32).to_le_bytes()).collect();
        let names = read(&array("'<U3'", "(2,)", &unicode)).unwrap();
        assert_eq!(names.to_labels().unwrap(), FileLabels::from_names(vec!["éa", "b"]));
        let names = read(&array("'|S2'", "(2,)", b"abc\0")).unwrap();
        assert_eq!(names.to_strings().unwrap(), ["ab", "c"]);
        assert!(names.to_f32s().unwrap_err().to_string().contains("|S2"));
    }

    #[test]
    fn pickles_structured_and_complex_types_are_refused() {
        let error = read(&array("'|O'", "(2,)", b"\x80\x04.")).unwrap_err();
        assert_eq!(error, Error::Pickled { file: "x.npy".into() });
        for descr in ["[('a', '<f4'), ('b', '<i4')]", "'<c8'", "'<M8[ns]'", "'<f16'", "'<U0'", "''"] {
            let error = read(&array(descr, "(2,)", &[0; 64])).unwrap_err();
            assert!(matches!(error, Error::Dtype { .. }), "{descr}: {error}");
        }
    }

    #[test]
    fn hostile_shapes_allocate_nothing() {
        let refused = |shape| read(&array("'<f4'", shape, &[0; 12])).unwrap_err();
        // The second has one element too many for the data.
        for shape in ["(1000000000000, 512)", "(2, 2)"] {
            let error = refused(shape);
            assert!(matches!(error, Error::Truncated { available: 12, .. }), "{shape}: {error}");
        }
        let impossible = ["(18446744073709551615, 3)", "(4294967296, 4294967296)"];
        let no_shape = ["(-1, 3)", "(1.5,)", "3", "(3", "(99999999999999999999,)"];
        for shape in impossible.into_iter().chain(no_shape) {
            let error = refused(shape);
            assert!(matches!(error, Error::Damaged { .. }), "{shape}: {error}");
        }
        // A source that claims more than it has.
        let bytes = array("'<f4'", "(1000, 512)", &[0; 12]);
        let error = NpyArray::read(&bytes[..], u64::MAX, "x".into()).unwrap_err();
        assert!(matches!(error, Error::Truncated { available: 12, .. }), "{error}");
    }

    #[test]
    fn a_huge_header_and_every_truncation_are_refused() {
        let huge = [&MAGIC[..], &[2, 0], &u32::MAX.to_le_bytes()].concat();
        assert!(matches!(read(&huge), Err(Error::Damaged { .. })));
        let bytes = array("'<f4'", "(2, 3)", &[0; 24]);
        assert!(read(&bytes).is_ok());
        assert!((0..bytes.len()).all(|end| read(&bytes[..end]).is_err()));
    }

    proptest! {
        #[test]
        fn random_bytes_are_read_as_announced_or_refused(
            header in "\\PC{0,80}", data in proptest::collection::vec(any::<u8>(), 0..64)
        ) {
            if let Ok(array) = read(&npy(&header, &data)) {
                let elements: usize = array.shape.iter().product();
                prop_assert!(elements <= data.len(), "every element has its bytes");
                if let Ok(values) = array.to_f32s() {
                    prop_assert_eq!(values.len(), elements);
                }
                if let Ok(labels) = array.to_labels() {
                    prop_assert_eq!(labels.len(), elements);
                }
            }
            prop_assert!(data.starts_with(MAGIC) || read(&data).is_err());
        }

        #[test]
        fn what_is_written_is_read(
            rows in 0usize..5, columns in 0usize..5, value in any::<i32>()
        ) {
            let values: Vec<i32> =
                (0..rows * columns).map(|i| value.wrapping_mul(i as i32)).collect();
            let mut bytes = Vec::new();
            write_i32(&mut bytes, &[rows, columns], &values).unwrap();
            prop_assert_eq!((bytes.len() - 4 * values.len()) % 64, 0);
            let array = read(&bytes).unwrap();
            prop_assert_eq!(&array.shape, &vec![rows, columns]);
            let expected: Vec<i64> = values.iter().map(|&v| v.into()).collect();
            prop_assert_eq!(array.to_i64s().unwrap(), expected);
        }
    }
}
