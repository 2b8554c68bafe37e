//! Editing: cut, split, join, repair, convert, rewrite (`docs/formats/goldsrc.md`, "Editing").

mod compare;
mod convert;
mod cut;
mod field_visitor;
mod join;

mod message_editor;

mod file_writer;
mod patch;

pub(crate) mod repair;

mod rewrite;
mod split;

mod text_rewriter;

pub use compare::Comparer;

use model::{Comparison, Edited, Range, Rewrite, Split, Target};
use wire::Error;

use crate::Recording;

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
        self.cuts(&[range]).remove(0)
    }

    /// The frames of each of several ranges as [`cut`](Self::cut) makes them, in fewer walks over the recording.
    pub fn cuts(&self, ranges: &[Range]) -> Vec<Result<Edited, Error>> {
        cut::cuts(self, ranges)
    }

    /// Parts that the game plays, each with an opening of its own. A part that borders on the next holds everything up to
    /// the next one's first frame.
    ///
    /// # Errors
    /// [`Fault::Misuse`](wire::Fault::Misuse) when there is nothing to split by, or a size holds no frame;
    /// [`Fault::Unsupported`](wire::Fault::Unsupported) for demo protocol 4.
    pub fn split(&self, by: Split) -> Result<Vec<Edited>, Error> {
        split::split(self, by)
    }

    /// One recording of parts of one session, in order: the first part's loading part, and one played segment whose time
    /// goes on as the server's clock does. What a later part knows and the earlier ones have not said is sent in
    /// between; another level is loaded there. Frames that an earlier part has shown are left out.
    ///
    /// # Errors
    /// [`Fault::Misuse`](wire::Fault::Misuse) for parts of different servers, players or protocols;
    /// [`Fault::Unsupported`](wire::Fault::Unsupported) for demo protocol 4.
    pub fn join(parts: &[&Self]) -> Result<Edited, Error> {
        join::join(parts)
    }

    /// The recording in the network protocol of today's game, 48, from 45, 46 or 47. What that cannot say is listed.
    ///
    /// # Errors
    /// [`Fault::Unsupported`](wire::Fault::Unsupported), with what is possible, for any other target and source.
    pub fn convert(&self, target: &Target) -> Result<Edited, Error> {
        convert::convert(self, target)
    }

    /// The recording as `rewrite` changes it. User messages go by their own names (`SayText`), all others by the engine's
    /// (`svc_print`); what [`map_messages`](Self::map_messages) keeps, stays here, too. Texts that became longer than
    /// engines take are shortened.
    ///
    /// A line of chat that the game puts together (`#Cstrike_Chat_All`) is shown as `name: words`. The hash of a CD key is
    /// shown as 32 hexadecimal digits. Commands that the player typed are shown as commands.
    ///
    /// # Errors
    /// [`Fault::Unsupported`](wire::Fault::Unsupported) when the messages of the protocol are not known.
    pub fn rewrite(&self, rewrite: &mut dyn Rewrite) -> Result<Edited, Error> {
        rewrite::rewrite(self, rewrite)
    }

    /// How the frames of `edited`, made from this recording, agree with those of this one at the same server times: all
    /// entities, the player's own state, weapons.
    pub fn compare(&self, edited: &Recording) -> Comparison {
        self.comparer().compare(edited)
    }
}
