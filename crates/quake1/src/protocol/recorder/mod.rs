//! A client that joins a QuakeWorld server as a spectator and writes what it hears into a `.qwd`. Document: *Recorder*.
//!
//! Datagrams and times in, datagrams and a recording out; the caller owns the socket, the clock and the file.
//!
//! ```
//! use quake1::protocol::recorder::{Recorder, Settings, Status};
//!
//! let mut recorder = Recorder::new(Settings::default());
//! recorder.tick(0.0);
//! assert_eq!(recorder.next_datagram().unwrap(), b"\xff\xff\xff\xffgetchallenge\n");
//! assert_eq!(*recorder.status(), Status::Connecting);
//! // … give it what comes back with `receive`, call `tick` again and again, and write `take_recording` to a file.
//! recorder.leave(1.0);
//! ```

mod follow;
mod map;
mod signon;

use std::collections::VecDeque;

pub use self::map::map_checksum;

use self::follow::Follow;
use self::signon::{Signon, Turn};
use super::handshake::Extensions;
use super::handshake::quakeworld::{Client, Step};
use super::netchan::quakeworld::{Channel, Refused, Side};
use super::{DeltaReceiver, FRAMES, Received, command};
use crate::container::{Block, Container, Framing, Stamp, Target, UserCommand, kind, write_block};
use crate::message::{Float, Message, PacketHeader};
use crate::walk::{Decoder, Item};

/// How to join.
#[derive(Debug, Clone, PartialEq)]
pub struct Settings {
    /// The name to join with.
    pub name: String,
    /// The spectators' password; `1` where there is none.
    pub spectator: String,
    /// What to ask for. [`Extensions::NONE`] makes recordings that any engine plays.
    pub extensions: Extensions,
    /// Tells connections behind one address apart: choose it at random.
    pub qport: u16,
    /// What to state as the map's checksum; servers with `sv_mapcheck 0` take any.
    pub map_checksum: u32,
    /// Whether to follow a player. Servers only send what can be seen from where a spectator is.
    pub follow: bool,
    /// Seconds between two packets; the server answers each with one.
    pub interval: f64,
    /// Seconds without a word from the server after which it counts as gone.
    pub timeout: f64,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            name: String::from("fragreel"),
            spectator: String::from("1"),
            extensions: Extensions::QUAKEWORLD,
            qport: 27001,
            map_checksum: 0,
            follow: true,
            interval: 0.02,
            timeout: 30.0,
        }
    }
}

impl Settings {
    fn user_info(&self) -> Vec<u8> {
        let clean = |text: &str| text.chars().filter(|c| !matches!(c, '\\' | '"' | ';' | '$') && !c.is_control()).collect::<String>();
        format!(
            "\\name\\{}\\spectator\\{}\\rate\\100000\\msg\\1\\noaim\\1\\topcolor\\0\\bottomcolor\\0\\*client\\fragreel\\*z_ext\\{Z_EXTENSIONS}",
            clean(&self.name),
            clean(&self.spectator)
        )
        .into_bytes()
    }
}

/// Movement types, view height, server time, pitch limits, on-ground flag and weapon models: what clients commonly have.
const Z_EXTENSIONS: u32 = 223;

/// How far it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Status {
    /// No connection yet.
    Connecting,
    /// Level, lists and baselines come in; recorded from the first packet on.
    SigningOn,
    /// In the game.
    Playing,
    /// Over, and why.
    Ended(End),
}

/// Why it is over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum End {
    /// [`Recorder::leave`] was called.
    Left,
    /// The server closed the connection.
    Disconnected,
    /// The server does not want us.
    Refused(String),
    /// The server fell silent.
    Silent,
}

/// The state machine.
#[derive(Debug, Clone)]
pub struct Recorder {
    settings: Settings,
    status: Status,
    client: Client,
    channel: Channel,
    signon: Signon,
    decoder: Decoder,
    deltas: DeltaReceiver,
    /// Classic frames that deltas may start from: their sequence numbers by their lower six bits.
    frames: [Option<u32>; FRAMES],
    /// Newest frame of entities that could be used.
    valid: Option<u32>,
    follow: Follow,
    outbox: VecDeque<Vec<u8>>,
    recording: Vec<u8>,
    started: Option<f64>,
    heard: f64,
    due: f64,
    refused_download: bool,
    packets: u64,
    unreadable: u64,
}

