//! Pick-ups: KTX states them, and servers print them to the player (`docs/formats/quake1.md`, "Items").

use std::borrow::Cow;
use std::collections::HashMap;

use fragreel_model::{EventKind, Evidence, Milliseconds};

use crate::characters;
use crate::dialect::Dialect;
use crate::events::pickups::Pickup;
use crate::events::sink::EventSink;
use crate::state::{Game, slot_of_entity};

/// The respawn times of items that were taken.
#[derive(Debug, Clone, Default)]
pub(super) struct Respawns(HashMap<u32, Milliseconds>);

impl Respawns {
    /// Notes an item that was taken and respawns in `seconds`; 0 if that is not known yet. Returns how long it had been there.
    pub(super) fn took(&mut self, entity: u32, seconds: u32, now: Milliseconds) -> Option<Milliseconds> {
        let back = self.0.remove(&entity);
        if seconds > 0 {
            self.comes(entity, seconds, now);
        }
        back.filter(|&back| back <= now).map(|back| now - back)
    }

    /// Notes that an item respawns in `seconds`.
    pub(super) fn comes(&mut self, entity: u32, seconds: u32, now: Milliseconds) {
        self.0.insert(entity, now + Milliseconds(i64::from(seconds) * 1000));
    }

    /// Forgets all items: they are back.
    pub(super) fn forget(&mut self) {
        self.0.clear();
    }
}

/// Items by their models.
const MODELS: &[(&str, &str)] = &[
    ("progs/g_shot.mdl", "double-barrelled shotgun"),
    ("progs/g_nail.mdl", "nailgun"),
    ("progs/g_nail2.mdl", "super nailgun"),
    ("progs/g_rock.mdl", "grenade launcher"),
    ("progs/g_rock2.mdl", "rocket launcher"),
    ("progs/g_light.mdl", "thunderbolt"),
    ("progs/quaddama.mdl", "quad damage"),
    ("progs/invulner.mdl", "pentagram of protection"),
    ("progs/invisibl.mdl", "ring of shadows"),
    ("progs/suit.mdl", "biosuit"),
    ("progs/backpack.mdl", "backpack"),
    ("maps/b_bh100.bsp", "megahealth"),
    ("maps/b_bh25.bsp", "health"),
    ("maps/b_bh10.bsp", "health"),
    ("maps/b_shell0.bsp", "shells"),
    ("maps/b_shell1.bsp", "shells"),
    ("maps/b_nail0.bsp", "nails"),
    ("maps/b_nail1.bsp", "nails"),
    ("maps/b_rock0.bsp", "rockets"),
    ("maps/b_rock1.bsp", "rockets"),
    ("maps/b_batt0.bsp", "cells"),
    ("maps/b_batt1.bsp", "cells"),
];

const ARMOR_MODEL: &str = "progs/armor.mdl";
const ARMORS: [&str; 3] = ["green armor", "yellow armor", "red armor"];

/// The item of a map entity, by the model of its baseline.
pub(super) fn of_entity(d: &Dialect, game: &Game, entity: u32) -> Option<&'static str> {
    let (model, skin) = game.world.baseline_looks(d, entity);
    let path = game.level.models.get(model as usize)?;
    if path.bytes() == ARMOR_MODEL.as_bytes() {
        return ARMORS.get(skin as usize).copied();
    }
    MODELS.iter().find(|(model, _)| model.as_bytes() == path.bytes()).map(|(_, name)| *name)
}

/// A weapon by its item bit.
pub(super) fn weapon(bit: i32) -> Option<&'static str> {
    Some(match bit {
        4096 => "axe",
        1 => "shotgun",
        2 => "double-barrelled shotgun",
        4 => "nailgun",
        8 => "super nailgun",
        16 => "grenade launcher",
        32 => "rocket launcher",
        64 => "thunderbolt",
        _ => return None,
    })
}

/// The item that a line to one player names.
fn printed(line: &str) -> Option<Cow<'static, str>> {
    let item = line
        .strip_prefix("You got the ")
        .or_else(|| line.strip_prefix("You got "))
        .or_else(|| line.strip_prefix("You get the "))
        .or_else(|| line.strip_prefix("You get "))
        .or_else(|| line.strip_prefix("You receive "))?;
    let item = item.trim_end_matches(['.', '!', ' ']).to_ascii_lowercase();
    if item.is_empty() {
        return None;
    }
    let amount = item.split(' ').next().is_some_and(|word| word.bytes().all(|byte| byte.is_ascii_digit()));
    Some(match item.as_str() {
        _ if amount && item.ends_with(" health") => Cow::Borrowed("health"),
        // several amounts at once come from a backpack
        _ if amount => Cow::Borrowed("backpack"),
        _ => Cow::Owned(item),
    })
}

/// Emits a pick-up that KTX states.
pub(super) fn stated(out: &mut EventSink, game: &Game, entity: u32, item: &'static str, delay: Option<Milliseconds>) {
    let Some(slot) = slot_of_entity(entity) else { return };
    let Some(player) = game.roster.player(slot) else { return };
    let item = Cow::Borrowed(item);
    out.pickup(Evidence::Stated, Pickup { slot, item: item.clone() }, EventKind::Item { player, item, delay });
}

/// Emits the pick-up that a line states. Returns false if it states none.
pub(super) fn line(out: &mut EventSink, game: &Game, to: Option<u8>, line: &[u8]) -> bool {
    let Some(item) = printed(&characters::clean(line)) else { return false };
    let Some((slot, player)) = to.and_then(|slot| Some((slot, game.roster.player(slot)?))) else { return false };
    out.pickup(Evidence::Inferred, Pickup { slot, item: item.clone() }, EventKind::Item { player, item, delay: None });
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_lie_there_from_when_they_come_back() {
        let mut respawns = Respawns::default();
        let at = |seconds: i64| Milliseconds(seconds * 1000);
        assert_eq!(respawns.took(5, 20, at(10)), None, "nobody said since when it lies there");
        assert_eq!(respawns.took(5, 20, at(33)), Some(at(3)));
        // the megahealth states its time only when it has worn off
        assert_eq!(respawns.took(7, 0, at(40)), None);
        respawns.comes(7, 20, at(60));
        assert_eq!(respawns.took(7, 0, at(81)), Some(at(1)));
        assert_eq!(respawns.took(7, 0, at(90)), None);
        respawns.took(5, 20, at(100));
        respawns.forget();
        assert_eq!(respawns.took(5, 20, at(130)), None);
    }

    #[test]
    fn lines_tell_items() {
        for (line, item) in [
            ("You got the Rocket Launcher", Some("rocket launcher")),
            ("You receive 25 health", Some("health")),
            ("You got armor", Some("armor")),
            ("You get 5 shells, 10 nails", Some("backpack")),
            ("You get", None),
            ("no weapon", None),
        ] {
            assert_eq!(printed(line).as_deref(), item, "{line}");
        }
    }
}
