//! What two ends agreed on, as far as it changes how an update is laid out. Document: *Shapes*.

use fragreel_base::wire::{Wire, sign_extend};

/// How a coordinate is sent. A coordinate is kept as the word that was sent.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum Coordinates {
    /// 16 bits in eighths of a unit.
    #[default]
    Eighths,
    /// 16 bits of units, then a byte of 255ths (protocol 999).
    Fraction,
    /// 32 bits in sixteenths of a unit (protocol 999).
    Sixteenths,
    /// An IEEE float.
    Float,
}

impl Coordinates {
    /// One coordinate.
    #[inline(always)]
    pub fn code<W: Wire>(self, w: &mut W, name: &'static str, word: u32) -> Result<u32, W::Error> {
        match self {
            Coordinates::Eighths => Ok(sign_extend(w.field(name, word, 16)?, 16)),
            Coordinates::Fraction => w.field(name, word, 24),
            Coordinates::Sixteenths | Coordinates::Float => w.field(name, word, 32),
        }
    }

    /// The coordinate in map units.
    #[inline]
    pub fn units(self, word: u32) -> f32 {
        match self {
            Coordinates::Eighths => word as i32 as f32 / 8.0,
            Coordinates::Fraction => sign_extend(word & 0xffff, 16) as i32 as f32 + (word >> 16 & 0xff) as f32 / 255.0,
            Coordinates::Sixteenths => word as i32 as f32 / 16.0,
            Coordinates::Float => f32::from_bits(word),
        }
    }

    /// The nearest word for a coordinate in map units; what does not fit wraps as it does in engines.
    #[inline]
    pub fn word(self, units: f32) -> u32 {
        match self {
            Coordinates::Eighths => sign_extend((units * 8.0).round() as i32 as u32 & 0xffff, 16),
            Coordinates::Fraction => {
                let whole = units.floor();
                (whole as i32 as u32 & 0xffff) | (((units - whole) * 255.0).round() as u32 & 0xff) << 16
            }
            Coordinates::Sixteenths => (units * 16.0).round() as i32 as u32,
            Coordinates::Float => units.to_bits(),
        }
    }
}

/// How an angle is sent. Kept as 16-bit turns (8-bit ones in the upper byte), or as float bits in degrees.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum Angles {
    /// 256ths of a turn.
    #[default]
    Byte,
    /// 65536ths of a turn.
    Short,
    /// Degrees as an IEEE float (protocol 999).
    Float,
}

impl Angles {
    /// One angle.
    #[inline(always)]
    pub(crate) fn code<W: Wire>(self, w: &mut W, name: &'static str, word: u32) -> Result<u32, W::Error> {
        match self {
            Angles::Byte => Ok(w.field(name, word >> 8 & 0xff, 8)? << 8),
            Angles::Short => w.field(name, word & 0xffff, 16),
            Angles::Float => w.field(name, word, 32),
        }
    }

    /// One angle that is 16 bits on the wire whatever the others are.
    #[inline(always)]
    pub(super) fn code_short<W: Wire>(self, w: &mut W, name: &'static str, word: u32) -> Result<u32, W::Error> {
        if self != Angles::Float {
            return w.field(name, word & 0xffff, 16);
        }
        Ok(self.from_turns(w.field(name, self.turns(word), 16)?))
    }

    /// The word for an angle in 65536ths of a turn.
    #[inline]
    pub fn from_turns(self, turns: u32) -> u32 {
        match self {
            Angles::Byte | Angles::Short => turns & 0xffff,
            Angles::Float => (sign_extend(turns & 0xffff, 16) as i32 as f32 * (360.0 / 65536.0)).to_bits(),
        }
    }

    /// The angle in 65536ths of a turn.
    #[inline]
    pub(crate) fn turns(self, word: u32) -> u32 {
        match self {
            Angles::Byte | Angles::Short => word & 0xffff,
            Angles::Float => (f32::from_bits(word) * (65536.0 / 360.0)).round() as i32 as u32 & 0xffff,
        }
    }

    /// The angle in degrees, -180 to 180 except for floats.
    #[inline]
    pub fn degrees(self, word: u32) -> f32 {
        match self {
            Angles::Byte | Angles::Short => sign_extend(word & 0xffff, 16) as i32 as f32 * (360.0 / 65536.0),
            Angles::Float => f32::from_bits(word),
        }
    }

    /// The nearest word for an angle in degrees.
    #[inline]
    pub fn word(self, degrees: f32) -> u32 {
        match self {
            Angles::Byte => ((degrees * (256.0 / 360.0)).round() as i32 as u32 & 0xff) << 8,
            Angles::Short => (degrees * (65536.0 / 360.0)).round() as i32 as u32 & 0xffff,
            Angles::Float => degrees.to_bits(),
        }
    }
}

/// The layout that was negotiated. Everything below takes it as a value; nothing asks for a protocol number.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Flags {
    /// Entity origins. Floats where `PEXT_FLOATCOORDS` or `EZPEXT1_FLOATENTCOORDS` say so.
    pub origin: Coordinates,
    /// Angles, but for those of predicted entities without [`predinfo`](Self::predinfo), which have 16 bits.
    pub angles: Angles,
    /// `PEXT2_PREDINFO`.
    pub predinfo: bool,
    /// `PEXT2_NEWSIZEENCODING`.
    pub new_size_encoding: bool,
    /// `PEXT2_LERPTIME`.
    pub lerp_time: bool,
    /// NetQuake with `PEXT2_PREDINFO`: the message says which input it answers.
    pub input_ack: bool,
}

/// `PEXT2_REPLACEMENTDELTAS` in the second extension word.
pub const PEXT2_REPLACEMENT_DELTAS: u32 = 0x8;
/// `PEXT2_PREDINFO`.
pub(crate) const PEXT2_PREDINFO: u32 = 0x20;
/// `PEXT2_NEWSIZEENCODING`.
pub(crate) const PEXT2_NEW_SIZE_ENCODING: u32 = 0x40;
/// `PEXT2_LERPTIME`.
pub(crate) const PEXT2_LERP_TIME: u32 = 0x400;

impl Flags {
    /// The layout for the second extension word, once the primitives are known.
    pub(crate) fn negotiated(pext2: u32, origin: Coordinates, angles: Angles, netquake: bool) -> Self {
        let has = |bit| pext2 & bit != 0;
        Self {
            origin,
            angles,
            predinfo: has(PEXT2_PREDINFO),
            new_size_encoding: has(PEXT2_NEW_SIZE_ENCODING),
            lerp_time: has(PEXT2_LERP_TIME),
            input_ack: netquake && has(PEXT2_PREDINFO),
        }
    }
}

/// Bits of a coordinate on the wire.
#[inline]
pub(crate) fn coord_width(kind: Coordinates) -> u32 {
    match kind {
        Coordinates::Eighths => 16,
        Coordinates::Fraction => 24,
        Coordinates::Sixteenths | Coordinates::Float => 32,
    }
}

/// Bits of an angle on the wire.
#[inline]
pub(crate) fn angle_width(kind: Angles) -> u32 {
    match kind {
        Angles::Byte => 8,
        Angles::Short => 16,
        Angles::Float => 32,
    }
}
