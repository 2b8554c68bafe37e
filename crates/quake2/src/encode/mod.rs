//! Encoding from states: frames, signons and blocks. Editing and live servers share it.

pub mod canonical;

pub(crate) mod block_writer;
pub(crate) mod deltas;
pub(crate) mod mvd;
pub(crate) mod mvd_signon;
pub(crate) mod reencode;
pub(crate) mod signon;
pub(crate) mod strings;
