//! What other crates of this project use of this one. It may change in any version.
#![allow(missing_docs, reason = "the modules have theirs")]

pub use crate::encode::{block_writer, quakeworld, recode, reencode, signon, signon_writer, usage, world};
pub use crate::walk::{blocks, decoded_blocks, decoder, playable, playback};

pub mod characters {
    pub use crate::characters::*;
}

pub mod container {
    pub use crate::container::*;
}

pub mod dialect {
    pub use crate::dialect::*;
}

pub mod fields {
    pub use crate::fields::*;
}

pub mod limits {
    pub use crate::limits::*;
}

pub mod message {
    pub use crate::message::*;
}

pub mod properties {
    pub use crate::properties::*;
}

pub mod replacement {
    pub use crate::replacement::*;
}

pub mod state {
    pub use crate::state::*;
}
