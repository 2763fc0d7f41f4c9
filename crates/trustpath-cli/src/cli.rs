//! The command line.

use std::str::FromStr;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Parser, Subcommand};

use crate::error::{Error, Result};
use crate::{
    audit, bench, check, data, demo, extract, help, label, paper, predict, sample, shell, train,
};

/// Labels unlabeled data and says which labels can be trusted (Instance Credibility Inference).
///
/// Without a command, runs the demo: ICI-R on built-in features of real images.
#[derive(Debug, Parser)]
#[command(name = "trustpath", version, disable_help_subcommand = true, after_help = AFTER)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Option<Command>,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Label unlabeled instances; how far each label can be trusted, and why
    Label(Box<label::LabelArgs>),
    /// Label new instances with a model saved by `label`
    Predict(predict::PredictArgs),
    /// Find given labels that are likely wrong
    Audit(audit::AuditArgs),
    /// Write real data to try the commands with
    Sample(sample::SampleArgs),
    /// Accuracy by round on the built-in features, as a table and a figure
    Demo(demo::DemoArgs),
    /// Accuracy of a method on episodes drawn from features
    Bench(Box<bench::BenchArgs>),
    /// Reproduce the results of the paper
    Paper(paper::PaperArgs),
    /// Train a network on images, as in the paper
    Train(Box<train::TrainArgs>),
    /// Compute features of images with a network
    Extract(extract::ExtractArgs),
    /// Summarise a features file and its labels, or say what is wrong with it
    Check(check::CheckArgs),
    /// Check, show and pack image datasets
    Data(data::DataArgs),
    /// Explain a command or a concept
    Help(help::HelpArgs),
    /// Print completions for a shell
    Completions(shell::CompletionsArgs),
    /// Print or write manual pages
    Man(shell::ManArgs),
}

const AFTER: &str = "\
Examples:
  trustpath
  trustpath label embeddings.npy --labels labels.csv --out labels.parquet --report report.html
  trustpath bench --dataset cub --shot 5 --against selector=co
  trustpath bench --features novel.npy --labels novel-labels.npy --json

Exit status: 0 success, 1 failure, 2 invalid input or usage, 130 interrupted by Ctrl-C.";

/// Reads the command line; prints help and version itself.
pub fn parse() -> Result<Cli> {
    Cli::try_parse().map_err(|error| {
        if error.use_stderr() {
            Error::Usage(sentence(&error) + "; see --help")
        } else {
            error.exit()
        }
    })
}

/// The message of a usage error, in one line and without the usage text.
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

/// Reads a value by its name; the error for an unknown one lists these.
pub fn choice<T>(names: &'static [&'static str]) -> impl TypedValueParser<Value = T>
where
    T: FromStr<Err: std::error::Error + Send + Sync + 'static> + Clone + Send + Sync + 'static,
{
    PossibleValuesParser::new(names).try_map(|name| name.parse::<T>())
}

/// Reads a positive number.
pub fn positive(text: &str) -> std::result::Result<usize, String> {
    match text.parse() {
        Ok(0) | Err(_) => Err("give an integer of at least 1".into()),
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
