//! What a recording answers about itself: info, verification, audit, the fields of its messages, the state at a time.

pub(crate) mod audit;
pub(crate) mod explain;
pub(crate) mod info;
pub(crate) mod moment;
pub(crate) mod verify;
