//! Which labels say that there is none, and what a user should know about the others.
//!
//! An empty cell, a null and NaN are always missing. Unless the caller lists other markers, so are these: in any case
//! `unlabeled`, `unlabelled`, `unknown`, `nan`, `null` and `n/a`; as written `None`, `NA`, `<NA>`, `#N/A`, `?` and `-`;
//! and −1, which data frames and scikit-learn write, beside texts, or where it is the only negative among whole
//! numbers. Labels that are −1 and 1 alone are two classes.
//!
//! The rules look at the distinct labels with their numbers, so that files and arrays of Python are
//! judged by the same code ([`MissingLabels::judge`]).

use std::collections::HashMap;

use crate::printable::listed;

/// Markers in any case.
const WORDS: [&str; 6] = ["unlabeled", "unlabelled", "unknown", "nan", "null", "n/a"];
/// Markers as they are written.
const SIGNS: [&str; 6] = ["None", "NA", "<NA>", "#N/A", "?", "-"];
/// Classes in any case that may be meant as markers, so that their number is reported.
const DOUBTFUL: [&str; 9] = ["none", "na", "missing", "undefined", "nil", "tbd", "todo", "--", "n.a."];
/// The number of groups and of markers that a sentence lists.
const SHOWN: usize = 5;

/// The texts that mean a missing label.
///
/// ```
/// use trustpath_table::MissingLabels;
/// let labels = [("cat", 40), ("?", 12), ("unknown", 3)];
/// assert_eq!(MissingLabels::usual().judge(&labels).missing, [false, true, true]);
/// assert_eq!(MissingLabels::only(["?"]).judge(&labels).missing, [false, true, false]);
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MissingLabels {
    /// The markers that the caller lists.
    listed: Option<Vec<String>>,
}

/// Distinct labels, judged.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct JudgedLabels {
    /// Whether each of them means that there is no label.
    pub missing: Vec<bool>,
    /// Whether all others are whole numbers.
    pub whole: bool,
    /// What a user should know.
    pub notes: Vec<ReadingNote>,
}

/// What a user should know about the data that was read.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum ReadingNote {
    /// These markers, each with its number, were read as missing labels.
    Missing(Vec<(String, usize)>),
    /// The labels −1 and 1 were read as two classes.
    Signed,
    /// A class whose name may mean that there is no label, and the number of its labels.
    MaybeMissing(String, usize),
    /// Names of classes that differ only in case, spaces, characters that cannot be seen, or in how letters with marks are
    /// written, with the numbers of their labels.
    NearDuplicates(Vec<(String, usize)>),
    /// A class whose name has characters that cannot be seen, and the number of its labels.
    Invisible(String, usize),
    /// The first line of a labels file was read as a label, although only one label has this name.
    FirstLine(String),
    /// Labels were read from this column, although nobody named it.
    LabelColumn(String),
    /// Columns of texts, which are no features.
    TextColumns(Vec<String>),
    /// Numbers were read with a decimal comma.
    DecimalComma,
    /// Answers of a labelling session that are not in the labels file yet: that file, and the journal that holds them.
    Journal(String, String),
    /// Something else, as a sentence.
    Sentence(String),
}

impl MissingLabels {
    /// The usual markers.
    pub fn usual() -> Self {
        Self::default()
    }

    /// Only these markers, other than empty cells.
    pub fn only(markers: impl IntoIterator<Item = impl Into<String>>) -> Self {
        let listed = markers.into_iter().map(|marker| Into::into(marker).trim().to_owned());
        Self { listed: Some(listed.collect()) }
    }

