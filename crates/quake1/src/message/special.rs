//! Messages whose fields depend on each other or on what was negotiated (`docs/formats/quake1.md`, "Messages").

use wire::Wire;

use crate::dialect::{Dialect, mvd1, pext1};
use crate::message::body::Body;
use crate::message::primitive::{Angle, Coord, Float, Rest, ShortAngle, Text, Value};
use crate::replacement::Index;

/// The end of the connection. Recordings of QuakeWorld add a text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Disconnect {
    /// What follows in the packet, in QuakeWorld: mostly `EndOfDemo` and its NUL.
    pub text: Rest,
}

impl Body for Disconnect {
    fn code<W: Wire>(&mut self, w: &mut W, d: &Dialect) -> Result<(), W::Error> {
        if d.is_netquake() {
            return Ok(());
        }
        self.text.code(w, "text", d)
    }
}

/// The view is set.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SetAngle {
    /// Whose view (multi-view).
    pub slot: u8,
    /// Why: 1 teleport, 2 spawn (`SETANGLEREASON`).
    pub reason: u8,
    /// Where it looks.
    pub angles: [Angle; 3],
}

impl Body for SetAngle {
    fn code<W: Wire>(&mut self, w: &mut W, d: &Dialect) -> Result<(), W::Error> {
        if d.is_multi_view() {
            self.slot.code(w, "slot", d)?;
        } else if d.has_mvd1(mvd1::SETANGLEREASON) {
            self.reason.code(w, "reason", d)?;
        }
        self.angles.code(w, "angles", d)
    }
}

/// A light style with a colour.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LightStyleColor {
    /// Low 8 bits of which.
    pub style: u8,
    /// 1, 2, 4: red, green, blue; 0x40: more bits of the style; 0x80: colours have values.
    pub mask: u8,
    /// High 8 bits of which.
    pub style_high: u8,
    /// In 1024ths.
    pub color: [u16; 3],
    /// Its pattern.
    pub pattern: Text,
}

impl Body for LightStyleColor {
    fn code<W: Wire>(&mut self, w: &mut W, d: &Dialect) -> Result<(), W::Error> {
        self.style.code(w, "style", d)?;
        self.mask.code(w, "bits", d)?;
        if self.mask & 0x40 != 0 {
            self.style_high.code(w, "style_high", d)?;
        }
        for at in 0..3 {
            if self.mask & 0x80 != 0 && self.mask & 1 << at != 0 {
                self.color[at].code(w, "color", d)?;
            }
        }
        self.pattern.code(w, "pattern", d)
    }
}

/// Nehahra's fog.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NehahraFog {
    /// Whether there is fog.
    pub on: u8,
    /// How dense.
    pub density: Float,
    /// Red, green, blue.
    pub color: [u8; 3],
}

impl Body for NehahraFog {
    fn code<W: Wire>(&mut self, w: &mut W, d: &Dialect) -> Result<(), W::Error> {
        self.on.code(w, "on", d)?;
        if self.on != 0 {
            self.density.code(w, "density", d)?;
            self.color.code(w, "color", d)?;
        }
        Ok(())
    }
}

/// The base of the view's angles moves (`VRINPUTS`).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SetAngleBase {
    /// 1, 2, 4: pitch, yaw, roll follow; 8: the view is locked.
    pub mask: u8,
    /// The new base.
    pub angles: [ShortAngle; 3],
}

impl Body for SetAngleBase {
    fn code<W: Wire>(&mut self, w: &mut W, d: &Dialect) -> Result<(), W::Error> {
        self.mask.code(w, "bits", d)?;
        for at in 0..3 {
            if self.mask & 1 << at != 0 {
                self.angles[at].code(w, ["pitch", "yaw", "roll"][at], d)?;
            }
        }
        Ok(())
    }
}

/// A portal opens or closes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SetPortalState {
    /// 0x80 new form, 0x40 two areas, 0x20 a portal, 2 wide numbers, 1 open.
    pub mode: u8,
    /// The portal.
    pub portal: u16,
    /// The areas.
    pub areas: [u16; 2],
    /// The old form's second byte.
    pub high: u8,
}

impl Body for SetPortalState {
    fn code<W: Wire>(&mut self, w: &mut W, d: &Dialect) -> Result<(), W::Error> {
        self.mode.code(w, "mode", d)?;
        let mode = self.mode;
        if mode & 0x80 == 0 {
            return self.high.code(w, "high", d);
        }
        let width = if mode & 2 != 0 { 16 } else { 8 };
        if mode & 0x20 != 0 || mode & 0x40 == 0 {
            self.portal = w.field("portal", u32::from(self.portal), width)? as u16;
        }
        if mode & 0x40 != 0 {
            for area in &mut self.areas {
                *area = w.field("area", u32::from(*area), width)? as u16;
            }
        }
        Ok(())
    }
}

