//! The clock of the match, from what servers print and stuff (`docs/formats/quake1.md`, "Events").

use model::{MatchState, Milliseconds};

use super::lines::{Level, Lines, Reader};
use super::phrases;
use crate::container::{Target, kind};
use crate::message::Message;

/// When the match began.
#[derive(Debug, Clone, Copy, Default)]
pub struct MatchClock {
    /// On the recording's clock; none before, and in a countdown.
    pub start: Option<Milliseconds>,
    counting_down: bool,
}

impl MatchClock {
    /// A level begins. A countdown may go on over that.
    pub fn new_level(&mut self) {
        self.start = None;
    }

    /// The match passes into a state. Returns whether that is news.
    pub fn enter(&mut self, state: MatchState, now: Milliseconds) -> bool {
        if state == MatchState::Countdown && self.counting_down {
            return false;
        }
        self.counting_down = state == MatchState::Countdown;
        match state {
            MatchState::Started if self.start.is_some() => return false,
            MatchState::Started => self.start = Some(now),
            MatchState::Countdown => self.start = None,
            _ => {}
        }
        true
    }

    /// What it shows.
    pub fn at(&self, now: Milliseconds) -> Option<Milliseconds> {
        self.start.map(|start| now - start)
    }
}

/// Follows the clock of the match without anything else of the events.
#[derive(Debug, Clone, Default)]
pub struct MatchWatch {
    /// The clock.
    pub clock: MatchClock,
    lines: Lines,
}

impl MatchWatch {
    /// Takes in a message.
    pub fn message(&mut self, message: &Message, target: Target, now: Milliseconds) {
        match message {
            Message::ServerData(_) | Message::ServerInfo(_) => self.clock.new_level(),
            Message::QwPrint(m) => self.print(target, Level::of(m.level), m.text.bytes(), now),
            Message::NqPrint(m) => self.print(target, Level::Unknown, m.text.bytes(), now),
            Message::StuffText(m) if is_match_start(m.text.bytes()) => drop(self.clock.enter(MatchState::Started, now)),
            message if is_countdown(message) => drop(self.clock.enter(MatchState::Countdown, now)),
            _ => {}
        }
    }

    fn print(&mut self, target: Target, level: Level, text: &[u8], now: Milliseconds) {
        if level == Level::Low || level == Level::Chat {
            return;
        }
        let clock = &mut self.clock;
        self.lines.push(reader(target), level, text, |line| {
            let says = !line.is_empty() && (level != Level::Unknown || line[0] != 1);
            if let Some(state) = says.then(|| phrases::match_state(line)).flatten() {
                clock.enter(state, now);
            }
        });
    }
}

/// Who reads what is sent to a target.
pub fn reader(target: Target) -> Reader {
    match target.kind {
        kind::SINGLE | kind::STATS => (kind::SINGLE, target.slot, 0),
        kind::MULTIPLE => (kind::MULTIPLE, 0, target.players),
        _ => (0, 0, 0),
    }
}

/// KTX's command at the start of a match.
fn is_match_start(text: &[u8]) -> bool {
    let mut words = text.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
    words.next() == Some(b"//ktx") && words.next() == Some(b"matchstart")
}

/// Whether a server's info says that a countdown runs.
pub fn is_countdown(message: &Message) -> bool {
    matches!(message, Message::ServerInfoKey(m) if m.key.bytes() == b"status" && m.value.bytes().starts_with(b"Countdown"))
}
