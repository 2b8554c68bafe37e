//! The QuakeWorld demo server. All clients spectate and choose whom to follow. One clock for all can be paused, rewound or sped up from consoles and chat.

mod chase;
mod playhead;

pub use playhead::Contents;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::hash::Hash;

use fragreel_live::{Checkpoints, ControlCommand, Growing, PlaybackCore, ViewerList};

use crate::demo_server::ALLOWED;
use crate::demo_server::quakeworld::chase::{ChaseTargets, is_for_a_seat};
use crate::demo_server::quakeworld::playhead::{BlockOutput, Playhead};
use crate::handshake::{Extensions, number, words};
use crate::server::{Event, Seat, Seating, Server, Sight};
use fragreel_quake1::Recording;
use fragreel_quake1::unstable::characters;
use fragreel_quake1::unstable::container::{Container, Target};
use fragreel_quake1::unstable::message::{Message, QwPrint, SetPause, StuffText, Text};
use fragreel_quake1::unstable::replacement::EntityState;
use fragreel_quake1::unstable::state::Game;
use fragreel_quake1::unstable::state::seats::MOST_SEATS;

/// The state machine of the server. `A` is the caller's address type.
#[derive(Clone)]
pub struct QuakeWorldDemoServer<A> {
    core: PlaybackCore<A>,
    server: Server<A>,
    recording: Growing,
    playhead: Playhead,
    checkpoints: Checkpoints<Playhead>,
    /// The clients, and whether each may control playback.
    viewers: BTreeMap<A, bool>,
    chase: ChaseTargets<A>,
    name: String,
    levels: i32,
    /// The visible entities, and whether they are out of date.
    visible: Vec<(u32, EntityState)>,
    stale: bool,
    paused: bool,
    /// True during the intermission, when views stand still.
    intermission: bool,
    over: bool,
    /// True if a new level has had no frame yet.
    pending: bool,
}

/// Milliseconds between two positions that are kept for seeking.
const CHECKPOINT_INTERVAL: i64 = 15_000;
/// The most clients.
const MOST_VIEWERS: usize = 64;

