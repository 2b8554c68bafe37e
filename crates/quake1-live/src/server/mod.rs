//! A QuakeWorld server. Clients of all engines join, sign on, send input and receive frames. The game itself is up to
//! the caller: entities, scores and sounds come in, moves and commands go out as [`Event`]s. Clients with replacement deltas get those, all
//! others plain updates, from the same entities. Document: *A server*.
//!
//! Sans-IO: the caller has the socket, and passes any comparable address with each datagram.
//!
//! ```
//! use fragreel_quake1_live::recorder::{Recorder, Settings, Status};
//! use fragreel_quake1_live::server::{Level, Server};
//! use fragreel_quake1::unstable::replacement::EntityState;
//!
//! let mut server = Server::new(Level::default());
//! let mut recorder = Recorder::new(Settings { interval: 0.01, ..Settings::default() });
//! let rocket = EntityState { model: 2, ..EntityState::default() };
//! for step in 0..100 {
//!     let now = f64::from(step) * 0.01;
//!     recorder.tick(now);
//!     while let Some(datagram) = recorder.next_datagram() {
//!         server.receive("a client", &datagram);
//!     }
//!     server.frame(now as f32, &[(40, rocket.clone())]);
//!     while let Some((_, datagram)) = server.next_datagram() {
//!         recorder.receive(now, &datagram);
//!     }
//! }
//! assert_eq!(*recorder.status(), Status::Playing);
//! assert_eq!(recorder.deltas().entities().get(40).unwrap().state, rocket);
//! ```

mod baseline;
pub mod board;
mod client;
mod client_seats;
pub mod event;
mod level;
mod seat;
mod seating;
mod sight;
mod signon;

use std::collections::{BTreeMap, VecDeque};
use std::hash::Hash;

use fragreel_live::{Challenges, Rates, ViewerList};
use fragreel_model::replay::info_string;

use crate::handshake::Extensions;
use crate::handshake::quakeworld as handshake;
pub use crate::server::board::Board;
use crate::server::client::{Connection, Models, Stage, dialect};
pub use crate::server::event::Event;
pub use crate::server::level::Level;
pub use crate::server::seat::Seat;
pub use crate::server::seating::Seating;
pub use crate::server::sight::Sight;
pub(crate) use crate::server::sight::reworded;
use crate::server::signon::Offer;
use fragreel_quake1::unstable::message::Message;
use fragreel_quake1::unstable::replacement::{EntityState, Flags};
use fragreel_quake1::unstable::state::Stats;

/// The state machine of the server. `A` is the caller's address type.
#[derive(Debug, Clone)]
pub struct Server<A> {
    level: Level,
    board: Board,
    handshake: handshake::Server,
    seating: Seating,
    most_clients: usize,
    /// Most players at a connection.
    most_seats: usize,
    user_ids: i32,
    clients: BTreeMap<A, Connection>,
    events: VecDeque<(A, Seat, Event)>,
    outbox: VecDeque<(A, Vec<u8>)>,
    time: f32,
    timeout: f32,
    challenges: Challenges,
    rates: Rates<A>,
}

/// The most that a datagram may carry.
const BUDGET: usize = 1400;
/// Seconds of silence after which a client counts as gone, as engines have it.
const TIMEOUT: f32 = 65.0;
/// Most clients at a time.
const MOST_CLIENTS: usize = 32;
/// Seconds of silence after which somebody who connects again begins again: a late `connect` must not undo what it brought.
const RECONNECT: f32 = 3.0;
const OUTSIDE: [u8; 4] = [0xff; 4];

impl<A: Ord + Copy + Hash> Server<A> {
    /// A server with a level, open to all clients.
    pub fn new(level: Level) -> Self {
        let handshake = handshake::Server { offers: Extensions { fte1: 0x8000, fte2: 0x68, mvd1: 0 }, requires: Extensions::NONE };
        Self {
            level,
            board: Board::new(),
            handshake,
            seating: Seating::Watchers { slots: vec![0] },
            most_clients: MOST_CLIENTS,
            most_seats: 1,
            user_ids: 0,
            clients: BTreeMap::new(),
            events: VecDeque::new(),
            outbox: VecDeque::new(),
            time: 0.0,
            timeout: TIMEOUT,
            challenges: Challenges::new(0),
            rates: Rates::new(),
        }
    }

