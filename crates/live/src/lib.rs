//! What live clients and servers of all families share. It knows no format, owns no socket and reads no clock: addresses are
//! whatever the caller can compare, times are seconds that the caller passes in.
//!
//! - [`Challenges`]: a number per address that whoever sends from there can know, and nobody else; no table.
//! - [`Rates`]: how often an address may ask, in bounded memory.
//! - [`network`]: a network that loses, doubles, delays and reorders, for tests.
//! - [`status`]: what servers answer when asked who plays.

mod challenge;
pub mod network;
mod rate;
pub mod status;

pub use challenge::Challenges;
pub use rate::Rates;
