//! The live protocol as plain functions and state machines: no clock, no socket. Document: `docs/formats/quake3.md`, "Live".

pub mod adaptive;
pub mod client_message;
pub mod film;
pub mod netchan;
#[doc(hidden)]
pub mod properties;
pub mod query;
pub mod recorder;
pub mod show;
mod viewer;
