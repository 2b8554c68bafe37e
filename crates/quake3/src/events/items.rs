//! Item pickups, by the player's own event. The broadcast of a power-up pickup names no player, so it adds nothing.

use std::borrow::Cow;

use fragreel_model::EventKind;

use crate::game::Game;
use crate::walk::Roster;

/// The pick-up that event `number` with `parameter` is for the player in `slot`, if it is one.
pub(super) fn event(number: u32, parameter: u32, slot: u32, game: &Game, players: &Roster) -> Option<EventKind> {
    if number != game.events.item_pickup || !players.has_slot(slot) {
        return None;
    }
    let item = game.item(parameter).map_or_else(|| Cow::Owned(format!("item {parameter}")), Cow::Borrowed);
    Some(EventKind::Item { player: players.player(slot), item, delay: None })
}
