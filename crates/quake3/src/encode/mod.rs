//! Encoders that edits and live servers share: from state to the messages that a stock server would write.

pub mod canonical;
mod message_parts;
mod reencode;
mod signon;

pub(crate) use message_parts::{encode_in_parts, is_mixed};
pub(crate) use reencode::FrameEncoder;
pub(crate) use signon::{Signon, SignonState};

/// The text of the command behind the gamestate of a merged recording begins with this.
pub(crate) const MERGE_MARK: &[u8] = b"// merged from ";
