//! Entities of a frame that are no players.

use model::{EntityFrame, EntityKind, EntityKinds, Fields};

use crate::dialect::Dialect;
use crate::state::{Game, Seen};

use super::names::Names;
use super::player::is_player;
use super::terms;

/// Shows the entities of the kinds wanted, by number.
pub fn each(game: &Game, d: &Dialect, kinds: EntityKinds, fields: Fields, names: &mut Names, mut show: impl FnMut(EntityFrame)) {
    game.world.each(d, |seen| {
        let model = names.model(game, seen.model);
        let stem = model.as_deref().map(stem).unwrap_or_default();
        let player = is_player(game, d, seen.number);
        let kind = if player { EntityKind::Player } else { kind_of(model.as_deref().unwrap_or_default(), stem, &seen) };
        if !kinds.wants(kind) {
            return;
        }
        let mut entity = EntityFrame::new(seen.number, kind);
        entity.item = match kind {
            EntityKind::Item => terms::item_of(stem, seen.skin),
            EntityKind::Missile => terms::missile_of(stem),
            _ => None,
        };
        entity.owner = player.then(|| (seen.number - 1) as u16);
        entity.origin = fields.has(Fields::ORIGIN).then_some(seen.origin);
        entity.angles = fields.has(Fields::ANGLES).then_some(seen.angles);
        if fields.has(Fields::VELOCITY) && d.replacement() {
            let known = game.world.replaced().get(seen.number).filter(|known| known.state.movetype != 0 || known.state.velocity != [0; 3]);
            entity.velocity = known.map(|known| known.state.velocity.map(|eighths| f32::from(eighths) / 8.0));
        }
        entity.model = model.clone().filter(|_| fields.has(Fields::MODEL));
        show(entity);
    });
}

/// A file's name without folder and extension.
fn stem(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.rsplit_once('.').map_or(name, |(stem, _)| stem)
}

/// What an entity is, by its model.
fn kind_of(path: &str, stem: &str, seen: &Seen) -> EntityKind {
    if path.starts_with('*') {
        return EntityKind::Mover;
    }
    if terms::item_of(stem, seen.skin).is_some() {
        return EntityKind::Item;
    }
    if terms::missile_of(stem).is_some() {
        return EntityKind::Missile;
    }
    match stem {
        // bodies of players who came back
        "player" | "h_player" => EntityKind::Corpse,
        "bolt" | "bolt2" | "bolt3" | "beam" => EntityKind::Beam,
        "s_explod" | "s_bubble" | "s_light" => EntityKind::Effect,
        _ => EntityKind::Other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn models_say_what_an_entity_is() {
        let kind = |path: &str| kind_of(path, stem(path), &Seen::default());
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
            assert_eq!(kind(path), expected, "{path}");
        }
        assert_eq!(terms::item_of("armor", 2).unwrap().common, Some(model::common::RED_ARMOR));
        assert_eq!(terms::item_of("armor", 9), None);
    }
}
