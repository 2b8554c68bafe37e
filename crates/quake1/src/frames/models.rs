//! Items, missiles and other kinds of entities by their models, in the vocabulary of all games.

use std::sync::Arc;

use fragreel_model::{EntityKind, Term};

use crate::state::Game;

use crate::frames::terms;

/// The kind of entity that a model shows.
#[derive(Debug, Clone)]
pub(super) struct Model {
    /// Its path.
    pub model: Arc<str>,
    shows: Shown,
}

#[derive(Debug, Clone)]
enum Shown {
    Item(Term),
    /// An armor, by its skin.
    Armor,
    Missile(Term),
    Another(EntityKind),
}

impl Model {
    fn of(path: &str) -> Self {
        let stem = stem(path);
        let shows = if path.starts_with('*') {
            Shown::Another(EntityKind::Mover)
        } else if stem == "armor" {
            Shown::Armor
        } else if let Some(item) = terms::item_of(stem) {
            Shown::Item(item)
        } else if let Some(missile) = terms::missile_of(stem) {
            Shown::Missile(missile)
        } else {
            Shown::Another(match stem {
                // corpses of respawned players
                "player" | "h_player" => EntityKind::Corpse,
                "bolt" | "bolt2" | "bolt3" | "beam" => EntityKind::Beam,
                "s_explod" | "s_bubble" | "s_light" => EntityKind::Effect,
                _ => EntityKind::Other,
            })
        };
        Model { model: Arc::from(path), shows }
    }

    /// The kind of an entity with this model, and its item or missile.
    pub(super) fn shows(&self, skin: i32) -> (EntityKind, Option<Term>) {
        match &self.shows {
            Shown::Item(item) => (EntityKind::Item, Some(item.clone())),
            Shown::Armor => terms::armor_of(skin).map_or((EntityKind::Other, None), |armor| (EntityKind::Item, Some(armor))),
            Shown::Missile(missile) => (EntityKind::Missile, Some(missile.clone())),
            Shown::Another(kind) => (*kind, None),
        }
    }
}

/// A file's name without folder and extension.
fn stem(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.rsplit_once('.').map_or(name, |(stem, _)| stem)
}

/// Kinds by model number, each made when first seen on a level.
#[derive(Debug, Clone, Default)]
pub(super) struct Models {
    models: Vec<Option<Model>>,
    /// The skins that players chose, by slot: as stated, and the file.
    skins: Vec<(Vec<u8>, Option<Arc<str>>)>,
    level: u32,
}

impl Models {
    /// Forgets the kinds of another level.
    pub(super) fn of_level(&mut self, game: &Game) {
        if self.level != game.levels {
            self.level = game.levels;
            self.models.clear();
        }
    }

    /// The kind of a model.
    pub(super) fn model(&mut self, game: &Game, number: u32) -> Option<&Model> {
        let at = number as usize;
        let path = game.level.models.get(at)?.bytes();
        if path.is_empty() {
            return None;
        }
        if self.models.len() <= at {
            self.models.resize(at + 1, None);
        }
        // a list may be restated: the name counts, not the number
        let look = &mut self.models[at];
        if look.as_ref().is_none_or(|known| known.model.as_bytes() != path) {
            *look = Some(Model::of(&String::from_utf8_lossy(path)));
        }
        look.as_ref()
    }

    /// The file of the skin that a player chose, without extension.
    pub(super) fn skin(&mut self, game: &Game, slot: u8) -> Option<Arc<str>> {
        let stated = game.roster.get(slot)?.value(b"skin")?;
        let at = usize::from(slot);
        if self.skins.len() <= at {
            self.skins.resize(at + 1, (Vec::new(), None));
        }
        let (known, file) = &mut self.skins[at];
        if known != stated {
            stated.clone_into(known);
            *file = skin_file(stated);
        }
        file.clone()
    }
}

/// The file of a skin by the name that a player states. Engines take what leaves the folder for their own skin.
fn skin_file(stated: &[u8]) -> Option<Arc<str>> {
    let name = std::str::from_utf8(stated).ok()?;
    let name = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    let is_plain = !name.is_empty() && !name.contains("..") && !name.starts_with(['.', '/']) && !name.contains(['\\', ':']);
    is_plain.then(|| Arc::from(format!("skins/{}", name.to_ascii_lowercase())))
}

#[cfg(test)]
mod tests {
    use super::*;
    use fragreel_model::common;

    #[test]
    fn a_skin_is_a_file_in_its_folder() {
        assert_eq!(skin_file(b"Tron.pcx").as_deref(), Some("skins/tron"));
        assert_eq!(skin_file(b"base").as_deref(), Some("skins/base"));
        for nothing in [&b""[..], b"../x", b".x", b"/x", b"a\\b", b"\xff"] {
            assert_eq!(skin_file(nothing), None);
        }
    }

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
            assert_eq!(Model::of(path).shows(0).0, expected, "{path}");
        }
        let armor = Model::of("progs/armor.mdl");
        assert_eq!(armor.shows(2).1.unwrap().common, Some(common::RED_ARMOR));
        assert_eq!(armor.shows(9), (EntityKind::Other, None));
    }
}
