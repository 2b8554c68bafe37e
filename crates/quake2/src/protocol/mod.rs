//! The live protocol as plain functions and state machines: no clock, no socket.

mod checksum;
pub mod client_message;
pub mod gtv;
pub mod handshake;
pub mod netchan;
#[doc(hidden)]
pub mod properties;
pub mod query;
pub mod recorder;
pub mod show;
