//! Changes valid files at random, the same way for the same seed.

/// Texts that mean something to one of the readers.
const WORDS: [&[u8]; 22] = [
    b"\n",
    b"\r\n",
    b",",
    b";",
    b"\t",
    b"\"",
    b"'",
    b"{",
    b"}",
    b"[",
    b"]",
    b":",
    b"null",
    b"NaN",
    b"-1",
    b"1e999",
    b"99999999999999999999",
    b"\x00",
    b"\xff\xfe",
    b"\xef\xbb\xbf",
    b"\x1b[2J",
    b"PK\x03\x04",
];
/// Numbers around which sizes overflow or change their sign.
const NUMBERS: [u64; 12] = [
    0,
    1,
    0x7f,
    0x80,
    0xff,
    0x7fff,
    0xffff,
    0x7fff_ffff,
    0x8000_0000,
    0xffff_ffff,
    0x7fff_ffff_ffff_ffff,
    0xffff_ffff_ffff_ffff,
];

/// The generator SplitMix64.
#[derive(Debug, Clone)]
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        trustpath::random::mix(self.0)
    }

    /// A number below `end`, which is positive.
    pub fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }
}

/// A changed copy of one of the seeds.
pub fn changed(seeds: &[Vec<u8>], random: &mut Random) -> Vec<u8> {
    let mut bytes = seeds[random.below(seeds.len())].clone();
    for _ in 0..1 + random.below(4) {
        change(&mut bytes, seeds, random);
    }
    bytes
}

fn change(bytes: &mut Vec<u8>, seeds: &[Vec<u8>], random: &mut Random) {
    let length = bytes.len();
    let kind = random.below(10);
    if length == 0 || kind == 0 {
        let word = WORDS[random.below(WORDS.len())];
        let place = random.below(length + 1);
        bytes.splice(place..place, word.iter().copied());
        return;
    }
    let place = random.below(length);
    // Ranges are short more often than long.
    let most = (length - place).min(1 << random.below(12));
    let end = place + 1 + random.below(most.max(1)).min(length - place - 1);
    match kind {
        1 => bytes[place] ^= 1 << random.below(8),
        2 => bytes[place] = random.next() as u8,
        3 | 4 => {
            let number = NUMBERS[random.below(NUMBERS.len())].wrapping_add(random.below(3) as u64);
            let width = [1, 2, 4, 8][random.below(4)];
            let mut number = number.to_le_bytes()[..width].to_vec();
            if random.below(2) == 0 {
                number.reverse();
            }
            let end = (place + width).min(length);
            bytes[place..end].copy_from_slice(&number[..end - place]);
        }
        5 => drop(bytes.drain(place..end)),
        6 => {
            let range = bytes[place..end].to_vec();
            let to = random.below(length);
            bytes.splice(to..to, range);
        }
        7 => bytes.truncate(place),
        8 => {
            let other = &seeds[random.below(seeds.len())];
            if !other.is_empty() {
                let from = random.below(other.len());
                bytes.truncate(place);
                bytes.extend_from_slice(&other[from..]);
            }
        }
        _ => {
            let word = WORDS[random.below(WORDS.len())];
            let end = (place + word.len()).min(length);
            bytes[place..end].copy_from_slice(&word[..end - place]);
        }
    }
}
