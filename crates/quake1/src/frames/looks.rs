//! What models stand for, in the names of all games.

use std::sync::Arc;

use model::{EntityKind, Term};

use crate::state::Game;

use crate::frames::terms;

/// What a model stands for.
#[derive(Debug, Clone)]
pub struct Look {
    /// Its path.
    pub model: Arc<str>,
    shows: Shows,
}

#[derive(Debug, Clone)]
enum Shows {
    Item(Term),
    /// The skin says which.
    Armor,
    Missile(Term),
    Another(EntityKind),
}

impl Look {
    fn of(path: &str) -> Self {
        let stem = stem(path);
        let shows = if path.starts_with('*') {
            Shows::Another(EntityKind::Mover)
        } else if stem == "armor" {
            Shows::Armor
        } else if let Some(item) = terms::item_of(stem) {
            Shows::Item(item)
        } else if let Some(missile) = terms::missile_of(stem) {
            Shows::Missile(missile)
        } else {
            Shows::Another(match stem {
                // bodies of players who came back
                "player" | "h_player" => EntityKind::Corpse,
                "bolt" | "bolt2" | "bolt3" | "beam" => EntityKind::Beam,
                "s_explod" | "s_bubble" | "s_light" => EntityKind::Effect,
                _ => EntityKind::Other,
            })
        };
        Look { model: Arc::from(path), shows }
    }

    /// What an entity is that has it, and which item or missile.
    pub fn shows(&self, skin: i32) -> (EntityKind, Option<Term>) {
        match &self.shows {
            Shows::Item(item) => (EntityKind::Item, Some(item.clone())),
            Shows::Armor => terms::armor_of(skin).map_or((EntityKind::Other, None), |armor| (EntityKind::Item, Some(armor))),
            Shows::Missile(missile) => (EntityKind::Missile, Some(missile.clone())),
            Shows::Another(kind) => (*kind, None),
        }
    }
}

/// A file's name without folder and extension.
fn stem(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.rsplit_once('.').map_or(name, |(stem, _)| stem)
}

/// Looks by the number of the model, each made when first seen on a level.
#[derive(Debug, Clone, Default)]
pub struct Looks {
    models: Vec<Option<Look>>,
    level: u32,
}

impl Looks {
    /// Forgets what belongs to another level.
    pub fn of_level(&mut self, game: &Game) {
        if self.level != game.levels {
            self.level = game.levels;
            self.models.clear();
        }
    }

    /// The look of a model.
    pub fn model(&mut self, game: &Game, number: u32) -> Option<&Look> {
        let at = number as usize;
        let path = game.level.models.get(at)?.bytes();
        if path.is_empty() {
            return None;
        }
        if self.models.len() <= at {
            self.models.resize(at + 1, None);
        }
        // a list may be stated again: the name counts, not the number
        let look = &mut self.models[at];
        if look.as_ref().is_none_or(|known| known.model.as_bytes() != path) {
            *look = Some(Look::of(&String::from_utf8_lossy(path)));
        }
        look.as_ref()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::common;

    #[test]
    fn models_say_what_an_entity_is() {
        for (path, expected) in [
            ("*12", EntityKind::Mover),
            ("progs/armor.mdl", EntityKind::Item),
            ("maps/b_bh100.bsp", EntityKind::Item),
            ("progs/missile.mdl", EntityKind::Missile),
            ("progs/player.mdl", EntityKind::Corpse),
            ("progs/ogre.mdl", EntityKind::Other),
            ("progs/s_explod.spr", EntityKind::Effect),
            ("", EntityKind::Other),
        ] {
            assert_eq!(Look::of(path).shows(0).0, expected, "{path}");
        }
        let armor = Look::of("progs/armor.mdl");
        assert_eq!(armor.shows(2).1.unwrap().common, Some(common::RED_ARMOR));
        assert_eq!(armor.shows(9), (EntityKind::Other, None));
    }
}
