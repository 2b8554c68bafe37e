//! Who sits at a connection: more than one player with FTE's split screen (`docs/formats/quake1.md`, "Seats").

use crate::container::{Target, kind};
use crate::dialect::{Dialect, pext1, pext2};
use crate::message::{ChooseSeat, Message, ServerData};

/// Most players at one connection. FTE reads the numbers of seats modulo this.
pub const MOST_SEATS: usize = 4;

/// The slots of a connection's players, by seat.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Seats {
    slots: [u8; MOST_SEATS],
    count: u8,
}

impl Seats {
    /// These slots, at most four.
    pub(crate) fn of(slots: impl IntoIterator<Item = u8>) -> Self {
        let mut seats = Seats::default();
        for (to, slot) in seats.slots.iter_mut().zip(slots) {
            *to = slot;
            seats.count += 1;
        }
        seats
    }

    /// The slots, the first seat's first.
    pub fn slots(&self) -> &[u8] {
        &self.slots[..usize::from(self.count)]
    }

    /// The slot of a seat.
    pub(crate) fn slot(&self, seat: u8) -> Option<u8> {
        self.slots().get(usize::from(seat)).copied()
    }

    /// The seat of a slot.
    pub(crate) fn seat_of(&self, slot: u8) -> Option<u8> {
        self.slots().iter().position(|known| *known == slot).map(|at| at as u8)
    }

    /// Whether a message says who sits where, or for which seat the next one is.
    #[inline]
    pub(crate) fn concerns(message: &Message) -> bool {
        matches!(message, Message::ChooseSeat(_) | Message::ServerData(_) | Message::SplitScreenConfig(_) | Message::UpdateSeats(_))
    }

    /// Takes in such a message. Returns for which seat the next one is, and for whom.
    #[cold]
    pub(crate) fn follow(&mut self, message: &Message, before: Target, multi_view: bool) -> (u8, Target) {
        match message {
            Message::ChooseSeat(choice) if !multi_view => self.chosen(choice, before),
            _ => {
                self.learn(message);
                (0, before)
            }
        }
    }

    /// Takes in who sits where. Says whether the message says that.
    pub fn learn(&mut self, message: &Message) -> bool {
        *self = match message {
            Message::ServerData(m) => Seats::of(slots(m)),
            Message::SplitScreenConfig(m) | Message::UpdateSeats(m) => Seats::of(m.players.iter().copied()),
            _ => return false,
        };
        true
    }

    /// For whom a message is that follows a [`ChooseSeat`]: its seat and that player; nobody where nobody sits there, and, without
    /// anything to choose, as before.
    pub(crate) fn chosen(&self, choice: &ChooseSeat, before: Target) -> (u8, Target) {
        let seat = choice.seat % MOST_SEATS as u8;
        match (seat, self.slot(seat)) {
            (0, _) => (0, before),
            (_, Some(slot)) => (seat, Target { kind: kind::SINGLE, slot, players: 0 }),
            (_, None) => (seat, Target { kind: kind::MULTIPLE, slot: 0, players: 0 }),
        }
    }

    /// What says a message to a slot over this connection: nothing where nobody of it has that slot.
    pub(crate) fn directed(&self, to: Target, message: Message) -> impl Iterator<Item = Message> + use<> {
        let seat = match to.kind {
            kind::SINGLE | kind::STATS => self.seat_of(to.slot),
            _ => Some(0),
        };
        let choice = seat.filter(|seat| *seat > 0).map(|seat| Message::ChooseSeat(ChooseSeat { seat }));
        choice.into_iter().chain(seat.map(|_| message))
    }
}

/// The slots that a server states, without what says that somebody only watches.
pub(crate) fn slots(data: &ServerData) -> impl Iterator<Item = u8> + '_ {
    let mask = if Dialect::masks(&data.extensions)[1] & pext2::MAXPLAYERS != 0 { u8::MAX } else { !ServerData::END_OF_SEATS };
    data.players.iter().map(move |slot| slot & mask)
}

/// The server data with other seats than it was sent with, where it can list them: as FTE's client writes it when it begins to record.
pub(crate) fn restated(data: &ServerData, now: &[u8]) -> Option<ServerData> {
    let [has1, has2, _] = Dialect::masks(&data.extensions);
    let mut data = data.clone();
    let now = &now[..now.len().min(MOST_SEATS)];
    if now.is_empty() {
        return None;
    }
    if has2 & pext2::MAXPLAYERS != 0 {
        data.seats = data.seats & ServerData::END_OF_SEATS | now.len() as u8;
        data.players = now.to_vec();
    } else if has1 & pext1::SPLITSCREEN != 0 {
        // who watches is known of those who were there
        let flag = |slot: u8| data.players.iter().copied().find(|player| player & !ServerData::END_OF_SEATS == slot).unwrap_or(slot);
        data.players = now.iter().map(|slot| flag(*slot)).collect();
        // a further seat that watches from slot 0 would end the list
        if data.players[1..].contains(&ServerData::END_OF_SEATS) {
            return None;
        }
    } else {
        return None;
    }
    Some(data)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::message::{Extension, Seats as Listed};

    fn data(key: u32, value: u32, players: &[u8]) -> ServerData {
        ServerData {
            extensions: vec![Extension { key, value, ..Extension::default() }],
            players: players.to_vec(),
            seats: players.len() as u8,
            ..ServerData::default()
        }
    }

    #[test]
    fn seats_have_slots() {
        let mut seats = Seats::default();
        assert!(seats.learn(&Message::ServerData(data(Extension::FTE1, pext1::SPLITSCREEN, &[131, 5]))));
        assert_eq!((seats.slots(), seats.seat_of(5), seats.seat_of(0)), (&[3, 5][..], Some(1), None));
        assert!(seats.learn(&Message::SplitScreenConfig(Listed { players: vec![3, 7, 9, 2, 8] })));
        assert_eq!(seats.slots(), [3, 7, 9, 2], "FTE has four");
        let all = Target::default();
        let to = |seat: u8| seats.chosen(&ChooseSeat { seat }, all).1;
        assert_eq!((to(0), to(4)), (all, all));
        assert_eq!((to(1).slot, to(6).slot), (7, 9));
        // with MAXPLAYERS no bit says who watches
        assert!(seats.learn(&Message::ServerData(data(Extension::FTE2, pext2::MAXPLAYERS, &[200]))));
        assert_eq!(seats.slots(), [200]);
        assert_eq!(seats.chosen(&ChooseSeat { seat: 1 }, all), (1, Target { kind: kind::MULTIPLE, slot: 0, players: 0 }));
    }

    #[test]
    fn server_data_is_restated() {
        let restated = |key, value, players: &[u8], now: &[u8]| restated(&data(key, value, players), now).map(|data| (data.players, data.seats));
        assert_eq!(restated(Extension::FTE1, pext1::SPLITSCREEN, &[131], &[3, 1]), Some((vec![131, 1], 1)));
        assert_eq!(restated(Extension::FTE2, pext2::MAXPLAYERS, &[3], &[3, 130]), Some((vec![3, 130], 2)));
        assert_eq!(restated(Extension::FTE1, 0, &[3], &[3, 1]), None);
        assert_eq!(restated(Extension::FTE1, pext1::SPLITSCREEN, &[2, 128], &[2, 0]), None);
    }
}
