//! Fills in entities other than players.

use fragreel_model::{EntityFrame, EntityKind, EntityKinds, Fields};

use crate::dialect::Dialect;
use crate::state::{Game, Seen};

use crate::frames::models::Models;
use crate::frames::player::is_player;

/// Calls `show` with the entities of the wanted kinds among those in sight, by number.
pub(super) fn each(
    (game, d, in_sight): (&Game, &Dialect, &[Seen]),
    kinds: EntityKinds,
    fields: Fields,
    models: &mut Models,
    mut show: impl FnMut(EntityFrame),
) {
    for seen in in_sight {
        let look = models.model(game, seen.model);
        let player = is_player(game, d, seen.number);
        let (kind, item) = match look {
            _ if player => (EntityKind::Player, None),
            Some(look) => look.shows(seen.skin),
            None => (EntityKind::Other, None),
        };
        if !kinds.wants(kind) {
            continue;
        }
        let mut entity = EntityFrame::new(seen.number, kind);
        entity.item = item;
        entity.owner = player.then(|| (seen.number - 1) as u16);
        entity.origin = fields.has(Fields::ORIGIN).then_some(seen.origin);
        entity.angles = fields.has(Fields::ANGLES).then_some(seen.angles);
        entity.velocity = seen.velocity.filter(|_| fields.has(Fields::VELOCITY)).map(|eighths| eighths.map(|eighths| f32::from(eighths) / 8.0));
        entity.model = look.filter(|_| fields.has(Fields::MODEL)).map(|look| look.model.clone());
        show(entity);
    }
}
