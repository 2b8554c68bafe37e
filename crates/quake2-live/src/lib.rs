//! Live play of Quake II: a recorder, a demo server, GTV, and the network protocol. Pure state machines without clocks or sockets
//! (`docs/live.md`).

#![warn(unreachable_pub)]

mod checksum;
pub mod client_message;
pub mod demo_server;
pub mod gtv;
pub mod handshake;
pub mod netchan;
mod playhead;
#[doc(hidden)]
pub mod properties;
pub mod query;
pub mod recorder;
mod safe;
