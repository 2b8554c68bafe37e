//! One client of a server that shows a recording: his channel, what he was told, and what he has of it.

use std::collections::VecDeque;
use std::sync::Arc;

use live::RateLimiter;

use super::client_message::ClientMessage;
use super::film::Shot;
use super::netchan::{Channel, FROM_SERVER, Received, Side, scramble};
use crate::canonical;
use crate::dialect::Dialect;
use crate::message::{Gamestate, Message, Operation, ServerCommand, Snapshot, op};
use crate::state::State;
use crate::text::{Words, info, number};

/// One client.
#[derive(Debug, Clone)]
pub(super) struct Viewer {
    challenge: i32,
    qport: u16,
    channel: Channel,
    /// Which of his gamestates he is to answer, and the message that it was in.
    server_id: i32,
    gamestate_message: i32,
    /// Whether he has the level and wants frames.
    pub active: bool,
    /// The newest message that he has, and whether deltas may start there.
    acknowledged: i32,
    deltas: bool,
    /// Commands that he has not acknowledged, and the number of the last one.
    waiting: VecDeque<Vec<u8>>,
    last_command: i32,
    /// Texts of the last commands, by number.
    texts: Vec<Vec<u8>>,
    /// His last command.
    heard_command: i32,
    heard_text: Vec<u8>,
    /// Frames that he may have.
    shots: [Option<(i32, Arc<Shot>)>; KEPT],
    /// Changes when the picture jumps, so that nothing is interpolated.
    toggle: bool,
    idled: f64,
    pub heard: f64,
    /// He must get the level: it is new, or he has missed it.
    pub wants_level: bool,
    pub left: bool,
    allowance: RateLimiter,
    /// Seconds between two frames that he wants, and when the next one is due.
    interval: f64,
    due: f64,
}

const KEPT: usize = 32;
/// How old a frame may be that deltas start from.
const OLDEST: i32 = 28;
/// How many commands engines keep.
const TEXTS: usize = 64;
/// Commands that may wait; then the level is sent again, which has them all in it.
const MOST_WAITING: usize = 56;
/// Bytes of them: they share a message with a frame.
const MOST_BYTES: usize = 8000;
/// Seconds between two messages to who loads the level.
const IDLE: f64 = 0.5;
const TOGGLE: u8 = 4;
/// Frames were left out for want of rate.
const DELAYED: u8 = 1;
/// Bytes per second, and frames, for who does not say; most of those.
const USUAL_RATE: i32 = 3000;
const USUAL_SNAPS: i32 = 20;
const MOST_SNAPS: i32 = 125;

