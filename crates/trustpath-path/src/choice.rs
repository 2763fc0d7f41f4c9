//! Enums that users choose from by name: each value is declared together with its name, once.

/// Declares an enum whose values have names. It gets `ALL`, `NAMES`, `name()`, `Display` and `FromStr`; text that is
/// no name is refused with the list of names.
#[doc(hidden)]
#[macro_export]
macro_rules! choices {
    (
        $(#[$meta:meta])*
        $vis:vis enum $type:ident ($what:literal) {
            $($(#[$value_meta:meta])* $value:ident = $name:literal,)*
        }
    ) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        $vis enum $type {
            $($(#[$value_meta])* $value,)*
        }

        impl $type {
            /// All values, in the order of the documentation.
            pub const ALL: [Self; [$($name,)*].len()] = [$(Self::$value,)*];
            /// Their names, in the same order.
            pub const NAMES: &'static [&'static str] = &[$($name,)*];

            /// The name on the command line and in Python.
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$value => $name,)*
                }
            }
        }

        impl ::std::fmt::Display for $type {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                f.pad(self.name())
            }
        }

        impl ::std::str::FromStr for $type {
            type Err = $crate::Error;

            fn from_str(text: &str) -> $crate::Result<Self> {
                let named = Self::ALL.into_iter().find(|value| value.name() == text);
                named.ok_or_else(|| $crate::Error::choice($what, text, Self::NAMES))
            }
        }
    };
}
