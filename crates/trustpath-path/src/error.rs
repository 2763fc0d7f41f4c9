//! What can go wrong, in one sentence each: what was given, and what to do about it.

use std::borrow::Cow;

/// The result of every fallible function of this crate.
pub type Result<T> = std::result::Result<T, Error>;

/// Everything this crate refuses, each with the input it names and the remedy.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// There are no rows, or the rows have no columns.
    #[error(
        "the features are empty ({rows} rows of {dims} dimensions): give at least one instance with at least one feature"
    )]
    Empty {
        /// Number of rows given.
        rows: usize,
        /// Number of columns given.
        dims: usize,
    },
    /// A slice does not hold `rows × dims` values.
    #[error(
        "{rows} rows of {dims} features need {expected} values but {given} were given: check the shape of the input"
    )]
    Shape {
        /// Number of rows announced.
        rows: usize,
        /// Number of columns announced.
        dims: usize,
        /// `rows · dims`.
        expected: usize,
        /// Number of values given.
        given: usize,
    },
    /// A feature is NaN or infinite.
    #[error(
        "feature {column} of instance {row} is {value}: every feature must be a finite number; drop or impute that instance"
    )]
    NotFinite {
        /// Row of the value.
        row: usize,
        /// Column of the value.
        column: usize,
        /// The value itself, NaN or ±∞.
        value: f64,
    },
    /// A feature vector is zero, so that it has no direction.
    #[error(
        "instance {row} is the zero vector, which has no direction to normalise: drop it or check the feature extractor"
    )]
    ZeroVector {
        /// Row of the vector.
        row: usize,
    },
    /// All instances are the same point, or all columns are constant.
    #[error(
        "all {rows} instances are identical or differ in length alone: there is nothing to tell them apart; check the feature extractor"
    )]
    Constant {
        /// Number of rows given.
        rows: usize,
    },
    /// A single column of one sign, of which nothing is left at unit length.
    #[error(
        "the only feature has the same sign in all {rows} instances, and instances are compared by their direction alone: add a second feature, or subtract the mean from this one"
    )]
    OneColumn {
        /// Number of rows given.
        rows: usize,
    },
    /// The neighbourhood is as large as the data.
    #[error(
        "{neighbors} neighbours were asked for but there are only {rows} instances: ask for fewer neighbours or give more instances"
    )]
    TooFewForNeighbors {
        /// Number of rows given.
        rows: usize,
        /// Neighbours asked for.
        neighbors: usize,
    },
    /// More dimensions were asked for than the data have.
    #[error(
        "{asked} dimensions were asked for but at most {available} are available: reduce to fewer dimensions or give more instances"
    )]
    TooManyDimensions {
        /// Dimensions asked for.
        asked: usize,
        /// Dimensions to be had.
        available: usize,
    },
    /// Fewer than two classes.
    #[error("{classes} class was given: at least two are needed to tell classes apart")]
    OneClass {
        /// Number of classes given.
        classes: usize,
    },
    /// A class has no labelled instance.
    #[error("class {class} has no labelled instance: label at least one instance of it, or leave the class out")]
    ClassWithoutSupport {
        /// The class without a sample.
        class: usize,
    },
    /// A label is not one of the classes.
    #[error("label {label} of instance {row} is out of range: labels go from 0 to {}", classes - 1)]
    LabelOutOfRange {
        /// Position of the label.
        row: usize,
        /// The label.
        label: usize,
        /// Number of classes.
        classes: usize,
    },
    /// The labels and the instances differ in number.
    #[error("{labels} labels were given for {rows} instances: give exactly one label per instance")]
    LabelCount {
        /// Labels given.
        labels: usize,
        /// Instances given.
        rows: usize,
    },
    /// A row number is beyond the instances.
    #[error("row {row} was named but there are only {rows} instances: rows go from 0 to {}", rows - 1)]
    RowOutOfRange {
        /// The row.
        row: usize,
        /// Number of instances.
        rows: usize,
    },
    /// Instances have another number of features than the model was trained on.
    #[error(
        "the instances have {given} features but the model was trained on {expected}: give features from the same extractor"
    )]
    Dimensions {
        /// Features the model was trained on.
        expected: usize,
        /// Features given.
        given: usize,
    },
    /// A parameter is outside its domain.
    #[error("{name} = {value} is not usable: {expected}")]
    Parameter {
        /// Name of the parameter.
        name: &'static str,
        /// What was given.
        value: String,
        /// What it must be.
        expected: Cow<'static, str>,
    },
    /// Rows that are elsewhere could not be read.
    #[error("the rows could not be summed: {reason}")]
    Rows {
        /// What went wrong, and the remedy.
        reason: String,
    },
    /// A source of blocks of rows could not read them.
    #[error("{reason}")]
    Stored {
        /// What went wrong, and the remedy, in the words of the source.
        reason: String,
    },
    /// More instances than a reduction takes that builds matrices over all pairs of them.
    #[error(
        "{rows} instances are more than the {most} that this reduction takes, because it builds a matrix over all pairs of them: reduce by pca, or give fewer instances"
    )]
    TooManyToReduce {
        /// Number of instances.
        rows: usize,
        /// The largest number that it takes.
        most: usize,
    },
    /// Coordinates were asked for that have been replaced.
    #[error("the coordinates are already projected: pass new coordinates for another path")]
    Projected,
    /// The observer asked to stop.
    #[error("the run was stopped before it was done: nothing was kept; start it again")]
    Stopped,
    /// An iteration did not reach its tolerance.
    #[error(
        "{what} stopped at {reached:e} after {iterations} iterations, above its tolerance {tolerance:e}: check the features for extreme values and columns that hardly vary, or give a larger tolerance where there is an option for it"
    )]
    NotConverged {
        /// Which computation.
        what: &'static str,
        /// Iterations spent.
        iterations: usize,
        /// Residual reached.
        reached: f64,
        /// Residual asked for.
        tolerance: f64,
    },
}

impl Error {
    /// A parameter that is outside its domain.
    pub fn parameter(
        name: &'static str,
        value: impl std::fmt::Display,
        expected: impl Into<Cow<'static, str>>,
    ) -> Self {
        Self::Parameter { name, value: value.to_string(), expected: expected.into() }
    }

    /// A value that is none of the names to choose from.
    pub fn choice(name: &'static str, value: &str, names: &[&str]) -> Self {
        Self::parameter(name, value, format!("choose one of {}", names.join(", ")))
    }
}
