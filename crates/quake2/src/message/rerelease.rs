//! Messages that only the 2023 rerelease sends.

use fragreel_base::wire::Wire;

use super::Text;

/// One indicator of damage.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DamageDealt {
    /// Five bits of damage (thirds), then health, armor, shield.
    pub encoded: u8,
    /// One of 162 directions.
    pub direction: u8,
}

pub(super) fn code_number<W: Wire>(w: &mut W, number: &mut u8) -> Result<(), W::Error> {
    *number = w.field("number", (*number).into(), 8)? as u8;
    Ok(())
}

pub(super) fn code_damage<W: Wire>(w: &mut W, list: &mut Vec<DamageDealt>) -> Result<(), W::Error> {
    let count = w.field("count", list.len() as u32, 8)?;
    list.resize(count as usize, DamageDealt::default());
    for entry in list {
        entry.encoded = w.field("encoded", entry.encoded.into(), 8)? as u8;
        entry.direction = w.field("direction", entry.direction.into(), 8)? as u8;
    }
    Ok(())
}

/// A print whose text the client translates.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LocalisedPrint {
    /// The level in the low bits, then flags.
    pub flags: u8,
    /// The text or its key.
    pub base: Text,
    /// What is put into it.
    pub args: Vec<Text>,
}

impl LocalisedPrint {
    pub(super) fn code<W: Wire>(&mut self, w: &mut W) -> Result<(), W::Error> {
        self.flags = w.field("flags", self.flags.into(), 8)? as u8;
        self.base.code(w, "base")?;
        let count = w.field("args_count", self.args.len() as u32, 8)?;
        self.args.resize(count as usize, Text::default());
        for arg in &mut self.args {
            arg.code(w, "arg")?;
        }
        Ok(())
    }
}

/// A bot speaks.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BotChat {
    /// Who.
    pub name: Text,
    /// To whom; 256 for nobody in particular.
    pub client: u16,
    /// What.
    pub text: Text,
}

impl BotChat {
    pub(super) fn code<W: Wire>(&mut self, w: &mut W) -> Result<(), W::Error> {
        self.name.code(w, "name")?;
        self.client = w.field("client", self.client.into(), 16)? as u16;
        self.text.code(w, "text")
    }
}

/// A point of interest.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[allow(missing_docs, reason = "named as the engine names them")]
pub struct Poi {
    pub key: u16,
    pub time: u16,
    /// Floats as bits.
    pub position: [u32; 3],
    pub image: u16,
    pub color: u8,
    pub flags: u8,
}

impl Poi {
    pub(super) fn code<W: Wire>(&mut self, w: &mut W) -> Result<(), W::Error> {
        self.key = w.field("key", self.key.into(), 16)? as u16;
        self.time = w.field("time", self.time.into(), 16)? as u16;
        floats(w, &mut self.position)?;
        self.image = w.field("image", self.image.into(), 16)? as u16;
        self.color = w.field("color", self.color.into(), 8)? as u8;
        self.flags = w.field("flags", self.flags.into(), 8)? as u8;
        Ok(())
    }
}

/// Where the compass points.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[allow(missing_docs, reason = "named as the engine names them")]
pub struct HelpPath {
    pub start: u8,
    /// Floats as bits.
    pub position: [u32; 3],
    pub direction: u8,
}

impl HelpPath {
    pub(super) fn code<W: Wire>(&mut self, w: &mut W) -> Result<(), W::Error> {
        self.start = w.field("start", self.start.into(), 8)? as u8;
        floats(w, &mut self.position)?;
        self.direction = w.field("direction", self.direction.into(), 8)? as u8;
        Ok(())
    }
}

fn floats<W: Wire>(w: &mut W, words: &mut [u32; 3]) -> Result<(), W::Error> {
    w.enter("position");
    for word in words {
        *word = w.bits(*word, 32)?;
    }
    Ok(())
}

/// The parts of [`FogChange`]: bit, name, width.
pub(crate) const FOG: &[(u32, &str, u32)] = &[
    (0, "density", 32),
    (0, "sky_factor", 8),
    (1, "red", 8),
    (2, "green", 8),
    (3, "blue", 8),
    (4, "time", 16),
    (5, "height_falloff", 32),
    (6, "height_density", 32),
    (8, "height_start_red", 8),
    (9, "height_start_green", 8),
    (10, "height_start_blue", 8),
    (11, "height_start_distance", 32),
    (12, "height_end_red", 8),
    (13, "height_end_green", 8),
    (14, "height_end_blue", 8),
    (15, "height_end_distance", 32),
];

/// The fog changes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FogChange {
    /// Which parts are sent; bit 7 announces the second byte.
    pub bits: u16,
    /// The parts in wire order; those not sent are zero. Floats as bits.
    pub parts: [u32; 16],
}

impl FogChange {
    pub(super) fn code<W: Wire>(&mut self, w: &mut W) -> Result<(), W::Error> {
        let mut bits = w.field("bits", u32::from(self.bits & 0xff), 8)?;
        if bits & 0x80 != 0 {
            bits |= w.field("more_bits", u32::from(self.bits >> 8), 8)? << 8;
        }
        self.bits = bits as u16;
        for (&(bit, name, width), part) in FOG.iter().zip(&mut self.parts) {
            *part = if bits >> bit & 1 != 0 { w.field(name, *part, width)? } else { 0 };
        }
        Ok(())
    }
}
