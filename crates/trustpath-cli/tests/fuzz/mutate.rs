//! Changes valid files at random, the same way for the same seed.

use trustpath::random::Random;

/// Texts that mean something to one of the readers, separated by spaces.
const WORDS: &[u8] =
    b"\n \r\n , ; \t \" ' { } [ ] : null NaN -1 1e999 99999999999999999999 \x00 \xff\xfe \xef\xbb\xbf \x1b[2J \
    PK\x03\x04";

/// A number around which sizes overflow or change their sign: the largest or the next one of a width in bits.
fn number(random: &mut Random) -> u64 {
    let bits = [0, 1, 7, 8, 15, 16, 31, 32, 63, 64][random.below(10)];
    let largest = 1u64.checked_shl(bits).map_or(u64::MAX, |next| next - 1);
    largest.wrapping_add(random.below(4) as u64)
}

fn word(random: &mut Random) -> &'static [u8] {
    let words: Vec<&[u8]> = WORDS.split(|&byte| byte == b' ').filter(|word| !word.is_empty()).collect();
    words[random.below(words.len())]
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
        let place = random.below(length + 1);
        bytes.splice(place..place, word(random).iter().copied());
        return;
    }
    let place = random.below(length);
    // Ranges are short more often than long.
    let most = (length - place).min(1 << random.below(12));
    let end = place + 1 + random.below(most.max(1)).min(length - place - 1);
    match kind {
        1 => bytes[place] ^= 1 << random.below(8),
        2 => bytes[place] = random.next_u64() as u8,
        3 | 4 => {
            let width = [1, 2, 4, 8][random.below(4)];
            let mut number = number(random).to_le_bytes()[..width].to_vec();
            if random.below(2) == 0 {
                number.reverse();
            }
            overwrite(&mut bytes[place..], &number);
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
        _ => overwrite(&mut bytes[place..], word(random)),
    }
}

/// Writes as much as there is room for.
fn overwrite(bytes: &mut [u8], new: &[u8]) {
    bytes.iter_mut().zip(new).for_each(|(byte, new)| *byte = *new);
}
