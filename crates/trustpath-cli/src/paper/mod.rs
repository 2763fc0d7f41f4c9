//! The results of the paper, one target each.

/// Names of the targets.
pub const TARGETS: &[&str] = &[
    "table1",
    "assumptions",
    "errors",
    "path",
    "selectors",
    "iterations",
    "initial",
    "classifiers",
    "dimension",
    "reductions",
    "backbones",
    "alpha",
    "episode",
];
