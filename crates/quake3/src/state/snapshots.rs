//! Decoded snapshots, and the ring that keeps the last of them.

use fragreel_base::delta::interleaved::{Row, apply};

use super::missing::Missing;
use crate::dialect::Dialect;
use crate::fields::{SLOTS, array};
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

/// The player of the view.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PlayerState {
    /// The fields of the dialect's table.
    pub row: Row,
    /// The arrays, as [`array`](mod@array) numbers them.
    pub arrays: [[u32; SLOTS]; array::COUNT],
}

impl Default for PlayerState {
    fn default() -> Self {
        PlayerState { row: [0; 64], arrays: [[0; SLOTS]; array::COUNT] }
    }
}

impl PlayerState {
    /// Puts `delta` over the state.
    #[inline]
    pub fn change(&mut self, delta: &PlayerDelta) {
        apply(&mut self.row, &delta.row, delta.spelling.sent);
        if delta.arrays_sent {
            for (array, change) in self.arrays.iter_mut().zip(&delta.arrays) {
                for (at, value) in change.changes() {
                    array[at] = value;
                }
            }
        }
    }
}

/// A decoded snapshot.
#[derive(Debug, Clone, Default)]
pub struct SnapshotState {
    /// Whether it may be a delta base.
    pub(super) valid: bool,
    /// Whether it was decoded from nothing but what was sent.
    pub(super) certain: bool,
    /// Whether engines decode the same from the same base.
    pub(super) as_sent: bool,
    /// The message's sequence.
    pub sequence: i32,
    /// The sequence of its delta base.
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
    /// Whether a delta base was lost before it, and no full snapshot came since: it was decoded from the last known one.
    pub fn is_uncertain(&self) -> bool {
        !self.certain
    }

    /// Whether engines that have its base decode the same.
    pub(crate) fn is_as_sent(&self) -> bool {
        self.as_sent
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
    pub(super) fn clear(&mut self) {
        for slot in &mut self.slots {
            slot.entities.clear();
            slot.valid = false;
        }
    }

    /// Puts the player of slot `base` into slot `to`; without a base, one that is all zeros.
    #[inline]
    pub(super) fn copy_player(&mut self, base: Option<usize>, to: usize) {
        match base {
            None => self.slots[to].player = PlayerState::default(),
            Some(base) if base == to => {}
            Some(base) => {
                if let Ok([from, to]) = self.slots.get_disjoint_mut([base, to]) {
                    to.player = from.player;
                }
            }
        }
    }
}

/// The slot of the base of a snapshot; `None` for a full one. `counted` is the number of entities so far. `slot` says of a slot whether it may be a
/// base, its sequence, and the number of entities before it.
#[inline(always)]
pub(super) fn base_slot(
    dialect: &Dialect,
    sequence: i32,
    delta: u8,
    counted: u64,
    slot: impl FnOnce(usize) -> (bool, i32, u64),
) -> Result<Option<usize>, Missing> {
    let wanted = sequence.wrapping_sub(i32::from(delta));
    if delta == 0 || wanted <= 0 {
        return Ok(None);
    }
    let at = (wanted & (KEPT as i32 - 1)) as usize;
    match slot(at) {
        (false, ..) => Err(Missing::Absent),
        (_, found, _) if found != wanted => Err(Missing::TooOld),
        (.., before) if counted - before > dialect.kept_entities => Err(Missing::EntitiesTooOld),
        _ => Ok(Some(at)),
    }
}

/// The slots of packets between two messages, which never came.
#[inline(always)]
pub(super) fn missed_slots(before: i32, sequence: i32) -> impl Iterator<Item = usize> {
    let to = i64::from(sequence);
    ((i64::from(before) + 1).max(to - (KEPT as i64 - 1))..to).map(|missed| (missed & (KEPT as i64 - 1)) as usize)
}
