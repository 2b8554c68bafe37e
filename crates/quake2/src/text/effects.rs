//! Muzzle flashes, sounds, temporary entities, prints, fog: messages that are soon over.

use fragreel_base::textform::Form;
use fragreel_base::wire::WireError;

use super::known::Known;
use super::table::{flagged, flagged_parts};
use super::values::{expected, expected_field, text};
use crate::dialect::{Coordinates, Dialect, Numbering};
use crate::fields::names::{CHANNELS, MONSTER_FLASHES, MUZZLE_FLASHES, PRINT_LEVELS, SPLASH_KINDS, SPLASHES};
use crate::message::{ConfigString, Download, Fog, MuzzleFlash, Part, Print, Sound, TempEntity, layout, position_name};

/// Where the spelling of positions stands behind that of flags.
const LONG: u32 = 8;

/// Three coordinates. Returns which of them are longer than they need be.
fn position<F: Form>(f: &mut F, words: &mut [u32; 3], coordinates: Coordinates) -> Result<u32, F::Error> {
    let mut long = 0;
    f.tuple(3, |f, at| {
        let word = &mut words[at % 3];
        let bits = if coordinates == Coordinates::Eighths { 16 } else { 24 };
        *word = match coordinates {
            Coordinates::Float => f.float(f32::from_bits(*word))?.to_bits(),
            Coordinates::Flagged => {
                let (value, longer) = flagged_parts(*word);
                long |= u32::from(longer) << at;
                flagged_or_long(f.scaled(value.into(), 0.125, -(1 << 22), (1 << 22) - 1)? as i32, !F::READING && longer)
            }
            _ => f.scaled(i64::from(*word as i32), 0.125, -(1 << (bits - 1)), (1 << (bits - 1)) - 1)? as u32,
        };
        Ok(())
    })?;
    Ok(if F::READING { 0 } else { long })
}

fn flagged_or_long(value: i32, long: bool) -> u32 {
    if long { (value as u32) << 1 & 0xff_ffff | 1 } else { flagged(value) }
}

/// Makes those coordinates longer that were so.
fn lengthen(words: &mut [u32; 3], long: u32) {
    for (_, word) in words.iter_mut().enumerate().filter(|(at, _)| long >> at & 1 != 0) {
        *word = flagged_or_long(flagged_parts(*word).0, true);
    }
}

/// A member for what a coder would choose otherwise; 0 when nothing.
fn spelling<F: Form>(f: &mut F, value: u32, to: u32) -> Result<u32, F::Error> {
    if f.key("spelling", !F::READING && value != 0)? {
        return Ok(f.int(value.into(), 0, to.into())? as u32);
    }
    Ok(0)
}

impl MuzzleFlash {
    /// A monster's. `most`: the highest weapon.
    pub(super) fn members<F: Form>(&mut self, f: &mut F, most: u16) -> Result<(), F::Error> {
        f.field("entity", &mut self.entity)?;
        f.require("weapon")?;
        self.weapon = f.word(self.weapon.into(), most.into(), &*MONSTER_FLASHES)? as u16;
        Ok(())
    }

    /// A player's, which has names of its own.
    pub(super) fn player_members<F: Form>(&mut self, f: &mut F) -> Result<(), F::Error> {
        const SILENCED: u16 = 128;
        f.field("entity", &mut self.entity)?;
        f.require("weapon")?;
        let weapon = f.word(u32::from(self.weapon & 127), 127, &*MUZZLE_FLASHES)? as u16;
        let mut silenced = self.weapon & SILENCED != 0;
        f.unless("silenced", &mut silenced, false)?;
        self.weapon = weapon | if silenced { SILENCED } else { 0 };
        Ok(())
    }
}

