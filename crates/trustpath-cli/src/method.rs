//! The method on the command line, and a second one to compare it with.

use clap::builder::PossibleValuesParser;
use clap::{Args, Parser};
use trustpath::{classify, reduce, transductive};
use trustpath_episodes::{Approach, Method, Model, Penalty, Selector};

use crate::cli::{choice, sentence};
use crate::error::{Error, Result};

/// In place of a method: each of them.
const ALL: &str = "all";

/// The method, and every choice that self-taught learning leaves open; what is not given stays as it is.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Method")]
pub struct MethodArgs {
    /// What labels the queries: self-taught learning by icir or icic, with the options below; another method, with
    /// its published parameters; or all, one beside the other [default: icir]
    #[arg(long = "method", value_name = "NAME",
        value_parser = PossibleValuesParser::new(Approach::names().into_iter().chain([ALL])))]
    name: Option<String>,
    /// Model with incidental parameters: icir (linear) or icic (logistic) [default: icir]
    #[arg(long, value_parser = choice::<Model>(&["icir", "icic"]))]
    model: Option<Model>,
    /// Penalty on the incidental parameters: one norm an instance, or entry by entry
    /// [default: group for icir, elementwise for icic]
    #[arg(long, value_parser = choice::<Penalty>(&["group", "elementwise"]))]
    penalty: Option<Penalty>,
    /// Reduction that the model sees [default: lle]
    #[arg(long, value_parser = choice::<reduce::Method>(
        &["lle", "ltsa", "isomap", "se", "pca", "mds", "none"]))]
    reduction: Option<reduce::Method>,
    /// Dimensions to reduce to [default: as many as ways, but at least 5]
    #[arg(long, value_name = "D")]
    dim: Option<usize>,
    /// Neighbours of lle, ltsa and isomap [default: 5]
    #[arg(long, value_name = "K")]
    neighbors: Option<usize>,
    /// Classifier that gives the pseudo-labels [default: lr]
    #[arg(long, value_parser = choice::<classify::Method>(&["lr", "svm", "knn"]))]
    classifier: Option<classify::Method>,
    /// How instances are chosen: by credibility, at random, by nearness, by confidence, by the
    /// coefficient's norm [default: ici]
    #[arg(long, value_parser = choice::<Selector>(&["ici", "ra", "nn", "co", "cn"]))]
    selector: Option<Selector>,
    /// Instances of each pseudo-class taken in a round [default: 5]
    #[arg(long, value_name = "N")]
    step: Option<usize>,
    /// Instances of each pseudo-class taken altogether, or none for no limit; the paper has 15, 25
    /// and 45 with 15, 30 and 50 unlabeled [default: none]
    #[arg(long, value_name = "N|none", value_parser = cap)]
    cap: Option<Cap>,
    /// ICI-C's price of the coefficients relative to the incidental parameters [default: 0.5]
    #[arg(long, value_name = "A", allow_negative_numbers = true)]
    alpha: Option<f64>,
    /// The rules of the official code: credibility on a grid with ties in row order, its LLE
    #[arg(long, num_args = 0..=1, require_equals = true, default_missing_value = "true",
        value_name = "true|false")]
    compat: Option<bool>,
}

/// A limit, or none.
#[derive(Debug, Clone, Copy)]
struct Cap(Option<usize>);

fn cap(text: &str) -> std::result::Result<Cap, String> {
    match text {
        "none" => Ok(Cap(None)),
        number => number
            .parse()
            .map(|cap| Cap(Some(cap)))
            .map_err(|_| "give a whole number, or none for no limit".into()),
    }
}

impl MethodArgs {
    /// Whether every method is asked for.
    pub fn is_all(&self) -> bool {
        self.name.as_deref() == Some(ALL)
    }

    /// What is run, with what is not given taken from `base`.
    pub fn approach(&self, base: &Method) -> Result<Approach> {
        let own = self.over(base);
        let Some(name) = &self.name else { return Ok(Approach::SelfTaught(own)) };
        let approach = Approach::named(name, &own)?;
        let (option, remedy) = match (&approach, self.given()) {
            (Approach::SelfTaught(_), _) if self.model.is_some() => {
                ("model", "--method names the model already: drop one of the two".to_owned())
            }
            (Approach::Transductive { .. }, Some(option)) => {
                (option, format!("{name} runs with its published parameters: drop it"))
            }
            _ => return Ok(approach),
        };
        Err(Error::Usage(format!("--{option} is for self-taught learning, and {remedy}")))
    }

