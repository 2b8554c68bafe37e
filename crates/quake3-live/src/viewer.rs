//! One client of a demo server: its channel, the frames and commands sent, and those that it acknowledged.

use std::collections::VecDeque;
use std::sync::Arc;

use fragreel_live::RateLimiter;

use super::client_message::ClientMessage;
use super::netchan::{Channel, FROM_SERVER, Received, Side, scramble};
use super::playhead::OutgoingFrame;
use fragreel_quake3::dialect::Dialect;
use fragreel_quake3::message::{Gamestate, Message, Operation, ServerCommand, Snapshot, op};
use fragreel_quake3::state::State;
use fragreel_quake3::strings::{Words, info, number};
use fragreel_quake3::unstable::canonical;

/// One client.
#[derive(Debug, Clone)]
pub(super) struct Viewer {
    challenge: i32,
    qport: u16,
    channel: Channel,
    /// The gamestate that the client must answer, and the message that carried it.
    server_id: i32,
    gamestate_message: i32,
    /// Whether the client has the level and wants frames.
    pub active: bool,
    /// The newest message that the client has, and whether it may be a delta base.
    acknowledged: i32,
    deltas: bool,
    /// Commands that the client has not acknowledged, and the number of the last one.
    waiting: VecDeque<Vec<u8>>,
    last_command: i32,
    /// Texts of the last commands, by number.
    texts: Vec<Vec<u8>>,
    /// The client's last command.
    client_command: i32,
    client_text: Vec<u8>,
    /// Frames that the client may have.
    sent_frames: [Option<(i32, Arc<OutgoingFrame>)>; KEPT],
    /// Changes at a seek, so that the client does not interpolate.
    toggle: bool,
    last_idle: f64,
    pub last_received: f64,
    /// The client needs the level: it is new, or was lost.
    pub wants_level: bool,
    pub left: bool,
    rate: RateLimiter,
    /// Seconds between two frames, and when the next one is due.
    interval: f64,
    due: f64,
}

const KEPT: usize = 32;
/// The maximum age of a delta base, in messages.
const OLDEST: i32 = 28;
/// How many commands engines keep.
const TEXTS: usize = 64;
/// Commands that may wait. With more, the level is sent again, which includes their effects.
const MOST_WAITING: usize = 56;
/// Their maximum size in bytes: they share a message with a frame.
const MOST_BYTES: usize = 8000;
/// Seconds between two messages to a client that loads the level.
const IDLE: f64 = 0.5;
const TOGGLE: u8 = 4;
/// The flag of a snapshot that the rate limit delayed.
const DELAYED: u8 = 1;
/// Bytes and frames per second for clients that state none; the maximum of frames.
const USUAL_RATE: i32 = 3000;
const USUAL_SNAPS: i32 = 20;
const MOST_SNAPS: i32 = 125;

impl fragreel_live::Viewer for Viewer {
    fn watches(&self) -> bool {
        self.active
    }

    fn farewell(&mut self, reason: &str) -> Vec<Vec<u8>> {
        self.command(format!("disconnect \"{reason}\"").as_bytes());
        self.idle()
    }
}

impl Viewer {
    pub(super) fn new(challenge: i32, qport: u16, now: f64) -> Self {
        Viewer {
            challenge,
            qport,
            channel: Channel::new(Side::Server { qport }),
            server_id: 0,
            gamestate_message: -1,
            active: false,
            acknowledged: 0,
            deltas: false,
            waiting: VecDeque::new(),
            last_command: 0,
            texts: vec![Vec::new(); TEXTS],
            client_command: 0,
            client_text: Vec::new(),
            sent_frames: [const { None }; KEPT],
            toggle: false,
            last_idle: now,
            last_received: now,
            wants_level: false,
            left: false,
            rate: RateLimiter::new(None, USUAL_RATE),
            interval: 1.0 / f64::from(USUAL_SNAPS),
            due: now,
        }
    }

    /// Reads rate and snaps from the client's user info.
    pub(super) fn set_user_info(&mut self, user: &[u8]) {
        self.rate.set(Some(info(user, "rate")).filter(|rate| !rate.is_empty()).map(number));
        let snaps = Some(number(info(user, "snaps"))).filter(|snaps| *snaps > 0).unwrap_or(USUAL_SNAPS);
        self.interval = 1.0 / f64::from(snaps.min(MOST_SNAPS));
    }

    /// Whether a frame is due.
    pub(super) fn wants_frame(&mut self, now: f64) -> bool {
        // frames are not evenly spaced: one that is a little early counts as due
        if self.due > now + self.interval * 0.4 {
            return false;
        }
        let clear = self.rate.is_clear(now);
        if clear {
            self.due = (self.due + self.interval).max(now);
        } else {
            self.rate.leave_out();
        }
        clear
    }

    /// Whether a `connect` is for this connection.
    pub(super) fn is_same(&self, challenge: i32, qport: u16) -> bool {
        self.challenge == challenge && self.qport == qport
    }

