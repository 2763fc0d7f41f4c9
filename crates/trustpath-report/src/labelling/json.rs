//! JSON that can stand inside a page: no text in it can end the element around it or begin another.

use std::fmt::{Display, Write};

/// Appends a string. What would mean something to HTML or to old JavaScript is written as an escape.
pub(super) fn string(out: &mut String, text: &str) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\u{0}'..='\u{1f}' | '<' | '>' | '&' | '\u{7f}' | '\u{2028}' | '\u{2029}' => {
                append(out, format_args!("\\u{:04x}", u32::from(c)));
            }
            _ => out.push(c),
        }
    }
    out.push('"');
}

/// Appends an array whose items `write` appends.
pub(super) fn array<T>(
    out: &mut String,
    items: impl IntoIterator<Item = T>,
    mut write: impl FnMut(&mut String, T),
) {
    out.push('[');
    for (i, item) in items.into_iter().enumerate() {
        if i > 0 {
            out.push(',');
        }
        write(out, item);
    }
    out.push(']');
}

/// Appends a number, or `null` where there is none.
pub(super) fn number(out: &mut String, value: Option<impl Display>) {
    match value {
        Some(value) => append(out, format_args!("{value}")),
        None => out.push_str("null"),
    }
}

/// A number from 0 to 1 to four places; what is not a number is `null`.
pub(super) fn fraction(out: &mut String, value: f64) {
    number(out, value.is_finite().then(|| (value * 1e4).round() / 1e4));
}

fn append(out: &mut String, text: std::fmt::Arguments<'_>) {
    // Writing to a string cannot fail.
    let _ = out.write_fmt(text);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(text: &str) -> String {
        let mut out = String::new();
        string(&mut out, text);
        out
    }

    #[test]
    fn no_text_can_leave_its_string() {
        assert_eq!(written("</script>"), r#""\u003c/script\u003e""#);
        assert_eq!(written("<!-- \" \\ &amp;"), r#""\u003c!-- \" \\ \u0026amp;""#);
        assert_eq!(written("a\u{2028}b\u{2029}c\n\u{0}"), r#""a\u2028b\u2029c\u000a\u0000""#);
        assert_eq!(written("Ä λ 猫 🐈"), "\"Ä λ 猫 🐈\"");
    }

    #[test]
    fn numbers_are_short_and_never_nan() {
        let mut out = String::new();
        array(&mut out, [0.5, 1.0 / 3.0, f64::NAN, f64::INFINITY, 1.0, 1e-9], fraction);
        assert_eq!(out, "[0.5,0.3333,null,null,1,0]");
    }
}
