//! The live protocol as plain functions and state machines: no clock, no socket.

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
