//! The NetQuake demo server. NetQuake has no spectators: all clients see the recording player's view, and its angles are
//! set with each frame.
//!
//! Nothing in this protocol proves an address before the connection. So a client has no place until it has acknowledged something: it gets nine
//! bytes three times, no more than three times what it sent, and then a kilobyte for each that it acknowledges. Of those that have acknowledged
//! nothing, the oldest makes room for the newest.

#[cfg(test)]
mod tests;

mod fit;
mod playhead;

use std::collections::BTreeMap;
use std::hash::Hash;

use fragreel_base::wire::WriteBytes;
use fragreel_live::{Checkpoints, Growing, PlaybackCore, Rates};

use crate::demo_server::ALLOWED;
use crate::demo_server::netquake::playhead::Playhead;
use crate::handshake::netquake::{Control as Packet, accept, read, reject};
use crate::netchan::netquake::{Arrived, Channel};
use crate::query;
use fragreel_quake1::Recording;
use fragreel_quake1::unstable::container::Container;
use fragreel_quake1::unstable::dialect::Dialect;
use fragreel_quake1::unstable::message::{Angle, Message, NqPrint, SetAngle, SetPause, StatLong, Text, code};
use fragreel_quake1::unstable::state::stat;

/// The state machine of the server. `A` is the caller's address type.
#[derive(Clone)]
pub struct NetQuakeDemoServer<A> {
    core: PlaybackCore<A>,
    recording: Growing,
    playhead: Playhead,
    checkpoints: Checkpoints<Playhead>,
    viewers: BTreeMap<A, Viewer>,
    /// Who asked to connect and has acknowledged nothing: the address may be forged.
    half_open: BTreeMap<A, HalfOpen>,
    rates: Rates<A>,
    name: String,
    port: u16,
    /// When the last frame was sent.
    sent: f64,
    /// The most bytes of a frame.
    datagram: usize,
    paused: bool,
    over: bool,
    /// True if a new level has had no frame yet.
    pending: bool,
}

/// A connected client.
#[derive(Clone)]
struct Viewer {
    channel: Channel,
    stage: Stage,
    heard: f64,
    /// When a reliable part was last sent.
    sent: f64,
    left: bool,
}

/// A client that has acknowledged nothing.
#[derive(Clone)]
struct HalfOpen {
    viewer: Viewer,
    /// Bytes that it may be sent: three times what it sent, less what it got.
    credit: usize,
}

/// The next step that a client has to take.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Stage {
    /// `prespawn`.
    Files,
    /// `spawn`.
    Baselines,
    /// `begin`.
    State,
    /// None: it is in the game.
    Playing,
}

/// Milliseconds between two positions that are kept for seeking.
const CHECKPOINT_INTERVAL: i64 = 15_000;
/// The most clients.
const MOST_VIEWERS: usize = 64;
/// The most clients that have acknowledged nothing, and how many times as much as it sent each gets.
const MOST_HALF_OPEN: usize = 512;
const MOST_TIMES: usize = 3;
/// Bytes that an address of this machine gets, which nobody attacks by them.
const NEAR: usize = 1 << 10;
/// Seconds of silence after which a client is dropped, and those for a client that never answered.
const TIMEOUT: f64 = 60.0;
const UNPROVEN: f64 = 10.0;
/// Seconds of silence after which a client may reconnect.
const RECONNECT: f64 = 3.0;
/// Seconds after which an unacknowledged part is resent.
const RESEND: f64 = 1.0;
/// Seconds after which the last frame is sent again.
const STILL: f64 = 0.1;
/// The most bytes that may wait for a client.
const MOST_WAITING: usize = 1 << 19;
/// The most bytes of a frame for id's engine, and for later ones. Networks would fragment the latter.
const SMALL_DATAGRAM: usize = 1024;
const LARGE_DATAGRAM: usize = 16_000;
const NOP: &[u8] = &[1];

/// Bytes of the answer to a query beside the server's name and the map.
const INFO_OVERHEAD: usize = 11;

const CLC_NOP: u8 = 1;
const CLC_DISCONNECT: u8 = 2;
const CLC_STRING: u8 = 4;