impl<A: Ord + Copy + Hash> QuakeWorldDemoServer<A> {
    /// Serves a recording from its start. `secret` is a random number for challenges. `marks` are the times that
    /// `next` and `prev` go to, in rising order.
    ///
    /// Fails with the reason if there is nothing to show to QuakeWorld clients.
    pub fn new(recording: &Recording<'_>, contents: &Contents, name: &str, secret: u64, marks: impl IntoIterator<Item = i64>) -> Result<Self, &'static str> {
        if recording.container() == Container::NetQuake {
            return Err("it is a recording of NetQuake");
        }
        if !recording.dialect().supported() {
            return Err("its protocol is not decoded");
        }
        let length = recording.info().duration.map_or(0, |length| length.0);
        let (mut playhead, source) = (Playhead::new(recording, contents), Growing::whole(recording.input().bytes.to_vec()));
        while !playhead.is_open {
            playhead.step(&source).ok_or("there is no frame in it")?;
        }
        let floats = recording.dialect().coord == fragreel_quake1::unstable::replacement::Coordinates::Float;
        let offers = Extensions { fte1: if floats { 0x8000 } else { 0 }, fte2: 0x68, mvd1: 0 };
        // a connection may have as many seats as there are slots without players of the recording
        let mut slots: Vec<u8> = (0..32).rev().filter(|slot| contents.is_free(*slot)).take(MOST_SEATS).collect();
        if slots.is_empty() {
            slots.push(31);
        }
        let server = Server::new(crate::server::Level::default()).offering(offers);
        let name: String = name.chars().filter(|c| !c.is_control() && !"\\\";$".contains(*c)).collect();
        let server = server.with_seats(slots.len()).with_seating(Seating::Watchers { slots }).with_room(MOST_VIEWERS).with_secret(secret);
        let mut show = QuakeWorldDemoServer {
            core: PlaybackCore::new(length, marks, &ALLOWED),
            server,
            checkpoints: Checkpoints::new(playhead.clone(), CHECKPOINT_INTERVAL),
            recording: source,
            playhead,
            viewers: BTreeMap::new(),
            chase: ChaseTargets::new(),
            name,
            levels: 0,
            visible: Vec::new(),
            stale: true,
            paused: false,
            intermission: false,
            over: false,
            pending: false,
        };
        show.open_level();
        Ok(show)
    }

    /// Sends the level at the playhead to all clients.
    fn open_level(&mut self) {
        self.levels += 1;
        let mut level = self.playhead.level(&self.server.layout(), self.levels);
        level.server_info = format!("\\hostname\\{}{}", self.name, without(&level.server_info, "hostname"));
        self.server.replace_board(&self.playhead.board);
        self.server.change_level(level);
        self.intermission = false;
        self.stale = true;
    }

    fn step(&mut self) -> Option<BlockOutput> {
        let output = self.playhead.step(&self.recording)?;
        if self.playhead.is_open && !self.core.control.is_live() {
            self.checkpoints.pass(self.playhead.time(), &self.playhead);
        }
        self.stale = true;
        Some(output)
    }

    /// Applies blocks up to a time, and passes their output to `each`.
    fn advance(&mut self, time: i64, mut each: impl FnMut(&mut Self, BlockOutput)) {
        while self.playhead.time() < time || self.playhead.lingers(&self.recording) {
            match self.step() {
                Some(output) => each(self, output),
                None => {
                    self.over = true;
                    return;
                }
            }
        }
    }

    /// Sends the output of a block.
    fn pass(&mut self, output: BlockOutput) {
        if output.level || !self.playhead.is_open {
            return;
        }
        for (target, message) in output.messages {
            match &message {
                Message::StuffText(text) => {
                    let text = self.core.console.filter(text.text.bytes());
                    if !text.is_empty() {
                        let message = Message::StuffText(StuffText { text: Text(text) });
                        self.send_to(target, &message);
                    }
                }
                Message::QwPrint(_) | Message::CenterPrint(_) | Message::ServerInfoKey(_) | Message::Finale(_) | Message::SellScreen(_) => {
                    self.send_to(target, &message);
                }
                Message::QwIntermission(_) => {
                    self.intermission = true;
                    self.send_to(target, &message);
                }
                Message::QwSound(_)
                | Message::StopSound(_)
                | Message::TempEntity(_)
                | Message::MuzzleFlash(_)
                | Message::Damage(_)
                | Message::SmallKick(_)
                | Message::BigKick(_)
                | Message::Nails(_) => self.send_unreliable_to(target, &message),
                _ => self.server.lasting(&message),
            }
        }
    }

    fn send_to(&mut self, target: Target, message: &Message) {
        for (address, seat) in self.heard_by(target, message) {
            match seat {
                Some(seat) => self.server.send_to(&address, seat, message),
                None => self.server.send(&address, message),
            }
        }
    }

    fn send_unreliable_to(&mut self, target: Target, message: &Message) {
        for (address, seat) in self.heard_by(target, message) {
            match seat {
                Some(seat) => self.server.send_unreliable_to(&address, seat, message),
                None => self.server.send_unreliable(&address, message),
            }
        }
    }

    /// The receivers of a message for some players: clients that follow one of them, once per client unless it is for one part of the screen.
    fn heard_by(&self, target: Target, message: &Message) -> Vec<(A, Option<Seat>)> {
        let own = self.playhead.own();
        let mut out = Vec::new();
        for &address in self.viewers.keys() {
            let mut seats = self.server.seats(&address).filter(|seat| self.chase.hears(address, *seat, target, own));
            if is_for_a_seat(message) {
                out.extend(seats.map(|seat| (address, Some(seat))));
            } else {
                out.extend(seats.next().map(|_| (address, None)));
            }
        }
        out
    }

    fn hear(&mut self, from: A, seat: Seat, event: Event) {
        match event {
            Event::Connected { .. } => {
                self.viewers.entry(from).or_insert(false);
                self.chase.turn(from, seat, None);
            }
            Event::Left => {
                self.chase.close(from, seat);
                if seat.number == 0 {
                    self.viewers.remove(&from);
                }
            }
            Event::Began => {
                let first = || self.playhead.players().map(|(slot, _)| slot);
                let follows = match (self.chase.of(from, seat), seat.number) {
                    (Some(slot), _) => Some(slot),
                    (None, 0) => self.playhead.own().or_else(|| first().next()),
                    (None, _) => self.chase.another(from, first()),
                };
                self.follow(from, seat, follows);
                if self.paused && seat.number == 0 {
                    self.server.send(&from, &Message::SetPause(SetPause { paused: 1 }));
                }
            }
            Event::Command(text) => self.command(from, seat, &text),
            Event::Moved(_) | Event::Teleported(_) => {}
        }
    }

    /// Turns the camera of a seat to a player.
    fn follow(&mut self, from: A, seat: Seat, slot: Option<u8>) {
        let Some((slot, user_id)) = slot.and_then(|slot| self.server_user(slot).map(|user_id| (slot, user_id))) else { return };
        self.chase.turn(from, seat, Some(slot));
        self.server.send_to(&from, seat, &Message::StuffText(StuffText { text: Text(format!("track {user_id}\n").into_bytes()) }));
    }

    fn server_user(&self, slot: u8) -> Option<i32> {
        self.playhead.board.user(slot).map(|user| user.user_id)
    }

    fn command(&mut self, from: A, seat: Seat, text: &[u8]) {
        let said = words(text);
        if said.first().is_some_and(|word| word == b"ptrack") {
            let slot = said.get(1).and_then(|word| number(word)).and_then(|slot| u8::try_from(slot).ok()).filter(|slot| *slot < 32);
            self.chase.turn(from, seat, slot);
            return;
        }
        let controls = self.viewers.get(&from).is_some_and(|controls| *controls);
        // the clock is for those who may have it; whom he follows is everybody's own
        let mut own = self.core.control.clone();
        let now = self.core.now;
        match if controls { self.core.control.command(text, now) } else { own.command(text, now) } {
            Some(ControlCommand::Follow(name)) => {
                let wanted = name.to_lowercase();
                let found = self.playhead.players().find(|(_, person)| characters::clean(&person.name).to_lowercase().contains(&wanted));
                // FTE shows whom it follows; ezQuake shows nothing
                let (slot, reply) = match found {
                    Some((slot, person)) => (Some(slot), [b"following ", &*person.name, b"\n"].concat()),
                    None => (None, b"nobody is called that\n".to_vec()),
                };
                self.server.send(&from, &Message::QwPrint(QwPrint { level: 2, text: Text(reply) }));
                self.follow(from, seat, slot);
            }
            Some(order) if controls => fragreel_live::PlaybackServer::apply(self, order),
            _ => {}
        }
    }

    fn pause(&mut self) {
        let paused = self.core.control.clock.is_paused() || self.playhead.game.paused;
        if paused != self.paused {
            self.paused = paused;
            self.server.broadcast(&Message::SetPause(SetPause { paused: u8::from(paused) }));
        }
    }

    fn send(&mut self) {
        if std::mem::take(&mut self.stale) {
            self.visible = self.playhead.visible(&self.server.layout());
        }
        let addresses: Vec<A> = self.viewers.keys().copied().collect();
        for address in addresses {
            let seats: Vec<Seat> = self.server.seats(&address).collect();
            for seat in seats {
                let follows = self.chase.of(address, seat);
                if let Some(stats) = follows.and_then(|slot| self.playhead.game.stats_of(slot)).or_else(|| own_stats(&self.playhead.game)) {
                    let stats = *stats;
                    self.server.stats(&address, seat, &stats);
                }
            }
        }
        let (visible, chase, layout) = (&self.visible, &self.chase, self.server.layout());
        let elsewhere = self.playhead.eye().unwrap_or_default();
        self.server.frame_for(self.core.now as f32, |address, seat| {
            let follows = chase.of(*address, seat);
            let seen = follows.and_then(|slot| visible.iter().find(|(number, _)| *number == u32::from(slot) + 1));
            Sight { visible, eye: seen.map_or(elsewhere, |(_, state)| layout.position(state)), follows }
        });
    }
}

fn own_stats(game: &Game) -> Option<&fragreel_quake1::unstable::state::Stats> {
    game.own.and_then(|_| game.own_stats())
}

/// An info string without a key.
fn without(info: &str, key: &str) -> String {
    let pairs = fragreel_model::replay::info_string::pairs(info.as_bytes()).filter(|pair| pair.key != key.as_bytes());
    pairs.map(|pair| format!("\\{}\\{}", String::from_utf8_lossy(pair.key), String::from_utf8_lossy(pair.value))).collect()
}

impl<A: Ord + Copy + Hash> fragreel_live::PlaybackServer<A> for QuakeWorldDemoServer<A> {
    fn parts(&self) -> (&PlaybackCore<A>, &dyn ViewerList<A>) {
        (&self.core, &self.server)
    }

