//! A recording: its input, its caches, and one method for each thing to do with it.

use std::sync::Arc;

use fragreel_base::wire::{Error, Limits};
use fragreel_model::replay::{EventSource, Events, LazyIndex, Share};
use fragreel_model::{
    Comparison, Edited, Explained, Fate, FrameOptions, Info, Kinds, Moment, Place, Range, Rewrite, Selection, Split, Target, Verification, When,
};

use crate::answers;
use crate::edit::{self, EditSource};
use crate::frames::{self, Frames, Index};
use crate::message::Message;
use crate::walk::Input;
use crate::walk::timeline::LazyTimeline;

/// A decompressed recording in memory.
///
/// ```
/// use fragreel_quake2::Recording;
/// use fragreel_base::wire::Limits;
///
/// // One block with `serverdata` (protocol 34, kind 1, game "", player 0, title "x"), and the end mark.
/// let bytes = b"\x0f\0\0\0\x0c\x22\0\0\0\x01\0\0\0\x01\0\0\0x\0\xff\xff\xff\xff";
/// let recording = Recording::open(bytes, Some("dm2"), Limits::default()).unwrap();
/// assert_eq!(recording.info().dialect, "34");
/// assert!(recording.verify().is_whole());
/// ```
#[derive(Debug, Clone)]
pub struct Recording<'a> {
    input: Input<'a>,
    index: Arc<LazyIndex<Index>>,
    timeline: LazyTimeline,
}

impl<'a> Recording<'a> {
    /// Detects container and dialect. Reads only as much as that takes.
    ///
    /// Fails if `bytes` is longer than the limit, or not a recording of this family.
    pub fn open(bytes: &'a [u8], extension: Option<&str>, limits: Limits) -> Result<Self, Error> {
        Ok(Recording { input: Input::open(bytes, extension, limits)?, index: Arc::default(), timeline: LazyTimeline::default() })
    }

    /// The bytes of the recording.
    pub fn bytes(&self) -> &'a [u8] {
        self.input.bytes
    }

    /// Bytes, container, first dialect and limits.
    pub fn input(&self) -> &Input<'a> {
        &self.input
    }

    /// Summary of the recording: players, maps, duration, settings. Skips frame contents.
    pub fn info(&self) -> Info {
        answers::info::info(&self.input)
    }

    /// Decodes and re-encodes everything, and lists damage and what stock engines reject.
    pub fn verify(&self) -> Verification {
        self.verify_share(Share::all())
    }

    /// Like `verify`, but encodes only the messages of this share again.
    #[doc(hidden)]
    pub fn verify_share(&self, share: Share) -> Verification {
        answers::verify::verify(&self.input, share)
    }

    /// What it holds beside the game: files that the server sent, layouts, and the configstrings of each level.
    pub fn extract(&self) -> Vec<fragreel_model::Extracted> {
        answers::extract::extract(&self.input)
    }

    /// Looks for signs that the recording was edited, interrupted or made with cheats.
    pub fn audit(&self) -> fragreel_model::Audit {
        answers::audit::audit(&self.input)
    }

    /// The events of the wanted kinds, in stream order. The recording is read as they are taken.
    pub fn events(&self, wanted: Kinds) -> Events<impl EventSource> {
        Events::new(self.event_source(wanted))
    }

    /// The walk that makes them.
    pub fn event_source(&self, wanted: Kinds) -> impl EventSource {
        crate::events::EventPlayback::new(&self.input, wanted)
    }

    /// The selected blocks, field by field. The recording is read as they are taken.
    pub fn explain(&self, selection: Selection) -> impl Iterator<Item = Explained> {
        answers::explain::explain(&self.input, selection)
    }

    /// The state at the last frame at or before `when`, or at the first frame for earlier times.
    ///
    /// The second call builds an index, like [`Frames::seek`](crate::Frames::seek). Later calls are fast.
    pub fn state_at(&self, when: When) -> Result<Moment, Error> {
        answers::moment::state_at(self.frames(answers::moment::frame_options()), self.input.dialect.protocol, when)
    }

    /// The frames that `options` ask for.
    pub fn frames(&self, options: FrameOptions) -> Frames<'a> {
        frames::frames(&self.input, &self.index, &options)
    }

    /// The frames of `range` as a recording that the game plays.
    pub fn cut(&self, range: Range) -> Result<Edited, Error> {
        self.cuts(&[range]).remove(0)
    }

    /// Cuts several ranges in one walk where possible. Each result equals that of [`cut`](Self::cut).
    pub fn cuts(&self, ranges: &[Range]) -> Vec<Result<Edited, Error>> {
        edit::cuts(&self.edit_source(), ranges)
    }

    /// Parts that the game plays, each with its own signon.
    pub fn split(&self, by: Split) -> Result<Vec<Edited>, Error> {
        edit::split(&self.edit_source(), by)
    }

    /// Joins parts of one session, in order.
    pub fn join(parts: &[&Self]) -> Result<Edited, Error> {
        edit::join(&parts.iter().map(|part| part.edit_source()).collect::<Vec<_>>())
    }

    /// A file that plays, made of everything readable in this one.
    pub fn repair(&self) -> Result<Edited, Error> {
        edit::repair(&self.edit_source())
    }

    /// The bytes of this recording with the signon of `donor`, a recording of the same server and map, in the place of its own, which is lost.
    ///
    /// # Errors
    /// When it needs none, or the donor has none.
    pub fn opened_by(&self, donor: &Recording<'_>) -> Result<Vec<u8>, Error> {
        edit::open_by(&self.edit_source(), &donor.edit_source())
    }

    /// Converts the recording to another format.
    pub fn convert(&self, target: &Target) -> Result<Edited, Error> {
        edit::convert(&self.edit_source(), target)
    }

    /// Passes every message, text and wanted field to `rewrite`.
    ///
    /// Messages are named `svc_` plus the name in the format document; those of MVD2 start with `mvd_`. Only changed messages
    /// are re-encoded.
    pub fn rewrite(&self, rewrite: &mut dyn Rewrite) -> Result<Edited, Error> {
        edit::rewrite(&self.edit_source(), rewrite)
    }

    /// Passes every message to `f`, which may change or drop it.
    ///
    /// Dropping a frame also drops its player and entities, and re-encodes the frames that were deltas against it. Server data,
    /// baselines, and players and entities alone cannot be dropped. An MVD2 has messages of its own: it is refused.
    pub fn map_messages(&self, f: &mut dyn FnMut(Place, &mut Message) -> Fate) -> Result<Edited, Error> {
        edit::map_messages(&self.edit_source(), f)
    }

    /// Compares the frames of `edited`, which was made from this recording, with the frames at the same times here.
    pub fn compare(&self, edited: &Recording<'_>) -> Comparison {
        self.comparer().compare(edited)
    }

    /// Compares several recordings that were made from this one.
    pub fn comparer(&self) -> Comparer<'a> {
        Comparer(edit::Comparer::new(&self.edit_source()))
    }

    fn edit_source(&self) -> EditSource<'a> {
        EditSource::new(&self.input, &self.timeline)
    }
}

/// Compares recordings with the one that they were made from. Takes one walk over the source if they come in the order of their
/// frames there.
pub struct Comparer<'a>(edit::Comparer<'a>);

impl Comparer<'_> {
    /// Like [`Recording::compare`].
    pub fn compare(&mut self, edited: &Recording<'_>) -> Comparison {
        self.0.compare(&edited.input)
    }
}