impl Viewer {
    pub fn new(challenge: i32, qport: u16, now: f64) -> Self {
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
            heard_command: 0,
            heard_text: Vec::new(),
            shots: [const { None }; KEPT],
            toggle: false,
            idled: now,
            heard: now,
            wants_level: false,
            left: false,
            allowance: RateLimiter::new(None, USUAL_RATE),
            interval: 1.0 / f64::from(USUAL_SNAPS),
            due: now,
        }
    }

    /// What he says of himself: how fast he takes frames, and how many.
    pub fn introduce(&mut self, user: &[u8]) {
        self.allowance.set(Some(info(user, "rate")).filter(|rate| !rate.is_empty()).map(number));
        let snaps = Some(number(info(user, "snaps"))).filter(|snaps| *snaps > 0).unwrap_or(USUAL_SNAPS);
        self.interval = 1.0 / f64::from(snaps.min(MOST_SNAPS));
    }

    /// Whether he is to be sent a frame now.
    pub fn wants_frame(&mut self, now: f64) -> bool {
        // frames come when they do: one that is a little early is the next one
        if self.due > now + self.interval * 0.4 {
            return false;
        }
        let clear = self.allowance.is_clear(now);
        if clear {
            self.due = (self.due + self.interval).max(now);
        } else {
            self.allowance.leave_out();
        }
        clear
    }

    /// Whether this is the connection that somebody asks for.
    pub fn is_same(&self, challenge: i32, qport: u16) -> bool {
        self.challenge == challenge && self.qport == qport
    }

    /// Takes a datagram. Gives the commands in it that are new.
    pub fn receive(&mut self, now: f64, datagram: &[u8]) -> Vec<Vec<u8>> {
        let Some(Received { payload, .. }) = self.channel.receive(datagram) else { return Vec::new() };
        let texts = |number: i32| self.texts[number as usize % TEXTS].clone();
        let Ok(said) = ClientMessage::read(&payload, self.challenge, texts) else { return Vec::new() };
        // What was never sent cannot have come.
        // Who has not got the newest level yet counts commands as before it.
        let counts = said.server_id == self.server_id;
        if said.message < 0 || said.message >= self.channel.outgoing_sequence() as i32 || (counts && said.command > self.last_command) {
            return Vec::new();
        }
        self.heard = now;
        self.acknowledged = self.acknowledged.max(said.message);
        let waiting = (self.last_command - said.command).max(0) as usize;
        while counts && self.waiting.len() > waiting {
            self.waiting.pop_front();
        }
        let mut fresh = Vec::new();
        for (number, text) in said.commands {
            if number == self.heard_command.wrapping_add(1) {
                (self.heard_command, self.heard_text) = (number, text.clone());
                fresh.push(text);
            }
        }
        for text in fresh.iter().filter(|text| text.starts_with(b"userinfo ")) {
            self.introduce(Words::new(text).nth(1).unwrap_or_default());
        }
        self.left |= fresh.iter().any(|text| text == b"disconnect");
        if said.server_id != self.server_id || self.server_id == 0 {
            self.wants_level |= said.message > self.gamestate_message;
        } else if let Some(deltas) = said.moves {
            (self.active, self.deltas) = (true, deltas);
        }
        fresh
    }

    /// A command for him. Where too many wait he gets the level again, which has all of them in it.
    pub fn command(&mut self, text: &[u8]) {
        let bytes: usize = self.waiting.iter().map(Vec::len).sum();
        if self.waiting.len() >= MOST_WAITING || bytes + text.len() > MOST_BYTES {
            self.wants_level = true;
            return;
        }
        self.last_command = self.last_command.wrapping_add(1);
        self.texts[self.last_command as usize % TEXTS] = text.to_vec();
        self.waiting.push_back(text.to_vec());
    }

    /// The level, as of now.
    pub fn level(&mut self, server_id: i32, mut gamestate: Gamestate) -> Vec<Vec<u8>> {
        // Both ends scramble with the text of the last command that both know: those that nobody acknowledged were never said.
        self.last_command -= self.waiting.len() as i32;
        self.waiting.clear();
        gamestate.command_sequence = self.last_command;
        gamestate.end = op::EOF;
        (self.server_id, self.gamestate_message) = (server_id, self.channel.outgoing_sequence() as i32);
        (self.active, self.wants_level, self.deltas) = (false, false, false);
        self.shots = [const { None }; KEPT];
        self.idled = self.heard;
        self.send(vec![Operation::Gamestate(gamestate)])
    }

    /// The picture jumps: no delta, no interpolation.
    pub fn jump(&mut self) {
        self.toggle = !self.toggle;
        self.shots = [const { None }; KEPT];
    }

    /// A frame.
    pub fn show(&mut self, now: f64, state: &State, shot: &Arc<Shot>) -> Vec<Vec<u8>> {
        let delayed = if self.allowance.take_left_out() > 0 { DELAYED } else { 0 };
        let sequence = self.channel.outgoing_sequence() as i32;
        let base = self.acknowledged;
        let known = self.shots[base as usize % KEPT].as_ref().filter(|(at, _)| self.deltas && *at == base && sequence - base <= OLDEST);
        let nothing = crate::state::PlayerState::default();
        let (player, entities) = known.map_or((&nothing, &[][..]), |(_, old)| (&old.player, &old.entities[..]));
        let snapshot = Snapshot {
            client_command: 0,
            server_time: shot.server_time,
            delta: if known.is_some() { (sequence - base) as u8 } else { 0 },
            flags: (shot.flags ^ if self.toggle { TOGGLE } else { 0 }) | delayed,
            area_mask: shot.area_mask.clone(),
            player: canonical::player(player, &shot.player, state.dialect()),
            entities: canonical::entity_rows(state, entities, &shot.entities).into(),
        };
        self.shots[sequence as usize % KEPT] = Some((sequence, Arc::clone(shot)));
        let datagrams = self.send(vec![Operation::Snapshot(Box::new(snapshot))]);
        self.allowance.sent(now, datagrams.iter().map(Vec::len).sum());
        datagrams
    }

    /// As [`idle`](Self::idle), but rarely, and only to who has been sent a level.
    pub fn idle_since(&mut self, now: f64) -> Vec<Vec<u8>> {
        if self.server_id == 0 || now - self.idled < IDLE {
            return Vec::new();
        }
        self.idled = now;
        self.idle()
    }

    /// What keeps the connection, and says what waits.
    pub fn idle(&mut self) -> Vec<Vec<u8>> {
        self.send(Vec::new())
    }

    fn send(&mut self, said: Vec<Operation>) -> Vec<Vec<u8>> {
        let first = self.last_command - self.waiting.len() as i32;
        let commands = self.waiting.iter().zip(1..).map(|(text, at)| Operation::ServerCommand(ServerCommand { sequence: first + at, text: text.clone() }));
        let mut message =
            Message { acknowledged: self.heard_command as u32, operations: commands.chain(said).collect(), end: Some(op::EOF), ..Message::default() };
        let Some(dialect) = Dialect::of(68) else { return Vec::new() };
        let mut payload = message.write_anew(dialect);
        let key = self.challenge as u32 ^ self.channel.outgoing_sequence();
        scramble(&mut payload, FROM_SERVER, key, &self.heard_text);
        self.channel.transmit(&payload)
    }
}
