//! The words of entity and player states, and the tables that say how each dialect sends them.
//! Implements *Entity states* and *Player states* of `docs/formats/quake2.md`.

pub mod entity;
mod entity_words;
pub(crate) mod names;
mod plans;
pub mod player;
mod player_words;
mod table;

pub use plans::Plans;
pub(crate) use table::{FOG_PARTS, LAYOUTS};
pub use table::{Shape, Step, flagged};
pub(crate) use table::{flagged_value, high24};

/// Declares the words of a row once: a constant for each and the list of their names.
macro_rules! slots {
    ($(#[$meta:meta])* $names:ident: $($constant:ident = $name:literal),* $(,)?) => {
        #[allow(non_camel_case_types, clippy::upper_case_acronyms, reason = "counts the constants below")]
        enum Slot {
            $($constant),*
        }
        $(
            #[doc = concat!("The word `", $name, "`.")]
            pub const $constant: usize = Slot::$constant as usize;
        )*
        $(#[$meta])*
        pub const $names: &[&str] = &[$($name),*];
    };
}
pub(crate) use slots;
