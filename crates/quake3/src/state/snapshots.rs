//! Snapshots as they were worked out, and the ring that keeps the last of them.

use delta::interleaved::{Row, apply};

use super::arena::Arena;
use crate::message::PlayerDelta;

/// How many snapshots are kept.
pub(super) const KEPT: usize = 32;

/// An entity of a snapshot: its number and where its row is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EntityRef {
    /// The entity's number.
    pub number: u16,
    pub(super) row: u32,
}

/// The player whose view it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PlayerState {
    /// The fields of the dialect's table.
    pub row: Row,
    /// Stats, persistant, ammo, powerups.
    pub arrays: [[u32; 16]; 4],
}

impl Default for PlayerState {
    fn default() -> Self {
        PlayerState { row: [0; 64], arrays: [[0; 16]; 4] }
    }
}

impl PlayerState {
    /// The state after `delta`.
    #[inline]
    #[must_use]
    pub fn changed(&self, delta: &PlayerDelta) -> Self {
        let mut new = PlayerState { row: apply(&self.row, &delta.row, delta.spelling.sent), arrays: self.arrays };
        if delta.arrays_sent {
            for (array, change) in new.arrays.iter_mut().zip(&delta.arrays) {
                for (at, value) in change.changes() {
                    array[at] = value;
                }
            }
        }
        new
    }
}

/// A snapshot, worked out.
#[derive(Debug, Clone, Default)]
pub struct SnapshotState {
    /// Whether later ones may be told against it.
    pub(super) valid: bool,
    /// The message's sequence.
    pub sequence: i32,
    /// The sequence of the one that it was told against.
    pub base: Option<i32>,
    /// The server's clock in milliseconds.
    pub server_time: i32,
    /// Flags as sent.
    pub flags: u8,
    /// Areas as sent.
    pub area_mask: Vec<u8>,
    /// The player.
    pub player: PlayerState,
    /// The entities in view, in the order that the engine has them.
    pub entities: Vec<EntityRef>,
    /// Entities counted before it.
    pub(super) counted: u64,
}

impl SnapshotState {
    pub(super) fn release(&mut self, arena: &mut Arena) {
        for entity in self.entities.drain(..) {
            arena.release(entity.row);
        }
    }
}

/// The last snapshots, by sequence modulo their number.
#[derive(Debug, Clone)]
pub(super) struct Ring {
    pub(super) slots: [SnapshotState; KEPT],
}

impl Default for Ring {
    fn default() -> Self {
        Ring { slots: std::array::from_fn(|_| SnapshotState::default()) }
    }
}

impl Ring {
    pub(super) fn clear(&mut self, arena: &mut Arena) {
        for slot in &mut self.slots {
            slot.release(arena);
            slot.valid = false;
        }
    }
}
