//! A client that records a server of protocol 34 like the recorders of the games: a signon of the current level, then every packet as it
//! arrived, from the first frame that is not a delta.
//!
//! ```
//! use fragreel_live::Stream;
//! use fragreel_quake2_live::recorder::{Recorder, Settings};
//!
//! let mut recorder = Recorder::new(Settings { name: String::from("me"), ..Settings::default() });
//! recorder.tick(0.0);
//! assert_eq!(recorder.next_request().unwrap(), b"\xff\xff\xff\xffgetchallenge\n");
//! recorder.receive(b"\xff\xff\xff\xffchallenge 17 p=34");
//! assert!(recorder.next_request().unwrap().starts_with(b"\xff\xff\xff\xffconnect 34 "));
//! recorder.receive(b"\xff\xff\xff\xffprint\nServer is full.\n");
//! assert_eq!(recorder.ended(), Some("the server refuses: Server is full."));
//! ```

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use fragreel_live::{DatagramRecorder, RecorderCore};

use super::client_message::{command, movement};
use super::handshake::{Answer, OUTSIDE, PROTOCOL, connect, get_challenge};
use super::netchan::{Channel, Side};
use fragreel_quake2::chars::clean;
use fragreel_quake2::container::dm2::{END_MARK, write_block};
use fragreel_quake2::dialect::{Announced, Dialect, RecordingKind};
use fragreel_quake2::fields::player::PM_TYPE;
use fragreel_quake2::message::{Body, Context, Message, Reader};
use fragreel_quake2::state::{Detail, Effect, State};
use fragreel_quake2::unstable::block_writer::BlockWriter;
use fragreel_quake2::unstable::limits::fatal;
use fragreel_quake2::unstable::signon::{SignonState, write_signon};

/// How to join.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Settings {
    /// The name to join with.
    pub name: String,
    /// The server's password; empty where there is none.
    pub password: String,
    /// The value of `spectator`: `1`, the spectator password, or empty to join as a player.
    pub spectator: String,
    /// Any number. Identifies the client's packets.
    pub qport: u16,
    /// Bytes per second that the server may send. Defaults to a high rate.
    pub rate: Option<u32>,
}

/// The recorder: a [`Stream`](fragreel_live::Stream) of datagrams.
#[derive(Debug)]
pub struct Recorder {
    core: RecorderCore,
    settings: Settings,
    phase: Phase,
    /// Whether a request to join was sent.
    asked_to_join: bool,
    channel: Channel,
    reader: Reader,
    state: State,
    signon: SignonState,
    /// The frame that the server may use as a delta base.
    newest_frame: Option<i32>,
    /// Whether the recording has the signon of this level.
    has_signon: bool,
    place_notified: bool,
    variables: BTreeMap<String, String>,
    /// The time of the last packet sent.
    last_sent: f64,
    /// Whether an acknowledgement is due.
    ack_due: bool,
    last_print: String,
    /// Whether the server has shown a frame.
    was_in_game: bool,
    /// How many times the server dropped the client before the first frame.
    dropped: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// Waiting for a challenge.
    Asking,
    /// Has a challenge, not yet let in.
    Connecting(i32),
    /// Connected.
    Connected,
}

/// Seconds between two requests while connecting.
const RETRY_INTERVAL: f64 = 1.5;
/// After a refused challenge a client waits one to eight of these seconds, so that several clients at one address do not start at once
/// again.
const CHALLENGE_PAUSE: f64 = 0.15;
const CHALLENGE_PAUSES: u16 = 8;
/// A dropped client waits this number of seconds, too: servers keep its slot for two, and send its old packets meanwhile.
const DROPPED_PAUSE: f64 = 2.5;
/// How often a server may drop the client before the first frame without a reason.
const MAX_DROPPED: u32 = 3;
/// Seconds of silence before the first frame after which the server has dropped the client, and the packet that said so was lost. Servers
/// send something every second.
const SIGNON_SILENCE: f64 = 10.0;
/// The size of the header of a server's packet in bytes.
const PACKET_HEADER: usize = 8;
/// Seconds between two packets sent.
const SEND_INTERVAL: f64 = 0.1;
/// The maximum size of unacknowledged commands in bytes.
const MAX_UNACKNOWLEDGED: usize = 64 << 10;
const MAX_VARIABLES: usize = 64;
/// `pm_type` of a spectator.
const SPECTATOR: u32 = 1;

