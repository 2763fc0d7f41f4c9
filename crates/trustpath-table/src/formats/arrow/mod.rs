//! Apache Arrow's file format, which is Feather version 2: every numeric column is a feature, or one column holds lists
//! of features.
//!
//! The file ends with a footer that has the schema and the place of every batch of records. A batch is metadata, which say
//! where the buffers of its columns are, and the buffers, each of which may be compressed. One batch at a time is in
//! memory. Sizes are compared with the bytes there are, and what is decompressed is limited by the size of the file.
//!
//! Arrow's own library would add ten crates to every build, for what takes a few hundred lines here.

mod columns;
mod flatbuffer;
mod lz4;

use std::collections::HashMap;

use super::raw::{CarriedColumn, FEATURE_NAMES, RawTable, ReadOptions, no_column};
use crate::input::Input;
use crate::labels::Labels;
use crate::missing::ReadingNote;
use crate::{Error, Output, Result, ResultTable};
use columns::{Buffers, Field, Kind, Values};
use flatbuffer::Table;

const MAGIC: &[u8] = b"ARROW1";
/// What may be decompressed from a file of any size, and from each of its bytes.
const ALWAYS_ALLOWED: usize = 64 << 20;
const ALLOWED_PER_BYTE: usize = 256;

/// Reads features and, where there are columns for them, labels and ids.
pub(super) fn read(input: Input, options: ReadOptions) -> Result<RawTable> {
    let mut file = ArrowFile::open(input)?;
    let roles = Roles::new(&file, options)?;
    file.read(roles, options)
}

/// Results are not written in this format.
pub(super) fn write(_: &ResultTable, _: &Output) -> Result<()> {
    Err(no_output())
}

/// The error for results in this format.
pub(crate) fn no_output() -> Error {
    Error::NotBuilt {
        file: "writing Arrow files".into(),
        remedy: "write .parquet, which the same programs read, or another format",
    }
}

struct ArrowFile {
    input: Input,
    fields: Vec<Field>,
    dictionaries: HashMap<i64, Values>,
    batches: Vec<Block>,
    /// Bytes that may still be decompressed.
    left: usize,
}

/// The place of a batch.
#[derive(Debug, Clone, Copy)]
struct Block {
    start: u64,
    metadata: usize,
    body: usize,
}

impl ArrowFile {
    fn open(input: Input) -> Result<Self> {
        let length = input.length;
        let file = input.name.clone();
        let damaged = |reason: &str| Error::damaged(&file, reason);
        let bytes = |place: u64, count: usize| -> Result<Vec<u8>> {
            if count as u64 > length.saturating_sub(place) {
                return Err(damaged("it ends too early"));
            }
            let mut bytes = vec![0; count];
            input.read_exact_at(&mut bytes, place).map_err(|e| damaged(&e.to_string()))?;
            Ok(bytes)
        };
        let head = bytes(0, 6)?;
        if head != MAGIC {
            return Err(damaged(match &head[..4] {
                b"FEA1" => "it is Feather of version 1; write it with version 2",
                [0xff, 0xff, 0xff, 0xff] => {
                    "it is a stream of Arrow; write the file format instead"
                }
                _ => "it does not begin as a file of Arrow does",
            }));
        }
        let end = bytes(length.saturating_sub(10), 10)?;
        let footer = usize::try_from(i32::from_le_bytes([end[0], end[1], end[2], end[3]]))
            .unwrap_or(usize::MAX);
        if &end[4..] != MAGIC || footer as u64 > length - 10 {
            return Err(damaged("it has no footer, so it is cut off"));
        }
        let footer = bytes(length - 10 - footer as u64, footer)?;
        let root = Table::root(&footer).ok_or_else(|| damaged("its footer is damaged"))?;
        let schema = root.table(1).ok_or_else(|| damaged("it has no schema"))?;
        if schema.i16(0) == Some(1) {
            return Err(damaged(
                "its numbers have their highest byte first; write it on another machine",
            ));
        }
        let fields = schema.tables(1).enumerate().map(|(place, field)| {
            let unknown = || {
                let name = field.and_then(|field| field.text(0)).unwrap_or_default();
                damaged(&format!(
                    "column {place} ({name:?}) has a type that is not supported; leave it out"
                ))
            };
            field.and_then(Field::parse).ok_or_else(unknown)
        });
        let fields: Vec<Field> = fields.collect::<Result<_>>()?;
        let blocks = |number| -> Result<Vec<Block>> {
            let Some(vector) = root.vector(number, 24) else { return Ok(Vec::new()) };
            let block = |i| {
                Some(Block {
                    start: u64::try_from(vector.i64(i, 24, 0)?).ok()?,
                    metadata: usize::try_from(vector.i32(i, 24, 8)?).ok()?,
                    body: usize::try_from(vector.i64(i, 24, 16)?).ok()?,
                })
            };
            let blocks = (0..vector.len).map(block).collect::<Option<_>>();
            blocks.ok_or_else(|| damaged("its footer is damaged"))
        };
        let (dictionaries, batches) = (blocks(2)?, blocks(3)?);
        let size = usize::try_from(length).unwrap_or(usize::MAX);
        let left = size.saturating_mul(ALLOWED_PER_BYTE).saturating_add(ALWAYS_ALLOWED);
        let mut all = Self { input, fields, dictionaries: HashMap::new(), batches, left };
        for block in dictionaries {
            all.read_dictionary(block)?;
        }
        Ok(all)
    }

