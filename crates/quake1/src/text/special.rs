//! Messages whose fields depend on each other or on what was negotiated.

use textform::{Form, Leaf};

use crate::dialect::{mvd1, pext1};
use crate::message::{
    CsqcEntity, CustomEffect, Disconnect, Download, LightStyleColor, Nails, Nails2, NehahraFog, Seats, SetAngle, SetAngleBase, SetPortalState,
    SizedCsqcEntities, SizedTempEntity, Unknown,
};
use crate::replacement::{Index, LAST_ENTITY};
use crate::text::names::VIEW_REASONS;
use crate::text::rules::Rules;
use crate::text::units::BYTE_ANGLE;
use crate::text::value::{AsText, elements, field, field_if, named};

impl AsText for Unknown {
    fn form<F: Form>(&mut self, f: &mut F, r: &Rules) -> Result<(), F::Error> {
        f.object(|f| {
            field(f, "number", &mut self.number, r)?;
            field(f, "data", &mut self.data, r)
        })
    }
}

impl AsText for SizedTempEntity {
    fn form<F: Form>(&mut self, f: &mut F, _: &Rules) -> Result<(), F::Error> {
        f.object(|f| {
            f.unless("netquake", &mut self.netquake, false)?;
            f.require("data")?;
            f.hex(&mut self.data)?;
            f.insist(self.data.len() <= 0x7fff, "expected at most 32767 bytes")
        })
    }
}

impl AsText for Disconnect {
    fn form<F: Form>(&mut self, f: &mut F, r: &Rules) -> Result<(), F::Error> {
        const USUAL: &[u8] = b"EndOfDemo\0";
        f.object(|f| {
            if r.d.is_netquake() {
                return Ok(());
            }
            if f.key("text", self.text.0 != USUAL)? {
                return f.text(&mut self.text.0);
            }
            if F::READING {
                self.text.0 = USUAL.to_vec();
            }
            Ok(())
        })
    }
}

impl AsText for SetAngle {
    fn form<F: Form>(&mut self, f: &mut F, r: &Rules) -> Result<(), F::Error> {
        f.object(|f| {
            if r.d.is_multi_view() {
                field(f, "slot", &mut self.slot, r)?;
            } else if r.d.has_mvd1(mvd1::SETANGLEREASON) {
                named(f, "reason", &mut self.reason, &VIEW_REASONS)?;
            }
            field(f, "angles", &mut self.angles, r)
        })
    }
}

impl AsText for LightStyleColor {
    fn form<F: Form>(&mut self, f: &mut F, r: &Rules) -> Result<(), F::Error> {
        const HIGH: u8 = 0x40;
        const VALUES: u8 = 0x80;
        f.object(|f| {
            let sent = self.mask;
            let mut style = u16::from(self.style) | if sent & HIGH != 0 { u16::from(self.style_high) << 8 } else { 0 };
            f.field("style", &mut style)?;
            let (mut named, mut values) = (0, 0);
            for (at, name) in ["red", "green", "blue"].into_iter().enumerate() {
                if f.key(name, sent & 1 << at != 0)? {
                    named |= 1 << at;
                    if !f.null(sent & VALUES == 0)? {
                        values |= 1 << at;
                        Leaf::form(&mut self.color[at], f)?;
                    }
                }
            }
            field(f, "pattern", &mut self.pattern, r)?;
            let plain = named | if style > 255 { HIGH } else { 0 } | if values != 0 { VALUES } else { 0 };
            let mut spelling = sent ^ plain;
            f.unless("spelling", &mut spelling, 0)?;
            if F::READING {
                self.mask = plain ^ spelling;
                [self.style, self.style_high] = style.to_le_bytes();
                let all = if self.mask & VALUES != 0 { named } else { 0 };
                f.insist(values == all && self.mask & 7 == named, "colours have either all a value or all none, and `spelling` cannot say otherwise")?;
                f.insist(style <= 255 || self.mask & HIGH != 0, "`spelling` is about a smaller number: leave it out")?;
            }
            Ok(())
        })
    }
}

impl AsText for NehahraFog {
    fn form<F: Form>(&mut self, f: &mut F, r: &Rules) -> Result<(), F::Error> {
        f.object(|f| {
            field(f, "on", &mut self.on, r)?;
            if self.on != 0 {
                field(f, "density", &mut self.density, r)?;
                field(f, "color", &mut self.color, r)?;
            }
            Ok(())
        })
    }
}

impl AsText for SetAngleBase {
    fn form<F: Form>(&mut self, f: &mut F, r: &Rules) -> Result<(), F::Error> {
        const LOCKED: u8 = 8;
        f.object(|f| {
            let mut plain = 0;
            for (at, name) in ["pitch", "yaw", "roll"].into_iter().enumerate() {
                if field_if(f, name, self.mask & 1 << at != 0, &mut self.angles[at], r)? {
                    plain |= 1 << at;
                }
            }
            let mut locked = self.mask & LOCKED != 0;
            f.unless("locked", &mut locked, false)?;
            if locked {
                plain |= LOCKED;
            }
            let mut other = self.mask & !15;
            f.unless("other_bits", &mut other, 0)?;
            f.insist(other & 15 == 0, "these bits have names of their own")?;
            self.mask = plain | other;
            Ok(())
        })
    }
}

