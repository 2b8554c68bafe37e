//! Entities in a packet.

use std::rc::Rc;

use super::figures::row;
use super::packet::Packet;
use super::range::{Fault, high, low};
use super::record::{Entity, entity};
use super::state::{Entities, State};

/// The number that counting begins with: those up to it are players.
const PLAYERS: u32 = 0x20;
/// The highest number of an entity.
const HIGHEST: u32 = 0x1ff;

/// How an entity is written: what differs from the baseline, in the order in which it is written.
const BITS: [(u16, usize, usize); 11] = [
    (0x0004, entity::MODEL, 1),
    (0x2000, entity::FRAME, 1),
    (0x0008, entity::COLORMAP, 1),
    (0x0010, entity::SKIN, 1),
    (0x0020, entity::EFFECTS, 1),
    (0x0200, entity::ORIGIN[0], 2),
    (0x0001, entity::ANGLES[0], 1),
    (0x0400, entity::ORIGIN[1], 2),
    (0x1000, entity::ANGLES[1], 1),
    (0x0800, entity::ORIGIN[2], 2),
    (0x0002, entity::ANGLES[2], 1),
];
const HAS_MORE: u16 = 0x8000;
const IS_REMOVED: u16 = 0x4000;

/// Which bits of a coded mask say that its low byte is there, and which of those say what.
const HAS_LOW: u16 = 0x4000;

impl Packet<'_, '_> {
    /// All entities that are seen.
    pub(super) fn entities(&mut self) -> Result<(), Fault> {
        let base: Vec<Entity> = self.base_entities.values().copied().collect();
        let mut rest = &base[..];
        let mut seen = Vec::new();
        let mut number = PLAYERS;
        loop {
            let symbol = self.coder.byte(row::ENTITY)?;
            if symbol == 0 {
                break;
            }
            if symbol & 0x80 != 0 {
                number = self.next_number(number, symbol)?;
                let before = rest.iter().take_while(|one| u32::from(one.number(entity::NUMBER)) < number).count();
                seen.extend_from_slice(&rest[..before]);
                rest = &rest[before..];
                if rest.first().is_some_and(|one| u32::from(one.number(entity::NUMBER)) == number) {
                    return Err(Fault::Wrong("an entity comes twice"));
                }
                seen.push(self.new_entity(number as u16, symbol)?);
                continue;
            }
            let run = self.run_of(symbol)?;
            let Some((kept, (known, after))) = run.checked_sub(1).and_then(|kept| Some((rest.get(..kept)?, rest.get(kept..)?.split_first()?))) else {
                return Err(Fault::Lost);
            };
            seen.extend_from_slice(kept);
            rest = after;
            number = u32::from(known.number(entity::NUMBER));
            if symbol & 0x40 != 0 {
                seen.push(self.known_entity(*known, symbol)?);
            }
        }
        seen.extend_from_slice(rest);
        seen.iter().for_each(|one| write(self.out, self.state, one));
        self.out.extend([0, 0]);
        let seen: Entities = seen.into_iter().map(|one| (one.number(entity::NUMBER), one)).collect();
        self.state.keep_entities(self.state.sequence, Rc::new(seen));
        self.state.has_entities = true;
        Ok(())
    }

    /// The number of an entity that was not seen before.
    fn next_number(&mut self, before: u32, symbol: u8) -> Result<u32, Fault> {
        let mut number = before + u32::from(symbol & 0x3f);
        if symbol & 0x3f == 0 {
            number += 0x40;
            loop {
                let step = self.coder.byte(row::ENTITY_NUMBER)?;
                number += u32::from(step);
                if step != 0xff || number > HIGHEST {
                    break;
                }
            }
        }
        if number > HIGHEST { Err(Fault::Wrong("an entity has a number that the game does not have")) } else { Ok(number) }
    }

    /// How many known entities a symbol is about: all but the last are as they were.
    fn run_of(&mut self, symbol: u8) -> Result<usize, Fault> {
        Ok(match (symbol & 0x40, usize::from(symbol & 0x1f)) {
            (0, _) => usize::from(symbol),
            (_, 0) => usize::from(self.coder.byte(row::ENTITY)?) + 0x20,
            (_, run) => run,
        })
    }

    /// An entity that was not seen before: its baseline with differences.
    fn new_entity(&mut self, number: u16, symbol: u8) -> Result<Entity, Fault> {
        let mut one = self.state.baseline(number);
        one.set(entity::NUMBER, number);
        one.0[18..=26].fill(0);
        if symbol & 0x40 != 0 {
            let mut mask = u16::from(self.coder.byte(row::ENTITY_MASK_HIGH)?) << 8;
            if mask & HAS_LOW != 0 {
                mask |= u16::from(self.coder.byte(row::ENTITY_MASK_LOW)?);
                self.look_of(&mut one, mask)?;
                self.turn(&mut one, mask, entity::ANGLES)?;
            }
            self.way(&mut one, mask, entity::ORIGIN)?;
        }
        one.set(entity::MASK, 0);
        Ok(one)
    }

