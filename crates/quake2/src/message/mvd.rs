//! The messages of MVD2 recordings. Implements *MVD2* of `docs/formats/quake2.md`.

use std::ops::Range;

use fragreel_base::wire::{Error, ReadBytes, Wire};

use super::reader::Failure;
use super::skim::Skimmer;
use super::{ConfigString, ConfigStrings, Context, PacketEntities, PlayerDelta, Print, Sound, Text};
use crate::dialect::{Announced, Dialect, RecordingKind};
use crate::fields::player::{PPS_MOREBITS, PPS_REMOVE, PPS_STATS};

/// The number of `serverdata`.
const SERVER_DATA: u8 = 4;
/// The number after which no player follows.
const NO_PLAYER: u8 = 255;

/// A message of an MVD2.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MvdMessage {
    /// The top three bits of the message's number.
    pub extra: u8,
    /// What it says.
    pub body: MvdBody,
}

/// What a message of an MVD2 says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MvdBody {
    /// Nothing (1), or one of the reserved numbers 2 and 3.
    Bare(u8),
    /// A level begins.
    ServerData(Box<MvdServerData>),
    /// One configstring.
    ConfigString(ConfigString),
    /// A tenth of a second.
    Frame(Box<MvdFrame>),
    /// Ordinary messages for some clients.
    Parcel(Parcel),
    /// A sound at an entity.
    Sound(Sound),
    /// A line for everybody.
    Print(Print),
    /// Reserved.
    StuffText(Text),
}

/// How a level begins.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MvdServerData {
    /// 37.
    pub protocol: u32,
    /// 2009 to 2013.
    pub minor: u16,
    /// 1 no messages, 2 one point of view, 4 extended limits, 8 the second ones. Before 2012 they stand in the top bits of
    /// the message's number.
    pub flags: u16,
    /// The server's count of levels.
    pub servercount: u32,
    /// The game directory.
    pub gamedir: Text,
    /// The server's own dummy client; −1 for none.
    pub clientnum: i16,
    /// Every configstring that is not empty.
    pub strings: ConfigStrings,
    /// Everything as it stands, without a delta base.
    pub frame: MvdFrame,
}

/// Where a parcel goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Destination {
    /// One client.
    Client(u8),
    /// Everybody.
    All,
    /// Who can hear this leaf of the map.
    Hearing(u16),
    /// Who can see this leaf of the map.
    Seeing(u16),
}

/// Ordinary messages, and for whom they are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parcel {
    /// For whom.
    pub destination: Destination,
    /// Sent until it arrives.
    pub reliable: bool,
    /// The messages: read them with a [`super::Reader`] of the same context. Q2PRO stops at the first it does not know.
    pub data: Vec<u8>,
}

/// A frame.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MvdFrame {
    /// Which area portals are open.
    pub portals: Vec<u8>,
    /// The players that changed.
    pub players: Vec<MvdPlayer>,
    /// The entities that changed.
    pub entities: PacketEntities,
}

/// What a frame says of a player.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MvdPlayer {
    /// Which.
    pub number: u8,
    /// The change. Unlike elsewhere, fields may accompany a removal.
    pub delta: PlayerDelta,
}

impl MvdPlayer {
    /// Whether the player goes away.
    pub fn removes(&self, dialect: &Dialect) -> bool {
        self.delta.mask & if dialect.player_more == 0 { PPS_MOREBITS } else { PPS_REMOVE } != 0
    }
}

impl MvdFrame {
    fn code<W: Wire>(&mut self, w: &mut W, cx: &mut Context) -> Result<(), W::Error> {
        let count = w.field("portals_count", self.portals.len() as u32, 8)? as usize;
        w.enter("portals");
        w.octets(&mut self.portals, count)?;
        if W::READING {
            self.players.clear();
        }
        let mut at = 0;
        loop {
            let number = w.field("player", self.players.get(at).map_or(NO_PLAYER, |player| player.number).into(), 8)? as u8;
            if number == NO_PLAYER {
                break;
            }
            if W::READING {
                self.players.push(MvdPlayer { number, ..MvdPlayer::default() });
            }
            let player = &mut self.players[at];
            w.scope("player", Some(number.into()), |w| player.delta.code_mvd(w, cx))?;
            at += 1;
        }
        w.scope("packetentities", None, |w| self.entities.code(w, cx, true))
    }
}

