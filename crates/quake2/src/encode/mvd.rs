//! Messages and full frames of an MVD2.

use fragreel_base::wire::WriteBytes;

use super::deltas::{self, EncodeFlags};
use crate::dialect::Dialect;
use crate::fields::{entity, player};
use crate::limits;
use crate::message::{Context, MvdFrame, MvdMessage, MvdPlayer, PacketEntities};
use crate::state::{InPlace, NOTHING, PlayerState, State};

/// Encodes a message.
pub fn write(message: &MvdMessage, cx: &mut Context) -> Vec<u8> {
    let mut w = WriteBytes::default();
    let Ok(()) = message.clone().write(&mut w, cx);
    w.finish()
}

/// Encodes the states of `state` as changes from those of `from`.
pub(crate) fn difference(from: &InPlace, state: &State, portals: Vec<u8>) -> MvdFrame {
    let dialect = &state.dialect;
    let gone = removes(dialect);
    let zero = PlayerState::default();
    let old_players: Vec<_> = from.known_players().collect();
    let players = state.in_place.known_players().filter_map(|(number, in_use, player)| {
        let (was, old) = old_players.get(usize::from(number)).map_or((false, &zero), |(_, was, old)| (*was, *old));
        let mut delta = deltas::player(dialect, old, player, true);
        let changed = delta.mask != 0 || was != in_use;
        delta.mask |= if in_use { 0 } else { gone };
        changed.then_some(MvdPlayer { number, delta })
    });
    let old_entities: Vec<_> = from.known_entities(dialect.line).collect();
    let entities = state.in_place.known_entities(dialect.line).filter(|(number, ..)| limits::holds(dialect, *number)).filter_map(|(number, in_use, row)| {
        let known = old_entities.get(usize::from(number) - 1);
        let (was, old) = known.map_or((false, NOTHING), |(_, was, old)| (*was, crate::state::aged(old, dialect.line)));
        let mut delta = deltas::entity(dialect, number, &old, &row, EncodeFlags { force: was != in_use, new: false })?;
        delta.mask = fragreel_base::delta::masked::extended(delta.mask | if in_use { 0 } else { entity::U_REMOVE }, dialect.more);
        Some(delta)
    });
    MvdFrame { portals, players: players.collect(), entities: PacketEntities { deltas: entities.collect(), end_mask: 0 } }
}

/// The bits that remove a player.
pub(crate) fn removes(dialect: &Dialect) -> u64 {
    if dialect.player_more == 0 { player::PPS_MOREBITS } else { player::PPS_REMOVE | player::PPS_MOREBITS }
}

/// Encodes all states from zero. Includes players and entities that are absent now, because they are deltas against their last
/// state when they return.
pub(crate) fn full_frame(state: &State, portals: Vec<u8>) -> MvdFrame {
    let dialect = &state.dialect;
    let gone = removes(dialect);
    let zero = PlayerState::default();
    let players = state.in_place.known_players().filter(|(_, in_use, known)| *in_use || **known != zero).map(|(number, in_use, known)| {
        let mut delta = deltas::player(dialect, &zero, known, true);
        delta.mask |= if in_use { 0 } else { gone };
        MvdPlayer { number, delta }
    });
    let entities =
        state.in_place.known_entities(dialect.line).filter(|(number, in_use, row)| limits::holds(dialect, *number) && (*in_use || *row != NOTHING)).filter_map(
            |(number, in_use, row)| {
                let mut delta = deltas::entity(dialect, number, &NOTHING, &row, EncodeFlags { force: true, new: false })?;
                delta.mask = fragreel_base::delta::masked::extended(delta.mask | if in_use { 0 } else { entity::U_REMOVE }, dialect.more);
                Some(delta)
            },
        );
    MvdFrame { portals, players: players.collect(), entities: PacketEntities { deltas: entities.collect(), end_mask: 0 } }
}
