//! A recording in memory: its input, and the look-ups that questions share.

use std::sync::{Arc, OnceLock};

use fragreel_base::wire::{Error, Limits};
use fragreel_model::replay::{EventSource, Events, LazyIndex, Share};
use fragreel_model::{Explained, Fields, FrameOptions, Info, Kinds, Moment, Selection, Verification, When};

use crate::Frames;
use crate::answers::{audit, explain, extract, info, moment, verify};
use crate::dialect::Dialect;
use crate::events::EventPlayback;
use crate::frames::{self, Index};
use crate::walk::{Input, Timeline};

/// A recording of the Quake III family in memory.
#[derive(Debug, Clone)]
pub struct Recording<'a> {
    pub(crate) input: Input<'a>,
    /// Keyframes for seeking, made by the first seek and shared with copies.
    pub(crate) index: Arc<LazyIndex<Index>>,
    timeline: Arc<OnceLock<Timeline>>,
}

impl<'a> Recording<'a> {
    /// Opens a recording and detects its dialect from the first messages. `extension` (`dm_68`) decides where the content states none.
    pub fn open(bytes: &'a [u8], extension: Option<&str>, limits: Limits) -> Result<Self, Error> {
        Ok(Recording { input: Input::open(bytes, extension, limits)?, index: Arc::default(), timeline: Arc::default() })
    }

    /// The rules that it follows.
    pub fn dialect(&self) -> &'static Dialect {
        self.input.dialect
    }

    /// The file extension for a recording made of this one: its own where that fits the content.
    pub fn extension(&self) -> String {
        self.input.extension()
    }

    /// The limits that it was opened with.
    pub fn limits(&self) -> &Limits {
        &self.input.limits
    }

    /// Its bytes.
    pub fn bytes(&self) -> &'a [u8] {
        self.input.bytes
    }

    /// Frames and levels by time, made when an edit first needs them.
    pub(crate) fn timeline(&self) -> &Timeline {
        self.timeline.get_or_init(|| Timeline::of(&self.input))
    }

    /// Game, map, players, duration, and damage. Decodes commands only, and the player of the first snapshot.
    pub fn info(&self) -> Info {
        info::info(&self.input)
    }

    /// Decodes every message, encodes it again, and compares the bytes.
    pub fn verify(&self) -> Verification {
        self.verify_share(Share::all())
    }

    /// Like `verify`, but encodes only the messages of this share again.
    #[doc(hidden)]
    pub fn verify_share(&self, share: Share) -> Verification {
        verify::verify(&self.input, share)
    }

    /// What it holds beside the game: files that the server sent, voice, and the configstrings of each gamestate.
    pub fn extract(&self) -> Vec<fragreel_model::Extracted> {
        extract::extract(&self.input)
    }

    /// Looks for cuts and edits: gaps, falling sequences, broken seals.
    pub fn audit(&self) -> fragreel_model::Audit {
        audit::audit(&self.input)
    }

    /// The events of the `wanted` kinds, in stream order. The recording is read as they are taken.
    pub fn events(&self, wanted: Kinds) -> Events<impl EventSource> {
        Events::new(self.event_source(wanted))
    }

    /// The walk that makes them.
    pub fn event_source(&self, wanted: Kinds) -> impl EventSource {
        EventPlayback::new(self.input.bytes, self.input.dialect, wanted, self.input.limits.damage_entries)
    }

    /// The walk that makes the events of the wanted kinds that commands state. It reads no snapshots, so it does not know whose view is recorded:
    /// statements about that player are left out.
    #[doc(hidden)]
    pub fn statement_source(&self, wanted: Kinds) -> impl EventSource {
        EventPlayback::of_commands(self.input.bytes, self.input.dialect, wanted, self.input.limits.damage_entries)
    }

    /// The selected messages, field by field. The recording is read as they are taken.
    pub fn explain(&self, selection: Selection) -> impl Iterator<Item = Explained> {
        explain::explain(&self.input, selection)
    }

    /// The frames of the recording, as `options` ask for them.
    pub fn frames(&self, options: FrameOptions) -> Frames<'a> {
        frames::frames(&self.input, &self.index, &options)
    }

    /// The state at the last snapshot at or before `when`; at the first one for earlier times. The second call makes an index of the
    /// recording, as [`Frames::seek`](crate::Frames::seek) does; later calls are fast.
    pub fn state_at(&self, when: When) -> Result<Moment, Error> {
        moment::state_at(self.frames(FrameOptions::default().fields(Fields::NONE)), when)
    }
}