impl Sound {
    pub(super) fn members<F: Form>(&mut self, f: &mut F, dialect: &Dialect) -> Result<(), F::Error> {
        let mut flags = self.levels(f)?;
        let has = |flag: u8| !F::READING && self.flags & flag != 0;
        let (entity, at) = (has(Self::ENTITY), has(Self::POSITION));
        if f.key("entity", entity)? {
            let most = if dialect.floats { 0x1fff_ffff } else { 0x1fff };
            self.source(f, most)?;
            flags |= Self::ENTITY;
            if dialect.floats && self.entity_channel > 0xffff {
                flags |= Self::LARGE_ENTITY;
            }
        } else {
            self.entity_channel = 0;
        }
        let mut long = 0;
        if f.key("position", at)? {
            long = position(f, &mut self.position, dialect.coordinates).map_err(|error| error.inside("position", None))?;
            flags |= Self::POSITION;
        } else {
            self.position = [0; 3];
        }
        self.spell(f, dialect, flags, Self::ENTITY | Self::POSITION, long)
    }

    /// A multi-view recording's: always at an entity.
    pub(super) fn mvd_members<F: Form>(&mut self, f: &mut F, dialect: &Dialect) -> Result<(), F::Error> {
        let flags = self.levels(f)? | Self::ENTITY;
        f.require("entity")?;
        self.source(f, 0x1fff)?;
        self.position = [0; 3];
        self.spell(f, &Dialect { floats: false, sound16: false, ..*dialect }, flags, 0, 0)
    }

    /// Which sound, and how loud. Returns the flags that announce that.
    fn levels<F: Form>(&mut self, f: &mut F) -> Result<u8, F::Error> {
        let has = |flag: u8| !F::READING && self.flags & flag != 0;
        let (volume, attenuation, offset) = (has(Self::VOLUME), has(Self::ATTENUATION), has(Self::OFFSET));
        let mut flags = 0;
        f.field("index", &mut self.index)?;
        let parts = [
            ("volume", volume, &mut self.volume, 1.0 / 255.0, 255, Self::VOLUME),
            ("attenuation", attenuation, &mut self.attenuation, 1.0 / 64.0, 64, Self::ATTENUATION),
            ("offset", offset, &mut self.offset, 1.0, 0, Self::OFFSET),
        ];
        for (name, sent, value, unit, usual, flag) in parts {
            if f.key(name, sent)? {
                *value = f.scaled((*value).into(), unit, 0, 255).map_err(|error| error.inside(name, None))? as u8;
                flags |= flag;
            } else {
                *value = usual;
            }
        }
        Ok(flags)
    }

    /// The entity and the channel.
    fn source<F: Form>(&mut self, f: &mut F, most: i64) -> Result<(), F::Error> {
        let entity = f.int(i64::from(self.entity_channel >> 3), 0, most).map_err(|error| error.inside("entity", None))? as u32;
        let mut channel = self.entity_channel & 7;
        if f.key("channel", channel != 0)? {
            channel = f.word(channel, 7, &*CHANNELS)?;
        } else if F::READING {
            channel = 0;
        }
        self.entity_channel = entity << 3 | channel;
        Ok(())
    }

    /// `said`: the flags of what follows, as far as flags decide that.
    fn spell<F: Form>(&mut self, f: &mut F, dialect: &Dialect, mut usual: u8, said: u8, long: u32) -> Result<(), F::Error> {
        if dialect.extended && !dialect.sound16 && self.index > 255 {
            usual |= Self::INDEX16;
        }
        let spelled = spelling(f, u32::from(self.flags ^ usual) | long << LONG, 0x7ff)?;
        if F::READING {
            const SAYS: u8 = Sound::VOLUME | Sound::ATTENUATION | Sound::OFFSET;
            self.flags = usual ^ spelled as u8;
            f.insist(usual & !self.flags & (SAYS | said) == 0, "this spelling takes something away that stands here")?;
            let wide = dialect.sound16 || dialect.extended && self.flags & Self::INDEX16 != 0;
            f.insist(wide || self.index < 256, "the sound's index has at most 8 bits here")?;
            let large = dialect.floats && self.flags & Self::LARGE_ENTITY != 0;
            f.insist(large || self.entity_channel <= 0xffff, "this spelling is too short for the entity")?;
            if dialect.coordinates == Coordinates::Flagged {
                lengthen(&mut self.position, spelled >> LONG);
            }
        }
        Ok(())
    }
}

