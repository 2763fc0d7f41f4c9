//! How many columns of a terminal a text takes: enough for names in most scripts.

/// Columns of a text.
pub(super) fn width(text: &str) -> usize {
    text.chars().map(columns).sum()
}

/// Columns of a character: none for what combines with another or controls, two for East Asian wide ones and emoji.
fn columns(c: char) -> usize {
    match u32::from(c) {
        0..=0x1f | 0x7f..=0x9f => 0,
        0x300..=0x36f | 0x483..=0x489 | 0x591..=0x5bd | 0x64b..=0x65f => 0,
        0x1ab0..=0x1aff | 0x1dc0..=0x1dff | 0x20d0..=0x20ff | 0xfe20..=0xfe2f => 0,
        0x200b..=0x200f | 0x2060..=0x2064 | 0xfe00..=0xfe0f | 0xfeff => 0,
        0x1100..=0x115f | 0x2e80..=0x303e | 0x3041..=0xa4cf | 0xac00..=0xd7a3 => 2,
        0xf900..=0xfaff | 0xfe30..=0xfe6f | 0xff00..=0xff60 | 0xffe0..=0xffe6 => 2,
        0x1f300..=0x1f64f | 0x1f680..=0x1f6ff | 0x1f900..=0x1f9ff | 0x20000..=0x3fffd => 2,
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::width;

    #[test]
    fn wide_and_combining_characters_count_as_they_show() {
        assert_eq!(width("84.07 ± 0.60"), 12);
        assert_eq!(width("‖γᵢ‖"), 4);
        assert_eq!(width("e\u{301}tude"), 5);
        assert_eq!(width("猫とイヌ"), 8);
        assert_eq!(width("🐦"), 2);
    }
}
