//! Editing: recordings in, recordings out, never in place. All edits are methods of [`Recording`](crate::Recording); here is what they take and
//! give.
//!
//! | wish | way |
//! |---|---|
//! | a part of it, several | [`cut`], [`cuts`], [`highlights`] for where |
//! | several of one, one of several | [`split`], [`join`] |
//! | several viewpoints in one | [`merge`] |
//! | one that plays of a damaged one | [`repair`], [`repair_with`] another recording's opening |
//! | another format | [`convert`], [`formats`] for which |
//! | without what is personal, with other names | [`scrub`], [`rename`] |
//! | without some kinds of messages | [`strip`], [`message_kinds`] for which |
//! | any text or message changed | [`rewrite`] with a [`Rewrite`] of your own |
//! | is the result right? | [`check_edited`], [`checker`] for several, [`check_joined`] |
//!
//! What an edit gives is an [`Edited`]: bytes, what was done, and what was lost. Nothing that was not asked to change
//! does: messages that an edit has no reason to touch keep their bytes.
//!
//! A [`Rewrite`] does nothing until a hook is overridden:
//!
//! ```
//! use fragreel::Recording;
//! use fragreel::edit::{Fate, Place, Rewrite, Role};
//! use fragreel::model::Kind;
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
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let recording = Recording::open(std::fs::read("../../samples/quake3/dm_bots.dm_71")?, "dm_bots.dm_71")?;
//! let edited = recording.rewrite(&mut Louder)?;
//! let louder = Recording::open(edited.bytes, &edited.extension)?;
//! let said: Vec<String> = louder.events(Kind::Chat).map(|event| event.kind.to_string()).collect();
//! assert!(said[1].ends_with("HELLO, ALL OF YOU"));
//! # Ok(())
//! # }
//! ```
//!
//! [`check_edited`]: crate::Recording::check_edited
//! [`check_joined`]: crate::Recording::check_joined
//! [`checker`]: crate::Recording::checker
//! [`convert`]: crate::Recording::convert
//! [`cut`]: crate::Recording::cut
//! [`cuts`]: crate::Recording::cuts
//! [`formats`]: crate::Recording::formats
//! [`highlights`]: crate::Recording::highlights
//! [`join`]: crate::Recording::join
//! [`merge`]: crate::Recording::merge
//! [`message_kinds`]: crate::Recording::message_kinds
//! [`rename`]: crate::Recording::rename
//! [`repair`]: crate::Recording::repair
//! [`repair_with`]: crate::Recording::repair_with
//! [`rewrite`]: crate::Recording::rewrite
//! [`scrub`]: crate::Recording::scrub
//! [`split`]: crate::Recording::split
//! [`strip`]: crate::Recording::strip

pub(crate) mod checked;
mod closest;
mod donor;
mod formats;
mod highlights;
mod names;
mod pattern;
mod personal;
mod recording;
mod remains;
mod rename;
mod scrub;
mod sectors;
mod stated_names;
mod strip;

use closest::closest;

#[cfg(feature = "gzip")]
pub use crate::gzip::pack as packed;
pub use crate::same::Same;
pub use checked::{Checked, Checker};
pub use formats::Format;
pub use fragreel_model::{Action, Clock, Comparison, Edited, Fate, Loss, Place, Range, Rewrite, Role, Split, Target};
pub use highlights::{Highlight, Highlights, Reason, Wanted, What};
pub use pattern::Pattern;
pub use scrub::{Chat, Scrub};
