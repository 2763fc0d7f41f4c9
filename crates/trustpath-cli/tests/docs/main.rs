//! Every command in the README, the tutorials and the help is run, and prints what is shown; every link leads somewhere.
//!
//! A command of a page stands in a code block after `$ `, and what it prints follows. A line `…` stands for any
//! lines, and times, speeds and memory are not compared. If the output has changed on purpose,
//!
//! ```sh
//! TRUSTPATH_UPDATE_DOCS=1 cargo test -p trustpath-cli --test docs
//! ```
//!
//! writes the new one into the page.

mod choices;
mod data;
mod files;
mod links;
mod names;
mod packages;
mod paths;
mod readme;
mod structure;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use assert_cmd::Command;

use files::repository;

/// Commands that cannot be run here, and why: any command that contains one of these.
const NOT_RUN: [(&str, &str); 9] = [
    ("trustpath train", "training needs libtorch"),
    ("CUB_200_2011.tgz", "a dataset that is not part of the project"),
    ("downloads/", "a dataset that is not part of the project"),
    ("S2M2.pth.tar", "published weights that are not part of the project"),
    (".onnx", "needs the library of onnxruntime"),
    ("cifar/", "a dataset that is not part of the project"),
    ("~/", "would write into the home folder"),
    ("features cifar-fs=novel.npy", "features of a dataset that is not part of the project"),
    ("label photos ", "images that are not part of the project; the test of the help labels others"),
];

/// Why a command is not run, if it is not.
fn not_run(command: &str) -> Option<&'static str> {
    NOT_RUN.iter().find(|(part, _)| command.contains(part)).map(|(_, why)| *why)
}

/// A shell command in a folder, with the binary first on its path.
fn shell(folder: &Path, command: &str) -> std::process::Output {
    let binary = Path::new(assert_cmd::cargo::cargo_bin!("trustpath"));
    let path = format!("{}:{}", binary.parent().unwrap().display(), std::env::var("PATH").unwrap());
    let script = format!("set -o pipefail; {command}");
    let mut run = Command::new("bash");
    run.args(["-c", &script]).current_dir(folder).env("PATH", path);
    // Weights that happen to be installed must not change what is printed.
    run.env_remove("VIRTUAL_ENV").env_remove("CONDA_PREFIX");
    run.output().unwrap()
}

/// What `trustpath` prints for these words.
fn printed(words: &str) -> String {
    let output = shell(&std::env::temp_dir(), &format!("trustpath {words}"));
    assert!(output.status.success(), "{words}");
    String::from_utf8(output.stdout).unwrap()
}

/// The names of the commands.
fn commands() -> Vec<String> {
    let all = printed("--help");
    let listed = all.split("Commands:").nth(1).unwrap().split("\n\n").next().unwrap();
    let lines = listed.lines().filter_map(|line| line.strip_prefix("  ")).filter(|line| !line.starts_with(' '));
    let names: Vec<String> = lines.filter_map(|line| line.split_whitespace().next()).map(str::to_owned).collect();
    assert!(names.len() > 10, "{names:?}");
    names
}

/// The help of every command, also of those below others.
fn helps() -> Vec<String> {
    let mut all = vec![String::new(), "data check ".into(), "data pack ".into()];
    all.extend(commands().into_iter().map(|name| name + " "));
    all.iter().map(|words| printed(&format!("{words}--help"))).collect()
}

/// The examples of a help, without the remarks after them.
fn examples(help: &str) -> Vec<String> {
    let Some((_, after)) = help.split_once("Example") else { return Vec::new() };
    let lines = after.lines().map(|line| line.trim_start_matches("s:").trim_start_matches(':').trim());
    let commands = lines.filter(|line| line.starts_with("trustpath ") || line.contains("| trustpath "));
    commands.map(|line| line.split("  ").next().unwrap_or(line).trim().to_owned()).collect()
}