    fn parts_mut(&mut self) -> (&mut PlaybackCore<A>, &mut dyn ViewerList<A>) {
        (&mut self.core, &mut self.server)
    }

    fn receive(&mut self, from: A, datagram: &[u8], controls: bool) {
        self.server.receive(from, datagram);
        while let Some((address, seat, event)) = self.server.next_event() {
            self.hear(address, seat, event);
        }
        if let Some(known) = self.viewers.get_mut(&from) {
            *known = controls;
        }
    }

    fn tick(&mut self, now: f64) {
        if let Some(due) = self.core.pass(now).filter(|_| !self.over) {
            self.advance(due, |show, output| {
                show.pending |= output.level;
                show.pass(output);
                if show.pending && show.playhead.is_open {
                    show.pending = false;
                    show.open_level();
                }
            });
            if self.core.control.is_live() {
                self.core.control.grow(self.playhead.time());
            } else if std::mem::take(&mut self.pending) {
                self.server_level_pending();
            }
        }
        if let Some(text) = self.core.end() {
            self.say(text);
        }
        self.pause();
        self.send();
        while let Some((address, seat, event)) = self.server.next_event() {
            self.hear(address, seat, event);
        }
    }

    fn next_datagram(&mut self) -> Option<(A, Vec<u8>)> {
        self.server.next_datagram()
    }

