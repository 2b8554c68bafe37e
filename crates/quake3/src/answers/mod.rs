//! What a recording answers about itself: info, verification, audit, the fields of its messages, the state at a time.

pub(crate) mod audit;
mod engine_rules;
pub(crate) mod explain;
pub(crate) mod extract;
pub(crate) mod info;
mod meaning;
pub(crate) mod moment;
pub(crate) mod verify;
