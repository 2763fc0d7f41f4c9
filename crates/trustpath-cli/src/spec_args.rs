//! Flags built from a spec of the engine, so that every option is declared once.

use std::marker::PhantomData;

use clap::builder::PossibleValuesParser;
use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches};
use trustpath::spec::{Kind, Spec};

use crate::error::Result;

/// The options of a spec that were given, as text.
#[derive(Debug, Clone, PartialEq)]
pub struct SpecArgs<S> {
    given: Vec<(&'static str, String)>,
    spec: PhantomData<S>,
}

impl<S: Spec> SpecArgs<S> {
    /// `base` with the options that were given.
    pub fn over(&self, base: &S) -> Result<S> {
        let mut spec = base.clone();
        for (name, text) in &self.given {
            spec.set_text(name, text)?;
        }
        Ok(spec)
    }

    /// The spec, with the default of every option that was not given.
    pub fn spec(&self) -> Result<S> {
        self.over(&S::default())
    }

    /// The names of the options that were given.
    pub fn given(&self) -> impl Iterator<Item = &'static str> {
        self.given.iter().map(|(name, _)| *name)
    }

    /// Options given as `name=value` pairs.
    pub fn from_pairs<'a>(pairs: impl Iterator<Item = (&'a str, &'a str)>) -> trustpath::Result<Self> {
        let mut check = S::default();
        let mut given = Vec::new();
        for (name, text) in pairs {
            check.set_text(name, text)?;
            given.push((S::option(name)?.name, text.to_owned()));
        }
        Ok(Self { given, spec: PhantomData })
    }
}

impl<S: Spec> Args for SpecArgs<S> {
    fn augment_args(mut command: Command) -> Command {
        for option in S::OPTIONS {
            // Some commands declare an option themselves, such as the seed that other parts of them use as well.
            if command.get_arguments().any(|arg| arg.get_id() == option.name) {
                continue;
            }
            let mut arg =
                Arg::new(option.name).long(option.flag()).help(option.help_with_default()).help_heading(option.heading);
            arg = match option.kind.inner() {
                Kind::Flag if option.placeholder.is_empty() => arg.action(ArgAction::SetTrue),
                Kind::Flag => arg
                    .num_args(0..=1)
                    .require_equals(true)
                    .default_missing_value("true")
                    .value_name(option.placeholder),
                Kind::Choice(names) => {
                    arg.value_name(option.placeholder).value_parser(PossibleValuesParser::new(names))
                }
                _ => arg.value_name(option.placeholder).allow_negative_numbers(true),
            };
            command = command.arg(arg);
        }
        command
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl<S: Spec> FromArgMatches for SpecArgs<S> {
    fn from_arg_matches(matches: &ArgMatches) -> std::result::Result<Self, clap::Error> {
        let given = S::OPTIONS.iter().filter_map(|option| {
            let from_user = matches.value_source(option.name) == Some(ValueSource::CommandLine);
            let text = matches.get_raw(option.name)?.next()?.to_string_lossy().into_owned();
            from_user.then_some((option.name, text))
        });
        Ok(Self { given: given.collect(), spec: PhantomData })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> std::result::Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}
