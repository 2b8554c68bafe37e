//! Messages whose shape depends on what they say, mostly sent before the game (`docs/formats/goldsrc.md`, "Messages").

use fragreel_base::wire::Wire;

use crate::dialect::Vac;
use crate::message::context::Context;
use crate::scalars::{Plain, Str, digest, plain};

/// `svc_serverinfo`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ServerInfo {
    /// The network protocol.
    pub protocol: i32,
    /// Which spawn of the server it is.
    pub spawn_count: i32,
    /// The map's checksum, munged with the player number.
    pub munged_crc: u32,
    /// The client DLL's hash.
    pub client_dll_md5: [u8; 16],
    /// Most players.
    pub max_clients: u8,
    /// The recording player's slot, from 0.
    pub player_number: u8,
    /// Not a game for one.
    pub deathmatch: u8,
    /// The game directory.
    pub game: Str,
    /// The server's name.
    pub host_name: Option<Str>,
    /// The map's file.
    pub map: Str,
    /// What follows the map's file.
    pub tail: ServerInfoTail,
}

/// How `svc_serverinfo` ends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ServerInfoTail {
    /// The map cycle, and the security module's part where the protocol has one: a flag and what follows it.
    MapCycle {
        /// The list of maps.
        cycle: Str,
        /// The flag.
        vac: u8,
        /// The counted block's length is its first byte.
        block: Vec<u8>,
    },
    /// Network protocol 45 only: no map cycle, `svc_sendextrainfo` follows at once.
    ExtraInfo(SendExtraInfo),
}

impl Default for ServerInfoTail {
    fn default() -> Self {
        ServerInfoTail::MapCycle { cycle: Str::default(), vac: 0, block: Vec::new() }
    }
}

plain! {
    /// `svc_sendextrainfo`
    pub struct SendExtraInfo {
        fallback_dir: Str,
        cheats: u8,
    }
}

/// The id of `svc_sendextrainfo`, by which a missing map cycle is recognized.
pub(crate) const SEND_EXTRA_INFO: u32 = 54;

impl ServerInfo {
    pub(crate) fn code<W: Wire>(&mut self, w: &mut W, context: &Context) -> Result<(), W::Error> {
        let rules = &context.rules;
        self.protocol = w.signed("protocol", self.protocol, 32)?;
        self.spawn_count = w.signed("spawn_count", self.spawn_count, 32)?;
        self.munged_crc = w.field("munged_crc", self.munged_crc, 32)?;
        w.enter("client_dll_md5");
        digest(w, &mut self.client_dll_md5)?;
        self.max_clients = w.field("max_clients", u32::from(self.max_clients), 8)? as u8;
        self.player_number = w.field("player_number", u32::from(self.player_number), 8)? as u8;
        self.deathmatch = w.field("deathmatch", u32::from(self.deathmatch), 8)? as u8;
        w.enter("game");
        self.game.code(w)?;
        if rules.host_name {
            w.enter("host_name");
            self.host_name.get_or_insert_default().code(w)?;
        }
        w.enter("map");
        self.map.code(w)?;
        if rules.map_cycle_optional { self.optional_tail(w, rules.vac) } else { self.tail.map_cycle(w, rules.vac, None) }
    }

    fn optional_tail<W: Wire>(&mut self, w: &mut W, vac: Vac) -> Result<(), W::Error> {
        let first = match &self.tail {
            ServerInfoTail::ExtraInfo(_) => SEND_EXTRA_INFO,
            ServerInfoTail::MapCycle { cycle, .. } => u32::from(cycle.0.first().copied().unwrap_or(0)),
        };
        let first = w.field("map_cycle or svc_sendextrainfo", first, 8)?;
        if first != SEND_EXTRA_INFO {
            return self.tail.map_cycle(w, vac, Some(first as u8));
        }
        if W::READING {
            self.tail = ServerInfoTail::ExtraInfo(SendExtraInfo::default());
        }
        match &mut self.tail {
            ServerInfoTail::ExtraInfo(info) => info.code(w),
            ServerInfoTail::MapCycle { .. } => w.expect(false, "a map cycle cannot start with the byte 54 here"),
        }
    }
}

impl ServerInfoTail {
    /// `first` is the first byte of the map cycle when it has been coded already.
    fn map_cycle<W: Wire>(&mut self, w: &mut W, rule: Vac, first: Option<u8>) -> Result<(), W::Error> {
        if W::READING {
            *self = ServerInfoTail::default();
        }
        let ServerInfoTail::MapCycle { cycle, vac, block } = self else {
            return w.expect(false, "only network protocol 45 leaves the map cycle out");
        };
        w.enter("map_cycle");
        match first {
            None => cycle.code(w)?,
            Some(0) => {}
            Some(byte) => {
                let mut rest = Str(cycle.0.get(1..).unwrap_or_default().to_vec());
                rest.code(w)?;
                cycle.0.clear();
                cycle.0.push(byte);
                cycle.0.extend_from_slice(&rest.0);
            }
        }
        if rule == Vac::Absent {
            return Ok(());
        }
        *vac = w.field("vac", u32::from(*vac), 8)? as u8;
        if *vac == 0 {
            return Ok(());
        }
        w.enter("vac block");
        match rule {
            Vac::Absent => Ok(()),
            Vac::Fixed(length) => w.octets(block, length),
            Vac::Counted => {
                let count = w.bits(u32::from(block.first().copied().unwrap_or(0)), 8)? as u8;
                let mut rest = block.get(1..).unwrap_or_default().to_vec();
                w.octets(&mut rest, usize::from(count) + 16)?;
                block.clear();
                block.push(count);
                block.append(&mut rest);
                Ok(())
            }
        }
    }
}