impl AsText for SetPortalState {
    fn form<F: Form>(&mut self, f: &mut F, r: &Rules) -> Result<(), F::Error> {
        f.object(|f| {
            field(f, "mode", &mut self.mode, r)?;
            let mode = self.mode;
            if mode & 0x80 == 0 {
                return field(f, "high", &mut self.high, r);
            }
            let most = if mode & 2 != 0 { 0xffff } else { 0xff };
            if mode & 0x20 != 0 || mode & 0x40 == 0 {
                f.require("portal")?;
                self.portal = f.int(self.portal.into(), 0, most)? as u16;
            }
            if mode & 0x40 != 0 {
                f.require("areas")?;
                f.tuple(2, |f, at| {
                    self.areas[at] = f.int(self.areas[at].into(), 0, most)? as u16;
                    Ok(())
                })?;
            }
            Ok(())
        })
    }
}

impl AsText for Seats {
    fn form<F: Form>(&mut self, f: &mut F, _: &Rules) -> Result<(), F::Error> {
        f.object(|f| {
            f.require("players")?;
            elements(f, &mut self.players, 255, "more than 255 seats", |f, player| Leaf::form(player, f))
        })
    }
}

/// A nail as x, y, z, pitch and yaw.
fn nail<F: Form>(f: &mut F, at: usize, b: &mut [u8]) -> Result<(), F::Error> {
    const STEPS: i64 = 2048;
    const PITCH: f64 = 360.0 / 16.0;
    let place = |f: &mut F, twelve: u32| f.scaled(i64::from(twelve) - STEPS, 2.0, -STEPS, STEPS - 1).map(|steps| (steps + STEPS) as u32);
    let word = |byte: u8| u32::from(byte);
    match at {
        0 => {
            let x = place(f, word(b[0]) | (word(b[1]) & 15) << 8)?;
            (b[0], b[1]) = (x as u8, b[1] & 0xf0 | (x >> 8) as u8);
        }
        1 => {
            let y = place(f, word(b[1]) >> 4 | word(b[2]) << 4)?;
            (b[1], b[2]) = (b[1] & 15 | (y << 4) as u8, (y >> 4) as u8);
        }
        2 => {
            let z = place(f, word(b[3]) | (word(b[4]) & 15) << 8)?;
            (b[3], b[4]) = (z as u8, b[4] & 0xf0 | (z >> 8) as u8);
        }
        3 => b[4] = b[4] & 15 | (f.scaled(i64::from(b[4] >> 4), PITCH, 0, 15)? as u8) << 4,
        _ => b[5] = f.scaled(i64::from(b[5]), BYTE_ANGLE, 0, 255)? as u8,
    }
    Ok(())
}

const MANY_NAILS: &str = "more than 255 nails";

impl AsText for Nails {
    fn form<F: Form>(&mut self, f: &mut F, _: &Rules) -> Result<(), F::Error> {
        f.object(|f| {
            f.require("nails")?;
            elements(f, &mut self.nails, 255, MANY_NAILS, |f, bytes| f.tuple(5, |f, at| nail(f, at, bytes)))
        })
    }
}

impl AsText for Nails2 {
    fn form<F: Form>(&mut self, f: &mut F, _: &Rules) -> Result<(), F::Error> {
        f.object(|f| {
            f.require("nails")?;
            elements(f, &mut self.nails, 255, MANY_NAILS, |f, bytes| {
                f.tuple(6, |f, at| match at.checked_sub(1) {
                    None => Leaf::form(&mut bytes[0], f),
                    Some(at) => nail(f, at, &mut bytes[1..]),
                })
            })
        })
    }
}

impl AsText for Download {
    fn form<F: Form>(&mut self, f: &mut F, r: &Rules) -> Result<(), F::Error> {
        f.object(|f| {
            if F::READING {
                *self = Download::default();
            }
            if r.d.has1(pext1::CHUNKEDDOWNLOADS) { self.chunk(f, r) } else { self.part(f, r) }
        })
    }
}

impl Download {
    fn chunk<F: Form>(&mut self, f: &mut F, r: &Rules) -> Result<(), F::Error> {
        const ANNOUNCED: i32 = -1;
        field(f, "chunk", &mut self.number, r)?;
        let part = self.number != ANNOUNCED;
        if f.key("data", part)? {
            f.hex(&mut self.data)?;
        }
        f.insist(!part || self.data.len() == Self::CHUNK, "a chunk has 1024 bytes")?;
        let announced = field_if(f, "size", !part, &mut self.size, r)?;
        let long = field_if(f, "long_size", announced && self.size == Self::LONG, &mut self.long_size, r)?;
        let named = field_if(f, "name", !part, &mut self.name, r)?;
        let whole = announced == named && announced != part && long == (announced && self.size == Self::LONG);
        f.insist(whole, "a chunk has `data`; -1 announces `size`, `long_size` where that says so, and `name`")
    }

