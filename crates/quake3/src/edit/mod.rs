//! Editing: cut, split, join, repair, convert, rewrite (`docs/formats/quake3.md`, "Editing").

mod compare;
mod convert;
mod cut;
mod downloads;
mod field_visitor;
mod join;
mod map_messages;
mod merge;
mod part_writer;
mod recording_writer;
mod repair;
mod rewrite;
mod source;
mod split;
mod text_rewriter;
mod undecoded_text;

pub use compare::Comparer;

use model::{Comparison, Edited, Fate, Place, Range, Rewrite, Split, Target};
use wire::Error;

use crate::Recording;
use crate::message::Message;

impl Recording<'_> {
    /// The frames of `range` as a recording that the game plays: a gamestate as of then, a first frame told whole, later ones
    /// told anew where their delta base was cut off. All other messages keep their bytes.
    ///
    /// # Errors
    /// [`Fault::Misuse`](wire::Fault::Misuse) when the range holds no frame.
    pub fn cut(&self, range: Range) -> Result<Edited, Error> {
        self.cuts(&[range]).remove(0)
    }

    /// The frames of each of several ranges as [`cut`](Self::cut) makes them, in fewer walks over the recording.
    pub fn cuts(&self, ranges: &[Range]) -> Vec<Result<Edited, Error>> {
        cut::cuts(self, ranges)
    }

    /// Parts that the game plays, each with an opening of its own.
    pub fn split(&self, by: Split) -> Result<Vec<Edited>, Error> {
        split::split(self, by)
    }

    /// One recording of parts of one session, in order.
    pub fn join(parts: &[&Self]) -> Result<Edited, Error> {
        join::join(parts)
    }

    /// A file that plays, made of what is whole in this one.
    pub fn repair(&self) -> Result<Edited, Error> {
        repair::repair(self)
    }

    /// The recording in another protocol: 43 to 71 in 66 to 71, Quake Live's in 91. Without a target the one that stock engines
    /// play, 68 or 91. What the target cannot say stands in [`Edited::losses`].
    ///
    /// # Errors
    /// [`Fault::Unsupported`](wire::Fault::Unsupported), with what is possible, for any other target.
    pub fn convert(&self, target: &Target) -> Result<Edited, Error> {
        convert::convert(self, target)
    }

    /// The recording as `rewrite` changes it. Messages that nothing touched keep their bytes, and so do those that cannot be
    /// read. A command that goes leaves an empty one with its number where a later one stays: engines execute whatever they
    /// had 64 numbers before in place of a missing one.
    ///
    /// # Errors
    /// When a text no longer fits where it stands.
    pub fn rewrite(&self, rewrite: &mut dyn Rewrite) -> Result<Edited, Error> {
        rewrite::rewrite(self, rewrite)
    }

    /// The recording with its messages changed by `hook`, which sees every message that can be read as a tree and may do with it
    /// what it likes; those that it drops go. Snapshots that were told against one that went are told anew, and missing
    /// commands are replaced by empty ones.
    ///
    /// ```
    /// use model::Fate;
    /// use quake3::{Recording, message::Operation};
    /// use wire::Limits;
    ///
    /// let bytes = include_bytes!("../../../../samples/quake3/warmup_restart.dm_68");
    /// let recording = Recording::open(bytes, Some("dm_68"), Limits::default())?;
    /// // no more than every second message
    /// let edited = recording.map_messages(&mut |place, _| if place.message % 2 == 1 { Fate::Drop } else { Fate::Keep })?;
    /// let thinned = Recording::open(&edited.bytes, Some(&edited.extension), Limits::default())?;
    /// assert!(thinned.verify().is_whole());
    /// assert_eq!(recording.compare(&thinned).differing, 0);
    /// # Ok::<(), wire::Error>(())
    /// ```
    ///
    /// # Errors
    /// When a message cannot be written as it was changed.
    pub fn map_messages(&self, hook: &mut dyn FnMut(Place, &mut Message) -> Fate) -> Result<Edited, Error> {
        rewrite::map_messages(self, hook)
    }
    /// Several viewpoints of one match as one recording: the frames and commands of the first, with all entities that any of them
    /// saw, and areas that any of them could see into. Whom nobody else saw is shown as his own view tells him.
    ///
    /// # Errors
    /// [`Fault::Misuse`](wire::Fault::Misuse) for recordings of different matches or protocols.
    pub fn merge(parts: &[&Self]) -> Result<Edited, Error> {
        merge::merge(parts)
    }

    /// How the frames of `edited`, made from this recording, agree with those of this one at the same times: all that snapshots
    /// say.
    pub fn compare(&self, edited: &Recording<'_>) -> Comparison {
        self.comparer().compare(edited)
    }

    /// As [`compare`](Self::compare), and the configstrings too: for edits that are not meant to change any (cut, split, join,
    /// repair).
    pub fn compare_with_strings(&self, edited: &Recording<'_>) -> Comparison {
        self.comparer().compare_with_strings(edited)
    }
}
