//! What a server states at the start of a level (`docs/formats/quake1.md`, "Server data").

use fragreel_base::wire::Wire;

use crate::dialect::{Dialect, Stream, pext1, pext2};
use crate::message::body::Body;
use crate::message::primitive::{Float, Text, Texts, Value};

/// A key and a value before the protocol number. Unknown keys are kept.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Extension {
    /// Four characters as a little-endian number.
    pub key: u32,
    /// Its value; for `vlen` the identifier of what follows.
    pub value: u32,
    /// What follows a `vlen` pair after its length.
    pub data: Vec<u8>,
}

impl Extension {
    /// FTE's first word of extensions.
    pub const FTE1: u32 = u32::from_le_bytes(*b"FTEX");
    /// FTE's second word of extensions.
    pub const FTE2: u32 = u32::from_le_bytes(*b"FTE2");
    /// ezQuake's and mvdsv's word of extensions.
    pub const MVD1: u32 = u32::from_le_bytes(*b"MVD1");
    /// A pair of any length.
    pub(crate) const VARIABLE: u32 = u32::from_le_bytes(*b"vlen");

    /// Whether a number in the protocol's place is a key: four characters, as every extension so far has chosen.
    pub(crate) fn is_key(number: u32) -> bool {
        number.to_le_bytes().iter().all(u8::is_ascii_alphanumeric)
    }
}

impl Dialect {
    /// Adopts the protocol of a QuakeWorld server.
    pub fn adopt_server_data(&mut self, data: &ServerData) {
        self.adopt(Self::masks(&data.extensions), data.protocol, 0);
    }

    /// Adopts the protocol of a NetQuake server.
    pub(crate) fn adopt_server_info(&mut self, info: &ServerInfo) {
        self.adopt(Self::masks(&info.version.extensions), info.version.protocol, info.version.flags);
    }

    /// Adopts a protocol stated without server info.
    pub(crate) fn adopt_version(&mut self, version: &Version) {
        self.adopt(Self::masks(&version.extensions), version.protocol, version.flags);
    }

    /// The three known words among extension pairs; the last of each counts.
    pub(crate) fn masks(extensions: &[Extension]) -> [u32; 3] {
        let find = |key| extensions.iter().rev().find(|pair| pair.key == key).map_or(0, |pair| pair.value);
        [find(Extension::FTE1), find(Extension::FTE2), find(Extension::MVD1)]
    }
}

/// Extension pairs and the protocol number that ends them.
fn code_version<W: Wire>(w: &mut W, pairs: &mut Vec<Extension>, protocol: &mut u32) -> Result<(), W::Error> {
    if W::READING {
        pairs.clear();
    }
    let mut at = 0;
    loop {
        let number = w.field("protocol", pairs.get(at).map_or(*protocol, |pair| pair.key), 32)?;
        if !Extension::is_key(number) {
            *protocol = number;
            w.note(|| number.to_string());
            return Ok(());
        }
        w.note(|| String::from_utf8_lossy(&number.to_le_bytes()).into_owned());
        if W::READING {
            w.expect(at < 64, "a server states more than 64 extensions")?;
            pairs.push(Extension { key: number, ..Extension::default() });
        }
        let pair = &mut pairs[at];
        pair.value = w.field("extension", pair.value, 32)?;
        let value = pair.value;
        w.note(|| format!("{value:#x}"));
        if number == Extension::VARIABLE {
            let length = w.field("length", pair.data.len() as u32, 32)?;
            w.octets(&mut pair.data, length as usize)?;
        }
        at += 1;
    }
}

/// QuakeWorld's constants of movement.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MoveVars {
    /// Gravity.
    pub gravity: Float,
    /// Below this speed friction brings to a stop.
    pub stop_speed: Float,
    /// Greatest speed.
    pub max_speed: Float,
    /// Greatest speed of spectators.
    pub spectator_max_speed: Float,
    /// Acceleration on the ground.
    pub accelerate: Float,
    /// In the air.
    pub air_accelerate: Float,
    /// In water.
    pub water_accelerate: Float,
    /// Friction on the ground.
    pub friction: Float,
    /// In water.
    pub water_friction: Float,
    /// The player's factor of gravity.
    pub entity_gravity: Float,
}

impl MoveVars {
    pub(crate) fn fields(&mut self) -> [(&'static str, &mut Float); 10] {
        [
            ("gravity", &mut self.gravity),
            ("stop_speed", &mut self.stop_speed),
            ("max_speed", &mut self.max_speed),
            ("spectator_max_speed", &mut self.spectator_max_speed),
            ("accelerate", &mut self.accelerate),
            ("air_accelerate", &mut self.air_accelerate),
            ("water_accelerate", &mut self.water_accelerate),
            ("friction", &mut self.friction),
            ("water_friction", &mut self.water_friction),
            ("entity_gravity", &mut self.entity_gravity),
        ]
    }
}

/// QuakeWorld's server data.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ServerData {
    /// Extension pairs in the order stated.
    pub extensions: Vec<Extension>,
    /// The protocol number.
    pub protocol: u32,
    /// A number that is new with every level.
    pub server_count: i32,
    /// The game directory.
    pub gamedir: Text,
    /// How many players there may be (`MAXPLAYERS`).
    pub slots: u8,
    /// How many seats, bit 7 for a spectator (`MAXPLAYERS`).
    pub seats: u8,
    /// The client's slots, one per seat; bit 7 for a spectator.
    pub players: Vec<u8>,
    /// The server's time (multi-view).
    pub time: Float,
    /// The level's title.
    pub level: Text,
    /// Constants of movement (from protocol 25 on).
    pub move_vars: MoveVars,
}