    /// With other masks than float coordinates, replacement deltas, prediction and sizes. Entities and baselines are given in the words of
    /// [`layout`](Self::layout), which follows from these.
    #[must_use]
    pub fn offering(mut self, offers: Extensions) -> Self {
        self.handshake.offers = offers;
        self.offer_seats();
        self
    }

    /// With a secret that challenges are made of; a server on the open internet needs a random one.
    #[must_use]
    pub fn with_secret(mut self, secret: u64) -> Self {
        self.challenges = Challenges::new(secret);
        self
    }

    /// With another time than 65 seconds after which a silent client is dropped.
    #[must_use]
    pub fn with_timeout(mut self, seconds: f32) -> Self {
        self.timeout = seconds;
        self
    }

    /// With slots for players, or another slot for watchers.
    #[must_use]
    pub fn with_seating(mut self, seating: Seating) -> Self {
        if let Seating::Slots { count } = seating {
            self.most_clients = usize::from(count).min(MOST_CLIENTS);
        }
        self.seating = seating;
        self
    }

    /// With room for another number of clients than 32. Only watchers can be more.
    #[must_use]
    pub fn with_room(mut self, clients: usize) -> Self {
        self.most_clients = clients;
        self
    }

    /// The layout in which entities are given.
    pub fn layout(&self) -> Flags {
        dialect(&self.handshake.offers).layout()
    }

    /// The number of clients in the game.
    pub fn playing(&self) -> usize {
        self.clients.values().filter(|client| client.is_playing()).count()
    }

    /// The number of connected clients.
    pub fn connected(&self) -> usize {
        self.clients.len()
    }

    /// Whether a client is in the game.
    pub fn is_playing(&self, address: &A) -> bool {
        self.clients.get(address).is_some_and(Connection::is_playing)
    }

    /// A client's first seat.
    pub fn seat(&self, address: &A) -> Option<Seat> {
        self.seats(address).next()
    }

