//! By what a recording is known again, whatever its container, its length, or whose view it is.
//!
//! A *view* mark is where the recorded eyes were at the first frame of each two seconds on the server's clock, unless they stood still: a conversion, a repair or
//! a cut of the same view has the same. A *match* mark is three kills in a row, as the [identity](fragreel::model::Identity) of a match has them:
//! another view of the same match has the same, at the same time on the server's clock. In Quake II, whose server's recordings hold no kills,
//! it is also a player's place at the first frame of each two seconds, unless the player stood still: to the bit the same in every view.
//! A *chat* mark is a line of chat. Players say the same lines in every match, so these count only between recordings that state one date.

use std::collections::HashMap;

use crate::Source;
use fragreel::model::{Event, EventKind, Family, Fields, Frame, FrameOptions, IdentityMaker, Kind, Milliseconds, stable_hash};

/// View marks are this far apart, in milliseconds.
const STEP: Milliseconds = Milliseconds(2000);

/// A recording has at most this number of marks of a kind; longer ones keep the first.
const MOST: usize = 4096;

/// A moment to know a recording by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Mark {
    /// A hash of what happened.
    pub mark: i64,
    /// When, on the server's clock.
    pub time: Milliseconds,
}

/// The marks of a recording.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Marks {
    /// Of the recorded view.
    pub view: Vec<Mark>,
    /// Of the match.
    pub game: Vec<Mark>,
    /// Of what was said.
    pub chat: Vec<Mark>,
    /// When it was played, to the second, where the recording states that.
    pub date: Option<String>,
}

impl Marks {
    /// Finds them.
    pub fn of(source: &Source<'_>) -> Self {
        let mut maker = MarksMaker::default();
        source.recording().events(MarksMaker::KINDS).for_each(|event| maker.take(&event));
        maker.finish(source)
    }

    fn read_frames(&mut self, source: &Source<'_>) {
        let options = FrameOptions::default().fields(Fields::VIEW | Fields::ORIGIN).players_only().server_interval(STEP);
        let Ok(mut frames) = source.recording().frames(options) else { return };
        let maps = &source.info().maps;
        let map = maps.first().map_or("", String::as_str);
        let (mut frame, mut is_first, mut first, mut last) = (Frame::default(), true, None, String::new());
        let (with_places, mut stood) = (source.family() == Family::Quake2, HashMap::new());
        while frames.next_into(&mut frame) {
            let is_first = std::mem::take(&mut is_first);
            let place = |origin: [f32; 3]| format!("{:.0} {:.0} {:.0}", origin[0], origin[1], origin[2]);
            let time = frame.server_time.0.to_string();
            for (slot, place) in frame.players.iter().filter(|_| with_places).filter_map(|player| Some((player.slot, place(player.origin?)))) {
                let mark = hash(&["place", map, &time, &place]);
                if stood.insert((frame.level, slot), place.clone()).is_some_and(|before| before != place) {
                    add(&mut self.game, mark, frame.server_time);
                }
            }
            // A recording of everybody is known by everybody's places.
            let mut places: Vec<String> = match &frame.view {
                Some(view) => vec![place(view.origin)],
                None => frame.players.iter().filter_map(|player| player.origin.map(place)).collect(),
            };
            places.sort_unstable();
            let places = places.join("\n");
            // A player who stands still could be anybody, and a cut may begin anywhere between two moments.
            if places.is_empty() || places == last {
                continue;
            }
            let mark = hash(&["view", map, &time, &places]);
            last = places;
            if is_first {
                first = Some((mark, frame.server_time));
            } else {
                add(&mut self.view, mark, frame.server_time);
            }
        }
        // What is too short for a moment in between is known by its first.
        if let (true, Some((mark, time))) = (self.view.is_empty(), first) {
            add(&mut self.view, mark, time);
        }
    }
}

/// Makes marks of events that somebody walks over.
#[derive(Default)]
pub(crate) struct MarksMaker {
    marks: Marks,
    map: String,
    identity: IdentityMaker,
}

impl MarksMaker {
    /// The kinds of events that it takes.
    pub(crate) const KINDS: [Kind; 3] = [Kind::Kill, Kind::Chat, Kind::Level];

    pub(crate) fn take(&mut self, event: &Event) {
        let time = event.server_time;
        match &event.kind {
            EventKind::Level { map, .. } => {
                self.map.clone_from(map);
                self.identity = IdentityMaker::default();
            }
            EventKind::Kill(kill) => {
                if let Some(mark) = self.identity.kill(time, kill) {
                    add(&mut self.marks.game, i64::from(mark), time);
                }
            }
            EventKind::Chat { from: Some(from), text, .. } if text.clean.len() > 3 => {
                add(&mut self.marks.chat, hash(&["chat", &self.map, &from.name.clean, &text.clean]), time);
            }
            _ => {}
        }
    }

    /// With the marks of the frames.
    pub(crate) fn finish(self, source: &Source<'_>) -> Marks {
        let mut marks = Marks { date: exact(source.info().date.clone()), ..self.marks };
        marks.read_frames(source);
        for list in [&mut marks.view, &mut marks.game, &mut marks.chat] {
            list.sort_unstable();
            list.dedup();
        }
        marks
    }
}

/// A date with the time of day: days have many matches.
pub(crate) fn exact(date: Option<String>) -> Option<String> {
    date.filter(|date| date.contains('T'))
}

fn add(marks: &mut Vec<Mark>, mark: i64, time: Milliseconds) {
    if marks.len() < MOST {
        marks.push(Mark { mark, time });
    }
}

fn hash(parts: &[&str]) -> i64 {
    stable_hash(parts) as i64
}
