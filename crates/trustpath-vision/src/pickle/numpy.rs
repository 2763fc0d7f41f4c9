//! numpy arrays, understood by looking at the calls that would have built them.

use super::{Blob, Document, Id, Node};
use crate::Result;

/// What the elements of an array are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Dtype {
    /// `b`ool, `i`nteger, `u`nsigned integer or `f`loat.
    pub kind: char,
    /// Bytes of each.
    pub size: usize,
    /// Whether the highest byte comes first.
    pub big_endian: bool,
}

/// A numpy array whose elements lie in one piece.
#[derive(Debug, Clone, PartialEq)]
pub struct NumpyArray {
    /// What its elements are.
    pub dtype: Dtype,
    /// How many along each axis.
    pub shape: Vec<usize>,
    /// Whether the first axis runs fastest.
    pub fortran: bool,
    /// The elements.
    pub data: Blob,
}

fn is_numpy(module: &str) -> bool {
    module == "numpy" || module.starts_with("numpy.")
}

impl Document {
    /// A numpy array; none for anything else. The elements of objects in Python are no array.
    pub fn array(&self, id: Id) -> Result<Option<NumpyArray>> {
        let Some((module, name, args)) = self.call(id).filter(|(module, ..)| is_numpy(module))
        else {
            return Ok(None);
        };
        let found = match (module, name, args) {
            (_, "_reconstruct", _) => self.state(id).and_then(|state| match state {
                [_version, shape, dtype, fortran, data] => {
                    let fortran = *self.node(*fortran) != Node::Bool(false)
                        && *self.node(*fortran) != Node::Int(0);
                    Some((*shape, *dtype, fortran, *data))
                }
                _ => None,
            }),
            (_, "_frombuffer", [data, dtype, shape, order]) => {
                Some((*shape, *dtype, self.text(*order).as_deref() == Some("F"), *data))
            }
            _ => return Ok(None),
        };
        let Some((shape, dtype, fortran, data)) = found else {
            return Err(self.refuse("it holds an array without its elements"));
        };
        let Some(dtype) = self.dtype(dtype) else { return Ok(None) };
        let Some(data) = self.raw(data) else { return Ok(None) };
        let shape: Option<Vec<usize>> = self.list(shape).and_then(|axes| {
            axes.iter().map(|axis| usize::try_from(self.int(*axis)?).ok()).collect()
        });
        let shape = shape.ok_or_else(|| self.refuse("it holds an array without a shape"))?;
        let bytes = shape.iter().try_fold(dtype.size as u64, |n, &axis| n.checked_mul(axis as u64));
        if bytes != Some(data.len()) {
            let reason = format!("it holds an array of shape {shape:?} with {} bytes", data.len());
            return Err(self.refuse(reason));
        }
        Ok(Some(NumpyArray { dtype, shape, fortran, data }))
    }

    fn state(&self, id: Id) -> Option<&[Id]> {
        match self.node(id) {
            Node::Object(object) => self.list(object.state?),
            _ => None,
        }
    }

    /// `numpy.dtype('u1', …)` with its byte order in the state.
    fn dtype(&self, id: Id) -> Option<Dtype> {
        let (module, name, args) = self.call(id)?;
        if !is_numpy(module) || name != "dtype" {
            return None;
        }
        let code = self.text(*args.first()?)?;
        let order = self.state(id).and_then(|state| self.text(*state.get(1)?));
        let code = code.trim_start_matches(['<', '>', '|', '=']);
        let kind = code.chars().next().filter(|kind| "biuf".contains(*kind))?;
        let size = code.get(1..)?.parse().ok().filter(|size| [1, 2, 4, 8].contains(size))?;
        Some(Dtype { kind, size, big_endian: order.as_deref() == Some(">") })
    }

    /// Bytes, or the way Python 3 writes them for Python 2: text that is to be encoded as Latin-1.
    fn raw(&self, id: Id) -> Option<Blob> {
        if let Node::Bytes(blob) = self.node(id) {
            return Some(blob.clone());
        }
        match self.call(id)? {
            ("_codecs", "encode", [text, ..]) => match self.node(*text) {
                Node::Text(text) => {
                    let latin: Option<Vec<u8>> =
                        text.chars().map(|c| u8::try_from(c).ok()).collect();
                    latin.map(Blob::Here)
                }
                _ => None,
            },
            ("__builtin__" | "builtins", "bytearray" | "bytes", args) => match args.first() {
                Some(inner) => match self.node(*inner) {
                    Node::Bytes(blob) => Some(blob.clone()),
                    _ => None,
                },
                None => Some(Blob::Here(Vec::new())),
            },
            _ => None,
        }
    }

    /// A whole number, also numpy's own.
    pub fn int(&self, id: Id) -> Option<i64> {
        match self.node(id) {
            Node::Int(number) => Some(*number),
            Node::Bool(truth) => Some((*truth).into()),
            _ => match self.call(id)? {
                (module, "scalar", [dtype, bytes]) if is_numpy(module) => {
                    let Blob::Here(bytes) = self.raw(*bytes)? else { return None };
                    whole(self.dtype(*dtype)?, &bytes)?.first().copied()
                }
                _ => None,
            },
        }
    }

    /// Whole numbers, as a list or an array; none for anything else.
    pub fn ints(&self, id: Id) -> Result<Option<Vec<i64>>> {
        if let Some(items) = self.list(id) {
            return Ok(items.iter().map(|item| self.int(*item)).collect());
        }
        let Some(array) = self.array(id)? else { return Ok(None) };
        Ok(whole(array.dtype, &self.bytes(&array.data)?))
    }

    /// Texts, as a list; none for anything else.
    pub fn texts(&self, id: Id) -> Option<Vec<String>> {
        self.list(id)?.iter().map(|item| self.text(*item)).collect()
    }
}

/// The whole numbers that some bytes are.
fn whole(dtype: Dtype, bytes: &[u8]) -> Option<Vec<i64>> {
    if dtype.kind == 'f' || !bytes.len().is_multiple_of(dtype.size) {
        return None;
    }
    let number = |element: &[u8]| {
        let mut low: Vec<u8> = element.to_vec();
        if dtype.big_endian {
            low.reverse();
        }
        let negative = dtype.kind == 'i' && low.last().is_some_and(|last| last & 0x80 != 0);
        let mut all = [if negative { 0xff } else { 0 }; 8];
        all[..low.len()].copy_from_slice(&low);
        i64::from_le_bytes(all)
    };
    Some(bytes.chunks_exact(dtype.size).map(number).collect())
}
