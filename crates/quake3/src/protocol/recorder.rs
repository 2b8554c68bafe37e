//! A client that records what a server shows, as the games' own recorders write it: the level as it is, then every message as it came, from the first
//! snapshot on that is not encoded against another. It asks to be a spectator.
//!
//! It speaks the scrambled channel of protocol 68, and of 71 as OpenArena has it. Servers that want checksums of the game's files (`sv_pure`) keep
//! it outside.
//!
//! ```
//! use live::Stream;
//! use quake3::protocol::recorder::{Recorder, Settings};
//!
//! let mut recorder = Recorder::new(Settings::default(), quake3::dialect::Dialect::of(68).unwrap());
//! recorder.tick(0.0);
//! assert_eq!(recorder.next_request().unwrap(), b"\xff\xff\xff\xffgetchallenge");
//! recorder.receive(b"\xff\xff\xff\xffchallengeResponse -17 0 71");
//! assert!(recorder.next_request().unwrap().starts_with(b"\xff\xff\xff\xffconnect "));
//! recorder.receive(b"\xff\xff\xff\xffprint\nServer is full.\n");
//! assert_eq!(recorder.ended(), Some("the server refuses: Server is full."));
//! ```

#[cfg(test)]
mod tests;

use std::collections::VecDeque;

use live::{RecordingOutput, Stream, UNANSWERED};
use wire::{ReadHuffman, Wire};

use super::adaptive::pack;
use super::client_message::ClientMessage;
use super::netchan::{Channel, FROM_SERVER, Side, scramble};
use crate::canonical;
use crate::container::{END_MARK, Frame, Framing};
use crate::dialect::Dialect;
use crate::message::{Gamestate, Message, Operation, op};
use crate::state::{Command, Outcome, State};
use crate::text::{Words, clean, info, number};

/// How to join.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Settings {
    /// The name to join with.
    pub name: String,
    /// The server's password; empty where there is none.
    pub password: String,
    /// Any number; what marks our packets.
    pub qport: u16,
    /// Bytes per second that the server may send; much, where nothing is said.
    pub rate: Option<u32>,
    /// Whom to follow, as the game's `follow` takes it; `None` for the first player.
    pub follow: Option<String>,
    /// Stay where spectators appear.
    pub alone: bool,
}

/// The state machine: a [`Stream`] of datagrams.
#[derive(Debug)]
pub struct Recorder {
    settings: Settings,
    phase: Phase,
    requests: VecDeque<Vec<u8>>,
    channel: Channel,
    state: State,
    message: Message,
    /// What the last gamestate says besides strings and baselines.
    numbers: Gamestate,
    server_id: i32,
    /// The newest message; whether the server may encode against it.
    has: i32,
    valid: bool,
    /// Commands of ours, from number 1 on, and how many of them the server knows.
    said: Vec<Vec<u8>>,
    said_known: usize,
    /// Texts of the server's last commands, by number.
    texts: Vec<Vec<u8>>,
    server_time: i32,
    /// Whether the recording has its opening.
    opened: bool,
    frames: u64,
    written: RecordingOutput,
    now: f64,
    heard: f64,
    sent: f64,
    since: f64,
    entered: Option<f64>,
    notice: Option<String>,
    ended: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// No number yet.
    Asking,
    /// A number, and not let in.
    Connecting(i32),
    /// Let in, with this number.
    Inside(i32),
}

const OUTSIDE: &[u8] = b"\xff\xff\xff\xff";
/// Seconds between two questions while connecting, and those after which there is no server.
const REPEAT: f64 = 1.5;
const CONNECTING: f64 = 20.0;
/// Seconds between two packets of ours, and between those before the level came.
const PULSE: f64 = 0.05;
const SLOW: f64 = 0.5;
/// Seconds of silence after which the server is gone, and those in which it has to let us into the game, however often it sends the level.
const SILENCE: f64 = 30.0;
const ENTERING: f64 = 20.0;
/// Texts of commands that engines keep.
const TEXTS: usize = 64;
/// The view is not anybody's yet.
const NOT_ACTIVE: u8 = 2;

impl Recorder {
    /// One that has not asked yet, and speaks a protocol: one of 66 to 71.
    pub fn new(settings: Settings, dialect: &'static Dialect) -> Self {
        Recorder {
            channel: Channel::new(Side::Client { qport: settings.qport }),
            settings,
            phase: Phase::Asking,
            requests: VecDeque::new(),
            state: State::new(dialect),
            message: Message::default(),
            numbers: Gamestate::default(),
            server_id: 0,
            has: 0,
            valid: false,
            said: Vec::new(),
            said_known: 0,
            texts: vec![Vec::new(); TEXTS],
            server_time: 0,
            opened: false,
            frames: 0,
            written: RecordingOutput::separable(),
            now: 0.0,
            heard: 0.0,
            sent: f64::NEG_INFINITY,
            since: 0.0,
            entered: None,
            notice: None,
            ended: None,
        }
    }

