//! Short messages: muzzle flashes, sounds, downloads, settings; and positions, which several messages hold.

use fragreel_base::wire::{Wire, sign_extend};

use super::Context;
use crate::dialect::{Coordinates, Numbering};

/// Three coordinates in the dialect's own encoding: eighths as signed words, flagged ones with their flag, floats as
/// bits.
#[inline]
pub fn position<W: Wire>(w: &mut W, coordinates: Coordinates, words: &mut [u32; 3]) -> Result<(), W::Error> {
    for word in words {
        *word = match coordinates {
            Coordinates::Eighths => sign_extend(w.bits(*word, 16)?, 16),
            Coordinates::Flagged => crate::fields::flagged(w, *word)?,
            Coordinates::High24 => crate::fields::high24(w, *word)?,
            Coordinates::Float => w.bits(*word, 32)?,
        };
    }
    Ok(())
}

/// A weapon was fired, or something like it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MuzzleFlash {
    /// Whose; with extended limits the top three bits belong to a monster's weapon.
    pub entity: u16,
    /// An `MZ_` or `MZ2_` constant; 8 bits, 16 in the rerelease's third kind.
    pub weapon: u16,
}

impl MuzzleFlash {
    pub(crate) fn code<W: Wire>(&mut self, w: &mut W, width: u32) -> Result<(), W::Error> {
        self.entity = w.field("entity", self.entity.into(), 16)? as u16;
        self.weapon = w.field("weapon", self.weapon.into(), width)? as u16;
        Ok(())
    }
}

/// A sound starts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Sound {
    /// Which of the others are sent.
    pub flags: u8,
    /// Which sound.
    pub index: u16,
    /// 255ths; 255 when not sent.
    pub volume: u8,
    /// 64ths; 64 when not sent.
    pub attenuation: u8,
    /// Milliseconds after the frame's start.
    pub offset: u8,
    /// The entity, shifted left by three, and the channel. Signed 16 bits for id's engines.
    pub entity_channel: u32,
    /// Where.
    pub position: [u32; 3],
}

#[allow(missing_docs, reason = "named as engines name them")]
impl Sound {
    pub const VOLUME: u8 = 1;
    pub const ATTENUATION: u8 = 2;
    pub(crate) const POSITION: u8 = 4;
    pub const ENTITY: u8 = 8;
    pub const OFFSET: u8 = 16;
    pub(crate) const INDEX16: u8 = 32;
    pub const LARGE_ENTITY: u8 = 64;
}

impl Sound {
    pub(crate) fn code<W: Wire>(&mut self, w: &mut W, cx: &Context) -> Result<(), W::Error> {
        let dialect = &cx.dialect;
        self.flags = w.field("flags", self.flags.into(), 8)? as u8;
        let has = |flag: u8| self.flags & flag != 0;
        let wide = dialect.sound16 || dialect.extended && has(Self::INDEX16);
        let (volume, attenuation, offset, entity, at) = (has(Self::VOLUME), has(Self::ATTENUATION), has(Self::OFFSET), has(Self::ENTITY), has(Self::POSITION));
        let large = dialect.floats && has(Self::LARGE_ENTITY);
        self.index = w.field("index", self.index.into(), if wide { 16 } else { 8 })? as u16;
        self.volume = if volume { w.field("volume", self.volume.into(), 8)? as u8 } else { 255 };
        self.attenuation = if attenuation { w.field("attenuation", self.attenuation.into(), 8)? as u8 } else { 64 };
        self.offset = if offset { w.field("offset", self.offset.into(), 8)? as u8 } else { 0 };
        self.entity_channel = if entity { w.field("entity_channel", self.entity_channel, if large { 32 } else { 16 })? } else { 0 };
        if at {
            w.enter("position");
            position(w, dialect.coordinates, &mut self.position)
        } else {
            self.position = [0; 3];
            Ok(())
        }
    }
}

/// A piece of a file that the client asked for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Download {
    /// Bytes here; −1: there is no such file.
    pub size: i16,
    /// How much of the file has come so far.
    pub percent: u8,
    /// R1Q2's compressed pieces: how long the piece is when inflated.
    pub inflated: u16,
    /// The piece.
    pub data: Vec<u8>,
}

impl Download {
    pub(crate) fn code<W: Wire>(&mut self, w: &mut W, cx: &Context, compressed: bool) -> Result<(), W::Error> {
        self.size = w.signed("size", self.size.into(), 16)? as i16;
        self.percent = w.field("percent", self.percent.into(), 8)? as u8;
        if W::READING {
            self.inflated = 0;
        }
        if self.size == -1 || !cx.dialect.since_32 {
            self.data.clear();
            return Ok(());
        }
        w.expect(self.size >= 0, "a download has a negative size")?;
        if compressed && cx.dialect.numbering == Numbering::R1q2 {
            self.inflated = w.field("inflated", self.inflated.into(), 16)? as u16;
        }
        w.enter("data");
        let size = self.size as usize;
        w.octets(&mut self.data, size)
    }
}

/// A setting of the server's (R1Q2, Q2PRO).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Setting {
    /// 0: player updates; 1: frames per second.
    pub index: u32,
    /// The value.
    pub value: u32,
}

impl Setting {
    pub(crate) fn code<W: Wire>(&mut self, w: &mut W) -> Result<(), W::Error> {
        self.index = w.field("index", self.index, 32)?;
        self.value = w.field("value", self.value, 32)?;
        Ok(())
    }
}

/// KMQuake2's fog.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[allow(missing_docs, reason = "named as the engine names them")]
pub struct Fog {
    pub enable: u8,
    pub model: u8,
    pub density: u8,
    pub near: u16,
    pub far: u16,
    pub red: u8,
    pub green: u8,
    pub blue: u8,
}

impl Fog {
    pub(crate) fn code<W: Wire>(&mut self, w: &mut W) -> Result<(), W::Error> {
        self.enable = w.field("enable", self.enable.into(), 8)? as u8;
        self.model = w.field("model", self.model.into(), 8)? as u8;
        self.density = w.field("density", self.density.into(), 8)? as u8;
        self.near = w.field("near", self.near.into(), 16)? as u16;
        self.far = w.field("far", self.far.into(), 16)? as u16;
        self.red = w.field("red", self.red.into(), 8)? as u8;
        self.green = w.field("green", self.green.into(), 8)? as u8;
        self.blue = w.field("blue", self.blue.into(), 8)? as u8;
        Ok(())
    }
}