    fn part<F: Form>(&mut self, f: &mut F, r: &Rules) -> Result<(), F::Error> {
        let sent = self.number;
        field(f, "percent", &mut self.percent, r)?;
        let data = f.key("data", sent > 0)?;
        if data {
            f.hex(&mut self.data)?;
            f.insist((1..=0x7fff).contains(&self.data.len()), "expected 1 to 32767 bytes")?;
        }
        let named = field_if(f, "name", matches!(sent, Self::NAMED | Self::ELSEWHERE), &mut self.name, r)?;
        let elsewhere = field_if(f, "asked", sent == Self::ELSEWHERE, &mut self.asked, r)?;
        let mut size = sent;
        let sized = f.key("size", sent <= 0 && !named)?;
        if sized {
            size = f.int(size.into(), i16::MIN.into(), 0)? as i32;
            f.insist(!matches!(size, Self::NAMED | Self::ELSEWHERE), "this size says that a name follows")?;
        }
        f.insist(u8::from(data) + u8::from(named) + u8::from(sized) == 1 && named >= elsewhere, "a part has `data`, or `name` and perhaps `asked`, or `size`")?;
        self.number = match (data, named, elsewhere) {
            (true, ..) => self.data.len() as i32,
            (_, true, true) => Self::ELSEWHERE,
            (_, true, false) => Self::NAMED,
            _ => size,
        };
        Ok(())
    }
}

impl AsText for CustomEffect {
    fn form<F: Form>(&mut self, f: &mut F, r: &Rules) -> Result<(), F::Error> {
        f.object(|f| {
            field(f, "kind", &mut self.kind, r)?;
            if self.kind == Self::DEFINITION {
                field(f, "defined", &mut self.defined, r)?;
                field(f, "style", &mut self.style, r)?;
                field(f, "name", &mut self.name, r)?;
                let length = self.looks_length();
                if f.key("looks", length != 0)? {
                    f.hex(&mut self.looks)?;
                } else {
                    self.looks.clear();
                }
                return f.insist(self.looks.len() == length, "`looks` has another length than `style` says");
            }
            let style = r.d.custom_effects.get(usize::from(self.kind)).copied();
            f.insist(style.is_some(), "a custom effect that was not defined")?;
            let has = |bit: u8| style.unwrap_or(0xff) & bit != 0;
            if has(64) {
                field(f, "id", &mut self.id, r)?;
                if self.id & 0x8000 != 0 {
                    return Ok(());
                }
            }
            field(f, "origin", &mut self.places[0], r)?;
            if has(128) {
                field(f, "end", &mut self.places[1], r)?;
            }
            if has(1) {
                field(f, "count", &mut self.count, r)?;
            }
            if has(32) {
                field(f, "velocity", &mut self.velocity, r)?;
            }
            if has(2) && (style.is_none() || !has(32)) {
                field(f, "direction", &mut self.direction, r)?;
            }
            Ok(())
        })
    }
}

impl AsText for SizedCsqcEntities {
    fn form<F: Form>(&mut self, f: &mut F, r: &Rules) -> Result<(), F::Error> {
        f.object(|f| {
            f.require("entities")?;
            elements(f, &mut self.entities, 1 << 16, "more entities than any engine has", |f, entity| entity.form(f, r))?;
            self.overlong_end &= r.d.replacement();
            f.unless("overlong_end", &mut self.overlong_end, false)
        })
    }
}

impl AsText for CsqcEntity {
    fn form<F: Form>(&mut self, f: &mut F, r: &Rules) -> Result<(), F::Error> {
        f.object(|f| {
            index(f, &mut self.index, r.d.replacement())?;
            if !self.index.remove {
                f.require("data")?;
                f.hex(&mut self.data)?;
            } else if F::READING {
                self.data.clear();
            }
            f.insist(self.data.len() <= 0xffff, "expected at most 65535 bytes")
        })
    }
}

/// An entity's number among updates, and whether it goes. `wide`: the number may have more than 15 bits.
fn index<F: Form>(f: &mut F, index: &mut Index, wide: bool) -> Result<(), F::Error> {
    f.require("number")?;
    index.number = f.int(index.number.into(), 0, if wide { LAST_ENTITY } else { 0x7fff }.into())? as u32;
    if wide {
        f.unless("overlong", &mut index.overlong, false)?;
        f.insist(!index.overlong || index.number < 0x4000, "the number needs its long form")?;
    } else if F::READING {
        index.overlong = false;
    }
    f.unless("remove", &mut index.remove, false)?;
    f.insist(index.number != 0 || index.remove, "the number 0 ends the list")
}