impl Recorder {
    /// A recorder that has not connected yet.
    pub fn new(settings: Settings) -> Self {
        let dialect = Dialect::of(PROTOCOL as u32, RecordingKind::NETWORK, Announced::default()).unwrap_or_else(Dialect::playable);
        let variables = [(String::from("version"), String::from("fragreel"))].into();
        Recorder {
            core: RecorderCore::default(),
            channel: Channel::new(Side::Client { qport: settings.qport }),
            settings,
            phase: Phase::Asking,
            asked_to_join: false,
            reader: Reader::new(dialect),
            state: State::new(dialect, Detail::Full, false),
            signon: SignonState::default(),
            newest_frame: None,
            has_signon: false,
            place_notified: false,
            variables,
            last_sent: f64::NEG_INFINITY,
            ack_due: false,
            last_print: String::new(),
            was_in_game: false,
            dropped: 0,
        }
    }

    fn user_info(&self) -> String {
        let clean = |text: &str| text.chars().filter(|c| !c.is_control() && !"\\\";".contains(*c)).take(15).collect::<String>();
        let mut info =
            format!("\\name\\{}\\skin\\male/grunt\\rate\\{}\\msg\\1\\hand\\2\\fov\\90", clean(&self.settings.name), self.settings.rate.unwrap_or(25_000));
        for (key, value) in [("password", &self.settings.password), ("spectator", &self.settings.spectator)] {
            if !value.is_empty() {
                info += &format!("\\{key}\\{}", clean(value));
            }
        }
        info
    }

    fn receive_connectionless(&mut self, answer: Answer) {
        match (answer, self.phase) {
            (Answer::Challenge(challenge), Phase::Asking) => {
                self.phase = Phase::Connecting(challenge);
                self.last_sent = f64::NEG_INFINITY;
                self.send_if_due();
            }
            (Answer::Accepted, Phase::Asking | Phase::Connecting(_)) if self.asked_to_join => self.accepted(),
            // Another client at this address was given a challenge after us, or used ours up.
            (Answer::Print(text), Phase::Connecting(_)) if is_stale_challenge(&text) => {
                self.phase = Phase::Asking;
                self.ask_after(0.0);
            }
            (Answer::Print(text), Phase::Asking | Phase::Connecting(_)) => {
                let text = clean(&text);
                self.end(&format!("the server refuses: {}", text.trim()));
            }
            _ => {}
        }
    }

    /// Asks for a challenge after these seconds and the pause of this client.
    fn ask_after(&mut self, seconds: f64) {
        let pause = CHALLENGE_PAUSE * f64::from(self.settings.qport % CHALLENGE_PAUSES + 1);
        self.last_sent = self.core.now - RETRY_INTERVAL + seconds + pause;
    }

    /// Whether a dropped client tries again.
    fn may_join_again(&self) -> bool {
        !self.was_in_game && self.dropped < MAX_DROPPED
    }

    /// Joins again from the beginning. Another `qport` keeps the connection apart from the old one.
    fn join_again(&mut self) {
        let settings = Settings { qport: self.settings.qport.wrapping_add(1), ..self.settings.clone() };
        let (core, dropped) = (std::mem::take(&mut self.core), self.dropped + 1);
        *self = Recorder { core, dropped, ..Recorder::new(settings) };
        self.core.connect_again();
        self.ask_after(DROPPED_PAUSE);
    }

    fn accepted(&mut self) {
        self.phase = Phase::Connected;
        self.core.last_received = self.core.now;
        self.channel.queue(&command("new"));
        self.last_sent = f64::NEG_INFINITY;
    }

