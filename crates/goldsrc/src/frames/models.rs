//! The models of a level by number, and what they depict.

use std::sync::Arc;

use fragreel_model::{EntityKind, Term};

use super::terms;
use crate::game_text::clean;
use crate::message::Resource;

/// The resource kind of models.
const MODEL: u8 = 2;

/// A model.
#[derive(Debug, Clone)]
pub(super) struct Model {
    pub name: Arc<str>,
    /// What has it, as far as the model alone says.
    shows: Shows,
    /// The weapon, item or missile that it shows.
    pub term: Option<Term>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shows {
    Map,
    Sprite,
    Player,
    /// A weapon or item on the ground.
    Lying,
    Missile,
    Other,
}

/// Models that fly, whatever moves them.
const MISSILES: &[&str] = &["rpgrocket", "grenade", "crossbow_bolt", "hornet", "spore", "shock_effect", "nail", "rpgrocket_opfor"];

/// How entities move: thrown things bounce, missiles fly.
const FLIES: [i64; 3] = [5, 9, 11];
const BOUNCES: i64 = 10;
/// What a dead player leaves behind is drawn so.
const DEAD_PLAYER: i64 = 17;

/// The models of a level.
#[derive(Debug, Clone, Default)]
pub(super) struct Models(Vec<Option<Model>>);

impl Models {
    pub(super) fn of(resources: &[Resource]) -> Self {
        let mut models = Vec::new();
        for resource in resources.iter().filter(|resource| resource.kind == MODEL) {
            let at = usize::from(resource.index);
            if models.len() <= at {
                models.resize(at + 1, None);
            }
            models[at] = Some(Model::new(&clean(&resource.name.0)));
        }
        Models(models)
    }

    pub(super) fn get(&self, index: Option<i64>) -> Option<&Model> {
        self.0.get(usize::try_from(index?).ok()?)?.as_ref()
    }
}

impl Model {
    fn new(path: &str) -> Self {
        let file = path.rsplit('/').next().unwrap_or_default();
        let stem = file.strip_suffix(".mdl").unwrap_or(file);
        let shows = if path.starts_with('*') {
            Shows::Map
        } else if path.ends_with(".spr") {
            Shows::Sprite
        } else if path.starts_with("models/player/") || path == "models/player.mdl" {
            Shows::Player
        } else if MISSILES.contains(&stem) {
            Shows::Missile
        } else if stem.starts_with("w_") {
            Shows::Lying
        } else {
            Shows::Other
        };
        let term = if matches!(shows, Shows::Lying | Shows::Missile) || stem.starts_with("p_") { terms::of_model(path) } else { None };
        Model { name: Arc::from(path), shows, term }
    }

    /// What an entity with this model is, that is no player and no beam.
    pub(super) fn kind(&self, move_type: Option<i64>, render_fx: Option<i64>) -> EntityKind {
        let moves = |by: &[i64]| move_type.is_some_and(|own| by.contains(&own));
        match self.shows {
            _ if render_fx == Some(DEAD_PLAYER) => EntityKind::Corpse,
            Shows::Map => EntityKind::Mover,
            Shows::Sprite => EntityKind::Effect,
            Shows::Player => EntityKind::Corpse,
            Shows::Missile => EntityKind::Missile,
            Shows::Lying if moves(&FLIES) || moves(&[BOUNCES]) => EntityKind::Missile,
            Shows::Lying => EntityKind::Item,
            Shows::Other if moves(&FLIES) && self.term.is_some() => EntityKind::Missile,
            Shows::Other => EntityKind::Other,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn models_say_what_entities_are() {
        for (path, move_type, fx, kind) in [
            ("*12", 7, 0, EntityKind::Mover),
            ("models/w_ak47.mdl", 6, 0, EntityKind::Item),
            ("models/w_hegrenade.mdl", 10, 0, EntityKind::Missile),
            ("models/rpgrocket.mdl", 5, 0, EntityKind::Missile),
            ("models/player.mdl", 6, 17, EntityKind::Corpse),
            ("sprites/flare1.spr", 0, 0, EntityKind::Effect),
            ("models/barney.mdl", 4, 0, EntityKind::Other),
        ] {
            assert_eq!(Model::new(path).kind(Some(move_type), Some(fx)), kind, "{path}");
        }
    }
}
