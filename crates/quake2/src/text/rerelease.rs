//! Messages that only the 2023 rerelease sends.

use std::sync::LazyLock;

use fragreel_base::delta::FieldSet;
use fragreel_base::textform::{Form, Leaf, Names};

use super::values::{text, text_value};
use crate::message::{BotChat, DamageDealt, FOG, FogChange, HelpPath, LocalisedPrint, Poi};

pub(super) fn damage<F: Form>(f: &mut F, list: &mut Vec<DamageDealt>) -> Result<(), F::Error> {
    f.list("indicators", list, |f, entry| {
        f.object(|f| {
            f.field("encoded", &mut entry.encoded)?;
            f.field("direction", &mut entry.direction)
        })
    })?;
    f.insist(list.len() <= 255, "at most 255 indicators can be sent at once")
}

impl LocalisedPrint {
    pub(super) fn members<F: Form>(&mut self, f: &mut F) -> Result<(), F::Error> {
        f.field("flags", &mut self.flags)?;
        text(f, "base", &mut self.base)?;
        f.list("args", &mut self.args, text_value)?;
        f.insist(self.args.len() <= 255, "at most 255 arguments can be sent")
    }
}

impl BotChat {
    pub(super) fn members<F: Form>(&mut self, f: &mut F) -> Result<(), F::Error> {
        text(f, "name", &mut self.name)?;
        f.field("client", &mut self.client)?;
        text(f, "text", &mut self.text)
    }
}

impl Poi {
    pub(super) fn members<F: Form>(&mut self, f: &mut F) -> Result<(), F::Error> {
        f.field("key", &mut self.key)?;
        f.field("time", &mut self.time)?;
        floats(f, &mut self.position)?;
        f.field("image", &mut self.image)?;
        f.field("color", &mut self.color)?;
        f.field("flags", &mut self.flags)
    }
}

impl HelpPath {
    pub(super) fn members<F: Form>(&mut self, f: &mut F) -> Result<(), F::Error> {
        f.field("start", &mut self.start)?;
        floats(f, &mut self.position)?;
        f.field("direction", &mut self.direction)
    }
}

fn floats<F: Form>(f: &mut F, words: &mut [u32; 3]) -> Result<(), F::Error> {
    let mut position = words.map(f32::from_bits);
    f.field("position", &mut position)?;
    *words = position.map(f32::to_bits);
    Ok(())
}

static FOG_NAMES: LazyLock<Names> = LazyLock::new(|| Names::new(FOG.iter().map(|(_, name, _)| *name)));
/// The bit that announces the second byte.
const MORE: u16 = 0x80;

impl FogChange {
    pub(super) fn members<F: Form>(&mut self, f: &mut F) -> Result<(), F::Error> {
        if F::READING {
            self.parts = [0; 16];
        }
        let sent = self.bits;
        let present = (0..FOG.len()).filter(|&at| !F::READING && sent >> FOG[at].0 & 1 != 0);
        let mut given = FieldSet::EMPTY;
        f.members(&FOG_NAMES, present, |f, at| {
            given.insert(at);
            let part = &mut self.parts[at & 15];
            match FOG[at].2 {
                32 if FOG[at].1.ends_with("_distance") => *part = f.int((*part as i32).into(), i32::MIN.into(), i32::MAX.into())? as i32 as u32,
                32 => {
                    let mut value = f32::from_bits(*part);
                    value.form(f)?;
                    *part = value.to_bits();
                }
                width => *part = f.int((*part).into(), 0, (1 << width) - 1)? as u32,
            }
            Ok(())
        })?;
        let mut usual = given.into_iter().fold(0u16, |bits, at| bits | 1 << FOG[at].0);
        if usual >> 8 != 0 {
            usual |= MORE;
        }
        let mut spelling = self.bits ^ usual;
        if F::READING {
            spelling = 0;
        }
        f.unless("spelling", &mut spelling, 0)?;
        if F::READING {
            self.bits = usual ^ spelling;
            f.insist(usual & !self.bits == 0, "this spelling takes something away that stands here")?;
            f.insist(self.bits & MORE != 0 || self.bits >> 8 == 0, "this spelling cannot be sent: leave it out")?;
        }
        Ok(())
    }
}