/// `svc_updateuserinfo`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct UpdateUserInfo {
    /// The player's slot, from 0.
    pub slot: u8,
    /// The number that the server gave this connection.
    pub user_id: i32,
    /// Keys and values; empty when the slot is empty.
    pub info: Str,
    /// A hash of the CD key.
    pub key_hash: Option<[u8; 16]>,
}

impl UpdateUserInfo {
    pub(crate) fn code<W: Wire>(&mut self, w: &mut W, context: &Context) -> Result<(), W::Error> {
        self.slot = w.field("slot", u32::from(self.slot), 8)? as u8;
        self.user_id = w.signed("user_id", self.user_id, 32)?;
        w.enter("info");
        self.info.code(w)?;
        if context.rules.key_hash {
            w.enter("key_hash");
            digest(w, self.key_hash.get_or_insert_default())?;
        }
        Ok(())
    }
}

/// `svc_restore`: what a saved game brings along.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Restore {
    /// The saved game.
    pub save: Str,
    /// Maps that are connected.
    pub maps: Vec<Str>,
}

impl Restore {
    pub(crate) fn code<W: Wire>(&mut self, w: &mut W, _: &Context) -> Result<(), W::Error> {
        w.enter("save");
        self.save.code(w)?;
        let count = w.field("count", self.maps.len() as u32, 8)?;
        if W::READING {
            self.maps.resize_with(count as usize, Str::default);
        }
        for map in &mut self.maps {
            w.enter("map");
            map.code(w)?;
        }
        Ok(())
    }
}

/// `svc_spawnstatic`: an entity that never changes. No recorder is known to have met one.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SpawnStatic {
    /// The part that is always there.
    pub fixed: StaticEntity,
    /// How it is drawn, unless plainly.
    pub render: Option<StaticRender>,
}

plain! {
    /// The fixed part of `svc_spawnstatic`.
    pub struct StaticEntity {
        model: i16,
        sequence: u8,
        frame: u8,
        color_map: i16,
        skin: u8,
        x: crate::scalars::Coord,
        pitch: crate::scalars::ByteTurn,
        y: crate::scalars::Coord,
        yaw: crate::scalars::ByteTurn,
        z: crate::scalars::Coord,
        roll: crate::scalars::ByteTurn,
        render_mode: u8,
    }
}

plain! {
    /// Present when the render mode is not 0.
    pub struct StaticRender {
        amount: u8,
        color: [u8; 3],
        effects: u8,
    }
}

impl Eq for StaticEntity {}
impl Eq for StaticRender {}
impl Eq for SendExtraInfo {}

impl SpawnStatic {
    pub(crate) fn code<W: Wire>(&mut self, w: &mut W, _: &Context) -> Result<(), W::Error> {
        self.fixed.code(w)?;
        if self.fixed.render_mode == 0 {
            self.render = None;
            return Ok(());
        }
        self.render.get_or_insert_default().code(w)
    }
}

/// `svc_voicedata`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct VoiceData {
    /// The speaker's slot, from 0.
    pub slot: u8,
    /// Sound in the codec of `svc_voiceinit`.
    pub data: Vec<u8>,
}

impl VoiceData {
    pub(crate) fn code<W: Wire>(&mut self, w: &mut W, _: &Context) -> Result<(), W::Error> {
        self.slot = w.field("slot", u32::from(self.slot), 8)? as u8;
        let length = w.field("length", self.data.len() as u32, 16)?;
        w.enter("data");
        w.octets(&mut self.data, length as usize)
    }
}

/// `svc_voiceinit`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct VoiceInit {
    /// The codec's name.
    pub codec: Str,
    /// Its quality, from network protocol 47 on.
    pub quality: Option<u8>,
}

impl VoiceInit {
    pub(crate) fn code<W: Wire>(&mut self, w: &mut W, context: &Context) -> Result<(), W::Error> {
        w.enter("codec");
        self.codec.code(w)?;
        if context.rules.voice_quality {
            w.enter("quality");
            self.quality.get_or_insert_default().code(w)?;
        }
        Ok(())
    }
}

plain! {
    /// How many watch a broadcast, by all of its HLTV proxies.
    pub struct HltvStatus {
        proxies: u16,
        slots: i32,
        spectators: i32,
    }
}

/// `svc_hltv`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Hltv {
    /// 0 a proxy sends this, 1 status, 2 listen to an address.
    pub mode: u8,
    /// The status of mode 1.
    pub status: HltvStatus,
    /// The eight bytes of mode 2, which readers take for different things.
    pub data: Vec<u8>,
}

impl Hltv {
    /// Bytes of data in mode 2.
    pub(crate) const ADDRESS: usize = 8;

    pub(crate) fn code<W: Wire>(&mut self, w: &mut W, _: &Context) -> Result<(), W::Error> {
        let mode = w.field("mode", u32::from(self.mode), 8)? as u8;
        if W::READING {
            *self = Hltv { mode, ..Hltv::default() };
        }
        match mode {
            0 => Ok(()),
            1 => self.status.code(w),
            2 => {
                w.enter("data");
                w.octets(&mut self.data, Self::ADDRESS)
            }
            _ => w.expect(false, "HLTV has modes 0 to 2"),
        }
    }
}

/// `svc_exec`: a configuration of the game to be run.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Exec {
    /// Which: 1 is a player class's.
    pub kind: u8,
    /// The class.
    pub class: Option<u8>,
}

impl Exec {
    pub(crate) fn code<W: Wire>(&mut self, w: &mut W, _: &Context) -> Result<(), W::Error> {
        self.kind = w.field("kind", u32::from(self.kind), 8)? as u8;
        if self.kind != 1 {
            self.class = None;
            return Ok(());
        }
        w.enter("class");
        self.class.get_or_insert_default().code(w)
    }
}
