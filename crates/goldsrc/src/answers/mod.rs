//! What a recording answers about itself: `info`, `verify`, `audit`, `explain`, `state`, user commands.

pub(crate) mod audit;
mod explain;
mod info;
pub(crate) mod moment;
mod usercmds;
mod verify;
