//! Sounds (`docs/formats/quake1.md`, "Sounds").

use fragreel_base::wire::Wire;

use crate::dialect::{Dialect, NetQuakeRules};
use crate::message::body::Body;
use crate::message::primitive::{Coord, Entity, Value, plain_entity};

/// QuakeWorld's sound.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct QwSound {
    /// Channel (3 bits), entity (10 bits), what follows (bits 15 and 14).
    pub channel: u16,
    /// How loud.
    pub volume: u8,
    /// How fast it fades with distance, in 64ths.
    pub attenuation: u8,
    /// Which sound.
    pub sound: u8,
    /// Where.
    pub origin: [Coord; 3],
}

impl QwSound {
    pub(crate) const VOLUME: u16 = 1 << 15;
    pub(crate) const ATTENUATION: u16 = 1 << 14;

    /// Whose sound it is.
    pub(crate) fn entity(&self) -> u32 {
        u32::from(self.channel >> 3 & 1023)
    }
}

impl Body for QwSound {
    #[inline]
    fn code<W: Wire>(&mut self, w: &mut W, d: &Dialect) -> Result<(), W::Error> {
        self.channel.code(w, "channel", d)?;
        if self.channel & Self::VOLUME != 0 {
            self.volume.code(w, "volume", d)?;
        } else if W::READING {
            self.volume = 255;
        }
        if self.channel & Self::ATTENUATION != 0 {
            self.attenuation.code(w, "attenuation", d)?;
        } else if W::READING {
            self.attenuation = 64;
        }
        self.sound.code(w, "sound", d)?;
        self.origin.code(w, "origin", d)
    }
}

/// NetQuake's sound, and FTE's extended one.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NqSound {
    /// What follows; bits above 7 come in FTE's number of variable length.
    pub mask: u64,
    /// How loud.
    pub volume: u8,
    /// How fast it fades with distance, in 64ths.
    pub attenuation: u8,
    /// Per cent of the pitch.
    pub pitch: u8,
    /// Milliseconds it started before.
    pub offset: i16,
    /// How fast the source moves, in eighths.
    pub velocity: [i16; 3],
    /// 4000ths of the pitch.
    pub speed: u16,
    /// Whose sound it is.
    pub entity: Entity,
    /// On which channel.
    pub channel: u8,
    /// Which sound.
    pub sound: u16,
    /// Where.
    pub origin: [Coord; 3],
}

impl NqSound {
    pub(crate) const VOLUME: u64 = 1 << 0;
    pub(crate) const ATTENUATION: u64 = 1 << 1;
    pub(crate) const MORE: u64 = 1 << 2;
    pub(crate) const LARGE_ENTITY: u64 = 1 << 3;
    pub(crate) const LARGE_SOUND: u64 = 1 << 4;
    pub(crate) const SPEED: u64 = 1 << 5;
    pub(crate) const OFFSET: u64 = 1 << 6;
    pub(crate) const PITCH: u64 = 1 << 7;
    pub(crate) const VELOCITY: u64 = 1 << 8;

    /// FTE's number of variable length: leading ones of the first byte count the bytes that follow, high ones first.
    fn code_more<W: Wire>(w: &mut W, value: u64) -> Result<u64, W::Error> {
        let needed = (64 - value.leading_zeros()).saturating_sub(1) / 7;
        let bytes = needed.min(8);
        let first = if bytes == 8 { 0xff } else { !(0xffu64 >> bytes) | value >> (8 * bytes) };
        let first = u64::from(w.field("more", first as u32 & 255, 8)?);
        let bytes = (first as u8).leading_ones();
        let mut out = if bytes == 8 { 0 } else { (first & (0x7f >> bytes)) << (8 * bytes) };
        for at in (0..bytes).rev() {
            out |= u64::from(w.bits((value >> (8 * at)) as u32 & 255, 8)?) << (8 * at);
        }
        w.expect((64 - out.leading_zeros()).saturating_sub(1) / 7 >= bytes.min(8), "a number is longer than it need be")?;
        w.expect(out >> 56 == 0, "flags of a sound beyond all known ones")?;
        Ok(out)
    }
}

impl Body for NqSound {
    #[inline]
    fn code<W: Wire>(&mut self, w: &mut W, d: &Dialect) -> Result<(), W::Error> {
        let mut mask = u64::from(w.field("bits", self.mask as u32 & 255, 8)?);
        if mask & Self::MORE != 0 {
            mask |= Self::code_more(w, self.mask >> 8)? << 8;
        }
        if W::READING {
            *self = NqSound { mask, volume: 255, attenuation: 64, ..NqSound::default() };
        }
        if mask & Self::VOLUME != 0 {
            self.volume.code(w, "volume", d)?;
        }
        if mask & Self::ATTENUATION != 0 {
            self.attenuation.code(w, "attenuation", d)?;
        }
        if mask & Self::PITCH != 0 {
            self.pitch.code(w, "pitch", d)?;
        }
        if mask & Self::OFFSET != 0 {
            self.offset.code(w, "offset", d)?;
        }
        if mask & Self::VELOCITY != 0 {
            self.velocity.code(w, "velocity", d)?;
        }
        if mask & Self::SPEED != 0 {
            self.speed.code(w, "speed", d)?;
        }
        if mask & Self::LARGE_ENTITY != 0 {
            self.entity.code(w, "entity", d)?;
            self.channel.code(w, "channel", d)?;
        } else {
            let both = w.field("channel", self.entity.number << 3 | u32::from(self.channel & 7), 16)?;
            self.entity = plain_entity(both >> 3);
            self.channel = (both & 7) as u8;
        }
        let wide = mask & Self::LARGE_SOUND != 0 || matches!(d.netquake, NetQuakeRules::Bjp2 | NetQuakeRules::Bjp3);
        self.sound = w.field("sound", u32::from(self.sound), if wide { 16 } else { 8 })? as u16;
        self.origin.code(w, "origin", d)
    }
}
