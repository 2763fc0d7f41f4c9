//! The command line.

use std::ffi::OsString;

use clap::{Parser, Subcommand};

use crate::error::{Error, Result};
use crate::{audit, bench, check, data, demo, extract, gone, help, label, paper, predict, sample, serve, shell, train};

/// Labels unlabeled data and says which labels can be trusted (Instance Credibility Inference).
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
    /// Label in a browser: what to label next, wrong labels, progress, exports
    Serve(Box<serve::ServeArgs>),
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
    /// Compute features of images or texts with a network
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

/// What the command prints without arguments.
pub const INTRODUCTION: &str = "\
trustpath labels unlabeled data and says which of the labels can be trusted.

You have features of your instances (from any network), or images in folders,
and labels for a few of them. trustpath labels the rest, says how credible
each label is and why, and trains a model on the trusted ones.

Try it on real data that is part of the program:
  trustpath demo                        the gain in accuracy, in a few seconds
  trustpath sample try                  writes the folder try, to label:
  trustpath label try/pool.npy --labels try/labels.csv --report try/report.html

Your own data:
  trustpath label embeddings.npy --labels labels.csv --out labelled.csv
  trustpath label photos/ --report report.html   class folders, and unlabeled
  trustpath audit train.csv --out suspects.csv   labels that may be wrong
  trustpath check pool.parquet                   how a file is read

More:
  trustpath --help            all commands
  trustpath COMMAND --help    the options of one, with examples
  trustpath help              the concepts: credibility, precision, labels, …
";

const AFTER: &str = "\
Examples:
  trustpath demo
  trustpath label embeddings.npy --labels labels.csv --out labels.parquet --report report.html
  trustpath bench --dataset cub --shot 5 --against selector=co
  trustpath bench --features novel.npy --labels novel-labels.npy --json

Exit status: 0 success, 1 failure, 2 invalid input or usage, 130 interrupted by Ctrl-C.";

/// Reads the command line. Help and version are printed here, and nothing remains to be done.
pub fn parse(args: impl IntoIterator<Item = OsString>) -> Result<Option<Cli>> {
    let args: Vec<OsString> = args.into_iter().collect();
    match Cli::try_parse_from(&args) {
        Ok(cli) => Ok(Some(cli)),
        Err(error) if error.use_stderr() => {
            let command = args.get(1).and_then(|command| command.to_str()).unwrap_or_default();
            let instead = gone::sentence(command, &error).map(str::to_owned);
            Err(Error::Usage(instead.unwrap_or_else(|| sentence(&error) + "; see --help")))
        }
        Err(asked_for) => {
            // As clap itself does, a closed standard output is ignored.
            let _ = asked_for.print();
            Ok(None)
        }
    }
}

/// The message of a usage error, in one line and without the usage text.
fn sentence(error: &clap::Error) -> String {
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

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn the_introduction_fits_a_screen_and_names_real_commands() {
        assert!(Cli::try_parse_from(["trustpath"]).unwrap().command.is_none());
        assert!(INTRODUCTION.lines().count() <= 24);
        assert!(INTRODUCTION.lines().all(|line| line.chars().count() <= 80));
        for line in INTRODUCTION.lines() {
            let Some(words) = line.strip_prefix("  trustpath ") else { continue };
            let command = words.split("  ").next().unwrap_or_default();
            if !command.contains("COMMAND") {
                let words = ["trustpath"].into_iter().chain(command.split_whitespace());
                let parsed = Cli::try_parse_from(words);
                assert!(parsed.is_ok() || command.contains("--help"), "{command}");
            }
        }
    }
}
