//! QuakeWorld's channel. Document: *QuakeWorld's channel*.

pub(crate) use fragreel_live::{Refused, Side};

/// Most bytes of a datagram after its header, as in the original engine.
pub(crate) const LARGEST: usize = 1450;

/// Most bytes that wait to be sent reliably: a few dozen round trips of what a healthy connection carries. Messages share blocks, so that
/// short ones cost no more.
pub(crate) const MOST_QUEUED: usize = 1 << 16;

/// One end of a connection. A reliable block may fill a datagram.
pub(crate) type Channel = fragreel_live::Channel<LARGEST, LARGEST, MOST_QUEUED>;
