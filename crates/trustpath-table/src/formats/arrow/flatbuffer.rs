//! The serialisation of Arrow's metadata (FlatBuffers), as far as it is needed.
//!
//! A table begins with the signed distance back to its vtable, which has the place of each field relative to the table, 0
//! where a field has its default. Strings, vectors and tables are referred to by their distance. Nothing is trusted: every
//! access is checked, and whatever lies outside the bytes is absent.

/// A table in some bytes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Table<'a> {
    bytes: &'a [u8],
    place: usize,
}

/// A vector in some bytes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Vector<'a> {
    bytes: &'a [u8],
    /// Where its first element begins.
    first: usize,
    pub len: usize,
}

fn array<const N: usize>(bytes: &[u8], place: usize) -> Option<[u8; N]> {
    bytes.get(place..)?.first_chunk().copied()
}

/// Follows the reference at `place`.
fn follow(bytes: &[u8], place: usize) -> Option<usize> {
    let distance = u32::from_le_bytes(array(bytes, place)?);
    place.checked_add(usize::try_from(distance).ok()?)
}

impl<'a> Table<'a> {
    /// The outermost table.
    pub fn root(bytes: &'a [u8]) -> Option<Self> {
        Some(Self { bytes, place: follow(bytes, 0)? })
    }

    /// Where a field is; none if it has its default.
    fn field(&self, number: usize) -> Option<usize> {
        let back = i64::from(i32::from_le_bytes(array(self.bytes, self.place)?));
        let vtable = usize::try_from(i64::try_from(self.place).ok()?.checked_sub(back)?).ok()?;
        let length = usize::from(u16::from_le_bytes(array(self.bytes, vtable)?));
        let entry = 4 + 2 * number;
        if entry + 2 > length {
            return None;
        }
        match u16::from_le_bytes(array(self.bytes, vtable.checked_add(entry)?)?) {
            0 => None,
            distance => self.place.checked_add(distance.into()),
        }
    }

    fn value<const N: usize>(&self, number: usize) -> Option<[u8; N]> {
        array(self.bytes, self.field(number)?)
    }

    pub fn bool(&self, number: usize) -> bool {
        self.value(number) == Some([1])
    }

    pub fn u8(&self, number: usize) -> u8 {
        self.value(number).map_or(0, u8::from_le_bytes)
    }

    pub fn i16(&self, number: usize) -> Option<i16> {
        self.value(number).map(i16::from_le_bytes)
    }

    pub fn i32(&self, number: usize) -> i32 {
        self.value(number).map_or(0, i32::from_le_bytes)
    }

    pub fn i64(&self, number: usize) -> i64 {
        self.value(number).map_or(0, i64::from_le_bytes)
    }

    pub fn table(&self, number: usize) -> Option<Self> {
        Some(Self { bytes: self.bytes, place: follow(self.bytes, self.field(number)?)? })
    }

    /// A vector of elements of `width` bytes each.
    pub fn vector(&self, number: usize, width: usize) -> Option<Vector<'a>> {
        let place = follow(self.bytes, self.field(number)?)?;
        let len = usize::try_from(u32::from_le_bytes(array(self.bytes, place)?)).ok()?;
        let first = place.checked_add(4)?;
        let end = len.checked_mul(width)?.checked_add(first)?;
        (end <= self.bytes.len()).then_some(Vector { bytes: self.bytes, first, len })
    }

    pub fn text(&self, number: usize) -> Option<&'a str> {
        let text = self.vector(number, 1)?;
        std::str::from_utf8(self.bytes.get(text.first..text.first + text.len)?).ok()
    }

    /// The tables of a vector.
    pub fn tables(&self, number: usize) -> impl Iterator<Item = Option<Self>> {
        let vector = self.vector(number, 4);
        (0..vector.map_or(0, |vector| vector.len)).map(move |i| {
            let vector = vector?;
            Some(Self { bytes: vector.bytes, place: follow(vector.bytes, vector.first + 4 * i)? })
        })
    }
}

impl Vector<'_> {
    /// The number at byte `at` of element `i`, whose elements have `width` bytes.
    pub fn i64(&self, i: usize, width: usize, at: usize) -> Option<i64> {
        array(self.bytes, self.first + i * width + at).map(i64::from_le_bytes)
    }

    pub fn i32(&self, i: usize, width: usize, at: usize) -> Option<i32> {
        array(self.bytes, self.first + i * width + at).map(i32::from_le_bytes)
    }
}
