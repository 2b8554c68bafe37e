//! Seats of a connection: one player, or up to four with FTE's split screen.

use crate::handshake::{number, words};
use fragreel_quake1::unstable::state::seats::MOST_SEATS;
use fragreel_quake1::unstable::state::stat;

/// A seat of a connection.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Seat {
    /// The number of the seat at its connection, from 0. When one is left, higher ones move down.
    pub number: u8,
    /// The slot of the scoreboard, from 0.
    pub slot: u8,
    /// True if it only spectates.
    pub watches: bool,
    /// A number that is unique on this server.
    pub user_id: i32,
}

/// A seat, and the stats that it was sent.
#[derive(Debug, Clone)]
pub(super) struct Sitting {
    pub seat: Seat,
    pub stats: [Option<i32>; stat::COUNT],
}

/// A request about seats.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum SeatRequest {
    /// Have this many seats: one more, with its user info, or fewer.
    Count { seats: u8, user_info: Option<Vec<u8>> },
    /// Leave a seat.
    Leave(u8),
}

/// Requests of one datagram that are looked at.
pub(super) const MOST_REQUESTS: usize = MOST_SEATS;
/// Longest keys and values of who sits down, as engines have it.
const LONGEST_INFO: usize = 1024;
/// Seconds from one request for seats to the next that is looked at, as FTE's server has it, and after a refusal.
pub(super) const PAUSE: f32 = 2.0;
pub(super) const PAUSE_AFTER_REFUSAL: f32 = 10.0;

impl SeatRequest {
    /// `addseat COUNT "\name\…"` and `drop`, said at a seat.
    pub(super) fn parse(seat: u8, text: &[u8]) -> Option<SeatRequest> {
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
    pub(super) fn new(seat: Seat) -> Self {
        Sitting { seat, stats: [None; stat::COUNT] }
    }

    /// Forgets the stats, for a new level.
    pub(super) fn forget(&mut self) {
        self.stats = [None; stat::COUNT];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_read() {
        let info = |text: &[u8]| Some(text.to_vec());
        assert_eq!(SeatRequest::parse(0, b"addseat 2 \"\\name\\two\""), Some(SeatRequest::Count { seats: 2, user_info: info(b"\\name\\two") }));
        assert_eq!(SeatRequest::parse(0, b"addseat 1"), Some(SeatRequest::Count { seats: 1, user_info: None }));
        assert_eq!(SeatRequest::parse(2, b"drop"), Some(SeatRequest::Leave(2)));
        for (seat, text) in [(0, &b"drop"[..]), (1, b"addseat 3"), (0, b"addseat"), (0, b"addseat -1"), (0, b"addseat x"), (0, b"")] {
            assert_eq!(SeatRequest::parse(seat, text), None, "{text:?}");
        }
        let long = [b"addseat 2 \"", &[b'x'; LONGEST_INFO + 1][..], b"\""].concat();
        assert_eq!(SeatRequest::parse(0, &long), Some(SeatRequest::Count { seats: 2, user_info: None }));
    }
}
