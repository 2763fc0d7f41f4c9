//! The columns of a batch of records: which types there are, and what their buffers hold.

use super::flatbuffer::Table;
use crate::formats::dates::DateUnit;
use crate::scalar::f16_to_f32;

/// The type of a column.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Kind {
    Null,
    Bool,
    Int {
        bytes: usize,
        signed: bool,
    },
    Float {
        bytes: usize,
    },
    Date {
        bytes: usize,
        unit: DateUnit,
    },
    Text {
        large: bool,
    },
    TextView,
    List {
        large: bool,
        of: Box<Kind>,
    },
    FixedList {
        length: usize,
        of: Box<Kind>,
    },
    /// Anything else, of which only the number of buffers is known.
    Other {
        buffers: usize,
        of: Vec<Kind>,
    },
}

/// A column of the schema.
#[derive(Debug, Clone)]
pub(super) struct Field {
    pub name: String,
    pub kind: Kind,
    /// For a column of numbers that stand for the values of a dictionary: which, and the type of its values.
    pub dictionary: Option<(i64, Kind)>,
}

/// The longest column without any value, and the longest of empty lists.
const MOST_NULLS: usize = 1 << 24;
/// The deepest nesting of types.
const DEEPEST: usize = 8;

impl Field {
    /// Reads a field of the schema; none if its type is unknown.
    pub fn parse(field: Table) -> Option<Self> {
        let name = field.text(0).unwrap_or_default().to_owned();
        let kind = kind(field, 0)?;
        let Some(encoding) = field.table(4) else {
            return Some(Self { name, kind, dictionary: None });
        };
        let index = match encoding.table(1) {
            Some(index) => int(index)?,
            None => Kind::Int { bytes: 4, signed: true },
        };
        Some(Self { name, kind: index, dictionary: Some((encoding.i64(0), kind)) })
    }

    /// The type of its values.
    pub fn values(&self) -> &Kind {
        self.dictionary.as_ref().map_or(&self.kind, |(_, kind)| kind)
    }
}

fn int(table: Table) -> Option<Kind> {
    let bytes = usize::try_from(table.i32(0)).ok()? / 8;
    [1, 2, 4, 8].contains(&bytes).then_some(Kind::Int { bytes, signed: table.bool(1) })
}

fn kind(field: Table, depth: usize) -> Option<Kind> {
    if depth > DEEPEST {
        return None;
    }
    let of = || field.tables(5).map(|child| kind(child?, depth + 1)).collect::<Option<Vec<Kind>>>();
    let only = || of()?.pop().map(Box::new);
    let about = field.table(3);
    let unit = |number: Option<i16>, otherwise: i16| number.unwrap_or(otherwise);
    Some(match field.u8(2) {
        1 => Kind::Null,
        2 => int(about?)?,
        3 => Kind::Float { bytes: 2 << about?.i16(0).unwrap_or(0).clamp(0, 2) },
        5 => Kind::Text { large: false },
        20 => Kind::Text { large: true },
        24 => Kind::TextView,
        6 => Kind::Bool,
        8 => match unit(about?.i16(0), 1) {
            0 => Kind::Date { bytes: 4, unit: DateUnit::Days },
            _ => {
                Kind::Date { bytes: 8, unit: DateUnit::Fractions { per_second: 1_000, utc: false } }
            }
        },
        10 => {
            let per_second = 1_000i64.pow(unit(about?.i16(0), 0).clamp(0, 3) as u32);
            let utc = about?.text(1).is_some();
            Kind::Date { bytes: 8, unit: DateUnit::Fractions { per_second, utc } }
        }
        12 => Kind::List { large: false, of: only()? },
        21 => Kind::List { large: true, of: only()? },
        16 => Kind::FixedList { length: usize::try_from(about?.i32(0)).ok()?, of: only()? },
        // Decimals, times, intervals, fixed binaries and durations have one buffer of values.
        7 | 9 | 11 | 15 | 18 => Kind::Other { buffers: 2, of: Vec::new() },
        4 | 19 => Kind::Other { buffers: 3, of: Vec::new() },
        13 => Kind::Other { buffers: 1, of: of()? },
        17 => Kind::Other { buffers: 2, of: of()? },
        _ => return None,
    })
}

