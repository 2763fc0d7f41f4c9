//! Numbers as they are stored in files: little-endian bytes of one of a dozen types.

use std::io::{self, Read};

use safetensors::Dtype;

/// Bytes converted at a time; a multiple of every element's size.
const PIECE: usize = 1 << 16;
/// Elements for which memory is reserved before they arrive, whatever a header announces.
const RESERVED: usize = 1 << 24;

/// Defines the element types by their name, size in bytes, type codes in `.npy` and safetensors
/// files, and conversion from little-endian bytes to `f64`.
macro_rules! scalars {
    ($($name:ident $size:literal $npy:literal $dtype:ident $to_f64:expr;)*) => {
        /// The type of the elements of an array.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(crate) enum Scalar { $($name),* }

        impl Scalar {
            /// Bytes of one element.
            pub fn size(self) -> usize {
                match self { $(Self::$name => $size),* }
            }

            /// The type that a NumPy header calls `code`, without its byte order.
            pub fn from_npy(code: &str) -> Option<Self> {
                match code { $($npy => Some(Self::$name),)* _ => None }
            }

            /// The type of a tensor.
            pub fn from_dtype(dtype: Dtype) -> Option<Self> {
                match dtype { $(Dtype::$dtype => Some(Self::$name),)* _ => None }
            }

            /// The elements as `f64`; exact for all but 64-bit integers beyond 2⁵³.
            pub fn to_f64s(self, bytes: &[u8]) -> Vec<f64> {
                match self { $(Self::$name => convert(bytes, $to_f64)),* }
            }
        }
    };
}

scalars! {
    Bool 1 "b1" BOOL |[b]| f64::from(b);
    I8 1 "i1" I8 |b| f64::from(i8::from_le_bytes(b));
    I16 2 "i2" I16 |b| f64::from(i16::from_le_bytes(b));
    I32 4 "i4" I32 |b| f64::from(i32::from_le_bytes(b));
    I64 8 "i8" I64 |b| i64::from_le_bytes(b) as f64;
    U8 1 "u1" U8 |[b]| f64::from(b);
    U16 2 "u2" U16 |b| f64::from(u16::from_le_bytes(b));
    U32 4 "u4" U32 |b| f64::from(u32::from_le_bytes(b));
    U64 8 "u8" U64 |b| u64::from_le_bytes(b) as f64;
    F16 2 "f2" F16 |b| f64::from(f16_to_f32(u16::from_le_bytes(b)));
    Bf16 2 "bfloat16" BF16 |b| f64::from(bf16_to_f32(u16::from_le_bytes(b)));
    F32 4 "f4" F32 |b| f64::from(f32::from_le_bytes(b));
    F64 8 "f8" F64 f64::from_le_bytes;
}

impl Scalar {
    /// The elements as `f32`, the type of all features; numbers beyond its range become infinite.
    pub fn to_f32s(self, bytes: &[u8]) -> Vec<f32> {
        let mut values = vec![0.0; bytes.len() / self.size()];
        self.put_f32s(bytes, &mut values);
        values
    }

    /// Puts the elements into `values` as `f32`.
    pub fn put_f32s(self, bytes: &[u8], values: &mut [f32]) {
        match self {
            Self::F16 => put(values, bytes, |b| f16_to_f32(u16::from_le_bytes(b))),
            Self::Bf16 => put(values, bytes, |b| bf16_to_f32(u16::from_le_bytes(b))),
            Self::F32 => put(values, bytes, f32::from_le_bytes),
            Self::F64 => put(values, bytes, |b| f64::from_le_bytes(b) as f32),
            _ => values.iter_mut().zip(self.to_f64s(bytes)).for_each(|(v, x)| *v = x as f32),
        }
    }

    /// Reads `count` elements as `f32`, converting a piece at a time so that they are in memory only
    /// once. Fewer are returned where the source ends early. Memory grows as values arrive.
    pub fn read_f32s(self, mut source: impl Read, count: usize) -> io::Result<Vec<f32>> {
        let mut values = Vec::with_capacity(count.min(RESERVED));
        let mut piece = Vec::new();
        while values.len() < count {
            let wanted = PIECE.min((count - values.len()).saturating_mul(self.size()));
            piece.clear();
            source.by_ref().take(wanted as u64).read_to_end(&mut piece)?;
            let start = values.len();
            values.resize(start + piece.len() / self.size(), 0.0);
            self.put_f32s(&piece, &mut values[start..]);
            if piece.len() < wanted {
                break;
            }
        }
        values.shrink_to_fit();
        Ok(values)
    }

