//! Further seats of a recorder: spectators at the same connection, each of whom follows another player. Document: *Recorder*.

use crate::dialect::pext1::SPLITSCREEN;
use crate::live::command;
use crate::live::recorder::chase_camera::ChaseCamera;
use crate::message::{Extension, Message};
use crate::state::seats::{MOST_SEATS, Seats};

/// Who else sits at the connection.
#[derive(Debug, Clone)]
pub(super) struct ExtraSeats {
    /// How many seats there are to be.
    wanted: usize,
    /// Keys and values of who sits down.
    name: String,
    /// Whether the server has split screens; nothing before it said so.
    possible: Option<bool>,
    seats: Seats,
    /// When a seat was asked for last, and how often in vain.
    asked: Option<f64>,
    vain: u32,
    /// Whom the further seats follow, as the server was told.
    told: [Option<u8>; MOST_SEATS],
}

/// Seconds between two questions for a seat: servers look at no more.
const AGAIN: f64 = 3.0;
/// Questions in vain after which there are enough seats.
const MOST_IN_VAIN: u32 = 5;

impl ExtraSeats {
    pub fn new(wanted: usize, name: &str) -> Self {
        let name = crate::live::recorder::settings::clean(name);
        Self { wanted: wanted.clamp(1, MOST_SEATS), name, possible: None, seats: Seats::default(), asked: None, vain: 0, told: [None; MOST_SEATS] }
    }

    /// How many seats there are.
    pub fn count(&self) -> usize {
        self.seats.slots().len()
    }

    /// How many seats there are fewer than wanted.
    pub fn missing(&self) -> usize {
        self.wanted.saturating_sub(self.count())
    }

    /// Takes a message.
    pub fn receive(&mut self, message: &Message) {
        if let Message::ServerData(data) = message {
            let has = |pair: &Extension| pair.key == Extension::FTE1 && pair.value & SPLITSCREEN != 0;
            self.possible = Some(data.extensions.iter().any(has));
            (self.told, self.asked) = ([None; MOST_SEATS], None);
        }
        let before = self.count();
        if self.seats.learn(message) && self.count() > before {
            (self.vain, self.asked) = (0, None);
        }
    }

    /// What to say while playing: a question for another seat, or whom a seat follows.
    pub fn commands(&mut self, now: f64, follow: &ChaseCamera) -> Vec<Vec<u8>> {
        let mut out = Vec::new();
        let asks = self.possible == Some(true) && self.count() < self.wanted && self.vain < MOST_IN_VAIN;
        if asks && self.asked.is_none_or(|asked| now - asked >= AGAIN) {
            self.vain += u32::from(self.asked.is_some());
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
            let known = self.told[seat].filter(|slot| follow.plays(*slot) && !taken.contains(slot));
            let chosen = known.or_else(|| follow.players().find(|slot| !taken.contains(slot)));
            taken.extend(chosen);
            if let Some(slot) = chosen.filter(|slot| self.told[seat] != Some(*slot)) {
                self.told[seat] = chosen;
                let mut message = Vec::new();
                command::string_of_seat(&mut message, seat as u8, format!("ptrack {slot}").as_bytes());
                out.push(message);
            }
        }
        out
    }

    /// How many seats have input.
    pub fn moving(&self) -> usize {
        self.count().clamp(1, self.wanted)
    }
}
