//! What the tokenizer of BERT does to single characters.
//!
//! Control characters and the like are removed, any space becomes `' '`, ideographs are set apart by spaces, and, for
//! models without capitals, accents are stripped (canonical decomposition without combining marks) before capitals
//! become small letters. The classes of characters are in `characters.txt`, as the reference tokenizer has them; Hangul and
//! ideographs follow rules.

use std::collections::HashMap;
use std::sync::LazyLock;

/// Ranges of ideographs, which the reference sets apart by spaces.
const IDEOGRAPHS: [(u32, u32); 7] = [
    (0x4e00, 0x9fff),
    (0x3400, 0x4dbf),
    (0x2_0000, 0x2_a6df),
    (0x2_a700, 0x2_b81f),
    (0x2_b920, 0x2_ceaf),
    (0xf900, 0xfaff),
    (0x2_f800, 0x2_fa1f),
];

/// Characters by what is done to them.
#[derive(Default)]
struct Characters {
    removed: Ranges,
    marks: Ranges,
    punctuation: Ranges,
    decomposed: HashMap<char, String>,
}

/// Ranges in ascending order.
#[derive(Default)]
struct Ranges(Vec<(u32, u32)>);

impl Ranges {
    fn contain(&self, c: char) -> bool {
        let c = c as u32;
        let at = self.0.partition_point(|range| range.1 < c);
        self.0.get(at).is_some_and(|range| range.0 <= c)
    }
}

static CHARACTERS: LazyLock<Characters> = LazyLock::new(|| {
    let mut all = Characters::default();
    let number = |text: &str| u32::from_str_radix(text, 16).unwrap_or_default();
    for line in include_str!("characters.txt").lines() {
        let mut items = line.split(' ');
        let ranges = match items.next() {
            Some("removed") => &mut all.removed.0,
            Some("mark") => &mut all.marks.0,
            Some("punctuation") => &mut all.punctuation.0,
            Some("decomposed") => {
                for (from, to) in items.filter_map(|item| item.split_once('=')) {
                    let to = to.split('+').filter_map(|c| char::from_u32(number(c)));
                    if let Some(from) = char::from_u32(number(from)) {
                        all.decomposed.insert(from, to.collect());
                    }
                }
                continue;
            }
            _ => continue,
        };
        ranges.extend(items.map(|item| {
            let (from, to) = item.split_once('-').unwrap_or((item, item));
            (number(from), number(to))
        }));
    }
    all
});

/// The words of a text: what is between spaces, where punctuation and ideographs are words by themselves.
///
/// ```
/// use trustpath_text::words;
///
/// assert_eq!(words("Où est-ce?", true), ["ou", "est", "-", "ce", "?"]);
/// assert_eq!(words("Où 東京", false), ["Où", "東", "京"]);
/// ```
pub fn words(text: &str, lowercase: bool) -> Vec<String> {
    let all = &*CHARACTERS;
    let mut words = Words { done: Vec::new(), open: false };
    for c in text.chars() {
        if c.is_ascii_alphanumeric() {
            words.add(if lowercase { c.to_ascii_lowercase() } else { c });
        } else if all.removed.contain(c) {
            // It leaves no trace, not even a space.
            continue;
        } else if c.is_whitespace() {
            words.open = false;
        } else {
            let code = c as u32;
            let ideograph = IDEOGRAPHS.iter().any(|range| (range.0..=range.1).contains(&code));
            words.open &= !ideograph;
            if lowercase {
                all.without_accent(c, |c| {
                    c.to_lowercase().for_each(|c| words.split(c, all));
                })
            } else {
                words.split(c, all)
            }
            words.open &= !ideograph;
        }
    }
    words.done
}

impl Characters {
    /// The canonical decomposition of a character without combining marks.
    fn without_accent(&self, c: char, mut add: impl FnMut(char)) {
        const HANGUL: u32 = 0xac00;
        let at = (c as u32).wrapping_sub(HANGUL);
        if at < 11_172 {
            let trailing = (!at.is_multiple_of(28)).then_some(0x11a7 + at % 28);
            let parts = [0x1100 + at / 588, 0x1161 + at % 588 / 28].into_iter().chain(trailing);
            parts.filter_map(char::from_u32).for_each(add);
        } else if let Some(parts) = self.decomposed.get(&c) {
            parts.chars().for_each(add);
        } else if !self.marks.contain(c) {
            add(c);
        }
    }
}

struct Words {
    done: Vec<String>,
    /// Whether the next letter belongs to the last word.
    open: bool,
}

impl Words {
    fn add(&mut self, c: char) {
        match self.done.last_mut() {
            Some(word) if self.open => word.push(c),
            _ => self.done.push(c.into()),
        }
        self.open = true;
    }

    /// Adds a letter, or punctuation, which is a word by itself.
    fn split(&mut self, c: char, all: &Characters) {
        if c.is_whitespace() {
            self.open = false;
        } else if all.punctuation.contain(c) {
            self.done.push(c.into());
            self.open = false;
        } else {
            self.add(c);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_of_characters_are_read() {
        let all = &*CHARACTERS;
        assert!(all.removed.contain('\0') && all.removed.contain('\u{feff}'));
        assert!(all.punctuation.contain('$') && all.punctuation.contain('。'));
        assert!(all.marks.contain('\u{301}') && !all.marks.contain('a'));
        assert_eq!(all.decomposed[&'é'], "e");
        assert!(
            [&all.removed, &all.marks, &all.punctuation]
                .iter()
                .all(|ranges| ranges.0.is_sorted() && ranges.0.len() > 20)
        );
    }

    #[test]
    fn words_are_split_as_the_reference_does() {
        assert_eq!(words("  Tab\tand\u{a0}NBSP\u{200b}x ", true), ["tab", "and", "nbspx"]);
        assert_eq!(words("한", true), ["\u{1112}\u{1161}\u{11ab}"]);
        assert_eq!(words("e\u{301}İI", true), ["eii"]);
        assert_eq!(words("ab豈cd", true), ["ab", "豈", "cd"]);
        assert_eq!(words("", true), [] as [&str; 0]);
    }
}
