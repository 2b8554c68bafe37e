//! Players who join, leave, or change name or team.

use std::borrow::Cow;

use fragreel_model::{EventKind, Evidence, Kind};

use crate::characters;
use crate::events::sink::EventSink;
use crate::message::Message;
use crate::state::{Game, Person, Roster, player, team};

/// Emits the changes that a message makes to the scoreboard. Call before applying it.
pub(super) fn changes(out: &mut EventSink, game: &Game, message: &Message) {
    if !out.wanted.any(&[Kind::Join, Kind::Leave, Kind::Rename, Kind::Team]) {
        return;
    }
    let slots = Roster::slots_of(message);
    if slots.is_empty() {
        return;
    }
    let mut after = game.roster.clone();
    after.apply(message);
    for (_, &slot) in slots.iter().enumerate().filter(|(at, slot)| !slots[..*at].contains(slot)) {
        compare(out, slot, game.roster.get(slot), after.get(slot));
    }
}

fn compare(out: &mut EventSink, slot: u8, before: Option<&Person>, after: Option<&Person>) {
    match (before, after) {
        (None, Some(new)) => out.emit(Evidence::Stated, EventKind::Join { player: player(slot, new) }),
        (Some(old), None) => out.emit(Evidence::Stated, EventKind::Leave { player: player(slot, old), reason: None }),
        (Some(old), Some(new)) if old.user_id != new.user_id => {
            out.emit(Evidence::Stated, EventKind::Leave { player: player(slot, old), reason: None });
            out.emit(Evidence::Stated, EventKind::Join { player: player(slot, new) });
        }
        (Some(old), Some(new)) => changed(out, slot, old, new),
        (None, None) => {}
    }
}

fn changed(out: &mut EventSink, slot: u8, old: &Person, new: &Person) {
    if old.name != new.name {
        out.emit(Evidence::Stated, EventKind::Rename { player: player(slot, new), from: characters::text(&old.name) });
    }
    let (from, to) = (team(old), team(new));
    if from != to {
        out.emit(Evidence::Stated, EventKind::Team { player: player(slot, new), from: from.unwrap_or(Cow::Borrowed("")) });
    }
}
