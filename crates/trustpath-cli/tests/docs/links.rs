//! Links between Markdown files: every file and every heading that is named exists.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// The files of a folder and of those below it whose names have this ending, sorted.
pub fn files(folder: &Path, ending: &str) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|other| other == ending) {
                files.push(path);
            }
        }
    }
    files.sort();
    files
}

/// The targets of the links and images of a text, without those in code.
pub fn targets(text: &str) -> Vec<String> {
    let mut targets = Vec::new();
    for line in prose(text) {
        // Every second part is code.
        let parts: Vec<&str> = line.split('`').collect();
        let line = match parts.len() % 2 {
            1 => parts.iter().step_by(2).copied().collect::<Vec<_>>().join("code"),
            _ => line.to_owned(),
        };
        for (start, end) in [("](", ')'), ("src=\"", '"'), ("href=\"", '"')] {
            let rests = line.split(start).skip(1);
            targets.extend(rests.filter_map(|rest| rest.split(end).next()).map(str::to_owned));
        }
    }
    targets
}

/// The anchors of the headings, as GitHub and mdBook make them: lower case, spaces as hyphens, no punctuation.
pub fn anchors(text: &str) -> BTreeSet<String> {
    let headings = prose(text).filter(|line| line.starts_with('#'));
    let anchor = |line: &str| {
        let title = line.trim_start_matches('#').trim().to_lowercase();
        title.chars().filter(|c| c.is_alphanumeric() || " -_".contains(*c)).collect::<String>().replace(' ', "-")
    };
    headings.map(anchor).collect()
}

/// The lines outside blocks of code.
fn prose(text: &str) -> impl Iterator<Item = &str> {
    let mut fence = false;
    text.lines().filter(move |line| {
        let edge = line.trim_start().starts_with("```");
        fence ^= edge;
        !fence && !edge
    })
}

/// What is wrong with the links of a file.
pub fn problems(page: &Path) -> Vec<String> {
    let text = fs::read_to_string(page).unwrap();
    let mut problems = Vec::new();
    for target in targets(&text) {
        if target.contains("://") || target.starts_with("mailto:") || target.starts_with("data:") {
            continue;
        }
        let (file, anchor) = target.split_once('#').unwrap_or((&target, ""));
        let path = if file.is_empty() { page.to_owned() } else { page.parent().unwrap().join(file) };
        let has_anchor = || anchors(&fs::read_to_string(&path).unwrap_or_default()).contains(anchor);
        if !path.exists() || !(anchor.is_empty() || has_anchor()) {
            problems.push(format!("{}: {target}", page.display()));
        }
    }
    problems
}

#[test]
fn links_and_anchors_are_found_outside_code() {
    let text = "# A `b`, c\n[x](a.md#b) `[y](c.md)`\n```\n[z](d.md)\n# no\n```\n<img src=\"e.svg\"> ![i](f.png)\n";
    assert_eq!(targets(text), ["a.md#b", "f.png", "e.svg"]);
    assert_eq!(anchors(text), BTreeSet::from(["a-b-c".to_owned()]));
}

#[test]
fn a_broken_link_is_a_problem() {
    let folder = tempfile::tempdir().unwrap();
    let page = folder.path().join("a.md");
    fs::write(&page, "# One\n[a](#one) [b](#two) [c](a.md) [d](b.md) [e](https://x.y/z)\n").unwrap();
    let problems = problems(&page);
    assert!(problems.len() == 2 && problems[0].ends_with("#two") && problems[1].ends_with("b.md"), "{problems:?}");
}