/// The values of a column in one batch.
#[derive(Debug, Clone, Default)]
pub(super) enum Values {
    Integers(Vec<Option<i128>>),
    Numbers(Vec<Option<f64>>),
    Texts(Vec<Option<String>>),
    /// Lists of numbers, one after another, and the length of each; a list that is null has none.
    Lists(Vec<Option<f32>>, Vec<Option<usize>>),
    #[default]
    Other,
}

/// The buffers of a batch, in the order of its columns.
pub(super) struct Buffers {
    /// The number of values of each column, children after their parents.
    pub lengths: std::vec::IntoIter<usize>,
    pub buffers: std::vec::IntoIter<Vec<u8>>,
    /// The number of further buffers of each column of views.
    pub further: std::vec::IntoIter<usize>,
}

impl Buffers {
    /// The values of the next column; none if they do not fit its type.
    pub fn column(&mut self, kind: &Kind) -> Option<Values> {
        let length = self.lengths.next()?;
        if *kind == Kind::Null {
            // Nothing is stored, so that a few bytes could claim any length.
            return (length <= MOST_NULLS).then(|| Values::Texts(vec![None; length]));
        }
        let present = self.buffers.next()?;
        let is_present = |i: usize| present.is_empty() || bit(&present, i).unwrap_or(false);
        Some(match kind {
            Kind::Null => Values::Other,
            Kind::Bool => {
                let bits = self.buffers.next()?;
                let value = |i| Some(is_present(i).then_some(f64::from(u8::from(bit(&bits, i)?))));
                Values::Numbers((0..length).map(value).collect::<Option<_>>()?)
            }
            Kind::Int { bytes, signed } => {
                let data = self.numbers(*bytes, length)?;
                let number =
                    |(i, bytes): (usize, &[u8])| is_present(i).then(|| integer(bytes, *signed));
                Values::Integers(
                    data.chunks_exact(*bytes).take(length).enumerate().map(number).collect(),
                )
            }
            Kind::Float { bytes } => {
                let data = self.numbers(*bytes, length)?;
                let number = |(i, bytes): (usize, &[u8])| is_present(i).then(|| float(bytes));
                Values::Numbers(
                    data.chunks_exact(*bytes).take(length).enumerate().map(number).collect(),
                )
            }
            Kind::Date { bytes, unit } => {
                let data = self.numbers(*bytes, length)?;
                let text = |(i, bytes): (usize, &[u8])| {
                    is_present(i).then(|| unit.text(integer(bytes, true) as i64))
                };
                Values::Texts(
                    data.chunks_exact(*bytes).take(length).enumerate().map(text).collect(),
                )
            }
            Kind::Text { large } => {
                let (offsets, data) = (self.buffers.next()?, self.buffers.next()?);
                let text = |i: usize| match is_present(i) {
                    true => {
                        let (start, end) =
                            (offset(&offsets, i, *large)?, offset(&offsets, i + 1, *large)?);
                        Some(Some(String::from_utf8_lossy(data.get(start..end)?).into_owned()))
                    }
                    false => Some(None),
                };
                Values::Texts((0..length).map(text).collect::<Option<_>>()?)
            }
            Kind::TextView => {
                let views = self.numbers(16, length)?;
                let further = self.further.next()?;
                let data: Vec<Vec<u8>> = self.buffers.by_ref().take(further).collect();
                let text = |(i, view): (usize, &[u8])| match is_present(i) {
                    true => Some(Some(String::from_utf8_lossy(viewed(view, &data)?).into_owned())),
                    false => Some(None),
                };
                let views = views.chunks_exact(16).take(length).enumerate();
                Values::Texts(views.map(text).collect::<Option<_>>()?)
            }
            Kind::List { large, of } => {
                let offsets = self.buffers.next()?;
                let values = self.column(of)?.into_f32();
                let mut lengths = Vec::with_capacity(length.min(offsets.len()));
                let mut kept = Vec::new();
                for i in 0..length {
                    let (start, end) =
                        (offset(&offsets, i, *large)?, offset(&offsets, i + 1, *large)?);
                    if let (Some(values), true) = (&values, is_present(i)) {
                        kept.extend_from_slice(values.get(start..end)?);
                    }
                    lengths.push(is_present(i).then_some(end.checked_sub(start)?));
                }
                values.map_or(Values::Other, |_| Values::Lists(kept, lengths))
            }
            Kind::FixedList { length: each, of } => {
                let values = self.column(of)?.into_f32();
                if *each == 0 && length > MOST_NULLS {
                    return None;
                }
                let lengths = (0..length).map(|i| is_present(i).then_some(*each));
                match values {
                    Some(values) => {
                        if values.len() < length.checked_mul(*each)? {
                            return None;
                        }
                        let rows = (0..length).filter(|&i| is_present(i));
                        let kept =
                            rows.flat_map(|i| &values[i * each..][..*each]).copied().collect();
                        Values::Lists(kept, lengths.collect())
                    }
                    None => Values::Other,
                }
            }
            Kind::Other { buffers, of } => {
                for _ in 1..*buffers {
                    self.buffers.next()?;
                }
                for kind in of {
                    self.column(kind)?;
                }
                Values::Other
            }
        })
    }

