//! A NetQuake client that records what a server shows, as the game's own recorder does that was started before it connected: every message as it
//! came, each with the angles of the view. The game has no spectators: it stands where players begin. Document: *NetQuake's handshake*.
//!
//! ```
//! use fragreel_live::Stream;
//! use fragreel_quake1::live::recorder::netquake::Recorder;
//!
//! let mut recorder = Recorder::new("me");
//! recorder.tick(0.0);
//! assert_eq!(recorder.next_request().unwrap(), fragreel_quake1::live::handshake::netquake::connect());
//! recorder.receive(&fragreel_quake1::live::handshake::netquake::reject("Server is full.\n"));
//! assert_eq!(recorder.ended(), Some("the server refuses: Server is full."));
//! ```

#[cfg(test)]
mod tests;

use std::collections::VecDeque;

use fragreel_base::wire::ReadBytes;
use fragreel_live::{RecordingOutput, Stream, UNANSWERED};

use crate::characters::clean;
use crate::container::{Container, Framing, write_block};
use crate::dialect::{self, Dialect};
use crate::live::handshake::netquake::{Client, Control, connect, read};
use crate::live::handshake::{Extensions, commands};
use crate::live::netchan::netquake::{Arrived, Channel};
use crate::message::{Float, Message, Packet};

/// The state machine: a [`Stream`] of datagrams.
#[derive(Debug)]
pub struct Recorder {
    name: String,
    requests: VecDeque<Vec<u8>>,
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
    angles: [Float; 3],
    /// What a server stuffs comes in pieces.
    stuffed: Vec<u8>,
    began: bool,
    frames: u64,
    written: RecordingOutput,
    told_place: bool,
    now: f64,
    heard: f64,
    since: f64,
    asked: f64,
    /// When a reliable part was sent last, and a move.
    sent: f64,
    moved: f64,
    said: String,
    notice: Option<String>,
    ended: Option<String>,
}

