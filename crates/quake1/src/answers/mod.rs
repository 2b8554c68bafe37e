//! Answers to questions about a recording, each from one walk.

pub(crate) mod audit;
pub(crate) mod explain;
pub(crate) mod extract;
pub(crate) mod info;
mod meaning;
pub(crate) mod moment;
pub(crate) mod replay;
pub(crate) mod stated;
pub(crate) mod usercmds;
pub(crate) mod verify;
