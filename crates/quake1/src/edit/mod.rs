//! Editing: cut, split, join, repair, convert, rewrite (`docs/formats/quake1.md`, "Editing").

mod compare;
mod convert;
mod excerpt;
mod full;
mod ledger;
mod limits;
mod opening;
mod range;
mod reading;
mod scene;
mod writing;

use model::{Edited, Range, Rewrite, Split, Target};
use wire::Error;

use crate::Recording;

impl Recording<'_> {
    /// The frames of `range` as a recording that the game plays.
    pub fn cut(&self, range: Range) -> Result<Edited, Error> {
        let (frames, part) = range::locate(self, range)?;
        let from_start = frames.first().is_some_and(|frame| frame.block == part.first);
        let (out, report) = excerpt::write(self, part, from_start);
        Ok(report.edited(self, out))
    }

    /// Parts that the game plays, each with an opening of its own.
    pub fn split(&self, _by: Split) -> Result<Vec<Edited>, Error> {
        Err(Error::unsupported("not split yet"))
    }

    /// One recording of parts of one session, in order.
    pub fn join(_parts: &[&Self]) -> Result<Edited, Error> {
        Err(Error::unsupported("not joined yet"))
    }

    /// A file that plays, made of what is whole in this one.
    pub fn repair(&self) -> Result<Edited, Error> {
        Err(Error::unsupported("not repaired yet"))
    }

    /// The recording in another format.
    pub fn convert(&self, target: &Target) -> Result<Edited, Error> {
        convert::convert(self, target)
    }

    /// The recording as `rewrite` changes it.
    pub fn rewrite(&self, _rewrite: &mut dyn Rewrite) -> Result<Edited, Error> {
        Err(Error::unsupported("not rewritten yet"))
    }
}