    fn damaged(&self, reason: &str) -> Error {
        Error::damaged(&self.input.name, reason)
    }

    /// The metadata of a message, and its body.
    fn message(&self, block: Block) -> Result<(Vec<u8>, Vec<u8>)> {
        let end = (block.metadata as u64).checked_add(block.body as u64);
        let end = end.and_then(|count| block.start.checked_add(count));
        if end.is_none_or(|end| end > self.input.length) {
            return Err(self.damaged("a batch lies beyond the end of the file"));
        }
        let (mut metadata, mut body) = (vec![0; block.metadata], vec![0; block.body]);
        let read = self.input.read_exact_at(&mut metadata, block.start);
        let read = read.and_then(|()| {
            self.input.read_exact_at(&mut body, block.start + block.metadata as u64)
        });
        read.map_err(|e| self.damaged(&e.to_string()))?;
        // The length, since Arrow 0.15 after a marker.
        let skip = if metadata.starts_with(&[0xff; 4]) { 8 } else { 4 };
        metadata.drain(..skip.min(metadata.len()));
        Ok((metadata, body))
    }

    fn read_dictionary(&mut self, block: Block) -> Result<()> {
        let (metadata, body) = self.message(block)?;
        let parsed =
            Table::root(&metadata).filter(|m| m.u8(1) == 2).and_then(|message| message.table(2));
        let parsed = parsed.and_then(|dictionary| Some((dictionary, dictionary.table(1)?)));
        let (dictionary, batch) = parsed.ok_or_else(|| self.damaged("a dictionary is damaged"))?;
        if dictionary.bool(2) {
            return Err(self.damaged(
                "a dictionary comes in parts, which is not supported; write the file again",
            ));
        }
        let id = dictionary.i64(0);
        let of_field = self.fields.iter().filter_map(|field| field.dictionary.as_ref());
        let Some(kind) = of_field.clone().find(|(of, _)| *of == id).map(|(_, kind)| kind.clone())
        else {
            return Ok(());
        };
        let mut buffers = self.buffers(batch, &body)?;
        let values =
            buffers.column(&kind).ok_or_else(|| self.damaged("a dictionary is damaged"))?;
        self.dictionaries.insert(id, values);
        Ok(())
    }

