//! Editing: cut, split, join, repair, convert, rewrite (`docs/formats/goldsrc.md`, "Editing").

mod compare;
mod cut;
mod opening;
mod output;
mod repair;
mod retell;
mod sticky;
mod timeline;

use model::{Comparison, Edited, Range, Rewrite, Split, Target};
use wire::Error;

use crate::Recording;
use cut::Parts;
use timeline::Timeline;

impl Recording<'_> {
    /// The frames of `range` as a recording that the game plays: the loading part as it was, brought to the state of
    /// then, and the frames, the first of them whole. Frames keep their bytes unless they were changes of a frame that
    /// is cut off.
    ///
    /// ```
    /// use model::{Clock, Milliseconds, Range};
    /// # let bytes = goldsrc::properties::tiny_recording();
    /// let recording = goldsrc::Recording::open(&bytes, Some("dem"), wire::Limits::default()).unwrap();
    /// let range = Range { clock: Clock::Server, from: Milliseconds(100_125), to: Milliseconds(100_125) };
    /// let cut = recording.cut(range).unwrap();
    /// let cut = goldsrc::Recording::open(&cut.bytes, Some("dem"), wire::Limits::default()).unwrap();
    /// assert!(cut.verify().is_whole());
    /// assert_eq!((recording.compare(&cut).frames, recording.compare(&cut).differing), (1, 0));
    /// ```
    ///
    /// # Errors
    /// [`Fault::Misuse`](wire::Fault::Misuse) when the range holds no frame, [`Fault::Unsupported`](wire::Fault::Unsupported)
    /// for demo protocol 4, whose messages are not known.
    pub fn cut(&self, range: Range) -> Result<Edited, Error> {
        let timeline = Timeline::of(self)?;
        let frames = timeline.range(range)?;
        let mut parts = cut::parts(self, &timeline, &Parts::Frames(vec![frames]))?;
        parts.pop().ok_or_else(|| Error::misuse("the range holds no frame"))
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

    /// How the frames of `edited`, made from this recording, agree with those of this one at the same server times: all
    /// entities, the player's own state, weapons.
    pub fn compare(&self, edited: &Recording) -> Comparison {
        compare::compare(self, edited)
    }
}
