//! Everything that is below the formats of game recordings.
//!
//! - [`wire`]: cursors over bits and bytes, Huffman coding, traces, errors, limits.
//! - [`delta`]: rows of words, and the two delta encodings.
//! - [`textform`]: trees as JSON Lines, and back.
//! - [`characters`]: bytes of games as text, without loss.

#![warn(unreachable_pub)]

pub mod characters;
pub mod code_page;
pub mod delta;
pub mod textform;
pub mod wire;
