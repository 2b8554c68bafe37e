//! What a recording answers about itself: `info`, `verify`, `audit`, `explain`, `state`, user commands.

pub(crate) mod audit;
pub(crate) mod explain;
pub(crate) mod extract;
pub(crate) mod info;
mod meaning;
pub(crate) mod moment;
pub(crate) mod usercmds;
pub(crate) mod verify;
