//! A type has one name, and a name means one type.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use super::files::{read, repository, sources};

/// The type that a line defines; an alias only where it is not indented, since traits have others.
fn defined(line: &str) -> Option<&str> {
    let text = line.trim_start();
    let item = if text.starts_with("pub") { text.split_once(' ')?.1 } else { text };
    let (kind, rest) = item.split_once(' ')?;
    let is_type = ["struct", "enum", "trait"].contains(&kind) || (kind == "type" && text == line);
    let name = rest.split(|c: char| !c.is_alphanumeric()).next()?;
    (is_type && name.starts_with(char::is_uppercase)).then_some(name)
}

/// The files that define each type, outside the Python package, whose classes are named like what they wrap.
fn types() -> BTreeMap<String, BTreeSet<String>> {
    let folder = repository().join("crates");
    let mut types: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for path in sources(&folder) {
        let file = path.strip_prefix(&folder).unwrap().display().to_string();
        let source =
            if file.starts_with("trustpath-python/") { String::new() } else { fs::read_to_string(path).unwrap() };
        for name in source.lines().filter_map(defined) {
            types.entry(name.to_owned()).or_default().insert(file.clone());
        }
    }
    types
}

#[test]
fn types_that_the_guides_name_exist() {
    let types = types();
    for page in ["ARCHITECTURE.md", "CONTRIBUTING.md"] {
        let text = read(page);
        let code = text.split("```").step_by(2).flat_map(|prose| prose.split('`').skip(1).step_by(2));
        let words = code.flat_map(|code| code.strip_prefix("impl ").unwrap_or(code).split("::").next());
        let is_type = |word: &&str| {
            let inner = word.chars().all(char::is_alphanumeric) && word.contains(char::is_lowercase);
            inner && word.starts_with(char::is_uppercase) && *word != "Default"
        };
        let missing: BTreeSet<&str> = words.filter(is_type).filter(|word| !types.contains_key(*word)).collect();
        assert!(missing.is_empty(), "{page} names types that are not defined: {missing:?}");
    }
}

#[test]
fn no_name_means_two_types() {
    // Those that every crate, command or README has.
    let common = ["Error", "Result", "Args", "Readme"];
    let twice = types().into_iter().filter(|(name, files)| files.len() > 1 && !common.contains(&name.as_str()));
    let twice: Vec<String> = twice.map(|(name, files)| format!("{name}: {files:?}")).collect();
    assert!(twice.is_empty(), "{}", twice.join("\n"));
}