impl<A: Ord + Copy + Hash> NetQuakeDemoServer<A> {
    /// Serves a recording from its start. Clients have to support its protocol. `marks` are the times that `next` and
    /// `prev` go to, in rising order.
    ///
    /// Fails with the reason if plain clients cannot play the recording. `convert` may help.
    pub fn new(recording: &Recording<'_>, name: &str, marks: impl IntoIterator<Item = i64>) -> Result<Self, &'static str> {
        let d = recording.dialect();
        if recording.container() != Container::NetQuake {
            return Err("it is no recording of NetQuake");
        }
        if d.replacement() || d.is_rerelease() || d.is_nehahra() || !matches!(d.numbers.protocol, 15 | 666 | 999) {
            return Err("its protocol is none of 15, 666 and 999");
        }
        let length = recording.info().duration.map_or(0, |length| length.0);
        let mut core = PlaybackCore::new(length, marks, &ALLOWED);
        let (mut playhead, source) = (Playhead::new(recording), Growing::whole(recording.input().bytes.to_vec()));
        while !playhead.is_open {
            playhead.step(&source, &mut core.console).ok_or("there is no frame in it")?;
        }
        let datagram = if d.numbers.protocol == 15 { SMALL_DATAGRAM } else { LARGE_DATAGRAM };
        Ok(NetQuakeDemoServer {
            core,
            checkpoints: Checkpoints::new(playhead.clone(), CHECKPOINT_INTERVAL),
            recording: source,
            playhead,
            viewers: BTreeMap::new(),
            half_open: BTreeMap::new(),
            rates: Rates::new(),
            name: name.chars().filter(char::is_ascii_graphic).take(15).collect(),
            port: 0,
            sent: f64::NEG_INFINITY,
            datagram,
            paused: false,
            over: false,
            pending: false,
        })
    }

    /// Limits frames to this many bytes. Networks fragment more than 1400.
    #[must_use]
    pub fn with_datagram(mut self, bytes: usize) -> Self {
        self.datagram = self.datagram.min(bytes);
        self
    }

    fn encode(d: &Dialect, messages: &[Message]) -> Vec<u8> {
        let mut w = WriteBytes::default();
        for message in messages {
            let Ok(()) = code(&mut w, d, &mut message.clone());
        }
        w.finish()
    }

    /// Sends reliably to all clients in the game.
    fn broadcast(&mut self, messages: &[Message]) {
        let bytes: Vec<Vec<u8>> = messages.iter().map(|message| Self::encode(self.playhead.dialect(), std::slice::from_ref(message))).collect();
        for viewer in self.viewers.values_mut().filter(|viewer| viewer.stage >= Stage::State) {
            bytes.iter().for_each(|message| viewer.channel.queue(message));
        }
    }

    /// Sends the level at the playhead to all clients.
    fn open_level(&mut self) {
        let files = self.playhead.signon()[0].clone();
        for viewer in self.viewers.values_mut() {
            viewer.channel.queue(b"\x09reconnect\n\0");
            files.iter().for_each(|block| viewer.channel.queue(block));
            viewer.stage = Stage::Files;
        }
        self.sent = f64::NEG_INFINITY;
    }

    /// Applies blocks up to a time.
    fn advance(&mut self, time: i64, heard: bool) {
        while (self.playhead.time() < time || !self.playhead.is_open) && !self.over {
            let Some(output) = self.playhead.step(&self.recording, &mut self.core.console) else {
                self.over = true;
                break;
            };
            self.pending |= output.level;
            if self.playhead.is_open && !self.core.control.is_live() {
                self.checkpoints.pass(self.playhead.time(), &self.playhead);
            }
            if heard && !self.pending {
                self.broadcast(&output.reliable);
            }
            if heard && output.framed {
                self.sent = f64::NEG_INFINITY;
            }
        }
        if !heard {
            self.pending = false;
        } else if self.pending && (self.playhead.is_open || !self.core.control.is_live()) {
            self.pending = false;
            self.open_level();
        }
        if self.core.control.is_live() {
            self.core.control.grow(self.playhead.time());
        }
    }

    /// Encodes the current frame: view angles, then entities, the nearest first if not all fit.
    fn frame(&self) -> Vec<u8> {
        let d = self.playhead.dialect();
        let angles = self.playhead.angles.map(|degrees| Angle(d.angle.word(degrees.value())));
        let look = Message::SetAngle(SetAngle { slot: 0, reason: 0, angles });
        let (updates, others): (Vec<&Message>, Vec<&Message>) = self.playhead.frame.iter().partition(|message| matches!(message, Message::FastUpdate(_)));
        let one = |message: &Message| Self::encode(d, std::slice::from_ref(message));
        let mut out = Vec::new();
        let (time, others): (Vec<&Message>, Vec<&Message>) =
            others.into_iter().partition(|message| matches!(message, Message::NqTime(_) | Message::ClientData(_)));
        time.iter().for_each(|message| out.extend(one(message)));
        out.extend(one(&look));
        let mut encoded: Vec<(f32, Vec<u8>)> = updates.iter().map(|message| (self.distance(message), one(message))).collect();
        if out.len() + encoded.iter().map(|(_, bytes)| bytes.len()).sum::<usize>() > self.datagram {
            encoded.sort_by(|a, b| a.0.total_cmp(&b.0));
        }
        let rest = others.iter().map(|message| one(message));
        for bytes in encoded.into_iter().map(|(_, bytes)| bytes).chain(rest) {
            if out.len() + bytes.len() <= self.datagram {
                out.extend(bytes);
            }
        }
        out
    }

    /// The squared distance of an updated entity from the view. Brush models count as near.
    fn distance(&self, message: &Message) -> f32 {
        let Message::FastUpdate(update) = message else { return 0.0 };
        let world = &self.playhead.game.world;
        let d = self.playhead.dialect();
        let (Some(seen), Some(eye)) = (world.entity(d, update.entity.number), self.playhead.game.view_entity.and_then(|eye| world.entity(d, eye))) else {
            return 0.0;
        };
        let is_brush = self.playhead.game.level.models.get(seen.model as usize).is_some_and(|name| name.bytes().starts_with(b"*"));
        if is_brush { 0.0 } else { (0..3).map(|axis| (seen.origin[axis] - eye.origin[axis]).powi(2)).sum() }
    }

    /// Outside of any connection.
    fn outside(&mut self, from: A, datagram: &[u8], is_near: bool) {
        let packet = read(datagram);
        let is_known = matches!(packet, Some(Packet::Connect | Packet::Foreign)) || datagram == query::server_info();
        if !is_known || !self.rates.allow(from, self.core.now) {
            return;
        }
        let answer = match packet {
            Some(Packet::Connect) => self.connect(from, if is_near { NEAR } else { MOST_TIMES * datagram.len() }),
            Some(Packet::Foreign) => reject("Incompatible version.\n"),
            _ => {
                let (map, most) = self.playhead.map();
                // not longer than three times the question
                let room = 3 * datagram.len() - INFO_OVERHEAD;
                let name: String = self.name.chars().take(room / 2).collect();
                let map: String = map.chars().take(room - name.len()).collect();
                query::server_info_reply(&name, &map, self.viewers.len().min(255) as u8, most.max(MOST_VIEWERS as u8))
            }
        };
        self.core.outbox.push_back((from, answer));
    }

    fn connect(&mut self, from: A, credit: usize) -> Vec<u8> {
        // a duplicate, late or forged `connect` must not reset a connection; a client that really reconnects was silent for a while
        let is_known = self.viewers.get(&from).is_some_and(|viewer| self.core.now - viewer.heard < RECONNECT) || self.half_open.contains_key(&from);
        if !is_known {
            if self.viewers.len() >= MOST_VIEWERS && !self.viewers.contains_key(&from) {
                return reject("Server is full.\n");
            }
            if self.half_open.len() >= MOST_HALF_OPEN {
                let oldest = self.half_open.iter().min_by(|a, b| a.1.viewer.heard.total_cmp(&b.1.viewer.heard)).map(|(from, _)| *from);
                oldest.map(|oldest| self.half_open.remove(&oldest));
            }
            let mut viewer = Viewer { channel: Channel::new(), stage: Stage::Files, heard: self.core.now, sent: f64::NEG_INFINITY, left: false };
            viewer.channel.queue(NOP);
            self.half_open.insert(from, HalfOpen { viewer, credit: 0 });
        }
        let answer = accept(self.port.into());
        if let Some(half_open) = self.half_open.get_mut(&from) {
            half_open.credit += credit - answer.len();
        }
        answer
    }

    /// Gives a client that has acknowledged something a place.
    fn prove(&mut self, from: A, datagram: &[u8]) -> bool {
        let Some(HalfOpen { viewer, credit }) = self.half_open.get_mut(&from) else { return false };
        *credit += MOST_TIMES * datagram.len();
        let mut answer = None;
        let arrived = viewer.channel.receive(datagram, &mut answer);
        // an acknowledgement is shorter than what it answers
        *credit -= answer.as_ref().map_or(0, Vec::len).min(*credit);
        self.core.outbox.extend(answer.map(|answer| (from, answer)));
        if arrived != Arrived::Acknowledged {
            return false;
        }
        let Some(HalfOpen { mut viewer, .. }) = self.half_open.remove(&from) else { return false };
        if self.viewers.len() >= MOST_VIEWERS && !self.viewers.contains_key(&from) {
            return true;
        }
        (viewer.heard, viewer.sent) = (self.core.now, f64::NEG_INFINITY);
        self.playhead.signon()[0].iter().for_each(|block| viewer.channel.queue(block));
        self.viewers.insert(from, viewer);
        true
    }

    /// Within a connection.
    fn inside(&mut self, from: A, datagram: &[u8], controls: bool) {
        if self.prove(from, datagram) {
            return;
        }
        let Some(viewer) = self.viewers.get_mut(&from) else { return };
        let mut answer = None;
        let arrived = viewer.channel.receive(datagram, &mut answer);
        if arrived == Arrived::Nothing && answer.is_none() {
            return;
        }
        viewer.heard = self.core.now;
        self.core.outbox.extend(answer.map(|answer| (from, answer)));
        if arrived == Arrived::Acknowledged {
            viewer.sent = f64::NEG_INFINITY;
        }
        if let Arrived::Reliable(payload) | Arrived::Unreliable { payload, .. } = arrived {
            for command in commands(&payload, &mut viewer.left) {
                self.command(from, &command, controls);
            }
        }
    }

    fn command(&mut self, from: A, text: &[u8], controls: bool) {
        let word = text.split(u8::is_ascii_whitespace).next().unwrap_or_default();
        let Some(viewer) = self.viewers.get_mut(&from) else { return };
        let (part, next) = match (word, viewer.stage) {
            (b"prespawn", Stage::Files) => (1, Stage::Baselines),
            (b"spawn", Stage::Baselines) => (2, Stage::State),
            (b"begin", Stage::State) => {
                viewer.stage = Stage::Playing;
                self.sent = f64::NEG_INFINITY;
                if self.paused {
                    viewer.channel.queue(&Self::encode(self.playhead.dialect(), &[Message::SetPause(SetPause { paused: 1 })]));
                }
                return;
            }
            _ if controls => {
                fragreel_live::PlaybackServer::order(self, text);
                return;
            }
            _ => return,
        };
        self.playhead.signon()[part].iter().for_each(|block| viewer.channel.queue(block));
        viewer.stage = next;
    }

    fn send(&mut self) {
        let due = self.core.now - self.sent >= STILL;
        let frame = if due && self.viewers.values().any(|viewer| viewer.stage == Stage::Playing) { self.frame() } else { Vec::new() };
        let (now, mut lost) = (self.core.now, Vec::new());
        for (&address, viewer) in &mut self.viewers {
            let part = if now - viewer.sent >= RESEND { viewer.channel.repeat_part() } else { viewer.channel.next_part() };
            if let Some(part) = part {
                viewer.sent = now;
                self.core.outbox.push_back((address, part));
            }
            if viewer.stage == Stage::Playing && !frame.is_empty() {
                self.core.outbox.push_back((address, viewer.channel.unreliable(&frame)));
            }
            if viewer.left || now - viewer.heard > TIMEOUT || viewer.channel.waiting() > MOST_WAITING {
                lost.push(address);
            }
        }
        for (&address, HalfOpen { viewer, credit }) in &mut self.half_open {
            if now - viewer.sent >= RESEND
                && let Some(part) = viewer.channel.repeat_part().filter(|part| part.len() <= *credit)
            {
                (viewer.sent, *credit) = (now, *credit - part.len());
                self.core.outbox.push_back((address, part));
            }
        }
        self.half_open.retain(|_, half_open| now - half_open.viewer.heard <= UNPROVEN);
        if due {
            self.sent = now;
        }
        lost.into_iter().for_each(|address| self.drop_viewer(address));
    }

    fn drop_viewer(&mut self, address: A) {
        const DISCONNECT: &[u8] = &[2];
        if let Some(mut viewer) = self.viewers.remove(&address) {
            self.core.outbox.push_back((address, viewer.channel.unreliable(DISCONNECT)));
        }
    }

    fn pause(&mut self) {
        let paused = self.core.control.clock.is_paused();
        if paused != self.paused {
            self.paused = paused;
            self.broadcast(&[Message::SetPause(SetPause { paused: u8::from(paused) })]);
        }
    }
}

/// The console commands of a client's messages.
fn commands(mut payload: &[u8], left: &mut bool) -> Vec<Vec<u8>> {
    let mut found = Vec::new();
    while let Some((&kind, rest)) = payload.split_first() {
        payload = match kind {
            CLC_NOP => rest,
            CLC_STRING => {
                let end = rest.iter().position(|&byte| byte == 0).unwrap_or(rest.len());
                found.push(rest[..end].trim_ascii().to_vec());
                rest.get(end + 1..).unwrap_or_default()
            }
            CLC_DISCONNECT => {
                *left = true;
                break;
            }
            // moves, and what nobody knows, have the rest
            _ => break,
        };
    }
    found
}

impl<A: Ord + Copy + Hash> fragreel_live::PlaybackServer<A> for NetQuakeDemoServer<A> {
    fn core(&self) -> &PlaybackCore<A> {
        &self.core
    }

