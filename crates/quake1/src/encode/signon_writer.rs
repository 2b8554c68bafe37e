//! Writes the signon of a recording that starts in the middle of a game, as engines write it
//! (`docs/formats/quake1.md`, "Openings").

use fragreel_model::Milliseconds;

use crate::container::{Container, Framing, Stamp, Target, kind};
use crate::dialect::Dialect;
use crate::message::{Float, Message, PacketHeader, SignonNum, StatLong, StuffText, Text};
use crate::state::seats::Seats;
use crate::state::{Game, stat};

use crate::encode::block_writer::BlockWriter;
use crate::encode::reencode::{EVERYBODY, view_player};
use crate::encode::signon::{SignonEntry, SignonPart, SignonState};
use crate::message::encoded_length;

/// The point at which a signon is written.
#[derive(Debug, Clone, Copy)]
pub struct SignonPoint {
    /// The demo clock, for times that are stated as "so long ago".
    pub now: Milliseconds,
    /// The server's clock.
    pub server: Milliseconds,
    /// The container's time (`.qwd`).
    pub time: Float,
    /// The view (NetQuake).
    pub angles: [Float; 3],
    /// The next packet sent and the last one received (`.qwd`).
    pub sequences: (u32, u32),
}

/// Milliseconds from the signon of a multi-view recording to its first frame. Without a delay ezQuake takes both for one frame, and
/// forgets a player's first message in it at the second.
pub const BEFORE_FIRST_FRAME: u8 = 1;
/// The size in bytes at which engines end a signon packet: half of the longest packet.
const HALF_A_PACKET: usize = 1450 / 2;
/// The size in bytes at which blocks of a NetQuake signon end. The original engine reads no more than 8,000.
const SIGNON_BLOCK: usize = 7900;

/// Writes a signon.
pub fn write(out: &mut BlockWriter, signon: &SignonState, game: &Game, at: &SignonPoint) {
    match out.container {
        Container::NetQuake => netquake(out, signon, game, at),
        _ => quakeworld(out, signon, game, at),
    }
}

/// Gathers messages into blocks.
struct Packets<'w> {
    out: &'w mut BlockWriter,
    at: &'w SignonPoint,
    /// The number of the next packet.
    sequence: u32,
    messages: Vec<Message>,
    bytes: usize,
    longest: usize,
    to: Target,
    /// The seats of the client's connection.
    seats: Seats,
}

impl<'w> Packets<'w> {
    fn new(out: &'w mut BlockWriter, at: &'w SignonPoint, longest: usize, seats: Seats) -> Self {
        Packets { out, at, sequence: 1, messages: Vec::new(), bytes: 0, longest, to: EVERYBODY, seats }
    }

    fn push(&mut self, message: Message, to: Target) {
        if self.out.container != Container::QuakeWorld {
            return self.put(message, to);
        }
        let mut directed: Vec<Message> = self.seats.directed(to, message).collect();
        let last = directed.pop();
        for choice in directed {
            self.bytes += encoded_length(&self.out.dialect, &mut choice.clone());
            self.messages.push(choice);
        }
        if let Some(message) = last {
            self.put(message, EVERYBODY);
        }
    }

    fn put(&mut self, message: Message, to: Target) {
        if self.to != to {
            self.flush();
            self.to = to;
        }
        let mut message = message;
        self.bytes += encoded_length(&self.out.dialect, &mut message);
        // changes of the dialect must apply before later messages are measured
        let closes = message.changes_dialect();
        self.messages.push(message);
        if self.bytes > self.longest && !closes {
            self.flush();
        }
    }

    fn flush(&mut self) {
        if self.messages.is_empty() {
            return;
        }
        let (framing, header) = match self.out.container {
            Container::NetQuake => (Framing::NetQuake { angles: self.at.angles }, None),
            Container::QuakeWorld => {
                let header = PacketHeader { sequence: self.sequence, acknowledged: self.sequence };
                self.sequence += 1;
                (Framing::Packet { time: Stamp::At(self.at.time), target: Target { kind: kind::READ, ..Target::default() } }, Some(header))
            }
            Container::MultiView => (Framing::Packet { time: Stamp::After(0), target: self.to }, None),
        };
        self.out.write_packet(&framing, header, &self.messages);
        self.messages.clear();
        self.bytes = 0;
    }

    fn all(&mut self, signon: &SignonState, part: SignonPart) {
        for entry in signon.part(part) {
            self.entry(entry);
        }
    }

    /// Stats as last sent, except those that clients count by themselves.
    fn stats(&mut self, signon: &SignonState, game: &Game) {
        const COUNTED: [usize; 2] = [stat::SECRETS, stat::MONSTERS];
        let is_counted = |message: &Message| match message {
            Message::StatByte(m) => COUNTED.contains(&usize::from(m.stat)),
            Message::StatLong(m) => COUNTED.contains(&usize::from(m.stat)),
            _ => false,
        };
        let to = |slot: u8| Target { kind: kind::STATS, slot, players: 0 };
        let multi_view = self.out.container == Container::MultiView;
        for entry in signon.part(SignonPart::Stats).filter(|entry| (multi_view && entry.slot.is_some()) || !is_counted(&entry.message)) {
            self.push(entry.message.clone(), entry.slot.map_or(EVERYBODY, to));
        }
        let further = game.seats.slots().iter().skip(1).map(|&slot| (to(slot), game.stats_of(slot)));
        for (to, stats) in std::iter::once((EVERYBODY, game.own_stats())).chain(further) {
            for stat in COUNTED {
                if let Some(value) = stats.map(|stats| stats[stat]).filter(|value| *value != 0) {
                    self.push(Message::StatLong(StatLong { stat: stat as u8, value }), to);
                }
            }
        }
    }

