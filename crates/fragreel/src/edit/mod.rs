//! Editing: recordings in, recordings out, never in place.
//!
//! | wish | way |
//! |---|---|
//! | a part of it, several | [`Recording::cut`], [`Recording::cuts`], [`highlights()`] for where |
//! | several of one, one of several | [`Recording::split`], [`Recording::join`] |
//! | several viewpoints in one | [`Recording::merge`] |
//! | one that plays of a damaged one | [`Recording::repair`] |
//! | another format | [`Recording::convert`], [`formats()`] for which |
//! | something changed throughout | [`Recording::rewrite`] with a [`Rewrite`]: [`Scrub`], [`Strip`], [`Rename`] or your own |
//! | is the result right? | [`verified()`], [`Verifier`] for several |
//!
//! What an edit gives is an [`Edited`]: bytes, what was done, and what was lost. Nothing that was not asked to change
//! does: messages that an edit has no reason to touch keep their bytes.
//!
//! A [`Rewrite`] does nothing until a hook is overridden:
//!
//! ```
//! use fragreel::Demo;
//! use fragreel::edit::{Fate, Place, Rewrite, Role};
//!
//! /// Everybody shouts.
//! struct Louder;
//!
//! impl Rewrite for Louder {
//!     fn text(&mut self, _: Place, role: Role, text: &mut Vec<u8>) -> Fate {
//!         if role == Role::Chat {
//!             text.make_ascii_uppercase();
//!         }
//!         Fate::Keep
//!     }
//! }
//!
//! # fn main() -> Result<(), fragreel::Error> {
//! use fragreel::model::{EventKind, Kind};
//! let bytes = &*std::fs::read("../../samples/quake3/dm_bots.dm_71").unwrap();
//! let demo = Demo::new(&bytes[..], "dm_bots.dm_71")?;
//! let edited = demo.open()?.rewrite(&mut Louder)?;
//! let demo = Demo::new(edited.bytes, &edited.extension)?;
//! let mut said = Vec::new();
//! demo.open()?.events([Kind::Chat].into_iter().collect(), &mut |event| {
//!     if let EventKind::Chat { text, .. } = event.kind {
//!         said.push(text.clean);
//!     }
//! });
//! assert_eq!(said[1], "HELLO, ALL OF YOU");
//! # Ok(())
//! # }
//! ```
//!
//! [`Recording::cut`]: crate::Recording::cut
//! [`Recording::cuts`]: crate::Recording::cuts
//! [`Recording::split`]: crate::Recording::split
//! [`Recording::join`]: crate::Recording::join
//! [`Recording::merge`]: crate::Recording::merge
//! [`Recording::repair`]: crate::Recording::repair
//! [`Recording::convert`]: crate::Recording::convert
//! [`Recording::rewrite`]: crate::Recording::rewrite

mod closest;
mod donor;
mod formats;
mod highlights;
mod names;
mod pattern;
mod personal;
mod players;
mod recording;
mod rename;
mod scrub;
mod strip;
mod verified;

use closest::closest;

#[cfg(feature = "gzip")]
pub use crate::gzip::pack as packed;
pub use crate::same::Same;
pub use formats::{Format, formats};
pub use fragreel_model::{Action, Clock, Comparison, Edited, Fate, Loss, Place, Range, Rewrite, Role, Split, Target};
pub use highlights::{Highlight, Highlights, Reason, Wanted, What, highlights};
pub use pattern::Pattern;
pub use players::Players;
pub use rename::Rename;
pub use scrub::{Chat, Scrub};
pub use strip::{Strip, kinds};
pub use verified::{Checked, Verifier, frames_lacking, verified, verified_join};
