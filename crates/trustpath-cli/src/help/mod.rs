//! `trustpath help`: the options of a command, or a short text on a concept.

mod wrap;

use clap::{Args, Command};

use crate::error::{Error, Result};
use crate::print;
use wrap::wrap;

#[derive(Debug, Args)]
pub struct HelpArgs {
    /// Command or concept [default: list all]
    topic: Option<String>,
}

/// A concept, with a text in its file.
struct Concept {
    name: &'static str,
    /// Its text, with the title `# name: summary` first.
    text: &'static str,
}

impl Concept {
    /// The rest of the title.
    fn summary(&self) -> &'static str {
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
const CONCEPTS: &[Concept] = concepts! {
    "credibility" "path" "rounds" "verdict" "precision" "none-of-these" "suggest" "audit"
    "reductions" "classifiers" "models" "labels" "formats" "episodes" "exit-codes"
};

const WIDEST: usize = 100;

pub fn run(args: &HelpArgs, all: &Command) -> Result<()> {
    let width = terminal_size::terminal_size().map_or(WIDEST, |(width, _)| width.0.into());
    let width = width.min(WIDEST);
    match &args.topic {
        None => print::stdout(&format!("{}\n{}", help_of(all, None), list(width))),
        Some(topic) => print::stdout(&explain(all, topic, width)?),
    }
}

/// The help of a command, the text of a concept, or both if they share a name.
fn explain(all: &Command, topic: &str, width: usize) -> Result<String> {
    let command = all.find_subcommand(topic).map(|_| help_of(all, Some(topic)));
    let concept = CONCEPTS.iter().find(|concept| concept.name == topic);
    let concept = concept.map(|concept| wrap(concept.text, width));
    let parts: Vec<String> = [command, concept].into_iter().flatten().collect();
    if parts.is_empty() {
        let names: Vec<&str> = CONCEPTS.iter().map(|concept| concept.name).collect();
        return Err(Error::Usage(format!(
            "there is no command or concept \"{topic}\": the concepts are {}; see --help for the commands",
            names.join(", ")
        )));
    }
    Ok(parts.join("\n"))
}

/// The output of `trustpath COMMAND --help`.
fn help_of(all: &Command, command: Option<&str>) -> String {
    let words = ["trustpath"].into_iter().chain(command).chain(["--help"]);
    let printed = all.clone().try_get_matches_from(words).map_err(|help| help.render());
    printed.err().map(|help| help.to_string()).unwrap_or_default()
}

/// The concepts, one per line.
fn list(width: usize) -> String {
    let longest = CONCEPTS.iter().map(|concept| concept.name.len()).max().unwrap_or(0);
    let mut text = String::from("Concepts (trustpath help CONCEPT):\n");
    for concept in CONCEPTS {
        let line = format!("  {:longest$}  {}", concept.name, concept.summary());
        let line: String = line.chars().take(width.max(longest + 4)).collect();
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;
    use crate::cli::Cli;

    #[test]
    fn every_concept_has_a_title_and_fits() {
        for concept in CONCEPTS {
            let title = format!("# {}: ", concept.name);
            assert!(concept.text.starts_with(&title), "{}", concept.name);
            assert!(!concept.summary().is_empty() && concept.summary().len() < 76);
            let shown = explain(&Cli::command(), concept.name, 60).unwrap();
            let too_long = shown.lines().find(|line| line.chars().count() > 60);
            // Examples and tables stay as they are.
            assert!(too_long.is_none_or(|line| line.starts_with("    ")), "{too_long:?}");
        }
    }

    /// Words that readers did not understand.
    const AVOIDED: &str = "so many, found out, one row an, pictures, strangers, told, in earnest, besides, whoever, \
                           nobody, everyone, by heart, house, rooms";

    #[test]
    fn commands_and_concepts_are_explained_in_plain_english() {
        let concepts = CONCEPTS.iter().map(|concept| (concept.name.into(), concept.text.into()));
        let mut texts: Vec<(String, String)> = concepts.collect();
        let mut commands = vec![Cli::command()];
        while let Some(mut command) = commands.pop() {
            commands.extend(command.get_subcommands().cloned());
            texts.push((command.get_name().into(), command.render_long_help().to_string()));
        }
        let mut matches = Vec::new();
        for (name, text) in texts {
            let lower = text.to_lowercase();
            let words = lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
            let words = format!(" {} ", words.collect::<Vec<_>>().join(" "));
            let avoided = AVOIDED.split(", ").filter(|word| words.contains(&format!(" {word} ")));
            matches.extend(avoided.map(|word| format!("{name}: {word}")));
        }
        assert!(matches.is_empty(), "{matches:#?}");
    }
}
