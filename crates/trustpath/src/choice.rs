//! Enums that users choose from by name: each value is declared together with its name, once.

/// Declares an enum whose values have names. It gets `ALL`, `NAMES`, `name()`, `Display` and `FromStr`; text that is
/// no name is refused with the list of names.
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
                let found = Self::ALL.into_iter().find(|value| value.name() == text);
                found.ok_or_else(|| $crate::Error::choice($what, text, Self::NAMES))
            }
        }
    };
}

pub(crate) use choices;

#[cfg(test)]
mod tests {
    use crate::classify::ClassifierKind;
    use crate::incidental::logistic::Scaling;
    use crate::judge::Selector;
    use crate::reduce::Reduction;
    use crate::transductive::TransductiveKind;

    /// Every name is read as the value that prints it, and a refusal lists all names.
    macro_rules! names_round_trip {
        ($($type:ty),*) => {$(
            let refusal = "nonsense".parse::<$type>().unwrap_err().to_string();
            for value in <$type>::ALL {
                assert_eq!(value.to_string().parse::<$type>().unwrap(), value);
                assert!(refusal.contains(value.name()), "{refusal}");
            }
            assert_eq!(<$type>::ALL.len(), <$type>::NAMES.len());
        )*};
    }

    #[test]
    fn names_round_trip() {
        names_round_trip!(ClassifierKind, Selector, Reduction, TransductiveKind, Scaling);
    }
}
