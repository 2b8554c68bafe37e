//! Sounds.

use fragreel_base::textform::Form;
use fragreel_base::wire::WireError;

use crate::dialect::NetQuakeRules;
use crate::fields::names::CHANNELS;
use crate::message::{FlaggedStaticSound, NqSound, QwSound, StaticSound};
use crate::text::rules::Rules;
use crate::text::units::{ATTENUATION, VOLUME, byte_or_units};
use crate::text::value::{AsText, field, field_if};

const USUAL_VOLUME: u8 = 255;
const USUAL_ATTENUATION: u8 = 64;

/// A byte that is there when `present` says so, or was found; as on the wire, or in units.
fn byte_if<F: Form>(f: &mut F, name: &'static str, present: bool, value: &mut u8, unit: f64) -> Result<bool, F::Error> {
    let here = f.key(name, present)?;
    if here {
        *value = byte_or_units(f, *value, unit).map_err(|error| error.inside(name, None))?;
    }
    Ok(here)
}

fn volume_if<F: Form>(f: &mut F, present: bool, volume: &mut u8) -> Result<bool, F::Error> {
    byte_if(f, "volume", present, volume, VOLUME)
}

fn attenuation_if<F: Form>(f: &mut F, present: bool, attenuation: &mut u8) -> Result<bool, F::Error> {
    byte_if(f, "attenuation", present, attenuation, ATTENUATION)
}

/// Volume and attenuation that are always sent.
fn loudness<F: Form>(f: &mut F, volume: &mut u8, attenuation: &mut u8) -> Result<(), F::Error> {
    for (name, value, unit) in [("volume", volume, VOLUME), ("attenuation", attenuation, ATTENUATION)] {
        f.require(name)?;
        *value = byte_or_units(f, *value, unit).map_err(|error| error.inside(name, None))?;
    }
    Ok(())
}

impl AsText for QwSound {
    fn form<F: Form>(&mut self, f: &mut F, r: &Rules) -> Result<(), F::Error> {
        const SPARE: u16 = 1 << 13;
        f.object(|f| {
            let mut entity = self.channel >> 3 & 1023;
            f.require("entity")?;
            entity = f.int(entity.into(), 0, 1023)? as u16;
            f.require("channel")?;
            let channel = f.word(u32::from(self.channel & 7), 7, &CHANNELS)? as u16;
            let mut word = entity << 3 | channel;
            if volume_if(f, self.channel & Self::VOLUME != 0, &mut self.volume)? {
                word |= Self::VOLUME;
            } else {
                self.volume = USUAL_VOLUME;
            }
            if attenuation_if(f, self.channel & Self::ATTENUATION != 0, &mut self.attenuation)? {
                word |= Self::ATTENUATION;
            } else {
                self.attenuation = USUAL_ATTENUATION;
            }
            field(f, "sound", &mut self.sound, r)?;
            field(f, "origin", &mut self.origin, r)?;
            let mut spare = self.channel & SPARE != 0;
            f.unless("spare_bit", &mut spare, false)?;
            self.channel = word | if spare { SPARE } else { 0 };
            Ok(())
        })
    }
}

impl NqSound {
    fn wide_sounds(r: &Rules) -> bool {
        matches!(r.d.netquake, NetQuakeRules::Bjp2 | NetQuakeRules::Bjp3)
    }

    /// The mask of a stock sender for the fields that are `sent`.
    fn plain(&self, sent: u64, r: &Rules) -> u64 {
        let mut mask = sent;
        if self.entity.number >= 1 << 13 || self.channel > 7 || self.entity.overlong {
            mask |= Self::LARGE_ENTITY;
        }
        if self.sound > 255 && !Self::wide_sounds(r) {
            mask |= Self::LARGE_SOUND;
        }
        if mask >> 8 != 0 {
            mask |= Self::MORE;
        }
        mask
    }
}

impl AsText for NqSound {
    fn form<F: Form>(&mut self, f: &mut F, r: &Rules) -> Result<(), F::Error> {
        f.object(|f| {
            let mask = self.mask;
            if F::READING {
                *self = NqSound { volume: USUAL_VOLUME, attenuation: USUAL_ATTENUATION, ..NqSound::default() };
            }
            let mut sent = 0;
            field(f, "entity", &mut self.entity, r)?;
            f.require("channel")?;
            self.channel = f.word(self.channel.into(), 255, &CHANNELS)? as u8;
            let mut set_bit = |bit: u64, here: bool| sent |= if here { bit } else { 0 };
            set_bit(Self::VOLUME, volume_if(f, mask & Self::VOLUME != 0, &mut self.volume)?);
            set_bit(Self::ATTENUATION, attenuation_if(f, mask & Self::ATTENUATION != 0, &mut self.attenuation)?);
            set_bit(Self::PITCH, field_if(f, "pitch", mask & Self::PITCH != 0, &mut self.pitch, r)?);
            set_bit(Self::OFFSET, field_if(f, "offset", mask & Self::OFFSET != 0, &mut self.offset, r)?);
            set_bit(Self::VELOCITY, field_if(f, "velocity", mask & Self::VELOCITY != 0, &mut self.velocity, r)?);
            set_bit(Self::SPEED, field_if(f, "speed", mask & Self::SPEED != 0, &mut self.speed, r)?);
            field(f, "sound", &mut self.sound, r)?;
            field(f, "origin", &mut self.origin, r)?;
            let plain = self.plain(sent, r);
            let mut spelling = (mask ^ plain) as i64;
            if f.key("spelling", spelling != 0)? {
                spelling = f.int(spelling, i64::MIN, i64::MAX)?;
            } else {
                spelling = 0;
            }
            self.mask = plain ^ spelling as u64;
            let fields = Self::VOLUME | Self::ATTENUATION | Self::PITCH | Self::OFFSET | Self::VELOCITY | Self::SPEED;
            let needed = plain & (Self::LARGE_ENTITY | if self.sound > 255 { Self::LARGE_SOUND } else { 0 });
            let fits = self.mask & fields == sent && self.mask & needed == needed && (self.mask >> 8 == 0 || self.mask & Self::MORE != 0);
            f.insist(fits, "`spelling` is about other fields: leave it out")
        })
    }
}

impl AsText for StaticSound {
    fn form<F: Form>(&mut self, f: &mut F, r: &Rules) -> Result<(), F::Error> {
        let wide = r.d.is_netquake() && r.d.netquake == NetQuakeRules::Bjp2;
        f.object(|f| {
            field(f, "origin", &mut self.origin, r)?;
            f.require("sound")?;
            self.sound = f.int(self.sound.into(), 0, if wide { 0xffff } else { 0xff })? as u16;
            loudness(f, &mut self.volume, &mut self.attenuation)
        })
    }
}

impl AsText for FlaggedStaticSound {
    fn form<F: Form>(&mut self, f: &mut F, r: &Rules) -> Result<(), F::Error> {
        f.object(|f| {
            field(f, "origin", &mut self.origin, r)?;
            field(f, "sound", &mut self.sound, r)?;
            loudness(f, &mut self.volume, &mut self.attenuation)?;
            let mut overlong = self.flags != 0 && self.sound < 256;
            f.unless("overlong", &mut overlong, false)?;
            self.flags = u8::from(overlong || self.sound > 255);
            Ok(())
        })
    }
}
