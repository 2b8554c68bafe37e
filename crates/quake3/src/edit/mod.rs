//! Editing: cut, split, join, repair, convert, rewrite (`docs/formats/quake3.md`, "Editing").

mod chunked_cut;
mod compare;
mod convert;
mod cut;
mod donor;
mod downloads;
mod field_visitor;
mod join;
mod map_messages;
mod merge;
mod order;
mod part_writer;
mod recording_writer;
mod repair;
mod rewrite;
mod source;
mod split;
mod text_rewriter;
mod undecoded_text;

pub(crate) use chunked_cut::cut_chunks;
pub use compare::Comparer;

use fragreel_base::wire::Error;
use fragreel_model::{Comparison, Edited, Fate, Place, Range, Rewrite, Split, Target};

use crate::Recording;
use crate::message::Message;

impl Recording<'_> {
    /// Cuts the frames of `range`: a gamestate with the state at that time, then a full first frame. Later frames are re-encoded where their delta
    /// base was cut off. All other messages keep their bytes.
    ///
    /// # Errors
    /// [`ErrorKind::Misuse`](fragreel_base::wire::ErrorKind::Misuse) when the range holds no frame.
    pub fn cut(&self, range: Range) -> Result<Edited, Error> {
        self.cuts(&[range]).remove(0)
    }

    /// Cuts several ranges, in fewer walks over the recording than [`cut`](Self::cut) for each.
    pub fn cuts(&self, ranges: &[Range]) -> Vec<Result<Edited, Error>> {
        cut::cuts(self, ranges)
    }

    /// Splits into parts that play, each with its own gamestate.
    pub fn split(&self, by: Split) -> Result<Vec<Edited>, Error> {
        split::split(self, by)
    }

    /// Joins parts of one session, in order.
    pub fn join(parts: &[&Self]) -> Result<Edited, Error> {
        join::join(parts)
    }

    /// Makes a file that plays from the sound messages of this one.
    pub fn repair(&self) -> Result<Edited, Error> {
        repair::repair(self)
    }

    /// The bytes of this recording with the opening of `donor`, a recording of the same server and map, in the place of its own, which is lost.
    ///
    /// # Errors
    /// When it needs none, or the donor has none.
    pub fn opened_by(&self, donor: &Recording<'_>) -> Result<Vec<u8>, Error> {
        donor::open_by(self, donor)
    }

    /// Converts to another protocol: 43 to 71 to any of 66 to 71, Quake Live's to 91. The default is the one that stock engines play, 68 or 91.
    /// [`Edited::losses`] lists what the target cannot represent.
    ///
    /// # Errors
    /// [`ErrorKind::Unsupported`](fragreel_base::wire::ErrorKind::Unsupported), with the possible targets, for any other target.
    pub fn convert(&self, target: &Target) -> Result<Edited, Error> {
        convert::convert(self, target)
    }

    /// Applies `rewrite` to every message that can be decoded. All other messages keep their bytes. A dropped command leaves an empty one with its
    /// number if a later command stays: engines replace a missing command by the one 64 numbers before.
    ///
    /// # Errors
    /// When a changed text is too long for its place.
    pub fn rewrite(&self, rewrite: &mut dyn Rewrite) -> Result<Edited, Error> {
        rewrite::rewrite(self, rewrite)
    }

    /// Calls `hook` for every message that can be decoded, as a tree that it may change or drop. Snapshots whose base was dropped are re-encoded,
    /// and missing commands are replaced by empty ones.
    ///
    /// ```
    /// use fragreel_model::Fate;
    /// use fragreel_quake3::{Recording, message::Operation};
    /// use fragreel_base::wire::Limits;
    ///
    /// let bytes = &*std::fs::read("../../samples/quake3/warmup_restart.dm_68").unwrap();
    /// let recording = Recording::open(bytes, Some("dm_68"), Limits::default())?;
    /// // no more than every second message
    /// let edited = recording.map_messages(&mut |place, _| if place.message % 2 == 1 { Fate::Drop } else { Fate::Keep })?;
    /// let thinned = Recording::open(&edited.bytes, Some(&edited.extension), Limits::default())?;
    /// assert!(thinned.verify().is_whole());
    /// assert_eq!(recording.compare(&thinned).differing, 0);
    /// # Ok::<(), fragreel_base::wire::Error>(())
    /// ```
    ///
    /// # Errors
    /// When a changed message cannot be encoded.
    pub fn map_messages(&self, hook: &mut dyn FnMut(Place, &mut Message) -> Fate) -> Result<Edited, Error> {
        rewrite::map_messages(self, hook)
    }
    /// Merges several viewpoints of one match: the frames and commands of the first, with the entities and areas that any of them saw. A player
    /// whom no other viewpoint saw is shown from its own view.
    ///
    /// # Errors
    /// [`ErrorKind::Misuse`](fragreel_base::wire::ErrorKind::Misuse) for recordings of different matches or protocols.
    pub fn merge(parts: &[&Self]) -> Result<Edited, Error> {
        merge::merge(parts)
    }

    /// Compares the snapshots of `edited`, made from this recording, with those of this one at the same times.
    pub fn compare(&self, edited: &Recording<'_>) -> Comparison {
        self.comparer().compare(edited)
    }

    /// Like [`compare`](Self::compare), and compares configstrings too: for edits that must not change any (cut, split, join, repair).
    pub fn compare_with_strings(&self, edited: &Recording<'_>) -> Comparison {
        self.comparer().compare_with_strings(edited)
    }
}
