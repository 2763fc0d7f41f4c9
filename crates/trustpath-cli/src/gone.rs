//! Flags and values of flags that are gone, each with a sentence that says what to use instead.
//!
//! A value is written after its flag, as on the command line: `--method NAME`.

use clap::error::{ContextKind, ContextValue, ErrorKind};

/// The commands, the flag or the value of a flag, and what to use instead.
const GONE: &[(&[&str], &str, &str)] = &[
    (&["label", "serve"], "--strategy", STRATEGY),
    (&["audit", "demo", "label"], "--neighbors-on", NEIGHBORS_ON),
    (&["bench"], "--base", "--base is gone: leave it out, since no method uses base classes"),
    (&["bench", "paper"], "--method alpha-am", PEER),
    (&["bench", "paper"], "--method poisson-learning", PEER),
    (&["bench", "paper"], "--method poisson-mbo", PEER),
    (&["bench", "paper"], "--method label-propagation", PEER),
    (&["bench", "paper"], "--method label-spreading", PEER),
    (&["label", "serve"], "--labeller alpha-am", PEER),
    (&["label", "serve"], "--labeller poisson-learning", PEER),
    (&["label", "serve"], "--labeller poisson-mbo", PEER),
    (&["label", "serve"], "--labeller label-propagation", PEER),
    (&["label", "serve"], "--labeller label-spreading", PEER),
];

const STRATEGY: &str = "--strategy is gone: leave it out, since suggestions are always those that cover best what is uncertain";

const NEIGHBORS_ON: &str =
    "--neighbors-on is gone: leave it out, since the processor always searches for the neighbours";

const PEER: &str = "this method is gone, because it led in no comparison: use adaptive instead";

/// The sentence for a flag or value that this command had before.
pub fn sentence(command: &str, error: &clap::Error) -> Option<&'static str> {
    let text = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => Some(text.as_str()),
        _ => None,
    };
    // What clap says of a flag with a value is `--flag <VALUE>`.
    let flag = text(ContextKind::InvalidArg)?.split_whitespace().next()?;
    let given = match error.kind() {
        ErrorKind::UnknownArgument => flag.to_owned(),
        ErrorKind::InvalidValue => format!("{flag} {}", text(ContextKind::InvalidValue)?),
        _ => return None,
    };
    let gone = GONE.iter().find(|gone| gone.0.contains(&command) && gone.1 == given)?;
    Some(gone.2)
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;
    use crate::cli::Cli;

    /// The error of a command line with this flag, and with a value for it.
    fn error_of(command: &str, flag: &str) -> String {
        let words = ["trustpath", command].into_iter().chain(flag.split(' '));
        crate::cli::parse(words.map(Into::into)).unwrap_err().to_string()
    }

    #[test]
    fn every_entry_is_of_a_command_and_gives_its_sentence() {
        let cli = Cli::command();
        for (commands, flag, sentence) in GONE {
            for command in *commands {
                assert!(cli.find_subcommand(command).is_some(), "{command}");
                assert_eq!(error_of(command, flag), *sentence);
            }
        }
    }

    #[test]
    fn other_flags_are_refused_as_before() {
        assert!(error_of("label", "--strategies").contains("'--strategies'"));
        assert!(error_of("bench", "--method nonsense").contains("'nonsense'"));
    }
}
