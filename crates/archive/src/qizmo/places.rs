//! What happens somewhere: sounds, effects, damage, nails.

use super::figures::row;
use super::packet::Packet;
use super::range::{Fault, high, low};
use super::record::{Entity, Player, entity, player};

/// The highest number of a player's entity.
const LAST_PLAYER: u16 = 0x20;

/// Effects that have a number of pieces, and those that are beams of an entity.
const WITH_COUNT: [u8; 2] = [2, 12];
const BEAMS: [u8; 3] = [5, 6, 9];

impl Packet<'_, '_> {
    pub(super) fn sound(&mut self) -> Result<(), Fault> {
        let guess = (self.last_entity << 3).to_le_bytes();
        let guess = [guess[0], (self.last_entity >> 5) as u8];
        let channel = u16::from_le_bytes([guess[0] ^ self.coder.byte(row::SOUND_CHANNEL[0])?, guess[1] ^ self.coder.byte(row::SOUND_CHANNEL[1])?]);
        self.out.extend(channel.to_le_bytes());
        let number = channel >> 3 & 0x1ff;
        self.last_entity = number;
        for (bit, row) in [(0x8000, row::SOUND_VOLUME), (0x4000, row::SOUND_ATTENUATION)] {
            if channel & bit != 0 {
                self.out.push(self.coder.byte(row)?);
            }
        }
        let sound = self.coder.byte(row::SOUND)?;
        self.out.push(self.state.sound(sound));
        let flags = self.coder.byte(row::SOUND_FLAGS)?;
        let known = if flags & 0x80 != 0 || number == 0 { None } else { self.place_of_sound(number, flags & 0x40 != 0) };
        let from = known.unwrap_or(self.last_place);
        self.last_place = self.place(from, flags)?;
        Ok(())
    }

    /// Where an entity is that a sound comes from.
    fn place_of_sound(&self, number: u16, of_base: bool) -> Option<[u16; 3]> {
        if number <= LAST_PLAYER {
            let list = if of_base { &self.base_players } else { &self.state.players[..] };
            return Some(list).filter(|_| !self.base_players.is_empty()).and_then(|list| of_player(list, number));
        }
        let seen = self.state.entities_of(self.state.sequence)?;
        match seen.get(&number) {
            Some(one) => Some(of_entity(one)),
            // one that is not seen is where it began, if the list goes on behind it
            None if seen.last_key_value().is_some_and(|(last, _)| *last > number) => {
                self.state.baselines.get(&number).map(of_entity).filter(|place| *place != [0; 3])
            }
            None => None,
        }
    }

    pub(super) fn effect(&mut self) -> Result<(), Fault> {
        let kind = self.coder.byte(row::EFFECT)?;
        self.out.push(kind);
        let mut from = self.last_place;
        if WITH_COUNT.contains(&kind) {
            self.out.push(self.coder.byte(row::EFFECT_COUNT)?);
        } else if BEAMS.contains(&kind) {
            let flags = self.coder.byte(row::BEAM_FLAGS)?;
            if flags & 0x40 != 0 {
                self.entity_number()?;
            }
            let number = self.last_entity;
            self.out.extend(number.to_le_bytes());
            if flags & 0x80 == 0 && number != 0 {
                let known = if number > LAST_PLAYER {
                    self.base_entities.get(&number).map(of_entity)
                } else if self.base_players.is_empty() {
                    None
                } else {
                    of_player(&self.state.players, number)
                };
                from = known.unwrap_or(from);
            }
            from = self.place(from, flags)?;
        }
        for (place, rows) in from.iter_mut().zip(row::EFFECT_PLACE) {
            *place = self.coder.add(*place, rows)?;
            self.out.extend(place.to_le_bytes());
        }
        self.last_place = from;
        Ok(())
    }

    /// The number of an entity, by that of the last.
    pub(super) fn entity_number(&mut self) -> Result<(), Fault> {
        let difference = [self.coder.byte(row::EFFECT_ENTITY[0])?, self.coder.byte(row::EFFECT_ENTITY[1])?];
        self.last_entity ^= u16::from_le_bytes(difference);
        Ok(())
    }

    /// A place by another one: two flags for each number.
    fn place(&mut self, mut place: [u16; 3], flags: u8) -> Result<[u16; 3], Fault> {
        for (at, (number, rows)) in place.iter_mut().zip(row::PLACE).enumerate() {
            let flags = flags >> (2 * at);
            if flags & 1 != 0 {
                *number = low(*number, self.coder.byte(rows[0])?);
            }
            if flags & 2 != 0 {
                *number = high(*number, self.coder.byte(rows[1])?);
            }
            self.out.extend(number.to_le_bytes());
        }
        Ok(place)
    }

    pub(super) fn damage(&mut self) -> Result<(), Fault> {
        for row in row::DAMAGE {
            self.out.push(self.coder.byte(row)?);
        }
        if !self.coder.is_there()? {
            self.out.extend([0; 6]);
            return Ok(());
        }
        for (place, rows) in self.own_origin.into_iter().zip(row::DAMAGE_PLACE) {
            self.out.extend(self.coder.add(place, rows)?.to_le_bytes());
        }
        Ok(())
    }

    /// Nails in flight: six bytes each. 36 of their bits are the place, in steps of two units.
    pub(super) fn nails(&mut self) -> Result<(), Fault> {
        let count = self.coder.byte(row::NAILS)?;
        self.out.push(count);
        let [x, y, z] = self.own_origin;
        let mut nail =
            [(x >> 4) as u8, y as u8 & 0xf0 | (x >> 8) as u8 >> 4, (y >> 8) as u8, (z >> 4) as u8, (((z >> 8) as u8).cast_signed() >> 4).cast_unsigned(), 0];
        for _ in 0..count {
            for (byte, row) in nail.iter_mut().zip(row::NAIL) {
                *byte = byte.wrapping_add(self.coder.byte(row)?);
            }
            self.out.extend(nail);
        }
        Ok(())
    }
}

fn of_player(players: &[Player], number: u16) -> Option<[u16; 3]> {
    let one = players.iter().find(|one| u16::from(one.0[player::SLOT]) + 1 == number)?;
    Some(player::ORIGIN.map(|at| one.number(at)))
}

fn of_entity(one: &Entity) -> [u16; 3] {
    entity::ORIGIN.map(|at| one.number(at))
}
