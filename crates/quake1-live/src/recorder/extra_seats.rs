//! Extra seats of a recorder: spectators at the same connection who each follow another player. Document: *Recorder*.

use crate::command;
use crate::recorder::chase_camera::ChaseCamera;
use fragreel_quake1::unstable::dialect::pext1::SPLITSCREEN;
use fragreel_quake1::unstable::message::{Extension, Message};
use fragreel_quake1::unstable::state::seats::{MOST_SEATS, Seats};

/// The extra seats of the connection.
#[derive(Debug, Clone)]
pub(super) struct ExtraSeats {
    /// The wanted number of seats.
    wanted: usize,
    /// The user info of extra seats.
    name: String,
    /// Whether the server has split screen; `None` before it states that.
    possible: Option<bool>,
    seats: Seats,
    /// When a seat was last requested, and the number of requests without an answer.
    asked: Option<f64>,
    unanswered: u32,
    /// The players that the server was asked to follow, by seat.
    sent: [Option<u8>; MOST_SEATS],
}

/// Seconds between two requests for a seat. Servers ignore more.
const REQUEST_INTERVAL: f64 = 3.0;
/// Unanswered requests after which no more are sent.
const MOST_UNANSWERED: u32 = 5;

impl ExtraSeats {
    pub(super) fn new(wanted: usize, name: &str) -> Self {
        let name = crate::recorder::settings::clean(name);
        Self { wanted: wanted.clamp(1, MOST_SEATS), name, possible: None, seats: Seats::default(), asked: None, unanswered: 0, sent: [None; MOST_SEATS] }
    }

    /// The number of seats.
    pub(super) fn count(&self) -> usize {
        self.seats.slots().len()
    }

    /// The number of seats missing.
    pub(super) fn missing(&self) -> usize {
        self.wanted.saturating_sub(self.count())
    }

    /// Follows a message.
    pub(super) fn receive(&mut self, message: &Message) {
        if let Message::ServerData(data) = message {
            let has = |pair: &Extension| pair.key == Extension::FTE1 && pair.value & SPLITSCREEN != 0;
            self.possible = Some(data.extensions.iter().any(has));
            (self.sent, self.asked) = ([None; MOST_SEATS], None);
        }
        let before = self.count();
        if self.seats.learn(message) && self.count() > before {
            (self.unanswered, self.asked) = (0, None);
        }
    }

    /// The commands to send during play: a request for a seat, or a player to follow.
    pub(super) fn commands(&mut self, now: f64, follow: &ChaseCamera) -> Vec<Vec<u8>> {
        let mut out = Vec::new();
        let asks = self.possible == Some(true) && self.count() < self.wanted && self.unanswered < MOST_UNANSWERED;
        if asks && self.asked.is_none_or(|asked| now - asked >= REQUEST_INTERVAL) {
            self.unanswered += u32::from(self.asked.is_some());
            self.asked = Some(now);
            let number = self.count() + 1;
            let info = format!("\\name\\{}-{number}\\spectator\\1\\topcolor\\0\\bottomcolor\\0", self.name);
            let mut message = Vec::new();
            command::string(&mut message, format!("addseat {number} \"{info}\"").as_bytes());
            out.push(message);
        }
        if follow.is_idle() {
            return out;
        }
        let mut taken: Vec<u8> = follow.chosen().into_iter().collect();
        for seat in 1..self.count() {
            let known = self.sent[seat].filter(|slot| follow.plays(*slot) && !taken.contains(slot));
            let chosen = known.or_else(|| follow.players().find(|slot| !taken.contains(slot)));
            taken.extend(chosen);
            if let Some(slot) = chosen.filter(|slot| self.sent[seat] != Some(*slot)) {
                self.sent[seat] = chosen;
                let mut message = Vec::new();
                command::string_of_seat(&mut message, seat as u8, format!("ptrack {slot}").as_bytes());
                out.push(message);
            }
        }
        out
    }

    /// The number of seats with input.
    pub(super) fn moving(&self) -> usize {
        self.count().clamp(1, self.wanted)
    }
}