    /// The elements as whole numbers, which floats may be as well; or which of them is none.
    pub fn to_i64s(self, bytes: &[u8]) -> Result<Vec<i64>, String> {
        if self == Self::I64 {
            return Ok(convert(bytes, i64::from_le_bytes));
        }
        let refused = |index: usize, value: f64| format!("its element {index} is {value}, not a whole number");
        let whole = |(index, value)| whole(value).ok_or_else(|| refused(index, value));
        self.to_f64s(bytes).into_iter().enumerate().map(whole).collect()
    }
}

/// The whole number equal to `value`, if there is one and a double holds it exactly.
pub(crate) fn whole(value: f64) -> Option<i64> {
    (value.fract() == 0.0 && value.abs() <= 9_007_199_254_740_992.0).then_some(value as i64)
}

fn put<const N: usize>(values: &mut [f32], bytes: &[u8], convert: impl Fn([u8; N]) -> f32) {
    values.iter_mut().zip(bytes.as_chunks().0).for_each(|(value, &chunk)| *value = convert(chunk));
}

fn convert<const N: usize, T>(bytes: &[u8], convert: impl Fn([u8; N]) -> T) -> Vec<T> {
    bytes.as_chunks().0.iter().map(|&chunk| convert(chunk)).collect()
}

/// IEEE binary16 to binary32, exactly.
///
/// Shifted into place, the exponent is short of the wider format's bias by 127 − 15 = 112; a product with 2¹¹² corrects
/// that for normal and subnormal numbers alike. ∞ and NaN (exponent 31) need the full exponent instead.
pub(crate) fn f16_to_f32(half: u16) -> f32 {
    let sign = u32::from(half & 0x8000) << 16;
    let magnitude = u32::from(half & 0x7fff) << 13;
    let scaled = (f32::from_bits(magnitude) * f32::from_bits((127 + 112) << 23)).to_bits();
    let special = if half & 0x7c00 == 0x7c00 { 0x7f80_0000 } else { 0 };
    f32::from_bits(sign | scaled | special)
}

fn bf16_to_f32(brain: u16) -> f32 {
    f32::from_bits(u32::from(brain) << 16)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_half_is_its_definition() {
        for half in 0..=u16::MAX {
            let sign = if half >> 15 == 1 { -1.0 } else { 1.0 };
            let (exponent, mantissa) = (i32::from(half >> 10 & 31), f64::from(half & 1023));
            let expected = match exponent {
                0 => sign * mantissa * 2f64.powi(-24),
                31 if mantissa == 0.0 => sign * f64::INFINITY,
                31 => f64::NAN,
                _ => sign * (1.0 + mantissa / 1024.0) * 2f64.powi(exponent - 15),
            };
            let decoded = f64::from(f16_to_f32(half));
            if expected.is_nan() {
                assert!(decoded.is_nan(), "{half:#x}");
            } else {
                assert_eq!(decoded.to_bits(), expected.to_bits(), "{half:#x}");
            }
        }
    }

    #[test]
    fn a_stream_is_read_like_a_slice_and_may_end_early() {
        let bytes: Vec<u8> = (0..60_000).flat_map(|i| (i as f32).to_le_bytes()).collect();
        let values = Scalar::F32.read_f32s(&bytes[..], 60_000).unwrap();
        assert_eq!(values, Scalar::F32.to_f32s(&bytes));
        assert_eq!(Scalar::F32.read_f32s(&bytes[..], usize::MAX).unwrap(), values);
        assert_eq!(Scalar::I16.read_f32s(&bytes[..3], 2).unwrap(), [0.0]);
    }

    #[test]
    fn integers_keep_their_sign_and_size() {
        assert_eq!(Scalar::I8.to_i64s(&[0xff, 0x7f]), Ok(vec![-1, 127]));
        assert_eq!(Scalar::U8.to_i64s(&[0xff]), Ok(vec![255]));
        assert_eq!(Scalar::I16.to_i64s(&(-300i16).to_le_bytes()), Ok(vec![-300]));
        assert_eq!(Scalar::U32.to_i64s(&u32::MAX.to_le_bytes()), Ok(vec![4_294_967_295]));
        assert_eq!(Scalar::I64.to_i64s(&i64::MIN.to_le_bytes()), Ok(vec![i64::MIN]));
        assert!(Scalar::U64.to_i64s(&u64::MAX.to_le_bytes()).is_err());
    }

    #[test]
    fn a_fraction_or_nan_is_no_whole_number() {
        let bytes: Vec<u8> = [2f32, -3.0, 0.5].iter().flat_map(|x| x.to_le_bytes()).collect();
        assert_eq!(Scalar::F32.to_i64s(&bytes[..8]), Ok(vec![2, -3]));
        assert_eq!(Scalar::F32.to_i64s(&bytes), Err("its element 2 is 0.5, not a whole number".into()));
        assert!(Scalar::F64.to_i64s(&f64::NAN.to_le_bytes()).is_err());
        assert!(Scalar::F64.to_i64s(&f64::INFINITY.to_le_bytes()).is_err());
    }
}
