//! Sizes beyond which a text is refused instead of filling the memory.

/// Bytes of a line of text, at most.
pub(crate) const LONGEST_LINE: u64 = 32 << 20;
/// Columns of a table of text, at most.
pub(crate) const MOST_COLUMNS: usize = 1 << 20;
/// Bytes of a text that is held in memory as a whole, at most.
pub(crate) const LARGEST_TEXT: u64 = 1 << 30;
