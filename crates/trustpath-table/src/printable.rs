//! Texts that may hold anything, made fit for a terminal.

/// The longest sentence that is shown.
const LONGEST: usize = 1200;
/// Its end, which has the remedy, is always shown.
const END: usize = 400;

/// A text without characters that a terminal obeys: other than line breaks and tabs, control characters and those
/// that reverse the direction of writing are written as `\u{1b}`.
///
/// ```
/// assert_eq!(trustpath_table::printable("red \u{1b}[31m\n"), "red \\u{1b}[31m\n");
/// ```
pub fn printable(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        let harmless = matches!(c, '\n' | '\t');
        let reverses = matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
        if (c.is_control() && !harmless) || reverses { shown.extend(c.escape_unicode()) } else { shown.push(c) }
    }
    shown
}

/// A message in one [printable] line of at most 1,200 characters; of a longer one, the middle is left out.
pub fn printable_sentence(text: &str) -> String {
    let line = text.replace(['\n', '\t'], " ");
    let length = line.chars().count();
    if length <= LONGEST {
        return printable(&line);
    }
    let start: String = line.chars().take(LONGEST - END).collect();
    let end: String = line.chars().skip(length - END).collect();
    printable(&format!("{start} … {end}"))
}

/// A list, of which the first `most` items are shown.
pub(crate) fn listed(items: impl IntoIterator<Item = String>, most: usize) -> String {
    let mut items = items.into_iter();
    let mut shown: Vec<String> = items.by_ref().take(most).collect();
    let others = items.count();
    if others > 0 {
        shown.push(format!("{others} more"));
    }
    shown.join(", ")
}

/// Texts as string literals in a list, of which the first `most` are shown.
pub(crate) fn quoted_list<T: AsRef<str>>(texts: impl IntoIterator<Item = T>, most: usize) -> String {
    listed(texts.into_iter().map(|text| format!("{:?}", text.as_ref())), most)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_and_reversed_writing_are_shown() {
        assert_eq!(printable("a\u{1b}]0;t\u{7}\u{9b}1m\u{202e}é\n\tb"), "a\\u{1b}]0;t\\u{7}\\u{9b}1m\\u{202e}é\n\tb");
    }

    #[test]
    fn long_sentences_keep_their_ends() {
        let long = format!("x.csv has {}\n: remove it", "é".repeat(10_000));
        let shown = printable_sentence(&long);
        assert!(shown.chars().count() <= LONGEST + 3, "{}", shown.len());
        assert!(shown.starts_with("x.csv has é") && shown.ends_with("é : remove it"));
        assert_eq!(printable_sentence("short\nlines"), "short lines");
    }
}
