//! Puts numbers and results to `match` events: what the scoreboard of the same match says.

use std::collections::VecDeque;

use fragreel_model::{Event, EventKind, Kind, Kinds, MatchState, Milliseconds};

use super::matches::Matches;

/// The kinds of events that figures are made of.
pub(crate) const KINDS: &[Kind] = &[
    Kind::Kill,
    Kind::Join,
    Kind::Leave,
    Kind::Rename,
    Kind::Team,
    Kind::Scores,
    Kind::Score,
    Kind::Item,
    Kind::Flag,
    Kind::Match,
    Kind::Round,
    Kind::Level,
    Kind::Damage,
    Kind::Award,
    Kind::Statistics,
];

/// For how long after a match's end its result may still become known: servers send the last board within seconds.
const PATIENCE: Milliseconds = Milliseconds(10_000);
/// Most events that wait for a result.
const MOST: usize = 100_000;

/// Follows the matches and hands events on, with those behind a match's end waiting for its result.
pub(crate) struct Numbered {
    wanted: Kinds,
    /// The events to hand on.
    pub ready: VecDeque<Event>,
    matches: Matches,
    held: VecDeque<Event>,
    /// The match whose result is waited for, and since when.
    open: Option<(u32, Milliseconds)>,
}

impl Numbered {
    pub(crate) fn new(wanted: Kinds) -> Self {
        Numbered { wanted, ready: VecDeque::new(), matches: Matches::default(), held: VecDeque::new(), open: None }
    }

    /// The matches that it followed.
    pub(crate) fn matches(self) -> Matches {
        self.matches
    }

    /// An event happens.
    pub(crate) fn take(&mut self, mut event: Event) {
        self.matches.take(&event);
        if let Some((number, since)) = self.open
            && (self.matches.number() != Some(number) || self.matches.over_since().is_none() || event.time - since > PATIENCE || self.held.len() >= MOST)
        {
            self.release();
        }
        if !self.wanted.has(event.kind.kind()) {
            return;
        }
        let mut ends = false;
        if let EventKind::Match { state, number, .. } = &mut event.kind {
            *number = self.matches.number();
            ends = matches!(state, MatchState::Intermission | MatchState::Stopped | MatchState::Forfeited) && number.is_some();
        }
        if ends && self.open.is_none() {
            self.open = self.matches.number().map(|number| (number, event.time));
        }
        if self.open.is_some() {
            self.held.push_back(event);
        } else {
            self.ready.push_back(event);
        }
    }

    /// Hands on what waits: the match's result is known, or the recording ends.
    pub(crate) fn release(&mut self) {
        let of = self.open.take().and_then(|(number, _)| Some((number, self.matches.result(number)?)));
        for mut event in std::mem::take(&mut self.held) {
            if let (EventKind::Match { state: MatchState::Intermission | MatchState::Stopped | MatchState::Forfeited, number, result, .. }, Some((one, found))) =
                (&mut event.kind, &of)
                && *number == Some(*one)
            {
                *result = Some(Box::new(found.clone()));
            }
            self.ready.push_back(event);
        }
    }
}
