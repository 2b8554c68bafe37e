//! What live clients and servers of all families share. It knows no format, owns no socket and reads no clock: addresses are
//! whatever the caller can compare, times are seconds that the caller passes in.
//!
//! - [`Challenges`]: a number per address that whoever sends from there can know, and nobody else; no table.
//! - [`Rates`]: how often an address may ask, in bounded memory.
//! - [`PlaybackServer`]: a server that shows a recording; its [`Clock`], and the [`Control`] that its viewers have over it; [`PerViewer`], one for each of them.
//! - [`StreamServer`]: a recording as a stream, to whoever connects.
//! - [`Delay`]: what is passed on later than it came.
//! - [`Growing`]: the bytes of a recording of which more comes.
//! - [`RateLimiter`]: how fast somebody is sent things.
//! - [`Console`]: which of a recording's console commands reach its viewers.
//! - [`Stream`]: a recording that comes from a server; [`RecordingOutput`], what its recorder has written.
//! - [`network`]: a network that loses, doubles, delays and reorders, for tests.
//! - [`sessions`]: a show and a recorder on such networks, for tests.
//! - [`status`]: what servers answer when asked who plays.

mod challenge;
mod clock;
mod console;
mod control;
mod delay;
mod growing;
pub mod network;
mod per_viewer;
mod playback_server;
mod rate;
mod rate_limiter;
mod recording_output;
pub mod sessions;
mod side;
pub mod status;
mod stream;
mod stream_server;

pub use challenge::Challenges;
pub use clock::Clock;
pub use console::Console;
pub use control::{Control, ControlCommand, stamp};
pub use delay::Delay;
pub use growing::Growing;
pub use per_viewer::PerViewer;
pub use playback_server::PlaybackServer;
pub use rate::Rates;
pub use rate_limiter::RateLimiter;
pub use recording_output::RecordingOutput;
pub use side::Side;
pub use stream::{Stream, UNANSWERED};
pub use stream_server::{RecordingStream, StreamProtocol, StreamRequest, StreamServer};
