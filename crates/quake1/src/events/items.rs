//! What is picked up: KTX states it, and servers print it to who took it (`docs/formats/quake1.md`, "Items").

use std::borrow::Cow;

use model::{Event, EventKind, Evidence, Kind};

use super::Reporter;
use crate::characters;
use crate::dialect::Dialect;
use crate::state::Game;

/// Pick-ups of this moment. A statement takes the place of a line that says the same.
#[derive(Debug, Clone, Default)]
pub struct Pending {
    inferred: Vec<(u8, Cow<'static, str>, Event)>,
    stated: Vec<(u8, &'static str, Event)>,
}

impl Pending {
    /// Whether nothing was picked up in this moment.
    pub fn is_empty(&self) -> bool {
        self.inferred.is_empty() && self.stated.is_empty()
    }

    /// KTX says that somebody took something.
    pub fn stated(&mut self, slot: u8, name: &'static str, event: Event) {
        self.stated.push((slot, name, event));
    }

    /// A line says so.
    pub fn inferred(&mut self, slot: u8, name: Cow<'static, str>, event: Event) {
        self.inferred.push((slot, name, event));
    }

    /// What is to be told now.
    pub fn take(&mut self) -> impl Iterator<Item = Event> + use<> {
        let stated = std::mem::take(&mut self.stated);
        let mut inferred = std::mem::take(&mut self.inferred);
        inferred.retain(|(slot, name, _)| !stated.iter().any(|(other, said, _)| other == slot && same(said, name)));
        stated.into_iter().map(|(.., event)| event).chain(inferred.into_iter().map(|(.., event)| event))
    }
}

/// Whether a statement and a line mean the same thing.
fn same(stated: &str, printed: &str) -> bool {
    stated == printed || (stated.ends_with("armor") && printed.ends_with("armor")) || (stated == "megahealth" && printed.ends_with("health"))
}

/// Models of items, and what they are.
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

/// What an entity of the map is, by the model of its baseline.
pub fn of_entity(d: &Dialect, game: &Game, entity: u32) -> Option<&'static str> {
    let (model, skin) = game.world.baseline_looks(d, entity);
    let path = game.level.models.get(model as usize)?;
    if path.bytes() == ARMOR_MODEL.as_bytes() {
        return ARMORS.get(skin as usize).copied();
    }
    MODELS.iter().find(|(model, _)| model.as_bytes() == path.bytes()).map(|(_, name)| *name)
}

/// A weapon by its bit among the items.
pub fn weapon(bit: i32) -> Option<&'static str> {
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

/// What a line to one player says that he took.
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
        // several amounts at once are in a backpack
        _ if amount => Cow::Borrowed("backpack"),
        _ => Cow::Owned(item),
    })
}

impl Reporter<'_> {
    /// Whether a line says that its reader took something; then it is told.
    pub(super) fn item_line(&mut self, game: &Game, to: Option<u8>, line: &[u8]) -> bool {
        let Some(item) = printed(&characters::clean(line)) else { return false };
        let Some((slot, player)) = to.and_then(|slot| Some((slot, game.roster.player(slot)?))) else { return false };
        if self.wants(Kind::Item) {
            let event = self.event(Evidence::Inferred, EventKind::Item { player, item: item.clone() });
            self.items.inferred(slot, item, event);
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