    /// The first option of self-taught learning that is given.
    fn given(&self) -> Option<&'static str> {
        let options = [
            ("model", self.model.is_some()),
            ("penalty", self.penalty.is_some()),
            ("reduction", self.reduction.is_some()),
            ("dim", self.dim.is_some()),
            ("neighbors", self.neighbors.is_some()),
            ("classifier", self.classifier.is_some()),
            ("selector", self.selector.is_some()),
            ("step", self.step.is_some()),
            ("cap", self.cap.is_some()),
            ("alpha", self.alpha.is_some()),
            ("compat", self.compat.is_some()),
        ];
        options.into_iter().find(|(_, given)| *given).map(|(name, _)| name)
    }

    /// Self-taught learning, with what is not given taken from `base`.
    pub fn over(&self, base: &Method) -> Method {
        Method {
            model: self.model.unwrap_or(base.model),
            penalty: self.penalty.or(base.penalty),
            reduction: self.reduction.unwrap_or(base.reduction),
            d: self.dim.unwrap_or(base.d),
            neighbors: self.neighbors.unwrap_or(base.neighbors),
            classifier: self.classifier.unwrap_or(base.classifier),
            selector: self.selector.unwrap_or(base.selector),
            step: self.step.unwrap_or(base.step),
            cap: self.cap.map_or(base.cap, |Cap(cap)| cap),
            alpha: self.alpha.unwrap_or(base.alpha),
            compat: self.compat.unwrap_or(base.compat),
            seed: base.seed,
        }
    }
}

/// What to compare a method with, on the same episodes.
#[derive(Debug, Clone)]
pub enum Against {
    /// The classifier without any rounds.
    Plain,
    /// Another method: the same but for what is given.
    Method {
        /// What was written.
        text: String,
        /// What differs.
        args: Box<MethodArgs>,
    },
}

#[derive(Parser)]
#[command(no_binary_name = true, disable_help_flag = true)]
struct Alone {
    #[command(flatten)]
    method: MethodArgs,
}

impl Against {
    /// Reads `plain`, or options of the method as `name=value,name=value`.
    pub fn parse(text: &str) -> std::result::Result<Self, String> {
        if text == "plain" {
            return Ok(Self::Plain);
        }
        let options: Option<Vec<String>> = text
            .split(',')
            .map(|part| {
                part.trim().split_once('=').map(|(name, value)| format!("--{name}={value}"))
            })
            .collect();
        let options = options
            .ok_or("give plain, or options of the method as name=value,name=value".to_owned())?;
        let alone = Alone::try_parse_from(options).map_err(|e| sentence(&e))?;
        if alone.method.is_all() {
            return Err("give one method to compare with; --method all compares them all".into());
        }
        Ok(Self::Method { text: text.to_owned(), args: Box::new(alone.method) })
    }
}

/// An approach in a line.
pub fn describe(approach: &Approach) -> String {
    match approach {
        Approach::SelfTaught(method) => describe_method(method),
        Approach::Transductive { name: transductive::Method::Plain } => {
            "plain: logistic regression on the labelled instances".to_owned()
        }
        Approach::Transductive { name } => format!("{name}, with its published parameters"),
    }
}

fn describe_method(method: &Method) -> String {
    let penalty = method.penalty.unwrap_or(match method.model {
        Model::IciR => Penalty::Group,
        Model::IciC => Penalty::Elementwise,
    });
    let selector = match method.selector {
        Selector::Ici => format!("{} ({penalty} penalty)", method.model),
        Selector::Cn => format!("selector cn ({}, {penalty} penalty)", method.model),
        other => format!("selector {other}"),
    };
    let reduction = match method.reduction {
        reduce::Method::Identity => "no reduction".to_owned(),
        reduction => format!("{reduction} to {} dimensions", method.d),
    };
    let cap = method.cap.map_or(String::new(), |cap| format!(", {cap} in all"));
    let compat = if method.compat { ", compat" } else { "" };
    let Method { classifier, step, .. } = method;
    format!(
        "{selector}, {reduction}, classifier {classifier}, {step} a class and round{cap}{compat}"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn against(text: &str) -> std::result::Result<Method, String> {
        let base = Method { step: 3, cap: Some(25), seed: 7, ..Method::default() };
        match Against::parse(text)? {
            Against::Plain => Err("plain".into()),
            Against::Method { args, .. } => Ok(args.over(&base)),
        }
    }

    #[test]
    fn a_second_method_differs_in_what_is_given() {
        let base = Method { step: 3, cap: Some(25), seed: 7, ..Method::default() };
        let other = against("selector=co, cap=none,compat=true,dim=9").unwrap();
        let expected = Method { selector: Selector::Co, cap: None, compat: true, d: 9, ..base };
        assert_eq!(other, expected);
        assert!(matches!(Against::parse("plain"), Ok(Against::Plain)));
    }

    #[test]
    fn what_is_no_method_is_answered_with_the_choices() {
        for (text, expected) in [
            ("selector=best", "[possible values: ici, ra, nn, co, cn]"),
            ("colour=red", "'--colour'"),
            ("co", "name=value"),
            ("cap=many", "none for no limit"),
        ] {
            let said = against(text).unwrap_err();
            assert!(said.contains(expected), "{text}: {said}");
        }
    }

    #[test]
    fn methods_are_told_in_a_line() {
        assert_eq!(
            describe_method(&Method::default()),
            "icir (group penalty), lle to 5 dimensions, classifier lr, 5 a class and round"
        );
        let method =
            Method { model: Model::IciC, compat: true, cap: Some(25), ..Method::default() };
        assert!(describe_method(&method).starts_with("icic (elementwise penalty)"));
        assert!(describe_method(&method).ends_with("round, 25 in all, compat"));
    }
}
