//! A packet: its netchan header where the container keeps one, then messages up to its end.

use std::borrow::Cow;

use fragreel_base::wire::{ReadBytes, Wire, WriteBytes};

use crate::dialect::Dialect;
use crate::message::disconnect::Disconnect;
use crate::message::primitive::{Rest, Value};
use crate::message::{Message, MessageKind, code};

/// The two words in front of a QuakeWorld packet.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PacketHeader {
    /// The packet's number; bit 31: it holds a reliable part. All ones: outside of any connection.
    pub sequence: u32,
    /// The number of the newest packet that came from the other side; bit 31: the reliable part, too.
    pub acknowledged: u32,
}

impl PacketHeader {
    /// What stands in the sequence's place outside of any connection.
    pub const CONNECTIONLESS: u32 = 0xffff_ffff;
    /// Its length within a connection.
    pub(crate) const BYTES: usize = 8;

    /// Whether the packet is outside of any connection. Then there is no second word.
    pub(crate) fn is_connectionless(&self) -> bool {
        self.sequence == Self::CONNECTIONLESS
    }

    /// Reads or writes it.
    #[inline]
    pub(crate) fn code<W: Wire>(&mut self, w: &mut W) -> Result<(), W::Error> {
        self.sequence = w.field("sequence", self.sequence, 32)?;
        if !self.is_connectionless() {
            self.acknowledged = w.field("acknowledged", self.acknowledged, 32)?;
        }
        Ok(())
    }
}

/// The contents of one packet.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Packet {
    /// The header, where the container keeps one.
    pub header: Option<PacketHeader>,
    /// Its messages.
    pub messages: Vec<Message>,
    /// Undecoded bytes: packets outside of any connection, and messages of unsupported dialects.
    pub rest: Rest,
}

/// Reads or writes a packet, and follows changes of the dialect. `header` says whether the container keeps a header.
pub fn code_packet<W: Wire>(w: &mut W, d: &mut Cow<'_, Dialect>, packet: &mut Packet, header: bool) -> Result<(), W::Error> {
    if header {
        let mut words = packet.header.unwrap_or_default();
        words.code(w)?;
        packet.header = Some(words);
        if words.is_connectionless() {
            return code_connectionless(w, d, packet);
        }
    }
    if W::READING {
        packet.messages.clear();
        packet.rest.0.clear();
        while w.more(false) {
            if !d.supported() {
                return packet.rest.code(w, "messages", d);
            }
            let mut message = MessageKind::Nop.empty();
            code(w, d, &mut message)?;
            learn(d, &message);
            packet.messages.push(message);
        }
        return Ok(());
    }
    for message in &mut packet.messages {
        code(w, d, message)?;
        learn(d, message);
    }
    packet.rest.code(w, "messages", d)
}

/// Few messages change the dialect, so most packets need no copy of it.
fn learn(d: &mut Cow<'_, Dialect>, message: &Message) {
    if message.changes_dialect() {
        message.apply_to_dialect(d.to_mut());
    }
}

/// Outside of any connection only the end of a recording is a message: QuakeWorld clients write it this way.
fn code_connectionless<W: Wire>(w: &mut W, d: &Dialect, packet: &mut Packet) -> Result<(), W::Error> {
    if let (false, Some(message)) = (W::READING, packet.messages.first_mut()) {
        return code(w, d, message);
    }
    packet.rest.code(w, "connectionless", d)?;
    if W::READING {
        packet.messages.clear();
        if let Some(message) = end_of_recording(&packet.rest.0) {
            packet.messages.push(message);
            packet.rest.0.clear();
        }
    }
    Ok(())
}

/// The message that ends a recording of QuakeWorld, when these bytes outside of any connection are one.
pub(crate) fn end_of_recording(data: &[u8]) -> Option<Message> {
    match data.split_first() {
        Some((&DISCONNECT, text)) => Some(Message::Disconnect(Disconnect { text: Rest(text.to_vec()) })),
        _ => None,
    }
}

/// `svc_disconnect`.
const DISCONNECT: u8 = 2;

/// True if a message brings a new view of the world.
pub fn is_frame(message: &Message) -> bool {
    matches!(message, Message::NqTime(_) | Message::PacketEntities(_) | Message::DeltaPacketEntities(_) | Message::UpdateEntities(_))
}

/// The encoded size of a message in bytes.
pub fn encoded_length(d: &Dialect, message: &mut Message) -> usize {
    let mut w = WriteBytes::default();
    let Ok(()) = code(&mut w, d, message);
    w.written().len()
}

impl Packet {
    /// Reads a packet.
    pub fn read(bytes: &[u8], d: &mut Dialect, header: bool) -> Result<Self, fragreel_base::wire::Error> {
        let mut packet = Packet::default();
        packet.code(&mut ReadBytes::new(bytes), d, header)?;
        Ok(packet)
    }

    /// The packet's bytes.
    pub fn write(&mut self, d: &mut Dialect) -> Vec<u8> {
        let mut w = WriteBytes::default();
        let header = self.header.is_some();
        let Ok(()) = self.code(&mut w, d, header);
        w.finish()
    }

    /// Like [`code_packet`]. Changes of the dialect are in `d` afterwards, even after an error.
    pub fn code<W: Wire>(&mut self, w: &mut W, d: &mut Dialect, header: bool) -> Result<(), W::Error> {
        let mut dialect = Cow::Borrowed(&*d);
        let coded = code_packet(w, &mut dialect, self, header);
        if let Cow::Owned(learned) = dialect {
            *d = learned;
        }
        coded
    }
}
