//! Events from changes in player states: scores, items, weapons.

use std::borrow::Cow;
use std::collections::BTreeMap;

use fragreel_model::{EventKind, Evidence};

use super::names::Names;
use crate::chars;
use crate::fields::player::GUNINDEX;
use crate::state::State;
use crate::walk::weapons::weapon;

/// `STAT_PICKUP_STRING` and `STAT_FRAGS`.
const PICKUP_STRING: usize = 8;
const FRAGS: usize = 14;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct TrackedState {
    pickup: i16,
    frags: i16,
    gun: u32,
}

/// The players' last states, as far as events need them.
#[derive(Debug, Clone, Default)]
pub(super) struct StateTracker {
    states: BTreeMap<i16, TrackedState>,
}

impl StateTracker {
    pub(super) fn clear(&mut self) {
        self.states.clear();
    }

    /// Compares the players of the current frame with the last ones.
    pub(super) fn changes(&mut self, state: &State, names: &Names) -> Vec<(Evidence, EventKind)> {
        let mut events = Vec::new();
        for (number, player) in state.players() {
            let Ok(slot) = u16::try_from(number) else { continue };
            let now = TrackedState { pickup: player.stats[PICKUP_STRING], frags: player.stats[FRAGS], gun: player.row[GUNINDEX] & 0x1fff };
            let Some(before) = self.states.insert(number, now) else { continue };
            if before == now {
                continue;
            }
            let who = || names.in_slot(slot);
            if now.frags != before.frags {
                events.push((Evidence::Stated, EventKind::Score { player: Some(who()), team: None, score: now.frags.into() }));
            }
            if now.pickup != before.pickup && now.pickup > 0 {
                let item = chars::clean(state.strings.get(now.pickup as u16));
                if !item.is_empty() {
                    events.push((Evidence::Inferred, EventKind::Item { player: who(), item: Cow::Owned(item), delay: None }));
                }
            }
            if now.gun != before.gun && now.gun != 0 {
                let model = chars::clean(state.strings.get(state.dialect.strings.models.saturating_add(now.gun as u16)));
                if let Some(weapon) = weapon(&model) {
                    events.push((Evidence::Inferred, EventKind::Weapon { player: who(), weapon }));
                }
            }
        }
        events
    }
}
