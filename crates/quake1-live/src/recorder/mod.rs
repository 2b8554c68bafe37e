//! A client that joins a QuakeWorld server as a spectator and records a `.qwd`. Document: *Recorder*.
//!
//! Datagrams and times in, datagrams and a recording out; the caller owns the socket, the clock and the file.
//!
//! ```
//! use fragreel_quake1_live::recorder::{Recorder, Settings, Status};
//!
//! let mut recorder = Recorder::new(Settings::default());
//! recorder.tick(0.0);
//! assert_eq!(recorder.next_datagram().unwrap(), b"\xff\xff\xff\xffgetchallenge\n");
//! assert_eq!(*recorder.status(), Status::Connecting);
//! // … give it what comes back with `receive`, call `tick` again and again, and write `take_recording` to a file.
//! recorder.leave(1.0);
//! ```

mod chase_camera;
mod extra_seats;
mod map;
mod matches;
pub mod netquake;
mod prints;
mod settings;
mod signon;
mod stream;

use std::collections::VecDeque;

pub use crate::recorder::map::map_checksum;
pub use crate::recorder::settings::{ChaseTarget, Each, End, Settings, Status};
pub use crate::recorder::stream::Joined;

use crate::handshake::quakeworld::{Client, Step};
use crate::netchan::quakeworld::{Channel, Refused, Side};
use crate::recorder::chase_camera::ChaseCamera;
use crate::recorder::extra_seats::ExtraSeats;
use crate::recorder::matches::Matches;
use crate::recorder::prints::{Prints, wanted_map};
use crate::recorder::signon::{Signon, SignonStep};
use crate::{DeltaReceiver, FRAMES, Received, command};
use fragreel_quake1::unstable::container::{Block, Container, Framing, Stamp, Target, UserCommand, kind, write_block};
use fragreel_quake1::unstable::decoder::{Decoder, Item};
use fragreel_quake1::unstable::message::{Float, Message, PacketHeader};
use fragreel_quake1::unstable::playable::stop_at_message;

/// The state machine of the recorder.
#[derive(Debug, Clone)]
pub struct Recorder {
    settings: Settings,
    status: Status,
    client: Client,
    channel: Channel,
    signon: Signon,
    decoder: Decoder,
    deltas: DeltaReceiver,
    /// Classic frames that may be delta bases: their sequence numbers by their lower six bits.
    frames: [Option<u32>; FRAMES],
    /// The newest usable frame of entities.
    valid: Option<u32>,
    follow: ChaseCamera,
    extra_seats: ExtraSeats,
    matches: Matches,
    prints: Prints,
    outbox: VecDeque<Vec<u8>>,
    recording: Vec<u8>,
    /// Complete recordings.
    finished: VecDeque<Vec<u8>>,
    /// True until server data comes. Nothing is handed out before, because the handshake may have to restart.
    held: bool,
    began: Option<f64>,
    started: Option<f64>,
    heard: f64,
    /// When the signon last made progress, and when it began.
    progress: f64,
    signing_since: f64,
    due: f64,
    /// When a challenge was answered last, and the number of connect attempts since.
    asked: f64,
    knocks: u32,
    refused_download: bool,
    packets: u64,
    /// The number of frames in all, and in this recording.
    frame_count: u64,
    frames_here: u64,
    unreadable: u64,
}

/// Seconds between two connect attempts.
const KNOCK: f64 = 0.5;
/// Seconds without progress before server data after which the handshake restarts.
const HANDSHAKE_RESTART: f64 = 4.0;
/// Seconds of silence after which a "port closed" from the network is believed while connected.
const GONE: f64 = 2.0;
/// The most bytes held back.
const MOST_HELD: usize = 1 << 18;

impl Recorder {
    /// A recorder that is not connected yet. The clock starts at 0 with the first [`tick`](Self::tick).
    pub fn new(settings: Settings) -> Self {
        Self {
            status: Status::Connecting,
            client: Client::new(settings.qport, settings.user_info(), settings.asked()),
            channel: Channel::new(Side::Client { qport: settings.qport }),
            signon: Signon::new(settings.asked(), settings.map_checksum),
            decoder: Decoder::new(Container::QuakeWorld),
            deltas: DeltaReceiver::new(fragreel_quake1::unstable::replacement::Flags::default()),
            frames: [None; FRAMES],
            valid: None,
            follow: ChaseCamera::new(settings.follow.clone()),
            extra_seats: ExtraSeats::new(settings.seats, &settings.name),
            matches: Matches::default(),
            prints: Prints::default(),
            outbox: VecDeque::new(),
            recording: Vec::new(),
            finished: VecDeque::new(),
            held: true,
            began: None,
            started: None,
            heard: 0.0,
            progress: 0.0,
            signing_since: 0.0,
            due: 0.0,
            asked: f64::NEG_INFINITY,
            knocks: 0,
            refused_download: false,
            packets: 0,
            frame_count: 0,
            frames_here: 0,
            unreadable: 0,
            settings,
        }
    }

