//! Declares what edits do and lose: the data, a stable kind, and the sentence of each.

/// Declares an enum whose every variant has a kind and a sentence.
macro_rules! sentences {
    ($(#[$about:meta])* $name:ident { $($variant:ident $({ $($field:ident: $type:ty),* $(,)? })? = $kind:literal $format:literal $(($($arg:expr),+))?,)* }) => {
        $(#[$about])*
        #[derive(Debug, Clone, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        #[allow(missing_docs, reason = "the sentence of a variant says what its fields are")]
        pub enum $name {
            $(#[doc = concat!("`", $kind, "`: ", $format)] $variant $({ $($field: $type),* })?,)*
        }

        impl $name {
            /// The kinds, in the order of the declaration.
            pub const KINDS: &'static [&'static str] = &[$($kind),*];

            /// Its stable name, as `--json` has it.
            pub fn kind(&self) -> &'static str {
                match self {
                    $($name::$variant { .. } => $kind,)*
                }
            }
        }

        /// The sentence that people read. Its wording may change between versions; the kind does not.
        impl std::fmt::Display for $name {
            #[allow(unused_variables, reason = "a sentence need not have every field")]
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                match self {
                    $($name::$variant $({ $($field),* })? => write!(f, $format $(, $($arg),+)?),)*
                }
            }
        }

        /// The sentence.
        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }
    };
}
pub(super) use sentences;

/// `1 frame`, `2 frames`.
pub(super) fn counted(count: u64, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}
