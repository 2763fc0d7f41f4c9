//! What was found about one's own data, in words and as a page.
//!
//! [`label`] tells of a [`Labelling`](trustpath::label::Labelling), [`audit`] of an [`Audit`](trustpath::Audit): the
//! reason for every verdict, a summary, and the page that shows them all. The command and the Python package say the
//! same because both say it from here.

pub mod audit;
mod drawing;
pub mod label;

/// What is told about: instances by name, and classes by name. Everything but the features.
#[derive(Debug, Clone, Copy)]
pub struct About<'a> {
    /// Where the features come from.
    pub source: &'a str,
    /// How many features an instance has.
    pub dims: usize,
    /// What each instance is called.
    pub ids: &'a [String],
    /// The class of each instance that has a label.
    pub labels: &'a [Option<usize>],
    /// What each class is called.
    pub classes: &'a [String],
}

/// A number of things.
pub fn count(number: usize, one: &str, many: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_agree_with_their_nouns() {
        assert_eq!(count(1, "way", "ways"), "1 way");
        assert_eq!(count(2, "way", "ways"), "2 ways");
    }
}
