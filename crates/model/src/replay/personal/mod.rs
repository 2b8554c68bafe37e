//! What identifies a person: the keys of info strings that hold it, and how it looks inside any text.
//!
//! This is the one list. A key that is missing here is missing for every game.

mod commands;
mod find;
mod keys;
mod patterns;

pub use commands::rewrite_commands;
pub use find::{Found, find, in_place};
pub use keys::role_of_key;
