//! Seats: who plays at a connection. One does; with FTE's split screen, up to four.

use crate::live::handshake::{number, words};
use crate::message::{ChooseSeat, Message, StatByte, StatLong};
use crate::state::seats::MOST_SEATS;
use crate::state::{Stats, stat};

use crate::live::server::client::{Connection, Stage};

/// Where somebody sits.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Seat {
    /// Which of the connection's, from 0 on. When one is left, those above move down.
    pub number: u8,
    /// The slot of the score board, from 0 on.
    pub slot: u8,
    /// Whether he only watches.
    pub watches: bool,
    /// The number that nobody else on this server has or had.
    pub user_id: i32,
}

/// A seat, and what he knows who sits there.
#[derive(Debug, Clone)]
pub(super) struct Sitting {
    pub seat: Seat,
    stats: [Option<i32>; stat::COUNT],
}

/// What a client wants of its seats.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum SeatRequest {
    /// So many: one more, with keys and values of who sits there, or fewer.
    Count { seats: u8, user_info: Option<Vec<u8>> },
    /// One is left.
    Leave(u8),
}

/// Most wishes of a datagram that are looked at.
const MOST_WISHES: usize = MOST_SEATS;
/// Longest keys and values of who sits down, as engines have it.
const LONGEST_INFO: usize = 1024;
/// Seconds from one wish for seats to the next that is looked at, as FTE's server has it, and after a refusal.
pub(super) const PAUSE: f32 = 2.0;
pub(super) const PAUSE_AFTER_REFUSAL: f32 = 10.0;

impl SeatRequest {
    /// `addseat COUNT "\name\…"` and `drop`, said at a seat.
    fn of(seat: u8, text: &[u8]) -> Option<SeatRequest> {
        let words = words(text);
        match (words.first()?.as_slice(), seat) {
            (b"addseat", 0) => {
                let seats = words.get(1).and_then(|word| number(word)).and_then(|seats| u8::try_from(seats).ok())?;
                Some(SeatRequest::Count { seats, user_info: words.get(2).filter(|info| info.len() <= LONGEST_INFO).cloned() })
            }
            (b"drop", 1..) => Some(SeatRequest::Leave(seat)),
            _ => None,
        }
    }
}

impl Sitting {
    pub fn new(seat: Seat) -> Self {
        Sitting { seat, stats: [None; stat::COUNT] }
    }

    /// He knows nothing of the level.
    pub fn forget(&mut self) {
        self.stats = [None; stat::COUNT];
    }
}

impl Connection {
    /// The seats.
    pub fn seats(&self) -> impl Iterator<Item = Seat> + '_ {
        self.sitting.iter().map(|sitting| sitting.seat)
    }

    /// Whether a seat is still what it was, and which it is now.
    pub fn find(&self, seat: Seat) -> Option<u8> {
        self.sitting.iter().position(|sitting| sitting.seat.user_id == seat.user_id).map(|at| at as u8)
    }

    /// Takes a command that was said at a seat, where it is about seats. Says whether it was.
    pub fn wishes_for(&mut self, seat: u8, text: &[u8]) -> bool {
        let Some(wish) = SeatRequest::of(seat, text) else { return false };
        if self.wishes.len() < MOST_WISHES {
            self.wishes.push(wish);
        }
        true
    }

    /// Somebody else sits down.
    pub fn sit(&mut self, seat: Seat) {
        self.sitting.push(Sitting::new(seat));
        self.list_seats();
    }

    /// Somebody but the first leaves; those above move down.
    pub fn rise(&mut self, number: u8) -> Option<Seat> {
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
        self.say(&Message::SplitScreenConfig(crate::message::Seats { players }));
    }

    /// Queues what must arrive, for a seat: it and what says for which go in one packet.
    pub fn say_to(&mut self, seat: u8, message: &Message) {
        let bytes = self.directed(seat, message);
        self.queue(&bytes);
    }

    /// A message, behind what says for which seat it is.
    pub fn directed(&self, seat: u8, message: &Message) -> Vec<u8> {
        let mut bytes = if seat > 0 { self.encoded(&Message::ChooseSeat(ChooseSeat { seat })) } else { Vec::new() };
        bytes.extend(self.encoded(message));
        bytes
    }

    /// Sends the stats of a seat that have changed since they were sent.
    pub fn stats(&mut self, seat: u8, stats: &Stats) {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wishes_are_read() {
        let info = |text: &[u8]| Some(text.to_vec());
        assert_eq!(SeatRequest::of(0, b"addseat 2 \"\\name\\two\""), Some(SeatRequest::Count { seats: 2, user_info: info(b"\\name\\two") }));
        assert_eq!(SeatRequest::of(0, b"addseat 1"), Some(SeatRequest::Count { seats: 1, user_info: None }));
        assert_eq!(SeatRequest::of(2, b"drop"), Some(SeatRequest::Leave(2)));
        for (seat, text) in [(0, &b"drop"[..]), (1, b"addseat 3"), (0, b"addseat"), (0, b"addseat -1"), (0, b"addseat x"), (0, b"")] {
            assert_eq!(SeatRequest::of(seat, text), None, "{text:?}");
        }
        let long = [b"addseat 2 \"", &[b'x'; LONGEST_INFO + 1][..], b"\""].concat();
        assert_eq!(SeatRequest::of(0, &long), Some(SeatRequest::Count { seats: 2, user_info: None }));
    }
}
