//! Text made safe inside XML and HTML.

/// Escapes text for an element or a quoted attribute. What XML 1.0 does not allow at all becomes U+FFFD.
pub fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '\t' | '\n' | '\r' => out.push(c),
            '\u{0}'..='\u{1f}' | '\u{fffe}' | '\u{ffff}' => out.push('\u{fffd}'),
            _ => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_and_quotes_lose_their_power() {
        assert_eq!(escape("<a b=\"c\">&'x'"), "&lt;a b=&quot;c&quot;&gt;&amp;&#39;x&#39;");
        assert_eq!(escape("a\u{0}b\u{1b}c\u{ffff}"), "a\u{fffd}b\u{fffd}c\u{fffd}");
        assert_eq!(escape("‖γ‖ ≤ λ"), "‖γ‖ ≤ λ");
    }
}
