//! Baselines for clients without replacement deltas.

use fragreel_quake1::unstable::dialect::Dialect;
use fragreel_quake1::unstable::message::{Angle, Appearance, Baseline, Coord, Message, plain_entity};
use fragreel_quake1::unstable::replacement::{EntityState, Flags};

/// The first number of an entity that a plain client has no place for.
const CLASSIC_ENTITIES: u32 = 512;

/// The baseline of an entity for a plain client. `None` if the entity or its model has no number there.
pub(super) fn baseline(d: &Dialect, layout: &Flags, number: u32, state: &EntityState) -> Option<Message> {
    if number >= CLASSIC_ENTITIES || state.model > 255 {
        return None;
    }
    let looks = Appearance {
        model: state.model as u16,
        frame: state.frame as u16 & 255,
        colormap: state.colormap as u8,
        skin: state.skin as u8,
        origin: layout.position(state).map(|units| Coord(d.coord.word(units))),
        angles: layout.facing(state).map(|degrees| Angle(d.angle.word(degrees))),
    };
    Some(Message::Baseline(Baseline { entity: plain_entity(number), looks }))
}