    /// The next buffer, which holds this number of values.
    fn numbers(&mut self, bytes: usize, length: usize) -> Option<Vec<u8>> {
        self.buffers
            .next()
            .filter(|data| length.checked_mul(bytes).is_some_and(|all| all <= data.len()))
    }
}

impl Values {
    fn into_f32(self) -> Option<Vec<Option<f32>>> {
        match self {
            Self::Integers(values) => {
                Some(values.into_iter().map(|v| v.map(|v| v as f32)).collect())
            }
            Self::Numbers(values) => {
                Some(values.into_iter().map(|v| v.map(|v| v as f32)).collect())
            }
            _ => None,
        }
    }

    /// How many there are, if that is known.
    pub fn len(&self) -> Option<usize> {
        match self {
            Self::Integers(values) => Some(values.len()),
            Self::Numbers(values) => Some(values.len()),
            Self::Texts(values) => Some(values.len()),
            Self::Lists(_, lengths) => Some(lengths.len()),
            Self::Other => None,
        }
    }

    /// The values that numbers stand for.
    pub fn looked_up(self, dictionary: &Self) -> Option<Self> {
        let Self::Integers(places) = self else { return None };
        fn find<T: Clone>(values: &[Option<T>], place: Option<i128>) -> Option<Option<T>> {
            match place {
                Some(place) => values.get(usize::try_from(place).ok()?).cloned(),
                None => Some(None),
            }
        }
        let places = places.into_iter();
        Some(match dictionary {
            Self::Integers(v) => Self::Integers(places.map(|i| find(v, i)).collect::<Option<_>>()?),
            Self::Numbers(v) => Self::Numbers(places.map(|i| find(v, i)).collect::<Option<_>>()?),
            Self::Texts(v) => Self::Texts(places.map(|i| find(v, i)).collect::<Option<_>>()?),
            _ => return None,
        })
    }
}

fn bit(bits: &[u8], i: usize) -> Option<bool> {
    bits.get(i / 8).map(|byte| byte >> (i % 8) & 1 == 1)
}

fn integer(bytes: &[u8], signed: bool) -> i128 {
    let mut wide = [if signed && bytes[bytes.len() - 1] >= 0x80 { 0xff } else { 0 }; 16];
    wide[..bytes.len()].copy_from_slice(bytes);
    i128::from_le_bytes(wide)
}

fn float(bytes: &[u8]) -> f64 {
    match *bytes {
        [a, b] => f16_to_f32(u16::from_le_bytes([a, b])).into(),
        [a, b, c, d] => f32::from_le_bytes([a, b, c, d]).into(),
        [a, b, c, d, e, f, g, h] => f64::from_le_bytes([a, b, c, d, e, f, g, h]),
        _ => f64::NAN,
    }
}

fn offset(offsets: &[u8], i: usize, large: bool) -> Option<usize> {
    match large {
        true => usize::try_from(i64::from_le_bytes(*offsets.get(8 * i..)?.first_chunk()?)).ok(),
        false => usize::try_from(i32::from_le_bytes(*offsets.get(4 * i..)?.first_chunk()?)).ok(),
    }
}

/// A text of up to twelve bytes is in its view; of a longer one, the view has the buffer and the place.
fn viewed<'a>(view: &'a [u8], data: &'a [Vec<u8>]) -> Option<&'a [u8]> {
    let number = |at: usize| {
        let bytes = *view.get(at..)?.first_chunk()?;
        usize::try_from(i32::from_le_bytes(bytes)).ok()
    };
    let length = number(0)?;
    match length <= 12 {
        true => view.get(4..4 + length),
        false => {
            let start = number(12)?;
            data.get(number(8)?)?.get(start..start.checked_add(length)?)
        }
    }
}
