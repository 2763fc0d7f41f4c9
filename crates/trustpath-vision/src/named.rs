//! Choices that are made by name.

/// Gives an enum the names of its variants: `ALL`, `NAMES`, `Display` and `FromStr`.
macro_rules! named {
    ($type:ident, $what:literal, [$($variant:ident = $name:literal),+ $(,)?]) => {
        impl $type {
            /// All variants, in order.
            pub const ALL: [Self; [$($name),+].len()] = [$(Self::$variant),+];
            /// Their names, in the same order.
            pub const NAMES: [&'static str; Self::ALL.len()] = [$($name),+];
        }

        impl std::fmt::Display for $type {
            fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
                f.pad(Self::NAMES[*self as usize])
            }
        }

        impl std::str::FromStr for $type {
            type Err = $crate::Error;

            fn from_str(name: &str) -> $crate::Result<Self> {
                let at = Self::NAMES.iter().position(|known| *known == name);
                at.map(|at| Self::ALL[at])
                    .ok_or_else(|| $crate::Error::unknown($what, name, &Self::NAMES))
            }
        }
    };
}
pub(crate) use named;
