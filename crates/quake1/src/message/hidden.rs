//! Hidden blocks of multi-view recordings: messages to nobody that tools read
//! (`docs/formats/quake1.md`, "Hidden messages").

use fragreel_base::wire::Wire;

use crate::dialect::Dialect;
use crate::message::body::Body;
use crate::message::primitive::{Float, Text, Value};

/// Numbers of the blocks.
pub(crate) mod kind {
    #![allow(missing_docs, reason = "each number has the struct of its name")]
    pub(crate) const ANTILAG_POSITION: u32 = 0;
    pub(crate) const USER_COMMAND: u32 = 1;
    pub(crate) const WEAPON_CHOICE: u32 = 2;
    pub(crate) const DEMO_INFO: u32 = 3;
    pub(crate) const DAMAGE_DONE: u32 = 7;
    pub(crate) const WEAPON_CHOICE_BY_SERVER: u32 = 8;
    pub(crate) const WEAPON_INSTRUCTION: u32 = 9;
    pub(crate) const PAUSED_DURATION: u32 = 10;
    pub(crate) const START_TIMESTAMP: u32 = 11;
    /// A further number of 16 bits follows.
    pub(crate) const EXTENDED: u32 = 0xffff;
}

/// The server's position of a player when another one shot.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AntilagPosition {
    /// The player's slot; bit 7: what the client believed follows in earnest.
    pub slot: u8,
    /// The position.
    pub origin: [Float; 3],
    /// Milliseconds back.
    pub msec: u8,
    /// How the client predicted.
    pub prediction: u8,
    /// The client's position of the player.
    pub client_origin: [Float; 3],
}

/// A player's input.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HiddenCommand {
    /// The player's slot.
    pub slot: u8,
    /// How many commands before the newest it is.
    pub drop: u8,
    /// Milliseconds.
    pub msec: u8,
    /// View angles in degrees.
    pub angles: [Float; 3],
    /// Forward, side, up.
    pub movement: [i16; 3],
    /// Buttons.
    pub buttons: u8,
    /// Impulse.
    pub impulse: u8,
}

/// The contents of a block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HiddenBody {
    /// Positions used against lag.
    AntilagPosition {
        /// The shooter's slot.
        slot: u8,
        /// The client's packet.
        sequence: u32,
        /// The server's time.
        server_time: Float,
        /// The time that was aimed at.
        target_time: Float,
        /// The positions of players.
        positions: Vec<AntilagPosition>,
    },
    /// A player's input.
    UserCommand(HiddenCommand),
    /// The choice of a weapon.
    WeaponChoice {
        /// The player's slot.
        slot: u8,
        /// The player's items.
        items: u32,
        /// The player's ammunition: shells, nails, rockets, cells.
        ammo: [u8; 4],
        /// The chosen weapon.
        result: u8,
        /// The wanted weapons, best first.
        wanted: Text,
    },
    /// A part of the mod's statistics.
    DemoInfo {
        /// The part's number; 0 for the last.
        block: u16,
        /// The part.
        content: Vec<u8>,
    },
    /// Damage.
    DamageDone {
        /// Death type; bit 15: splash.
        death_type: u16,
        /// By which entity.
        attacker: u16,
        /// To which entity.
        victim: u16,
        /// How much.
        damage: i16,
    },
    /// A player's settings for the choice of weapons.
    WeaponInstruction {
        /// The player's slot.
        slot: u8,
        /// Flags.
        flags: u8,
        /// The client's packet.
        sequence: i32,
        /// The mode.
        mode: i32,
        /// Weapons, best first.
        weapons: [u8; 10],
    },
    /// How long the game has been paused, in real time.
    PausedDuration {
        /// Milliseconds.
        msec: u8,
    },
    /// When the recording began.
    StartTimestamp {
        /// Milliseconds since 1970: low and high half.
        unix_msec: [u32; 2],
    },
    /// Anything else, or of another length than known.
    Other {
        /// The contents.
        data: Vec<u8>,
    },
}

impl Default for HiddenBody {
    fn default() -> Self {
        HiddenBody::Other { data: Vec::new() }
    }
}

/// One block.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Hidden {
    /// Its length.
    pub length: u32,
    /// Its number; see [`kind`].
    pub number: u32,
    /// How many times 0xffff came before the number.
    pub extensions: u32,
    /// What it says.
    pub body: HiddenBody,
}

impl HiddenBody {
    /// The kind that a number and length announce.
    pub(crate) fn blank(number: u32, extensions: u32, length: u32) -> Self {
        match (extensions, number, length) {
            (0, kind::ANTILAG_POSITION, 14..) if (length - 14).is_multiple_of(27) => {
                HiddenBody::AntilagPosition { slot: 0, sequence: 0, server_time: Float(0), target_time: Float(0), positions: Vec::new() }
            }
            (0, kind::USER_COMMAND, 23) => HiddenBody::UserCommand(HiddenCommand::default()),
            (0, kind::WEAPON_CHOICE | kind::WEAPON_CHOICE_BY_SERVER, 11..) => {
                HiddenBody::WeaponChoice { slot: 0, items: 0, ammo: [0; 4], result: 0, wanted: Text::default() }
            }
            (0, kind::DEMO_INFO, 2..) => HiddenBody::DemoInfo { block: 0, content: Vec::new() },
            (0, kind::DAMAGE_DONE, 8) => HiddenBody::DamageDone { death_type: 0, attacker: 0, victim: 0, damage: 0 },
            (0, kind::WEAPON_INSTRUCTION, 20) => HiddenBody::WeaponInstruction { slot: 0, flags: 0, sequence: 0, mode: 0, weapons: [0; 10] },
            (0, kind::PAUSED_DURATION, 1) => HiddenBody::PausedDuration { msec: 0 },
            (0, kind::START_TIMESTAMP, 8) => HiddenBody::StartTimestamp { unix_msec: [0; 2] },
            _ => HiddenBody::Other { data: Vec::new() },
        }
    }