/// Seconds between two questions, and those after which there is no server.
const REPEAT: f64 = 1.5;
const CONNECTING: f64 = 20.0;
/// Seconds after which an unacknowledged part is resent.
const RESEND: f64 = 1.0;
/// Seconds between two moves, and of silence after which the server is gone.
const PULSE: f64 = 0.05;
const SILENCE: f64 = 30.0;
/// Seconds in which it has to show a frame, whatever else it sends.
const ENTERING: f64 = 60.0;
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
            name: name.chars().filter(|c| c.is_ascii_graphic() && !"\";".contains(*c)).take(15).collect(),
            requests: VecDeque::new(),
            channel: Channel::new(),
            inside: false,
            port: None,
            dialect: Dialect::new(dialect::Stream::NetQuake),
            packet: Packet::default(),
            stage: 0,
            server_time: Float::default(),
            angles: [Float::default(); 3],
            stuffed: Vec::new(),
            began: false,
            frames: 0,
            written: RecordingOutput::separable(),
            told_place: false,
            now: 0.0,
            heard: 0.0,
            since: 0.0,
            asked: f64::NEG_INFINITY,
            sent: f64::NEG_INFINITY,
            moved: f64::NEG_INFINITY,
            said: String::new(),
            notice: None,
            ended: None,
        }
    }

    fn end(&mut self, reason: &str) {
        if self.ended.is_some() {
            return;
        }
        self.ended = Some(reason.to_owned());
        if self.inside {
            (0..3).for_each(|_| self.requests.push_back(self.channel.unreliable(&[CLC_DISCONNECT])));
        }
        if self.frames > 0 {
            self.write(SVC_DISCONNECT);
        }
    }

    fn write(&mut self, data: &[u8]) {
        if !std::mem::replace(&mut self.began, true) {
            self.written.bytes.extend_from_slice(HEAD);
        }
        write_block(&mut self.written.bytes, Container::NetQuake, &Framing::NetQuake { angles: self.angles }, data);
    }

    /// Ends the recording of a level, if each gets one: the next begins with the message that names the level.
    fn split(&mut self) {
        if self.written.is_split() && self.frames > 0 {
            self.write(SVC_DISCONNECT);
            self.written.end_level();
            (self.began, self.frames, self.since) = (false, 0, self.now);
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
                self.heard = self.now;
                // opens the way through NAT
                self.channel.queue(&[CLC_NOP]);
            }
            Control::Reject(reason) if !self.inside => self.end(&format!("the server refuses: {}", clean(reason.as_bytes()).trim())),
            _ => {}
        }
    }

    /// Reads a message and records it.
    fn message(&mut self, payload: &[u8]) {
        // what only keeps the connection is not recorded by any engine
        if payload == SVC_NOP {
            return;
        }
        let mut packet = std::mem::take(&mut self.packet);
        let read = packet.code(&mut ReadBytes::new(payload), &mut self.dialect, false);
        if packet.messages.iter().any(|message| matches!(message, Message::ServerInfo(_))) {
            self.split();
        }
        self.write(payload);
        let mut over = None;
        for message in &packet.messages {
            match message {
                Message::ServerInfo(_) => self.stage = 0,
                Message::SignonNum(signon) => self.sign_on(signon.stage),
                Message::NqTime(time) => {
                    self.server_time = time.time;
                    if self.stage >= 3 {
                        self.stage = 4;
                        self.frames += 1;
                    }
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
            self.end(&format!("the server sent what cannot be read: {error}"));
        } else if self.channel.waiting() > MOST_WAITING {
            self.end("the server asked for more than it took answers to");
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
                    self.notice = Some(String::from("this game has no spectators: somebody of this name stands in it"));
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
        let client = Client { protocols: vec![999, 666, 15], wants: Extensions::NONE };
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

    fn pulse(&mut self) {
        if self.ended.is_some() {
            return;
        }
        if !self.inside {
            if self.now - self.asked >= REPEAT {
                self.asked = self.now;
                self.requests.push_back(connect());
            }
            return;
        }
        let part = if self.now - self.sent >= RESEND { self.channel.repeat_part() } else { self.channel.next_part() };
        if let Some(part) = part {
            self.sent = self.now;
            self.requests.push_back(part);
        }
        if self.stage >= 3 && self.now - self.moved >= PULSE {
            self.moved = self.now;
            let step = self.movement();
            self.requests.push_back(self.channel.unreliable(&step));
        }
    }

    /// A move that stands still and looks ahead: later protocols have finer angles.
    fn movement(&self) -> Vec<u8> {
        let mut step = vec![CLC_MOVE];
        step.extend(self.server_time.0.to_le_bytes());
        let bytes = if self.dialect.numbers.protocol == 15 { 1 } else { 2 };
        step.extend(vec![0; 3 * bytes + 3 * 2 + 2]);
        step
    }
}

impl Stream for Recorder {
    fn next_request(&mut self) -> Option<Vec<u8>> {
        self.requests.pop_front()
    }

    fn receive(&mut self, datagram: &[u8]) {
        if self.ended.is_some() {
            return;
        }
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
            self.heard = self.now;
        }
        self.requests.extend(answer);
        match arrived {
            Arrived::Reliable(payload) | Arrived::Unreliable { payload, .. } => self.message(&payload),
            Arrived::Acknowledged => self.sent = f64::NEG_INFINITY,
            Arrived::Part | Arrived::Nothing => {}
        }
        self.pulse();
    }

    fn tick(&mut self, now: f64) {
        if self.now == 0.0 && self.asked == f64::NEG_INFINITY {
            (self.since, self.heard) = (now, now);
        }
        self.now = self.now.max(now);
        if !self.inside && self.now - self.since > CONNECTING {
            self.end(UNANSWERED);
        } else if self.inside && self.now - self.heard > SILENCE {
            self.end("the server fell silent");
        } else if self.inside && self.frames == 0 && self.now - self.since > CONNECTING + ENTERING {
            self.end("the server does not let us into the game");
        }
        self.pulse();
    }

    fn written(&mut self) -> &mut RecordingOutput {
        &mut self.written
    }

    fn has_frames(&self) -> bool {
        self.frames > 0
    }

    fn leave(&mut self) {
        self.end("left the server");
    }

    fn closed(&mut self) {
        self.end(if self.inside { "the server is gone" } else { "no server listens there" });
    }

    fn ended(&self) -> Option<&str> {
        self.ended.as_deref()
    }

    fn port(&self) -> Option<u16> {
        self.port
    }

    fn notice(&mut self) -> Option<String> {
        self.notice.take()
    }
}
