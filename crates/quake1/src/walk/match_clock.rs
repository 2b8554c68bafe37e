//! The match clock, from prints, stuffed commands and the end of the level (`docs/formats/quake1.md`, "Events").

use fragreel_model::{EndCause, MatchState, Milliseconds};

use crate::characters;
use crate::container::{Target, kind};
use crate::message::Message;
use crate::walk::lines::{Level, Line, Lines, Reader};
use crate::walk::rounds::{RoundLine, round_line};

/// The match clock. It starts with the match and stops at the intermission.
#[derive(Debug, Clone, Default)]
pub(crate) struct MatchClock {
    /// On the recording's clock. `None` before a match and during a countdown.
    start: Option<Milliseconds>,
    /// When the intermission began.
    end: Option<Milliseconds>,
    counting_down: bool,
    /// Whether a point of the match is over, and the next has not begun.
    between_points: bool,
    lines: Lines,
}

impl MatchClock {
    /// Follows a message: for walks that need nothing but the clock.
    pub(crate) fn message(&mut self, message: &Message, target: Target, now: Milliseconds) {
        match message {
            Message::ServerData(_) | Message::ServerInfo(_) => self.start_level(),
            Message::QwIntermission(_) | Message::NqIntermission(_) | Message::Finale(_) => self.end(now),
            Message::QwPrint(m) => self.print(target, Level::of(m.level), m.text.bytes(), now),
            Message::NqPrint(m) => self.print(target, Level::Unknown, m.text.bytes(), now),
            Message::StuffText(m) if is_match_start(m.text.bytes()) => self.start_match(now),
            message if is_countdown(message) => drop(self.enter(MatchState::Countdown, now)),
            _ => {}
        }
    }

    /// A match begins, or in a duel of points the next point.
    fn start_match(&mut self, now: Milliseconds) {
        if !self.enter(MatchState::Started, now) {
            self.next_point();
        }
    }

    fn print(&mut self, target: Target, level: Level, text: &[u8], now: Milliseconds) {
        if level == Level::Low || level == Level::Chat {
            return;
        }
        let mut lines = std::mem::take(&mut self.lines);
        lines.push(
            reader(target),
            level,
            text,
            |_, _| false,
            |Line { text: line, .. }| {
                let says = !line.is_empty() && (level != Level::Unknown || line[0] != 1);
                if says {
                    let said = read(line);
                    if let Some(said) = said.state {
                        self.enter(said.state, now);
                    }
                    if said.round == Some(RoundLine::PointOver) {
                        self.point_over();
                    }
                }
            },
        );
        self.lines = lines;
    }

    /// Resets the clock for a new level. A countdown may continue into it.
    pub(crate) fn start_level(&mut self) {
        (self.start, self.end, self.between_points) = (None, None, false);
        self.lines.end(|_, _, _| {});
    }

    /// Stops the clock after `now`: the game shows the score board.
    pub(crate) fn end(&mut self, now: Milliseconds) {
        self.end.get_or_insert(now);
        self.between_points = false;
    }

    /// True once a match has begun, even if it is over.
    pub(crate) fn has_start(&self) -> bool {
        self.start.is_some()
    }

    /// True once the match is over.
    pub(crate) fn is_over(&self) -> bool {
        self.end.is_some()
    }

    /// Puts the match into a state. Returns true if that is a change.
    pub(crate) fn enter(&mut self, state: MatchState, now: Milliseconds) -> bool {
        if state == MatchState::Countdown && self.counting_down {
            return false;
        }
        self.counting_down = state == MatchState::Countdown && !self.between_points;
        match state {
            MatchState::Started if self.between_points => return false,
            MatchState::Started if self.start.is_some() && self.end.is_none() => return false,
            MatchState::Started => (self.start, self.end) = (Some(now), None),
            // a duel of points counts down to each of them
            MatchState::Countdown if self.between_points => return false,
            MatchState::Countdown | MatchState::Warmup => (self.start, self.end) = (None, None),
            // a line says so first, and the scoreboard comes later
            MatchState::Intermission if self.end.is_some() => return false,
            MatchState::Intermission => self.end(now),
            _ => {}
        }
        true
    }

    /// A point of the match is over: the next start begins another one. Returns whether it is the end of one.
    pub(crate) fn point_over(&mut self) -> bool {
        !std::mem::replace(&mut self.between_points, true)
    }

    /// A start begins the next point of the match that runs. Returns whether it does.
    pub(crate) fn next_point(&mut self) -> bool {
        std::mem::take(&mut self.between_points)
    }

    /// Time since the start of the match. `None` outside of a match.
    pub(crate) fn at(&self, now: Milliseconds) -> Option<Milliseconds> {
        let start = self.start.filter(|_| self.end.is_none_or(|end| now <= end))?;
        Some(now - start)
    }
}

/// The readers of a target's lines.
pub(crate) fn reader(target: Target) -> Reader {
    match target.kind {
        kind::SINGLE | kind::STATS => (kind::SINGLE, target.slot, 0),
        kind::MULTIPLE => (kind::MULTIPLE, 0, target.players),
        _ => (0, 0, 0),
    }
}

