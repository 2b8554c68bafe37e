//! The live protocol of Quake III Arena as state machines, without a clock or a socket (`docs/formats/quake3.md`, "Live").

#![warn(unreachable_pub)]

pub mod adaptive;
pub(crate) mod client_message;
pub mod demo_server;
pub mod netchan;
pub mod playhead;
#[doc(hidden)]
pub mod properties;
pub mod pure;
pub mod query;
pub mod recorder;
mod viewer;
