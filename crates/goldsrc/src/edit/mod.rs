//! Editing: cut, split, join, repair, convert, rewrite (`docs/formats/goldsrc.md`, "Editing").

mod repair;

use model::{Comparison, Edited, Range, Rewrite, Split, Target};
use wire::Error;

use crate::Recording;

impl Recording<'_> {
    /// The frames of `range` as a recording that the game plays.
    pub fn cut(&self, _range: Range) -> Result<Edited, Error> {
        Err(Error::unsupported("not cut yet"))
    }

    /// Parts that the game plays, each with an opening of its own.
    pub fn split(&self, _by: Split) -> Result<Vec<Edited>, Error> {
        Err(Error::unsupported("not split yet"))
    }

    /// One recording of parts of one session, in order.
    pub fn join(_parts: &[&Self]) -> Result<Edited, Error> {
        Err(Error::unsupported("not joined yet"))
    }

    /// The recording in another format.
    pub fn convert(&self, _target: &Target) -> Result<Edited, Error> {
        Err(Error::unsupported("not converted yet"))
    }

    /// The recording as `rewrite` changes it.
    pub fn rewrite(&self, _rewrite: &mut dyn Rewrite) -> Result<Edited, Error> {
        Err(Error::unsupported("not rewritten yet"))
    }

    /// How the frames of `edited`, made from this recording, agree with those of this one at the same times.
    pub fn compare(&self, _edited: &Recording) -> Comparison {
        Comparison::default()
    }
}
