//! Editing: cut, split, join, repair, convert, rewrite, and the comparison of what came out with what went in. Realises
//! *Editing* of `docs/formats/quake2.md`.
//!
//! A recording is edited by walking over it and copying it: [`copy`] for blocks, [`copy_mvd`] for MVD2. Bytes stay as they are
//! wherever the frame that they are told from is in the copy; other frames are told anew from the states.

mod compare;
mod convert;
mod copy;
mod copy_mvd;
mod cut;
mod encode;
mod opening;
mod retell;
mod sheet;
mod strings;
mod timeline;

use model::{Comparison, Edited, Range, Rewrite, Split, Target};
use wire::Error;

use crate::Recording;
use crate::dialect::{FrameHeader, Numbering};

impl Recording<'_> {
    /// The frames of `range` as a recording that the game plays.
    pub fn cut(&self, range: Range) -> Result<Edited, Error> {
        self.editable("cut")?;
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

    /// How the frames of `edited`, made from this recording, agree with those of this one at the same times.
    pub fn compare(&self, edited: &Recording) -> Comparison {
        compare::compare(self, edited)
    }

    /// Whether the recording can be edited at all.
    fn editable(&self, verb: &str) -> Result<(), Error> {
        let dialect = self.identified().dialect;
        if dialect.numbering == Numbering::TestRelease {
            return Err(Error::unsupported(format!("the messages of the test release (protocol 25) are not described anywhere, so its recordings cannot be {verb}")));
        }
        if dialect.is_beheaded() && dialect.frame != FrameHeader::Server {
            return Err(Error::unsupported(format!(
                "the start of the recording is lost, and with it the strings and baselines that every frame needs: it cannot be {verb}"
            )));
        }
        Ok(())
    }
}
