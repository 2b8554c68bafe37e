//! NetQuake's fast updates, client data and time.

use fragreel_base::delta::masked::extended;
use fragreel_base::textform::Form;

use crate::fields::netquake::{bits, client_bits};
use crate::message::{ClientData, FastUpdate, Float, NqTime, Uleb, UpdateExtras};
use crate::text::rules::Rules;
use crate::text::value::{AsText, WIDEST_ENTITY, field, field_if, numbered};

/// Updates in a row, by the numbers of their entities.
pub(super) fn updates<F: Form>(f: &mut F, list: &mut Vec<FastUpdate>, r: &Rules) -> Result<(), F::Error> {
    let most = if r.d.big_entities { WIDEST_ENTITY } else { 0xffff };
    numbered(f, list, most, |update: &FastUpdate| update.entity.number, |f, update, number| update.members(f, r, number))
}

impl FastUpdate {
    /// What is said of the entity of this number.
    #[inline]
    fn members<F: Form>(&mut self, f: &mut F, r: &Rules, number: u32) -> Result<(), F::Error> {
        let nehahra = r.d.is_nehahra();
        let more: &[u64] = if nehahra { &[bits::MOREBITS] } else { &[bits::MOREBITS, bits::EXTEND1, bits::EXTEND2] };
        self.entity.number = number;
        f.unless("overlong", &mut self.entity.overlong, false)?;
        f.insist(!self.entity.overlong || r.d.big_entities && number < 0x8000, "the number has no longer form here")?;
        let sent = u64::from(self.mask);
        let mut own = self.extras_form(f, r)?;
        if nehahra && self.transparency_form(f, sent & bits::EXTEND1 != 0)? {
            own |= bits::EXTEND1;
        }
        if self.entity.number > 255 || self.entity.overlong {
            own |= bits::LONGENTITY;
        }
        let complete = |fields: u64| extended(fields | own | bits::SIGNAL, more);
        // bits that announce what is not in the row cannot be spelled
        let fixed = (own | if nehahra { bits::EXTEND1 } else { 0 } | if r.d.is_rerelease() { EXTRAS } else { 0 }) & !bits::LONGENTITY;
        let kept = |mask: u64| {
            let mut kept = mask & 255 | if mask & bits::MOREBITS != 0 { mask & 0xff00 } else { 0 };
            if kept & bits::EXTEND1 != 0 && !nehahra {
                kept |= mask & 0xff_0000;
                kept |= if kept & bits::EXTEND2 != 0 { mask & 0xff00_0000 } else { 0 };
            }
            let same = kept & fixed == own & fixed && kept & bits::SIGNAL != 0 && kept & own & bits::LONGENTITY == own & bits::LONGENTITY;
            if same { kept } else { !mask }
        };
        r.rows.update.form(f, &mut self.mask, &mut self.row, complete, kept)
    }
}

/// Mask bits of [`UpdateExtras`].
const EXTRAS: u64 = 1 << 22 | 1 << 24 | 1 << 25 | 0x3f << 26;

impl FastUpdate {
    /// What the re-release adds, and the bits that announce it.
    fn extras_form<F: Form>(&mut self, f: &mut F, r: &Rules) -> Result<u64, F::Error> {
        const UNKNOWN: [&str; 6] = ["unknown_26", "unknown_27", "unknown_28", "unknown_29", "unknown_30", "unknown_31"];
        if F::READING {
            self.extras = UpdateExtras::default();
        }
        if !r.d.is_rerelease() {
            return Ok(0);
        }
        let sent = u64::from(self.mask);
        let mut found = 0;
        let extras = &mut self.extras;
        let mut note = |bit: u32, here: bool| found |= u64::from(here) << bit;
        note(22, field_if(f, "solid", sent & 1 << 22 != 0, &mut extras.solid, r)?);
        note(24, field_if(f, "flags", sent & 1 << 24 != 0, &mut extras.flags, r)?);
        note(25, field_if(f, "health", sent & 1 << 25 != 0, &mut extras.health, r)?);
        for (at, name) in (0..).zip(UNKNOWN) {
            note(26 + at, field_if(f, name, sent & 1 << (26 + at) != 0, &mut extras.unknown[at as usize], r)?);
        }
        Ok(found)
    }

    /// Nehahra's transparency: alpha, and whether it is fully bright where that is said.
    fn transparency_form<F: Form>(&mut self, f: &mut F, present: bool) -> Result<bool, F::Error> {
        const WITH_BRIGHT: f32 = 2.0;
        if F::READING {
            self.transparency = [Float(0); 3];
        }
        if !f.key("transparency", present)? {
            return Ok(false);
        }
        let [count, alpha, bright] = &mut self.transparency;
        f.object(|f| {
            f.require("count")?;
            *count = Float::from(f.float(count.value())?);
            f.require("alpha")?;
            *alpha = Float::from(f.float(alpha.value())?);
            let with = count.value() == WITH_BRIGHT;
            let found = f.key("full_bright", with)?;
            if found {
                *bright = Float::from(f.float(bright.value())?);
            }
            f.insist(found == with, "`full_bright` is sent with a count of 2, and only then")
        })?;
        Ok(true)
    }
}

impl AsText for FastUpdate {
    fn form<F: Form>(&mut self, f: &mut F, _: &Rules) -> Result<(), F::Error> {
        f.expect(false, "updates stand in groups")
    }
}

impl AsText for ClientData {
    fn form<F: Form>(&mut self, f: &mut F, r: &Rules) -> Result<(), F::Error> {
        const MORE: [u64; 2] = [client_bits::EXTEND1 >> 8, client_bits::EXTEND2 >> 8];
        f.object(|f| {
            let mut own = client_bits::ITEMS;
            if F::READING {
                self.flags = Uleb::default();
            }
            if r.d.is_rerelease() && field_if(f, "flags", u64::from(self.mask) & client_bits::FLAGS != 0, &mut self.flags, r)? {
                own |= client_bits::FLAGS;
            }
            let complete = |fields: u64| {
                let mask = fields | own;
                extended(mask >> 8, &MORE) << 8 | mask & 255
            };
            let fixed = if r.d.is_rerelease() { client_bits::FLAGS } else { 0 };
            let kept = |mask: u64| {
                let mut kept = mask & 0xffff;
                if kept & client_bits::EXTEND1 != 0 {
                    kept |= mask & 0xff_0000;
                    kept |= if kept & client_bits::EXTEND2 != 0 { mask & 0xff00_0000 } else { 0 };
                }
                if kept & fixed == own & fixed { kept } else { !mask }
            };
            r.rows.client.form(f, &mut self.mask, &mut self.row, complete, kept)
        })
    }
}

impl AsText for NqTime {
    fn form<F: Form>(&mut self, f: &mut F, r: &Rules) -> Result<(), F::Error> {
        f.object(|f| {
            field(f, "time", &mut self.time, r)?;
            if r.d.predinfo() { field(f, "input", &mut self.input, r) } else { Ok(()) }
        })
    }
}