impl TempEntity {
    pub(super) fn members<F: Form>(&mut self, f: &mut F, known: &Known) -> Result<(), F::Error> {
        f.require("kind")?;
        let kind = f.word(self.kind.into(), 255, known.temp_entities).map_err(|error| error.inside("kind", None))? as u8;
        let parts = layout(&known.context, kind).map(|(_, parts)| parts);
        f.insist(parts.is_some(), "there is no temporary entity of this kind")?;
        let parts = parts.unwrap_or(&[]);
        if F::READING {
            *self = TempEntity { kind, ..TempEntity::default() };
        }
        let has = |part: Part| parts.contains(&part);
        let coordinates = known.dialect().coordinates;
        let places = parts.iter().filter(|&&part| part == Part::Position).count();
        expected_field(f, "entity1", &mut self.entity1, has(Part::Entity1))?;
        expected_field(f, "entity2", &mut self.entity2, has(Part::Entity2))?;
        if expected(f, "count", has(Part::Count) || has(Part::Count16))? {
            self.count = f.int(self.count.into(), 0, if has(Part::Count) { 255 } else { 65535 })? as u16;
        }
        let mut long = 0;
        for (at, words) in self.positions.iter_mut().enumerate() {
            let name = position_name(at);
            if expected(f, name, at < places)? {
                long |= position(f, words, coordinates).map_err(|error| error.inside(name, None))? << (3 * at);
            }
        }
        expected_field(f, "direction", &mut self.direction, has(Part::Direction))?;
        if expected(f, "color", has(Part::Color))? {
            // a kind without a color is refused by readers, and stands for all kinds in the schema
            let named = !has(Part::Color) || known.temp_entities.get(kind.into()).is_some_and(|name| SPLASH_KINDS.contains(&name));
            let color = u32::from(self.color);
            let color = if named { f.word(color, 255, &*SPLASHES) } else { f.int(color.into(), 0, 255).map(|color| color as u32) };
            self.color = color.map_err(|error| error.inside("color", None))? as u8;
        }
        expected_field(f, "magnitude", &mut self.magnitude, has(Part::Magnitude))?;
        expected_field(f, "time", &mut self.time, has(Part::Time) && self.entity1 != -1)?;
        if coordinates == Coordinates::Flagged {
            let spelled = spelling(f, long, (1 << 18) - 1)?;
            if F::READING {
                self.positions.iter_mut().take(places).enumerate().for_each(|(at, position)| lengthen(position, spelled >> (3 * at)));
            }
        }
        Ok(())
    }
}

impl Print {
    pub(super) fn members<F: Form>(&mut self, f: &mut F) -> Result<(), F::Error> {
        f.require("level")?;
        self.level = f.word(self.level.into(), 255, &*PRINT_LEVELS).map_err(|error| error.inside("level", None))? as u8;
        text(f, "text", &mut self.text)
    }
}

impl ConfigString {
    pub(super) fn members<F: Form>(&mut self, f: &mut F) -> Result<(), F::Error> {
        f.field("index", &mut self.index)?;
        text(f, "text", &mut self.text)
    }
}

impl Download {
    pub(super) fn members<F: Form>(&mut self, f: &mut F, dialect: &Dialect, compressed: bool) -> Result<(), F::Error> {
        f.field("percent", &mut self.percent)?;
        if !dialect.since_32 {
            self.data.clear();
            return f.field("size", &mut self.size);
        }
        if !f.key("data", self.size != -1)? {
            self.size = -1;
            self.data.clear();
            return Ok(());
        }
        f.hex(&mut self.data)?;
        f.insist(self.data.len() <= i16::MAX as usize, "a piece of a file has at most 32,767 bytes")?;
        self.size = self.data.len() as i16;
        if compressed && dialect.numbering == Numbering::R1q2 {
            f.field("inflated", &mut self.inflated)?;
        }
        Ok(())
    }
}

impl Fog {
    pub(super) fn members<F: Form>(&mut self, f: &mut F) -> Result<(), F::Error> {
        f.field("enable", &mut self.enable)?;
        f.field("model", &mut self.model)?;
        f.field("density", &mut self.density)?;
        f.field("near", &mut self.near)?;
        f.field("far", &mut self.far)?;
        f.field("red", &mut self.red)?;
        f.field("green", &mut self.green)?;
        f.field("blue", &mut self.blue)
    }
}
