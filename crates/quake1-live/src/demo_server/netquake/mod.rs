//! The NetQuake demo server. NetQuake has no spectators: all clients see the recording player's view, and its angles are
//! set with each frame. The server asks each client for its extensions, and sends replacement deltas to those that have them.
//!
//! Nothing in this protocol proves an address before the connection. So a client has no place until it has acknowledged something: it gets nine
//! bytes three times, no more than three times what it sent, and then a kilobyte for each that it acknowledges. Of those that have acknowledged
//! nothing, the oldest makes room for the newest.

#[cfg(test)]
mod strict;
#[cfg(test)]
mod tests;

mod client_messages;
mod deltas;
mod fit;
mod playhead;

use std::hash::Hash;

use fragreel_base::wire::WriteBytes;
use fragreel_live::{Checkpoints, Growing, PlaybackCore, Rates, Unproven, ViewerList, Viewers};

use crate::Acknowledge;
use crate::demo_server::ALLOWED;
use crate::demo_server::netquake::client_messages::{Said, read_messages};
use crate::demo_server::netquake::deltas::{Deltas, OFFERS, Scene};
use crate::demo_server::netquake::playhead::Playhead;
use crate::handshake::Extensions;
use crate::handshake::netquake::{Control as Packet, Server, accept, read, reject};
use crate::netchan::netquake::{Arrived, Channel, Resend};
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
    viewers: Viewers<A, Viewer>,
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
    /// The extensions that both sides have.
    handshake: Server,
    /// If these have replacement deltas.
    deltas: Option<Deltas>,
    /// When it was asked for its extensions.
    asked: f64,
    heard: f64,
    resend: Resend,
    left: bool,
}

impl fragreel_live::Viewer for Viewer {
    fn watches(&self) -> bool {
        self.stage == Stage::Playing
    }

    fn farewell(&mut self, _: &str) -> Vec<Vec<u8>> {
        const DISCONNECT: &[u8] = &[2];
        vec![self.channel.unreliable(DISCONNECT)]
    }
}

/// The next step that a client has to take.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Stage {
    /// `pext`: it states its extensions.
    Extensions,
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
/// Seconds after which a client that has not stated its extensions has none.
const NO_EXTENSIONS: f64 = 5.0;
/// Seconds after which the last frame is sent again.
const STILL: f64 = 0.1;
/// The most bytes that may wait for a client.
const MOST_WAITING: usize = 1 << 19;
/// The most bytes of a frame for id's engine, and for later ones. Networks would fragment the latter.
const SMALL_DATAGRAM: usize = 1024;
const LARGE_DATAGRAM: usize = 16_000;
const NOP: &[u8] = &[1];
const STUFFTEXT: u8 = 9;
const EXTENSIONS_QUESTION: &str = "cmd pext\n";

/// Bytes of the answer to a query beside the server's name and the map.
const INFO_OVERHEAD: usize = 11;

impl Viewer {
    /// One that has been asked nothing yet.
    fn new(now: f64) -> Self {
        let handshake = Server::new(Vec::new(), OFFERS, Extensions::NONE);
        let stage = Stage::Extensions;
        Viewer { channel: Channel::new(), stage, handshake, deltas: None, asked: now, heard: now, resend: Resend::new(), left: false }
    }

    /// The dialect of its messages.
    fn dialect<'d>(&'d self, plain: &'d Dialect) -> &'d Dialect {
        self.deltas.as_ref().map_or(plain, Deltas::dialect)
    }

    /// Queues a stage of the signon.
    fn sign_on(&mut self, plain: &Dialect, blocks: &[Vec<u8>]) {
        for block in blocks {
            match &mut self.deltas {
                Some(deltas) => self.channel.queue(&deltas.signon(plain, block)),
                None => self.channel.queue(block),
            }
        }
    }

