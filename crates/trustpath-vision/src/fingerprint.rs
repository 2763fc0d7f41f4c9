//! A number that tells whether two things are the same, for files that are continued later.

/// FNV-1a of 64 bits, with a rotation after each number. Files keep its values, so it must not change.
///
/// ```
/// use trustpath_vision::fingerprint::Fingerprint;
///
/// let of = |parts: &[&str]| parts.iter().fold(&mut Fingerprint::new(), Fingerprint::add).get();
/// assert_ne!(of(&["ab", "c"]), of(&["a", "bc"]));
/// assert_ne!(of(&["a"]), of(&["a", ""]));
/// assert_eq!(of(&["ab", "c"]), 0x2634_27f3_942a_2a5c);
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Fingerprint(u64);

impl Default for Fingerprint {
    fn default() -> Self {
        Self::new()
    }
}

impl Fingerprint {
    /// Of nothing yet.
    pub fn new() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }

    /// Adds bytes, and that they end here.
    pub fn add(&mut self, bytes: impl AsRef<[u8]>) -> &mut Self {
        for &byte in bytes.as_ref() {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
        }
        self.number(bytes.as_ref().len() as u64)
    }

    /// Adds a number at once.
    pub fn number(&mut self, number: u64) -> &mut Self {
        self.0 = (self.0 ^ number).wrapping_mul(0x100_0000_01b3).rotate_left(23);
        self
    }

    /// Adds numbers one after another.
    pub fn numbers(&mut self, numbers: impl IntoIterator<Item = u64>) -> &mut Self {
        numbers.into_iter().fold(self, Self::number)
    }

    /// The number of all that was added.
    pub fn get(&self) -> u64 {
        self.0
    }
}