    /// All seats of a client, the first one first.
    pub fn seats(&self, address: &A) -> impl Iterator<Item = Seat> + use<'_, A> {
        self.clients.get(address).into_iter().flat_map(Connection::seats)
    }

    /// The next datagram to be sent, and to whom.
    pub fn next_datagram(&mut self) -> Option<(A, Vec<u8>)> {
        self.outbox.pop_front()
    }

    /// The next event, with its client and seat.
    pub fn next_event(&mut self) -> Option<(A, Seat, Event)> {
        if let Some(event) = self.events.pop_front() {
            return Some(event);
        }
        self.clients.iter_mut().find_map(|(address, client)| client.events.pop_front().map(|(seat, event)| (*address, seat, event)))
    }

    /// Takes a datagram.
    pub fn receive(&mut self, from: A, datagram: &[u8]) {
        let now = f64::from(self.time);
        match self.handshake.receive(datagram, |number| self.challenges.accepts(&from, now, number), || self.challenges.of(&from, now)) {
            // an address that may be forged gets only a few of these
            handshake::Answer::Reply(reply) | handshake::Answer::Refuse(reply) => self.answer(from, reply),
            handshake::Answer::Accept { connect, reply } => self.connect(from, connect, reply),
            handshake::Answer::Ignored => match datagram.strip_prefix(&OUTSIDE) {
                Some(question) => self.outside(from, question),
                None => self.inside(from, datagram),
            },
        }
    }

    fn answer(&mut self, to: A, reply: Vec<u8>) {
        if self.rates.allow(to, f64::from(self.time)) {
            self.outbox.push_back((to, reply));
        }
    }

    /// Within a connection.
    fn inside(&mut self, from: A, datagram: &[u8]) {
        let layout = self.layout();
        let Some(client) = self.clients.get_mut(&from) else { return };
        let offer = Offer { level: &self.level, board: &self.board, extensions: self.handshake.offers, layout };
        client.receive(datagram, |client, text| offer.command(client, text));
        if client.stage == Stage::Left {
            self.remove(from);
        } else if !client.requests.is_empty() {
            self.reseat(from);
        }
    }

    /// Answers a status query from outside of any connection.
    fn outside(&mut self, from: A, question: &[u8]) {
        // queries may be padded behind their line
        let line = question.split(|byte| matches!(byte, b'\n' | 0)).next().unwrap_or_default();
        match line.trim_ascii_end() {
            b"ping" | b"k" => self.answer(from, vec![b'l']),
            text if text == b"status" || text.starts_with(b"status ") => {
                let reply = self.status(OUTSIDE.len() + question.len());
                self.answer(from, reply);
            }
            _ => {}
        }
    }

    /// The answer to a status query. Its sender's address may be forged, so only a query that is as long gets more than the shortest answer.
    fn status(&self, query: usize) -> Vec<u8> {
        const LONGEST: usize = 1400;
        const SHORT: usize = 16;
        let info = self.level.server_info.as_bytes();
        let begun = |info: &[u8]| [&OUTSIDE[..], b"n", info, b"\n"].concat();
        let mut text = begun(info);
        if text.len() > query {
            let short = |key: &[u8]| info_string::get(info, key).map(|value| &value[..value.len().min(SHORT)]).unwrap_or_default();
            return begun(&[b"\\hostname\\", short(b"hostname"), b"\\map\\", short(b"map")].concat());
        }
        for slot in 0..MOST_CLIENTS as u8 {
            let Some(user) = self.board.user(slot) else { continue };
            let value = |key: &[u8]| info_string::get(user.userinfo.bytes(), key).map(|value| String::from_utf8_lossy(value).into_owned());
            let [name, skin, top, bottom] = [&b"name"[..], b"skin", b"topcolor", b"bottomcolor"].map(|key| value(key).unwrap_or_default());
            let color = |text: String| text.parse::<u8>().unwrap_or(0);
            let frags = self.board.frags(slot);
            let line = format!("{} {frags} 0 0 \"{name}\" \"{skin}\" {} {}\n", user.user_id, color(top), color(bottom));
            if text.len() + line.len() <= query.min(LONGEST) {
                text.extend_from_slice(line.as_bytes());
            }
        }
        text
    }

    fn connect(&mut self, from: A, connect: crate::handshake::quakeworld::Connect, reply: Vec<u8>) {
        if let Some(known) = self.clients.get(&from) {
            if known.connect.qport == connect.qport && known.silence(self.time) < RECONNECT {
                // the answer was lost and the client asks again, or somebody replays its request
                self.outbox.push_back((from, reply));
                return;
            }
            // One that was silent for a while starts over.
            self.remove(from);
        }
        let user_info = connect.user_info.clone();
        let seat = if self.clients.len() < self.most_clients { self.seat_for(0, &user_info) } else { None };
        let Some(seat) = seat else {
            self.answer(from, handshake::refusal("server is full"));
            return;
        };
        self.clients.insert(from, Connection::new(connect, seat, self.time));
        self.outbox.push_back((from, reply));
        self.arrived(from, seat, user_info);
    }

    /// Forgets a client.
    fn remove(&mut self, address: A) -> Option<Connection> {
        let mut client = self.clients.remove(&address)?;
        self.events.extend(client.events.drain(..).map(|(seat, event)| (address, seat, event)));
        for seat in client.seats() {
            self.departed(address, seat);
        }
        Some(client)
    }

    /// Runs a frame: answers every client that has sent something since the last one. `visible` is in rising order of
    /// entity numbers, 1 to 32 being players; all clients see the same. Clients that time out, or acknowledge nothing while more and
    /// more waits for them, are dropped, with the reason.
    pub fn frame(&mut self, time: f32, visible: &[(u32, EntityState)]) {
        self.frame_for(time, |_, _| Sight { visible, eye: [0.0; 3], follows: None });
    }

    /// Like [`frame`](Self::frame), with a view for each seat. A connection receives what any of its seats sees.
    pub fn frame_for<'s>(&mut self, time: f32, mut sight: impl FnMut(&A, Seat) -> Sight<'s>) {
        self.time = time;
        let layout = self.layout();
        let (mut lost, models) = (Vec::new(), Models::of(&self.level));
        for (&address, client) in &mut self.clients {
            let sights: Vec<Sight<'_>> = client.seats().map(|seat| sight(&address, seat)).collect();
            if let Some(datagram) = client.frame(time, &sights, models, &layout, BUDGET) {
                self.outbox.push_back((address, datagram));
            }
            if client.silence(time) > self.timeout {
                lost.push((address, "timed out"));
            } else if client.has_overflowed() {
                lost.push((address, "reliable data overflowed"));
            }
        }
        for (address, reason) in lost {
            self.kick(address, reason);
        }
    }

    /// Sends reliably to all clients in the game. Coordinates are in eighths.
    pub fn broadcast(&mut self, message: &Message) {
        self.clients.values_mut().filter(|client| client.stage >= Stage::Spawned).for_each(|client| client.say(message));
    }

    /// Sends to one client, reliably.
    pub fn send(&mut self, address: &A, message: &Message) {
        if let Some(client) = self.clients.get_mut(address).filter(|client| client.stage >= Stage::Spawned) {
            client.say(message);
        }
    }

    /// Sends reliably to one seat, for its part of the screen.
    pub fn send_to(&mut self, address: &A, seat: Seat, message: &Message) {
        if let Some(client) = self.clients.get_mut(address).filter(|client| client.stage >= Stage::Spawned)
            && let Some(number) = client.find(seat)
        {
            client.say_to(number, message);
        }
    }

    /// Sends unreliably to all clients in the game: sounds, short effects.
    pub fn broadcast_unreliable(&mut self, message: &Message) {
        self.clients.values_mut().for_each(|client| client.send_unreliable(message));
    }

    /// Sends to one client, unreliably.
    pub fn send_unreliable(&mut self, address: &A, message: &Message) {
        if let Some(client) = self.clients.get_mut(address) {
            client.send_unreliable(message);
        }
    }

    /// Sends to one seat, unreliably.
    pub fn send_unreliable_to(&mut self, address: &A, seat: Seat, message: &Message) {
        if let Some(client) = self.clients.get_mut(address)
            && let Some(number) = client.find(seat)
        {
            client.send_unreliable_to(number, message);
        }
    }

    /// Sends a persistent message (users, scores, light styles) to all clients, and to clients that join later. Skips what they already know.
    pub fn lasting(&mut self, message: &Message) {
        if self.board.apply(message) {
            self.broadcast(message);
        }
    }

    /// Replaces the board, and sends the difference to all clients.
    pub fn replace_board(&mut self, board: &Board) {
        let before = std::mem::replace(&mut self.board, board.clone());
        for message in board.changes(&before) {
            self.broadcast(&message);
        }
    }

    /// Sends a seat the stats that have changed.
    pub fn stats(&mut self, address: &A, seat: Seat, stats: &Stats) {
        if let Some(client) = self.clients.get_mut(address)
            && let Some(number) = client.find(seat)
        {
            client.stats(number, stats);
        }
    }

    /// The connected clients.
    pub fn addresses(&self) -> impl Iterator<Item = A> + '_ {
        self.clients.keys().copied()
    }

    /// Drops a client, with the reason.
    pub fn kick(&mut self, address: A, reason: &str) {
        if let Some(mut client) = self.remove(address) {
            self.outbox.push_back((address, client.close(reason)));
        }
    }

    /// Stuffs console commands into every client.
    pub fn stuff(&mut self, text: &str) {
        for client in self.clients.values_mut() {
            client.stuff(text);
        }
    }

    /// Starts a new level: clients sign on again.
    pub fn change_level(&mut self, level: Level) {
        self.level = level;
        let layout = self.layout();
        for client in self.clients.values_mut() {
            client.change_level(&self.level, &layout);
        }
    }

    /// Disconnects every client, and forgets them.
    pub fn close(&mut self) {
        let last = ViewerList::close(self, "");
        self.outbox.extend(last);
    }
}

impl<A: Ord + Copy + Hash> ViewerList<A> for Server<A> {
    fn watching(&self) -> usize {
        self.playing()
    }

    fn has(&self, who: &A) -> bool {
        self.seat(who).is_some()
    }

    fn forget(&mut self, who: &A) {
        self.clients.remove(who);
        self.events.retain(|(of, ..)| of != who);
    }

    fn keep_only(&mut self, who: &A) {
        self.clients.retain(|other, _| other == who);
    }

    fn close(&mut self, reason: &str) -> Vec<(A, Vec<u8>)> {
        std::mem::take(&mut self.clients).into_iter().map(|(address, mut client)| (address, client.close(reason))).collect()
    }
}
