//! The live protocol as plain functions and state machines: no clock, no socket.

pub mod gtv;
pub mod query;
