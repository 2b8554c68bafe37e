//! Writes messages from a state: what edits and live servers share.

pub(crate) mod block_writer;
pub(crate) mod canonical;
pub(crate) mod delays;
pub(crate) mod quakeworld;
pub(crate) mod recode;
pub(crate) mod reencode;
pub(crate) mod signon;
pub(crate) mod signon_writer;
pub(crate) mod usage;
pub(crate) mod world;
