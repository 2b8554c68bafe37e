//! Hidden blocks of multi-view recordings.

use textform::Form;
use wire::Vocabulary;

use super::names::HIDDEN;
use super::rules::Rules;
use super::value::{elements, said};
use crate::message::hidden::{AntilagPosition, Hidden, HiddenBlocks, HiddenBody, HiddenCommand, kind};

impl HiddenBlocks {
    /// The member of a block that holds them; absent on reading when it is not there. Returns whether it is.
    pub(super) fn form<F: Form>(&mut self, f: &mut F, r: &Rules, present: bool) -> Result<bool, F::Error> {
        if f.key("bare", present && self.bare.is_some())? {
            let (mut number, mut msec) = self.bare.unwrap_or_default();
            f.object(|f| {
                f.field("number", &mut number)?;
                f.field("msec", &mut msec)
            })?;
            self.bare = Some((number, msec));
            return Ok(true);
        }
        if F::READING {
            self.bare = None;
            self.blocks.clear();
        }
        let here = f.key("hidden", present)?;
        if here {
            elements(f, &mut self.blocks, 1 << 16, "too many hidden blocks", |f, hidden| hidden.form(f, r))?;
        }
        Ok(here)
    }
}

impl Hidden {
    fn form<F: Form>(&mut self, f: &mut F, r: &Rules) -> Result<(), F::Error> {
        f.object(|f| {
            let known = !matches!(self.body, HiddenBody::Other { .. });
            f.require("kind")?;
            self.number = f.word(self.number, 0xffff, &HIDDEN)?;
            f.insist(self.number != kind::EXTENDED, "this number announces another: say so by `extensions`")?;
            let mut extensions = self.extensions as u16;
            f.unless("extensions", &mut extensions, 0)?;
            self.extensions = extensions.into();
            let named = HIDDEN.name(self.number).is_some() && extensions == 0;
            let raw = f.key("data", !known)?;
            if F::READING {
                self.body = if raw { HiddenBody::Other { data: Vec::new() } } else { HiddenBody::of(self.number) };
            }
            f.insist(raw || named, "only `data` can be said of what is not known")?;
            self.body.form(f, r)?;
            self.length = self.body.length();
            let again = HiddenBody::blank(self.number, self.extensions, self.length);
            f.insist(std::mem::discriminant(&again) == std::mem::discriminant(&self.body), "`data` of this length is known by its fields: say them instead")
        })
    }
}

impl HiddenBody {
    /// The blank body of a kind that is known.
    fn of(number: u32) -> Self {
        const LENGTHS: [(u32, u32); 9] = [
            (kind::ANTILAG_POSITION, 14),
            (kind::USER_COMMAND, 23),
            (kind::WEAPON_CHOICE, 11),
            (kind::DEMO_INFO, 2),
            (kind::DAMAGE_DONE, 8),
            (kind::WEAPON_CHOICE_BY_SERVER, 11),
            (kind::WEAPON_INSTRUCTION, 20),
            (kind::PAUSED_DURATION, 1),
            (kind::START_TIMESTAMP, 8),
        ];
        let length = LENGTHS.iter().find(|(known, _)| *known == number).map_or(0, |(_, length)| *length);
        HiddenBody::blank(number, 0, length)
    }

    /// The members that it has.
    fn form<F: Form>(&mut self, f: &mut F, r: &Rules) -> Result<(), F::Error> {
        match self {
            HiddenBody::AntilagPosition { slot, sequence, server_time, target_time, positions } => {
                f.field("slot", slot)?;
                f.field("sequence", sequence)?;
                said(f, "server_time", server_time, r)?;
                said(f, "target_time", target_time, r)?;
                f.require("positions")?;
                elements(f, positions, 255, "more than 255 positions", |f, position| position.form(f, r))
            }
            HiddenBody::UserCommand(command) => command.members(f, r),
            HiddenBody::WeaponChoice { slot, items, ammo, result, wanted } => {
                f.field("slot", slot)?;
                f.field("items", items)?;
                f.field("ammo", ammo)?;
                f.field("result", result)?;
                said(f, "wanted", wanted, r)
            }
            HiddenBody::DemoInfo { block, content } => {
                f.field("block", block)?;
                f.require("content")?;
                f.text(content)
            }
            HiddenBody::DamageDone { death_type, attacker, victim, damage } => {
                f.field("death_type", death_type)?;
                f.field("attacker", attacker)?;
                f.field("victim", victim)?;
                f.field("damage", damage)
            }
            HiddenBody::WeaponInstruction { slot, flags, sequence, mode, weapons } => {
                f.field("slot", slot)?;
                f.field("flags", flags)?;
                f.field("sequence", sequence)?;
                f.field("mode", mode)?;
                f.field("weapons", weapons)
            }
            HiddenBody::PausedDuration { msec } => f.field("msec", msec),
            HiddenBody::StartTimestamp { unix_msec } => {
                f.require("unix_msec")?;
                let shown = i64::from(unix_msec[0]) | i64::from(unix_msec[1]) << 32;
                let read = f.int(shown, i64::MIN, i64::MAX)?;
                *unix_msec = [read as u32, (read >> 32) as u32];
                Ok(())
            }
            HiddenBody::Other { data } => f.hex(data),
        }
    }

    /// How many bytes it takes.
    fn length(&self) -> u32 {
        let length = match self {
            HiddenBody::AntilagPosition { positions, .. } => 14 + 27 * positions.len(),
            HiddenBody::UserCommand(_) => 23,
            HiddenBody::WeaponChoice { wanted, .. } => 11 + wanted.0.len(),
            HiddenBody::DemoInfo { content, .. } => 2 + content.len(),
            HiddenBody::DamageDone { .. } => 8,
            HiddenBody::WeaponInstruction { .. } => 20,
            HiddenBody::PausedDuration { .. } => 1,
            HiddenBody::StartTimestamp { .. } => 8,
            HiddenBody::Other { data } => data.len(),
        };
        length as u32
    }
}

impl HiddenCommand {
    fn members<F: Form>(&mut self, f: &mut F, r: &Rules) -> Result<(), F::Error> {
        f.field("slot", &mut self.slot)?;
        f.field("drop", &mut self.drop)?;
        f.field("msec", &mut self.msec)?;
        said(f, "angles", &mut self.angles, r)?;
        f.field("movement", &mut self.movement)?;
        f.field("buttons", &mut self.buttons)?;
        f.field("impulse", &mut self.impulse)
    }
}

impl AntilagPosition {
    fn form<F: Form>(&mut self, f: &mut F, r: &Rules) -> Result<(), F::Error> {
        f.object(|f| {
            f.field("slot", &mut self.slot)?;
            said(f, "origin", &mut self.origin, r)?;
            f.field("msec", &mut self.msec)?;
            f.field("prediction", &mut self.prediction)?;
            said(f, "client_origin", &mut self.client_origin, r)
        })
    }
}
