//! Re-encodes snapshots from state, against another base or none.

use super::canonical;
use crate::message::Snapshot;
use crate::state::State;

/// How many snapshots engines keep.
const KEPT: usize = 32;

/// Tracks the snapshots that a client of the new recording has, and re-encodes those whose base it lacks.
pub(crate) struct FrameEncoder {
    /// The sequences that the client has, by sequence modulo their number.
    held: [Option<i32>; KEPT],
    latest: Option<i32>,
    /// The number of re-encoded snapshots.
    pub reencoded: u32,
}

impl FrameEncoder {
    pub(crate) fn new() -> Self {
        FrameEncoder { held: [None; KEPT], latest: None, reencoded: 0 }
    }

    /// Makes sure that a client can decode the current snapshot of `state`, whose tree is `tree`. Returns whether `tree` changed.
    pub(crate) fn reencode_if_base_missing(&mut self, state: &State, tree: &mut Snapshot) -> bool {
        let Some(new) = state.snapshot() else { return false };
        let sequence = new.sequence;
        let fits = new.is_as_sent() && new.base.is_none_or(|base| self.has(base));
        if !fits {
            // the first frame behind a lost base is sent in full
            let carried = new.base.is_some_and(|base| state.kept(base).is_none());
            let near = self.latest.filter(|_| !carried).filter(|&base| self.has(base) && (1..KEPT as i64).contains(&(i64::from(sequence) - i64::from(base))));
            let encoded = near.and_then(|base| canonical::against(state, Some(base))).or_else(|| canonical::against(state, None));
            if let Some(encoded) = encoded {
                *tree = Snapshot { client_command: tree.client_command, ..encoded };
            }
            self.reencoded += 1;
        }
        self.add(sequence);
        !fits
    }

    fn has(&self, sequence: i32) -> bool {
        self.held[sequence as usize % KEPT] == Some(sequence)
    }

    /// Removes a snapshot that the new recording does not have, so that no later one is a delta against it.
    pub(crate) fn remove(&mut self, sequence: i32) {
        if self.has(sequence) {
            self.held[sequence as usize % KEPT] = None;
        }
    }

    /// Adds a snapshot as engines do: the slots of packets that never came become empty.
    fn add(&mut self, sequence: i32) {
        if let Some(latest) = self.latest {
            let (from, to) = (i64::from(latest) + 1, i64::from(sequence));
            for missed in from.max(to - (KEPT as i64 - 1))..to {
                self.held[missed as usize % KEPT] = None;
            }
        }
        self.held[sequence as usize % KEPT] = Some(sequence);
        self.latest = Some(sequence);
    }

    /// Removes all snapshots, as a gamestate does.
    pub(crate) fn clear(&mut self) {
        self.held = [None; KEPT];
        self.latest = None;
    }
}