#[cfg(unix)]
#[test]
fn the_examples_of_the_help_run() {
    let folder = data::folder();
    let all: BTreeSet<String> = helps().iter().flat_map(|help| examples(help)).collect();
    assert!(all.len() > 25, "{all:?}");
    let mut failed = Vec::new();
    // Those that write what others read come first.
    let (first, then): (Vec<&String>, Vec<&String>) =
        all.iter().partition(|command| command.contains("extract") || command.contains("--keep-pool"));
    for command in first.into_iter().chain(then) {
        if not_run(command).is_some() {
            continue;
        }
        // Each kind of data needs a model of its kind.
        let pools = [
            ("new-photos", "photos/"),
            ("new-questions", "questions.csv --text question"),
            ("predict model", "embeddings.npy --labels labels.csv"),
        ];
        let pool = pools.into_iter().find(|(part, _)| command.contains(part) && !command.contains("--update"));
        if let Some((_, pool)) = pool {
            let model = format!("trustpath label {pool} --model model.safetensors");
            assert!(shell(folder.path(), &model).status.success());
        }
        // The examples are run as they are, but shorter.
        let mut shorter = command.replace("--episodes 2000", "--episodes 2");
        let has_episodes = command.starts_with("trustpath bench") || command.starts_with("trustpath demo");
        if has_episodes && !command.contains("--episodes") {
            shorter.push_str(" --episodes 2");
        }
        if command.starts_with("trustpath serve") {
            // Another program may have the port.
            let command = command.replace(" --port 9090", "");
            // A session ends by Ctrl-C, once it has printed its address, of which none may be left from the one before.
            shorter = format!(
                ": > printed.txt; {command} > printed.txt & session=$!; \
                 until grep -q http:// printed.txt || ! kill -0 $session; do sleep 0.1; done; \
                 kill -INT $session; wait $session"
            );
        }
        let output = shell(folder.path(), &shorter);
        if !output.status.success() {
            failed.push(format!("{shorter}\n  {}", String::from_utf8_lossy(&output.stderr)));
        }
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

/// Runs the commands of a page in a folder, and compares what they print with what is shown.
#[cfg(unix)]
fn check(page: &Path, folder: &Path) {
    let text = std::fs::read_to_string(page).unwrap();
    let (fresh, problems) = readme::compare(&text, |command| {
        if not_run(command).is_some() {
            return None;
        }
        let output = shell(folder, command);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{}: {command}: {said}", page.display());
        Some(String::from_utf8(output.stdout).unwrap())
    });
    if std::env::var_os("TRUSTPATH_UPDATE_DOCS").is_some() {
        std::fs::write(page, fresh).unwrap();
        return;
    }
    assert!(
        problems.is_empty(),
        "{}\n\nTo write the new output into the page: TRUSTPATH_UPDATE_DOCS=1 cargo test -p trustpath-cli --test docs",
        problems.join("\n\n")
    );
}

#[cfg(unix)]
#[test]
fn the_readme_shows_what_the_commands_print() {
    check(&repository().join("README.md"), tempfile::tempdir().unwrap().path());
}

#[cfg(unix)]
#[test]
fn the_tutorials_show_what_the_commands_print() {
    let pages = links::files(&repository().join("docs/tutorials"), "md");
    assert!(pages.len() >= 6, "{pages:?}");
    for page in pages {
        let folder = tempfile::tempdir().unwrap();
        data::drawings(folder.path());
        data::texts(folder.path());
        check(&page, folder.path());
    }
}

#[test]
fn every_page_is_listed_and_every_link_leads_somewhere() {
    let (repository, docs) = (repository(), repository().join("docs"));
    let summary = docs.join("SUMMARY.md");
    let listed = links::targets(&std::fs::read_to_string(&summary).unwrap());
    let listed: BTreeSet<PathBuf> = listed.iter().map(|target| docs.join(target)).collect();
    let pages = links::files(&docs, "md");
    // The tables that `scripts/measure.py check` compares are no pages to read.
    let small = docs.join("measured/small");
    let unlisted = |page: &Path| page != summary && !page.starts_with(&small) && !listed.contains(page);
    let missing: Vec<&PathBuf> = pages.iter().filter(|page| unlisted(page)).collect();
    assert!(missing.is_empty(), "not listed in docs/SUMMARY.md: {missing:?}");
    let mut all = pages;
    for folder in ["assets", "crates", ".github"] {
        all.extend(links::files(&repository.join(folder), "md"));
    }
    let here = std::fs::read_dir(&repository).unwrap().map(|entry| entry.unwrap().path());
    all.extend(here.filter(|path| path.extension().is_some_and(|ending| ending == "md")));
    let broken: Vec<String> = all.iter().flat_map(|page| links::problems(page)).collect();
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

#[test]
fn every_reason_not_to_run_a_command_is_needed() {
    let mut text = std::fs::read_to_string(repository().join("README.md")).unwrap();
    text.extend(helps());
    let tutorials = links::files(&repository().join("docs/tutorials"), "md");
    text.extend(tutorials.iter().map(|page| std::fs::read_to_string(page).unwrap()));
    for (part, why) in NOT_RUN {
        assert!(text.contains(part), "{part} ({why})");
    }
}
