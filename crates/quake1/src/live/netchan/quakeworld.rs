//! QuakeWorld's channel. Document: *QuakeWorld's channel*.
//!
//! ```
//! use fragreel_quake1::live::netchan::quakeworld::{Channel, Side};
//!
//! let (mut client, mut server) = (Channel::new(Side::Client { qport: 7 }), Channel::new(Side::Server { qport: 7 }));
//! client.queue(b"\x04new\0");
//! let datagram = client.transmit(b"");
//! let packet = server.receive(&datagram).unwrap();
//! assert_eq!((packet.sequence, packet.payload), (1, &b"\x04new\0"[..]));
//! ```

pub use fragreel_live::{Refused, Side};

/// Most bytes of a datagram after its header, as in the original engine.
pub const LARGEST: usize = 1450;

/// Most bytes that wait to be sent reliably: a few dozen round trips of what a healthy connection carries. Messages share blocks, so that
/// short ones cost no more.
pub const MOST_QUEUED: usize = 1 << 16;

/// One end of a connection. A reliable block may fill a datagram.
pub type Channel = fragreel_live::Channel<LARGEST, LARGEST, MOST_QUEUED>;