    /// How it joins.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The status of the connection.
    pub fn status(&self) -> &Status {
        &self.status
    }

    /// The number of packets recorded so far.
    pub fn packets(&self) -> u64 {
        self.packets
    }

    /// The number of frames recorded so far. A recording without one shows nothing.
    pub fn frames(&self) -> u64 {
        self.frame_count
    }

    /// The last line that the server printed.
    pub fn last_print(&self) -> String {
        self.prints.last()
    }

    /// The number of recorded packets that could not be read completely.
    pub fn unreadable(&self) -> u64 {
        self.unreadable
    }

    /// Seconds recorded so far.
    pub fn recorded_seconds(&self, now: f64) -> f64 {
        self.started.map_or(0.0, |started| now - started)
    }

    /// The name of the player to follow, if no player had it.
    pub fn missed(&self) -> Option<&str> {
        self.follow.missed()
    }

    /// The number of our spectators at the connection.
    pub fn seats(&self) -> usize {
        self.extra_seats.count()
    }

    /// The number missing from [`Settings::seats`]: the server has no split screen, no room, or has not answered yet.
    pub fn missing_seats(&self) -> usize {
        self.extra_seats.missing()
    }

    /// Visible entities, if the server sends replacement deltas.
    pub fn deltas(&self) -> &DeltaReceiver {
        &self.deltas
    }

    /// The next datagram to send.
    pub fn next_datagram(&mut self) -> Option<Vec<u8>> {
        self.outbox.pop_front()
    }

    /// Moves recorded bytes to the end of `out`. Only whole blocks, so that the file is a recording at any time.
    /// Returns true if that recording is complete and the next bytes belong to another one (see [`Settings::each`]).
    pub fn take_recording(&mut self, out: &mut Vec<u8>) -> bool {
        if let Some(mut complete) = self.finished.pop_front() {
            out.append(&mut complete);
            return true;
        }
        if !self.held {
            out.append(&mut self.recording);
        }
        false
    }

    /// When to call [`tick`](Self::tick) next.
    pub fn due(&self) -> f64 {
        self.due
    }

    /// Advances the clock: repeats unanswered datagrams, and sends what is due.
    pub fn tick(&mut self, now: f64) {
        if matches!(self.status, Status::Ended(_)) || now < self.due {
            return;
        }
        let began = *self.began.get_or_insert(now);
        let unconnected = self.status == Status::Connecting || self.held;
        let silent = now - self.heard.max(began) > self.settings.timeout;
        if self.channel.has_overflowed() {
            self.end(now, End::Flooded);
        } else if silent || (self.status == Status::Connecting && now - began > self.settings.connecting) {
            self.end(now, End::Silent);
        } else if (unconnected && now - began > self.settings.connecting)
            || (self.status == Status::SigningOn && !self.held && now - self.signing_since > self.settings.signing_on)
        {
            self.end(now, End::Stalled(self.prints.last()));
        } else if self.status == Status::Connecting {
            self.retry_connect(now);
        } else if self.held && now - self.progress > HANDSHAKE_RESTART {
            self.begin_again(now);
        } else {
            self.transmit(now);
        }
    }

    /// Repeats an unanswered datagram. Some servers ignore a client that asks to connect again, so one lost answer would
    /// lock us out. But they answer on the channel, which may already be open.
    fn retry_connect(&mut self, now: f64) {
        let asked = self.client.is_connecting();
        self.knocks += 1;
        if asked && self.knocks % 2 == 1 {
            if self.knocks == 1 {
                self.say(b"new");
            }
            self.transmit(now);
        } else {
            self.outbox.push_back(self.client.start());
        }
        self.due = now + if asked { KNOCK } else { 2.0 * KNOCK };
    }

    /// Restarts the handshake after a misunderstanding, as long as nothing of value was recorded.
    fn begin_again(&mut self, now: f64) {
        self.client = Client::new(self.settings.qport, self.settings.user_info(), self.settings.asked());
        self.channel = Channel::new(Side::Client { qport: self.settings.qport });
        self.signon = Signon::new(self.settings.asked(), self.settings.map_checksum);
        self.extra_seats = ExtraSeats::new(self.settings.seats, &self.settings.name);
        self.decoder = Decoder::new(Container::QuakeWorld);
        self.recording.clear();
        (self.status, self.started, self.packets, self.unreadable) = (Status::Connecting, None, 0, 0);
        (self.asked, self.knocks) = (f64::NEG_INFINITY, 0);
        self.retry_connect(now);
    }

