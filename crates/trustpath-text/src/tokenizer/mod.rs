//! WordPiece, the tokenizer of BERT.
//!
//! A text is split into words ([`words`]); a word is the longest piece of the vocabulary that it begins with, then the
//! longest that continues it (`##…`), and so on. A word that cannot be put together, or has more than a hundred
//! characters, is one unknown token. A sequence begins with `[CLS]` and ends with `[SEP]`.

mod characters;

use std::collections::HashMap;

pub use characters::words;
use serde_json::Value;
use trustpath_vision::fingerprint::Fingerprint;

use crate::{Error, Result};

/// The most characters of a word that is looked up.
const LONGEST_WORD: usize = 100;
/// Tokens that may stand in a text themselves.
const SPECIAL: [&str; 5] = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"];

const REMEDY: &str = "give a model of the BERT family, such as all-MiniLM-L6-v2";

/// A vocabulary and how texts are split into its pieces.
///
/// ```
/// use trustpath_text::Tokenizer;
///
/// let vocabulary = "[PAD]\n[UNK]\n[CLS]\n[SEP]\ntrust\n##path\n";
/// let tokenizer = Tokenizer::from_vocabulary(vocabulary, true, "vocab.txt")?;
/// assert_eq!(tokenizer.tokens("Trustpath?", 16), [2, 4, 5, 1, 3]);
/// # Ok::<(), trustpath_text::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Tokenizer {
    /// Pieces that begin a word.
    first: HashMap<String, u32>,
    /// Pieces that continue one, without their `##`.
    next: HashMap<String, u32>,
    special: Vec<(&'static str, u32)>,
    longest: usize,
    lowercase: bool,
    size: usize,
}

impl Tokenizer {
    /// A tokenizer from the lines of a `vocab.txt`; errors call it `name`.
    ///
    /// # Errors
    /// If it lacks `[UNK]`, `[CLS]` or `[SEP]`.
    pub fn from_vocabulary(lines: &str, lowercase: bool, name: &str) -> Result<Self> {
        let pieces = lines.lines().map(|line| line.trim_end_matches('\r').to_owned());
        Self::new(pieces.zip(0..).collect(), lowercase, name)
    }

    /// A tokenizer from a `tokenizer.json`; errors call it `name`.
    ///
    /// # Errors
    /// If it is no WordPiece tokenizer, or lacks `[UNK]`, `[CLS]` or `[SEP]`.
    pub fn from_json(text: &str, name: &str) -> Result<Self> {
        let wrong = |reason: &str| Error::model(name, reason, REMEDY);
        let json: Value = serde_json::from_str(text).map_err(|e| wrong(&format!("it is not JSON ({e})")))?;
        let model = &json["model"];
        if model["type"] != "WordPiece" || model["continuing_subword_prefix"] != "##" {
            return Err(wrong("its tokenizer is not WordPiece"));
        }
        let vocabulary = model["vocab"].as_object().ok_or_else(|| wrong("it has no vocabulary"))?;
        let piece = |(piece, id): (&String, &Value)| Some((piece.clone(), u32::try_from(id.as_u64()?).ok()?));
        let lowercase = json["normalizer"]["lowercase"].as_bool().unwrap_or(true);
        Self::new(vocabulary.iter().filter_map(piece).collect(), lowercase, name)
    }