    /// An entity that was seen: it goes on as it went, with differences.
    fn known_entity(&mut self, mut one: Entity, symbol: u8) -> Result<Entity, Fault> {
        let mut mask = one.number(entity::MASK);
        if symbol & 0x20 != 0 {
            mask ^= u16::from(self.coder.byte(row::ENTITY_MASK_HIGH)?) << 8;
        }
        if mask & HAS_LOW != 0 {
            mask ^= u16::from(self.coder.byte(row::ENTITY_MASK_LOW)?);
        }
        self.look_of(&mut one, mask)?;
        self.turn(&mut one, mask, entity::TURNED)?;
        for (angle, turned) in entity::ANGLES.into_iter().zip(entity::TURNED) {
            one.add_byte(angle, one.0[turned]);
        }
        self.way(&mut one, mask, entity::MOVED)?;
        for (place, moved) in entity::ORIGIN.into_iter().zip(entity::MOVED) {
            one.add_own(place, moved);
        }
        one.set(entity::MASK, mask & 0x3fff);
        Ok(one)
    }

    fn look_of(&mut self, one: &mut Entity, mask: u16) -> Result<(), Fault> {
        if mask & 1 != 0 {
            one.0[entity::MODEL] = self.state.model(self.coder.byte(row::ENTITY_MODEL)?);
        }
        for (at, row) in row::ENTITY_BYTES.into_iter().enumerate() {
            if mask >> (1 + at) & 1 != 0 {
                one.add_byte(entity::FRAME + at, self.coder.byte(row)?);
            }
        }
        if mask & 0x10 != 0 {
            one.0[entity::EFFECTS] ^= self.coder.byte(row::ENTITY_EFFECTS)?;
        }
        Ok(())
    }

    fn turn(&mut self, one: &mut Entity, mask: u16, places: [usize; 3]) -> Result<(), Fault> {
        for (at, place) in places.into_iter().enumerate() {
            if mask >> (5 + at) & 1 != 0 {
                one.add_byte(place, self.coder.byte(row::ENTITY_ANGLES[at])?);
            }
        }
        Ok(())
    }

    fn way(&mut self, one: &mut Entity, mask: u16, places: [usize; 3]) -> Result<(), Fault> {
        for (at, place) in places.into_iter().enumerate() {
            let mask = mask >> (8 + 2 * at);
            if mask & 1 != 0 {
                one.set(place, low(one.number(place), self.coder.byte(row::ENTITY_ORIGIN[at][0])?));
            }
            if mask & 2 != 0 {
                one.set(place, high(one.number(place), self.coder.byte(row::ENTITY_ORIGIN[at][1])?));
            }
        }
        Ok(())
    }
}

/// Writes an entity as servers do.
fn write(out: &mut Vec<u8>, state: &State, one: &Entity) {
    let number = one.number(entity::NUMBER);
    let base = state.baseline(number);
    let differs = |at: usize, length: usize| one.0[at..at + length] != base.0[at..at + length];
    let bits: u16 = BITS.iter().filter(|(_, at, length)| differs(*at, *length)).map(|(bit, _, _)| *bit).sum();
    let bits = if bits & 0xff == 0 { bits } else { bits | HAS_MORE };
    out.extend((number & 0x1ff | bits & 0xfe00).to_le_bytes());
    if bits & HAS_MORE != 0 {
        out.push(bits as u8);
    }
    for (_, at, length) in BITS.iter().filter(|(bit, _, _)| bits & bit != 0) {
        out.extend(&one.0[*at..at + length]);
    }
}

/// Reads entities as servers write them, as differences to `base`. `None` where the bytes end.
pub(super) fn read(state: &State, base: Option<&Entities>, from: &mut super::bytes::Bytes<'_>) -> Option<Entities> {
    let mut entities = base.cloned().unwrap_or_default();
    loop {
        let head = from.number()?;
        if head == 0 {
            return Some(entities);
        }
        let (number, mut bits) = (head & 0x1ff, head & 0xfe00);
        if bits & HAS_MORE != 0 {
            bits |= u16::from(from.byte()?);
        }
        if bits & IS_REMOVED != 0 {
            entities.remove(&number);
            continue;
        }
        let mut one = entities.get(&number).copied().unwrap_or_else(|| state.baseline(number));
        one.set(entity::NUMBER, number);
        one.0[18..=26].fill(0);
        for (_, at, length) in BITS.iter().filter(|(bit, _, _)| bits & bit != 0) {
            one.0[*at..at + length].copy_from_slice(from.take(*length)?);
        }
        one.set(entity::MASK, bits & 0x3fff);
        entities.insert(number, one);
    }
}
