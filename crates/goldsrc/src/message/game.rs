//! Bit-packed messages of a running game: events, client data, sounds, pings (`docs/formats/goldsrc.md`,
//! "Messages").

use fragreel_base::wire::Wire;

use super::delta::{self, Delta, Values};
use crate::bit_order::Section;
use crate::fields::Structure;
use crate::message::context::Context;

/// `svc_event`: things that happened, to be played by the client DLL.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Events {
    /// The events.
    pub events: Vec<QueuedEvent>,
    /// The values of all deltas.
    pub values: Values,
    /// What fills the last byte.
    pub padding: u8,
}

/// One event of the queue.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct QueuedEvent {
    /// The event's resource.
    pub index: u16,
    /// The place in the frame's entity list of the entity that did it.
    pub packet_index: Option<u16>,
    /// Its arguments; sent only with a packet index.
    pub arguments: Option<Delta>,
    /// Hundredths of a second until it fires.
    pub fire_time: Option<u16>,
}

impl Events {
    pub(crate) fn code<W: Wire>(&mut self, w: &mut W, context: &Context) -> Result<(), W::Error> {
        let mut w = Section::new(w, context.order());
        let count = w.field("count", self.events.len() as u32, 5)?;
        if W::READING {
            self.values.clear();
            self.events.clear();
            self.events.resize(count as usize, QueuedEvent::default());
        }
        for (at, event) in self.events.iter_mut().enumerate() {
            w.scope("event", Some(at as u32), |w| event.code(w, context, &mut self.values))?;
        }
        self.padding = w.finish(self.padding)?;
        Ok(())
    }
}

impl QueuedEvent {
    fn code<W: Wire>(&mut self, w: &mut W, context: &Context, values: &mut Values) -> Result<(), W::Error> {
        self.index = w.field("index", u32::from(self.index), 10)? as u16;
        self.packet_index = optional(w, "packet_index", self.packet_index, 11)?;
        if self.packet_index.is_some() {
            w.enter("arguments");
            if w.flag(self.arguments.is_some())? {
                delta::code(w, context, Structure::Event, self.arguments.get_or_insert_default(), values)?;
            }
        }
        self.fire_time = optional(w, "fire_time", self.fire_time, 16)?;
        Ok(())
    }
}

/// A flag, and a number when it is set.
#[inline]
fn optional<W: Wire>(w: &mut W, name: &'static str, value: Option<u16>, width: u32) -> Result<Option<u16>, W::Error> {
    w.enter(name);
    let value = if w.flag(value.is_some())? { Some(w.bits(u32::from(value.unwrap_or_default()), width)? as u16) } else { None };
    w.note(|| value.map_or_else(|| String::from("none"), |value| value.to_string()));
    Ok(value)
}

/// `svc_event_reliable`: one event that must not be lost.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ReliableEvent {
    /// The event's resource.
    pub index: u16,
    /// Its arguments.
    pub arguments: Delta,
    /// Their values.
    pub values: Values,
    /// Hundredths of a second until it fires.
    pub fire_time: Option<u16>,
    /// What fills the last byte.
    pub padding: u8,
}

impl ReliableEvent {
    pub(crate) fn code<W: Wire>(&mut self, w: &mut W, context: &Context) -> Result<(), W::Error> {
        let mut w = Section::new(w, context.order());
        if W::READING {
            self.values.clear();
        }
        self.index = w.field("index", u32::from(self.index), 10)? as u16;
        delta::code(&mut w, context, Structure::Event, &mut self.arguments, &mut self.values)?;
        self.fire_time = optional(&mut w, "fire_time", self.fire_time, 16)?;
        self.padding = w.finish(self.padding)?;
        Ok(())
    }
}

/// `svc_clientdata`: the recording player's own state and weapons. Without a body from HLTV proxies.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ClientDataMessage {
    /// What else it says; absent from HLTV proxies.
    pub body: Option<ClientDataBody>,
}

/// What `svc_clientdata` says.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ClientDataBody {
    /// The low byte of the sequence number of the frame that it is a delta against; zeroes when absent.
    pub delta_sequence: Option<u8>,
    /// The player's row.
    pub client: Delta,
    /// Weapons that changed.
    pub weapons: Vec<WeaponUpdate>,
    /// The values of all deltas.
    pub values: Values,
    /// What fills the last byte.
    pub padding: u8,
}