    /// Starts the level: its extensions are known, or it has none.
    fn start(&mut self, plain: &Dialect, blocks: &[Vec<u8>]) {
        self.deltas = Deltas::new(plain, self.handshake.extensions());
        self.stage = Stage::Files;
        self.sign_on(plain, blocks);
    }
}

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
            viewers: Viewers::new(MOST_VIEWERS).with_unproven(MOST_HALF_OPEN),
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
        let plain = self.playhead.dialect();
        for viewer in self.viewers.values_mut().filter(|viewer| viewer.stage >= Stage::State) {
            for message in messages {
                let bytes = Self::encode(viewer.dialect(plain), std::slice::from_ref(message));
                viewer.channel.queue(&bytes);
            }
        }
    }

    /// Sends the level at the playhead to all clients.
    fn open_level(&mut self) {
        let (plain, files) = (self.playhead.dialect(), &self.playhead.signon()[0]);
        for viewer in self.viewers.values_mut().filter(|viewer| viewer.stage > Stage::Extensions) {
            viewer.channel.queue(&stuffed("reconnect\n"));
            viewer.deltas = viewer.deltas.as_ref().and_then(|deltas| deltas.of_level(plain));
            viewer.stage = Stage::Files;
            viewer.sign_on(plain, files);
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
        let look = self.look();
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

    fn look(&self) -> Message {
        let d = self.playhead.dialect();
        Message::SetAngle(SetAngle { slot: 0, reason: 0, angles: self.playhead.angles.map(|degrees| Angle(d.angle.word(degrees.value()))) })
    }

    /// The current frame for clients with replacement deltas. `None` before the first frame.
    fn scene(&self) -> Option<Scene> {
        let (mut time, mut own, mut after) = (None, None, Vec::new());
        for message in &self.playhead.frame {
            match message {
                Message::NqTime(m) => time = Some(m.time.value()),
                Message::ClientData(m) => own = Some(m.clone()),
                Message::FastUpdate(_) => {}
                _ => after.push(message.clone()),
            }
        }
        let entities = self.playhead.views.values().filter(|view| view.seen.number > 0).copied().collect();
        Some(Scene { time: time?, entities, view: self.playhead.game.view_entity, own, before: vec![self.look()], after })
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
        let is_known = self.viewers.get(&from).is_some_and(|viewer| self.core.now - viewer.heard < RECONNECT) || self.viewers.unproven(&from).is_some();
        if !is_known {
            if !self.viewers.has_room(&from) {
                return reject("Server is full.\n");
            }
            let mut viewer = Viewer::new(self.core.now);
            viewer.channel.queue(NOP);
            self.viewers.knock(from, viewer, self.core.now);
        }
        let answer = accept(self.port.into());
        if let Some(unproven) = self.viewers.unproven(&from) {
            unproven.credit += credit - answer.len();
        }
        answer
    }

    /// Gives a client that has acknowledged something a place.
    fn prove(&mut self, from: A, datagram: &[u8]) -> bool {
        let Some(Unproven { viewer, credit, .. }) = self.viewers.unproven(&from) else { return false };
        *credit += MOST_TIMES * datagram.len();
        let mut answer = None;
        let arrived = viewer.channel.receive(datagram, &mut answer);
        // an acknowledgement is shorter than what it answers
        *credit -= answer.as_ref().map_or(0, Vec::len).min(*credit);
        self.core.outbox.extend(answer.map(|answer| (from, answer)));
        if arrived != Arrived::Acknowledged {
            return false;
        }
        let Some(mut viewer) = self.viewers.prove(&from) else { return false };
        if !self.viewers.has_room(&from) {
            return true;
        }
        (viewer.heard, viewer.asked) = (self.core.now, self.core.now);
        viewer.resend.acknowledged(self.core.now);
        // each engine answers `cmd`, one without extensions with the word alone
        viewer.channel.queue(&stuffed(EXTENSIONS_QUESTION));
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
            viewer.resend.acknowledged(self.core.now);
        }
        if let Arrived::Reliable(payload) | Arrived::Unreliable { payload, .. } = arrived {
            for said in read_messages(&payload, viewer.deltas.as_ref()) {
                self.said(from, said, controls);
            }
        }
    }

    fn said(&mut self, from: A, said: Said, controls: bool) {
        let Some(viewer) = self.viewers.get_mut(&from) else { return };
        match said {
            Said::Command(text) => self.command(from, &text, controls),
            Said::Left => viewer.left = true,
            Said::Moved(number) => viewer.deltas.iter_mut().for_each(|deltas| deltas.moved(number)),
            Said::Acknowledged(frame) => {
                let acknowledge = if frame == u32::MAX { Acknowledge::Restart } else { Acknowledge::Frame(frame) };
                viewer.deltas.iter_mut().for_each(|deltas| deltas.acknowledge(acknowledge));
            }
        }
    }

    fn command(&mut self, from: A, text: &[u8], controls: bool) {
        let word = text.split(u8::is_ascii_whitespace).next().unwrap_or_default();
        let Some(viewer) = self.viewers.get_mut(&from) else { return };
        let plain = self.playhead.dialect();
        if viewer.handshake.receive(text) {
            // a second answer is too late
            if viewer.stage == Stage::Extensions {
                viewer.start(plain, &self.playhead.signon()[0]);
            }
            return;
        }
        let (part, next) = match (word, viewer.stage) {
            (b"prespawn", Stage::Files) => (1, Stage::Baselines),
            (b"spawn", Stage::Baselines) => (2, Stage::State),
            (b"begin", Stage::State) => {
                viewer.stage = Stage::Playing;
                self.sent = f64::NEG_INFINITY;
                if self.paused {
                    viewer.channel.queue(&Self::encode(plain, &[Message::SetPause(SetPause { paused: 1 })]));
                }
                return;
            }
            _ if controls => {
                fragreel_live::PlaybackServer::order(self, text);
                return;
            }
            _ => return,
        };
        viewer.sign_on(plain, &self.playhead.signon()[part]);
        viewer.stage = next;
    }

    fn send(&mut self) {
        let due = self.core.now - self.sent >= STILL;
        let plays = |with_deltas: bool| self.viewers.values().any(|viewer| viewer.stage == Stage::Playing && viewer.deltas.is_some() == with_deltas);
        let frame = if due && plays(false) { self.frame() } else { Vec::new() };
        let scene = if due && plays(true) { self.scene() } else { None };
        let late = self.viewers.values().any(|viewer| viewer.stage == Stage::Extensions && self.core.now - viewer.asked > NO_EXTENSIONS);
        let files = if late { self.playhead.signon()[0].clone() } else { Vec::new() };
        let now = self.core.now;
        for (&address, viewer) in self.viewers.iter_mut() {
            if viewer.stage == Stage::Extensions && now - viewer.asked > NO_EXTENSIONS {
                viewer.start(self.playhead.dialect(), &files);
            }
            let part = viewer.resend.due(&mut viewer.channel, now, usize::MAX);
            self.core.outbox.extend(part.map(|part| (address, part)));
            match (&mut viewer.deltas, &scene) {
                _ if viewer.stage != Stage::Playing => {}
                (Some(deltas), Some(scene)) => {
                    let datagrams = deltas.frame(&mut viewer.channel, scene, self.datagram.max(SMALL_DATAGRAM));
                    self.core.outbox.extend(datagrams.into_iter().map(|datagram| (address, datagram)));
                }
                (None, _) if !frame.is_empty() => self.core.outbox.push_back((address, viewer.channel.unreliable(&frame))),
                _ => {}
            }
        }
        for (address, Unproven { viewer, credit, .. }) in self.viewers.all_unproven() {
            if let Some(part) = viewer.resend.due(&mut viewer.channel, now, *credit) {
                *credit -= part.len();
                self.core.outbox.push_back((address, part));
            }
        }
        self.viewers.expire(now - UNPROVEN);
        if due {
            self.sent = now;
        }
        let is_lost = |viewer: &Viewer| viewer.left || now - viewer.heard > TIMEOUT || viewer.channel.waiting() > MOST_WAITING;
        self.core.outbox.extend(self.viewers.part("", is_lost));
    }

    fn pause(&mut self) {
        let paused = self.core.control.clock.is_paused();
        if paused != self.paused {
            self.paused = paused;
            self.broadcast(&[Message::SetPause(SetPause { paused: u8::from(paused) })]);
        }
    }
}

/// A message with console commands for a client.
fn stuffed(commands: &str) -> Vec<u8> {
    [&[STUFFTEXT][..], commands.as_bytes(), &[0]].concat()
}

impl<A: Ord + Copy + Hash> fragreel_live::PlaybackServer<A> for NetQuakeDemoServer<A> {
    fn parts(&self) -> (&PlaybackCore<A>, &dyn ViewerList<A>) {
        (&self.core, &self.viewers)
    }

    fn parts_mut(&mut self) -> (&mut PlaybackCore<A>, &mut dyn ViewerList<A>) {
        (&mut self.core, &mut self.viewers)
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

    fn extend(&mut self, bytes: &[u8]) {
        self.checkpoints.forget();
        self.recording.feed(bytes);
        self.over = false;
    }
}
