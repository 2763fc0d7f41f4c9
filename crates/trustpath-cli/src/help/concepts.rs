//! The concepts, one file each.

pub struct Concept {
    pub name: &'static str,
    /// Its text, with the title `# name: summary` first.
    pub text: &'static str,
}

impl Concept {
    /// The rest of the title.
    pub fn summary(&self) -> &'static str {
        let title = self.text.lines().next().unwrap_or_default();
        title.split_once(": ").map_or(title, |(_, summary)| summary)
    }
}

macro_rules! concepts {
    ($($name:literal)*) => {
        &[$(Concept { name: $name, text: include_str!(concat!($name, ".md")) }),*]
    };
}

/// All concepts, in reading order.
pub const CONCEPTS: &[Concept] = concepts! {
    "credibility" "path" "rounds" "verdict" "precision" "none-of-these" "suggest" "audit"
    "reductions" "classifiers" "models" "labels" "formats" "episodes" "exit-codes"
};
