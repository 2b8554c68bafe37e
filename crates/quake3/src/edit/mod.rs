//! Editing: cut, split, join, repair, convert, rewrite (`docs/formats/quake3.md`, "Editing").

mod compare;
mod cut;
mod opening;
mod source;
mod timeline;
mod writer;

use model::{Comparison, Edited, Range, Rewrite, Split, Target};
use wire::Error;

use crate::Recording;
use compare::Extent;

impl Recording<'_> {
    /// The frames of `range` as a recording that the game plays: a gamestate as of then, a first frame told whole, later ones
    /// told anew where their delta base was cut off. All other messages keep their bytes.
    ///
    /// # Errors
    /// [`Fault::Misuse`](wire::Fault::Misuse) when the range holds no frame.
    pub fn cut(&self, range: Range) -> Result<Edited, Error> {
        cut::cut(self, range)
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
    pub fn convert(&self, _target: &Target) -> Result<Edited, Error> {
        Err(Error::unsupported("not converted yet"))
    }

    /// The recording as `rewrite` changes it.
    pub fn rewrite(&self, _rewrite: &mut dyn Rewrite) -> Result<Edited, Error> {
        Err(Error::unsupported("not rewritten yet"))
    }

    /// Several viewpoints of one match as one recording: the first's, with the entities that any of them saw.
    pub fn merge(_parts: &[&Self]) -> Result<Edited, Error> {
        Err(Error::unsupported("not merged yet"))
    }

    /// How the frames of `edited`, made from this recording, agree with those of this one at the same times: all that snapshots
    /// say.
    pub fn compare(&self, edited: &Recording<'_>) -> Comparison {
        compare::compare(self, edited, Extent::State)
    }

    /// As [`compare`](Self::compare), and the configstrings too: for edits that are not meant to change any (cut, split, join,
    /// repair).
    pub fn compare_with_strings(&self, edited: &Recording<'_>) -> Comparison {
        compare::compare(self, edited, Extent::Strings)
    }
}
