//! The header of an array.

use std::io::{self, Read};

use crate::scalar::Scalar;
use crate::{Error, Result};

pub(super) const MAGIC: &[u8; 6] = b"\x93NUMPY";
/// NumPy writes a few hundred bytes; anything longer than this is not a header.
const LONGEST: usize = 1 << 16;

/// What precedes the values; its sizes have been compared with the bytes available.
pub(super) struct NpyHeader {
    /// The file, and the array in it.
    pub file: String,
    pub descr: String,
    pub element: ElementType,
    pub big_endian: bool,
    pub fortran: bool,
    pub shape: Vec<usize>,
    /// Offset of the first value.
    pub start: u64,
    /// Bytes of all elements.
    pub bytes: usize,
}

impl NpyHeader {
    /// Reads a header that takes at most `available` bytes together with its array.
    pub fn read(source: &mut impl Read, available: u64, file: String) -> Result<Self> {
        let (header, header_length) = read_header(source, &file)?;
        let (descr, fortran, shape) =
            parse_header(&header).ok_or_else(|| Error::damaged(&file, "its header is not an array description"))?;
        let (element, big_endian) = parse_descr(&descr, &file)?;
        let bytes = shape
            .iter()
            .try_fold(element.size(), |product, &n| product.checked_mul(n))
            .filter(|&bytes| isize::try_from(bytes).is_ok())
            .ok_or_else(|| Error::damaged(&file, format!("the shape {shape:?} is impossible")))?;
        let start = header_length as u64;
        let available = available.saturating_sub(start);
        if bytes as u64 > available {
            return Err(Error::Truncated { file, expected: bytes as u64, available });
        }
        Ok(Self { file, descr, element, big_endian, fortran, shape, start, bytes })
    }
}

/// What the elements are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ElementType {
    Number(Scalar),
    /// Fixed-width text with 4 bytes (`U`) or 1 byte (`S`) per character, padded with zeros.
    Text {
        character: usize,
        width: usize,
    },
}

impl ElementType {
    pub fn size(self) -> usize {
        match self {
            Self::Number(scalar) => scalar.size(),
            Self::Text { character, width } => character * width,
        }
    }
}

/// The text of the header, and the number of bytes before the data.
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
    // The length takes two bytes in version 1 and four afterwards.
    let width = if start[6] == 1 { 2 } else { 4 };
    let mut length = [0; 4];
    source.read_exact(&mut length[..width]).map_err(short)?;
    let length = u32::from_le_bytes(length) as usize;
    if length > LONGEST {
        return Err(Error::damaged(file, format!("it announces a header of {length} bytes")));
    }
    let mut header = vec![0; length];
    source.read_exact(&mut header).map_err(short)?;
    let header =
        String::from_utf8(header).map_err(|_| Error::damaged(file, "its header is not an array description"))?;
    Ok((header, start.len() + width + length))
}

/// Type, whether the order is Fortran's, and shape. A type that is not a string is returned as it is.
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

fn parse_descr(descr: &str, file: &str) -> Result<(ElementType, bool)> {
    let unknown = || Error::Dtype {
        file: file.to_owned(),
        dtype: descr.to_owned(),
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
    if let Some(scalar) = Scalar::from_npy(kind) {
        return Ok((ElementType::Number(scalar), big_endian));
    }
    let (letter, width) = kind.split_at_checked(1).ok_or_else(unknown)?;
    let character = match letter {
        "U" => 4,
        "S" | "a" => 1,
        _ => return Err(unknown()),
    };
    // An element without bytes would let a short file announce any number of them.
    let width: u32 = width.parse().ok().filter(|&w| w > 0).ok_or_else(unknown)?;
    Ok((ElementType::Text { character, width: width as usize }, big_endian))
}