    fn new(pieces: Vec<(String, u32)>, lowercase: bool, name: &str) -> Result<Self> {
        let size = pieces.iter().map(|(_, id)| *id as usize + 1).max().unwrap_or(0);
        let longest = pieces.iter().map(|(piece, _)| piece.chars().count()).max().unwrap_or(0);
        let (mut first, mut next) = (HashMap::new(), HashMap::new());
        for (piece, id) in pieces {
            match piece.strip_prefix("##") {
                Some(rest) if !rest.is_empty() => next.insert(rest.to_owned(), id),
                _ => first.insert(piece, id),
            };
        }
        let special = SPECIAL.into_iter().filter_map(|name| Some((name, *first.get(name)?)));
        let special: Vec<(&'static str, u32)> = special.collect();
        let tokenizer = Self { first, next, special, longest, lowercase, size };
        for token in ["[UNK]", "[CLS]", "[SEP]"] {
            if tokenizer.special(token).is_none() {
                return Err(Error::model(name, format!("its vocabulary lacks {token}"), REMEDY));
            }
        }
        Ok(tokenizer)
    }

    fn special(&self, token: &str) -> Option<u32> {
        self.special.iter().find(|(name, _)| *name == token).map(|(_, id)| *id)
    }

    /// One more than the largest number of a token.
    pub fn size(&self) -> usize {
        self.size
    }

    /// A number that changes with the vocabulary and with how texts are split.
    pub fn fingerprint(&self) -> u64 {
        let part = |pieces: &HashMap<String, u32>, continues: bool, all: &mut Fingerprint| {
            let mut pieces: Vec<_> = pieces.iter().map(|(piece, id)| (*id, piece)).collect();
            pieces.sort_unstable();
            for (id, piece) in pieces {
                all.numbers([id.into(), continues.into()]).add(piece);
            }
        };
        let mut all = Fingerprint::new();
        all.number(self.lowercase.into());
        part(&self.first, false, &mut all);
        part(&self.next, true, &mut all);
        all.get()
    }

    /// The tokens of a text with `[CLS]` before and `[SEP]` behind them, `most` altogether at most.
    pub fn tokens(&self, text: &str, most: usize) -> Vec<u32> {
        let [unknown, begin, end] = ["[UNK]", "[CLS]", "[SEP]"].map(|token| self.special(token).unwrap_or_default());
        let mut tokens = vec![begin];
        let mut rest = text;
        while !rest.is_empty() && tokens.len() < most {
            let occurrences = self.special.iter().filter_map(|(name, id)| Some((rest.find(name)?, name, id)));
            let first = occurrences.min_by_key(|(at, ..)| *at);
            let before = first.map_or(rest, |(at, ..)| &rest[..at]);
            for word in words(before, self.lowercase) {
                if tokens.len() >= most {
                    break;
                }
                self.add_word(&word, unknown, &mut tokens);
            }
            let Some((at, name, id)) = first else { break };
            tokens.push(*id);
            rest = &rest[at + name.len()..];
        }
        tokens.truncate(most.saturating_sub(1));
        tokens.push(end);
        tokens
    }

    /// Adds the pieces of a word.
    fn add_word(&self, word: &str, unknown: u32, tokens: &mut Vec<u32>) {
        let start = tokens.len();
        let mut ends: Vec<usize> = word.char_indices().map(|(at, _)| at).collect();
        ends.push(word.len());
        let characters = ends.len() - 1;
        let mut from = 0;
        while from < characters {
            let pieces = if from == 0 { &self.first } else { &self.next };
            let most = (from + self.longest).min(characters);
            let longest =
                (from + 1..=most).rev().find_map(|to| pieces.get(&word[ends[from]..ends[to]]).map(|&id| (to, id)));
            match longest {
                Some((to, id)) if characters <= LONGEST_WORD => {
                    tokens.push(id);
                    from = to;
                }
                _ => {
                    tokens.truncate(start);
                    tokens.push(unknown);
                    return;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const VOCABULARY: &str = "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\nun\n##aff\n##able\n##a\naf\n?\n東\n##x";

    fn tokenizer() -> Tokenizer {
        Tokenizer::from_vocabulary(VOCABULARY, true, "v").unwrap()
    }

    #[test]
    fn the_longest_piece_comes_first() {
        let tokens = |text: &str| tokenizer().tokens(text, 32);
        assert_eq!(tokens("Unaffable?"), [2, 5, 6, 7, 10, 3]);
        assert_eq!(tokens("unaf"), [2, 1, 3], "a part that has no piece makes the word unknown");
        assert_eq!(tokens("東un"), [2, 11, 5, 3]);
        assert_eq!(tokens("un[MASK]un"), [2, 5, 4, 5, 3]);
        assert_eq!(tokens(""), [2, 3]);
        assert_eq!(tokens(&format!("un{}", "x".repeat(98))).len(), 32);
        assert_eq!(tokens(&format!("un{}", "x".repeat(99))), [2, 1, 3]);
    }

    #[test]
    fn a_long_text_is_cut_before_its_end() {
        let tokens = tokenizer().tokens(&"un ".repeat(50), 6);
        assert_eq!(tokens, [2, 5, 5, 5, 5, 3]);
    }

    #[test]
    fn both_files_give_the_same_tokenizer() {
        let pieces: serde_json::Map<String, Value> =
            VOCABULARY.lines().zip(0..).map(|(piece, id)| (piece.to_owned(), id.into())).collect();
        let json = serde_json::json!({
            "normalizer": {"lowercase": true},
            "model": {"type": "WordPiece", "continuing_subword_prefix": "##", "vocab": pieces},
        });
        let other = Tokenizer::from_json(&json.to_string(), "tokenizer.json").unwrap();
        assert_eq!(other.tokens("Unaffable 東", 9), tokenizer().tokens("Unaffable 東", 9));
        for (text, part) in [("[]", "not WordPiece"), ("{", "not JSON")] {
            let error = Tokenizer::from_json(text, "t.json").unwrap_err().to_string();
            assert!(error.contains(part) && error.starts_with("t.json"), "{error}");
        }
        let error = Tokenizer::from_vocabulary("a\nb", true, "v.txt").unwrap_err().to_string();
        assert!(error.contains("lacks [UNK]"), "{error}");
    }
}
