//! The terms of a text, as numbers.
//!
//! Words, pairs of neighbouring words, and the stretches of 3 to 5 letters within a word and its two ends. Each is known by
//! a hash of 52 bits, which a double holds exactly; of a million terms two share one with a probability of one in ten
//! thousand.

use crate::tokenizer::words;

/// Bits of a hash.
const BITS: u32 = 52;
/// Lengths of stretches of letters.
const STRETCHES: std::ops::RangeInclusive<usize> = 3..=5;

/// What a term is, which is part of its hash.
#[derive(Clone, Copy)]
enum TermKind {
    Word = 1,
    Pair = 2,
    Letters = 3,
}

/// FNV-1a of 64 bits and a final mix. Models keep its values, so it must not change.
fn hash(kind: TermKind, parts: &[&[u8]]) -> u64 {
    let add = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
    let mut hash = add(0xcbf2_9ce4_8422_2325, kind as u8);
    for part in parts {
        hash = part.iter().fold(hash, |hash, &byte| add(hash, byte));
        hash = add(hash, 0xff);
    }
    trustpath::random::mix(hash) >> (64 - BITS)
}

/// Each distinct term of a text with how often it occurs, in ascending order: words and pairs, then letters.
pub(super) fn terms(text: &str) -> [Vec<(u64, u32)>; 2] {
    let words = words(text, true);
    let (mut of_words, mut of_letters) = (Vec::new(), Vec::new());
    for (at, word) in words.iter().enumerate() {
        of_words.push(hash(TermKind::Word, &[word.as_bytes()]));
        if let Some(next) = words.get(at + 1) {
            of_words.push(hash(TermKind::Pair, &[word.as_bytes(), next.as_bytes()]));
        }
        let bounded = format!(" {word} ");
        let mut starts: Vec<usize> = bounded.char_indices().map(|(at, _)| at).collect();
        starts.push(bounded.len());
        for length in STRETCHES {
            for ends in starts.windows(length + 1) {
                let letters = &bounded.as_bytes()[ends[0]..ends[length]];
                of_letters.push(hash(TermKind::Letters, &[letters]));
            }
        }
    }
    [counted(of_words), counted(of_letters)]
}

fn counted(mut hashes: Vec<u64>) -> Vec<(u64, u32)> {
    hashes.sort_unstable();
    hashes.chunk_by(|a, b| a == b).map(|same| (same[0], same.len() as u32)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_pairs_and_letters_are_counted() {
        let [words, letters] = terms("Card, card!");
        let number = |kind, parts: &[&[u8]]| {
            let wanted = hash(kind, parts);
            words.iter().chain(&letters).find(|(hash, _)| *hash == wanted).map(|(_, n)| *n)
        };
        assert_eq!(number(TermKind::Word, &[b"card"]), Some(2));
        assert_eq!(number(TermKind::Pair, &[b"card", b","]), Some(1));
        assert_eq!(number(TermKind::Pair, &[b"car", b"d,"]), None);
        assert_eq!(number(TermKind::Letters, &[b" ca"]), Some(2));
        assert_eq!(number(TermKind::Letters, &[b" , "]), Some(1));
        assert!(letters.is_sorted() && words.iter().all(|(hash, _)| *hash < 1 << BITS));
        assert!(terms("").iter().all(Vec::is_empty));
    }
}
