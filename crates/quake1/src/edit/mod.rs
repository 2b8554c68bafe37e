//! Editing: cut, split, join, repair, convert, rewrite (`docs/formats/quake1.md`, "Editing").

mod compare;
mod convert;
mod excerpt;
mod fields;
pub(crate) mod full;
mod join;
mod ledger;
mod limits;
pub(crate) mod opening;
mod other_texts;
mod pairs;
mod reading;
mod repair;
mod rewrite;
mod roles;
mod scene;
mod split;
mod statistics;
mod timeline;
mod writing;

pub use compare::Comparer;
pub(crate) use convert::{Level, QuakeWorld, Recode, Survey, classic, packet_changes};
pub(crate) use full::entity_delta;
pub(crate) use ledger::{Ledger, Part};
pub(crate) use limits::Limits;
pub(crate) use opening::{Moment, write as write_opening};
pub(crate) use reading::{Next, Reading};
pub(crate) use scene::{Player, Scene, Thing};
pub(crate) use timeline::Timeline;
pub(crate) use writing::{Writing, length};

use model::{Certainty, Edited, Range, Rewrite, Split, Target};
use wire::Error;

use crate::Recording;

/// Whether messages are taken apart at all. Without that, only the container can be repaired.
fn understood(recording: &Recording<'_>) -> Result<(), Error> {
    if recording.dialect.known && !recording.dialect.supported() {
        return Err(Error::unsupported(format!("messages of {} are not taken apart: it can only be repaired", recording.dialect.name())));
    }
    Ok(())
}

impl Recording<'_> {
    /// The frames of `range` as a recording that the game plays.
    pub fn cut(&self, range: Range) -> Result<Edited, Error> {
        self.cuts(&[range]).remove(0)
    }

    /// The frames of each of several ranges as [`cut`](Self::cut) makes them, in fewer walks over the recording.
    pub fn cuts(&self, ranges: &[Range]) -> Vec<Result<Edited, Error>> {
        match understood(self) {
            Ok(()) => split::cuts(self, ranges),
            Err(error) => ranges.iter().map(|_| Err(error.clone())).collect(),
        }
    }

    /// Parts that the game plays, each with an opening of its own.
    pub fn split(&self, by: Split) -> Result<Vec<Edited>, Error> {
        understood(self)?;
        split::split(self, by)
    }

    /// One recording of parts of one session, in order.
    pub fn join(parts: &[&Self]) -> Result<Edited, Error> {
        join::join(parts)
    }

    /// A file that plays, made of what is whole in this one.
    pub fn repair(&self) -> Result<Edited, Error> {
        let repaired = repair::repair(self);
        if repaired.bytes != self.bytes && crate::detect(&repaired.bytes, Some(&repaired.extension)) == Certainty::No {
            return Err(Error::malformed("what can be read is too little to be recognised as a recording"));
        }
        Ok(repaired)
    }

    /// The recording in another format.
    pub fn convert(&self, target: &Target) -> Result<Edited, Error> {
        understood(self)?;
        convert::convert(self, target)
    }

    /// The recording as `rewrite` changes it.
    pub fn rewrite(&self, rewrite: &mut dyn Rewrite) -> Result<Edited, Error> {
        understood(self)?;
        self.rewritten(rewrite)
    }
}
