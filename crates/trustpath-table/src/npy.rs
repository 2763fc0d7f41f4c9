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

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::Path;

use crate::scalar::Scalar;
use crate::table::labels::Labels;
use crate::{Error, Result};

const MAGIC: &[u8; 6] = b"\x93NUMPY";
/// NumPy writes a few hundred bytes; more than this is no header.
const LONGEST_HEADER: usize = 1 << 16;
const FEATURE_TYPES: &str =
    "features must be numbers; save them as float16, float32, float64 or an integer type";

/// What the elements are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Element {
    Number(Scalar),
    /// Fixed-width text, 4 bytes a character (`U`) or 1 (`S`), padded with zeros.
    Text {
        character: usize,
        width: usize,
    },
}

impl Element {
    fn size(self) -> usize {
        match self {
            Self::Number(scalar) => scalar.size(),
            Self::Text { character, width } => character * width,
        }
    }
}

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
    pub fn open(path: &Path) -> Result<Self> {
        let file = File::open(path).map_err(|e| Error::read(path, e))?;
        let length = file.metadata().map_err(|e| Error::read(path, e))?.len();
        Self::read(io::BufReader::new(file), length, path.display().to_string())
    }

    /// Reads an array from a source that holds at most `available` bytes, and calls it `file`.
    pub fn read(mut source: impl Read, available: u64, file: String) -> Result<Self> {
        let (header, header_length) = read_header(&mut source, &file)?;
        let (descr, fortran, shape) = parse_header(&header)
            .ok_or_else(|| Error::damaged(&file, "its header is no array description"))?;
        let (element, big_endian) = parse_descr(&descr, &file)?;

        let expected = shape
            .iter()
            .try_fold(element.size(), |product, &n| product.checked_mul(n))
            .filter(|&bytes| isize::try_from(bytes).is_ok())
            .ok_or_else(|| Error::damaged(&file, format!("the shape {shape:?} is impossible")))?;
        let found = available.saturating_sub(header_length as u64);
        if expected as u64 > found {
            return Err(Error::Truncated { file, expected: expected as u64, found });
        }
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

    /// The numbers as features.
    pub fn to_f32s(&self) -> Result<Vec<f32>> {
        self.scalar(FEATURE_TYPES).map(|scalar| scalar.to_f32s(&self.data))
    }

    /// The numbers as scores.
    pub fn to_f64s(&self) -> Result<Vec<f64>> {
        self.scalar("numbers are needed").map(|scalar| scalar.to_f64s(&self.data))
    }

    /// The numbers as whole ones.
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
            Element::Number(scalar) => {
                let labels = scalar.to_i64s(&self.data);
                labels.map(Labels::Whole).map_err(|e| Error::Label {
                    file: self.file.clone(),
                    row: e.index,
                    value: e.value.to_string(),
                    expected: "labels must be whole numbers or names".into(),
                })
            }
            Element::Text { .. } => self.to_strings().map(Labels::Names),
        }
    }

    /// The elements as text.
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

/// Writes `values` as an array of 32-bit integers.
pub fn write_i32(w: &mut impl Write, shape: &[usize], values: &[i32]) -> io::Result<()> {
    debug_assert_eq!(shape.iter().product::<usize>(), values.len());
    let axes: Vec<String> = shape.iter().map(usize::to_string).collect();
    // A tuple of one needs its comma.
    let tuple = format!("({}{})", axes.join(", "), if axes.len() == 1 { "," } else { "" });
    let mut header = format!("{{'descr': '<i4', 'fortran_order': False, 'shape': {tuple}, }}");
    // The data begin at a multiple of 64 bytes, as NumPy has it.
    let unpadded = MAGIC.len() + 4 + header.len() + 1;
    header.push_str(&" ".repeat(unpadded.next_multiple_of(64) - unpadded));
    header.push('\n');
    w.write_all(MAGIC)?;
    w.write_all(&[1, 0])?;
    w.write_all(&(header.len() as u16).to_le_bytes())?;
    w.write_all(header.as_bytes())?;
    values.iter().try_for_each(|value| w.write_all(&value.to_le_bytes()))
}