    /// The buffers of a batch, decompressed.
    fn buffers(&mut self, batch: Table, body: &[u8]) -> Result<Buffers> {
        let damaged = || Error::damaged(&self.input.name, "the buffers of a batch are damaged");
        let most = self.left;
        let length = |value: i64| usize::try_from(value).ok().filter(|&length| length <= most);
        let nodes = batch.vector(1, 16);
        let nodes = (0..nodes.map_or(0, |nodes| nodes.len)).map(|i| length(nodes?.i64(i, 16, 0)?));
        let lengths: Vec<usize> = nodes.collect::<Option<_>>().ok_or_else(damaged)?;
        let further = batch.vector(4, 8);
        let further = (0..further.map_or(0, |v| v.len)).map(|i| length(further?.i64(i, 8, 0)?));
        let further: Vec<usize> = further.collect::<Option<_>>().ok_or_else(damaged)?;
        let codec = batch.table(3).map(|compression| compression.u8(0));
        let places = batch.vector(2, 16);
        let mut buffers = Vec::new();
        for i in 0..places.map_or(0, |places| places.len) {
            let place = places.and_then(|places| {
                let start = usize::try_from(places.i64(i, 16, 0)?).ok()?;
                let length = usize::try_from(places.i64(i, 16, 8)?).ok()?;
                body.get(start..start.checked_add(length)?)
            });
            let buffer =
                decompressed(place.ok_or_else(damaged)?, codec, self.left).ok_or_else(damaged)?;
            self.left = self.left.checked_sub(buffer.len()).ok_or_else(damaged)?;
            buffers.push(buffer);
        }
        Ok(Buffers {
            lengths: lengths.into_iter(),
            buffers: buffers.into_iter(),
            further: further.into_iter(),
        })
    }

    /// All columns of a batch, and the number of its rows.
    fn batch(&mut self, block: Block) -> Result<(Vec<Values>, usize)> {
        let (metadata, body) = self.message(block)?;
        let batch =
            Table::root(&metadata).filter(|m| m.u8(1) == 3).and_then(|message| message.table(2));
        let batch = batch.ok_or_else(|| self.damaged("a batch of records is damaged"))?;
        let rows = usize::try_from(batch.i64(0)).unwrap_or(usize::MAX);
        let mut buffers = self.buffers(batch, &body)?;
        let mut columns = Vec::with_capacity(self.fields.len());
        for field in &self.fields {
            let values = buffers.column(&field.kind).and_then(|values| match &field.dictionary {
                Some((id, _)) => values.looked_up(self.dictionaries.get(id)?),
                None => Some(values),
            });
            let values = values.filter(|values| values.len().is_none_or(|length| length == rows));
            let name = &field.name;
            columns.push(
                values.ok_or_else(|| self.damaged(&format!("the column {name:?} is damaged")))?,
            );
        }
        Ok((columns, rows))
    }

    fn read(&mut self, roles: Roles, options: ReadOptions) -> Result<RawTable> {
        let name = |i: usize| self.fields[i].name.clone();
        let column = |&i: &usize| CarriedColumn { name: name(i), texts: Vec::new() };
        let mut raw = RawTable {
            carried: roles.carried.iter().map(column).collect(),
            columns: (!roles.lists).then(|| roles.features.iter().map(|&i| name(i)).collect()),
            all_columns: self.fields.iter().map(|field| field.name.clone()).collect(),
            notes: roles.notes.clone(),
            dims: if roles.lists { 0 } else { roles.features.len() },
            ..RawTable::default()
        };
        let (mut names, mut numbers) = (Vec::new(), Vec::new());
        let mut ids = roles.id.map(|_| Vec::new());
        for block in self.batches.clone() {
            let (mut columns, rows) = self.batch(block)?;
            if let Some(i) = roles.label {
                match std::mem::take(&mut columns[i]) {
                    Values::Texts(texts) => {
                        names.extend(texts.into_iter().map(Option::unwrap_or_default))
                    }
                    Values::Integers(v) => {
                        numbers.extend(v.iter().map(|v| v.map_or(f64::NAN, |v| v as f64)))
                    }
                    Values::Numbers(v) => numbers.extend(v.iter().map(|v| v.unwrap_or(f64::NAN))),
                    _ => return Err(self.not_usable(i, "labels must be numbers or text")),
                }
            }
            if let (Some(i), Some(ids)) = (roles.id, &mut ids) {
                for (row, id) in self.texts(i, &columns[i])?.into_iter().enumerate() {
                    ids.push(id.ok_or_else(|| self.missing(i, raw.rows + row))?);
                }
            }
            for (&i, carried) in roles.carried.iter().zip(&mut raw.carried) {
                carried.texts.extend(self.texts(i, &columns[i])?);
            }
            match roles.lists {
                true => self.append_lists(roles.features[0], &columns, &mut raw)?,
                false => self.append_columns(&roles.features, &columns, rows, &mut raw)?,
            }
            raw.rows += rows;
        }
        let file = &self.input.name;
        let labels = match roles.label {
            None => None,
            Some(_) if numbers.is_empty() => Some(Labels::from_names(names)),
            Some(_) => Some(Labels::from_numbers(numbers, file)?),
        };
        if options.labels_only {
            return Ok(RawTable::of_labels(labels, ids));
        }
        if raw.features.is_empty() {
            let (found, remedy) = ("no rows".into(), "write at least one row");
            return Err(Error::NoFeatures { file: file.clone(), found, remedy });
        }
        Ok(RawTable { labels, ids, ..raw })
    }

