//! The bytes of a pickle, none of which is taken for granted.

use std::io::{BufReader, Read};

use super::Blob;
use crate::source::{Section, SectionReader};

/// Strings up to this length are copied, others stay where they are.
const SHORT: u64 = 1 << 10;
/// The longest text that is read.
const MOST_TEXT: u64 = 256 << 20;

/// What is wrong with a pickle.
pub(super) type Parsed<T> = Result<T, String>;

pub(super) struct PickleBytes {
    reader: BufReader<SectionReader>,
    /// Where it stands.
    pub at: u64,
    len: u64,
}

impl PickleBytes {
    pub fn new(section: &Section, offset: u64) -> Parsed<Self> {
        let mut reader = section.reader();
        let forward = i64::try_from(offset).map_err(|_| "it begins too late".to_string())?;
        reader.seek_relative(forward).map_err(|e| e.to_string())?;
        Ok(Self { reader, at: offset, len: section.len })
    }

    /// Refuses more bytes than there are, before memory is taken for them.
    fn claim(&self, count: u64) -> Parsed<()> {
        if count <= self.len.saturating_sub(self.at) { Ok(()) } else { Err("it ends too early".into()) }
    }

    fn fill(&mut self, bytes: &mut [u8]) -> Parsed<()> {
        self.claim(bytes.len() as u64)?;
        self.reader.read_exact(bytes).map_err(|e| e.to_string())?;
        self.at += bytes.len() as u64;
        Ok(())
    }

    pub fn array<const N: usize>(&mut self) -> Parsed<[u8; N]> {
        let mut bytes = [0; N];
        self.fill(&mut bytes)?;
        Ok(bytes)
    }

    pub fn byte(&mut self) -> Parsed<u8> {
        Ok(self.array::<1>()?[0])
    }

    /// A length of one, two, four or eight bytes, the lowest first.
    pub fn length(&mut self, width: usize) -> Parsed<u64> {
        let mut bytes = [0; 8];
        self.fill(&mut bytes[..width])?;
        Ok(u64::from_le_bytes(bytes))
    }

    pub fn vec(&mut self, count: u64) -> Parsed<Vec<u8>> {
        self.claim(count)?;
        if count > MOST_TEXT {
            return Err(format!("it holds a text of {count} bytes"));
        }
        let mut bytes = vec![0; count as usize];
        self.fill(&mut bytes)?;
        Ok(bytes)
    }

    pub fn text(&mut self, count: u64) -> Parsed<String> {
        Ok(String::from_utf8_lossy(&self.vec(count)?).into_owned())
    }

    /// Bytes, copied if short and else passed over.
    pub fn blob(&mut self, count: u64) -> Parsed<Blob> {
        if count <= SHORT {
            return self.vec(count).map(Blob::Here);
        }
        self.claim(count)?;
        let forward = i64::try_from(count).map_err(|_| "it ends too early".to_string())?;
        let offset = self.at;
        self.reader.seek_relative(forward).map_err(|e| e.to_string())?;
        self.at += count;
        Ok(Blob::At { offset, len: count })
    }

    /// A line without its end.
    pub fn line(&mut self) -> Parsed<Vec<u8>> {
        let mut line = Vec::new();
        loop {
            match self.byte()? {
                b'\n' => return Ok(line),
                _ if line.len() as u64 >= MOST_TEXT => {
                    return Err("it holds an endless line".into());
                }
                byte => line.push(byte),
            }
        }
    }

    pub fn line_text(&mut self) -> Parsed<String> {
        Ok(String::from_utf8_lossy(&self.line()?).into_owned())
    }
}
