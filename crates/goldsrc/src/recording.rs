//! A recording: what every question starts from.

use std::sync::{Arc, OnceLock};

use model::{Damage, DamageKind};
use replay::LazyIndex;
use wire::{Error, Limits};

use crate::container::{Container, Step};
use crate::dialect::Dialect;
use crate::frames::Index;
use crate::message::Message;
use crate::walk::playback::Playback;
use crate::walk::timeline::Timeline;

/// A recording in memory. Opening looks at the header and the directory only; each question walks over what it needs.
///
/// ```
/// # let bytes = goldsrc::properties::tiny_recording();
/// let recording = goldsrc::Recording::open(&bytes, Some("dem"), wire::Limits::default()).unwrap();
/// assert!(recording.verify().is_whole());
/// assert_eq!(recording.info().maps, ["hand_made"]);
/// ```
#[derive(Debug, Clone)]
pub struct Recording<'a> {
    pub(crate) container: Container<'a>,
    pub(crate) limits: Limits,
    /// Made when it is first needed, and shared with copies.
    pub(crate) index: Arc<LazyIndex<Index>>,
    /// The edits' look-ups, made by the first that needs them, and shared with copies.
    pub(crate) timeline: Arc<OnceLock<Timeline>>,
}

impl<'a> Recording<'a> {
    /// Fails only when the bytes are no GoldSrc recording at all; a missing or wrong directory is worked around and
    /// reported as damage.
    pub fn open(bytes: &'a [u8], _extension: Option<&str>, limits: Limits) -> Result<Self, Error> {
        Ok(Recording { container: Container::open(bytes, &limits)?, limits, index: Arc::default(), timeline: Arc::default() })
    }

    /// The recording as it is now: the bytes from its start, of which those that were there are the first. `last` says that it is
    /// complete.
    pub(crate) fn over<'b>(&self, bytes: &'b [u8], last: bool) -> Recording<'b> {
        Recording { container: self.container.over(bytes, last), limits: self.limits, index: Arc::default(), timeline: Arc::default() }
    }

    /// The file taken apart into windows.
    pub fn container(&self) -> &Container<'a> {
        &self.container
    }

    /// What the protocol numbers mean.
    pub fn dialect(&self) -> &Dialect {
        &self.container.dialect
    }

    /// Whether it is one unbroken recording, and what speaks against it.
    pub fn audit(&self) -> model::Audit {
        crate::answers::audit::audit(self, &self.limits)
    }

    /// Whether an HLTV proxy recorded: its messages say so before they describe the server.
    pub(crate) fn is_hltv(&self) -> bool {
        let mut playback = Playback::new(self);
        while let Some(step) = playback.next().filter(|_| playback.context().is_some()) {
            let Step::Macro { window, .. } = step else { continue };
            let mut decided = false;
            let read = playback.read(&window, |_, message, _| decided |= matches!(message, Message::ServerInfo(_) | Message::Hltv(_)));
            if decided || read.is_err() {
                break;
            }
        }
        playback.context().is_some_and(|context| context.hltv)
    }
}

/// Turns an error met while reading messages into damage that says what a person needs to find the culprit: the bytes
/// around it and the last message that was whole.
pub(crate) fn describe(error: &Error, bytes: &[u8], last_good: Option<(u8, usize)>, number: u32) -> Damage {
    let error = error.clone().inside("macro", Some(number));
    let mut damage = Damage::of(&error, DamageKind::Message);
    let at = (damage.offset as usize).min(bytes.len());
    let hex = |from: usize, to: usize| bytes[from..to].iter().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().join(" ");
    let context = format!("{} [{}", hex(at.saturating_sub(8), at), hex(at, (at + 16).min(bytes.len())));
    damage.detail.push_str(&format!("; bytes around it: {}]", context.trim()));
    match last_good {
        Some((id, offset)) => damage.detail.push_str(&format!("; the last good message was {} at offset {offset}", crate::message::name(id))),
        None => damage.detail.push_str("; no message before it was good"),
    }
    damage
}
