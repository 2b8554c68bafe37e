//! What live clients and servers of all families share. It knows no format, owns no socket and reads no clock: addresses are
//! whatever the caller can compare, times are seconds that the caller passes in.
//!
//! - [`Challenges`]: a number per address that whoever sends from there can know, and nobody else; no table.
//! - [`Rates`]: how often an address may ask, in bounded memory.
//! - [`Show`]: a server that shows a recording; its [`Clock`], and the [`Control`] that its viewers have over it; [`Apart`], one for each of them.
//! - [`Cast`]: a recording as a stream, to whoever connects.
//! - [`Delay`]: what is passed on later than it came.
//! - [`Growing`]: the bytes of a recording of which more comes.
//! - [`Allowance`]: how fast somebody is sent things.
//! - [`Console`]: which of a recording's console commands reach its viewers.
//! - [`Stream`]: a recording that comes from a server; [`Written`], what its recorder has written.
//! - [`network`]: a network that loses, doubles, delays and reorders, for tests.
//! - [`sessions`]: a show and a recorder on such networks, for tests.
//! - [`status`]: what servers answer when asked who plays.

mod allowance;
mod apart;
mod cast;
mod challenge;
mod clock;
mod console;
mod control;
mod delay;
mod growing;
pub mod network;
mod rate;
pub mod sessions;
mod show;
mod side;
pub mod status;
mod stream;
mod written;

pub use allowance::Allowance;
pub use apart::Apart;
pub use cast::{Asked, Cast, Reception, Tape};
pub use challenge::Challenges;
pub use clock::Clock;
pub use console::Console;
pub use control::{Control, Order, stamp};
pub use delay::Delay;
pub use growing::Growing;
pub use rate::Rates;
pub use show::Show;
pub use side::Side;
pub use stream::{Stream, UNANSWERED};
pub use written::Written;
