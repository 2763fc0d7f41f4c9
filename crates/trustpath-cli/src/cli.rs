//! The command line.

use std::str::FromStr;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Parser, Subcommand};

use crate::error::{Error, Result};
use crate::{
    audit, bench, check, data, demo, extract, help, label, paper, predict, sample, shell, train,
};

/// Tells which unlabeled data can be trusted, by Instance Credibility Inference.
///
/// Without a command, runs the demo: ICI-R on real features that come with the program.
#[derive(Debug, Parser)]
#[command(name = "trustpath", version, disable_help_subcommand = true, after_help = AFTER)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Option<Command>,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Labels for what has none, how far each can be trusted, and why
    Label(Box<label::LabelArgs>),
    /// Labels for new instances by a model that `label` saved
    Predict(predict::PredictArgs),
    /// Which of the given labels are likely wrong
    Audit(audit::AuditArgs),
    /// Writes real data to try the commands on
    Sample(sample::SampleArgs),
    /// Accuracy by round on the features inside, as a table and a picture
    Demo(demo::DemoArgs),
    /// Accuracy of any method on episodes drawn from any features
    Bench(Box<bench::BenchArgs>),
    /// The results of the paper, one target each
    Paper(paper::PaperArgs),
    /// A backbone from pictures, by the recipe of the paper
    Train(Box<train::TrainArgs>),
    /// Features of pictures, by a network
    Extract(extract::ExtractArgs),
    /// What a file of instances and labels holds, or what is wrong with it
    Check(check::CheckArgs),
    /// Datasets of pictures: what is there, and packs that travel
    Data(data::DataArgs),
    /// A command, or a concept in a few words
    Help(help::HelpArgs),
    /// Completions for a shell
    Completions(shell::CompletionsArgs),
    /// Manual pages
    Man(shell::ManArgs),
}

const AFTER: &str = "\
Examples:
  trustpath
  trustpath label embeddings.npy --labels labels.csv --out labels.parquet --report report.html
  trustpath bench --dataset cub --shot 5 --against selector=co
  trustpath bench --features novel.npy --labels novel-labels.npy --json

Exit status: 0 when all is done, 1 when something failed, 2 for input or usage that cannot be right, 130 after Ctrl-C.";

/// Reads the command line; help and version are printed right here.
pub fn parse() -> Result<Cli> {
    Cli::try_parse().map_err(|error| {
        if error.use_stderr() {
            Error::Usage(sentence(&error) + "; see --help")
        } else {
            error.exit()
        }
    })
}

/// What clap has to say, without the usage and in one line.
pub fn sentence(error: &clap::Error) -> String {
    let text = error.render().to_string();
    let said = text
        .lines()
        .map(str::trim)
        .take_while(|line| !line.starts_with("Usage:") && !line.starts_with("For more"))
        .filter(|line| !line.is_empty())
        .collect::<Vec<_>>()
        .join(" ");
    said.trim_start_matches("error: ").replace(" tip: ", "; ")
}

/// Reads a value by its name; an unknown one is answered with these.
pub fn choice<T>(names: &'static [&'static str]) -> impl TypedValueParser<Value = T>
where
    T: FromStr<Err: std::error::Error + Send + Sync + 'static> + Clone + Send + Sync + 'static,
{
    PossibleValuesParser::new(names).try_map(|name| name.parse::<T>())
}

/// Reads a number that is not zero.
pub fn positive(text: &str) -> std::result::Result<usize, String> {
    match text.parse() {
        Ok(0) | Err(_) => Err("give a whole number from 1 up".into()),
        Ok(number) => Ok(number),
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn no_arguments_are_the_demo_with_its_defaults() {
        let parse = |args: &[&str]| Cli::try_parse_from(args).unwrap().command;
        assert!(parse(&["trustpath"]).is_none());
        let Some(Command::Demo(args)) = parse(&["trustpath", "demo"]) else { panic!() };
        assert_eq!(args, demo::DemoArgs::default());
    }
}
