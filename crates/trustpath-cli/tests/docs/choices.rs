//! Every choice that the help offers is on the page, and in the concept of the help, that lists its kind.

use trustpath_explain::{AuditResult, LabelResult, PredictResult, ResultColumns};
use trustpath_vision::network::{Family, Network};

use super::files::read;
use super::{commands, printed};

/// An option of a command, the page that lists its values, and the concept that explains them, where there is one.
const LISTED: [(&str, &str, &str, &str); 8] = [
    ("bench", "--method <NAME>", "docs/peers.md", ""),
    ("bench", "--model <NAME>", "docs/peers.md", "models"),
    ("bench", "--reduction <NAME>", "docs/tutorials/benchmark.md", "reductions"),
    ("bench", "--classifier <NAME>", "docs/tutorials/benchmark.md", "classifiers"),
    ("bench", "--selector <NAME>", "docs/tutorials/benchmark.md", ""),
    ("label", "--labeller <NAME>", "docs/label.md", "rounds"),
    ("label", "--format <FORMAT>", "docs/formats.md", "formats"),
    ("paper", "<TARGET>", "docs/tutorials/paper.md", ""),
];

/// The values of an option in a help: `[possible values: a, b]`, or, with what each is, `Possible values: - a: … - b: …`.
fn values(help: &str, option: &str) -> Vec<String> {
    let help = help.split_whitespace().collect::<Vec<_>>().join(" ");
    let (_, after) = help.split_once(option).unwrap_or_else(|| panic!("no {option}"));
    let (_, values) = after.split_once("ossible values: ").unwrap();
    let names: Vec<&str> = match values.strip_prefix("- ") {
        Some(list) => {
            list.split(" Options:").next().unwrap().split(" - ").map(|v| v.split(':').next().unwrap()).collect()
        }
        None => values.split(']').next().unwrap().split(", ").collect(),
    };
    names.into_iter().map(str::to_owned).collect()
}

/// Those of the names that no code of a page ends with.
fn not_listed<'a>(page: &str, names: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    let text = read(page);
    let listed = |name: &&str| ["`", ".", " "].iter().any(|before| text.contains(&format!("{before}{name}`")));
    names.into_iter().filter(|name| !listed(name)).map(|name| format!("{page} does not list `{name}`")).collect()
}

/// The words of a text.
fn words(text: &str) -> Vec<&str> {
    text.split(|c: char| !c.is_alphanumeric() && c != '-').collect()
}

#[test]
fn every_choice_is_on_its_page_and_in_its_concept() {
    let mut problems = not_listed("docs/api.md", commands().iter().map(String::as_str));
    for (command, option, page, concept) in LISTED {
        let values = values(&printed(&format!("{command} --help")), option);
        assert!(values.len() > 1, "{option}: {values:?}");
        problems.extend(not_listed(page, values.iter().map(String::as_str)));
        if !concept.is_empty() {
            let text = printed(&format!("help {concept}"));
            let missing = values.iter().filter(|value| *value != "auto" && !words(&text).contains(&value.as_str()));
            problems.extend(missing.map(|value| format!("the concept {concept} does not list {value}")));
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[test]
fn every_network_is_on_its_page_and_in_the_help() {
    let names = [&Network::NAMES[..], &Family::NAMES[..]].concat();
    let mut problems = not_listed("docs/embeddings.md", names.iter().copied());
    let help = printed("extract --help");
    let help = words(&help);
    // After a network of the same family the help has the rest of the name alone: resnet18, 34; efficientnet-lite0, -lite1.
    let rest = |name: &str| name.trim_start_matches(|c: char| c.is_alphabetic() && c.is_ascii()).to_owned();
    let missing = names.iter().filter(|name| !help.contains(*name) && !help.contains(&rest(name).as_str()));
    problems.extend(missing.map(|name| format!("the help of --backbone does not list {name}")));
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[test]
fn every_column_of_a_result_is_on_its_page() {
    let mut names: Vec<&str> = LabelResult::columns().iter().map(|column| column.name).collect();
    names.extend(PredictResult::columns().iter().map(|column| column.name));
    names.extend(AuditResult::columns().iter().map(|column| column.name));
    let problems = not_listed("docs/formats.md", names);
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}