impl Recorder {
    /// Not connected yet. The clock starts at 0 with the first [`tick`](Self::tick).
    pub fn new(settings: Settings) -> Self {
        Self {
            status: Status::Connecting,
            client: Client::new(settings.qport, settings.user_info(), settings.extensions),
            channel: Channel::new(Side::Client { qport: settings.qport }),
            signon: Signon::new(settings.extensions, settings.map_checksum),
            decoder: Decoder::new(Container::QuakeWorld),
            deltas: DeltaReceiver::new(crate::replacement::Flags::default()),
            frames: [None; FRAMES],
            valid: None,
            follow: Follow::new(settings.follow),
            outbox: VecDeque::new(),
            recording: Vec::new(),
            started: None,
            heard: 0.0,
            due: 0.0,
            refused_download: false,
            packets: 0,
            unreadable: 0,
            settings,
        }
    }

    /// How far it is.
    pub fn status(&self) -> &Status {
        &self.status
    }

    /// Packets recorded so far.
    pub fn packets(&self) -> u64 {
        self.packets
    }

    /// Packets that were recorded but could not be read to their end.
    pub fn unreadable(&self) -> u64 {
        self.unreadable
    }

    /// Seconds recorded so far.
    pub fn recorded_seconds(&self, now: f64) -> f64 {
        self.started.map_or(0.0, |started| now - started)
    }

    /// Entities in sight, where the server sends replacement deltas.
    pub fn deltas(&self) -> &DeltaReceiver {
        &self.deltas
    }

    /// The next datagram to be sent.
    pub fn next_datagram(&mut self) -> Option<Vec<u8>> {
        self.outbox.pop_front()
    }

    /// Moves what was recorded to the end of `out`. Whole blocks only, so that what is written at any time is a recording.
    pub fn take_recording(&mut self, out: &mut Vec<u8>) {
        out.append(&mut self.recording);
    }

    /// When [`tick`](Self::tick) has something to do next.
    pub fn due(&self) -> f64 {
        self.due
    }

    /// Lets time pass: repeats what went unanswered, sends what is due.
    pub fn tick(&mut self, now: f64) {
        if matches!(self.status, Status::Ended(_)) || now < self.due {
            return;
        }
        if now - self.heard > self.settings.timeout {
            self.end(now, End::Silent);
            return;
        }
        if self.status == Status::Connecting {
            self.outbox.push_back(self.client.start());
            self.due = now + 1.0;
            return;
        }
        self.transmit(now);
    }

    /// Takes a datagram that came from the server's address.
    pub fn receive(&mut self, now: f64, datagram: &[u8]) {
        match self.status {
            Status::Ended(_) => {}
            Status::Connecting => match self.client.receive(datagram) {
                Step::Send(answer) => {
                    self.heard = now;
                    self.due = now + 1.0;
                    self.outbox.push_back(answer);
                }
                Step::Connected => {
                    (self.heard, self.started) = (now, Some(now));
                    self.status = Status::SigningOn;
                    self.say(b"new");
                    self.transmit(now);
                }
                Step::Refused(reason) => self.end(now, End::Refused(reason)),
                Step::Ignored => {}
            },
            Status::SigningOn | Status::Playing => match self.channel.receive(datagram) {
                Ok(packet) => {
                    let header = PacketHeader { sequence: packet.sequence, acknowledged: packet.acknowledged };
                    self.heard = now;
                    self.packet(now, header, packet.payload);
                }
                Err(Refused::Connectionless | Refused::Short | Refused::Qport | Refused::Old | Refused::Future) => {}
            },
        }
    }

    /// Leaves the server properly and closes the recording.
    pub fn leave(&mut self, now: f64) {
        if !matches!(self.status, Status::Ended(_)) {
            self.end(now, End::Left);
        }
    }

    fn end(&mut self, now: f64, why: End) {
        if self.started.is_some() {
            if why != End::Disconnected {
                let mut drop = Vec::new();
                command::string(&mut drop, b"drop");
                // Nobody acknowledges this, so engines say it three times.
                for _ in 0..3 {
                    let mut datagram = Vec::new();
                    self.channel.transmit(&drop, &mut datagram);
                    self.outbox.push_back(datagram);
                }
            }
            self.block(now, |time| Framing::Packet { time, target: Target { kind: kind::READ, ..Target::default() } }, CLOSING);
        }
        self.status = Status::Ended(why);
    }

    fn say(&mut self, text: &[u8]) {
        let mut message = Vec::new();
        command::string(&mut message, text);
        self.channel.queue(&message);
    }

