//! Hidden blocks of multi-view recordings.

use std::sync::LazyLock;

use fragreel_base::textform::{Form, Names};

use crate::fields::names::HIDDEN;
use crate::message::hidden::{AntilagPosition, Hidden, HiddenBlocks, HiddenBody, HiddenCommand, kind};
use crate::text::rules::Rules;
use crate::text::value::{buttons, elements, field};

impl HiddenBlocks {
    /// The members of a block that holds them. Returns whether they are there.
    pub(super) fn form<F: Form>(&mut self, f: &mut F, r: &Rules, present: bool) -> Result<bool, F::Error> {
        let bare = f.key("bare", present && self.bare.is_some())?;
        if bare {
            let (mut number, mut msec) = self.bare.unwrap_or_default();
            f.object(|f| {
                f.field("number", &mut number)?;
                f.field("msec", &mut msec)
            })?;
            self.bare = Some((number, msec));
        } else if F::READING {
            self.bare = None;
        }
        let here = f.key("hidden", present && !bare)?;
        if here {
            elements(f, &mut self.blocks, 1 << 16, "too many hidden blocks", |f, hidden| hidden.form(f, r))?;
        } else if F::READING {
            self.blocks.clear();
        }
        f.insist(!bare || !here, "what is bare stands alone")?;
        Ok(bare || here)
    }
}

/// Kinds that are known; and anything else, or what has another length than known.
static KINDS: LazyLock<Names> = LazyLock::new(|| Names::new(HIDDEN.iter().copied().chain(["other"])));
const OTHER: usize = HIDDEN.len();

impl Hidden {
    /// An object with one member, the kind.
    fn form<F: Form>(&mut self, f: &mut F, r: &Rules) -> Result<(), F::Error> {
        let which = if matches!(self.body, HiddenBody::Other { .. }) { OTHER } else { self.number as usize };
        f.variant(&KINDS, which, |f, which| {
            f.object(|f| {
                if which == OTHER {
                    return self.other(f);
                }
                if F::READING {
                    (self.number, self.extensions, self.body) = (which as u32, 0, HiddenBody::of(which as u32));
                }
                self.body.members(f, r)?;
                self.length = self.body.length();
                Ok(())
            })
        })
    }

    fn other<F: Form>(&mut self, f: &mut F) -> Result<(), F::Error> {
        f.require("number")?;
        self.number = f.int(self.number.into(), 0, i64::from(kind::EXTENDED) - 1)? as u32;
        f.unless("extensions", &mut self.extensions, 0)?;
        f.insist(self.extensions <= MOST_EXTENSIONS, "a number announced so often fits no block")?;
        let mut bytes = if let HiddenBody::Other { data } = &mut self.body { std::mem::take(data) } else { Vec::new() };
        f.require("data")?;
        f.hex(&mut bytes)?;
        self.length = bytes.len() as u32;
        let known = !matches!(HiddenBody::blank(self.number, self.extensions, self.length), HiddenBody::Other { .. });
        self.body = HiddenBody::Other { data: bytes };
        f.insist(!known, "a block of this number and length is known by its fields: say them instead")
    }
}

/// More do not fit a block that is read again by far.
const MOST_EXTENSIONS: u32 = 0x7_ffff;

impl HiddenBody {
    /// The blank body of a kind that is known.
    fn of(number: u32) -> Self {
        // the least length with which each is known lies below this one's
        (0..24).rev().map(|length| HiddenBody::blank(number, 0, length)).find(|body| !matches!(body, HiddenBody::Other { .. })).unwrap_or_default()
    }

    /// The members that it has.
    fn members<F: Form>(&mut self, f: &mut F, r: &Rules) -> Result<(), F::Error> {
        match self {
            HiddenBody::AntilagPosition { slot, sequence, server_time, target_time, positions } => {
                f.field("slot", slot)?;
                f.field("sequence", sequence)?;
                field(f, "server_time", server_time, r)?;
                field(f, "target_time", target_time, r)?;
                f.require("positions")?;
                elements(f, positions, 255, "more than 255 positions", |f, position| position.form(f, r))
            }
            HiddenBody::UserCommand(command) => command.members(f, r),
            HiddenBody::WeaponChoice { slot, items, ammo, result, wanted } => {
                f.field("slot", slot)?;
                f.field("items", items)?;
                f.field("ammo", ammo)?;
                f.field("result", result)?;
                field(f, "wanted", wanted, r)
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
            HiddenBody::Other { .. } => Ok(()),
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
        field(f, "angles", &mut self.angles, r)?;
        f.field("movement", &mut self.movement)?;
        f.require("buttons")?;
        self.buttons = buttons(f, self.buttons)?;
        f.field("impulse", &mut self.impulse)
    }
}

impl AntilagPosition {
    fn form<F: Form>(&mut self, f: &mut F, r: &Rules) -> Result<(), F::Error> {
        f.object(|f| {
            f.field("slot", &mut self.slot)?;
            field(f, "origin", &mut self.origin, r)?;
            f.field("msec", &mut self.msec)?;
            f.field("prediction", &mut self.prediction)?;
            field(f, "client_origin", &mut self.client_origin, r)
        })
    }
}
