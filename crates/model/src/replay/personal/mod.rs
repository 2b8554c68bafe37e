//! What identifies a person: the keys of info strings that hold it, and how it looks inside any text.
//!
//! This is the one list. A key that is missing here is missing for every game.

mod commands;
mod find;
mod keys;
mod patterns;

pub use commands::rewrite_commands;
pub use find::{Found, find, in_place};
pub use keys::{is_setting, role_of_key};

/// The keys of one kind of info string that have a role there, and not in every game: `name` of a player.
pub type OwnKeys<'a> = &'a [(&'a [u8], crate::Role)];
