//! Fills in entities other than players.

use fragreel_model::{EntityFrame, EntityKind, EntityKinds, Fields};

use crate::dialect::Dialect;
use crate::state::Game;

use crate::frames::model_kinds::ModelKinds;
use crate::frames::player::is_player;

/// Calls `show` with the entities of the wanted kinds, by number.
pub(super) fn each(game: &Game, d: &Dialect, kinds: EntityKinds, fields: Fields, model_kinds: &mut ModelKinds, mut show: impl FnMut(EntityFrame)) {
    game.world.each(d, |seen| {
        let look = model_kinds.model(game, seen.model);
        let player = is_player(game, d, seen.number);
        let (kind, item) = match look {
            _ if player => (EntityKind::Player, None),
            Some(look) => look.shows(seen.skin),
            None => (EntityKind::Other, None),
        };
        if !kinds.wants(kind) {
            return;
        }
        let mut entity = EntityFrame::new(seen.number, kind);
        entity.item = item;
        entity.owner = player.then(|| (seen.number - 1) as u16);
        entity.origin = fields.has(Fields::ORIGIN).then_some(seen.origin);
        entity.angles = fields.has(Fields::ANGLES).then_some(seen.angles);
        if fields.has(Fields::VELOCITY) && d.replacement() {
            let known = game.world.replaced().get(seen.number).filter(|known| known.state.movetype != 0 || known.state.velocity != [0; 3]);
            entity.velocity = known.map(|known| known.state.velocity.map(|eighths| f32::from(eighths) / 8.0));
        }
        entity.model = look.filter(|_| fields.has(Fields::MODEL)).map(|look| look.model.clone());
        show(entity);
    });
}
