//! Damage that a walk finds: where it is, which rule it breaks, and how many bytes it costs.

use fragreel_base::wire::Error;
use fragreel_model::{Damage, DamageKind};

use crate::container::{END_MARK, Fault, Frame};
use crate::message::{Message, Operation, Snapshot};
use crate::state::{Missing, Outcome, SnapshotState, State};
use fragreel_model::replay::Findings;

/// Damage of the container, outside of any message.
pub(crate) fn container_damage(kind: DamageKind, offset: u64, rule: &'static str) -> Damage {
    Damage { offset, bit: None, path: String::new(), kind, detail: String::from(rule), skipped: None }
}

/// Bytes that belong to no message.
pub(crate) fn opaque_bytes(range: &std::ops::Range<u64>, fault: Fault) -> Damage {
    container_damage(fault.kind, range.start, fault.rule).skipping(range.start, range.end)
}

/// The file ends without the end marker. `size` is its length in bytes.
pub(crate) fn missing_end_marker(size: usize) -> Damage {
    container_damage(DamageKind::NoEndMarker, size as u64, "the mark that ends a recording is missing")
}

/// An end marker at `offset`, with more of the same recording behind it. Engines stop there.
pub(crate) fn early_end(offset: u64) -> Damage {
    container_damage(DamageKind::Framing, offset, "an end marker, after which the recording continues").skipping(offset, offset + END_MARK.len() as u64)
}

/// A gamestate behind an end marker.
pub(crate) fn second_recording(offset: u64) -> Damage {
    container_damage(DamageKind::TrailingData, offset, "a second recording begins here: engines play the first; `split` gives both")
}

/// Damage inside a message. The rest of the message is lost.
pub(crate) fn broken_message(error: &Error, frame: &Frame) -> Damage {
    let placed = error.clone().in_message_at(frame.data_offset()).inside("message", Some(frame.number));
    let from = placed.offset().unwrap_or(frame.offset);
    Damage::of(&placed, DamageKind::Message).skipping(from, frame.end())
}

/// Whether the message begins a level.
pub(crate) fn begins_level(message: &Message) -> bool {
    message.operations.iter().any(|operation| matches!(operation, Operation::Gamestate(_)))
}

/// A snapshot whose delta base is missing.
pub(crate) fn missing_base(missing: Missing, frame: &Frame) -> Damage {
    let mut damage = container_damage(DamageKind::MissingBase, frame.offset, missing.rule());
    damage.path = format!("message {} › snapshot", frame.number);
    damage.skipping(frame.offset, frame.end())
}

/// Takes the outcome of a snapshot. Returns the finding that is complete with it.
#[inline]
pub(crate) fn snapshot_finding(findings: &mut Findings, state: &State, outcome: Outcome, frame: &Frame) -> Option<Damage> {
    match outcome {
        Outcome::MissingBase(missing) => findings.consequence(missing_base(missing, frame)),
        Outcome::Carried(missing) => findings.uncertain(|| missing_base(missing, frame)),
        Outcome::Applied if state.snapshot().is_some_and(SnapshotState::is_uncertain) => findings.uncertain(|| missing_base(Missing::Absent, frame)),
        // with latency, frames with an uncertain base alternate with others, up to a full frame
        Outcome::Applied if findings.is_uncertain() && state.snapshot().is_some_and(|snapshot| snapshot.base.is_some()) => None,
        Outcome::Applied => findings.close(),
    }
}

/// A snapshot whose time is before that of the last one. Engines stop there.
pub(crate) fn falling_time(frame: &Frame, snapshot: &Snapshot, before: i32) -> Damage {
    let mut damage = container_damage(DamageKind::Compatibility, frame.offset, "");
    damage.detail = format!("the snapshot's time {} is before that of the previous one, {before}: engines stop here", snapshot.server_time);
    damage.path = format!("message {} › snapshot", frame.number);
    damage.skipping(frame.offset, frame.end())
}

/// Set in the snapshots that a server sends before the client is in the game.
pub(crate) const NOT_ACTIVE: u8 = 2;

/// The server's clock as engines check it: they stop where it falls inside a level. Snapshots before the client is in the game do not
/// count.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct ServerTimes {
    last: Option<i32>,
}

impl ServerTimes {
    /// Starts a level.
    pub(crate) fn start_level(&mut self) {
        self.last = None;
    }

    /// The last time, if this snapshot's time is before it.
    pub(crate) fn falls_below(&self, snapshot: &Snapshot) -> Option<i32> {
        self.last.filter(|&last| snapshot.server_time < last)
    }

    /// Takes the time of a snapshot that engines show.
    pub(crate) fn advance(&mut self, snapshot: &Snapshot) {
        if self.last.is_some() || snapshot.flags & NOT_ACTIVE == 0 {
            self.last = Some(snapshot.server_time);
        }
    }
}
