//! QuakeWorld's players and their commands.

use fragreel_base::textform::Form;
use fragreel_base::wire::WireError;

use crate::dialect::pext1;
use crate::fields::names;
use crate::message::{DeltaCommand, PlayerInfo, ViewPlayer, flag};
use crate::text::rules::Rules;
use crate::text::units::short_angle;
use crate::text::value::{AsText, buttons, field, field_if};

impl AsText for DeltaCommand {
    fn form<F: Form>(&mut self, f: &mut F, r: &Rules) -> Result<(), F::Error> {
        let last = r.d.final_commands();
        f.object(|f| {
            let sent = self.mask;
            if F::READING {
                *self = DeltaCommand::default();
            }
            let mut mask = 0;
            for (at, name) in ["pitch", "yaw", "roll"].into_iter().enumerate() {
                let bit = if at == 1 && !last { 0 } else { Self::ANGLES[at] };
                // before protocol 27 the yaw is always there
                if f.key(name, if bit == 0 { self.angles[at] != 0 } else { sent & bit != 0 })? {
                    self.angles[at] = short_angle(f, self.angles[at].into())? as u16;
                    mask |= bit;
                }
            }
            for (at, name) in ["forward", "side", "up"].into_iter().enumerate() {
                if f.key(name, sent & Self::MOVEMENT[at] != 0)? {
                    let (from, to) = if last { (i16::MIN.into(), i16::MAX.into()) } else { (0, 255) };
                    self.movement[at] = f.int(self.movement[at].into(), from, to)? as i16;
                    mask |= Self::MOVEMENT[at];
                }
            }
            if f.key("buttons", sent & Self::BUTTONS != 0)? {
                self.buttons = buttons(f, self.buttons)?;
                mask |= Self::BUTTONS;
            }
            if field_if(f, "impulse", sent & Self::IMPULSE != 0, &mut self.impulse, r)? {
                mask |= Self::IMPULSE;
            }
            if last {
                field(f, "msec", &mut self.msec, r)?;
            } else if field_if(f, "msec", sent & Self::ANGLES[1] != 0, &mut self.msec, r)? {
                mask |= Self::ANGLES[1];
            }
            self.mask = mask;
            Ok(())
        })
    }
}

impl AsText for PlayerInfo {
    fn form<F: Form>(&mut self, f: &mut F, r: &Rules) -> Result<(), F::Error> {
        const MOVEMENT_SHIFT: u32 = 11;
        let extended = r.d.has1(Self::EXTENDED);
        f.object(|f| {
            let sent = self.flags;
            if F::READING {
                *self = PlayerInfo::default();
            }
            let mut flags = 0;
            field(f, "slot", &mut self.slot, r)?;
            let on_ground = (!r.d.has1(pext1::HULLSIZE)).then_some(("on_ground", flag::HULLSIZE));
            let solid = (!extended).then_some(("solid", flag::EXTRA));
            for (name, bit) in [("dead", flag::DEAD), ("gib", flag::GIB)].into_iter().chain(on_ground).chain(solid) {
                let mut fact = sent & bit != 0;
                f.unless(name, &mut fact, false)?;
                flags |= if fact { bit } else { 0 };
            }
            let mut movement = (sent >> MOVEMENT_SHIFT & 7) as u8;
            f.unless("movement_type", &mut movement, 0)?;
            f.insist(movement < 8, "expected a whole number from 0 to 7")?;
            flags |= u32::from(movement) << MOVEMENT_SHIFT;
            field(f, "origin", &mut self.origin, r)?;
            field(f, "frame", &mut self.frame, r)?;
            let mut note = |bit: u32, here: bool| flags |= if here { bit } else { 0 };
            let on = |bit: u32| sent & bit != 0;
            note(flag::MSEC, field_if(f, "msec", on(flag::MSEC), &mut self.msec, r)?);
            note(flag::COMMAND, field_if(f, "command", on(flag::COMMAND), &mut self.command, r)?);
            for (at, name) in ["velocity_x", "velocity_y", "velocity_z"].into_iter().enumerate() {
                note(flag::VELOCITY << at, field_if(f, name, on(flag::VELOCITY << at), &mut self.velocity[at], r)?);
            }
            for (name, bit, value) in [("model", flag::MODEL, &mut self.model), ("skin", flag::SKIN, &mut self.skin)] {
                note(bit, field_if(f, name, on(bit), value, r)?);
            }
            let effects = f.key("effects", on(flag::EFFECTS))?;
            if effects {
                self.effects = f.flags(self.effects.into(), 255, names::effects(false)).map_err(|error| error.inside("effects", None))? as u8;
            }
            note(flag::EFFECTS, effects);
            note(flag::WEAPON_FRAME, field_if(f, "weapon_frame", on(flag::WEAPON_FRAME), &mut self.weapon_frame, r)?);
            let mut fields = if extended { 0x3fff } else { 0xffff };
            for (name, bit, extension, value) in [
                ("scale", flag::SCALE, pext1::SCALE, &mut self.scale),
                ("alpha", flag::TRANS, pext1::TRANS, &mut self.alpha),
                ("fatness", flag::FATNESS, pext1::FATNESS, &mut self.fatness),
                ("hull", flag::HULLSIZE, pext1::HULLSIZE, &mut self.hull),
            ] {
                // without the extension byte only the hull's bit can be sent
                if r.d.has1(extension) && extended {
                    fields |= bit;
                    note(bit, field_if(f, name, on(bit), value, r)?);
                }
            }
            if r.d.has1(pext1::COLORMOD) && extended {
                fields |= flag::COLORMOD;
                note(flag::COLORMOD, field_if(f, "colormod", on(flag::COLORMOD), &mut self.colormod, r)?);
            }
            if extended && flags >> 16 != 0 {
                flags |= flag::EXTRA;
            }
            let mut spelling = sent ^ flags;
            f.unless("spelling", &mut spelling, 0)?;
            f.insist(spelling & fields == 0, "`spelling` is about a field: leave it out")?;
            self.flags = flags ^ spelling;
            let kept = if extended && self.flags & flag::EXTRA != 0 { 0xff_ffff } else { 0xffff };
            f.insist(self.flags & !kept == 0, "`spelling` has bits that are not sent with these fields: leave it out")
        })
    }
}

impl AsText for ViewPlayer {
    #[inline]
    fn form<F: Form>(&mut self, f: &mut F, r: &Rules) -> Result<(), F::Error> {
        f.object(|f| {
            field(f, "slot", &mut self.slot, r)?;
            let mut mask = u32::from(self.flags);
            r.rows.player.form(f, &mut mask, &mut self.row, |fields| fields, |mask| mask & 0xffff)?;
            self.flags = mask as u16;
            Ok(())
        })
    }
}
