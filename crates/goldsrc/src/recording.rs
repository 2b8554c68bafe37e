//! A recording: the input of a walk, with the indexes that answers share.

use std::sync::{Arc, OnceLock};

use fragreel_base::wire::{Error, Limits};
use fragreel_model::replay::{EventSource, Events, LazyIndex, Share};
use fragreel_model::{
    Audit, Comparison, Edited, Explained, Fate, FrameOptions, Info, Kinds, Moment, Place, Range, Rewrite, Selection, Split, Target, UserCommand, Verification,
    When,
};

use crate::container::Container;
use crate::dialect::Dialect;
use crate::edit::Source;
use crate::edit::compare::{FrameComparer, FrameWalk};
use crate::edit::donor::Described;
use crate::frames::{Frames, Index};
use crate::message::Message;
use crate::walk::input::Input;
use crate::walk::timeline::Timeline;
use crate::{answers, edit, events, frames};

/// A recording in memory. Opening reads only the header and the directory; each answer walks over what it needs.
///
/// ```
/// # let bytes = fragreel_goldsrc::properties::tiny_recording();
/// let recording = fragreel_goldsrc::Recording::open(&bytes, Some("dem"), fragreel_base::wire::Limits::default()).unwrap();
/// assert!(recording.verify().is_whole());
/// assert_eq!(recording.info().maps, ["hand_made"]);
/// ```
#[derive(Debug, Clone)]
pub struct Recording<'a> {
    input: Input<'a>,
    /// Keyframes. The first seek makes them; copies share them.
    index: Arc<LazyIndex<Index>>,
    /// The frames of the recording. The first edit makes it; copies share it.
    timeline: Arc<OnceLock<Timeline>>,
}

impl<'a> Recording<'a> {
    /// Opens a recording. A missing or wrong directory is worked around and reported as damage.
    ///
    /// # Errors
    /// Fails if the bytes do not start with a GoldSrc header, or are more than `limits` allow.
    pub fn open(bytes: &'a [u8], _extension: Option<&str>, limits: Limits) -> Result<Self, Error> {
        Ok(Recording { input: Input::open(bytes, limits)?, index: Arc::default(), timeline: Arc::default() })
    }

