//! Encoding from states: frames, signons and blocks. Editing and live servers share it.

pub mod canonical;

pub mod block_writer;
pub(crate) mod deltas;
pub mod mvd;
pub mod mvd_signon;
pub mod reencode;
pub mod signon;
pub mod strings;
