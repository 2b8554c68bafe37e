//! Two recordings side by side, moment by moment on the server's clock.

use std::cmp::Ordering;
use std::collections::{BTreeMap, VecDeque};

use fragreel_base::wire::Error;
use fragreel_model::{EntityKinds, Event, Frame, FrameOptions, Kinds, Milliseconds};

use super::Differences;
use super::difference::{At, Difference};
use super::fields::{self, Fields};
use crate::{Frames, Recording};

/// What differs between two recordings: their frames where the server's clock says the same, and then the events that only one has.
/// Levels are paired in their order. Where a frame stands in its recording is not compared.
///
/// # Errors
/// When the frames of one of them are not understood.
pub fn between_recordings(a: &Recording, b: &Recording) -> Result<BetweenRecordings, Error> {
    let options = FrameOptions::default().entities(EntityKinds::ALL);
    let (a_walk, b_walk) = (Walk::of(a.frames(options)?), Walk::of(b.frames(options)?));
    Ok(BetweenRecordings { a: a_walk, b: b_walk, events: Some([a.clone(), b.clone()]), ready: VecDeque::new(), summary: Differences::default() })
}

/// The differences between two recordings, from [`between_recordings`]. The recordings are read as they are taken.
#[derive(Debug)]
pub struct BetweenRecordings {
    a: Walk,
    b: Walk,
    /// The recordings whose events are still to be compared.
    events: Option<[Recording; 2]>,
    ready: VecDeque<Difference>,
    summary: Differences,
}

impl BetweenRecordings {
    /// How the recordings agree, as far as they were compared; after the last difference, in whole.
    pub fn summary(&self) -> Differences {
        self.summary
    }

    /// Compares the next two frames. Returns whether there were any.
    fn compare_frames(&mut self) -> bool {
        let (a, b, summary) = (&mut self.a, &mut self.b, &mut self.summary);
        let Some(order) = a.order(b) else { return false };
        match order {
            Ordering::Less => {
                summary.only_a += 1;
                a.next();
            }
            Ordering::Greater => {
                summary.only_b += 1;
                b.next();
            }
            Ordering::Equal => {
                summary.frames += 1;
                if !a.shows_the_same(b) {
                    let at = At { server_time: Some(a.frame.server_time), messages: [Some(a.frame.message), Some(b.frame.message)] };
                    self.ready.extend(fields::compare(&Fields::of_frame(&a.frame), &Fields::of_frame(&b.frame), at));
                    summary.differing += u64::from(!self.ready.is_empty());
                }
                a.next();
                b.next();
            }
        }
        true
    }

    fn compare_events(&mut self, [a, b]: &[Recording; 2]) {
        let (of_a, of_b) = (events(a), events(b));
        self.ready.extend(only(&of_a, &of_b).map(|event| lone(event, true)));
        self.summary.events_a = self.ready.len() as u64;
        self.ready.extend(only(&of_b, &of_a).map(|event| lone(event, false)));
        self.summary.events_b = self.ready.len() as u64 - self.summary.events_a;
    }
}

impl Iterator for BetweenRecordings {
    type Item = Difference;

    fn next(&mut self) -> Option<Difference> {
        while self.ready.is_empty() {
            if !self.compare_frames() {
                let recordings = self.events.take()?;
                self.compare_events(&recordings);
            }
        }
        self.ready.pop_front()
    }
}

fn lone(event: Event, in_a: bool) -> Difference {
    let value = Some(fields::value(&event.kind));
    let message = Some(event.message);
    let ([a, b], [message_a, message_b]) = if in_a { ([value, None], [message, None]) } else { ([None, value], [None, message]) };
    let (place, field) = (String::from("event"), event.kind.kind().name().to_owned());
    Difference { server_time: Some(event.server_time), message_a, message_b, place, field, a, b, event: Some(Box::new(event)) }
}

/// Frames one by one.
#[derive(Debug)]
struct Walk {
    frames: Frames,
    frame: Frame,
    there: bool,
}

impl Walk {
    fn of(frames: Frames) -> Self {
        let mut walk = Walk { frames, frame: Frame::default(), there: false };
        walk.next();
        walk
    }

    fn next(&mut self) {
        self.there = self.frames.next_into(&mut self.frame);
    }

    /// Which of two frames is the earlier; nothing when there are no more.
    fn order(&self, other: &Self) -> Option<Ordering> {
        let place = |walk: &Self| (walk.frame.level, walk.frame.server_time);
        match (self.there, other.there) {
            (true, true) => Some(place(self).cmp(&place(other))),
            (true, false) => Some(Ordering::Less),
            (false, true) => Some(Ordering::Greater),
            (false, false) => None,
        }
    }

    fn shows_the_same(&self, other: &Self) -> bool {
        let (a, b) = (&self.frame, &other.frame);
        a.view == b.view && a.players == b.players && a.entities == b.entities && a.match_time == b.match_time
    }
}

/// By the time on the server's clock and what happened, every event that is the same.
type Events = BTreeMap<(Milliseconds, String), Vec<Event>>;

fn events(recording: &Recording) -> Events {
    let mut events = Events::new();
    for event in recording.events(Kinds::ALL) {
        // What derives its serialization and has text keys alone can always be serialized.
        let text = serde_json::to_string(&event.kind).unwrap_or_default();
        events.entry((event.server_time, text)).or_default().push(event);
    }
    events
}

/// What happened in one and not in the other.
fn only<'e>(these: &'e Events, those: &'e Events) -> impl Iterator<Item = Event> + 'e {
    these.iter().flat_map(|(key, events)| events.iter().skip(those.get(key).map_or(0, Vec::len)).cloned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use fragreel_model::Range;

    #[test]
    fn a_part_lacks_frames_and_shows_the_same_where_it_has_them() {
        for family in ["quake1", "quake2", "quake3", "goldsrc"] {
            let mut compared = 0;
            for sample in fragreel_testkit::samples(family).iter().take(6) {
                let bytes = sample.bytes();
                let Ok(recording) = Recording::open(bytes, &sample.name) else { continue };
                let mut whole = between_recordings(&recording, &recording).unwrap();
                assert_eq!(whole.next(), None, "{}", sample.name);
                assert!(whole.summary().is_equal(), "{}: {whole:?}", sample.name);
                let half = Milliseconds(recording.info().duration.unwrap_or_default().0 / 2);
                // Where the clock stands still, its times pair no frames.
                if half == Milliseconds(0) {
                    continue;
                }
                let Ok(part) = recording.cut(Range { clock: fragreel_model::Clock::Demo, from: Milliseconds(0), to: half }) else { continue };
                let mut found = between_recordings(&recording, &Recording::open(part.bytes, &part.extension).unwrap()).unwrap();
                found.by_ref().for_each(drop);
                let found = found.summary();
                assert_eq!((found.differing, found.only_b), (0, 0), "{}: {found:?}", sample.name);
                compared += found.frames;
            }
            assert!(compared > 0, "{family}");
        }
    }
}
