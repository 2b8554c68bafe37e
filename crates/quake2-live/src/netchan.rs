//! The network channel: packets carry a sequence number and an acknowledgement, and one bit each that acknowledges a single reliable part
//! at a time (`docs/formats/quake2.md`, *Live*).

pub use fragreel_live::Side;

/// The maximum packet size after the header, in engines of protocol 34.
pub const LONGEST: usize = 1390;
/// The maximum size of a reliable part. The queue is sent in parts of at most this.
pub const LONGEST_RELIABLE: usize = 1200;

/// One end of a connection. Its owner limits what waits.
pub type Channel = fragreel_live::Channel<LONGEST, LONGEST_RELIABLE, { usize::MAX }>;
