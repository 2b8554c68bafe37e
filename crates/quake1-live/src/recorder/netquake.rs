//! A NetQuake client that records what a server shows, as the game's own recorder does that was started before it connected: every message as it
//! came, each with the angles of the view. The game has no spectators: it stands where players begin. Document: *NetQuake's handshake*.
//!
//! ```
//! use fragreel_live::Stream;
//! use fragreel_quake1_live::recorder::netquake::Recorder;
//!
//! let mut recorder = Recorder::new("me");
//! recorder.tick(0.0);
//! assert_eq!(recorder.next_request().unwrap(), fragreel_quake1_live::handshake::netquake::connect());
//! recorder.receive(&fragreel_quake1_live::handshake::netquake::reject("Server is full.\n"));
//! assert_eq!(recorder.ended(), Some("the server refuses: Server is full."));
//! ```

#[cfg(test)]
mod tests;

use fragreel_base::wire::ReadBytes;
use fragreel_live::{DatagramRecorder, RecorderCore};

use crate::handshake::netquake::{Client, Control, connect, read};
use crate::handshake::{Extensions, commands};
use crate::netchan::netquake::{Arrived, Channel, Resend};
use crate::{DeltaReceiver, command};
use fragreel_quake1::unstable::characters::clean;
use fragreel_quake1::unstable::container::{Container, Framing, write_block};
use fragreel_quake1::unstable::dialect::{self, Dialect};
use fragreel_quake1::unstable::message::{Float, Message, Packet};
use fragreel_quake1::unstable::playable::stop_at_message;

/// The state machine: a [`Stream`](fragreel_live::Stream) of datagrams.
#[derive(Debug)]
pub struct Recorder {
    core: RecorderCore,
    name: String,
    wants: Extensions,
    channel: Channel,
    /// Let in; at which port it goes on.
    inside: bool,
    port: Option<u16>,
    dialect: Dialect,
    /// What is read, kept for its buffers.
    packet: Packet,
    /// How far signing on is: 0 to 3, and 4 with the first frame.
    stage: u8,
    /// The server's clock, as it was sent.
    server_time: Float,
    /// The most players that the server lets in.
    max_clients: u8,
    angles: [Float; 3],
    /// The frames of replacement deltas that arrived, if the server sends such.
    deltas: DeltaReceiver,
    /// An acknowledgement of them is due.
    unanswered: bool,
    /// Counts moves, where the server acknowledges them.
    moves: u16,
    /// What a server stuffs comes in pieces.
    stuffed: Vec<u8>,
    began: bool,
    told_place: bool,
    asked: f64,
    resend: Resend,
    /// When a move was sent last.
    moved: f64,
    said: String,
}

/// Seconds between two questions.
const REPEAT: f64 = 1.5;
/// Seconds between two moves.
const PULSE: f64 = 0.05;
/// Bytes of commands that may wait for acknowledgement.
const MOST_WAITING: usize = 16 << 10;
/// Most of a stuffed text whose line has not ended.
const LONGEST_LINE: usize = 2048;
/// Where the recording says which track plays: none.
const HEAD: &[u8] = b"-1\n";
const SVC_NOP: &[u8] = &[1];
const SVC_DISCONNECT: &[u8] = &[2];
const CLC_NOP: u8 = 1;
const CLC_DISCONNECT: u8 = 2;
const CLC_MOVE: u8 = 3;
const CLC_STRING: u8 = 4;

impl Recorder {
    /// One that has not asked yet.
    pub fn new(name: &str) -> Self {
        Recorder {
            core: RecorderCore::default(),
            name: name.chars().filter(|c| c.is_ascii_graphic() && !"\";".contains(*c)).take(15).collect(),
            wants: Extensions::NETQUAKE,
            channel: Channel::new(),
            inside: false,
            port: None,
            dialect: Dialect::new(dialect::Stream::NetQuake),
            packet: Packet::default(),
            stage: 0,
            server_time: Float::default(),
            max_clients: 0,
            angles: [Float::default(); 3],
            deltas: DeltaReceiver::new(fragreel_quake1::unstable::replacement::Flags::default()),
            unanswered: false,
            moves: 0,
            stuffed: Vec::new(),
            began: false,
            told_place: false,
            asked: f64::NEG_INFINITY,
            resend: Resend::new(),
            moved: f64::NEG_INFINITY,
            said: String::new(),
        }
    }

