//! NumPy's `.npy`: a magic number, a Python literal with type, order and shape, and the bytes.
//!
//! ```text
//! \x93NUMPY  major minor  header length (u16, from version 2 on u32)
//! {'descr': '<f4', 'fortran_order': False, 'shape': (1200, 512), }  padding \n
//! values
//! ```
//!
//! Nothing in the header is believed before it is measured against the bytes that are there, and
//! arrays of Python objects (pickles) are never opened.

mod header;
mod write;

use std::io::Read;
use std::path::Path;
use std::sync::Arc;

use crate::input::Input;
use crate::read::labels::Labels;
use crate::read::{Raw, Wanted, matrix_shape};
use crate::scalar::Scalar;
use crate::stored::StoredArray;
use crate::{Error, Result};
use header::{Element, Header};
pub use write::{write_f32, write_header, write_i32};

const FEATURE_TYPES: &str =
    "features must be numbers; save them as float16, float32, float64 or an integer type";

/// An array, its elements in row-major order and little-endian.
#[derive(Debug)]
pub struct Array {
    /// The file, and the array in it.
    file: String,
    descr: String,
    element: Element,
    /// Its axes; row-major.
    pub shape: Vec<usize>,
    data: Vec<u8>,
}

impl Array {
    /// Reads the file at `path`.
    ///
    /// # Errors
    /// If it is missing, truncated, damaged, or holds something else than numbers or text.
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
        let header = Header::read(&mut source, available, file)?;
        Self::after(header, source)
    }

    fn after(header: Header, source: impl Read) -> Result<Self> {
        let Header { file, descr, element, big_endian, fortran, shape, bytes: expected, .. } =
            header;
        // Grows with what arrives, so that an untrue `available` costs no memory.
        let mut data = Vec::new();
        let read = source.take(expected as u64).read_to_end(&mut data);
        read.map_err(|e| Error::damaged(&file, e))?;
        if data.len() < expected {
            let found = data.len() as u64;
            return Err(Error::Truncated { file, expected: expected as u64, found });
        }

        if big_endian {
            let unit = match element {
                Element::Number(scalar) => scalar.size(),
                Element::Text { character, .. } => character,
            };
            data.chunks_exact_mut(unit).for_each(<[u8]>::reverse);
        }
        if fortran {
            data = to_row_major(&data, &shape, element.size());
        }
        Ok(Self { file, descr, element, shape, data })
    }

    /// Features, their rows and dimensions. As NumPy writes them by default, they go straight to
    /// where they stay and are never in memory twice.
    pub(crate) fn read_matrix(
        mut source: impl Read,
        available: u64,
        file: String,
    ) -> Result<(Vec<f32>, usize, usize)> {
        let header = Header::read(&mut source, available, file)?;
        Self::matrix_after(header, source)
    }

    fn matrix_after(header: Header, source: impl Read) -> Result<(Vec<f32>, usize, usize)> {
        let (rows, dims) = matrix_shape(&header.file, &header.shape)?;
        let features = match header.element {
            Element::Number(scalar) if !header.big_endian && !header.fortran => {
                let read = scalar.read_f32s(source, rows * dims);
                let features = read.map_err(|e| Error::damaged(&header.file, e))?;
                if features.len() < rows * dims {
                    let found = (features.len() * scalar.size()) as u64;
                    let expected = header.bytes as u64;
                    return Err(Error::Truncated { file: header.file, expected, found });
                }
                features
            }
            _ => Self::after(header, source)?.to_f32s()?,
        };
        Ok((features, rows, dims))
    }

    /// Features as a pool has them: rows that follow each other in a file may stay there.
    pub(crate) fn read_features(mut input: Input, wanted: Wanted) -> Result<Raw> {
        let (length, file) = (input.length, input.name.clone());
        let header = Header::read(&mut input, length, file)?;
        let (rows, dims) = matrix_shape(&header.file, &header.shape)?;
        if let Element::Number(scalar) = header.element
            && !header.fortran
            && wanted.stays(rows, dims)
        {
            let Header { start, big_endian, .. } = header;
            let stored = StoredArray { start, rows, dims, scalar, big_endian, at: input.into() };
            return Ok(Raw { stored: Some(Arc::new(stored)), rows, dims, ..Raw::default() });
        }
        let (features, rows, dims) = Self::matrix_after(header, input)?;
        Ok(Raw { features, rows, dims, ..Raw::default() })
    }

    /// The numbers as features.
    ///
    /// # Errors
    /// If the array holds something else.
    pub fn to_f32s(&self) -> Result<Vec<f32>> {
        self.scalar(FEATURE_TYPES).map(|scalar| scalar.to_f32s(&self.data))
    }

    /// The numbers as scores.
    ///
    /// # Errors
    /// If the array holds something else.
    pub fn to_f64s(&self) -> Result<Vec<f64>> {
        self.scalar("numbers are needed").map(|scalar| scalar.to_f64s(&self.data))
    }

    /// The numbers as whole ones.
    ///
    /// # Errors
    /// If the array holds something else.
    pub fn to_i64s(&self) -> Result<Vec<i64>> {
        let scalar = self.scalar("whole numbers are needed; save it as int32")?;
        scalar.to_i64s(&self.data).map_err(|e| {
            let reason = format!("its element {} is {}, not a whole number", e.index, e.value);
            Error::damaged(&self.file, reason)
        })
    }

    /// The elements as labels: whole numbers or names.
    pub(crate) fn to_labels(&self) -> Result<Labels> {
        if self.shape.iter().filter(|&&n| n != 1).count() > 1 {
            return Err(Error::Shape {
                file: self.file.clone(),
                found: self.shape.clone(),
                expected: "labels must be one-dimensional, one for each row of the features",
            });
        }
        match self.element {
            Element::Number(scalar) => Labels::from_array(scalar, &self.data, &self.file),
            Element::Text { .. } => Ok(Labels::from_names(self.to_strings()?)),
        }
    }

    /// The elements as text.
    ///
    /// # Errors
    /// If the array holds something else.
    pub fn to_strings(&self) -> Result<Vec<String>> {
        let Element::Text { character, .. } = self.element else {
            return Err(self.wrong_type("names are needed; save them with dtype=str"));
        };
        let text = |cell: &[u8]| -> Option<String> {
            if character == 1 {
                let end = cell.iter().rposition(|&b| b != 0).map_or(0, |last| last + 1);
                return String::from_utf8(cell[..end].to_vec()).ok();
            }
            let codes = cell.as_chunks().0.iter().map(|&code| u32::from_le_bytes(code));
            let text: Option<String> = codes.map(char::from_u32).collect();
            text.map(|t| t.trim_end_matches('\0').to_owned())
        };
        let cells = self.data.chunks_exact(self.element.size());
        let texts: Option<Vec<_>> = cells.map(text).collect();
        texts.ok_or_else(|| Error::damaged(&self.file, "its text is not valid Unicode"))
    }

    /// One text for each element: names, or whole numbers as text.
    pub(crate) fn to_texts(&self) -> Result<Vec<String>> {
        match self.element {
            Element::Text { .. } => self.to_strings(),
            Element::Number(_) => Ok(self.to_i64s()?.iter().map(i64::to_string).collect()),
        }
    }

    fn scalar(&self, expected: &'static str) -> Result<Scalar> {
        match self.element {
            Element::Number(scalar) => Ok(scalar),
            Element::Text { .. } => Err(self.wrong_type(expected)),
        }
    }

    fn wrong_type(&self, expected: &'static str) -> Error {
        Error::Dtype { file: self.file.clone(), found: self.descr.clone(), expected }
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
        let mut bytes = MAGIC.to_vec();
        bytes.extend([1, 0]);
        bytes.extend((header.len() as u16).to_le_bytes());
        bytes.extend(header.as_bytes());
        bytes.extend(data);
        bytes
    }

    fn header(descr: &str, fortran: &str, shape: &str) -> String {
        format!("{{'descr': {descr}, 'fortran_order': {fortran}, 'shape': {shape}, }}\n")
    }

    fn read(bytes: &[u8]) -> Result<Array> {
        Array::read(bytes, bytes.len() as u64, "x.npy".into())
    }

    #[test]
    fn reads_both_orders_and_both_byte_orders() {
        let values = [1f32, 2.0, 3.0, 4.0, 5.0, 6.0];
        let little: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
        let big: Vec<u8> = values.iter().flat_map(|v| v.to_be_bytes()).collect();
        let c = read(&npy(&header("'<f4'", "False", "(2, 3)"), &little)).unwrap();
        assert_eq!((c.shape.clone(), c.to_f32s().unwrap()), (vec![2, 3], values.to_vec()));
        let c = read(&npy(&header("'>f4'", "False", "(2, 3)"), &big)).unwrap();
        assert_eq!(c.to_f32s().unwrap(), values);
        let f = read(&npy(&header("'<f4'", "True", "(2, 3)"), &little)).unwrap();
        assert_eq!(f.to_f32s().unwrap(), [1.0, 3.0, 5.0, 2.0, 4.0, 6.0]);
    }

    #[test]
    fn text_becomes_names() {
        let unicode: Vec<u8> = "éa\0b\0\0".chars().flat_map(|c| (c as u32).to_le_bytes()).collect();
        let names = read(&npy(&header("'<U3'", "False", "(2,)"), &unicode)).unwrap();
        assert_eq!(names.to_labels().unwrap(), Labels::from_names(vec!["éa", "b"]));
        let names = read(&npy(&header("'|S2'", "False", "(2,)"), b"abc\0")).unwrap();
        assert_eq!(names.to_strings().unwrap(), ["ab", "c"]);
        assert!(names.to_f32s().unwrap_err().to_string().contains("|S2"));
    }

    #[test]
    fn pickles_are_never_opened() {
        let error = read(&npy(&header("'|O'", "False", "(2,)"), b"\x80\x04.")).unwrap_err();
        assert_eq!(error, Error::Pickled { file: "x.npy".into() });
    }

    #[test]
    fn structured_and_complex_types_are_refused() {
        for descr in ["[('a', '<f4'), ('b', '<i4')]", "'<c8'", "'<M8[ns]'", "'<f16'", "'<U0'", "''"]
        {
            let error = read(&npy(&header(descr, "False", "(2,)"), &[0; 64])).unwrap_err();
            assert!(matches!(error, Error::Dtype { .. }), "{descr}: {error}");
        }
    }

    #[test]
    fn hostile_shapes_allocate_nothing() {
        let truncated = [
            "(1000000000000, 512)",
            "(2, 2)", // one element too many for the data below
        ];
        for shape in truncated {
            let error = read(&npy(&header("'<f4'", "False", shape), &[0; 12])).unwrap_err();
            assert!(matches!(error, Error::Truncated { found: 12, .. }), "{shape}: {error}");
        }
        let impossible = ["(18446744073709551615, 3)", "(4294967296, 4294967296)"];
        for shape in impossible {
            let error = read(&npy(&header("'<f4'", "False", shape), &[0; 12])).unwrap_err();
            assert!(matches!(error, Error::Damaged { .. }), "{shape}: {error}");
        }
        for shape in ["(-1, 3)", "(1.5,)", "3", "(3", "(99999999999999999999,)"] {
            let error = read(&npy(&header("'<f4'", "False", shape), &[0; 12])).unwrap_err();
            assert!(matches!(error, Error::Damaged { .. }), "{shape}: {error}");
        }
        // A source that claims more than it has.
        let bytes = npy(&header("'<f4'", "False", "(1000, 512)"), &[0; 12]);
        let error = Array::read(&bytes[..], u64::MAX, "x".into()).unwrap_err();
        assert!(matches!(error, Error::Truncated { found: 12, .. }), "{error}");
    }

    #[test]
    fn a_huge_header_is_refused() {
        let mut bytes = MAGIC.to_vec();
        bytes.extend([2, 0]);
        bytes.extend(u32::MAX.to_le_bytes());
        assert!(matches!(read(&bytes), Err(Error::Damaged { .. })));
    }

    #[test]
    fn every_truncation_is_an_error() {
        let bytes = npy(&header("'<f4'", "False", "(2, 3)"), &[0; 24]);
        assert!(read(&bytes).is_ok());
        for end in 0..bytes.len() {
            assert!(read(&bytes[..end]).is_err(), "cut at {end}");
        }
    }

    proptest! {
        #[test]
        fn no_bytes_make_it_panic(
            header in "\\PC{0,80}", data in proptest::collection::vec(any::<u8>(), 0..64)
        ) {
            let _ = read(&npy(&header, &data)).map(|a| (a.to_f32s(), a.to_labels()));
            let _ = read(&data);
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
