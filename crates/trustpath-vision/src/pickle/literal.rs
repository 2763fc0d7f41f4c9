//! Numbers and strings as pickles spell them.

use super::PickledValue;
use super::input::Parsed;

/// A number of any length in two's complement, the lowest byte first.
pub(super) fn long(bytes: &[u8]) -> PickledValue {
    if bytes.len() > 8 { PickledValue::BigInt } else { PickledValue::Int(extended(bytes, true)) }
}

/// A number of at most eight bytes, the lowest first.
pub(super) fn extended(bytes: &[u8], signed: bool) -> i64 {
    let negative = signed && bytes.last().is_some_and(|last| last & 0x80 != 0);
    let mut all = [if negative { 0xff } else { 0 }; 8];
    all[..bytes.len()].copy_from_slice(bytes);
    i64::from_le_bytes(all)
}

/// A string as Python 2 writes it in its source: in quotes, with escapes.
pub(super) fn unquoted(line: &[u8]) -> Parsed<Vec<u8>> {
    let line = line.trim_ascii_end();
    let inner = match line {
        [b'\'', inner @ .., b'\''] | [b'"', inner @ .., b'"'] => inner,
        _ => return Err("it has a string without quotes".into()),
    };
    let mut out = Vec::with_capacity(inner.len());
    let mut bytes = inner.iter().copied();
    while let Some(byte) = bytes.next() {
        if byte != b'\\' {
            out.push(byte);
            continue;
        }
        out.push(match bytes.next() {
            Some(b'n') => b'\n',
            Some(b'r') => b'\r',
            Some(b't') => b'\t',
            Some(b'x') => {
                let mut digit = || bytes.next().and_then(|b| char::from(b).to_digit(16));
                match (digit(), digit()) {
                    (Some(high), Some(low)) => (16 * high + low) as u8,
                    _ => return Err("it has a string with a broken escape".into()),
                }
            }
            Some(other) => other,
            None => return Err("it has a string with a broken escape".into()),
        });
    }
    Ok(out)
}

/// Text with `\uXXXX` for characters that are not ASCII; anything else stays as it is.
pub(super) fn unescaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        out.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        let count = match rest.as_bytes().first() {
            Some(b'u') => 4,
            Some(b'U') => 8,
            _ => 0,
        };
        let hex = rest.get(1..1 + count).filter(|_| count > 0);
        match hex.and_then(|hex| u32::from_str_radix(hex, 16).ok()).and_then(char::from_u32) {
            Some(c) => {
                out.push(c);
                rest = &rest[1 + count..];
            }
            None => out.push('\\'),
        }
    }
    out + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_as_many_bytes_as_they_need() {
        assert_eq!(long(&[]), PickledValue::Int(0));
        assert_eq!(long(&[0xff]), PickledValue::Int(-1));
        assert_eq!(long(&[0xff, 0]), PickledValue::Int(255));
        assert_eq!(long(&[0; 9]), PickledValue::BigInt);
    }

    #[test]
    fn escapes_are_undone() {
        assert_eq!(unquoted(br"'a\n\x00\'\\'").unwrap(), b"a\n\0'\\");
        assert_eq!(unescaped(r"a\u005cb\U0001f600 \u12 \q"), "a\\b\u{1f600} \\u12 \\q");
    }
}