    /// Judges distinct labels with the number of each.
    pub fn judge(&self, labels: &[(&str, usize)]) -> JudgedLabels {
        let mut missing: Vec<bool> = labels.iter().map(|(label, _)| self.is_marker(label)).collect();
        let number = |label: &str| label.trim().parse::<f64>().ok().filter(|n| n.fract() == 0.0);
        let classes = |missing: &[bool]| -> Vec<(&str, usize)> {
            labels.iter().zip(missing).filter(|(_, missing)| !**missing).map(|(label, _)| *label).collect()
        };
        let mut notes = Vec::new();
        let rest = classes(&missing);
        let whole = !rest.is_empty() && rest.iter().all(|(label, _)| number(label).is_some());
        if self.listed.is_none() {
            let numbers = || rest.iter().filter_map(|(label, _)| number(label));
            // Text beside −1 is a class, whatever other numbers there are.
            let marks = !whole || !numbers().any(|n| n < -1.0);
            let signed = whole && numbers().all(|n| n.abs() == 1.0) && numbers().any(|n| n == 1.0);
            if signed && numbers().any(|n| n == -1.0) {
                notes.push(ReadingNote::Signed);
            } else if marks {
                for (missing, (label, _)) in missing.iter_mut().zip(labels) {
                    *missing |= number(label) == Some(-1.0);
                }
            }
        }
        let marked = labels.iter().zip(&missing).filter(|((label, n), missing)| {
            **missing && *n > 0 && !label.trim().is_empty() && !label.eq_ignore_ascii_case("nan")
        });
        let marked: Vec<_> = marked.map(|((label, n), _)| ((*label).to_owned(), *n)).collect();
        if !marked.is_empty() {
            notes.insert(0, ReadingNote::Missing(marked));
        }
        if !whole {
            let classes = classes(&missing);
            notes.extend(near_duplicates(&classes));
            // Joiners are part of some scripts and of emoji.
            let unseen = |c: char| is_invisible(c) && !matches!(c, '\u{200c}' | '\u{200d}');
            let unseen = classes.iter().filter(|(label, _)| label.contains(unseen)).take(SHOWN);
            notes.extend(unseen.map(|(label, n)| ReadingNote::Invisible((*label).to_owned(), *n)));
            let is_doubtful = |label: &str| DOUBTFUL.iter().any(|word| label.trim().eq_ignore_ascii_case(word));
            let doubtful = classes.iter().filter(|(label, _)| self.listed.is_none() && is_doubtful(label));
            notes.extend(doubtful.map(|(label, n)| ReadingNote::MaybeMissing((*label).to_owned(), *n)));
        }
        JudgedLabels { missing, whole, notes }
    }

    /// Whether a text is a marker, whatever the other labels are.
    fn is_marker(&self, text: &str) -> bool {
        let text = text.trim();
        let Some(listed) = &self.listed else {
            return text.is_empty()
                || SIGNS.contains(&text)
                || WORDS.iter().any(|word| text.eq_ignore_ascii_case(word));
        };
        let number = |text: &str| text.parse::<f64>().ok();
        let same = |marker: &String| marker == text || number(marker).is_some_and(|n| number(text) == Some(n));
        text.is_empty() || listed.iter().any(same)
    }
}

/// Whether a character cannot be seen: it has no width, or gives the direction of writing.
fn is_invisible(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}

/// Whether a character is a mark above or below the letter before it.
fn is_mark(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36f}')
}

/// Letters that a mark is composed with, each before its letter.
const COMPOSED: [(&str, char); 21] = [
    ("àáâãäåāăą", 'a'),
    ("çćĉċč", 'c'),
    ("ď", 'd'),
    ("èéêëēĕėęě", 'e'),
    ("ĝğġģ", 'g'),
    ("ĥ", 'h'),
    ("ìíîïĩīĭį", 'i'),
    ("ĵ", 'j'),
    ("ķ", 'k'),
    ("ĺļľ", 'l'),
    ("ñńņň", 'n'),
    ("òóôõöōŏő", 'o'),
    ("ŕŗř", 'r'),
    ("śŝşšș", 's'),
    ("ţťț", 't'),
    ("ùúûüũūŭůűų", 'u'),
    ("ŵ", 'w'),
    ("ýÿŷ", 'y'),
    ("źżž", 'z'),
    ("й", 'и'),
    ("ё", 'е'),
];

/// A name of small letters without the marks of its letters, be they written as one character or as two.
fn without_marks(name: &str) -> String {
    let letter = |c: char| COMPOSED.iter().find(|(composed, _)| composed.contains(c)).map_or(c, |(_, letter)| *letter);
    name.chars().filter(|&c| !is_mark(c)).map(letter).collect()
}

