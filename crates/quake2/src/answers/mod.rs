//! Answers about a recording: info, verify, explain, state, audit.

pub(crate) mod audit;
pub(crate) mod explain;
pub(crate) mod extract;
pub(crate) mod info;
mod meaning;
pub(crate) mod moment;
pub(crate) mod verify;