    /// Appends features that have a column each.
    fn append_columns(
        &self,
        features: &[usize],
        columns: &[Values],
        rows: usize,
        raw: &mut RawTable,
    ) -> Result<()> {
        let (start, dims) = (raw.features.len(), features.len());
        // Every column already has this number of values in memory.
        raw.features.resize(start + rows * dims, 0.0);
        for (place, &i) in features.iter().enumerate() {
            let value = |row: usize| match &columns[i] {
                Values::Integers(values) => values[row].map(|value| value as f32),
                Values::Numbers(values) => values[row].map(|value| value as f32),
                _ => None,
            };
            for row in 0..rows {
                let value = value(row).ok_or_else(|| self.missing(i, raw.rows + row))?;
                raw.features[start + row * dims + place] = value;
            }
        }
        Ok(())
    }

    /// Appends features that are lists.
    fn append_lists(&self, column: usize, columns: &[Values], raw: &mut RawTable) -> Result<()> {
        let Values::Lists(values, lengths) = &columns[column] else {
            return Err(self.not_usable(column, "lists of numbers are needed"));
        };
        for (row, length) in lengths.iter().enumerate() {
            let row = raw.rows + row;
            let length = length.ok_or_else(|| self.missing(column, row))?;
            if raw.dims == 0 {
                raw.dims = length;
            }
            if length != raw.dims || length == 0 {
                let reason = format!("row {row} has {length} features but row 0 has {}", raw.dims);
                return Err(self.damaged(&reason));
            }
        }
        for (place, value) in values.iter().enumerate() {
            let row = raw.rows + place.checked_div(raw.dims).unwrap_or(0);
            raw.features.push(value.ok_or_else(|| self.missing(column, row))?);
        }
        Ok(())
    }

    /// A column as texts.
    fn texts(&self, column: usize, values: &Values) -> Result<Vec<Option<String>>> {
        Ok(match values {
            Values::Texts(texts) => texts.clone(),
            Values::Integers(values) => values.iter().map(|v| v.map(|v| v.to_string())).collect(),
            Values::Numbers(values) => values.iter().map(|v| v.map(|v| v.to_string())).collect(),
            _ => return Err(self.not_usable(column, "numbers or text are needed")),
        })
    }

    fn missing(&self, column: usize, row: usize) -> Error {
        let (file, place) = (self.input.name.clone(), format!("row {row}"));
        Error::Missing { file, place, column: format!("{:?}", self.fields[column].name) }
    }

    fn not_usable(&self, column: usize, expected: &'static str) -> Error {
        let field = &self.fields[column];
        Error::Dtype {
            file: format!("{} (column {:?})", self.input.name, field.name),
            found: format!("{:?}", field.values()),
            expected,
        }
    }
}

/// A buffer, of which compressed ones begin with their length after decompression, −1 if they are not compressed.
fn decompressed(buffer: &[u8], codec: Option<u8>, most: usize) -> Option<Vec<u8>> {
    let Some(codec) = codec.filter(|_| !buffer.is_empty()) else { return Some(buffer.to_vec()) };
    let (length, data) = buffer.split_first_chunk()?;
    let length = i64::from_le_bytes(*length);
    if length == -1 {
        return Some(data.to_vec());
    }
    let length = usize::try_from(length).ok().filter(|&length| length <= most)?;
    match codec {
        0 => lz4::decompress(data, length),
        1 => unzstd(data, length),
        _ => None,
    }
}

