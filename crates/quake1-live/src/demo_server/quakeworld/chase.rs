//! The players that seats follow.

use std::collections::BTreeMap;

use crate::server::Seat;
use fragreel_quake1::unstable::container::{Target, kind};
use fragreel_quake1::unstable::message::Message;

/// The followed player, by client and the seat's user.
#[derive(Debug, Clone)]
pub(super) struct ChaseTargets<A>(BTreeMap<(A, i32), Option<u8>>);

impl<A: Ord + Copy> ChaseTargets<A> {
    pub(super) fn new() -> Self {
        ChaseTargets(BTreeMap::new())
    }

    /// The player that a seat follows.
    pub(super) fn of(&self, who: A, seat: Seat) -> Option<u8> {
        self.0.get(&(who, seat.user_id)).copied().flatten()
    }

    pub(super) fn turn(&mut self, who: A, seat: Seat, follows: Option<u8>) {
        self.0.insert((who, seat.user_id), follows);
    }

    pub(super) fn close(&mut self, who: A, seat: Seat) {
        self.0.remove(&(who, seat.user_id));
    }

    pub(super) fn forget(&mut self, who: A) {
        self.0.retain(|(known, _), _| *known != who);
    }

    /// The first of these players that no seat of a client follows.
    pub(super) fn another(&self, who: A, mut players: impl Iterator<Item = u8>) -> Option<u8> {
        let taken = |slot: u8| self.0.iter().any(|((known, _), follows)| *known == who && *follows == Some(slot));
        players.find(|slot| !taken(*slot))
    }

    /// True if a seat receives a message for some players: it follows one of them. `own` is the recording player, if there is one.
    pub(super) fn hears(&self, who: A, seat: Seat, target: Target, own: Option<u8>) -> bool {
        let follows = self.of(who, seat);
        match target.kind {
            kind::SINGLE | kind::STATS => follows == Some(target.slot),
            kind::MULTIPLE => follows.is_some_and(|slot| slot < 32 && target.players >> slot & 1 != 0),
            _ => own.is_none() || follows == own || follows.is_none(),
        }
    }
}

/// True if a message is for one part of a split screen.
pub(super) fn is_for_a_seat(message: &Message) -> bool {
    matches!(message, Message::StuffText(_) | Message::CenterPrint(_) | Message::Damage(_) | Message::SmallKick(_) | Message::BigKick(_))
}
