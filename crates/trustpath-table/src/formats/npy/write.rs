//! Writing arrays.

use std::io::{self, Write};

use super::header::MAGIC;

/// Writes an array of 32-bit integers.
///
/// # Errors
/// If the writer fails.
pub fn write_i32(w: &mut impl Write, shape: &[usize], values: &[i32]) -> io::Result<()> {
    debug_assert_eq!(shape.iter().product::<usize>(), values.len());
    write_header(w, "'<i4'", shape)?;
    values.iter().try_for_each(|value| w.write_all(&value.to_le_bytes()))
}

/// Writes an array of 32-bit floats.
///
/// # Errors
/// If the writer fails.
pub fn write_f32(w: &mut impl Write, shape: &[usize], values: &[f32]) -> io::Result<()> {
    debug_assert_eq!(shape.iter().product::<usize>(), values.len());
    write_header(w, "'<f4'", shape)?;
    values.iter().try_for_each(|value| w.write_all(&value.to_le_bytes()))
}

/// Writes the header that precedes the values; `descr` is the type as a Python literal, `'<f2'` for half precision.
///
/// # Errors
/// If the writer fails.
pub fn write_header(w: &mut impl Write, descr: &str, shape: &[usize]) -> io::Result<()> {
    let axes: Vec<String> = shape.iter().map(usize::to_string).collect();
    // A tuple with one element needs a trailing comma.
    let tuple = format!("({}{})", axes.join(", "), if axes.len() == 1 { "," } else { "" });
    let mut header = format!("{{'descr': {descr}, 'fortran_order': False, 'shape': {tuple}, }}");
    // The data begin at a multiple of 64 bytes, as NumPy does it.
    let unpadded = MAGIC.len() + 4 + header.len() + 1;
    header.push_str(&" ".repeat(unpadded.next_multiple_of(64) - unpadded));
    header.push('\n');
    let length =
        u16::try_from(header.len()).map_err(|_| io::Error::other("too many columns for the header of an array"))?;
    w.write_all(MAGIC)?;
    w.write_all(&[1, 0])?;
    w.write_all(&length.to_le_bytes())?;
    w.write_all(header.as_bytes())
}