/// ProQuake's message that a match begins, in stuffed text.
pub(crate) const MATCH_RESET: &[u8] = b"\x01\x06";

/// True for KTX's command at the start of a match, and for ProQuake's message.
fn is_match_start(text: &[u8]) -> bool {
    if text.starts_with(MATCH_RESET) {
        return true;
    }
    let mut words = text.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
    words.next() == Some(b"//ktx") && words.next() == Some(b"matchstart")
}

/// True if a server info key announces a countdown.
pub(crate) fn is_countdown(message: &Message) -> bool {
    matches!(message, Message::ServerInfoKey(m) if m.key.bytes() == b"status" && m.value.bytes().starts_with(b"Countdown"))
}

/// What a line announces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Announced {
    pub(crate) state: MatchState,
    pub(crate) cause: Option<EndCause>,
}

/// What a line says of the match.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct MatchLine {
    pub(crate) state: Option<Announced>,
    pub(crate) round: Option<RoundLine>,
}

/// Reads a line.
pub(crate) fn read(line: &[u8]) -> MatchLine {
    let lower = characters::clean(line).to_ascii_lowercase();
    MatchLine { state: announced(lower.trim()), round: round_line(lower.trim()) }
}

/// The state of the match that a line in lower case announces.
fn announced(text: &str) -> Option<Announced> {
    const STATES: &[(&str, MatchState, Option<EndCause>)] = &[
        ("the match has begun", MatchState::Started, None),
        ("match has begun", MatchState::Started, None),
        // KTPro's duels
        ("the duel has begun", MatchState::Started, None),
        ("timer started", MatchState::Countdown, None),
        ("game paused", MatchState::Paused, None),
        ("game unpaused", MatchState::Resumed, None),
        ("match restarted", MatchState::Restarted, None),
        ("the match is over", MatchState::Intermission, None),
        ("match stopped by majority vote", MatchState::Stopped, Some(EndCause::Vote)),
    ];
    if text.contains("overtime follows") || text.starts_with("sudden death") || text.ends_with("overtime begins") {
        return Some(Announced { state: MatchState::Overtime, cause: None });
    }
    if text.ends_with(" forces a break!") {
        return Some(Announced { state: MatchState::Stopped, cause: Some(EndCause::Admin) });
    }
    // a server's own line, and KTX's
    if text.ends_with(" paused the game") || text.contains(" paused the game. he has ") {
        return Some(Announced { state: MatchState::Paused, cause: None });
    }
    if text.ends_with(" unpaused the game") {
        return Some(Announced { state: MatchState::Resumed, cause: None });
    }
    if text.ends_with(" stops the countdown") || text.starts_with("aborting...") {
        return Some(Announced { state: MatchState::Warmup, cause: None });
    }
    STATES.iter().find(|(phrase, ..)| text.starts_with(phrase)).map(|(_, state, cause)| Announced { state: *state, cause: *cause })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mods_announce_matches_and_duels() {
        for line in ["The match has begun!", "The duel has begun!"] {
            assert_eq!(read(line.as_bytes()).state.map(|said| said.state), Some(MatchState::Started), "{line}");
        }
    }

    #[test]
    fn a_duel_of_points_is_one_match() {
        let mut clock = MatchClock::default();
        assert!(clock.enter(MatchState::Started, Milliseconds(1000)));
        assert!(clock.point_over() && !clock.enter(MatchState::Countdown, Milliseconds(2000)));
        assert!(!clock.enter(MatchState::Started, Milliseconds(5000)) && clock.next_point());
        assert_eq!(clock.at(Milliseconds(6000)), Some(Milliseconds(5000)));
    }

    #[test]
    fn votes_stop_matches() {
        let of = |line: &str| read(line.as_bytes()).state.map(|said| (said.state, said.cause));
        assert_eq!(of("Match stopped by majority vote"), Some((MatchState::Stopped, Some(EndCause::Vote))));
        assert_eq!(of("ann forces a break!"), Some((MatchState::Stopped, Some(EndCause::Admin))));
        assert_eq!(of("The match is over                (5)"), Some((MatchState::Intermission, None)));
        assert_eq!(of("ann stops the countdown"), Some((MatchState::Warmup, None)));
    }

    #[test]
    fn the_clock_stops_at_the_intermission() {
        let at = |clock: &MatchClock, time| clock.at(Milliseconds(time)).map(|time| time.0);
        let mut clock = MatchClock::default();
        assert!(clock.enter(MatchState::Started, Milliseconds(1000)));
        assert!(!clock.enter(MatchState::Started, Milliseconds(2000)));
        clock.end(Milliseconds(5000));
        clock.end(Milliseconds(6000));
        assert_eq!([4000, 5000, 5001].map(|time| at(&clock, time)), [Some(3000), Some(4000), None]);
        assert!(clock.enter(MatchState::Started, Milliseconds(9000)));
        assert_eq!(at(&clock, 9500), Some(500));
        clock.start_level();
        assert_eq!(at(&clock, 9500), None);
    }
}
