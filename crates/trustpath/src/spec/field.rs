//! Values of options, and the types that hold them.

use std::fmt;

use crate::{Error, Result};

/// What the values of an option look like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Kind {
    /// Set or not.
    Flag,
    /// A whole number.
    Count,
    /// A number.
    Number,
    /// One of these names.
    Choice(&'static [&'static str]),
    /// A value of another kind, or `none`.
    Optional(&'static Kind),
}

/// A value of an option.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Value {
    /// No value; `none` as text.
    Unset,
    /// Set or not.
    Flag(bool),
    /// A whole number.
    Count(u64),
    /// A number.
    Number(f64),
    /// A name.
    Text(String),
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unset => f.write_str("none"),
            Self::Flag(value) => value.fmt(f),
            Self::Count(value) => value.fmt(f),
            Self::Number(value) => value.fmt(f),
            Self::Text(value) => value.fmt(f),
        }
    }
}

impl Kind {
    /// The kind of the value, if there is one.
    pub fn inner(self) -> Self {
        match self {
            Self::Optional(inner) => *inner,
            kind => kind,
        }
    }

    /// Reads a value from text. Whether a name is one of the choices is checked when it is set.
    pub(super) fn parse(self, name: &'static str, text: &str) -> Result<Value> {
        let wrong = |expected: &'static str| Error::parameter(name, text, expected);
        match self {
            Self::Optional(_) if text == "none" && !self.inner().has_choice("none") => Ok(Value::Unset),
            Self::Optional(inner) => inner.parse(name, text).map_err(|error| match error {
                Error::Parameter { name, value, expected } if !self.inner().is_choice() => {
                    Error::parameter(name, value, format!("{expected}, or none for no limit"))
                }
                error => error,
            }),
            Self::Flag => match text {
                "true" => Ok(Value::Flag(true)),
                "false" => Ok(Value::Flag(false)),
                _ => Err(wrong("choose true or false")),
            },
            Self::Count => text.parse().map(Value::Count).map_err(|_| wrong("give a whole number from 0 up")),
            Self::Number => text.parse().map(Value::Number).map_err(|_| wrong("give a number")),
            Self::Choice(_) => Ok(Value::Text(text.to_owned())),
        }
    }

    fn is_choice(self) -> bool {
        matches!(self, Self::Choice(_))
    }

    fn has_choice(self, name: &str) -> bool {
        matches!(self, Self::Choice(names) if names.contains(&name))
    }
}

/// A type that the field of a spec can have.
pub trait Field: Sized {
    /// What its values look like.
    const KIND: Kind;

    /// The value.
    fn get(&self) -> Value;

    /// Replaces the value of the option called `name`.
    ///
    /// # Errors
    /// [`Error::Parameter`] when the value is not usable.
    fn set(&mut self, name: &'static str, value: Value) -> Result<()>;
}

impl Field for bool {
    const KIND: Kind = Kind::Flag;

    fn get(&self) -> Value {
        Value::Flag(*self)
    }

    fn set(&mut self, name: &'static str, value: Value) -> Result<()> {
        match value {
            Value::Flag(flag) => *self = flag,
            other => return Err(Error::parameter(name, other, "choose true or false")),
        }
        Ok(())
    }
}

impl Field for u64 {
    const KIND: Kind = Kind::Count;

    fn get(&self) -> Value {
        Value::Count(*self)
    }

    fn set(&mut self, name: &'static str, value: Value) -> Result<()> {
        match value {
            Value::Count(count) => *self = count,
            other => return Err(Error::parameter(name, other, "give a whole number from 0 up")),
        }
        Ok(())
    }
}

impl Field for usize {
    const KIND: Kind = Kind::Count;

    fn get(&self) -> Value {
        Value::Count(*self as u64)
    }

    fn set(&mut self, name: &'static str, value: Value) -> Result<()> {
        let mut count = 0u64;
        count.set(name, value)?;
        *self = usize::try_from(count).map_err(|_| Error::parameter(name, count, "give a smaller number"))?;
        Ok(())
    }
}

impl Field for f64 {
    const KIND: Kind = Kind::Number;

    fn get(&self) -> Value {
        Value::Number(*self)
    }

    fn set(&mut self, name: &'static str, value: Value) -> Result<()> {
        match value {
            Value::Number(number) => *self = number,
            Value::Count(count) => *self = count as f64,
            other => return Err(Error::parameter(name, other, "give a number")),
        }
        Ok(())
    }
}

impl<T: Field + Default> Field for Option<T> {
    const KIND: Kind = Kind::Optional(&T::KIND);

    fn get(&self) -> Value {
        self.as_ref().map_or(Value::Unset, Field::get)
    }

    fn set(&mut self, name: &'static str, value: Value) -> Result<()> {
        *self = match value {
            Value::Unset => None,
            value => {
                let mut inner = T::default();
                inner.set(name, value)?;
                Some(inner)
            }
        };
        Ok(())
    }
}

/// Makes enums with names (`NAMES`, `name()`, `FromStr`) usable as fields.
#[doc(hidden)]
#[macro_export]
macro_rules! choice_fields {
    ($($type:ty),* $(,)?) => {$(
        impl $crate::spec::Field for $type {
            const KIND: $crate::spec::Kind = $crate::spec::Kind::Choice(<$type>::NAMES);

            fn get(&self) -> $crate::spec::Value {
                $crate::spec::Value::Text(self.name().to_owned())
            }

            fn set(
                &mut self,
                name: &'static str,
                value: $crate::spec::Value,
            ) -> $crate::Result<()> {
                let text = value.to_string();
                let unusable = |_| $crate::Error::choice(name, &text, <$type>::NAMES);
                *self = text.parse().map_err(unusable)?;
                Ok(())
            }
        }
    )*};
}
