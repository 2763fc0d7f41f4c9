//! Help, completions and manual pages.

use super::*;

#[test]
fn help_explains_commands_and_concepts() {
    let all = stdout(&["help"]);
    for part in ["Commands:", "bench", "Concepts", "credibility", "none-of-these"] {
        assert!(all.contains(part), "{part}: {all}");
    }
    assert_eq!(stdout(&["help", "bench"]), stdout(&["bench", "--help"]));
    let concept = stdout(&["help", "credibility"]);
    assert!(concept.starts_with("credibility: ") && concept.contains("vanishing"));
    assert!(concept.lines().all(|line| line.chars().count() <= 100));
    fails(trustpath().args(["help", "benhc"]), 2, &["\"benhc\""]);
}

#[test]
fn every_shell_is_completed() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = stdout(&["completions", shell]);
        assert!(script.contains("trustpath") && script.contains("label-column"), "{shell}");
    }
    trustpath().args(["completions", "tcsh"]).assert().code(2);
}

#[test]
fn manual_pages_are_printed_or_written() {
    assert!(stdout(&["man"]).contains(".TH trustpath 1"));
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("man1");
    assert!(stdout(&["man", "--out", &text(&out)]).is_empty());
    let pages = fs::read_dir(&out).unwrap().map(|page| page.unwrap().file_name().into_string());
    let pages: Vec<String> = pages.map(Result::unwrap).collect();
    for name in ["trustpath", "trustpath-bench", "trustpath-check", "trustpath-data-check"] {
        assert!(pages.contains(&format!("{name}.1")), "{name}: {pages:?}");
    }
    for page in pages {
        let roff = fs::read_to_string(out.join(&page)).unwrap();
        assert!(roff.contains(&format!(".TH {}", page.trim_end_matches(".1"))), "{page}: {roff}");
        assert!(roff.contains(".SH"), "{page}");
    }
    let file = folder.path().join("file");
    fs::write(&file, b"").unwrap();
    trustpath().args(["man", "--out", &text(&file)]).assert().code(1);
}
