//! The seats of a connection.

use crate::server::client::{Connection, Stage};
use crate::server::seat::{MOST_REQUESTS, Seat, SeatRequest, Sitting};
use fragreel_quake1::unstable::message::{ChooseSeat, Message, StatByte, StatLong};
use fragreel_quake1::unstable::state::Stats;

impl Connection {
    /// The seats.
    pub(super) fn seats(&self) -> impl Iterator<Item = Seat> + '_ {
        self.sitting.iter().map(|sitting| sitting.seat)
    }

    /// Whether a seat is still what it was, and which it is now.
    pub(super) fn find(&self, seat: Seat) -> Option<u8> {
        self.sitting.iter().position(|sitting| sitting.seat.user_id == seat.user_id).map(|at| at as u8)
    }

    /// Takes a command that was said at a seat, where it is about seats. Says whether it was.
    pub(super) fn requests_at(&mut self, seat: u8, text: &[u8]) -> bool {
        let Some(request) = SeatRequest::parse(seat, text) else { return false };
        if self.requests.len() < MOST_REQUESTS {
            self.requests.push(request);
        }
        true
    }

    /// Somebody else sits down.
    pub(super) fn sit(&mut self, seat: Seat) {
        self.sitting.push(Sitting::new(seat));
        self.list_seats();
    }

    /// Somebody but the first leaves; those above move down.
    pub(super) fn rise(&mut self, number: u8) -> Option<Seat> {
        if number == 0 || usize::from(number) >= self.sitting.len() {
            return None;
        }
        let gone = self.sitting.remove(usize::from(number)).seat;
        for (at, sitting) in (0..).zip(&mut self.sitting) {
            if sitting.seat.number != at {
                sitting.seat.number = at;
                // what was sent to the seat was for another
                sitting.forget();
            }
        }
        self.list_seats();
        Some(gone)
    }

    fn list_seats(&mut self) {
        let players = self.seats().map(|seat| seat.slot).collect();
        self.say(&Message::SplitScreenConfig(fragreel_quake1::unstable::message::Seats { players }));
    }

    /// Queues what must arrive, for a seat: it and what says for which go in one packet.
    pub(super) fn say_to(&mut self, seat: u8, message: &Message) {
        let bytes = self.directed(seat, message);
        self.queue(&bytes);
    }

    /// A message, behind what says for which seat it is.
    pub(super) fn directed(&self, seat: u8, message: &Message) -> Vec<u8> {
        let mut bytes = if seat > 0 { self.encoded(&Message::ChooseSeat(ChooseSeat { seat })) } else { Vec::new() };
        bytes.extend(self.encoded(message));
        bytes
    }

    /// Sends the stats of a seat that have changed since they were sent.
    pub(super) fn stats(&mut self, seat: u8, stats: &Stats) {
        if self.stage < Stage::Spawned {
            return;
        }
        for (at, value) in stats.iter().copied().enumerate() {
            let Some(sitting) = self.sitting.get_mut(usize::from(seat)) else { return };
            let known = sitting.stats[at].replace(value);
            if known == Some(value) || (known.is_none() && value == 0) {
                if known.is_none() {
                    sitting.stats[at] = None;
                }
                continue;
            }
            let stat = at as u8;
            let message = match u8::try_from(value) {
                Ok(value) => Message::StatByte(StatByte { stat, value }),
                Err(_) => Message::StatLong(StatLong { stat, value }),
            };
            self.say_to(seat, &message);
        }
    }
}
