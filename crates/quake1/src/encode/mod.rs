//! Writes messages from a state: what edits and live servers share.

pub mod block_writer;
pub(crate) mod canonical;
pub(crate) mod delays;
pub mod quakeworld;
pub mod recode;
pub mod reencode;
pub mod signon;
pub mod signon_writer;
pub mod usage;
pub mod world;