    fn entry(&mut self, entry: &SignonEntry) {
        let mut message = entry.message.clone();
        match &mut message {
            // "so long ago" is longer by now
            Message::UpdateEnterTime(m) => m.seconds = Float::from(m.seconds.value() + (self.at.now - entry.at).seconds() as f32),
            Message::ServerData(m) if self.out.container == Container::MultiView => {
                let opening = (self.at.server - Milliseconds(BEFORE_FIRST_FRAME.into())).0.max(0);
                m.time = Float::from(Milliseconds(opening).seconds() as f32);
            }
            _ => {}
        }
        let to = entry.slot.map_or(EVERYBODY, |slot| Target { kind: kind::SINGLE, slot, players: 0 });
        self.push(message, to);
    }
}

fn command(text: &str) -> Message {
    let mut text = text.as_bytes().to_vec();
    text.push(b'\n');
    Message::StuffText(StuffText { text: Text(text) })
}

/// A NetQuake client's signon: server info, static entities and baselines, then players.
fn netquake(out: &mut BlockWriter, signon: &SignonState, game: &Game, at: &SignonPoint) {
    let mut packets = Packets::new(out, at, usize::MAX, game.seats);
    packets.all(signon, SignonPart::Server);
    packets.all(signon, SignonPart::Settings);
    packets.all(signon, SignonPart::Rules);
    // the first view entity is the recording player's; the view may have moved to another player or a camera since
    let now = || signon.part(SignonPart::Lasting).find(|entry| matches!(entry.message, Message::SetView(_)));
    if let Some(view) = signon.part(SignonPart::View).next().or_else(now) {
        packets.entry(view);
    }
    packets.push(signon_num(1), EVERYBODY);
    packets.flush();
    packets.longest = SIGNON_BLOCK;
    for part in [SignonPart::Files, SignonPart::Baselines, SignonPart::Statics] {
        packets.all(signon, part);
    }
    packets.push(signon_num(2), EVERYBODY);
    packets.flush();
    for part in [SignonPart::Players, SignonPart::Lights] {
        packets.all(signon, part);
    }
    packets.stats(signon, game);
    packets.all(signon, SignonPart::Lasting);
    packets.push(signon_num(3), EVERYBODY);
    packets.flush();
}

fn signon_num(stage: u8) -> Message {
    Message::SignonNum(SignonNum { stage })
}

/// A signon as QuakeWorld clients and servers write it.
fn quakeworld(out: &mut BlockWriter, signon: &SignonState, game: &Game, at: &SignonPoint) {
    let multi_view = out.container == Container::MultiView;
    let mut packets = Packets::new(out, at, usize::MAX, game.seats);
    packets.all(signon, SignonPart::Server);
    packets.all(signon, SignonPart::Settings);
    packets.flush();
    for part in [SignonPart::Sounds, SignonPart::Models] {
        for entry in signon.part(part) {
            packets.entry(entry);
            packets.flush();
        }
    }
    packets.longest = HALF_A_PACKET;
    for part in [SignonPart::Files, SignonPart::Statics, SignonPart::Baselines] {
        packets.all(signon, part);
    }
    let count = signon.part(SignonPart::Server).find_map(|entry| match &entry.message {
        Message::ServerData(data) => Some(data.server_count),
        _ => None,
    });
    packets.push(command(&format!("cmd spawn {} 0", count.unwrap_or_default())), EVERYBODY);
    packets.flush();
    packets.all(signon, SignonPart::Players);
    packets.flush();
    if multi_view {
        for (slot, _) in game.roster.iter() {
            if let Some(body) = game.body_of(slot) {
                packets.push(view_player(slot, body, signon.view_flags(slot)), EVERYBODY);
            }
        }
        packets.flush();
        packets.longest = usize::MAX;
        packets.stats(signon, game);
        packets.flush();
        packets.longest = HALF_A_PACKET;
    }
    packets.all(signon, SignonPart::Lights);
    if !multi_view {
        packets.stats(signon, game);
    }
    packets.all(signon, SignonPart::Lasting);
    packets.push(command("skins"), EVERYBODY);
    packets.flush();
    if !multi_view {
        let (outgoing, incoming) = at.sequences;
        let framing = Framing::Sequences { time: Stamp::At(at.time), outgoing, incoming };
        crate::container::write_block(&mut out.bytes, out.container, &framing, &[]);
    }
}

/// The dialect after a signon of this state.
pub(crate) fn dialect(signon: &SignonState, container: Container) -> Dialect {
    let mut dialect = Dialect::new(container.stream());
    for entry in signon.part(SignonPart::Server).chain(signon.part(SignonPart::Rules)) {
        entry.message.apply_to_dialect(&mut dialect);
    }
    dialect
}