    fn code<W: Wire>(&mut self, w: &mut W, d: &Dialect, length: u32) -> Result<(), W::Error> {
        match self {
            HiddenBody::AntilagPosition { slot, sequence, server_time, target_time, positions } => {
                slot.code(w, "slot", d)?;
                let count = w.field("count", positions.len() as u32, 8)?;
                w.expect(length == 14 + 27 * count, "positions do not fill their block")?;
                sequence.code(w, "sequence", d)?;
                server_time.code(w, "server_time", d)?;
                target_time.code(w, "target_time", d)?;
                if W::READING {
                    positions.resize(count as usize, AntilagPosition::default());
                }
                for position in positions {
                    position.slot.code(w, "slot", d)?;
                    position.origin.code(w, "origin", d)?;
                    position.msec.code(w, "msec", d)?;
                    position.prediction.code(w, "prediction", d)?;
                    position.client_origin.code(w, "client_origin", d)?;
                }
                Ok(())
            }
            HiddenBody::UserCommand(command) => {
                command.slot.code(w, "slot", d)?;
                command.drop.code(w, "drop", d)?;
                command.msec.code(w, "msec", d)?;
                command.angles.code(w, "angles", d)?;
                command.movement.code(w, "movement", d)?;
                command.buttons.code(w, "buttons", d)?;
                command.impulse.code(w, "impulse", d)
            }
            HiddenBody::WeaponChoice { slot, items, ammo, result, wanted } => {
                let start = w.position();
                slot.code(w, "slot", d)?;
                items.code(w, "items", d)?;
                ammo.code(w, "ammo", d)?;
                result.code(w, "result", d)?;
                wanted.code(w, "wanted", d)?;
                w.expect(w.position() - start == u64::from(length) * 8, "a weapon choice does not fill its block")
            }
            HiddenBody::DemoInfo { block, content } => {
                block.code(w, "block", d)?;
                w.enter("content");
                w.octets(content, length as usize - 2)
            }
            HiddenBody::DamageDone { death_type, attacker, victim, damage } => {
                death_type.code(w, "death_type", d)?;
                attacker.code(w, "attacker", d)?;
                victim.code(w, "victim", d)?;
                damage.code(w, "damage", d)
            }
            HiddenBody::WeaponInstruction { slot, flags, sequence, mode, weapons } => {
                slot.code(w, "slot", d)?;
                flags.code(w, "flags", d)?;
                sequence.code(w, "sequence", d)?;
                mode.code(w, "mode", d)?;
                weapons.code(w, "weapons", d)
            }
            HiddenBody::PausedDuration { msec } => msec.code(w, "msec", d),
            HiddenBody::StartTimestamp { unix_msec } => unix_msec.code(w, "unix_msec", d),
            HiddenBody::Other { data } => {
                w.enter("data");
                w.octets(data, length as usize)
            }
        }
    }
}

impl Body for Hidden {
    fn code<W: Wire>(&mut self, w: &mut W, d: &Dialect) -> Result<(), W::Error> {
        self.length.code(w, "length", d)?;
        let mut extensions = 0;
        loop {
            let sent = if extensions < self.extensions { kind::EXTENDED } else { self.number };
            let number = w.field("number", sent, 16)?;
            if number != kind::EXTENDED {
                self.number = number;
                break;
            }
            extensions += 1;
        }
        self.extensions = extensions;
        if W::READING {
            self.body = HiddenBody::blank(self.number, extensions, self.length);
        }
        let (body, length) = (&mut self.body, self.length);
        body.code(w, d, length)
    }
}

/// Hidden blocks up to the end of their message.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HiddenBlocks {
    /// The blocks.
    pub blocks: Vec<Hidden>,
    /// A number and a byte without a length, as mvdsv sends to say how long a pause has lasted.
    pub bare: Option<(u16, u8)>,
}

impl HiddenBlocks {
    const BARE_LENGTH: usize = 3;

    /// Prepares for reading a message of this length, which alone shows the bare form.
    pub(crate) fn expect_length(&mut self, length: usize) {
        self.bare = (length == Self::BARE_LENGTH).then_some((0, 0));
    }
}

impl Body for HiddenBlocks {
    fn code<W: Wire>(&mut self, w: &mut W, d: &Dialect) -> Result<(), W::Error> {
        if let Some((number, msec)) = &mut self.bare {
            number.code(w, "number", d)?;
            return msec.code(w, "msec", d);
        }
        if W::READING {
            self.blocks.clear();

            while w.more(false) {
                let mut block = Hidden::default();
                w.scope("hidden", None, |w| block.code(w, d))?;
                self.blocks.push(block);
            }
            return Ok(());
        }
        self.blocks.iter_mut().try_for_each(|block| block.code(w, d))
    }
}
