//! Options by name: every call hands over one dict, and each option of it is read and checked here.

use std::fmt::Display;
use std::str::FromStr;

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict};
use trustpath::spec::{Kind, LabelSpec, Spec, Value};

use crate::errors;

/// The options of a call. One that is missing or `None` has its default.
#[derive(FromPyObject)]
#[pyo3(transparent)]
pub struct Options<'py>(Bound<'py, PyDict>);

/// A number of threads as scikit-learn gives it: `None` or -1 means one for each core.
#[derive(Clone, Copy)]
pub struct Threads(pub Option<usize>);

impl<'py> FromPyObject<'_, 'py> for Threads {
    type Error = PyErr;

    fn extract(value: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        if value.is_none() || value.extract::<i64>().is_ok_and(|jobs| jobs == -1) {
            return Ok(Self(None));
        }
        let expected = "give a positive number, or None for all cores";
        match value.extract::<usize>() {
            Ok(jobs) if jobs > 0 => Ok(Self(Some(jobs))),
            _ => Err(unusable("n_jobs", value.repr()?, expected)),
        }
    }
}

/// The error for a value that an option does not take.
pub fn unusable(name: &str, value: impl Display, expected: impl Display) -> PyErr {
    PyValueError::new_err(format!("{name} = {value} is not usable: {expected}"))
}

impl<'py> Options<'py> {
    fn get(&self, name: &str) -> PyResult<Option<Bound<'py, PyAny>>> {
        Ok(self.0.get_item(name)?.filter(|value| !value.is_none()))
    }

    /// A value of a type that Python converts, except that a bool is not a number. One that Python converts but the type cannot
    /// hold is not `expected`.
    fn convert<T: for<'a> FromPyObject<'a, 'py>>(&self, name: &str, kind: &str, expected: &str) -> PyResult<Option<T>> {
        let Some(value) = self.get(name)? else { return Ok(None) };
        let wrong = |repr| PyTypeError::new_err(format!("{name} = {repr} is not usable: give {kind}"));
        if value.is_instance_of::<PyBool>() {
            return Err(wrong(value.repr()?));
        }
        match value.extract::<T>().map_err(Into::<PyErr>::into) {
            Ok(converted) => Ok(Some(converted)),
            Err(error) if error.is_instance_of::<PyTypeError>(self.0.py()) => Err(wrong(value.repr()?)),
            Err(_) => Err(unusable(name, value.repr()?, expected)),
        }
    }

    /// A whole number that is at least `least`.
    pub fn count(&self, name: &str, least: u64) -> PyResult<Option<usize>> {
        let expected = format!("it must be at least {least}");
        match self.convert::<u64>(name, "a whole number", &expected)? {
            Some(value) if value < least => Err(unusable(name, value, expected)),
            value => Ok(value.map(|value| value as usize)),
        }
    }

    /// A number.
    pub fn number(&self, name: &str) -> PyResult<Option<f64>> {
        self.convert(name, "a number", "give a smaller number")
    }

    /// Whether an option is on.
    pub fn flag(&self, name: &str) -> PyResult<Option<bool>> {
        self.get(name)?.map(|value| value.is_truthy()).transpose()
    }

    /// Two whole numbers.
    pub fn pair(&self, name: &str) -> PyResult<Option<(usize, usize)>> {
        let Some(value) = self.get(name)? else { return Ok(None) };
        let expected = "give two whole numbers";
        let pair = value.extract().map_err(|_| unusable(name, &value, expected))?;
        Ok(Some(pair))
    }

    /// A text.
    pub fn text(&self, name: &str) -> PyResult<Option<String>> {
        self.get(name)?.map(|value| Ok(value.str()?.to_string())).transpose()
    }

    /// A name with a parser of its own.
    pub fn parsed<T: FromStr<Err: Display>>(&self, name: &str) -> PyResult<Option<T>> {
        let parse = |text: String| text.parse().map_err(|error: T::Err| PyValueError::new_err(error.to_string()));
        self.text(name)?.map(parse).transpose()
    }

    /// One of a few names.
    pub fn choice<T: Copy>(&self, name: &str, choices: &[(&str, T)]) -> PyResult<Option<T>> {
        let Some(text) = self.text(name)? else { return Ok(None) };
        if let Some((_, choice)) = choices.iter().find(|(choice, _)| *choice == text) {
            return Ok(Some(*choice));
        }
        let names: Vec<String> = choices.iter().map(|(name, _)| format!("'{name}'")).collect();
        let (last, others) = names.split_last().expect("there is at least one choice");
        let expected = format!("choose {} or {last}", others.join(", "));
        Err(unusable(name, format_args!("'{text}'"), expected))
    }

    /// Refuses options with other names.
    pub fn only(&self, names: &[&str]) -> PyResult<()> {
        for key in self.0.keys() {
            let key: String = key.extract()?;
            if !names.contains(&key.as_str()) {
                let among = names.join(", ");
                let sentence = format!("{key} is not an option: choose among {among}");
                return Err(PyTypeError::new_err(sentence));
            }
        }
        Ok(())
    }

    /// The number of threads, `n_jobs`.
    pub fn threads(&self) -> PyResult<Threads> {
        self.get("n_jobs")?.map_or(Ok(Threads(None)), |value| value.extract())
    }

    /// A spec of the engine with the options that are given.
    pub fn spec<S: Spec>(&self) -> PyResult<S> {
        let mut spec = S::default();
        for option in S::OPTIONS {
            let name = option.name;
            let value = match option.kind.inner() {
                Kind::Flag => self.flag(name)?.map(Value::Flag),
                Kind::Count => self.count(name, 0)?.map(|count| Value::Count(count as u64)),
                Kind::Number => self.number(name)?.map(Value::Number),
                _ => self.text(name)?.map(Value::Text),
            };
            if let Some(value) = value {
                spec.set(name, value).map_err(errors::engine)?;
            }
        }
        Ok(spec)
    }

    /// The options of labelling, of which scikit-learn names two otherwise.
    pub fn label_spec(&self) -> PyResult<LabelSpec> {
        let mut spec: LabelSpec = self.spec()?;
        spec.closed = self.flag("none_of_these")? == Some(false);
        spec.seed = self.count("random_state", 0)?.unwrap_or(0) as u64;
        Ok(spec)
    }
}
