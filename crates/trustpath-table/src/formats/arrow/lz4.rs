//! The frames of LZ4, which Feather files use by default.
//!
//! A frame is a header, blocks preceded by their length (whose highest bit says that a block is stored as it is), and a
//! zero. A block is a sequence of literals, each followed by a copy of what was decompressed before.

/// Decompresses a frame to exactly `length` bytes; none if it is damaged.
pub(super) fn decompress(frame: &[u8], length: usize) -> Option<Vec<u8>> {
    let mut rest = frame.strip_prefix(&0x184D_2204u32.to_le_bytes())?;
    let flags = *rest.first()?;
    // The content size and the number of a dictionary are optional; then follows a checksum of the header.
    let header = 2 + if flags & 8 != 0 { 8 } else { 0 } + if flags & 1 != 0 { 4 } else { 0 } + 1;
    rest = rest.get(header..)?;
    let checksum = if flags & 16 != 0 { 4 } else { 0 };
    let mut out = Vec::with_capacity(length);
    loop {
        let size = u32::from_le_bytes(*rest.first_chunk()?);
        rest = &rest[4..];
        if size == 0 {
            break;
        }
        let stored = size >> 31 == 1;
        let size = usize::try_from(size & 0x7fff_ffff).ok()?;
        let block = rest.get(..size)?;
        match stored {
            true => out.extend_from_slice(block),
            false => decompress_block(block, &mut out, length)?,
        }
        if out.len() > length {
            return None;
        }
        rest = rest.get(size + checksum..)?;
    }
    (out.len() == length).then_some(out)
}

/// Appends a block, unless `out` would become longer than `most`.
fn decompress_block(mut block: &[u8], out: &mut Vec<u8>, most: usize) -> Option<()> {
    loop {
        let (&token, rest) = block.split_first()?;
        block = rest;
        let literals = run_length(usize::from(token >> 4), &mut block)?;
        let (these, rest) = block.split_at_checked(literals)?;
        out.extend_from_slice(these);
        block = rest;
        // The last sequence has no copy.
        if block.is_empty() {
            return (out.len() <= most).then_some(());
        }
        let distance = usize::from(u16::from_le_bytes(*block.first_chunk()?));
        block = &block[2..];
        let count = run_length(usize::from(token & 15), &mut block)? + 4;
        let start = out.len().checked_sub(distance).filter(|_| distance > 0)?;
        if count > most.saturating_sub(out.len()) {
            return None;
        }
        // A copy may overlap itself, which repeats it.
        for from in start..start + count {
            out.push(out[from]);
        }
    }
}

/// A length of four bits, which continues in bytes if all of them are set.
fn run_length(start: usize, block: &mut &[u8]) -> Option<usize> {
    let mut length = start;
    if start == 15 {
        loop {
            let (&byte, rest) = block.split_first()?;
            *block = rest;
            length = length.checked_add(byte.into())?;
            if byte < 255 {
                break;
            }
        }
    }
    Some(length)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_and_copies() {
        let mut out = Vec::new();
        // Three literals, then seven bytes from three back, then one literal.
        decompress_block(&[0x33, b'a', b'b', b'c', 3, 0, 0x10, b'!'], &mut out, 99).unwrap();
        assert_eq!(out, b"abcabcabca!");
        for damaged in
            [&[][..], &[0x30, b'a'], &[0x13, b'a', 2, 0], &[0x13, b'a', 0, 0], &[0xf0, 255]]
        {
            assert_eq!(decompress_block(damaged, &mut Vec::new(), 99), None, "{damaged:?}");
        }
        let bomb = [&[0x1f, b'a', 1, 0][..], &[255; 1000], &[0, 0]].concat();
        assert_eq!(decompress_block(&bomb, &mut Vec::new(), 1000), None);
    }
}
