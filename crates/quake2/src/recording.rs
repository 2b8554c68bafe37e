//! A recording, and the questions it answers.

use std::sync::{Arc, OnceLock};

use model::{Damage, Event, Explained, Info, Kinds, Moment, Selection, Verification, When};
use replay::{Flow, LazyIndex, Sink};
use wire::{Error, Limits};

use crate::edit::Timeline;
use crate::frames::Index;
use crate::identify::{Identified, identify};
use crate::playback::{Manner, Playback, Visitor, Walked, walk};
use crate::state::{Detail, State};

/// A recording in memory, decompressed.
///
/// ```
/// use quake2::Recording;
/// use wire::Limits;
///
/// // One block with `serverdata` (protocol 34, kind 1, game "", player 0, title "x"), and the end mark.
/// let bytes = b"\x0f\0\0\0\x0c\x22\0\0\0\x01\0\0\0\x01\0\0\0x\0\xff\xff\xff\xff";
/// let recording = Recording::open(bytes, Some("dm2"), Limits::default()).unwrap();
/// assert_eq!(recording.info().dialect, "34");
/// assert!(recording.verify().is_whole());
/// ```
#[derive(Debug, Clone)]
pub struct Recording<'a> {
    bytes: &'a [u8],
    found: Identified,
    limits: Limits,
    lenient: bool,
    pub(crate) index: Arc<LazyIndex<Index>>,
    /// The edits' look-ups, made by the first that needs them, and shared with copies.
    pub(crate) timeline: Arc<OnceLock<Timeline>>,
}

impl<'a> Recording<'a> {
    /// Never reads more than it must to know the dialect. Fails only when the bytes are not this family's at all.
    pub fn open(bytes: &'a [u8], extension: Option<&str>, limits: Limits) -> Result<Self, Error> {
        if bytes.len() as u64 > limits.recording_bytes {
            return Err(Error::limit("the recording is longer than the limit"));
        }
        match identify(bytes, extension) {
            Some(found) => Ok(Recording { bytes, found, limits, lenient: false, index: Arc::default(), timeline: Arc::default() }),
            None => Err(Error::malformed("this is no recording of the Quake II family").at_offset(0)),
        }
    }

    /// Whether a frame whose delta base is missing is decoded against the last frame, as Q2PRO does. By default such frames are
    /// damage.
    #[must_use]
    pub fn lenient(mut self, lenient: bool) -> Self {
        self.lenient = lenient;
        (self.index, self.timeline) = (Arc::default(), Arc::default());
        self
    }

    /// The same recording over other bytes of it.
    pub(crate) fn over<'b>(&self, bytes: &'b [u8]) -> Recording<'b> {
        Recording { bytes, found: self.found, limits: self.limits, lenient: self.lenient, index: Arc::default(), timeline: Arc::default() }
    }

    /// The bytes of the recording.
    pub fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// Framing and first dialect.
    pub fn identified(&self) -> &Identified {
        &self.found
    }

    /// The limits that it was opened with.
    pub(crate) fn limits(&self) -> Limits {
        self.limits
    }

    /// How a walk over it goes that takes everything in.
    pub(crate) fn manner(&self) -> Manner {
        Manner { skim: false, detail: Detail::Full, lenient: self.lenient, parcels: true, longest: self.limits.message_bytes }
    }

    /// A walk over it that goes on when it is asked to.
    pub(crate) fn playback(&self, manner: Manner) -> Playback<'a> {
        Playback::new(self.bytes, &self.found, manner)
    }

    pub(crate) fn walk(&self, manner: Manner, visitor: &mut impl Visitor) -> (Walked, State) {
        walk(self.bytes, &self.found, manner, visitor)
    }

    /// What it is, without rebuilding its state.
    pub fn info(&self) -> Info {
        crate::info::info(self.bytes, &self.found, &self.limits)
    }

    /// Whether it is whole.
    pub fn verify(&self) -> Verification {
        crate::verify::verify(self.bytes, &self.found, &self.limits, self.lenient)
    }

    /// Whether it is one unbroken recording, and what speaks against it.
    pub fn audit(&self) -> model::Audit {
        crate::audit::audit(self, &self.limits)
    }

    /// In stream order, until `sink` breaks off. Returns the damage met on the way.
    pub fn events<R: Flow>(&self, wanted: Kinds, sink: &mut (impl FnMut(Event) -> R + ?Sized)) -> Vec<Damage> {
        crate::events::events(self.bytes, &self.found, &self.limits, self.lenient, wanted, Sink::new(&mut |event| sink(event).flow()))
    }

    /// Field by field, until `sink` breaks off.
    pub fn explain<R: Flow>(&self, selection: Selection, sink: &mut (impl FnMut(Explained) -> R + ?Sized)) {
        crate::explain::explain(self.bytes, &self.found, selection, &mut |explained| sink(explained).flow());
    }

    /// The last frame at or before the time; the first frame for earlier times. Asked again, it makes an index of the recording, as
    /// [`Frames::seek`](crate::Frames::seek) does, and is quick from then on.
    pub fn state_at(&self, when: When) -> Result<Moment, Error> {
        crate::moment::state_at(self, when)
    }
}
