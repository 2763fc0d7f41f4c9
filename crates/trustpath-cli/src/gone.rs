//! Flags and values of flags that are gone, each with a sentence that says what to use instead.
//!
//! A value is written after its flag, as on the command line: `--method NAME`.

use clap::error::{ContextKind, ContextValue, ErrorKind};
use trustpath_bench::transductive::TransductiveKind;

/// The commands, the flags or the values of a flag, and what to use instead.
const GONE: &[(&[&str], &[&str], &str)] = &[
    (&["label", "serve"], &["--strategy"], STRATEGY),
    (&["audit", "demo", "label"], &["--neighbors-on"], NEIGHBORS_ON),
    (&["bench"], &["--base"], "--base is gone: leave it out, since no method uses base classes"),
    (&["bench", "paper"], PEERS, "this method is gone, because it led in no comparison: use adaptive instead"),
    (&["audit", "predict"], &["--seed"], SEED),
    (&["label", "serve"], &["--reduction"], REDUCTION),
    (&["audit", "label"], &["--stages"], STAGES),
];

const PEERS: &[&str] = &[
    "--method alpha-am",
    "--method poisson-learning",
    "--method poisson-mbo",
    "--method label-propagation",
    "--method label-spreading",
];

const SEED: &str = "--seed is gone: leave it out, since nothing is drawn at random here";

const REDUCTION: &str = "--reduction is gone: leave it out, since labels are judged in the smoothed principal components; bench --reduction compares reductions";

const STAGES: &str =
    "--stages is gone: leave it out, since a large pool is labelled by a part of it and nothing needs to be kept";

const LABELLER: &str =
    "label runs no method of other authors any more: use auto or adaptive, or compare methods with bench --method";

const STRATEGY: &str =
    "--strategy is gone: leave it out, since suggestions are always those that cover best what is uncertain";

const NEIGHBORS_ON: &str =
    "--neighbors-on is gone: leave it out, since the processor always searches for the neighbours";

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
    let is_method = || text(ContextKind::InvalidValue).is_some_and(|value| value.parse::<TransductiveKind>().is_ok());
    if flag == "--labeller" && is_method() {
        return Some(LABELLER);
    }
    let gone = GONE.iter().find(|gone| gone.0.contains(&command) && gone.1.contains(&given.as_str()))?;
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
        for (commands, flags, sentence) in GONE {
            for command in *commands {
                assert!(cli.find_subcommand(command).is_some(), "{command}");
                flags.iter().for_each(|flag| assert_eq!(error_of(command, flag), *sentence));
            }
        }
    }

    #[test]
    fn other_flags_are_refused_as_before() {
        assert!(error_of("label", "--strategies").contains("'--strategies'"));
        assert!(error_of("bench", "--method nonsense").contains("'nonsense'"));
    }
}
