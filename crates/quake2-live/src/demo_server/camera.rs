//! The entity of the followed player under the number of a viewer's own.
//!
//! A client draws no body for its own entity, and hears its sounds at full volume. The number of that entity is fixed for a level, so a viewer has
//! a number of its own, and the followed player's entity has it in the viewer's frames.

use fragreel_quake2::fields::entity::Row;
use fragreel_quake2::message::{Body, Context, Message, Part, Sound, layout};

/// The slot of a viewer: the last, which engines use for nobody.
pub(super) const OWN_SLOT: u16 = 255;
const OWN_ENTITY: u16 = OWN_SLOT + 1;

/// Exchanges the entity of the followed player for that of the viewer.
#[derive(Debug, Clone, Copy)]
pub(super) struct Camera(u16);

impl Camera {
    /// The camera of a viewer who follows the player in a slot.
    pub(super) fn of(slot: u16) -> Self {
        Camera(slot + 1)
    }

    fn number(self, number: u16) -> u16 {
        match number {
            OWN_ENTITY => self.0,
            number if number == self.0 => OWN_ENTITY,
            number => number,
        }
    }

    /// The entities of a frame, in order.
    pub(super) fn entities(self, entities: &mut [(u16, Row)]) {
        entities.iter_mut().for_each(|(number, _)| *number = self.number(*number));
        entities.sort_by_key(|(number, _)| *number);
    }

    /// A sound or an effect.
    pub(super) fn message(self, message: &Message, cx: &Context) -> Message {
        let mut message = message.clone();
        let signed = |number: i16| u16::try_from(number).map_or(number, |number| self.number(number) as i16);
        match &mut message.body {
            Body::MuzzleFlash(flash) | Body::MuzzleFlash2(flash) => flash.entity = self.number(flash.entity),
            Body::Sound(sound) if sound.flags & Sound::ENTITY != 0 => {
                let number = u16::try_from(sound.entity_channel >> 3).map_or(sound.entity_channel >> 3, |number| self.number(number).into());
                sound.entity_channel = number << 3 | sound.entity_channel & 7;
            }
            Body::TempEntity(entity) => {
                let parts = layout(cx, entity.kind).map_or(&[][..], |(_, parts)| parts);
                // the number of a lasting effect is not an entity's
                if parts.contains(&Part::Entity1) && !parts.contains(&Part::Time) {
                    entity.entity1 = signed(entity.entity1);
                }
                if parts.contains(&Part::Entity2) {
                    entity.entity2 = signed(entity.entity2);
                }
            }
            _ => {}
        }
        message
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_exchanged_and_none_is_lost() {
        let camera = Camera::of(3);
        let mut entities: Vec<(u16, Row)> = [1, 4, 256].map(|number| (number, [u32::from(number); fragreel_quake2::fields::entity::SLOTS])).into();
        camera.entities(&mut entities);
        assert_eq!(entities.iter().map(|(number, row)| (*number, row[0])).collect::<Vec<_>>(), [(1, 1), (4, 256), (256, 4)]);
    }
}