#[cfg(feature = "parquet")]
fn unzstd(data: &[u8], length: usize) -> Option<Vec<u8>> {
    use std::io::Read;
    let mut out = Vec::new();
    let decoder = ruzstd::decoding::StreamingDecoder::new(data).ok()?;
    decoder.take(length as u64 + 1).read_to_end(&mut out).ok()?;
    (out.len() == length).then_some(out)
}

#[cfg(not(feature = "parquet"))]
fn unzstd(_: &[u8], _: usize) -> Option<Vec<u8>> {
    None
}

/// What each column is used for.
struct Roles {
    label: Option<usize>,
    id: Option<usize>,
    features: Vec<usize>,
    /// Whether the only feature column holds lists.
    lists: bool,
    carried: Vec<usize>,
    notes: Vec<ReadingNote>,
}

impl Roles {
    fn new(file: &ArrowFile, options: ReadOptions) -> Result<Self> {
        let (fields, name) = (&file.fields, &file.input.name);
        let names: Vec<String> = fields.iter().map(|field| field.name.clone()).collect();
        let (label, id) = (options.find_label(&names), options.find_id(&names));
        let mut notes: Vec<ReadingNote> =
            label.and_then(|i| options.label_note(&names[i])).into_iter().collect();
        if options.labels_only {
            return Ok(Self { label, id, features: vec![], lists: false, carried: vec![], notes });
        }
        if let (Some(wanted), None) = (options.id, id) {
            return Err(no_column(name, wanted, &names));
        }
        options.check_columns(&names, name)?;
        let is_number =
            |kind: &Kind| matches!(kind, Kind::Bool | Kind::Int { .. } | Kind::Float { .. });
        let numeric = |i: usize| is_number(fields[i].values());
        let is_list = |i: usize| match fields[i].values() {
            Kind::List { of, .. } | Kind::FixedList { of, .. } => is_number(of),
            _ => false,
        };
        let is_text = |i: usize| {
            matches!(fields[i].values(), Kind::Text { .. } | Kind::TextView | Kind::Date { .. })
        };
        let named = |i: usize| options.is_feature(&names[i]);
        let others: Vec<usize> = (0..fields.len())
            .filter(|&i| {
                Some(i) != label && Some(i) != id && !names[i].starts_with("__index_level_")
            })
            .collect();
        if let Some(&i) =
            others.iter().find(|&&i| named(i) == Some(true) && !numeric(i) && !is_list(i))
        {
            return Err(
                file.not_usable(i, "features must be numeric; name other columns of features")
            );
        }
        let to_carry = |i: usize| options.carry.is_some_and(|chosen| chosen.contains(&names[i]));
        let lists: Vec<usize> =
            others.iter().copied().filter(|&i| is_list(i) && named(i) != Some(false)).collect();
        let usual = FEATURE_NAMES.iter().find_map(|n| lists.iter().find(|&&i| names[i] == *n));
        let features: Vec<usize> = match (&lists[..], usual) {
            ([], _) => {
                let chosen = |i: usize| named(i).unwrap_or(!to_carry(i));
                others.iter().copied().filter(|&i| numeric(i) && chosen(i)).collect()
            }
            (&[only], _) => vec![only],
            (_, usual) => usual.copied().into_iter().collect(),
        };
        if features.is_empty() {
            return Err(Error::NoFeatures {
                file: name.clone(),
                found: format!("the columns {}", names.join(", ")),
                remedy: match lists.is_empty() {
                    true => "give numeric columns, or one column of lists called \"features\"",
                    false => {
                        "there are several columns of lists, so name one in the feature columns"
                    }
                },
            });
        }
        let carried = others.iter().copied().filter(|&i| {
            !features.contains(&i)
                && options.is_carried(&names[i])
                && (is_text(i) || (to_carry(i) && numeric(i)))
        });
        let carried: Vec<usize> = carried.collect();
        let texts: Vec<String> =
            others.iter().filter(|&&i| !numeric(i)).map(|&i| names[i].clone()).collect();
        if lists.is_empty()
            && !texts.is_empty()
            && options.carry.is_none()
            && options.features.is_none()
        {
            notes.push(ReadingNote::TextColumns(texts));
        }
        Ok(Self { label, id, features, lists: !lists.is_empty(), carried, notes })
    }
}