    fn user_info(&self, challenge: i32) -> String {
        let clean = |text: &str| text.chars().filter(|c| !c.is_control() && !"\\\";%".contains(*c)).take(31).collect::<String>();
        let Settings { qport, name, password, rate, .. } = &self.settings;
        let protocol = self.state.dialect().protocol;
        // OpenArena lets nobody in without one
        let guid = format!("{qport:04X}").repeat(8);
        let mut info = format!(
            "\\challenge\\{challenge}\\qport\\{qport}\\protocol\\{protocol}\\name\\{}\\rate\\{}\\snaps\\40\\cl_anonymous\\0\\model\\sarge\\cl_guid\\{guid}",
            clean(name),
            rate.unwrap_or(90_000)
        );
        if !password.is_empty() {
            info += &format!("\\password\\{}", clean(password));
        }
        info
    }

    fn end(&mut self, reason: &str) {
        if self.ended.is_some() {
            return;
        }
        self.ended = Some(reason.to_owned());
        if matches!(self.phase, Phase::Inside(_)) {
            self.say("disconnect");
            (0..3).for_each(|_| self.speak());
        }
        if self.frames > 0 {
            self.written.bytes.extend(END_MARK);
        }
    }

    fn say(&mut self, text: &str) {
        self.said.push(text.as_bytes().to_vec());
    }

    fn outside(&mut self, text: &[u8]) {
        let mut words = Words::new(text);
        match (words.next().unwrap_or_default(), self.phase) {
            (b"challengeResponse", Phase::Asking) => {
                self.phase = Phase::Connecting(number(words.next().unwrap_or_default()));
                self.sent = f64::NEG_INFINITY;
                self.pulse();
            }
            (b"connectResponse", Phase::Connecting(challenge)) => {
                self.phase = Phase::Inside(challenge);
                (self.sent, self.heard) = (f64::NEG_INFINITY, self.now);
            }
            (b"print", Phase::Asking | Phase::Connecting(_)) => {
                let text = clean(text.strip_prefix(b"print\n").unwrap_or(text));
                self.end(&format!("the server refuses: {}", text.trim()));
            }
            (b"disconnect", Phase::Inside(_)) => self.end("the server closed the connection"),
            _ => {}
        }
    }

    fn pulse(&mut self) {
        let wait = match self.phase {
            Phase::Inside(_) if self.server_id != 0 => PULSE,
            Phase::Inside(_) => SLOW,
            _ => REPEAT,
        };
        if self.ended.is_none() && self.now - self.sent >= wait {
            self.speak();
        }
    }

    /// Sends what is due in this phase.
    fn speak(&mut self) {
        self.sent = self.now;
        match self.phase {
            Phase::Asking => self.requests.push_back([OUTSIDE, b"getchallenge"].concat()),
            Phase::Connecting(challenge) => {
                let user = format!("\"{}\"", self.user_info(challenge));
                self.requests.push_back([OUTSIDE, b"connect ", &pack(user.as_bytes())].concat());
            }
            Phase::Inside(challenge) => {
                let command = self.state.command_sequence();
                let commands = self.said.iter().zip(1..).skip(self.said_known).map(|(text, at)| (at, text.clone())).collect();
                let moves = (self.server_id != 0).then_some(self.opened && self.valid);
                let time = self.server_time.wrapping_add(((self.now - self.heard) * 1000.0) as i32);
                let said = ClientMessage { server_id: self.server_id, message: self.has, command, commands, moves, time };
                let text = self.texts[command as usize % TEXTS].clone();
                self.requests.extend(self.channel.transmit(&said.write(challenge, &text)));
            }
        }
    }

    fn inside(&mut self, datagram: &[u8], challenge: i32) {
        let Some(mut received) = self.channel.receive(datagram) else { return };
        self.heard = self.now;
        let Ok(known) = ReadHuffman::new(&received.payload).signed("reliableAcknowledge", 0, 32) else { return };
        // The server cannot know what was never said.
        let Some(known) = usize::try_from(known).ok().filter(|known| *known <= self.said.len()) else { return };
        let text = known.checked_sub(1).map_or(&[][..], |at| &self.said[at]);
        scramble(&mut received.payload, FROM_SERVER, challenge as u32 ^ received.sequence, text);
        self.said_known = self.said_known.max(known);
        let before = (!self.opened).then(|| (self.state.clone(), self.numbers.clone()));
        let mut message = std::mem::take(&mut self.message);
        let read = message.read(&received.payload, self.state.dialect());
        (self.has, self.valid) = (received.sequence as i32, false);
        let (mut frame, mut over) = (None, None);
        for operation in &message.operations {
            match operation {
                Operation::Gamestate(gamestate) => {
                    self.state.apply_gamestate(gamestate);
                    self.numbers = Gamestate { items: Vec::new(), ..gamestate.clone() };
                    self.level();
                }
                Operation::ServerCommand(command) => {
                    let is_new = command.sequence > self.state.command_sequence();
                    if self.state.apply_command(command) != Command::Repeated || is_new {
                        self.texts[command.sequence as usize % TEXTS].clone_from(&command.text);
                    }
                    if is_new && over.is_none() {
                        over = self.apply(&command.text.clone());
                    }
                }
                Operation::Snapshot(snapshot) => {
                    self.valid = self.state.apply_snapshot(received.sequence as i32, snapshot) == Outcome::Applied;
                    if self.valid {
                        self.server_time = snapshot.server_time;
                        frame = Some((snapshot.delta, snapshot.flags & NOT_ACTIVE == 0));
                    }
                }
                _ => {}
            }
        }
        self.message = message;
        if let Err(error) = read {
            self.end(&format!("the server sent what cannot be read: {error}"));
            return;
        }
        if let Some((_, true)) = frame
            && self.entered.replace(self.entered.unwrap_or(self.now)).is_none()
        {
            self.enter();
        }
        self.keep(received.sequence, &received.payload, frame, before);
        if let Some(reason) = over {
            self.end(&reason);
        }
    }

