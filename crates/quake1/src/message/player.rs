//! QuakeWorld's players and their commands (`docs/formats/quake1.md`, "Players").

use fragreel_base::wire::Wire;

use crate::dialect::{Dialect, pext1};
use crate::fields::quakeworld::view_slot;
use crate::fields::{ALWAYS, meaning};
use crate::message::body::Body;
use crate::message::primitive::{EntityCoord, Value};

/// Bits of [`PlayerInfo::flags`].
pub mod flag {
    #![allow(missing_docs, reason = "each bit announces the field of its name, or is the fact itself")]
    pub const MSEC: u32 = 1 << 0;
    pub const COMMAND: u32 = 1 << 1;
    pub const VELOCITY: u32 = 1 << 2;
    pub const MODEL: u32 = 1 << 5;
    pub const SKIN: u32 = 1 << 6;
    pub const EFFECTS: u32 = 1 << 7;
    pub const WEAPON_FRAME: u32 = 1 << 8;
    pub const DEAD: u32 = 1 << 9;
    pub(crate) const GIB: u32 = 1 << 10;
    pub(crate) const HULLSIZE: u32 = 1 << 14;
    pub const EXTRA: u32 = 1 << 15;
    pub const SCALE: u32 = 1 << 16;
    pub(crate) const TRANS: u32 = 1 << 17;
    pub(crate) const FATNESS: u32 = 1 << 18;
    pub(crate) const COLORMOD: u32 = 1 << 19;
}

/// A player's input, as the difference from no input.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DeltaCommand {
    /// What follows.
    pub mask: u8,
    /// View angles, 65536ths of a turn.
    pub angles: [u16; 3],
    /// Forward, side, up.
    pub movement: [i16; 3],
    /// Buttons.
    pub buttons: u8,
    /// Impulse.
    pub impulse: u8,
    /// Milliseconds.
    pub msec: u8,
}

impl DeltaCommand {
    pub(crate) const ANGLES: [u8; 3] = [1 << 0, 1 << 7, 1 << 1];
    pub(crate) const MOVEMENT: [u8; 3] = [1 << 2, 1 << 3, 1 << 4];
    pub(crate) const BUTTONS: u8 = 1 << 5;
    pub(crate) const IMPULSE: u8 = 1 << 6;

    /// An input without buttons, as servers send it of other players.
    pub fn new(angles: [u16; 3], movement: [i16; 3], msec: u8) -> Self {
        let mut command = DeltaCommand { angles, movement, msec, ..DeltaCommand::default() };
        for at in 0..3 {
            command.mask |= if angles[at] != 0 { Self::ANGLES[at] } else { 0 };
            command.mask |= if movement[at] != 0 { Self::MOVEMENT[at] } else { 0 };
        }
        command
    }

    /// The input that this makes of another: what it does not mention stays, but for impulse and milliseconds.
    #[must_use]
    pub fn over(&self, before: &DeltaCommand) -> DeltaCommand {
        let mut input = DeltaCommand { impulse: self.impulse, msec: self.msec, ..before.clone() };
        for at in 0..3 {
            if self.mask & Self::ANGLES[at] != 0 {
                input.angles[at] = self.angles[at];
            }
            if self.mask & Self::MOVEMENT[at] != 0 {
                input.movement[at] = self.movement[at];
            }
        }
        if self.mask & Self::BUTTONS != 0 {
            input.buttons = self.buttons;
        }
        input
    }

    /// Reads or writes one.
    pub fn code<W: Wire>(&mut self, w: &mut W, d: &Dialect) -> Result<(), W::Error> {
        self.mask.code(w, "command_bits", d)?;
        let (mask, last) = (self.mask, d.final_commands());
        if W::READING {
            *self = DeltaCommand { mask, ..DeltaCommand::default() };
        }
        for (at, name) in ["pitch", "yaw", "roll"].into_iter().enumerate() {
            // before protocol 27 the yaw is always there and its bit announces the milliseconds
            if mask & Self::ANGLES[at] != 0 || (at == 1 && !last) {
                self.angles[at].code(w, name, d)?;
            }
        }
        for (at, name) in ["forward", "side", "up"].into_iter().enumerate() {
            if mask & Self::MOVEMENT[at] != 0 {
                let value = w.field(name, u32::from(self.movement[at] as u16), if last { 16 } else { 8 })?;
                self.movement[at] = value as i16;
            }
        }
        if mask & Self::BUTTONS != 0 {
            self.buttons.code(w, "buttons", d)?;
        }
        if mask & Self::IMPULSE != 0 {
            self.impulse.code(w, "impulse", d)?;
        }
        if last || mask & Self::ANGLES[1] != 0 {
            self.msec.code(w, "msec", d)?;
        }
        Ok(())
    }
}

