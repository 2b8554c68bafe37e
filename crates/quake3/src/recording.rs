//! A recording and the questions that it answers.

mod explain;
mod info;
pub(crate) mod moment;
mod verify;

use std::sync::{Arc, OnceLock};

use model::{Damage, Event, Explained, Info, Kinds, Moment, Selection, Verification, When};
use replay::{Flow, LazyIndex};
use wire::{Error, Limits};

use crate::container::{Frames, Piece};
use crate::dialect::Dialect;
use crate::edit::Timeline;
use crate::frames::Index;

/// A recording of the Quake III family in memory.
#[derive(Debug, Clone)]
pub struct Recording<'a> {
    bytes: &'a [u8],
    dialect: &'static Dialect,
    /// The protocol that the file's name hints at.
    named: Option<u16>,
    limits: Limits,
    pub(crate) index: Arc<LazyIndex<Index>>,
    /// The edits' look-ups, made by the first that needs them, and shared with copies.
    pub(crate) timeline: Arc<OnceLock<Timeline>>,
}

impl<'a> Recording<'a> {
    /// Looks at the first messages to know the dialect. `extension` (`dm_68`) helps where the content says nothing.
    pub fn open(bytes: &'a [u8], extension: Option<&str>, limits: Limits) -> Result<Self, Error> {
        if bytes.len() as u64 > limits.recording_bytes {
            return Err(Error::limit("the recording is larger than the limits allow"));
        }
        let named = extension.and_then(Dialect::hinted);
        Ok(Recording { bytes, dialect: crate::identify::dialect(bytes, extension)?, named, limits, index: Arc::default(), timeline: Arc::default() })
    }

    /// The rules that it follows.
    pub fn dialect(&self) -> &'static Dialect {
        self.dialect
    }

    /// The extension that a recording made of this one should have: its own where that suits its content. (CPMA's servers state
    /// a protocol that is not that of their recordings.)
    pub fn extension(&self) -> String {
        if matches!(Frames::new(self.bytes).next(), Some(Piece::Prologue(_))) {
            return String::from("urtdemo");
        }
        let named = self.named.and_then(Dialect::of).filter(|named| named.layout == self.dialect.layout && named.line == self.dialect.line);
        named.unwrap_or(self.dialect).extension()
    }

    /// The limits that it was opened with.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// The same recording with other bytes, of which its own are the first.
    pub(crate) fn over<'b>(&self, bytes: &'b [u8]) -> Recording<'b> {
        Recording { bytes, dialect: self.dialect, named: self.named, limits: self.limits, index: Arc::default(), timeline: Arc::default() }
    }

    /// Its bytes.
    pub fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// What it is. Looks at commands only; of the first snapshot also at the player.
    pub fn info(&self) -> Info {
        info::info(self)
    }

    /// Whether it is whole: decodes everything, encodes it again, compares.
    pub fn verify(&self) -> Verification {
        verify::verify(self)
    }

    /// Whether it is one unbroken recording, and what speaks against it.
    pub fn audit(&self) -> model::Audit {
        crate::audit::audit(self, &self.limits)
    }

    /// What happened, in stream order, until `sink` breaks off. Returns the damage met on the way.
    pub fn events<R: Flow>(&self, wanted: Kinds, sink: &mut (impl FnMut(Event) -> R + ?Sized)) -> Vec<Damage> {
        let mut damage = crate::events::run(self.bytes, self.dialect, wanted, sink);
        damage.truncate(self.limits.damage_entries);
        damage
    }

    /// The selected messages, field by field, until `sink` breaks off.
    pub fn explain<R: Flow>(&self, selection: Selection, sink: &mut (impl FnMut(Explained) -> R + ?Sized)) {
        explain::explain(self, selection, &mut |explained| sink(explained).flow());
    }

    /// The last snapshot at or before `when`; the first one for earlier times. Asked again, it makes an index of the recording, as
    /// [`Frames::seek`](crate::Frames::seek) does, and is quick from then on.
    pub fn state_at(&self, when: When) -> Result<Moment, Error> {
        moment::state_at(self, when)
    }
}