    fn receive_packet(&mut self, datagram: &[u8]) {
        let Ok(received) = self.channel.receive(datagram) else { return };
        self.core.last_received = self.core.now;
        self.ack_due = true;
        let (mut run_server_command, mut frame, mut level, mut over, mut dropped) = (Vec::new(), None, false, None, false);
        let (state, signon, last_print, newest_frame) = (&mut self.state, &mut self.signon, &mut self.last_print, &mut self.newest_frame);
        // The state before the packet that the recording begins with.
        let before = (!self.has_signon).then(|| (signon.clone(), state.clone()));
        let read = self.reader.block(received.payload, |message: &mut Message, _, cx| {
            // what protocol the server speaks is said below
            if let Some(why) = fatal(&message.body, &cx.dialect).filter(|_| !matches!(message.body, Body::ServerData(_))) {
                over = Some(format!("the server sent what engines stop at: {why}"));
                return false;
            }
            let effect = state.apply(message);
            signon.take_in(message, state);
            match &message.body {
                Body::StuffText(text) => run_server_command.push(String::from_utf8_lossy(&text.0).into_owned()),
                Body::Print(print) => *last_print = clean(&print.text.0).trim().to_owned(),
                Body::ServerData(data) => {
                    level = true;
                    if data.protocol != PROTOCOL as u32 {
                        over = Some(format!("the server speaks protocol {}", data.protocol));
                    }
                }
                Body::Disconnect => {
                    dropped = true;
                    over = Some(String::from("the server closed the connection"));
                }
                Body::Reconnect => over = Some(String::from("the server restarts")),
                Body::Frame(begun) => {
                    frame = Some(begun.delta);
                    *newest_frame = None;
                }
                _ => {}
            }
            if effect == Effect::Frame {
                *newest_frame = state.ring.current().map(|frame| frame.number()).filter(|number| *number > 0);
            }
            over.is_none()
        });
        // Yamagi's server fills a client's buffer with the signon, and drops the client if another one connects then
        if dropped && self.may_join_again() && self.last_print.is_empty() {
            self.join_again();
            return;
        }
        if level {
            self.has_signon = false;
            self.newest_frame = None;
            self.end_level();
        }
        if let (Err(failure), None) = (&read, &over) {
            over = Some(format!("the server sent what cannot be read: {}", failure.error));
        }
        if over.is_none() {
            self.write_packet(received.payload, frame.filter(|_| self.newest_frame.is_some()), before.filter(|_| !level));
        }
        for text in &run_server_command {
            text.split('\n').for_each(|line| self.run_server_command(line));
        }
        if let Some(reason) = over {
            let reason = if self.last_print.is_empty() { reason } else { format!("{reason}: {}", self.last_print) };
            self.end(&reason);
        } else if self.channel.waiting() > MAX_UNACKNOWLEDGED {
            self.end("the server requested more than it acknowledged");
        }
    }

    /// Writes a packet. `delta` is the base of the complete frame in it, if there is one.
    fn write_packet(&mut self, payload: &[u8], delta: Option<i32>, before: Option<(SignonState, State)>) {
        if let (false, Some(base), Some((signon, state))) = (self.has_signon, delta, before)
            && base <= 0
            && signon.server_data.is_some()
        {
            (self.has_signon, self.was_in_game) = (true, true);
            self.notify_if_playing();
            let mut blocks = BlockWriter::default();
            let mut cx = Context::new(state.dialect);
            write_signon(&mut blocks, &mut cx, &signon, &state);
            blocks.end_block(state.dialect.safe_block());
            self.core.written.bytes.extend(blocks.finish(false));
        }
        // An empty block ends playback in id's engine.
        if self.has_signon && !payload.is_empty() {
            write_block(&mut self.core.written.bytes, payload);
            self.core.frames += u64::from(delta.is_some());
        }
    }

    /// Notes once if the server let us in as a player.
    fn notify_if_playing(&mut self) {
        let current = self.state.ring.current();
        let own = current.as_ref().and_then(|frame| frame.players().next()).map(|(_, player)| player.row[PM_TYPE]);
        if !std::mem::replace(&mut self.place_notified, true) && own.is_some_and(|kind| kind != SPECTATOR) {
            self.core.notice = Some(String::from("the server let us in as a player: somebody of this name stands in the game"));
        }
    }

