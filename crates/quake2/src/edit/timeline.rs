//! When frames are, and which of them a range of time means.

use model::{Clock, EventKind, Kind, MatchState, Milliseconds, Range};
use wire::Error;

use crate::Recording;
use crate::message::{Body, Message, MvdBody, MvdMessage};
use crate::playback::{At, Manner, Visitor};
use crate::state::{Detail, Effect, State};

/// A frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Mark {
    /// Since the recording's first frame.
    pub time: Milliseconds,
    /// The server's clock.
    pub server_time: Milliseconds,
    /// Levels begun so far.
    pub level: u32,
    /// The frame's number.
    pub number: i64,
}

/// A run of frames by their numbers in the file, from 1, both ends included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Run {
    pub first: u64,
    pub last: u64,
}

/// The frames of a recording, and the map of each level.
#[derive(Debug, Clone, Default)]
pub(crate) struct Timeline {
    pub marks: Vec<Mark>,
    /// For every level the map's name, by what [`State::levels`] counted when it came.
    pub maps: Vec<(u32, Vec<u8>)>,
}

impl Visitor for Timeline {
    fn message(&mut self, _: At, message: &mut Message, _: &[u8], _: Effect, state: &State) {
        if matches!(message.body, Body::Frame(_)) {
            self.frame(state);
        }
    }

    fn mvd_message(&mut self, _: At, message: &mut MvdMessage, _: &[u8], _: Effect, state: &State) {
        if matches!(message.body, MvdBody::Frame(_) | MvdBody::ServerData(_)) {
            self.frame(state);
        }
    }
}

impl Timeline {
    pub fn of(recording: &Recording) -> Self {
        let mut timeline = Timeline::default();
        recording.walk(Manner { skim: true, detail: Detail::Strings, parcels: false, ..recording.manner() }, &mut timeline);
        timeline
    }

    fn frame(&mut self, state: &State) {
        self.marks.push(Mark { time: state.clock.time(), server_time: state.clock.server_time(), level: state.levels, number: state.clock.number() });
        if self.maps.last().is_none_or(|(level, _)| *level != state.levels) {
            self.maps.push((state.levels, state.strings.get(state.dialect.strings.models + 1).to_vec()));
        }
    }

    /// The map of a level.
    pub fn map(&self, level: u32) -> &[u8] {
        self.maps.iter().find(|(known, _)| *known == level).map_or(&[], |(_, map)| map)
    }

    /// All frames.
    pub fn all(&self) -> Result<Run, Error> {
        match self.marks.len() as u64 {
            0 => Err(Error::misuse("the recording has no frame")),
            last => Ok(Run { first: 1, last }),
        }
    }

    /// From the last frame at or before the start to the last at or before the end.
    pub fn run(&self, recording: &Recording, range: Range) -> Result<Run, Error> {
        self.all()?;
        if range.from > range.to {
            return Err(Error::misuse(format!("the range ends at {} before it starts at {}", range.to, range.from)));
        }
        match range.clock {
            Clock::Demo => between(&self.marks, 0, range, |mark| mark.time),
            Clock::Server => self.on_server_clock(range),
            Clock::Match => self.on_match_clock(recording, range),
        }
    }

    /// The server's clock starts anew with every level: the first level in which both ends lie, or else one of them.
    fn on_server_clock(&self, range: Range) -> Result<Run, Error> {
        let levels: Vec<(u64, &[Mark])> = self
            .marks
            .chunk_by(|a, b| a.level == b.level)
            .scan(0, |before, marks| {
                let first = *before;
                *before += marks.len() as u64;
                Some((first, marks))
            })
            .collect();
        let span = |marks: &[Mark]| Some((marks.first()?.server_time, marks.last()?.server_time));
        let both = |marks: &[Mark]| span(marks).is_some_and(|(first, last)| first <= range.from && range.to <= last);
        let some = |marks: &[Mark]| span(marks).is_some_and(|(first, last)| first <= range.to && range.from <= last);
        let found = levels.iter().find(|(_, marks)| both(marks)).or_else(|| levels.iter().find(|(_, marks)| some(marks)));
        match found {
            Some((first, marks)) => between(marks, *first, range, |mark| mark.server_time),
            None => Err(Error::misuse(format!("the server's clock never shows {} to {}", range.from, range.to))),
        }
    }

    fn on_match_clock(&self, recording: &Recording, range: Range) -> Result<Run, Error> {
        let matches = matches(recording);
        let length = |(start, end): (Milliseconds, Option<Milliseconds>)| end.unwrap_or(Milliseconds(i64::MAX)) - start;
        let Some(&(start, _)) = matches.iter().find(|&&one| range.to <= length(one)).or(matches.first()) else {
            return Err(Error::unsupported("nothing in the recording says when a match starts: give the range on the recording's or the server's clock"));
        };
        let range = Range { clock: Clock::Demo, from: range.from + start, to: range.to + start };
        between(&self.marks, 0, range, |mark| mark.time)
    }
}

/// `before`: frames before the first mark.
fn between(marks: &[Mark], before: u64, range: Range, time: impl Fn(&Mark) -> Milliseconds) -> Result<Run, Error> {
    let until = |limit: Milliseconds| marks.partition_point(|mark| time(mark) <= limit) as u64;
    let (first, last) = (until(range.from).max(1), until(range.to));
    let (start, end) = (marks.first().map(&time).unwrap_or_default(), marks.last().map(&time).unwrap_or_default());
    if last == 0 || range.from > end {
        return Err(Error::misuse(format!("the recording goes from {start} to {end}; {} to {} lies outside", range.from, range.to)));
    }
    Ok(Run { first: before + first, last: before + last })
}

/// The matches that the recording tells of: when each starts and, if that is told, ends, since the recording's first frame.
pub(crate) fn matches(recording: &Recording) -> Vec<(Milliseconds, Option<Milliseconds>)> {
    let mut found: Vec<(Milliseconds, Option<Milliseconds>)> = Vec::new();
    recording.events([Kind::Match].into_iter().collect(), &mut |event| {
        let EventKind::Match { state, .. } = event.kind else { return };
        match (state, found.last_mut()) {
            (MatchState::Started, _) => found.push((event.time, None)),
            (MatchState::Intermission, Some((_, end @ None))) => *end = Some(event.time),
            _ => {}
        }
    });
    found
}