    /// Takes a datagram. Returns its new commands.
    pub(super) fn receive(&mut self, now: f64, datagram: &[u8]) -> Vec<Vec<u8>> {
        let Some(Received { payload, .. }) = self.channel.receive(datagram) else { return Vec::new() };
        let texts = |number: i32| self.texts[number as usize % TEXTS].clone();
        let Ok(message) = ClientMessage::read(&payload, self.challenge, texts) else { return Vec::new() };
        // clients cannot acknowledge what was never sent; commands count from the newest level
        let counts = message.server_id == self.server_id;
        if message.message < 0 || message.message >= self.channel.outgoing_sequence() as i32 || (counts && message.command > self.last_command) {
            return Vec::new();
        }
        self.last_received = now;
        self.acknowledged = self.acknowledged.max(message.message);
        let waiting = (self.last_command - message.command).max(0) as usize;
        while counts && self.waiting.len() > waiting {
            self.waiting.pop_front();
        }
        let mut fresh = Vec::new();
        for (number, text) in message.commands {
            if number == self.client_command.wrapping_add(1) {
                (self.client_command, self.client_text) = (number, text.clone());
                fresh.push(text);
            }
        }
        for text in fresh.iter().filter(|text| text.starts_with(b"userinfo ")) {
            self.set_user_info(Words::new(text).nth(1).unwrap_or_default());
        }
        self.left |= fresh.iter().any(|text| text == b"disconnect");
        if message.server_id != self.server_id || self.server_id == 0 {
            self.wants_level |= message.message > self.gamestate_message;
        } else if let Some(deltas) = message.moves {
            (self.active, self.deltas) = (true, deltas);
        }
        fresh
    }

    /// Queues a command. If too many wait, the level is sent again instead.
    pub(super) fn command(&mut self, text: &[u8]) {
        let bytes: usize = self.waiting.iter().map(Vec::len).sum();
        if self.waiting.len() >= MOST_WAITING || bytes + text.len() > MOST_BYTES {
            self.wants_level = true;
            return;
        }
        self.last_command = self.last_command.wrapping_add(1);
        self.texts[self.last_command as usize % TEXTS] = text.to_vec();
        self.waiting.push_back(text.to_vec());
    }

    /// The datagrams of a level.
    pub(super) fn level(&mut self, server_id: i32, mut gamestate: Gamestate) -> Vec<Vec<u8>> {
        // both ends scramble with the last command that both know, so commands without acknowledgement are taken back
        self.last_command -= self.waiting.len() as i32;
        self.waiting.clear();
        gamestate.command_sequence = self.last_command;
        gamestate.end = op::EOF;
        (self.server_id, self.gamestate_message) = (server_id, self.channel.outgoing_sequence() as i32);
        (self.active, self.wants_level, self.deltas) = (false, false, false);
        self.sent_frames = [const { None }; KEPT];
        self.last_idle = self.last_received;
        self.send(vec![Operation::Gamestate(gamestate)])
    }

    /// Notes a seek: no deltas and no interpolation across it.
    pub(super) fn jump(&mut self) {
        self.toggle = !self.toggle;
        self.sent_frames = [const { None }; KEPT];
    }

    /// The datagrams of a frame.
    pub(super) fn frame(&mut self, now: f64, state: &State, outgoing: &Arc<OutgoingFrame>) -> Vec<Vec<u8>> {
        let delayed = if self.rate.take_left_out() > 0 { DELAYED } else { 0 };
        let sequence = self.channel.outgoing_sequence() as i32;
        let base = self.acknowledged;
        let known = self.sent_frames[base as usize % KEPT].as_ref().filter(|(at, _)| self.deltas && *at == base && sequence - base <= OLDEST);
        let nothing = fragreel_quake3::state::PlayerState::default();
        let (player, entities) = known.map_or((&nothing, &[][..]), |(_, old)| (&old.player, &old.entities[..]));
        let snapshot = Snapshot {
            client_command: 0,
            server_time: outgoing.server_time,
            delta: if known.is_some() { (sequence - base) as u8 } else { 0 },
            flags: (outgoing.flags ^ if self.toggle { TOGGLE } else { 0 }) | delayed,
            area_mask: outgoing.area_mask.clone(),
            player: canonical::player(player, &outgoing.player, state.dialect()),
            entities: canonical::entity_rows(state, entities, &outgoing.entities).into(),
        };
        self.sent_frames[sequence as usize % KEPT] = Some((sequence, Arc::clone(outgoing)));
        let datagrams = self.send(vec![Operation::Snapshot(Box::new(snapshot))]);
        self.rate.sent(now, datagrams.iter().map(Vec::len).sum());
        datagrams
    }

    /// Like [`idle`](Self::idle), but at most once per interval, and only after a level was sent.
    pub(super) fn idle_since(&mut self, now: f64) -> Vec<Vec<u8>> {
        if self.server_id == 0 || now - self.last_idle < IDLE {
            return Vec::new();
        }
        self.last_idle = now;
        self.idle()
    }

    /// The datagrams of a message that has only the waiting commands.
    pub(super) fn idle(&mut self) -> Vec<Vec<u8>> {
        self.send(Vec::new())
    }

    fn send(&mut self, message: Vec<Operation>) -> Vec<Vec<u8>> {
        let first = self.last_command - self.waiting.len() as i32;
        let commands = self.waiting.iter().zip(1..).map(|(text, at)| Operation::ServerCommand(ServerCommand { sequence: first + at, text: text.clone() }));
        let mut message =
            Message { acknowledged: self.client_command as u32, operations: commands.chain(message).collect(), end: Some(op::EOF), ..Message::default() };
        let Some(dialect) = Dialect::of(68) else { return Vec::new() };
        let mut payload = message.write_anew(dialect);
        let key = self.challenge as u32 ^ self.channel.outgoing_sequence();
        scramble(&mut payload, FROM_SERVER, key, &self.client_text);
        self.channel.transmit(&payload)
    }
}