/// Groups of names that differ only in case, spaces, characters that cannot be seen, or in how letters with marks are written.
fn near_duplicates(labels: &[(&str, usize)]) -> Vec<ReadingNote> {
    let decomposed = labels.iter().any(|(name, _)| name.contains(is_mark));
    let key = |name: &str| {
        let name = name.replace(is_invisible, "").split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase();
        if decomposed { without_marks(&name) } else { name }
    };
    let mut groups: HashMap<String, Vec<usize>> = HashMap::new();
    for (place, (label, _)) in labels.iter().enumerate() {
        groups.entry(key(label)).or_default().push(place);
    }
    let mut groups: Vec<Vec<usize>> = groups.into_values().filter(|g| g.len() > 1).collect();
    groups.sort();
    let named = |place: &usize| (labels[*place].0.to_owned(), labels[*place].1);
    let groups = groups.iter().take(SHOWN).map(|group| group.iter().map(named).collect());
    groups.map(ReadingNote::NearDuplicates).collect()
}

impl ReadingNote {
    /// The note as a sentence with the remedy. `setting` spells an option with its value, as in `--missing '?'`.
    pub fn sentence(&self, setting: impl Fn(&str, &str) -> String) -> String {
        match self {
            Self::Sentence(sentence) => sentence.clone(),
            Self::Journal(labels, journal) => format!(
                "{journal} holds answers of trustpath serve that are not in {labels} yet, and they are not used here: end that session, or start it again if it was killed."
            ),
            Self::Missing(markers) => {
                let labels = counted(markers.iter().map(|(_, n)| n).sum());
                let markers = listed(markers.iter().map(|(marker, _)| quoted(marker)), SHOWN);
                let setting = setting("missing", "''");
                format!("{labels} read as missing: {markers} (use {setting} if they are classes).")
            }
            Self::Signed => format!(
                "The labels -1 and 1 are read as two classes; use {} if -1 means that there is no label.",
                setting("missing", "-1")
            ),
            Self::MaybeMissing(name, labels) => format!(
                "{} {} of class {}; use {} if it means that there is no label.",
                counted(*labels),
                if *labels == 1 { "is" } else { "are" },
                quoted(name),
                setting("missing", &quoted(name))
            ),
            Self::NearDuplicates(names) => {
                let names: Vec<_> =
                    names.iter().map(|(name, n)| format!("{} ({})", quoted(name), counted(*n))).collect();
                let names = names.join(" and ");
                format!(
                    "The classes {names} differ only in case or spaces, or in accents or characters that cannot be seen: if they are one class, spell them alike."
                )
            }
            Self::Invisible(name, labels) => format!(
                "The name of the class {} ({}) has characters that cannot be seen: remove them where it is not meant to have any.",
                quoted(name),
                counted(*labels)
            ),
            Self::FirstLine(text) => format!(
                "The first line, {0}, is read as a label, and no other label is {0}; use {1} if it is a header.",
                quoted(text),
                setting("label-column", &quoted(text))
            ),
            Self::LabelColumn(name) => format!("Labels are read from the column {}.", quoted(name)),
            Self::TextColumns(names) => {
                let names = listed(names.iter().map(|name| quoted(name)), SHOWN);
                format!("Columns that are not numeric are not features: {names}.")
            }
            Self::DecimalComma => "Numbers are read with a decimal comma.".into(),
        }
    }
}

/// A number of labels.
fn counted(labels: usize) -> String {
    format!("{labels} {}", if labels == 1 { "label" } else { "labels" })
}