    fn core_mut(&mut self) -> &mut PlaybackCore<A> {
        &mut self.core
    }

    fn listens(&mut self, port: u16) {
        self.port = port;
    }

    fn receive(&mut self, from: A, datagram: &[u8], controls: bool) {
        if read(datagram).is_some() { self.outside(from, datagram, controls) } else { self.inside(from, datagram, controls) }
    }

    fn tick(&mut self, now: f64) {
        if let Some(due) = self.core.pass(now) {
            self.advance(due, true);
        }
        if let Some(text) = self.core.end() {
            self.say(text);
        }
        self.pause();
        self.send();
    }

    fn watching(&self) -> usize {
        self.viewers.values().filter(|viewer| viewer.stage == Stage::Playing).count()
    }

    fn has(&self, who: &A) -> bool {
        self.viewers.contains_key(who)
    }

    fn forget(&mut self, who: &A) {
        self.viewers.remove(who);
    }

    fn say(&mut self, text: &str) {
        self.broadcast(&[Message::NqPrint(NqPrint { text: Text(format!("{text}\n").into_bytes()) })]);
    }

    /// Seeks, and sends all clients the difference.
    fn seek(&mut self, time: i64) {
        let time = self.core.control.seek(self.core.now, time);
        let (level, still, before) = (self.playhead.level, self.playhead.stands_still(), self.playhead.signon.clone());
        if let Some(checkpoint) = self.checkpoints.seek(time, self.playhead.time()) {
            self.playhead = checkpoint;
        }
        self.over = false;
        self.advance(time, false);
        if self.playhead.level != level || still {
            self.open_level();
        } else {
            let mut changes = self.playhead.changes(&before);
            // clients count these two themselves
            let own = self.playhead.game.own_stats().copied().unwrap_or([0; stat::COUNT]);
            changes.extend([stat::SECRETS, stat::MONSTERS].map(|at| Message::StatLong(StatLong { stat: at as u8, value: own[at] })));
            self.broadcast(&changes);
        }
        self.sent = f64::NEG_INFINITY;
        self.say(&format!("at {}", self.core.stamp()));
    }

    fn feed(&mut self, bytes: &[u8]) {
        self.core.control.go_live();
        self.checkpoints.forget();
        self.recording.feed(bytes);
        self.over = false;
    }

    fn close(&mut self) {
        let addresses: Vec<A> = self.viewers.keys().copied().collect();
        addresses.into_iter().for_each(|address| self.drop_viewer(address));
    }
}