impl PlayerDelta {
    fn code_mvd<W: Wire>(&mut self, w: &mut W, cx: &mut Context) -> Result<(), W::Error> {
        w.enter("mask");
        let low = u64::from(w.bits(self.mask as u32 & 0xffff, 16)?);
        let more = cx.dialect.player_more != 0 && low & PPS_MOREBITS != 0;
        self.mask = if more { low | u64::from(w.bits((self.mask >> 16) as u32 & 0xff, 8)?) << 16 } else { low };
        self.code_fields(w, cx, self.mask & PPS_STATS != 0)
    }
}

impl MvdServerData {
    /// The dialect that it announces.
    pub fn dialect(&self) -> Option<Dialect> {
        Dialect::of(self.protocol, RecordingKind::NETWORK, Announced { minor: self.minor.into(), flags: self.flags.into(), rate: 0 })
    }

    /// Whether engines know the protocol and the version.
    pub(crate) fn is_known(&self) -> bool {
        self.protocol == 37 && (2009..=2013).contains(&self.minor)
    }

    fn code<W: Wire>(&mut self, w: &mut W, cx: &mut Context, extra: u8) -> Result<(), W::Error> {
        self.protocol = w.field("protocol", self.protocol, 32)?;
        self.minor = w.field("minor", self.minor.into(), 16)? as u16;
        w.expect(self.is_known(), "an MVD2 of another protocol than 37, or of a version that no engine knows")?;
        self.flags = if Dialect::mvd_flags_word(self.minor.into()) { w.field("flags", self.flags.into(), 16)? as u16 } else { extra.into() };
        self.servercount = w.field("servercount", self.servercount, 32)?;
        self.gamedir.code(w, "gamedir")?;
        self.clientnum = w.signed("clientnum", self.clientnum.into(), 16)? as i16;
        if let Some(dialect) = self.dialect() {
            *cx = Context::new(dialect);
        }
        self.strings.code(w, cx)?;
        w.scope("frame", None, |w| self.frame.code(w, cx))
    }
}

impl Parcel {
    fn code<W: Wire>(&mut self, w: &mut W, high: u8) -> Result<(), W::Error> {
        let length = self.code_head(w, high)?;
        w.enter("data");
        w.octets(&mut self.data, length)
    }

    /// What comes before the data. Returns their length.
    fn code_head<W: Wire>(&mut self, w: &mut W, high: u8) -> Result<usize, W::Error> {
        let length = w.field("length", self.data.len() as u32 & 0xff, 8)? as usize | usize::from(high) << 8;
        match &mut self.destination {
            Destination::Client(client) => *client = w.field("client", (*client).into(), 8)? as u8,
            Destination::All => {}
            Destination::Hearing(leaf) | Destination::Seeing(leaf) => *leaf = w.field("leaf", (*leaf).into(), 16)? as u16,
        }
        Ok(length)
    }
}

fn code_sound<W: Wire>(sound: &mut Sound, w: &mut W, cx: &Context) -> Result<(), W::Error> {
    sound.flags = w.field("flags", sound.flags.into(), 8)? as u8;
    let has = |flag: u8| sound.flags & flag != 0;
    let wide = cx.dialect.extended && has(Sound::INDEX16);
    let (volume, attenuation, offset) = (has(Sound::VOLUME), has(Sound::ATTENUATION), has(Sound::OFFSET));
    sound.index = w.field("index", sound.index.into(), if wide { 16 } else { 8 })? as u16;
    sound.volume = if volume { w.field("volume", sound.volume.into(), 8)? as u8 } else { 255 };
    sound.attenuation = if attenuation { w.field("attenuation", sound.attenuation.into(), 8)? as u8 } else { 64 };
    sound.offset = if offset { w.field("offset", sound.offset.into(), 8)? as u8 } else { 0 };
    sound.entity_channel = w.field("entity_channel", sound.entity_channel, 16)?;
    sound.position = [0; 3];
    Ok(())
}