/// A text from the data in single quotes, without control characters and not too long.
fn quoted(text: &str) -> String {
    const LONGEST: usize = 60;
    let shown: String = text.chars().take(LONGEST).collect();
    let more = if text.chars().count() > LONGEST { "…" } else { "" };
    format!("'{}{more}'", shown.escape_debug())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judge(labels: &[&str]) -> JudgedLabels {
        let labels: Vec<(&str, usize)> = labels.iter().map(|&label| (label, 2)).collect();
        MissingLabels::usual().judge(&labels)
    }

    fn missing<'a>(labels: &[&'a str]) -> Vec<&'a str> {
        let judged = judge(labels).missing;
        labels.iter().zip(judged).filter(|(_, missing)| *missing).map(|(label, _)| *label).collect()
    }

    fn sentences(judged: &JudgedLabels) -> Vec<String> {
        judged.notes.iter().map(|note| note.sentence(|name, v| format!("--{name} {v}"))).collect()
    }

    #[test]
    fn usual_markers_are_missing() {
        let markers = "unlabeled unlabelled Unlabeled unknown ? None null NULL NA N/A n/a nan NaN - -1 -1.0 <NA> #N/A";
        for marker in markers.split(' ').chain(["", "\u{a0}"]) {
            assert_eq!(missing(&["cat", "dog", marker]), [marker], "beside text");
        }
        for marker in ["", "?", "None", "nan", "-", "-1", "-1.0"] {
            assert_eq!(missing(&["0", "1", "2", marker]), [marker], "beside numbers");
        }
    }

    #[test]
    fn other_labels_are_classes() {
        // Sodium, and numbers of which -1 is not the only negative one.
        for labels in [&["Na", "K", "Cl"][..], &["-2", "-1", "0", "1"], &["-1", "1"], &["none", "x"]] {
            assert_eq!(missing(labels), [""; 0], "{labels:?}");
        }
        assert_eq!(missing(&["-2", "-1", "cat"]), ["-1"]);
        assert_eq!(missing(&["-1", "0", "1"]), ["-1"]);
    }

    #[test]
    fn listed_markers_replace_the_usual_ones() {
        let labels = [("cat", 1), ("unknown", 1), ("", 1), ("tbd", 1), ("-1", 1)];
        let judge = |markers: &[&str]| MissingLabels::only(markers.to_vec()).judge(&labels);
        assert_eq!(judge(&[]).missing, [false, false, true, false, false]);
        assert_eq!(judge(&[""]).missing, [false, false, true, false, false]);
        assert_eq!(judge(&["tbd", "-1.0"]).missing, [false, false, true, true, true]);
        assert!(judge(&[]).notes.is_empty(), "a user who lists markers has decided");
        let signed = MissingLabels::only(["-1"]).judge(&[("-1", 3), ("1", 4)]);
        assert_eq!(signed.missing, [true, false]);
    }

    #[test]
    fn notes_say_what_was_done_and_how_to_change_it() {
        let judged = MissingLabels::usual().judge(&[("cat", 4), ("?", 12), ("", 3)]);
        let expected = "12 labels read as missing: '?' (use --missing '' if they are classes).";
        assert_eq!(sentences(&judged), [expected]);
        assert!(judge(&["cat", "", "nan"]).notes.is_empty(), "nothing was interpreted");
        assert!(sentences(&judge(&["-1", "1"]))[0].contains("two classes; use --missing -1"));
        let maybe = sentences(&judge(&["none", "x"]));
        assert_eq!(maybe, ["2 labels are of class 'none'; use --missing 'none' if it means that there is no label."]);
    }

    #[test]
    fn names_that_look_alike_are_reported() {
        let sentence = |labels: &[&str]| sentences(&judge(labels)).join(" ");
        // Composed and decomposed, as files of different systems have it.
        let accents = sentence(&["caf\u{e9}", "cafe\u{301}", "tea"]);
        assert!(accents.contains("caf\u{e9}") && accents.contains("in accents"), "{accents}");
        assert_eq!(sentence(&["h\u{f6}her", "h\u{e4}her", "tea"]), "");
        for unseen in ['\u{200b}', '\u{202e}', '\u{feff}'] {
            let both = sentence(&["auk", &format!("auk{unseen}"), "tea"]);
            assert!(both.contains("differ only") && both.contains("remove them") && !both.contains(unseen), "{both}");
        }
        assert_eq!(sentence(&["\u{645}\u{200c}\u{645}", "tea"]), "");
    }

    #[test]
    fn near_duplicates_are_reported_and_kept_apart() {
        let judged = judge(&["Cat", "cat ", "cat", "dog"]);
        assert_eq!(judged.missing, [false; 4]);
        let said = sentences(&judged);
        assert_eq!(said.len(), 1);
        assert!(said[0].starts_with("The classes 'Cat' (2 labels) and 'cat ' (2 labels) and 'cat'"), "{said:?}");
        assert!(judge(&["cat", "dog", "1", "2"]).notes.is_empty());
        assert!(judge(&["A", "A+", "A-"]).notes.is_empty(), "grades are not near-duplicates");
        let hostile = sentences(&judge(&["a\u{1b}[31m", "A\u{1b}[31m"]));
        assert!(!hostile[0].contains('\u{1b}'), "{hostile:?}");
    }
}