/// A player as one client sees it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PlayerInfo {
    /// His slot.
    pub slot: u8,
    /// What follows, and facts; see [`flag`].
    pub flags: u32,
    /// Where.
    pub origin: [EntityCoord; 3],
    /// Animation frame.
    pub frame: u8,
    /// How old this is, in milliseconds.
    pub msec: u8,
    /// His last input.
    pub command: DeltaCommand,
    /// Units per second.
    pub velocity: [i16; 3],
    /// Which model.
    pub model: u8,
    /// Which skin.
    pub skin: u8,
    /// Effects.
    pub effects: u8,
    /// Frame of the weapon.
    pub weapon_frame: u8,
    /// Size in fiftieths.
    pub scale: u8,
    /// Opacity.
    pub alpha: u8,
    /// How far the model is blown up.
    pub fatness: u8,
    /// His hull.
    pub hull: u8,
    /// Tint.
    pub colormod: [u8; 3],
}

impl PlayerInfo {
    pub(crate) const EXTENDED: u32 = pext1::HULLSIZE | pext1::TRANS | pext1::SCALE | pext1::FATNESS;
}

impl Body for PlayerInfo {
    #[inline]
    fn code<W: Wire>(&mut self, w: &mut W, d: &Dialect) -> Result<(), W::Error> {
        self.slot.code(w, "slot", d)?;
        let mut flags = w.field("flags", self.flags & 0xffff, 16)?;
        let extended = d.has1(Self::EXTENDED);
        if extended && flags & flag::EXTRA != 0 {
            flags |= w.field("extra_flags", self.flags >> 16 & 255, 8)? << 16;
        }
        if W::READING {
            *self = PlayerInfo { slot: self.slot, flags, ..PlayerInfo::default() };
        }
        let on = |bit: u32| flags & bit != 0;
        for (at, name) in ["origin_x", "origin_y", "origin_z"].into_iter().enumerate() {
            self.origin[at].code(w, name, d)?;
        }
        self.frame.code(w, "frame", d)?;
        if on(flag::MSEC) {
            self.msec.code(w, "msec", d)?;
        }
        if on(flag::COMMAND) {
            self.command.code(w, d)?;
        }
        for (at, name) in ["velocity_x", "velocity_y", "velocity_z"].into_iter().enumerate() {
            if on(flag::VELOCITY << at) {
                self.velocity[at].code(w, name, d)?;
            }
        }
        if on(flag::MODEL) {
            self.model.code(w, "model", d)?;
        }
        if on(flag::SKIN) {
            self.skin.code(w, "skin", d)?;
        }
        if on(flag::EFFECTS) {
            self.effects.code(w, "effects", d)?;
        }
        if on(flag::WEAPON_FRAME) {
            self.weapon_frame.code(w, "weapon_frame", d)?;
        }
        if !extended && !d.has1(pext1::COLORMOD) {
            return Ok(());
        }
        if on(flag::SCALE) && d.has1(pext1::SCALE) {
            self.scale.code(w, "scale", d)?;
        }
        if on(flag::TRANS) && d.has1(pext1::TRANS) {
            self.alpha.code(w, "alpha", d)?;
        }
        if on(flag::FATNESS) && d.has1(pext1::FATNESS) {
            self.fatness.code(w, "fatness", d)?;
        }
        if on(flag::HULLSIZE) && d.has1(pext1::HULLSIZE) {
            self.hull.code(w, "hull", d)?;
        }
        if on(flag::COLORMOD) && d.has1(pext1::COLORMOD) {
            self.colormod.code(w, "colormod", d)?;
        }
        Ok(())
    }
}

/// A player as the server knows it, as a delta from the last time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ViewPlayer {
    /// His slot.
    pub slot: u8,
    /// What follows, and facts; see [`crate::fields::quakeworld::view_bits`].
    pub flags: u16,
    /// The values sent; see [`view_slot`].
    pub row: [u32; view_slot::COUNT],
}

impl Default for ViewPlayer {
    fn default() -> Self {
        ViewPlayer { slot: 0, flags: 0, row: [0; view_slot::COUNT] }
    }
}

impl Body for ViewPlayer {
    #[inline]
    fn code<W: Wire>(&mut self, w: &mut W, d: &Dialect) -> Result<(), W::Error> {
        self.slot.code(w, "slot", d)?;
        self.flags.code(w, "flags", d)?;
        if W::READING {
            self.row = [0; view_slot::COUNT];
        }
        d.view_player
            .code_noting(w, u64::from(self.flags) | ALWAYS, &mut self.row, |at, word| meaning(&d.view_player, d.entity_coord, d.is_netquake(), at, word))
    }
}