impl MvdBody {
    /// Its number.
    pub fn number(&self) -> u8 {
        match self {
            MvdBody::Bare(number) => *number,
            MvdBody::ServerData(_) => 4,
            MvdBody::ConfigString(_) => 5,
            MvdBody::Frame(_) => 6,
            MvdBody::Parcel(parcel) => {
                let reliable = u8::from(parcel.reliable);
                match parcel.destination {
                    Destination::Client(_) => 8 + reliable,
                    Destination::All => 10 + 3 * reliable,
                    Destination::Hearing(_) => 11 + 3 * reliable,
                    Destination::Seeing(_) => 12 + 3 * reliable,
                }
            }
            MvdBody::Sound(_) => 16,
            MvdBody::Print(_) => 17,
            MvdBody::StuffText(_) => 18,
        }
    }

    /// The names of all, each at its number.
    pub(crate) const NAMES: [&'static str; 19] = [
        "bad",
        "nop",
        "disconnect",
        "reconnect",
        "serverdata",
        "configstring",
        "frame",
        "frame_nodelta",
        "unicast",
        "unicast_r",
        "multicast_all",
        "multicast_phs",
        "multicast_pvs",
        "multicast_all_r",
        "multicast_phs_r",
        "multicast_pvs_r",
        "sound",
        "print",
        "stufftext",
    ];

    /// Its name in the format document.
    pub fn name(&self) -> &'static str {
        Self::NAMES[usize::from(self.number())]
    }

    /// An empty body of this number.
    pub(crate) fn empty(number: u8) -> Option<MvdBody> {
        let parcel = |destination, reliable| MvdBody::Parcel(Parcel { destination, reliable, data: Vec::new() });
        Some(match number {
            1..=3 => MvdBody::Bare(number),
            4 => MvdBody::ServerData(Box::default()),
            5 => MvdBody::ConfigString(ConfigString::default()),
            6 => MvdBody::Frame(Box::default()),
            8 | 9 => parcel(Destination::Client(0), number == 9),
            10 | 13 => parcel(Destination::All, number == 13),
            11 | 14 => parcel(Destination::Hearing(0), number == 14),
            12 | 15 => parcel(Destination::Seeing(0), number == 15),
            16 => MvdBody::Sound(Sound::default()),
            17 => MvdBody::Print(Print::default()),
            18 => MvdBody::StuffText(Text::default()),
            _ => return None,
        })
    }

    fn code<W: Wire>(&mut self, w: &mut W, cx: &mut Context, extra: u8) -> Result<(), W::Error> {
        match self {
            MvdBody::Bare(_) => Ok(()),
            MvdBody::ServerData(data) => data.code(w, cx, extra),
            MvdBody::ConfigString(string) => string.code(w),
            MvdBody::Frame(frame) => frame.code(w, cx),
            MvdBody::Parcel(parcel) => parcel.code(w, extra),
            MvdBody::Sound(sound) => code_sound(sound, w, cx),
            MvdBody::Print(print) => print.code(w),
            MvdBody::StuffText(text) => text.code(w, "text"),
        }
    }
}

impl MvdMessage {
    /// Writes the message, number and all. The context moves on as it does when reading.
    pub fn write<W: Wire>(&mut self, w: &mut W, cx: &mut Context) -> Result<(), W::Error> {
        match &self.body {
            MvdBody::Parcel(parcel) => self.extra = (parcel.data.len() >> 8) as u8,
            MvdBody::ServerData(data) if !Dialect::mvd_flags_word(data.minor.into()) => self.extra = data.flags as u8,
            _ => {}
        }
        w.field("number", u32::from(self.body.number() | self.extra << 5), 8)?;
        let extra = self.extra;
        w.scope(self.body.name(), None, |w| self.body.code(w, cx, extra))
    }

    /// Reads the message's number and then the message.
    pub(crate) fn read<R: Wire<Error = Error>>(&mut self, r: &mut R, cx: &mut Context) -> Result<(), Error> {
        let (number, extra) = Self::head(r)?;
        self.read_body(r, cx, number, extra)
    }

