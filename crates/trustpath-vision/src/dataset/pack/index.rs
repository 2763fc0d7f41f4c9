//! The index of a split: lines of tab-separated words.
//!
//! ```text
//! trustpath pack 1
//! name     cifar-fs
//! kind     cifar-fs
//! split    train            (or -, if the dataset is not divided)
//! class    apple            (once for each, in order)
//! shard    cifar-fs-train-000.shard   bytes   crc32
//! picture  class number or -   bytes   id      (images of the shard above, in order)
//! end      crc32 of all before
//! ```

use std::str::FromStr;

use flate2::Crc;

use crate::dataset::{DatasetKind, DatasetSplit};

const FIRST: &str = "trustpath pack 1";

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Index {
    pub name: String,
    pub kind: DatasetKind,
    pub split: Option<DatasetSplit>,
    pub classes: Vec<String>,
    pub shards: Vec<Shard>,
}

#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Shard {
    pub file: String,
    pub crc: u32,
    pub bytes: u64,
    pub images: Vec<PackedImage>,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) struct PackedImage {
    pub class: Option<usize>,
    pub len: usize,
    pub id: String,
}

pub(super) fn crc(bytes: &[u8]) -> u32 {
    let mut crc = Crc::new();
    crc.update(bytes);
    crc.sum()
}

impl Index {
    pub fn text(&self) -> String {
        let split = self.split.map_or("-".into(), |split| split.to_string());
        let mut text = format!("{FIRST}\nname\t{}\nkind\t{}\nsplit\t{split}\n", escape(&self.name), self.kind);
        for class in &self.classes {
            text.push_str(&format!("class\t{}\n", escape(class)));
        }
        for shard in &self.shards {
            let Shard { file, crc, bytes, .. } = shard;
            text.push_str(&format!("shard\t{}\t{bytes}\t{crc:08x}\n", escape(file)));
            for PackedImage { class, len, id } in &shard.images {
                let class = class.map_or("-".into(), |class| class.to_string());
                text.push_str(&format!("picture\t{class}\t{len}\t{}\n", escape(id)));
            }
        }
        let end = crc(text.as_bytes());
        text + &format!("end\t{end:08x}\n")
    }

    /// Reads an index; the error says what is wrong with it.
    pub fn parse(text: &str) -> Result<Self, String> {
        if !text.starts_with(FIRST) {
            return Err("this version cannot read the index; pack the dataset again".into());
        }
        let cut = || "it is cut off or damaged; copy it again".to_string();
        let (body, end) = text.rsplit_once("end\t").ok_or_else(cut)?;
        if end.trim_end() != format!("{:08x}", crc(body.as_bytes())) {
            return Err(cut());
        }
        let mut index = Self {
            name: String::new(),
            kind: DatasetKind::Folder,
            split: None,
            classes: Vec::new(),
            shards: Vec::new(),
        };
        for line in body.lines().skip(1) {
            index.line(line).ok_or_else(|| format!("its line {line:?} has no meaning; pack the dataset again"))?;
        }
        Ok(index)
    }

    fn line(&mut self, line: &str) -> Option<()> {
        let words: Vec<&str> = line.split('\t').collect();
        match words.as_slice() {
            ["name", name] => self.name = unescape(name),
            ["kind", kind] => self.kind = DatasetKind::from_str(kind).ok()?,
            ["split", "-"] => self.split = None,
            ["split", split] => self.split = Some(DatasetSplit::from_str(split).ok()?),
            ["class", class] => self.classes.push(unescape(class)),
            ["shard", file, bytes, crc] => self.shards.push(Shard {
                file: unescape(file),
                crc: u32::from_str_radix(crc, 16).ok()?,
                bytes: bytes.parse().ok()?,
                images: Vec::new(),
            }),
            ["picture", class, len, id] => {
                let class = if *class == "-" { None } else { Some(class.parse().ok()?) };
                class.is_none_or(|class: usize| class < self.classes.len()).then_some(())?;
                let image = PackedImage { class, len: len.parse().ok()?, id: unescape(id) };
                self.shards.last_mut()?.images.push(image);
            }
            _ => return None,
        }
        Some(())
    }
}

/// Names may hold anything; the format may not.
fn escape(text: &str) -> String {
    text.replace('\\', "\\\\").replace('\t', "\\t").replace('\n', "\\n").replace('\r', "\\r")
}

fn unescape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        let escaped = |c: char| match c {
            't' => '\t',
            'n' => '\n',
            'r' => '\r',
            other => other,
        };
        out.extend(if c == '\\' { chars.next().map(escaped) } else { Some(c) });
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn index() -> Index {
        let image = |class, id: &str| PackedImage { class, len: 7, id: id.into() };
        Index {
            name: "odd\tname".into(),
            kind: DatasetKind::Csv,
            split: Some(DatasetSplit::Val),
            classes: vec!["a\\b".into(), "two\nlines".into()],
            shards: vec![Shard {
                file: "x.shard".into(),
                crc: 0xabcd,
                bytes: 14,
                images: vec![image(Some(1), "a\\tb\r.png"), image(None, "c.png")],
            }],
        }
    }

    #[test]
    fn a_written_index_is_read_back() {
        assert_eq!(Index::parse(&index().text()).unwrap(), index());
        let undivided = Index { split: None, ..index() };
        assert_eq!(Index::parse(&undivided.text()).unwrap(), undivided);
    }

    #[test]
    fn every_cut_and_every_change_is_noticed() {
        let text = index().text();
        for cut in 0..text.len() - 1 {
            assert!(Index::parse(&text[..cut]).is_err(), "{cut}");
        }
        assert!(Index::parse(&text.replace("c.png", "d.png")).is_err());
    }
}