    fn forget(&mut self, who: &A) {
        self.viewers.remove(who);
        self.chase.forget(*who);
        self.server.forget(who);
    }

    /// Prints to all who watch.
    fn say(&mut self, text: &str) {
        self.server.broadcast(&Message::QwPrint(QwPrint { level: 2, text: Text(format!("{text}\n").into_bytes()) }));
    }

    /// Seeks, and sends all clients the difference.
    fn seek(&mut self, time: i64) {
        let time = self.core.control.seek(self.core.now, time);
        let level = self.playhead.level;
        if let Some(checkpoint) = self.checkpoints.seek(time, self.playhead.time()) {
            self.playhead = checkpoint;
        }
        self.over = false;
        let was_open = self.intermission;
        self.advance(time, |_, _| {});
        if self.playhead.level != level || was_open || self.playhead.game.intermission {
            self.open_level();
        } else {
            self.server.replace_board(&self.playhead.board);
        }
        self.stale = true;
        self.say(&format!("at {}", self.core.stamp()));
    }

    fn extend(&mut self, bytes: &[u8]) {
        self.checkpoints.forget();
        self.recording.feed(bytes);
        self.over = false;
    }

    fn close(&mut self) {
        self.server.close();
    }
}

impl<A: Ord + Copy + Hash> QuakeWorldDemoServer<A> {
    /// A level that begins is opened at its first frame, however far that is.
    fn server_level_pending(&mut self) {
        while !self.playhead.is_open {
            if self.step().is_none() {
                self.over = true;
                return;
            }
        }
        self.open_level();
    }
}
