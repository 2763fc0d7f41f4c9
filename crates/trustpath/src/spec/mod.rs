//! Specs: every option of a command declared once, with its name, type, default and documentation.
//!
//! A spec is a struct of names and numbers. The command line builds its flags from [`Spec::OPTIONS`], Python checks its
//! arguments against them, `bench` prints and hashes them, and all of them read values through [`Spec::set`], so that a
//! value is parsed and refused in one place. The name of an option is the name of the field; the command line writes `-`
//! for `_`.
//!
//! ```
//! use trustpath::spec::{LabelSpec, Spec, Value};
//!
//! let mut spec = LabelSpec::default();
//! spec.set("precision", Value::Number(0.95))?;
//! spec.set_text("labeller", "rounds")?;
//! assert_eq!(spec.precision, Some(0.95));
//! assert!(spec.set_text("labeller", "umap").is_err());
//! assert!(LabelSpec::OPTIONS.iter().any(|option| option.name == "per_class"));
//! # Ok::<(), trustpath::Error>(())
//! ```

mod field;
mod label;

pub use field::{Field, Kind, Value};
pub use label::{AuditSpec, LabelSpec, LabellerKind};

use crate::{Error, Result};

/// One option of a spec.
#[derive(Debug)]
pub struct OptionDef<S: 'static> {
    /// Its name, as in Python; the command line writes `-` for `_`.
    pub name: &'static str,
    /// The heading under which help shows it.
    pub heading: &'static str,
    /// What help shows in place of a value; empty for a flag.
    pub placeholder: &'static str,
    /// What it does.
    pub help: &'static str,
    /// What its values look like.
    pub kind: Kind,
    #[doc(hidden)]
    pub get: fn(&S) -> Value,
    #[doc(hidden)]
    pub set: fn(&mut S, Value) -> Result<()>,
}

impl<S: Spec> OptionDef<S> {
    /// The name on the command line.
    pub fn flag(&self) -> String {
        self.name.replace('_', "-")
    }

    /// The help text in one paragraph, with the default value at its end unless the text states one itself.
    pub fn help_with_default(&self) -> String {
        let help = self.help.split_whitespace().collect::<Vec<_>>().join(" ");
        match (self.get)(&S::default()) {
            Value::Unset | Value::Flag(_) => help,
            _ if help.contains("[default:") => help,
            value => format!("{help} [default: {value}]"),
        }
    }

    /// The value in this spec.
    pub fn value(&self, spec: &S) -> Value {
        (self.get)(spec)
    }
}

/// A set of options.
pub trait Spec: Default + Clone + PartialEq + std::fmt::Debug + 'static {
    /// All options, in the order in which help shows them.
    const OPTIONS: &'static [OptionDef<Self>];

    /// Sets an option by name.
    ///
    /// # Errors
    /// [`Error::Parameter`] for an unknown name or an unusable value.
    fn set(&mut self, name: &str, value: Value) -> Result<()> {
        (Self::option(name)?.set)(self, value)
    }

    /// Sets an option from text.
    ///
    /// # Errors
    /// As [`Spec::set`].
    fn set_text(&mut self, name: &str, text: &str) -> Result<()> {
        let option = Self::option(name)?;
        (option.set)(self, option.kind.parse(option.name, text)?)
    }

    /// Names and values of all options.
    fn values(&self) -> Vec<(&'static str, Value)> {
        Self::OPTIONS.iter().map(|option| (option.name, (option.get)(self))).collect()
    }

    /// The option of a name, written with `_` or `-`.
    ///
    /// # Errors
    /// [`Error::Parameter`] for an unknown name.
    fn option(name: &str) -> Result<&'static OptionDef<Self>> {
        let name = name.replace('-', "_");
        Self::OPTIONS.iter().find(|option| option.name == name).ok_or_else(|| {
            let names: Vec<&str> = Self::OPTIONS.iter().map(|option| option.name).collect();
            Error::choice("option", &name, &names)
        })
    }
}

/// Declares a spec: the doc comment of each field is its documentation everywhere.
#[doc(hidden)]
#[macro_export]
macro_rules! declare_spec {
    (
        $(#[$meta:meta])*
        $vis:vis struct $type:ident {
            $(
                [$heading:literal, $placeholder:literal]
                $(#[doc = $doc:literal])+
                $field:ident: $kind:ty = $default:expr,
            )*
        }
    ) => {
        $(#[$meta])*
        #[derive(Debug, Clone, PartialEq)]
        $vis struct $type {
            $($(#[doc = $doc])+ pub $field: $kind,)*
        }

        impl Default for $type {
            fn default() -> Self {
                Self { $($field: $default,)* }
            }
        }

        impl $crate::spec::Spec for $type {
            const OPTIONS: &'static [$crate::spec::OptionDef<Self>] = &[$(
                $crate::spec::OptionDef {
                    name: stringify!($field),
                    heading: $heading,
                    placeholder: $placeholder,
                    help: concat!($($doc, "\n"),+),
                    kind: <$kind as $crate::spec::Field>::KIND,
                    get: |spec| $crate::spec::Field::get(&spec.$field),
                    set: |spec, value| {
                        $crate::spec::Field::set(&mut spec.$field, stringify!($field), value)
                    },
                },
            )*];
        }
    };
}
