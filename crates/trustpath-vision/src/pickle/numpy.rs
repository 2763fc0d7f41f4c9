//! numpy arrays, understood by looking at the calls that would have built them.

use super::literal::extended;
use super::{Blob, Id, Pickle, PickledValue};
use crate::Result;

/// The type of an array's elements.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Dtype {
    /// `b`ool, `i`nteger, `u`nsigned integer or `f`loat.
    pub kind: char,
    pub size: usize,
    big_endian: bool,
}

/// A numpy array whose elements are contiguous.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct NumpyArray {
    pub dtype: Dtype,
    pub shape: Vec<usize>,
    /// Whether the first axis runs fastest.
    pub fortran: bool,
    pub data: Blob,
}

fn is_numpy(module: &str) -> bool {
    module == "numpy" || module.starts_with("numpy.")
}

impl Pickle {
    /// A numpy array; none for anything else. The elements of objects in Python are no array.
    pub fn array(&self, id: Id) -> Result<Option<NumpyArray>> {
        let Some((module, name, args)) = self.call(id).filter(|(module, ..)| is_numpy(module)) else {
            return Ok(None);
        };
        let array = match (module, name, args) {
            (_, "_reconstruct", _) => self.state(id).and_then(|state| match state {
                [_version, shape, dtype, fortran, data] => {
                    let fortran = *self.node(*fortran) != PickledValue::Bool(false)
                        && *self.node(*fortran) != PickledValue::Int(0);
                    Some((*shape, *dtype, fortran, *data))
                }
                _ => None,
            }),
            (_, "_frombuffer", [data, dtype, shape, order]) => {
                Some((*shape, *dtype, self.text(*order).as_deref() == Some("F"), *data))
            }
            _ => return Ok(None),
        };
        let Some((shape, dtype, fortran, data)) = array else {
            return Err(self.refuse("it holds an array without its elements"));
        };
        let Some(dtype) = self.dtype(dtype) else { return Ok(None) };
        let Some(data) = self.raw(data) else { return Ok(None) };
        let shape: Option<Vec<usize>> =
            self.list(shape).and_then(|axes| axes.iter().map(|axis| usize::try_from(self.int(*axis)?).ok()).collect());
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
            PickledValue::Object(object) => self.list(object.state?),
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
        if let PickledValue::Bytes(blob) = self.node(id) {
            return Some(blob.clone());
        }
        match self.call(id)? {
            ("_codecs", "encode", [text, ..]) => match self.node(*text) {
                PickledValue::Text(text) => {
                    let latin = text.chars().map(|c| u8::try_from(c).ok());
                    latin.collect::<Option<Vec<u8>>>().map(Blob::Here)
                }
                _ => None,
            },
            ("__builtin__" | "builtins", "bytearray" | "bytes", args) => {
                match args.first().map(|inner| self.node(*inner)) {
                    Some(PickledValue::Bytes(blob)) => Some(blob.clone()),
                    Some(_) => None,
                    None => Some(Blob::Here(Vec::new())),
                }
            }
            _ => None,
        }
    }

    /// An integer, also one of numpy.
    pub fn int(&self, id: Id) -> Option<i64> {
        match self.node(id) {
            PickledValue::Int(number) => Some(*number),
            PickledValue::Bool(truth) => Some((*truth).into()),
            _ => match self.call(id)? {
                (module, "scalar", [dtype, bytes]) if is_numpy(module) => {
                    let Blob::Here(bytes) = self.raw(*bytes)? else { return None };
                    integers(self.dtype(*dtype)?, &bytes)?.first().copied()
                }
                _ => None,
            },
        }
    }

    /// Integers, as a list or an array; none for anything else.
    pub fn ints(&self, id: Id) -> Result<Option<Vec<i64>>> {
        if let Some(items) = self.list(id) {
            return Ok(items.iter().map(|item| self.int(*item)).collect());
        }
        let Some(array) = self.array(id)? else { return Ok(None) };
        Ok(integers(array.dtype, &self.bytes(&array.data)?))
    }
}

/// The integers that some bytes are.
fn integers(dtype: Dtype, bytes: &[u8]) -> Option<Vec<i64>> {
    if dtype.kind == 'f' || !bytes.len().is_multiple_of(dtype.size) {
        return None;
    }
    let number = |element: &[u8]| {
        let mut low: Vec<u8> = element.to_vec();
        if dtype.big_endian {
            low.reverse();
        }
        extended(&low, dtype.kind == 'i')
    };
    Some(bytes.chunks_exact(dtype.size).map(number).collect())
}