/// Which players sit at a split screen.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Seats {
    /// Their slots.
    pub players: Vec<u8>,
}

impl Body for Seats {
    fn code<W: Wire>(&mut self, w: &mut W, d: &Dialect) -> Result<(), W::Error> {
        let count = w.field("count", self.players.len() as u32, 8)?;
        if W::READING {
            self.players.clear();
            self.players.resize(count as usize, 0);
        }
        self.players.iter_mut().try_for_each(|player| player.code(w, "player", d))
    }
}

/// Many nails at once, in six bytes each.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Nails {
    /// x, y, z in 12 bits each (doubled, less 4096), pitch in 4, yaw in 8.
    pub nails: Vec<[u8; 6]>,
}

impl Body for Nails {
    fn code<W: Wire>(&mut self, w: &mut W, _: &Dialect) -> Result<(), W::Error> {
        let count = w.field("count", self.nails.len() as u32, 8)?;
        code_chunks(w, &mut self.nails, count)
    }
}

/// Many nails at once, each with a number, in seven bytes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Nails2 {
    /// A number, then as in [`Nails`].
    pub nails: Vec<[u8; 7]>,
}

impl Body for Nails2 {
    fn code<W: Wire>(&mut self, w: &mut W, _: &Dialect) -> Result<(), W::Error> {
        let count = w.field("count", self.nails.len() as u32, 8)?;
        code_chunks(w, &mut self.nails, count)
    }
}

fn code_chunks<W: Wire, const N: usize>(w: &mut W, chunks: &mut Vec<[u8; N]>, count: u32) -> Result<(), W::Error> {
    if W::READING {
        chunks.clear();
        chunks.resize(count as usize, [0; N]);
    }
    for chunk in chunks {
        w.enter("nail");
        for byte in chunk {
            *byte = w.bits(u32::from(*byte), 8)? as u8;
        }
    }
    Ok(())
}

/// Where a nail is, and its pitch and yaw in degrees.
pub fn nail(bits: &[u8; 6]) -> ([f32; 3], [f32; 2]) {
    let b = bits.map(i32::from);
    let place = |twelve: i32| ((twelve << 1) - 4096) as f32;
    let origin = [place(b[0] | (b[1] & 15) << 8), place(b[1] >> 4 | b[2] << 4), place(b[3] | (b[4] & 15) << 8)];
    (origin, [(b[4] >> 4) as f32 * (360.0 / 16.0), b[5] as f32 * (360.0 / 256.0)])
}

/// A part of a file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Download {
    /// The chunk's number with chunked downloads (-1 for an announcement), else the part's length; negative: none.
    pub number: i32,
    /// Per cent done.
    pub percent: u8,
    /// The file's length or why there is none.
    pub size: u32,
    /// A length of 64 bits, where the 32-bit one says so.
    pub long_size: [u32; 2],
    /// The file's name, or where it is.
    pub name: Text,
    /// The name asked for, when it is elsewhere.
    pub asked: Text,
    /// The contents.
    pub data: Vec<u8>,
}

impl Download {
    pub(crate) const CHUNK: usize = 1024;
    pub(crate) const LONG: u32 = 0x8000_0000;
    pub(crate) const NAMED: i32 = -2;
    pub(crate) const ELSEWHERE: i32 = -3;

    fn chunked<W: Wire>(&mut self, w: &mut W, d: &Dialect) -> Result<(), W::Error> {
        self.number.code(w, "chunk", d)?;
        if self.number != -1 {
            w.enter("data");
            return w.octets(&mut self.data, Self::CHUNK);
        }
        self.size.code(w, "size", d)?;
        if self.size == Self::LONG {
            self.long_size.code(w, "long_size", d)?;
        }
        self.name.code(w, "name", d)
    }
}

impl Body for Download {
    fn code<W: Wire>(&mut self, w: &mut W, d: &Dialect) -> Result<(), W::Error> {
        if W::READING {
            *self = Download::default();
        }
        if d.has1(pext1::CHUNKEDDOWNLOADS) {
            return self.chunked(w, d);
        }
        self.number = w.signed("size", self.number, 16)?;
        self.percent.code(w, "percent", d)?;
        match self.number {
            Self::NAMED => self.name.code(w, "name", d),
            Self::ELSEWHERE => {
                self.name.code(w, "name", d)?;
                self.asked.code(w, "asked", d)
            }
            length @ 1.. => {
                w.enter("data");
                w.octets(&mut self.data, length as usize)
            }
            _ => Ok(()),
        }
    }
}