    /// The same, asking for no extensions: any client can play what it records.
    #[must_use]
    pub fn plain(self) -> Self {
        Recorder { wants: Extensions::NONE, ..self }
    }

    fn write(&mut self, data: &[u8]) {
        if !std::mem::replace(&mut self.began, true) {
            self.core.written.bytes.extend_from_slice(HEAD);
        }
        write_block(&mut self.core.written.bytes, Container::NetQuake, &Framing::NetQuake { angles: self.angles }, data);
    }

    /// Ends the recording of a level, if each gets one: the next begins with the message that names the level.
    fn split(&mut self) {
        if self.end_level() {
            self.began = false;
        }
    }

    fn say(&mut self, text: &str) {
        self.channel.queue(&[&[CLC_STRING][..], text.as_bytes(), b"\0"].concat());
    }

    fn control(&mut self, control: Control) {
        match control {
            Control::Accept { port } if !self.inside => {
                self.inside = true;
                self.port = u16::try_from(port).ok().filter(|port| *port != 0);
                self.core.last_received = self.core.now;
                // opens the way through NAT
                self.channel.queue(&[CLC_NOP]);
            }
            Control::Reject(reason) if !self.inside => self.end(&format!("the server refuses: {}", clean(reason.as_bytes()).trim())),
            _ => {}
        }
    }

    /// Reads a message and records it. An unreliable one has a sequence number.
    fn message(&mut self, payload: &[u8], sequence: Option<u32>) {
        // what only keeps the connection is not recorded by any engine
        if payload == SVC_NOP {
            return;
        }
        let mut packet = std::mem::take(&mut self.packet);
        let read = packet.code(&mut ReadBytes::new(payload), &mut self.dialect, false);
        let info = packet.messages.iter().find_map(|message| if let Message::ServerInfo(info) = message { Some(info.max_clients) } else { None });
        self.max_clients = info.unwrap_or(self.max_clients);
        if let Some(why) = packet.messages.iter().find_map(|message| stop_at_message(&self.dialect, message, self.max_clients)) {
            self.packet = packet;
            self.end(&format!("the server sent what engines stop at: {why}"));
            return;
        }
        if info.is_some() {
            self.split();
        }
        self.write(payload);
        let mut over = None;
        for message in &packet.messages {
            match message {
                Message::ServerInfo(_) => {
                    self.stage = 0;
                    self.deltas.reset(self.dialect.layout());
                    self.unanswered = false;
                }
                Message::SpawnBaseline2(baseline) => {
                    let flags = *self.deltas.flags();
                    self.deltas.entities_mut().set_baseline(&flags, baseline.entity.number, &baseline.delta);
                }
                // these have the server's clock with them
                Message::UpdateEntities(entities) => {
                    if let Some(sequence) = sequence {
                        self.deltas.receive(sequence, &entities.update);
                        self.unanswered = true;
                    }
                    self.server_time = Float(entities.update.time);
                    self.frame();
                }
                Message::SignonNum(signon) => self.sign_on(signon.stage),
                Message::NqTime(time) => {
                    self.server_time = time.time;
                    self.frame();
                }
                Message::SetAngle(look) => self.angles = look.angles.map(|angle| Float::from(self.dialect.angle.degrees(angle.0))),
                Message::StuffText(text) => self.stuffed(text.text.bytes()),
                Message::NqPrint(print) => self.said = clean(print.text.bytes()).trim().to_owned(),
                Message::Disconnect(_) => over = Some("the server closed the connection"),
                _ => {}
            }
        }
        self.packet = packet;
        if let Some(reason) = over {
            let reason = if self.said.is_empty() { reason.to_owned() } else { format!("{reason}: {}", self.said) };
            self.end(&reason);
        } else if let Err(error) = read {
            self.deltas.lose();
            self.end(&format!("the server sent what cannot be read: {error}"));
        } else if self.channel.waiting() > MOST_WAITING {
            self.end("the server requested more than it acknowledged");
        }
    }

    /// A frame is there.
    fn frame(&mut self) {
        if self.stage >= 3 {
            self.stage = 4;
            self.core.frames += 1;
        }
    }

