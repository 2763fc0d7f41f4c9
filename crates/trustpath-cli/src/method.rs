//! The method on the command line, and a second one to compare it with.

use clap::Args;
use clap::builder::PossibleValuesParser;
use trustpath::incidental::Penalty;
use trustpath::incidental::logistic::Scaling;
use trustpath_bench::BenchMethod;
use trustpath_bench::judges::Selector;
use trustpath_bench::reduce::ReductionKind;
use trustpath_bench::transductive::TransductiveKind;
use trustpath_bench::{IncidentalKind, SelfTrainingSpec};

use crate::error::{Error, Result};
use crate::spec_args::SpecArgs;

/// In place of a method: all of them.
const ALL: &str = "all";

/// The method, and every choice that self-training leaves open.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Method")]
pub struct MethodArgs {
    /// What labels the queries: self-training by icir or icic, with the options below; label, as trustpath label
    /// runs it; a transductive method with the parameters its authors published (adaptive and unem-gaussian: learned here);
    /// or all of them side by side [default: icir]
    #[arg(long = "method", value_name = "NAME",
        value_parser = PossibleValuesParser::new(BenchMethod::names().into_iter().chain([ALL])))]
    name: Option<String>,
    #[command(flatten)]
    options: SpecArgs<SelfTrainingSpec>,
}

impl MethodArgs {
    /// Whether all methods are asked for.
    pub fn is_all(&self) -> bool {
        self.name.as_deref() == Some(ALL)
    }

    /// The method, with what is not given taken from `base`.
    pub fn method(&self, base: &SelfTrainingSpec) -> Result<BenchMethod> {
        let options = self.options(base)?;
        let Some(name) = &self.name else { return Ok(BenchMethod::SelfTraining(options)) };
        let method = BenchMethod::named(name, &options)?;
        let given = |option: &&str| *option != "seed";
        let (option, remedy) = match (&method, self.options.given().find(given)) {
            (BenchMethod::SelfTraining(_), _) if self.options.given().any(|name| name == "model") => {
                ("model", "--method names the model already: drop one of the two".to_owned())
            }
            (BenchMethod::SelfTraining(_), _) | (_, None) => return Ok(method),
            (_, Some(option)) => (option, format!("{name} runs with its own parameters: drop it")),
        };
        Err(Error::Usage(format!("--{option} is for self-training, and {remedy}")))
    }

    /// The options of self-training, with what is not given taken from `base`.
    pub fn options(&self, base: &SelfTrainingSpec) -> Result<SelfTrainingSpec> {
        self.options.over(base)
    }
}

/// What to compare a method with, on the same episodes.
#[derive(Debug, Clone)]
pub enum Against {
    /// The classifier without any rounds.
    Plain,
    /// Another method: the same except for what is given.
    Method {
        /// What was written.
        text: String,
        /// What differs.
        args: Box<MethodArgs>,
    },
}

impl Against {
    /// Reads `plain`, or options of the method as `name=value,name=value`.
    pub fn parse(text: &str) -> std::result::Result<Self, String> {
        if text == "plain" {
            return Ok(Self::Plain);
        }
        let pairs: Option<Vec<(&str, &str)>> = text.split(',').map(|part| part.trim().split_once('=')).collect();
        let pairs = pairs.ok_or("give plain, or options of the method as name=value,name=value".to_owned())?;
        let name = pairs.iter().find(|(name, _)| *name == "method").map(|(_, value)| *value);
        if name == Some(ALL) {
            return Err("give one method to compare with; --method all compares them all".into());
        }
        if let Some(name) = name {
            BenchMethod::named(name, &SelfTrainingSpec::default()).map_err(|error| error.to_string())?;
        }
        let options = pairs.iter().copied().filter(|(name, _)| *name != "method");
        let options = SpecArgs::from_pairs(options).map_err(|error| error.to_string())?;
        let args = MethodArgs { name: name.map(str::to_owned), options };
        Ok(Self::Method { text: text.to_owned(), args: Box::new(args) })
    }
}

