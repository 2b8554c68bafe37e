//! What live clients and servers of all games share: admission, rates, playback control, and streams.
//!
//! This crate knows no format, opens no socket and reads no clock. Addresses are any type that the caller can compare; times are seconds
//! that the caller passes in.
//!
//! - [`Challenges`]: a number per address that only its owner can know. Stores nothing.
//! - [`Rates`]: limits requests per address in bounded memory.
//! - [`Channel`]: the network channel of QuakeWorld and Quake II.
//! - [`RateLimiter`]: limits the bytes sent to one client.
//! - [`PlaybackServer`]: plays a recording to game clients. [`PlaybackCore`] is what all have, [`Clock`] their time, [`Control`] what viewers
//!   may do, [`Checkpoints`] the way back, [`Viewers`] who watches; [`PerViewer`] gives each viewer an independent playback.
//! - [`StreamServer`]: serves a recording as a stream (QTV, GTV).
//! - [`Stream`]: a recording that arrives from a server. [`RecordingOutput`] is what its recorder has written.
//! - [`DatagramRecorder`]: a recorder of game servers. [`RecorderCore`] is its state.
//! - [`Delay`]: passes data on later.
//! - [`Growing`]: the bytes of a recording that still grows.
//! - [`Console`]: decides which console commands of a recording reach viewers.
//! - [`block_checksum`]: the checksum that engines compare files by.
//! - [`status`]: answers to status queries.
//! - [`network`], [`sessions`]: simulated networks that lose, repeat, delay and reorder packets, for tests.

#![warn(unreachable_pub)]

mod challenge;
mod channel;
mod checkpoints;
mod clock;
mod console;
mod control;
mod delay;
mod growing;
mod md4;
pub mod network;
mod per_viewer;
mod playback_server;
mod rate;
mod rate_limiter;
mod recorder_core;
mod recording_output;
pub mod sessions;
mod side;
pub mod status;
mod stream;
mod stream_server;
mod viewers;

pub use challenge::Challenges;
pub use channel::{Channel, ChannelPacket, Refused};
pub use checkpoints::Checkpoints;
pub use clock::Clock;
pub use console::Console;
pub use control::{Control, ControlCommand, stamp};
pub use delay::Delay;
pub use growing::Growing;
pub use md4::block_checksum;
pub use per_viewer::PerViewer;
pub use playback_server::{PlaybackCore, PlaybackServer};
pub use rate::Rates;
pub use rate_limiter::RateLimiter;
pub use recorder_core::{DatagramRecorder, RecorderCore};
pub use recording_output::RecordingOutput;
pub use side::Side;
pub use stream::{Stream, UNANSWERED};
pub use stream_server::{RecordingStream, StreamProtocol, StreamRequest, StreamServer};
pub use viewers::{Unproven, Viewer, ViewerList, Viewers};