    fn sign_on(&mut self, stage: u8) {
        // engines stop at a step that they have made
        if stage <= self.stage {
            return;
        }
        self.stage = stage.min(3);
        match stage {
            1 => self.say("prespawn"),
            2 => {
                let name = format!("name \"{}\"\n", self.name);
                [name.as_str(), "color 0 0\n", "spawn "].into_iter().for_each(|text| self.say(text));
            }
            3 => {
                self.say("begin");
                if !std::mem::replace(&mut self.told_place, true) {
                    self.core.notice = Some(String::from("this game has no spectators: somebody of this name stands in it"));
                }
            }
            _ => {}
        }
    }

    fn stuffed(&mut self, text: &[u8]) {
        self.stuffed.extend_from_slice(text);
        let Some(end) = self.stuffed.iter().rposition(|&byte| byte == b'\n') else {
            if self.stuffed.len() > LONGEST_LINE {
                self.stuffed.clear();
            }
            return;
        };
        let rest = self.stuffed.split_off(end + 1);
        let text = std::mem::replace(&mut self.stuffed, rest);
        let client = Client { protocols: vec![999, 666, 15], wants: self.wants };
        for command in commands(&text) {
            if command == b"reconnect" {
                self.stage = 0;
            } else if let Some(answer) = client.answer(command) {
                self.say(&answer);
            } else if let Some(rest) = command.strip_prefix(b"cmd ") {
                let rest = String::from_utf8_lossy(&rest[..rest.len().min(255)]).into_owned();
                self.say(&rest);
            }
        }
    }

    /// A move that stands still and looks ahead: later protocols have finer angles. With predinfo, moves are numbered. Behind it is what arrived
    /// of replacement deltas.
    fn movement(&mut self) -> Vec<u8> {
        let mut step = vec![CLC_MOVE];
        if self.dialect.numbers.pext2 & dialect::pext2::PREDINFO != 0 {
            self.moves = self.moves.wrapping_add(1);
            step.extend(self.moves.to_le_bytes());
        }
        let end = step.len() + command::netquake_move_length(&self.dialect);
        step.extend(self.server_time.0.to_le_bytes());
        step.resize(end, 0);
        if std::mem::take(&mut self.unanswered) {
            command::acknowledge(&mut step, self.deltas.acknowledgement());
        }
        step
    }
}

impl DatagramRecorder for Recorder {
    fn core(&self) -> &RecorderCore {
        &self.core
    }

    fn core_mut(&mut self) -> &mut RecorderCore {
        &mut self.core
    }

    fn is_connected(&self) -> bool {
        self.inside
    }

    fn take(&mut self, datagram: &[u8]) {
        if let Some(control) = read(datagram) {
            self.control(control);
            return;
        }
        if !self.inside {
            return;
        }
        let mut answer = None;
        let arrived = self.channel.receive(datagram, &mut answer);
        if arrived != Arrived::Nothing || answer.is_some() {
            self.core.last_received = self.core.now;
        }
        self.core.requests.extend(answer);
        match arrived {
            Arrived::Reliable(payload) => self.message(&payload, None),
            Arrived::Unreliable { payload, sequence } => self.message(&payload, Some(sequence)),
            Arrived::Acknowledged => self.resend.acknowledged(self.core.now),
            Arrived::Part | Arrived::Nothing => {}
        }
        self.send_if_due();
    }

    fn send_if_due(&mut self) {
        if self.has_ended() {
            return;
        }
        if !self.inside {
            if self.core.now - self.asked >= REPEAT {
                self.asked = self.core.now;
                self.core.requests.push_back(connect());
            }
            return;
        }
        let part = self.resend.due(&mut self.channel, self.core.now, usize::MAX);
        self.core.requests.extend(part);
        if self.stage >= 3 && self.core.now - self.moved >= PULSE {
            self.moved = self.core.now;
            let step = self.movement();
            self.core.requests.push_back(self.channel.unreliable(&step));
        }
    }

    fn say_goodbye(&mut self) {
        (0..3).for_each(|_| self.core.requests.push_back(self.channel.unreliable(&[CLC_DISCONNECT])));
    }

    fn write_end(&mut self) {
        self.write(SVC_DISCONNECT);
    }

    fn new_port(&self) -> Option<u16> {
        self.port
    }
}
