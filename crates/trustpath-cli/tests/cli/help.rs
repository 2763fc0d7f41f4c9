//! Help, completions and manual pages.

use super::*;

#[test]
fn help_explains_commands_and_concepts() {
    contains(&stdout("help"), &["Commands:", "bench", "Concepts", "credibility", "none-of-these"]);
    assert_eq!(stdout("help bench"), stdout("bench --help"));
    let concept = stdout("help credibility");
    assert!(concept.starts_with("credibility: ") && concept.contains("vanishing"));
    assert!(concept.lines().all(|line| line.chars().count() <= 100));
    refused("help benhc", 2, &["\"benhc\""]);
}

#[test]
fn every_shell_is_completed() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        contains(&stdout(&format!("completions {shell}")), &["trustpath", "label-column"]);
    }
    trustpath("completions tcsh").assert().code(2);
}

#[test]
fn manual_pages_are_printed_or_written() {
    assert!(stdout("man").contains(".TH trustpath 1"));
    let folder = CommandFolder::new();
    assert!(folder.prints("man --out .").is_empty());
    let pages = folder.names();
    for name in ["trustpath", "trustpath-bench", "trustpath-check", "trustpath-data-check"] {
        assert!(pages.contains(&format!("{name}.1")), "{name}: {pages:?}");
    }
    for page in &pages {
        contains(&folder.read(page), &[&format!(".TH {}", page.trim_end_matches(".1")), ".SH"]);
    }
    folder.command(&format!("man --out {}", pages[0])).assert().code(1);
}