    /// Handles the network's message that nothing listens at the server's address.
    pub fn unreachable(&mut self, now: f64) {
        match self.status {
            Status::Ended(_) => {}
            Status::Connecting => self.end(now, End::Unreachable),
            // anyone can forge this message: it counts only if the server is silent, too
            Status::SigningOn | Status::Playing if now - self.heard > GONE => self.end(now, End::Unreachable),
            Status::SigningOn | Status::Playing => {}
        }
    }

    /// Handles a datagram from the server's address.
    pub fn receive(&mut self, now: f64, datagram: &[u8]) {
        match self.status {
            Status::Ended(_) => return,
            Status::Connecting => {
                if self.receive_handshake(now, datagram) {
                    return;
                }
                // the answer to the handshake was lost, but the channel is open
            }
            Status::SigningOn | Status::Playing => {}
        }
        match self.channel.receive(datagram) {
            Ok(packet) => {
                let header = PacketHeader { sequence: packet.sequence, acknowledged: packet.acknowledged };
                if self.status == Status::Connecting {
                    self.connected(now);
                }
                self.heard = now;
                self.packet(now, header, packet.payload);
            }
            Err(Refused::Connectionless) => self.prints.outside(now, datagram),
            Err(Refused::Short | Refused::Qport | Refused::Old | Refused::Future) => {}
        }
    }

    /// Handles a datagram while connecting. Returns true if nothing else is to be done with it.
    fn receive_handshake(&mut self, now: f64, datagram: &[u8]) -> bool {
        match self.client.receive(datagram) {
            // a server that sends challenge after challenge gets no more answers
            Step::Send(answer) if now - self.asked >= KNOCK => {
                (self.heard, self.asked, self.knocks) = (now, now, 0);
                self.due = now + KNOCK;
                self.outbox.push_back(answer);
            }
            Step::Send(_) => {}
            Step::Connected => {
                if self.knocks == 0 {
                    self.say(b"new");
                }
                self.connected(now);
                self.transmit(now);
            }
            Step::Refused(reason) => self.end(now, End::Refused(reason)),
            Step::Ignored => return self.knocks == 0,
        }
        true
    }

    fn connected(&mut self, now: f64) {
        self.status = Status::SigningOn;
        (self.heard, self.progress, self.signing_since, self.started) = (now, now, now, Some(now));
    }

    /// Leaves the server properly and closes the recording.
    pub fn leave(&mut self, now: f64) {
        if !matches!(self.status, Status::Ended(_)) {
            self.end(now, End::Left);
        }
    }