    /// Runs a console command from the server, as far as joining needs it.
    fn run_server_command(&mut self, line: &str) {
        let line = line.trim();
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        match word {
            "cmd" => {
                let text = self.expand_variables(rest);
                self.channel.queue(&command(&text));
            }
            "precache" => {
                let text = format!("begin {rest}");
                self.channel.queue(&command(text.trim()));
            }
            "reconnect" => {
                self.has_signon = false;
                self.channel.queue(&command("new"));
            }
            "set" if self.variables.len() < MAX_VARIABLES => {
                if let Some((name, value)) = rest.split_once(' ')
                    && name != "version"
                {
                    self.variables.insert(name.to_owned(), value.trim_matches('"').chars().take(64).collect());
                }
            }
            _ => {}
        }
    }

    /// Replaces variables in a line by their values.
    fn expand_variables(&self, line: &str) -> String {
        let words = line.split(' ').map(|word| match word.strip_prefix('$') {
            Some(name) => self.variables.get(name).map_or("", String::as_str),
            None => word,
        });
        words.collect::<Vec<_>>().join(" ").chars().take(255).collect()
    }
}

/// Whether a server's line says that it does not know the challenge. Stock clients then ask for another one.
fn is_stale_challenge(text: &[u8]) -> bool {
    let text = clean(text);
    ["Bad challenge", "No challenge for address"].iter().any(|line| text.trim_start().starts_with(line))
}

impl DatagramRecorder for Recorder {
    fn core(&self) -> &RecorderCore {
        &self.core
    }

    fn core_mut(&mut self) -> &mut RecorderCore {
        &mut self.core
    }

    fn is_connected(&self) -> bool {
        self.phase == Phase::Connected
    }

    fn take(&mut self, datagram: &[u8]) {
        match Answer::read(datagram) {
            Some(answer) => self.receive_connectionless(answer),
            // Servers send packets of the connection only to clients that they accepted. Yamagi's answers no second `connect`, so this is
            // all that is heard of it when the answer to the first was lost.
            None if self.phase != Phase::Connected && self.asked_to_join && !datagram.starts_with(OUTSIDE) && datagram.len() >= PACKET_HEADER => {
                self.accepted();
                self.receive_packet(datagram);
                self.send_if_due();
            }
            None if self.phase == Phase::Connected => {
                self.receive_packet(datagram);
                self.send_if_due();
            }
            None => {}
        }
    }

    fn send_if_due(&mut self) {
        if self.has_ended() {
            return;
        }
        if self.is_connected() && self.may_join_again() && self.core.now - self.core.last_received > SIGNON_SILENCE {
            self.join_again();
        }
        let wait = match self.phase {
            Phase::Connected if self.ack_due => 0.0,
            Phase::Connected => SEND_INTERVAL,
            _ => RETRY_INTERVAL,
        };
        if self.core.now - self.last_sent < wait {
            return;
        }
        let packet = match self.phase {
            Phase::Asking => get_challenge(),
            Phase::Connecting(challenge) => {
                self.asked_to_join = true;
                connect(self.settings.qport, challenge, &self.user_info())
            }
            Phase::Connected => {
                let passed = ((self.core.now - self.last_sent) * 1000.0).clamp(1.0, 100.0) as u8;
                let step = movement(self.channel.outgoing_sequence(), self.newest_frame, passed);
                // Before the game starts, moves mean nothing.
                self.channel.transmit(if self.signon.server_data.is_some() { &step } else { b"" })
            }
        };
        (self.last_sent, self.ack_due) = (self.core.now, false);
        self.core.requests.push_back(packet);
    }

    fn say_goodbye(&mut self) {
        self.channel.queue(&command("disconnect"));
        (0..3).for_each(|_| self.core.requests.push_back(self.channel.transmit(&command("disconnect"))));
    }

    fn write_end(&mut self) {
        self.core.written.bytes.extend(END_MARK.to_le_bytes());
    }
}
