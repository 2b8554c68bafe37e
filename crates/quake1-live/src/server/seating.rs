//! Assigns seats: slots of the scoreboard, and seats that clients add and leave.

use std::hash::Hash;

use fragreel_model::replay::info_string;

use crate::server::client::{Connection, Stage};
use crate::server::event::Event;
use crate::server::seat::{PAUSE, PAUSE_AFTER_REFUSAL, Seat, SeatRequest};
use crate::server::{MOST_CLIENTS, Server};
use fragreel_quake1::unstable::dialect::pext1::SPLITSCREEN;
use fragreel_quake1::unstable::message::{Message, QwPrint, Text, UpdateUserInfo};
use fragreel_quake1::unstable::state::seats::MOST_SEATS;

/// How clients are seated.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Seating {
    /// All clients spectate, each from the same slot of a scoreboard of its own. They do not see each other. Extra seats have other slots.
    Watchers {
        /// The slots of the first and of extra seats. They must be free.
        slots: Vec<u8>,
    },
    /// Each client gets the first free slot, and is on all scoreboards.
    Slots {
        /// The number of slots, at most 32.
        count: u8,
    },
}

const FULL: &str = "the server is full\n";

impl<A: Ord + Copy + Hash> Server<A> {
    /// A slot for a new client, and whether it has to spectate.
    fn place(&self, number: usize) -> Option<(u8, bool)> {
        match &self.seating {
            Seating::Watchers { slots } => slots.get(number).map(|slot| (*slot, true)),
            Seating::Slots { count } => {
                let taken = |slot: &u8| self.clients.values().any(|client| client.seats().any(|seat| seat.slot == *slot));
                (0..(*count).min(MOST_CLIENTS as u8)).find(|slot| !taken(slot)).map(|slot| (slot, false))
            }
        }
    }

    /// A seat for a new client, if there is one.
    pub(super) fn seat_for(&mut self, number: usize, user_info: &[u8]) -> Option<Seat> {
        let (slot, watches) = self.place(number)?;
        self.user_ids += 1;
        Some(Seat { number: number as u8, slot, watches: watches || self::watches(user_info), user_id: self.user_ids })
    }

    /// Announces a new seat to all clients.
    pub(super) fn arrived(&mut self, from: A, seat: Seat, user_info: Vec<u8>) {
        let userinfo = Text(on_board(&user_info, seat.watches));
        let user = Message::UpdateUserInfo(UpdateUserInfo { slot: seat.slot, user_id: seat.user_id, userinfo });
        self.state(from, seat, &user);
        self.happened(from, seat, Event::Connected { user_info });
    }

    /// Frees the slot of a seat that was left.
    pub(super) fn departed(&mut self, from: A, seat: Seat) {
        self.happened(from, seat, Event::Left);
        self.state(from, seat, &Message::UpdateUserInfo(UpdateUserInfo { slot: seat.slot, ..UpdateUserInfo::default() }));
    }

    /// Queues an event of a connection. Events keep their order.
    fn happened(&mut self, from: A, seat: Seat, event: Event) {
        match self.clients.get_mut(&from) {
            Some(client) if seat.number > 0 => client.events.push_back((seat, event)),
            _ => self.events.push_back((from, seat, event)),
        }
    }

    /// Announces who has a slot: to all clients, or to the owner of an extra seat if each client has a scoreboard of its own. The server data
    /// only states that the first seat spectates.
    fn state(&mut self, from: A, seat: Seat, user: &Message) {
        match self.seating {
            Seating::Slots { .. } => self.lasting(user),
            Seating::Watchers { .. } if seat.number > 0 => self.send(&from, user),
            Seating::Watchers { .. } => {}
        }
    }

    /// Makes a client leave an extra seat. Returns false if it did not have it.
    pub fn unseat(&mut self, address: &A, seat: Seat) -> bool {
        let gone = self.clients.get_mut(address).and_then(|client| client.find(seat).and_then(|number| client.rise(number)));
        if let Some(gone) = gone {
            self.departed(*address, gone);
        }
        gone.is_some()
    }

    /// Handles a client's seat requests.
    pub(super) fn reseat(&mut self, from: A) {
        let now = self.time;
        let Some(client) = self.clients.get_mut(&from) else { return };
        for request in std::mem::take(&mut client.requests) {
            let Some(client) = self.clients.get_mut(&from).filter(|client| client.stage == Stage::Playing) else { return };
            match request {
                SeatRequest::Leave(number) => {
                    if let Some(gone) = client.rise(number) {
                        client.seats_at = now + PAUSE;
                        self.departed(from, gone);
                    }
                }
                SeatRequest::Count { .. } if now < client.seats_at => {}
                SeatRequest::Count { seats, user_info } => {
                    client.seats_at = now + PAUSE;
                    let there = client.sitting.len();
                    if seats >= 1 && usize::from(seats) < there {
                        let gone: Vec<Seat> = (seats..there as u8).rev().filter_map(|number| client.rise(number)).collect();
                        gone.into_iter().for_each(|gone| self.departed(from, gone));
                    } else if let (Some(info), true) = (user_info, usize::from(seats) == there + 1) {
                        self.add(from, info);
                    }
                }
            }
        }
    }

    /// Handles a request for an extra seat.
    fn add(&mut self, from: A, user_info: Vec<u8>) {
        let most = self.most_seats;
        let Some(client) = self.clients.get_mut(&from) else { return };
        let there = client.sitting.len();
        let refusal = if client.connect.extensions.fte1 & SPLITSCREEN == 0 {
            Some(String::from("split screen needs FTE's extension for it\n"))
        } else if there >= most {
            Some(format!("no more than {most} may sit at one connection\n"))
        } else {
            None
        };
        let seat = if refusal.is_none() { self.seat_for(there, &user_info) } else { None };
        let Some(client) = self.clients.get_mut(&from) else { return };
        match seat {
            Some(seat) => {
                client.sit(seat);
                self.arrived(from, seat, user_info);
                self.happened(from, seat, Event::Began);
            }
            None => refuse(client, self.time, &refusal.unwrap_or_else(|| String::from(FULL))),
        }
    }

    /// Allows up to `seats` players per connection, at most four (FTE's split screen).
    #[must_use]
    pub fn with_seats(mut self, most: usize) -> Self {
        self.most_seats = most.clamp(1, MOST_SEATS);
        self.offer_seats();
        self
    }

    pub(super) fn offer_seats(&mut self) {
        let offers = &mut self.handshake.offers.fte1;
        *offers = *offers & !SPLITSCREEN | if self.most_seats > 1 { SPLITSCREEN } else { 0 };
    }
}

/// A client asks again and again.
fn refuse(client: &mut Connection, now: f32, why: &str) {
    client.seats_at = now + PAUSE_AFTER_REFUSAL;
    client.say(&Message::QwPrint(QwPrint { level: 2, text: crate::server::client::text(why) }));
}

/// True if a client only wants to spectate.
fn watches(user_info: &[u8]) -> bool {
    info_string::get(user_info, b"spectator").is_some_and(|value| !value.is_empty() && value != b"0")
}

/// The user info that others receive: without secrets, with the spectator flag.
fn on_board(user_info: &[u8], watches: bool) -> Vec<u8> {
    let mut out = Vec::new();
    for pair in info_string::pairs(user_info).filter(|pair| !matches!(pair.key, b"password" | b"spectator" | b"ip") && !pair.key.starts_with(b"_")) {
        out.extend([b"\\", pair.key, b"\\", pair.value].concat());
    }
    if watches {
        out.extend_from_slice(b"\\*spectator\\1");
    }
    out
}