/// One weapon of `svc_clientdata`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct WeaponUpdate {
    /// The weapon.
    pub index: u8,
    /// Its change.
    pub delta: Delta,
}

impl ClientDataMessage {
    pub(crate) fn code<W: Wire>(&mut self, w: &mut W, context: &Context) -> Result<(), W::Error> {
        if context.hltv {
            self.body = None;
            return Ok(());
        }
        self.body.get_or_insert_default().code(w, context)
    }
}

impl ClientDataBody {
    fn code<W: Wire>(&mut self, w: &mut W, context: &Context) -> Result<(), W::Error> {
        let mut w = Section::new(w, context.order());
        if W::READING {
            self.values.clear();
            self.weapons.clear();
        }
        self.delta_sequence = optional(&mut w, "delta_sequence", self.delta_sequence.map(u16::from), 8)?.map(|byte| byte as u8);
        w.scope("client", None, |w| delta::code(w, context, Structure::ClientData, &mut self.client, &mut self.values))?;
        let mut at = 0;
        loop {
            let wanted = self.weapons.get(at).copied();
            w.enter("another weapon");
            if !w.flag(wanted.is_some())? {
                break;
            }
            let mut weapon = wanted.unwrap_or_default();
            weapon.index = w.field("weapon", u32::from(weapon.index), context.rules.weapon_bits)? as u8;
            w.scope("weapon", Some(u32::from(weapon.index)), |w| delta::code(w, context, Structure::WeaponData, &mut weapon.delta, &mut self.values))?;
            if W::READING {
                self.weapons.push(weapon);
            }
            at += 1;
        }
        self.padding = w.finish(self.padding)?;
        Ok(())
    }
}

/// `svc_sound`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Sound {
    /// Nine bits; the lowest four say what is sent.
    pub flags: u16,
    /// 255 is full.
    pub volume: Option<u8>,
    /// 64ths.
    pub attenuation: Option<u8>,
    /// The channel.
    pub channel: u8,
    /// Who makes it.
    pub entity: u16,
    /// The sound's resource.
    pub sound: u16,
    /// Where.
    pub origin: [Option<BitCoord>; 3],
    /// 100 is normal.
    pub pitch: Option<u8>,
    /// What fills the last byte.
    pub padding: u8,
}

const SND_VOLUME: u16 = 1 << 0;
const SND_ATTENUATION: u16 = 1 << 1;
const SND_PITCH: u16 = 1 << 3;

impl Sound {
    /// The flag that says that the sound's number has sixteen bits.
    pub(crate) const LARGE_INDEX: u16 = 1 << 2;
    /// The flag of a sentence: the number is that of the sentence.
    pub(crate) const SENTENCE: u16 = 1 << 4;
    /// How many of the lowest flags say what is sent.
    pub(crate) const ANNOUNCING: u32 = 4;

    /// The flags that say what is sent.
    pub(crate) fn announced(&self, large_index: bool) -> u16 {
        let flag = |there: bool, flag: u16| if there { flag } else { 0 };
        flag(self.volume.is_some(), SND_VOLUME)
            | flag(self.attenuation.is_some(), SND_ATTENUATION)
            | flag(self.pitch.is_some(), SND_PITCH)
            | flag(large_index, Self::LARGE_INDEX)
    }

