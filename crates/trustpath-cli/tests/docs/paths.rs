//! Every file and folder of the repository that a guide names exists.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::files::{below, crates, read, repository};

/// The files and folders that a text names: words that begin with a folder of the repository, and code that is one word and ends
/// like a source or with a slash. `NAME` and `your_…` are files to be written.
fn named(text: &str) -> BTreeSet<&str> {
    let words =
        text.split(|c: char| c.is_whitespace() || "`()[]|,;:".contains(c)).map(|word| word.trim_end_matches('.'));
    let full =
        words.filter(|word| ["crates/", "docs/", "scripts/", "assets/"].iter().any(|start| word.starts_with(start)));
    let code = text.split("```").step_by(2).flat_map(|prose| prose.split('`').skip(1).step_by(2));
    let part = code.filter(|code| [".rs", ".py", ".md", ".toml", "/"].iter().any(|end| code.ends_with(end)));
    let is_path = |path: &&str| path.chars().all(|c| c.is_alphanumeric() || "/._-".contains(c));
    let paths =
        full.chain(part).filter(is_path).map(|path| path.split("NAME").next().unwrap_or_default().trim_matches('/'));
    paths.filter(|path| !path.is_empty() && !path.starts_with("your_")).collect()
}

#[test]
fn every_file_that_the_guides_name_exists() {
    let repository = repository();
    let all: Vec<String> = below(&repository).iter().map(|path| format!("/{}", path.display())).collect();
    let mut guides: Vec<PathBuf> = ["ARCHITECTURE.md", "CONTRIBUTING.md", "README.md"].map(PathBuf::from).into();
    let pages = crates().into_keys().map(|name| Path::new("crates").join(name).join("README.md"));
    guides.extend(pages.filter(|page| repository.join(page).is_file()));
    let mut missing = Vec::new();
    for guide in guides {
        let guide = guide.to_str().unwrap();
        let text = read(guide);
        let gone = named(&text).into_iter().filter(|name| !all.iter().any(|path| path.ends_with(&format!("/{name}"))));
        missing.extend(gone.map(|name| format!("{guide}: {name}")));
    }
    assert!(missing.is_empty(), "{}", missing.join("\n"));
}