    /// Sends a packet: what is reliable, and in play the input.
    fn transmit(&mut self, now: f64) {
        let playing = self.status == Status::Playing;
        let sequence = self.channel.outgoing_sequence();
        let mut unreliable = Vec::new();
        if playing {
            let milliseconds = (self.settings.interval * 1000.0).clamp(1.0, 250.0) as u8;
            command::idle_move(&mut unreliable, milliseconds, 0, sequence);
            let input = UserCommand { msec: milliseconds, ..UserCommand::default() };
            self.block(now, |time| Framing::Command { time, command: input, angles: [Float(0); 3] }, &[]);
            if let Some(position) = self.follow.position() {
                command::teleport(&mut unreliable, self.decoder.dialect.coord, position);
            }
        }
        let valid = self.valid.filter(|&valid| sequence.saturating_sub(valid) < FRAMES as u32 - 1);
        if let Some(valid) = valid {
            unreliable.extend_from_slice(&[command::CLC_DELTA, valid as u8]);
        }
        let mut datagram = Vec::new();
        self.channel.transmit(&unreliable, &mut datagram);
        self.outbox.push_back(datagram);
        self.due = now + self.settings.interval;
    }

    fn block(&mut self, now: f64, framing: impl FnOnce(Stamp) -> Framing, data: &[u8]) {
        let time = Stamp::At(Float::from(self.recorded_seconds(now) as f32));
        write_block(&mut self.recording, Container::QuakeWorld, &framing(time), data);
    }

    /// Records a packet, then reads it.
    fn packet(&mut self, now: f64, header: PacketHeader, payload: &[u8]) {
        let data = [&header.sequence.to_le_bytes()[..], &header.acknowledged.to_le_bytes(), payload].concat();
        self.block(now, |time| Framing::Packet { time, target: Target { kind: kind::READ, ..Target::default() } }, &data);
        self.packets += 1;

        let mut heard = Heard { turn: None, closed: false, download: false, frame: None };
        let (signon, deltas, follow, frames) = (&mut self.signon, &mut self.deltas, &mut self.follow, &mut self.frames);
        let framing = Framing::Packet { time: Stamp::At(Float(0)), target: Target { kind: kind::READ, ..Target::default() } };
        let block = Block { number: 0, offset: 0, data_offset: 0, framing, data: &data };
        let read = self.decoder.decode(&block, |dialect, item, _| {
            let Item::Message(message) = item else { return };
            heard.turn = signon.hear(message).or(heard.turn);
            match message {
                Message::ServerData(data) => {
                    let mut dialect = dialect.clone();
                    dialect.adopt_server_data(data);
                    deltas.reset(dialect.layout());
                    frames.fill(None);
                }
                Message::SpawnBaseline2(baseline) => {
                    let flags = *deltas.flags();
                    deltas.entities_mut().set_baseline(&flags, baseline.entity.number, &baseline.delta);
                }
                Message::UpdateEntities(entities) => {
                    heard.frame = Some(deltas.receive(header.sequence, &entities.update) == Received::Applied);
                }
                Message::PacketEntities(_) => heard.frame = Some(true),
                Message::DeltaPacketEntities(delta) => {
                    let from = frames[usize::from(delta.from) % FRAMES].filter(|&from| from as u8 == delta.from);
                    heard.frame = Some(from.is_some_and(|from| header.sequence - from < FRAMES as u32));
                }
                Message::Disconnect(_) => heard.closed = true,
                Message::Download(_) => heard.download = true,
                _ => {}
            }
            follow.hear(message, dialect, deltas);
        });
        if read.is_err() {
            self.unreadable += 1;
            self.deltas.lose();
            heard.frame = Some(false);
        }
        self.conclude(now, header, heard);
    }

    fn conclude(&mut self, now: f64, header: PacketHeader, heard: Heard) {
        if let Some(usable) = heard.frame {
            self.valid = usable.then_some(header.sequence);
            self.frames[header.sequence as usize % FRAMES] = self.valid;
        }
        if heard.closed || heard.turn == Some(Turn::Leave) {
            self.end(now, if heard.closed { End::Disconnected } else { End::Left });
            return;
        }
        if heard.turn == Some(Turn::Level) {
            (self.valid, self.refused_download) = (None, false);
            self.follow.forget();
            self.status = Status::SigningOn;
        }
        for answer in self.signon.answers() {
            self.say(&answer);
        }
        if heard.download && !self.refused_download {
            self.refused_download = true;
            self.say(b"stopdownload");
        }
        if heard.turn == Some(Turn::Begin) {
            self.status = Status::Playing;
            let (outgoing, incoming) = (self.channel.outgoing_sequence(), self.channel.incoming_sequence());
            self.block(now, |time| Framing::Sequences { time, outgoing, incoming }, &[]);
        }
        if self.signon.is_playing()
            && let Some(command) = self.follow.command()
        {
            self.say(command.as_bytes());
        }
    }
}

/// What one packet came to.
struct Heard {
    turn: Option<Turn>,
    closed: bool,
    download: bool,
    /// Whether entities came, and could be used.
    frame: Option<bool>,
}

/// What engines end recordings with: a disconnect outside of the connection.
const CLOSING: &[u8] = b"\xff\xff\xff\xff\x02EndOfDemo\0";

#[cfg(test)]
mod tests;