    /// A gamestate came.
    fn level(&mut self) {
        self.split();
        self.server_id = number(info(self.state.string(1), "sv_serverid"));
        self.sent = f64::NEG_INFINITY;
        if number(info(self.state.string(1), "sv_pure")) != 0 && self.notice.is_none() {
            self.notice = Some(String::from("the server wants checksums of the game's files (sv_pure 1): it may not let us into the game"));
        }
    }

    /// Ends the recording of a level or match, if each gets one: the next begins with a gamestate and a snapshot that is encoded against nothing.
    fn split(&mut self) {
        if self.written.is_split() && self.frames > 0 {
            self.written.bytes.extend(END_MARK);
            self.written.end_level();
            (self.frames, self.opened, self.since) = (0, false, self.now);
        }
    }

    /// In the game: out of it again.
    fn enter(&mut self) {
        self.say("team s");
        match &self.settings.follow {
            Some(name) => {
                let name: String = name.chars().filter(|c| !c.is_control() && !"\"\\;%".contains(*c)).take(31).collect();
                self.say(&format!("follow {name}"));
            }
            None if !self.settings.alone => self.say("follownext"),
            None => {}
        }
    }

    /// Does what a server's command asks of a client as far as this one needs it. Gives why it is over, if it is.
    fn apply(&mut self, text: &[u8]) -> Option<String> {
        let mut words = Words::new(text);
        match words.next()? {
            b"disconnect" => {
                let why = clean(words.next().unwrap_or_default());
                Some(if why.is_empty() { String::from("the server closed the connection") } else { format!("the server closed the connection: {why}") })
            }
            b"cs" if words.next() == Some(b"1") => {
                self.server_id = number(info(self.state.string(1), "sv_serverid"));
                None
            }
            b"map_restart" => {
                self.split();
                None
            }
            _ => None,
        }
    }

    /// Writes a message. `frame`: its snapshot's base, and whether we are in the game.
    fn keep(&mut self, sequence: u32, payload: &[u8], frame: Option<(u8, bool)>, before: Option<(State, Gamestate)>) {
        if let (Some((0, true)), Some((state, numbers))) = (frame, before)
            && state.client().is_some()
        {
            self.opened = true;
            let numbers = Gamestate { command_sequence: state.command_sequence(), end: op::EOF, ..numbers };
            let operations = vec![Operation::Gamestate(canonical::gamestate(&state, &numbers))];
            let mut opening = Message { acknowledged: self.said.len() as u32, operations, end: Some(op::EOF), ..Message::default() };
            let data = opening.write_anew(state.dialect());
            self.put(sequence.wrapping_sub(1), &data);
        }
        if self.opened {
            self.put(sequence, payload);
            self.frames += u64::from(frame.is_some());
        }
    }

    fn put(&mut self, sequence: u32, data: &[u8]) {
        let frame = Frame { number: 0, offset: 0, sequence: sequence as i32, length: data.len() as u32, framing: Framing::Plain };
        frame.write(data, &mut self.written.bytes);
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
        match (datagram.strip_prefix(OUTSIDE), self.phase) {
            (Some(text), _) => self.outside(text),
            (None, Phase::Inside(challenge)) => {
                self.inside(datagram, challenge);
                self.pulse();
            }
            _ => {}
        }
    }

    fn tick(&mut self, now: f64) {
        if self.now == 0.0 && self.sent == f64::NEG_INFINITY {
            (self.since, self.heard) = (now, now);
        }
        self.now = self.now.max(now);
        match self.phase {
            Phase::Inside(_) if self.now - self.heard > SILENCE => self.end("the server fell silent"),
            Phase::Inside(_) if self.frames == 0 && self.now - self.since > ENTERING + CONNECTING => {
                self.end("the server does not let us into the game; servers with sv_pure 1 want checksums of the game's files");
            }
            Phase::Asking | Phase::Connecting(_) if self.now - self.since > CONNECTING => self.end(UNANSWERED),
            _ => {}
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
        self.end(if matches!(self.phase, Phase::Inside(_)) { "the server is gone" } else { "no server listens there" });
    }

    fn ended(&self) -> Option<&str> {
        self.ended.as_deref()
    }

    fn notice(&mut self) -> Option<String> {
        self.notice.take()
    }
}