/// An effect that a mod defines, or its definition.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CustomEffect {
    /// Which; 255 for a definition.
    pub kind: u8,
    /// Which, in a definition.
    pub defined: u8,
    /// What an effect sends: 1 count, 2 direction, 4 stains, 8 glows, 16 fades, 32 velocity, 64 persists, 128 beam.
    pub style: u8,
    /// The effect's name.
    pub name: Text,
    /// Stain (4 bytes), glow (5), fade (3) as the style has them.
    pub looks: Vec<u8>,
    /// Which lasting effect; bit 15 ends it.
    pub id: u16,
    /// Where, and to where.
    pub places: [[Coord; 3]; 2],
    /// How many.
    pub count: u8,
    /// How fast.
    pub velocity: [Coord; 3],
    /// Which way: one of 162.
    pub direction: u8,
}

impl CustomEffect {
    /// The kind that defines another.
    pub const DEFINITION: u8 = 255;

    fn definition<W: Wire>(&mut self, w: &mut W, d: &Dialect) -> Result<(), W::Error> {
        self.defined.code(w, "defined", d)?;
        self.style.code(w, "style", d)?;
        self.name.code(w, "name", d)?;
        w.enter("looks");
        let length = self.looks_length();
        w.octets(&mut self.looks, length)
    }

    /// How long a definition's looks are.
    pub(crate) fn looks_length(&self) -> usize {
        let has = |bit: u8| usize::from(self.style & bit != 0);
        4 * has(4) + 5 * has(8) + 3 * (has(8) & has(16))
    }
}

impl Body for CustomEffect {
    fn code<W: Wire>(&mut self, w: &mut W, d: &Dialect) -> Result<(), W::Error> {
        self.kind.code(w, "kind", d)?;
        if self.kind == Self::DEFINITION {
            return self.definition(w, d);
        }
        let Some(&style) = d.custom_effects.get(usize::from(self.kind)) else {
            return w.expect(false, "a custom effect that was not defined");
        };
        let has = |bit: u8| style & bit != 0;
        if has(64) {
            self.id.code(w, "id", d)?;
            if self.id & 0x8000 != 0 {
                return Ok(());
            }
        }
        self.places[0].code(w, "origin", d)?;
        if has(128) {
            self.places[1].code(w, "end", d)?;
        }
        if has(1) {
            self.count.code(w, "count", d)?;
        }
        if has(32) {
            self.velocity.code(w, "velocity", d)
        } else if has(2) {
            self.direction.code(w, "direction", d)
        } else {
            Ok(())
        }
    }
}

/// One of the game code's own entities.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CsqcEntity {
    /// Its number, and whether it goes.
    pub index: Index,
    /// What the mod says of it.
    pub data: Vec<u8>,
}

/// The game code's own entities with the length of each.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SizedCsqcEntities {
    /// The entities.
    pub entities: Vec<CsqcEntity>,
    /// The closing zero took three bytes though two would do.
    pub overlong_end: bool,
}

impl Body for SizedCsqcEntities {
    fn code<W: Wire>(&mut self, w: &mut W, d: &Dialect) -> Result<(), W::Error> {
        if W::READING {
            self.entities.clear();
        }
        let mut at = 0;
        loop {
            let mut entity = self.entities.get_mut(at).map(std::mem::take).unwrap_or_default();
            let end = Index { overlong: self.overlong_end, ..Index::default() };
            let index = if at < self.entities.len() || W::READING { entity.index } else { end };
            entity.index = code_csqc_index(w, d, index)?;
            if entity.index.number == 0 && !entity.index.remove {
                self.overlong_end = entity.index.overlong;
                return Ok(());
            }
            if !entity.index.remove {
                let length = w.field("length", entity.data.len() as u32, 16)?;
                w.enter("data");
                w.octets(&mut entity.data, length as usize)?;
            }
            match self.entities.get_mut(at) {
                Some(place) => *place = entity,
                None => self.entities.push(entity),
            }
            at += 1;
        }
    }
}

fn code_csqc_index<W: Wire>(w: &mut W, d: &Dialect, index: Index) -> Result<Index, W::Error> {
    if d.replacement() {
        return crate::replacement::code_index(w, index);
    }
    let word = w.field("entity", index.number | u32::from(index.remove) << 15, 16)?;
    Ok(Index { number: word & 0x7fff, remove: word & 0x8000 != 0, overlong: false })
}