    pub(crate) fn code<W: Wire>(&mut self, w: &mut W, context: &Context) -> Result<(), W::Error> {
        let mut w = Section::new(w, context.order());
        self.flags = w.field("flags", u32::from(self.flags), 9)? as u16;
        let flags = self.flags;
        let byte = |w: &mut Section<W>, flag: u16, name: &'static str, value: Option<u8>| {
            if flags & flag == 0 {
                return Ok::<_, W::Error>(None);
            }
            Ok(Some(w.field(name, u32::from(value.unwrap_or_default()), 8)? as u8))
        };
        self.volume = byte(&mut w, SND_VOLUME, "volume", self.volume)?;
        self.attenuation = byte(&mut w, SND_ATTENUATION, "attenuation", self.attenuation)?;
        self.channel = w.field("channel", u32::from(self.channel), 3)? as u8;
        self.entity = w.field("entity", u32::from(self.entity), 11)? as u16;
        self.sound = w.field("sound", u32::from(self.sound), if flags & Self::LARGE_INDEX != 0 { 16 } else { 8 })? as u16;
        w.enter("origin");
        for axis in &mut self.origin {
            let sent = w.flag(axis.is_some())?;
            *axis = sent.then(|| axis.unwrap_or_default());
        }
        for axis in self.origin.iter_mut().flatten() {
            axis.code(&mut w)?;
        }
        w.note(|| self.origin.map(|axis| axis.unwrap_or_default().units().to_string()).join(", "));
        self.pitch = byte(&mut w, SND_PITCH, "pitch", self.pitch)?;
        self.padding = w.finish(self.padding)?;
        Ok(())
    }
}

/// A coordinate in bits: whole units and eighths, each only when not zero, and a sign when either is there.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct BitCoord {
    /// Whole units.
    pub whole: Option<u16>,
    /// Eighths.
    pub fraction: Option<u8>,
    /// Below zero.
    pub negative: bool,
}

impl BitCoord {
    /// The greatest number of eighths.
    pub(crate) const MOST: i64 = 4095 * 8 + 7;

    /// In eighths of a unit.
    pub(crate) fn eighths(self) -> i32 {
        let size = i32::from(self.whole.unwrap_or_default()) * 8 + i32::from(self.fraction.unwrap_or_default());
        if self.negative { -size } else { size }
    }

    /// As engines send this number of eighths.
    pub(crate) fn of(eighths: i32) -> Self {
        let size = eighths.unsigned_abs();
        let (whole, fraction) = ((size / 8) as u16, (size % 8) as u8);
        BitCoord { whole: (whole != 0).then_some(whole), fraction: (fraction != 0).then_some(fraction), negative: eighths < 0 }
    }

    /// In units.
    pub fn units(self) -> f32 {
        let size = f32::from(self.whole.unwrap_or_default()) + f32::from(self.fraction.unwrap_or_default()) / 8.0;
        if self.negative { -size } else { size }
    }

    fn code<W: Wire>(&mut self, w: &mut W) -> Result<(), W::Error> {
        if W::READING {
            *self = BitCoord::default();
        }
        let (whole, fraction) = (w.flag(self.whole.is_some())?, w.flag(self.fraction.is_some())?);
        if whole || fraction {
            self.negative = w.flag(self.negative)?;
        }
        self.whole = if whole { Some(w.bits(u32::from(self.whole.unwrap_or_default()), 12)? as u16) } else { None };
        self.fraction = if fraction { Some(w.bits(u32::from(self.fraction.unwrap_or_default()), 3)? as u8) } else { None };
        Ok(())
    }
}

/// `svc_pings`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Pings {
    /// One per player.
    pub pings: Vec<Ping>,
    /// What fills the last byte.
    pub padding: u8,
}

/// A player's connection.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Ping {
    /// The player's slot, from 0.
    pub slot: u8,
    /// Milliseconds there and back.
    pub ping: u16,
    /// Per cent lost.
    pub loss: u8,
}

impl Pings {
    pub(crate) fn code<W: Wire>(&mut self, w: &mut W, context: &Context) -> Result<(), W::Error> {
        let mut w = Section::new(w, context.order());
        if W::READING {
            self.pings.clear();
        }
        let mut at = 0;
        loop {
            let wanted = self.pings.get(at).copied();
            w.enter("another ping");
            if !w.flag(wanted.is_some())? {
                break;
            }
            let mut ping = wanted.unwrap_or_default();
            ping.slot = w.field("slot", u32::from(ping.slot), 5)? as u8;
            ping.ping = w.field("ping", u32::from(ping.ping), 12)? as u16;
            ping.loss = w.field("loss", u32::from(ping.loss), 7)? as u8;
            if W::READING {
                self.pings.push(ping);
            }
            at += 1;
        }
        self.padding = w.finish(self.padding)?;
        Ok(())
    }
}
