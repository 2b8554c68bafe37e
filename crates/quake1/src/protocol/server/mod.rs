//! A small QuakeWorld server, for engine authors as an example of how the parts fit together, and for tests as something
//! to talk to. It knows one level, lets anybody in who speaks replacement deltas, and shows whatever entities it is given.
//! Document: *A server*.
//!
//! Sans-IO: the caller has the socket, and says where datagrams come from by any address that can be compared.
//!
//! ```
//! use quake1::protocol::recorder::{Recorder, Settings, Status};
//! use quake1::protocol::server::{Level, Server};
//! use quake1::replacement::EntityState;
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

mod client;

use std::collections::{BTreeMap, VecDeque};
use std::hash::Hash;

use live::{Challenges, Rates};

use self::client::Connection;
use super::handshake::Extensions;
use super::handshake::quakeworld as handshake;
use crate::replacement::EntityState;

/// What there is to see.
#[derive(Debug, Clone)]
pub struct Level {
    /// The level's title.
    pub name: String,
    /// The game directory.
    pub gamedir: String,
    /// Server info: backslash-separated keys and values.
    pub server_info: String,
    /// Model files from number 1 on; the first is the map.
    pub models: Vec<String>,
    /// Sound files from number 1 on.
    pub sounds: Vec<String>,
    /// What resets start from.
    pub baselines: Vec<(u32, EntityState)>,
    /// A number that no other level has.
    pub server_count: i32,
}

impl Default for Level {
    fn default() -> Self {
        Self {
            name: String::from("A small level"),
            gamedir: String::from("qw"),
            server_info: String::from("\\hostname\\small\\map\\small"),
            models: vec![String::from("maps/small.bsp"), String::from("progs/missile.mdl")],
            sounds: vec![String::from("weapons/sgun1.wav")],
            baselines: Vec::new(),
            server_count: 1,
        }
    }
}

/// The state machine. `A` is whatever the caller calls an address.
#[derive(Debug, Clone)]
pub struct Server<A> {
    level: Level,
    handshake: handshake::Server,
    /// The most that a datagram may carry.
    budget: usize,
    clients: BTreeMap<A, Connection>,
    outbox: VecDeque<(A, Vec<u8>)>,
    time: f32,
    timeout: f32,
    challenges: Challenges,
    rates: Rates<A>,
}

/// Seconds of silence after which a client counts as gone, as engines have it.
const TIMEOUT: f32 = 65.0;
/// Most clients at a time.
const MOST_CLIENTS: usize = 32;

impl<A: Ord + Copy + Hash> Server<A> {
    /// A server that shows a level.
    pub fn new(level: Level) -> Self {
        let handshake = handshake::Server { offers: Extensions { fte1: 0x8000, fte2: 0x68, mvd1: 0 }, requires: Extensions::NONE };
        Self {
            level,
            handshake,
            budget: 1400,
            clients: BTreeMap::new(),
            outbox: VecDeque::new(),
            time: 0.0,
            timeout: TIMEOUT,
            challenges: Challenges::new(0),
            rates: Rates::new(),
        }
    }

    /// With other masks than float coordinates, replacement deltas, prediction and sizes.
    #[must_use]
    pub fn offering(mut self, offers: Extensions) -> Self {
        self.handshake.offers = offers;
        self
    }

    /// With another budget for entities per packet.
    #[must_use]
    pub fn with_budget(mut self, budget: usize) -> Self {
        self.budget = budget;
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

    /// How many clients are in the game.
    pub fn playing(&self) -> usize {
        self.clients.values().filter(|client| client.is_playing()).count()
    }

    /// How many clients are connected.
    pub fn connected(&self) -> usize {
        self.clients.len()
    }

    /// The next datagram to be sent, and to whom.
    pub fn next_datagram(&mut self) -> Option<(A, Vec<u8>)> {
        self.outbox.pop_front()
    }

    /// Takes a datagram.
    pub fn receive(&mut self, from: A, datagram: &[u8]) {
        let now = f64::from(self.time);
        match self.handshake.receive(datagram, |number| self.challenges.accepts(&from, now, number), || self.challenges.of(&from, now)) {
            // Who may be somebody else than he says gets no more than a few of these.
            handshake::Answer::Reply(reply) | handshake::Answer::Refuse(reply) => {
                if self.rates.allow(from, now) {
                    self.outbox.push_back((from, reply));
                }
            }
            handshake::Answer::Accept { connect, reply } => {
                // A client whose answer was lost asks again; one that is in the game starts over.
                if self.clients.contains_key(&from) || self.clients.len() < MOST_CLIENTS {
                    self.clients.insert(from, Connection::new(connect, &self.level, self.handshake.offers, self.time));
                    self.outbox.push_back((from, reply));
                } else if self.rates.allow(from, now) {
                    self.outbox.push_back((from, handshake::refusal("server is full")));
                }
            }
            handshake::Answer::Ignored => {
                let Some(client) = self.clients.get_mut(&from) else { return };
                client.receive(&self.level, datagram);
                if client.has_left() {
                    self.clients.remove(&from);
                }
            }
        }
    }

    /// A moment of the level: answers every client that has spoken since the last one. `visible` is in rising order of
    /// entity numbers; this server shows everybody the same. Clients that fell silent, or acknowledge nothing while more and
    /// more waits for them, are dropped, and told.
    pub fn frame(&mut self, time: f32, visible: &[(u32, EntityState)]) {
        self.time = time;
        let mut lost = Vec::new();
        for (&address, client) in &mut self.clients {
            if let Some(datagram) = client.frame(time, visible, self.budget) {
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

    /// Drops a client, and tells him why.
    pub fn kick(&mut self, address: A, reason: &str) {
        if let Some(mut client) = self.clients.remove(&address) {
            self.outbox.push_back((address, client.close(reason)));
        }
    }

    /// Stuffs console commands into every client.
    pub fn stuff(&mut self, text: &str) {
        for client in self.clients.values_mut() {
            client.stuff(text);
        }
    }

    /// Begins another level: clients sign on again.
    pub fn change_level(&mut self, level: Level) {
        self.level = level;
        for client in self.clients.values_mut() {
            client.change_level(&self.level);
        }
    }

    /// Tells every client that it is over, and forgets them.
    pub fn close(&mut self) {
        for (address, mut client) in std::mem::take(&mut self.clients) {
            self.outbox.push_back((address, client.close("")));
        }
    }
}
