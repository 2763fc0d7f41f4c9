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

/// All concepts, in reading order.
pub const CONCEPTS: &[Concept] = &[
    Concept { name: "credibility", text: include_str!("credibility.md") },
    Concept { name: "path", text: include_str!("path.md") },
    Concept { name: "rounds", text: include_str!("rounds.md") },
    Concept { name: "verdict", text: include_str!("verdict.md") },
    Concept { name: "precision", text: include_str!("precision.md") },
    Concept { name: "none-of-these", text: include_str!("none-of-these.md") },
    Concept { name: "suggest", text: include_str!("suggest.md") },
    Concept { name: "audit", text: include_str!("audit.md") },
    Concept { name: "reductions", text: include_str!("reductions.md") },
    Concept { name: "classifiers", text: include_str!("classifiers.md") },
    Concept { name: "models", text: include_str!("models.md") },
    Concept { name: "labels", text: include_str!("labels.md") },
    Concept { name: "formats", text: include_str!("formats.md") },
    Concept { name: "episodes", text: include_str!("episodes.md") },
    Concept { name: "exit-codes", text: include_str!("exit-codes.md") },
];