    /// What every walk plays.
    pub(crate) fn input(&self) -> &Input<'a> {
        &self.input
    }

    /// The file as windows over its macros.
    pub fn container(&self) -> &Container<'a> {
        &self.input.container
    }

    /// What the protocol numbers mean.
    pub fn dialect(&self) -> &Dialect {
        self.input.dialect()
    }

    /// The game, the server, the maps, the players, the duration. Reads messages, but rebuilds no entities.
    pub fn info(&self) -> Info {
        answers::info::info(&self.input)
    }

    /// Decodes everything, encodes it again from the trees, and compares the bytes. Also rebuilds the state and compares each frame with
    /// what the stock encoder would have written.
    pub fn verify(&self) -> Verification {
        self.verify_share(Share::all())
    }

    /// Like `verify`, but encodes only the messages of this share again.
    #[doc(hidden)]
    pub fn verify_share(&self, share: Share) -> Verification {
        answers::verify::verify(&self.input, share)
    }

    /// What it holds beside the game: voice, data of tools, and what it says of sprays.
    pub fn extract(&self) -> Vec<fragreel_model::Extracted> {
        answers::extract::extract(&self.input)
    }

    /// Looks for signs that the recording is not one unbroken recording.
    pub fn audit(&self) -> Audit {
        answers::audit::audit(&self.input)
    }

    /// Explains the selected macros field by field, data blocks down to the fields of each message. An offset in the header or the
    /// directory is explained, too. The recording is read as they are taken.
    pub fn explain(&self, selection: Selection) -> impl Iterator<Item = Explained> {
        answers::explain::explain(&self.input, selection)
    }

    /// The user commands recorded while playing, in order. HLTV recordings and network protocols up to 43 have none that can be read.
    pub fn usercmds(&self) -> impl Iterator<Item = UserCommand> {
        answers::usercmds::usercmds(&self.input)
    }

    /// The client's view in each of its frames, also where no packet and so no user command was recorded: the number of the macro, the client's frame, the
    /// seconds since playing starts, and pitch, yaw and roll in degrees. Protocol 4 and HLTV have none.
    pub fn client_views(&self) -> impl Iterator<Item = (u32, i32, f32, [f32; 3])> {
        answers::usercmds::client_views(&self.input)
    }

    /// The events in stream order. The recording is read as they are taken. All messages are read whatever `wanted` says, because the server's
    /// clock is among them; entities are not rebuilt.
    pub fn events(&self, wanted: Kinds) -> Events<impl EventSource> {
        Events::new(self.event_source(wanted))
    }

    /// The walk that makes them.
    pub fn event_source(&self, wanted: Kinds) -> impl EventSource {
        events::EventPlayback::new(&self.input, wanted)
    }

    /// The frames of the recording, with what `options` ask for. Demo protocol 4 has none, because its messages are unknown;
    /// [`damage`](Frames::damage) says so.
    pub fn frames(&self, options: FrameOptions) -> Frames<'a> {
        frames::frames(&self.input, &self.index, &options)
    }

    /// The state in the last frame at or before the time, or in the first frame for earlier times. The second call makes an index of the
    /// recording, as [`Frames::seek`](crate::Frames::seek) does; later calls are fast.
    ///
    /// # Errors
    /// Fails if the recording has no frame, or its messages are unknown.
    pub fn state_at(&self, when: When) -> Result<Moment, Error> {
        answers::moment::state_at(self.frames(answers::moment::frame_options()), when)
    }

    /// Cuts out the frames of `range` as a recording that the game plays. The loading part is kept and followed by what changed until
    /// then; the first frame is complete. Later frames keep their bytes unless their delta base was cut off.
    ///
    /// ```
    /// use fragreel_model::{Clock, Milliseconds, Range};
    /// # let bytes = fragreel_goldsrc::properties::tiny_recording();
    /// let recording = fragreel_goldsrc::Recording::open(&bytes, Some("dem"), fragreel_base::wire::Limits::default()).unwrap();
    /// let range = Range { clock: Clock::Server, from: Milliseconds(100_125), to: Milliseconds(100_125) };
    /// let cut = recording.cut(range).unwrap();
    /// let cut = fragreel_goldsrc::Recording::open(&cut.bytes, Some("dem"), fragreel_base::wire::Limits::default()).unwrap();
    /// assert!(cut.verify().is_whole());
    /// assert_eq!((recording.compare(&cut).frames, recording.compare(&cut).differing), (1, 0));
    /// ```
    ///
    /// # Errors
    /// [`ErrorKind::Misuse`](fragreel_base::wire::ErrorKind::Misuse) if the range holds no frame, [`ErrorKind::Unsupported`](fragreel_base::wire::ErrorKind::Unsupported)
    /// for demo protocol 4, whose messages are unknown.
    pub fn cut(&self, range: Range) -> Result<Edited, Error> {
        self.cuts(&[range]).remove(0)
    }

    /// Cuts out several ranges as [`cut`](Self::cut) does, in fewer walks over the recording.
    pub fn cuts(&self, ranges: &[Range]) -> Vec<Result<Edited, Error>> {
        edit::cut::cuts(&self.source(), ranges)
    }

    /// Splits the recording into parts that the game plays. Each part has its own loading part, and holds everything up to the first frame
    /// of the next.
    ///
    /// # Errors
    /// [`ErrorKind::Misuse`](fragreel_base::wire::ErrorKind::Misuse) if there is nothing to split by, or a size holds no frame;
    /// [`ErrorKind::Unsupported`](fragreel_base::wire::ErrorKind::Unsupported) for demo protocol 4.
    pub fn split(&self, by: Split) -> Result<Vec<Edited>, Error> {
        edit::split::split(&self.source(), by)
    }

    /// Joins parts of one session, in order. The result has the loading part of the first and one played segment, whose time continues as
    /// the server's clock does. State that only a later part knows is sent where that part begins; another level is loaded there. Frames
    /// that an earlier part already has are left out.
    ///
    /// # Errors
    /// [`ErrorKind::Misuse`](fragreel_base::wire::ErrorKind::Misuse) for parts of different servers, players or protocols;
    /// [`ErrorKind::Unsupported`](fragreel_base::wire::ErrorKind::Unsupported) for demo protocol 4.
    pub fn join(parts: &[&Self]) -> Result<Edited, Error> {
        edit::join::join(&parts.iter().map(|part| part.source()).collect::<Vec<_>>())
    }

    /// Rebuilds the directory from the macros, drops bytes that are no macro and macros that are there twice, and ends segments that have
    /// no end. Data blocks are cut before the first message that cannot be read. Frames whose delta base is lost are encoded in full from the
    /// last known state. Everything else is copied unchanged. An undamaged file comes back unchanged, with no actions.
    ///
    /// # Errors
    /// [`ErrorKind::Malformed`](fragreel_base::wire::ErrorKind::Malformed) if the file holds no macro.
    pub fn repair(&self) -> Result<Edited, Error> {
        edit::repair::repair(&self.input)
    }

    /// The bytes of this recording with the loading segment of `donor`, a recording of the same server and map, in the place of its own, which is lost.
    ///
    /// # Errors
    /// When the donor has none.
    pub fn opened_by(&self, donor: &Recording<'_>) -> Result<Vec<u8>, Error> {
        edit::donor::open_by(&self.input, &donor.input)
    }

    /// This recording with descriptions of structures that its signon has lost, as `donor` states them. `None` if it has lost none, or if more of the signon is
    /// lost.
    ///
    /// # Errors
    /// When the donor is of another game or protocol, or describes the structures differently.
    pub fn described_by(&self, donor: &Recording<'_>) -> Result<Option<Described>, Error> {
        edit::donor::described_by(&self.input, &donor.input)
    }

    /// Converts network protocols 45, 46 and 47 to the protocol of today's game, 48. What that cannot express is listed as a loss.
    ///
    /// # Errors
    /// [`ErrorKind::Unsupported`](fragreel_base::wire::ErrorKind::Unsupported), with a list of what is possible, for any other target or source.
    pub fn convert(&self, target: &Target) -> Result<Edited, Error> {
        edit::convert::convert(&self.input, target)
    }

    /// Applies `rewrite` to every message, text and voice. User messages have their own names (`SayText`), all others the engine's
    /// (`svc_print`). Messages that [`map_messages`](Self::map_messages) always keeps are kept here, too. Texts that become longer than
    /// engines accept are shortened.
    ///
    /// A chat line that the game builds from a key (`#Cstrike_Chat_All`) is shown as `name: words`. The hash of a CD key is
    /// shown as 32 hexadecimal digits. Commands that the player typed are shown as commands.
    ///
    /// # Errors
    /// [`ErrorKind::Unsupported`](fragreel_base::wire::ErrorKind::Unsupported) if the messages of the protocol are unknown.
    pub fn rewrite(&self, rewrite: &mut dyn Rewrite) -> Result<Edited, Error> {
        edit::rewrite::rewrite(&self.input, rewrite)
    }

    /// Passes every message to `change`, which may alter or drop it. A message that still encodes to the same bytes keeps them, as do bytes
    /// that cannot be read. Messages that the game needs are never dropped: server data, descriptions, announcements, baselines,
    /// resources, frames, client data, the clock, the view.
    ///
    /// ```
    /// use fragreel_goldsrc::message::Message;
    /// use fragreel_model::Fate;
    /// # let bytes = fragreel_goldsrc::properties::tiny_recording();
    /// let recording = fragreel_goldsrc::Recording::open(&bytes, Some("dem"), fragreel_base::wire::Limits::default()).unwrap();
    /// let silent = recording.map_messages(&mut |_, message| if matches!(message, Message::Sound(_)) { Fate::Drop } else { Fate::Keep }).unwrap();
    /// assert!(silent.bytes.len() < bytes.len());
    /// assert!(fragreel_goldsrc::Recording::open(&silent.bytes, Some("dem"), fragreel_base::wire::Limits::default()).unwrap().verify().is_whole());
    /// ```
    ///
    /// # Errors
    /// [`ErrorKind::Misuse`](fragreel_base::wire::ErrorKind::Misuse) for a message that cannot be read back once it is written (a NUL inside a
    /// string, the wrong length for a user message), and for a changed announcement that makes later messages unreadable;
    /// [`ErrorKind::Unsupported`](fragreel_base::wire::ErrorKind::Unsupported) if the messages of the protocol are unknown.
    pub fn map_messages(&self, change: &mut dyn FnMut(Place, &mut Message) -> Fate) -> Result<Edited, Error> {
        edit::message_editor::map_messages(&self.input, change)
    }

    /// Compares the frames of `edited`, made from this recording, with those of this recording at the same server times: all entities, the
    /// player's own state, weapons.
    pub fn compare(&self, edited: &Recording) -> Comparison {
        self.comparer().compare(edited)
    }

    /// For comparing several recordings that were made from this one.
    pub fn comparer(&self) -> Comparer<'a> {
        Comparer(FrameComparer::new(&self.source()))
    }

    /// What edits work on.
    pub(crate) fn source(&self) -> Source<'_, 'a> {
        Source { input: &self.input, index: &self.index, timeline: &self.timeline }
    }
}

/// Compares edited recordings with the recording that they were made from. It walks over the source once if they come in the order of their
/// frames there.
pub struct Comparer<'a>(FrameComparer<FrameWalk<'a>>);

impl Comparer<'_> {
    /// Like [`Recording::compare`].
    pub fn compare(&mut self, edited: &Recording) -> Comparison {
        self.0.compare(&edited.source())
    }
}