/// A method in one line.
pub fn describe(method: &BenchMethod) -> String {
    match method {
        BenchMethod::SelfTraining(spec) => describe_self_training(spec),
        BenchMethod::Transductive(TransductiveKind::Plain) => {
            "plain: logistic regression on the labelled instances".into()
        }
        BenchMethod::Label(_) => "label: as trustpath label runs it, with its default options".to_owned(),
        BenchMethod::Transductive(kind) if kind.is_learned_here() => {
            format!("{kind}, with its parameters learned here")
        }
        other => format!("{other}, with its published parameters"),
    }
}

fn describe_self_training(spec: &SelfTrainingSpec) -> String {
    let penalty = spec.penalty.unwrap_or(match spec.model {
        IncidentalKind::IciC => Penalty::Elementwise,
        _ => Penalty::Group,
    });
    let prices = match (spec.model, spec.scaling) {
        (IncidentalKind::IciC, Scaling::Paper) => ", prices as in the paper",
        _ => "",
    };
    let selector = match spec.selector {
        Selector::Ici => format!("{} ({penalty} penalty{prices})", spec.model),
        Selector::CoefficientNorm => format!("selector cn ({}, {penalty} penalty{prices})", spec.model),
        other => format!("selector {other}"),
    };
    let reduction = match spec.reduction {
        ReductionKind::Identity => "no reduction".to_owned(),
        reduction => format!("{reduction} to {} dimensions", spec.dim),
    };
    let cap = spec.cap.map_or(String::new(), |cap| format!(", {cap} in total"));
    let compat = if spec.compat { ", compat" } else { "" };
    let SelfTrainingSpec { classifier, step, .. } = spec;
    format!("{selector}, {reduction}, classifier {classifier}, {step} per class and round{cap}{compat}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn base() -> SelfTrainingSpec {
        SelfTrainingSpec { step: 3, cap: Some(25), seed: 7, ..SelfTrainingSpec::default() }
    }

    fn against(text: &str) -> std::result::Result<SelfTrainingSpec, String> {
        match Against::parse(text)? {
            Against::Plain => Err("plain".into()),
            Against::Method { args, .. } => Ok(args.options(&base()).unwrap()),
        }
    }

    #[test]
    fn a_second_method_differs_in_what_is_given() {
        let other = against("selector=co, cap=none,compat=true,dim=9").unwrap();
        let selector = Selector::Confidence;
        assert_eq!(other, SelfTrainingSpec { selector, cap: None, compat: true, dim: 9, ..base() });
        assert!(matches!(Against::parse("plain"), Ok(Against::Plain)));
    }

    #[test]
    fn an_unusable_second_method_is_refused_with_the_choices() {
        for (text, expected) in [
            ("selector=best", "choose one of ici, ra, nn, co, cn, ls, loo"),
            ("colour=red", "option = colour"),
            ("co", "name=value"),
            ("cap=many", "none for no limit"),
            ("method=nonsense", "choose one of icir, icic, label"),
        ] {
            let refusal = against(text).unwrap_err();
            assert!(refusal.contains(expected), "{text}: {refusal}");
        }
    }

    #[test]
    fn methods_are_described_in_one_line() {
        let described = |name| describe(&BenchMethod::named(name, &SelfTrainingSpec::default()).unwrap());
        assert_eq!(described("pt-map"), "pt-map, with its published parameters");
        for name in ["adaptive", "unem-gaussian"] {
            assert_eq!(described(name), format!("{name}, with its parameters learned here"));
        }
        let icir = "icir (group penalty), lle to 5 dimensions, classifier lr, 5 per class and round";
        assert_eq!(described("icir"), icir);
        let icic = SelfTrainingSpec { model: IncidentalKind::IciC, compat: true, ..base() };
        assert!(describe_self_training(&icic).starts_with("icic (elementwise penalty)"));
        assert!(describe_self_training(&icic).ends_with("round, 25 in total, compat"));
        let paper = describe_self_training(&SelfTrainingSpec { scaling: Scaling::Paper, ..icic });
        assert!(paper.starts_with("icic (elementwise penalty, prices as in the paper)"));
    }
}
