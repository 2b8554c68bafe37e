//! Editing: cut, split, join, repair, convert, rewrite, and the comparison of what came out with what went in. Realises
//! *Editing* of `docs/formats/quake2.md`.
//!
//! A recording is edited by walking over it and copying it: [`copy`] for blocks, [`copy_mvd`] for MVD2. Bytes stay as they are
//! wherever the frame that they are told from is in the copy; other frames are told anew from the states.

mod build;
mod compare;
mod convert;
mod copy;
pub(crate) mod copy_mvd;
mod cut;
mod downgrade;
mod downloads;
mod encode;
mod fields;
mod join;
pub(crate) mod mvd_level;
pub(crate) mod opening;
mod pov;
mod repair;
pub(crate) mod retell;
mod rewrite;
pub(crate) mod sheet;
mod split;
pub(crate) mod strings;
mod timeline;
mod unread;

pub use compare::Comparer;
pub(crate) use repair::Leftover;
pub(crate) use timeline::Timeline;

use model::{Comparison, Edited, Fate, Place, Range, Rewrite, Split, Target};
use wire::Error;

use crate::Recording;
use crate::dialect::{FrameHeader, Numbering};
use crate::identify::Framing;
use crate::message::{Body, Message, MvdMessage};
use crate::playback::{self, At, Visitor};
use crate::state::{Detail, Effect, State};

impl Recording<'_> {
    /// The frames of `range` as a recording that the game plays.
    pub fn cut(&self, range: Range) -> Result<Edited, Error> {
        self.cuts(&[range]).remove(0)
    }

    /// The frames of each of several ranges as [`cut`](Self::cut) makes them, in fewer walks over the recording.
    pub fn cuts(&self, ranges: &[Range]) -> Vec<Result<Edited, Error>> {
        match self.editable("cut") {
            Ok(()) => cut::cuts(self, ranges),
            Err(error) => ranges.iter().map(|_| Err(error.clone())).collect(),
        }
    }

    /// Parts that the game plays, each with an opening of its own.
    pub fn split(&self, by: Split) -> Result<Vec<Edited>, Error> {
        self.editable("split")?;
        split::split(self, by)
    }

    /// One recording of parts of one session, in order.
    pub fn join(parts: &[&Self]) -> Result<Edited, Error> {
        parts.iter().try_for_each(|part| part.editable("joined"))?;
        join::join(parts)
    }

    /// A file that plays, made of what is whole in this one.
    pub fn repair(&self) -> Result<Edited, Error> {
        self.editable("repaired")?;
        repair::repair(self)
    }

    /// The recording in another format.
    pub fn convert(&self, target: &Target) -> Result<Edited, Error> {
        self.editable("converted")?;
        convert::convert(self, target)
    }

    /// The recording as `rewrite` changes it.
    ///
    /// Messages have the names of the format document behind `svc_`, those of MVD2 behind `mvd_`. Only what changed is encoded
    /// again.
    pub fn rewrite(&self, rewrite: &mut dyn Rewrite) -> Result<Edited, Error> {
        self.editable("rewritten")?;
        let mut shown = rewrite::Shown::of(self, rewrite);
        let edited = match self.identified().framing {
            Framing::Dm2 => rewrite::through(self, &mut shown),
            Framing::Mvd2 => rewrite::through_mvd(self, &mut shown),
        };
        shown.result(edited)
    }

    /// The recording with every message as `f` leaves it. A frame that is dropped takes its player and its entities with it,
    /// and frames that were told from it are told from another; server data, baselines, players and entities by themselves
    /// stay. For MVD2 see [`map_mvd_messages`](Self::map_mvd_messages).
    pub fn map_messages(&self, f: &mut dyn FnMut(Place, &mut Message) -> Fate) -> Result<Edited, Error> {
        self.editable("rewritten")?;
        match self.identified().framing {
            Framing::Dm2 => Ok(rewrite::through(self, &mut rewrite::Mapped(f))),
            Framing::Mvd2 => Err(Error::misuse("an MVD2 has messages of its own: use map_mvd_messages")),
        }
    }

    /// The same of an MVD2, where frames stay too: everything in them changes in place.
    pub fn map_mvd_messages(&self, f: &mut dyn FnMut(Place, &mut MvdMessage) -> Fate) -> Result<Edited, Error> {
        match self.identified().framing {
            Framing::Mvd2 => Ok(rewrite::through_mvd(self, &mut rewrite::Mapped(f))),
            Framing::Dm2 => Err(Error::misuse("only an MVD2 has such messages: use map_messages")),
        }
    }

    /// How the frames of `edited`, made from this recording, agree with those of this one at the same times.
    pub fn compare(&self, edited: &Recording) -> Comparison {
        self.comparer().compare(edited)
    }

    /// Whether the block with `serverdata` cannot be read, though its head said what the recording is.
    fn begins_with_a_frame(&self) -> bool {
        #[derive(Default)]
        struct First(Option<bool>);
        impl Visitor for First {
            fn message(&mut self, _: At, message: &mut Message, _: &[u8], _: Effect, _: &State) {
                match &message.body {
                    Body::ServerData(_) => drop(self.0.get_or_insert(false)),
                    Body::Frame(_) => drop(self.0.get_or_insert(true)),
                    _ => {}
                }
            }

            fn done(&self) -> bool {
                self.0.is_some()
            }
        }
        if self.identified().framing != Framing::Dm2 {
            return false;
        }
        let mut first = First::default();
        self.walk(playback::Manner { skim: true, detail: Detail::Strings, ..self.manner() }, &mut first);
        first.0 == Some(true)
    }

    /// Whether the recording can be edited at all.
    fn editable(&self, verb: &str) -> Result<(), Error> {
        let dialect = self.identified().dialect;
        if dialect.numbering == Numbering::TestRelease {
            return Err(Error::unsupported(format!(
                "the messages of the test release (protocol 25) are not described anywhere, so its recordings cannot be {verb}"
            )));
        }
        if dialect.frame != FrameHeader::Server && (dialect.is_beheaded() || self.begins_with_a_frame()) {
            return Err(Error::unsupported(format!(
                "the start of the recording is lost, and with it the strings and baselines that every frame needs: it cannot be {verb}"
            )));
        }
        Ok(())
    }
}
