//! Writing tensors in a fixed order: wide elements first, so that all are aligned, then by name.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::io::{self, Write};

use serde_json::{Map, json};

/// A tensor as it goes into the file.
pub(crate) struct TensorEntry {
    pub name: String,
    /// Its type as the format calls it: `F64`, `I64`, `F32`, `U8`, `BOOL`.
    pub dtype: &'static str,
    pub shape: Vec<usize>,
    pub bytes: Vec<u8>,
}

impl TensorEntry {
    fn width(&self) -> usize {
        match self.dtype {
            "F64" | "I64" => 8,
            "F32" => 4,
            _ => 1,
        }
    }
}

pub fn write(w: &mut dyn Write, metadata: &BTreeMap<String, String>, mut entries: Vec<TensorEntry>) -> io::Result<()> {
    entries.sort_by(|a, b| (Reverse(a.width()), &a.name).cmp(&(Reverse(b.width()), &b.name)));
    let mut header = Map::new();
    if !metadata.is_empty() {
        header.insert("__metadata__".into(), json!(metadata));
    }
    let mut place = 0;
    for TensorEntry { name, dtype, shape, bytes } in &entries {
        let end = place + bytes.len();
        let described = json!({"dtype": dtype, "shape": shape, "data_offsets": [place, end]});
        header.insert(name.clone(), described);
        place = end;
    }
    let mut header = serde_json::to_vec(&header)?;
    header.resize(header.len().next_multiple_of(8), b' ');
    w.write_all(&(header.len() as u64).to_le_bytes())?;
    w.write_all(&header)?;
    entries.iter().try_for_each(|entry| w.write_all(&entry.bytes))
}