/// The text of the header, and how many bytes stand before the data.
fn read_header(source: &mut impl Read, file: &str) -> Result<(String, usize)> {
    let short = |e: io::Error| match e.kind() {
        io::ErrorKind::UnexpectedEof => Error::damaged(file, "it ends within its header"),
        _ => Error::damaged(file, e),
    };
    let mut start = [0; 8];
    source.read_exact(&mut start).map_err(short)?;
    if &start[..6] != MAGIC {
        return Err(Error::damaged(file, "it does not begin as a NumPy array does"));
    }
    let (prefix, length) = if start[6] == 1 {
        let mut length = [0; 2];
        source.read_exact(&mut length).map_err(short)?;
        (10, usize::from(u16::from_le_bytes(length)))
    } else {
        let mut length = [0; 4];
        source.read_exact(&mut length).map_err(short)?;
        (12, u32::from_le_bytes(length) as usize)
    };
    if length > LONGEST_HEADER {
        return Err(Error::damaged(file, format!("it announces a header of {length} bytes")));
    }
    let mut header = vec![0; length];
    source.read_exact(&mut header).map_err(short)?;
    let header = String::from_utf8(header)
        .map_err(|_| Error::damaged(file, "its header is no array description"))?;
    Ok((header, prefix + length))
}

/// Type, whether columns come first, and shape. A type that is no plain text comes as it stands.
fn parse_header(header: &str) -> Option<(String, bool, Vec<usize>)> {
    let after = |key: &str| {
        let (_, rest) = header.split_once(&format!("'{key}'"))?;
        Some(rest.trim_start().strip_prefix(':')?.trim_start())
    };
    let descr = after("descr")?;
    let descr = match descr.strip_prefix('\'') {
        Some(text) => text.split_once('\'')?.0.to_owned(),
        None => descr.split_once("'fortran_order'").map_or(descr, |(d, _)| d).trim().to_owned(),
    };
    let order = after("fortran_order")?;
    let fortran = order.starts_with("True");
    if !fortran && !order.starts_with("False") {
        return None;
    }
    let (axes, _) = after("shape")?.strip_prefix('(')?.split_once(')')?;
    let axes = axes.split(',').map(str::trim).filter(|axis| !axis.is_empty());
    let shape: Option<Vec<usize>> = axes.map(|axis| axis.parse().ok()).collect();
    Some((descr, fortran, shape?))
}

fn parse_descr(descr: &str, file: &str) -> Result<(Element, bool)> {
    let unknown = || Error::Dtype {
        file: file.to_owned(),
        found: descr.to_owned(),
        expected: "plain numbers or names are needed; save a plain array of float32, an integer type or str",
    };
    let (big_endian, kind) = match descr.split_at_checked(1) {
        Some((">", kind)) => (true, kind),
        Some(("<" | "|" | "=", kind)) => (false, kind),
        _ => (false, descr),
    };
    if kind.starts_with('O') {
        return Err(Error::Pickled { file: file.to_owned() });
    }
    let element = match kind {
        "b1" => Element::Number(Scalar::Bool),
        "i1" => Element::Number(Scalar::I8),
        "i2" => Element::Number(Scalar::I16),
        "i4" => Element::Number(Scalar::I32),
        "i8" => Element::Number(Scalar::I64),
        "u1" => Element::Number(Scalar::U8),
        "u2" => Element::Number(Scalar::U16),
        "u4" => Element::Number(Scalar::U32),
        "u8" => Element::Number(Scalar::U64),
        "f2" => Element::Number(Scalar::F16),
        "f4" => Element::Number(Scalar::F32),
        "f8" => Element::Number(Scalar::F64),
        _ => {
            let (letter, width) = kind.split_at_checked(1).ok_or_else(unknown)?;
            let character = match letter {
                "U" => 4,
                "S" | "a" => 1,
                _ => return Err(unknown()),
            };
            // An element without bytes would let a short file announce any number of them.
            let width: u32 = width.parse().ok().filter(|&w| w > 0).ok_or_else(unknown)?;
            Element::Text { character, width: width as usize }
        }
    };
    Ok((element, big_endian))
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
    use super::*;
    use proptest::prelude::*;

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
        assert_eq!(names.to_labels().unwrap(), Labels::Names(vec!["éa".into(), "b".into()]));
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