    fn end(&mut self, now: f64, why: End) {
        self.held = false;
        if self.started.is_some() {
            if !matches!(why, End::Disconnected(_) | End::Map(_)) {
                let mut drop = Vec::new();
                command::string(&mut drop, b"drop");
                // nothing acknowledges this, so engines send it three times
                for _ in 0..3 {
                    self.outbox.push_back(self.channel.transmit(&drop));
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

    /// Sends a packet: reliable data, and input during play.
    fn transmit(&mut self, now: f64) {
        let playing = self.status == Status::Playing;
        let sequence = self.channel.outgoing_sequence();
        let mut unreliable = Vec::new();
        if playing {
            let milliseconds = (self.settings.interval * 1000.0).clamp(1.0, 250.0) as u8;
            command::idle_move(&mut unreliable, milliseconds, 0, sequence);
            (1..self.extra_seats.moving()).for_each(|_| command::idle_move_of_seat(&mut unreliable, milliseconds));
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
        self.outbox.push_back(self.channel.transmit(&unreliable));
        self.due = now + self.settings.interval;
    }

    fn block(&mut self, now: f64, framing: impl FnOnce(Stamp) -> Framing, data: &[u8]) {
        let time = Stamp::At(Float::from(self.recorded_seconds(now) as f32));
        write_block(&mut self.recording, Container::QuakeWorld, &framing(time), data);
    }

    /// Records a packet, then reads it.
    fn packet(&mut self, now: f64, header: PacketHeader, payload: &[u8]) {
        let data = [&header.sequence.to_le_bytes()[..], &header.acknowledged.to_le_bytes(), payload].concat();
        let mark = self.recording.len();
        self.packet_block(now, &data);
        self.packets += 1;

        let mut heard = ReceivedPacket { turn: None, closed: false, download: false, frame: None, seen: false, next_match: false };
        let (signon, deltas, follow, frames) = (&mut self.signon, &mut self.deltas, &mut self.follow, &mut self.frames);
        let (matches, prints, extra_seats) = (&mut self.matches, &mut self.prints, &mut self.extra_seats);
        let framing = Framing::Packet { time: Stamp::At(Float(0)), target: Target { kind: kind::READ, ..Target::default() } };
        let block = Block { number: 0, offset: 0, data_offset: 0, framing, data: &data, contradicted: false, late: false };
        let mut playable = true;
        let read = self.decoder.decode(&block, |dialect, item, _| {
            let Item::Message(message) = item else { return };
            playable &= stop_at_message(dialect, message, 0).is_none();
            heard.turn = signon.receive(message).or(heard.turn);
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
                Message::PlayerInfo(_) => heard.seen = true,
                Message::PacketEntities(_) => heard.frame = Some(true),
                Message::DeltaPacketEntities(delta) => {
                    let from = frames[usize::from(delta.from) % FRAMES].filter(|&from| from as u8 == delta.from);
                    heard.frame = Some(from.is_some_and(|from| header.sequence - from < FRAMES as u32));
                }
                Message::Disconnect(_) => heard.closed = true,
                Message::Download(_) => heard.download = true,
                _ => {}
            }
            follow.receive(message, dialect, deltas);
            extra_seats.receive(message);
            prints.receive(now, message);
            heard.next_match |= matches.receive(message);
        });
        if read.is_err() || !playable {
            self.unreadable += 1;
            self.deltas.lose();
            heard.frame = Some(false);
        }
        if !payload.is_empty() {
            self.progress = now;
        }
        if heard.turn == Some(SignonStep::Level) {
            self.held = false;
            if self.settings.each != Each::Connection && self.frames_here > 0 {
                self.next_recording(now, mark, &data);
            }
        }
        if heard.frame.is_some() || heard.seen {
            self.frame_count += 1;
            self.frames_here += 1;
        }
        self.conclude(now, header, heard);
    }

    fn packet_block(&mut self, now: f64, data: &[u8]) {
        self.block(now, |time| Framing::Packet { time, target: Target { kind: kind::READ, ..Target::default() } }, data);
    }

    /// Ends the recording before its last packet. The next recording starts with that packet.
    fn next_recording(&mut self, now: f64, mark: usize, packet: &[u8]) {
        self.recording.truncate(mark);
        self.packet_block(now, CLOSING);
        self.finished.push_back(std::mem::take(&mut self.recording));
        (self.started, self.frames_here) = (Some(now), 0);
        self.packet_block(now, packet);
    }

    fn conclude(&mut self, now: f64, header: PacketHeader, heard: ReceivedPacket) {
        if let Some(usable) = heard.frame {
            self.valid = usable.then_some(header.sequence);
            self.frames[header.sequence as usize % FRAMES] = self.valid;
        }
        if heard.closed || heard.turn == Some(SignonStep::Leave) {
            let reason = self.prints.recent(now);
            let map = wanted_map(&reason).filter(|map| self.status != Status::Playing && *map != self.settings.map_checksum);
            self.end(now, map.map_or(End::Disconnected(reason), End::Map));
            return;
        }
        if self.held && self.recording.len() > MOST_HELD {
            self.end(now, End::Stalled(self.prints.last()));
            return;
        }
        if heard.next_match && self.settings.each == Each::Match && self.frames_here > 0 {
            self.end(now, End::Match);
            return;
        }
        if heard.turn == Some(SignonStep::Level) {
            (self.valid, self.refused_download) = (None, false);
            self.follow.forget();
            // a series of levels that never let us in is one attempt
            if std::mem::replace(&mut self.status, Status::SigningOn) == Status::Playing {
                self.signing_since = now;
            }
        }
        for answer in self.signon.answers() {
            self.say(&answer);
        }
        self.outbox.extend(self.signon.outside());
        if heard.download && !self.refused_download {
            self.refused_download = true;
            self.say(b"stopdownload");
        }
        if heard.turn == Some(SignonStep::Begin) {
            self.status = Status::Playing;
            let (outgoing, incoming) = (self.channel.outgoing_sequence(), self.channel.incoming_sequence());
            self.block(now, |time| Framing::Sequences { time, outgoing, incoming }, &[]);
        }
        if self.signon.is_playing()
            && let Some(command) = self.follow.command()
        {
            self.say(command.as_bytes());
        }
        if self.status == Status::Playing {
            for message in self.extra_seats.commands(now, &self.follow) {
                self.channel.queue(&message);
            }
        }
    }
}

/// The effect of one packet.
struct ReceivedPacket {
    turn: Option<SignonStep>,
    closed: bool,
    download: bool,
    /// True if entities came and could be used.
    frame: Option<bool>,
    /// True if a player was visible.
    seen: bool,
    /// True if a match starts.
    next_match: bool,
}

/// The end mark of engines: a disconnect outside of the connection.
const CLOSING: &[u8] = b"\xff\xff\xff\xff\x02EndOfDemo\0";

#[cfg(test)]
mod tests;