impl ServerData {
    /// Closes a list of seats.
    pub(crate) const END_OF_SEATS: u8 = 128;
}

impl Body for ServerData {
    fn code<W: Wire>(&mut self, w: &mut W, d: &Dialect) -> Result<(), W::Error> {
        if W::READING {
            // what this protocol leaves out must not be what an earlier one said
            *self = ServerData::default();
        }
        code_version(w, &mut self.extensions, &mut self.protocol)?;
        w.expect(Dialect::is_quakeworld_protocol(self.protocol), "no protocol of QuakeWorld")?;
        let [has1, has2, _] = Dialect::masks(&self.extensions);
        let max_players = has2 & pext2::MAXPLAYERS != 0;
        self.server_count.code(w, "server_count", d)?;
        self.gamedir.code(w, "gamedir", d)?;
        if max_players {
            self.slots.code(w, "slots", d)?;
        }
        if d.numbers.stream == Stream::MultiView {
            self.time.code(w, "time", d)?;
        } else if max_players {
            self.seats.code(w, "seats", d)?;
            let count = if has2 & pext2::VRINPUTS != 0 { self.seats } else { self.seats & 127 };
            if W::READING {
                self.players.resize(usize::from(count), 0);
            }
            for player in &mut self.players {
                player.code(w, "player", d)?;
            }
        } else {
            let mut at = 0;
            loop {
                let player = w.field("player", self.players.get(at).copied().unwrap_or(Self::END_OF_SEATS).into(), 8)?;
                if at > 0 && player == u32::from(Self::END_OF_SEATS) {
                    break;
                }
                if W::READING {
                    w.expect(at < 8, "too many seats")?;
                    self.players.push(player as u8);
                }
                if has1 & pext1::SPLITSCREEN == 0 {
                    break;
                }
                at += 1;
            }
        }
        self.level.code(w, "level", d)?;
        if Dialect::states_move_vars(self.protocol) {
            for (name, value) in self.move_vars.fields() {
                value.code(w, name, d)?;
            }
        }
        Ok(())
    }
}

/// A NetQuake protocol number with what belongs to it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Version {
    /// Extension pairs in the order stated.
    pub extensions: Vec<Extension>,
    /// The protocol number.
    pub protocol: u32,
    /// The flag word of protocol 999.
    pub flags: u32,
}

impl Body for Version {
    fn code<W: Wire>(&mut self, w: &mut W, d: &Dialect) -> Result<(), W::Error> {
        code_version(w, &mut self.extensions, &mut self.protocol)?;
        if Dialect::has_flag_word(self.protocol) {
            self.flags.code(w, "flags", d)?;
        } else if W::READING {
            self.flags = 0;
        }
        Ok(())
    }
}

/// NetQuake's server info.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ServerInfo {
    /// Extensions and protocol.
    pub version: Version,
    /// The game directory (`PREDINFO`).
    pub gamedir: Text,
    /// How many players there may be.
    pub max_clients: u8,
    /// 0 cooperative, 1 deathmatch.
    pub game_type: u8,
    /// The level's title.
    pub level: Text,
    /// Model files; the first is the level.
    pub models: Texts,
    /// Sound files.
    pub sounds: Texts,
}

impl Body for ServerInfo {
    fn code<W: Wire>(&mut self, w: &mut W, d: &Dialect) -> Result<(), W::Error> {
        self.version.code(w, d)?;
        w.expect(Dialect::is_netquake_protocol(self.version.protocol), "no protocol of NetQuake")?;
        if Dialect::masks(&self.version.extensions)[1] & pext2::PREDINFO != 0 {
            self.gamedir.code(w, "gamedir", d)?;
        } else if W::READING {
            self.gamedir.0.clear();
        }
        self.max_clients.code(w, "max_clients", d)?;
        self.game_type.code(w, "game_type", d)?;
        self.level.code(w, "level", d)?;
        self.models.code(w, "model", d)?;
        self.sounds.code(w, "sound", d)
    }
}

/// A part of QuakeWorld's list of models or sounds.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FileList {
    /// The number before the part's first.
    pub first: u8,
    /// The files.
    pub names: Texts,
    /// Where the next part starts; 0 after the last.
    pub next: u8,
}

impl Body for FileList {
    fn code<W: Wire>(&mut self, w: &mut W, d: &Dialect) -> Result<(), W::Error> {
        if !d.lists_have_index() {
            return self.names.code(w, "name", d);
        }
        self.first.code(w, "first", d)?;
        self.names.code(w, "name", d)?;
        self.next.code(w, "next", d)
    }
}

/// A part of a list with numbers of 16 bits.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WideFileList {
    /// The number before the part's first.
    pub first: u16,
    /// The files.
    pub names: Texts,
    /// Low 8 bits of where the next part starts; 0 after the last.
    pub next: u8,
}

impl Body for WideFileList {
    fn code<W: Wire>(&mut self, w: &mut W, d: &Dialect) -> Result<(), W::Error> {
        self.first.code(w, "first", d)?;
        self.names.code(w, "name", d)?;
        self.next.code(w, "next", d)
    }
}