    fn head<R: Wire<Error = Error>>(r: &mut R) -> Result<(u8, u8), Error> {
        let byte = r.field("number", 0, 8)? as u8;
        Ok((byte & 31, byte >> 5))
    }

    fn become_number<R: Wire<Error = Error>>(&mut self, r: &R, number: u8) -> Result<(), Error> {
        if self.body.number() != number {
            let Some(body) = MvdBody::empty(number) else {
                return Err(Error::malformed(format!("message number {number} does not exist in an MVD2")).at_bit(r.position() - 8));
            };
            self.body = body;
        }
        Ok(())
    }

    fn read_body<R: Wire<Error = Error>>(&mut self, r: &mut R, cx: &mut Context, number: u8, extra: u8) -> Result<(), Error> {
        self.become_number(r, number)?;
        self.extra = extra;
        let name = self.body.name();
        r.scope(name, None, |r| self.body.code(r, cx, extra))
    }
}

/// Reads the records of an MVD2, reusing one tree per kind.
#[derive(Debug, Clone)]
pub struct MvdReader {
    /// What the messages so far announced.
    pub context: Context,
    slots: Vec<MvdMessage>,
    skimmer: Skimmer,
    skim: bool,
}

impl MvdReader {
    /// A reader at the start of a recording.
    pub fn new(dialect: Dialect) -> Self {
        let slots = (0..32).map(|_| MvdMessage { extra: 0, body: MvdBody::Bare(1) }).collect();
        MvdReader { context: Context::new(dialect), slots, skimmer: Skimmer::default(), skim: false }
    }

    /// Passes over frames where the dialect allows it cheaply; they are then delivered empty.
    #[must_use]
    pub fn skimming(mut self, skim: bool) -> Self {
        self.skim = skim;
        self
    }

    /// A copy of the context.
    pub(crate) fn clone_context(&self) -> Context {
        self.context.clone()
    }

    /// Reads messages through any wire that reads, until it has no more. So packers are driven. `parcel` reads the data of parcels, whose
    /// length it gets.
    pub fn read_through<R: Wire<Error = Error>>(
        &mut self,
        r: &mut R,
        mut parcel: impl FnMut(&mut R, &Parcel, Dialect, usize) -> Result<(), Error>,
    ) -> Result<(), Error> {
        while r.more(false) {
            let (number, extra) = MvdMessage::head(r)?;
            let message = &mut self.slots[usize::from(number)];
            message.become_number(r, number)?;
            if let MvdBody::Parcel(head) = &mut message.body {
                let length = r.scope("parcel", None, |r| head.code_head(r, extra))?;
                parcel(r, head, self.context.dialect, length)?;
            } else {
                message.read_body(r, &mut self.context, number, extra)?;
            }
        }
        Ok(())
    }

    /// Reads a record's messages in order. `sink` gets each with the bytes it fills; its answer says whether to go on.
    pub fn record(&mut self, data: &[u8], mut sink: impl FnMut(&mut MvdMessage, Range<usize>, &Context) -> bool) -> Result<(), Failure> {
        let mut r = ReadBytes::new(data);
        while r.more(false) {
            let start = r.offset();
            let fail = |error: Error| Failure { at: start, error };
            let (number, extra) = MvdMessage::head(&mut r).map_err(fail)?;
            let message = &mut self.slots[usize::from(number)];
            if self.skim && number == 6 {
                let passed = self.skimmer.pass_mvd(&mut r, &self.context.dialect).map_err(fail)?;
                if passed {
                    if message.body.number() != number {
                        message.body = MvdBody::Frame(Box::default());
                    }
                    message.extra = extra;
                    if !sink(message, start..r.offset(), &self.context) {
                        return Ok(());
                    }
                    continue;
                }
            }
            // What a message announces counts only when all of it can be read: a copy without it is read as the copy says.
            let before = (number == SERVER_DATA).then(|| self.context.clone());
            if let Err(error) = message.read_body(&mut r, &mut self.context, number, extra) {
                if let Some(before) = before {
                    self.context.restore(&before);
                }
                return Err(fail(error));
            }
            if !sink(message, start..r.offset(), &self.context) {
                return Ok(());
            }
        }
        Ok(())
    }
}
