//! Two recordings side by side, moment by moment on the server's clock.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use fragreel_base::wire::Error;
use fragreel_model::{EntityKinds, Event, Frame, FrameOptions, Kinds, Milliseconds};

use super::Differences;
use super::difference::{At, Difference};
use super::fields::{self, Fields};
use crate::{Frames, Recording};

/// What differs between two recordings: their frames where the server's clock says the same, and the events that only one has.
/// Levels are paired in their order. Where a frame stands in its recording is not compared.
///
/// # Errors
/// When the frames of one of them are not understood.
pub fn between_recordings(a: &Recording<'_>, b: &Recording<'_>, sink: &mut dyn FnMut(Difference)) -> Result<Differences, Error> {
    let options = FrameOptions::default().entities(EntityKinds::ALL);
    let (mut left, mut right) = (Walk::of(a.frames(options)?), Walk::of(b.frames(options)?));
    let mut found = Differences::default();
    while let Some(order) = left.order(&right) {
        match order {
            Ordering::Less => {
                found.only_a += 1;
                left.next();
            }
            Ordering::Greater => {
                found.only_b += 1;
                right.next();
            }
            Ordering::Equal => {
                found.frames += 1;
                if !left.shows_the_same(&right) {
                    let (a, b) = (Fields::of_frame(&left.frame), Fields::of_frame(&right.frame));
                    let messages = [Some(left.frame.message), Some(right.frame.message)];
                    let at = At { server_time: Some(left.frame.server_time), messages };
                    found.differing += u64::from(fields::compare(&a, &b, at, sink) > 0);
                }
                left.next();
                right.next();
            }
        }
    }
    let (of_a, of_b) = (events(a), events(b));
    found.events_a = only(of_a.clone(), &of_b, &mut |event| sink(lone(event, true)));
    found.events_b = only(of_b, &of_a, &mut |event| sink(lone(event, false)));
    Ok(found)
}

fn lone(event: Event, in_a: bool) -> Difference {
    let value = Some(fields::value(&event.kind));
    let message = Some(event.message);
    let ([a, b], [message_a, message_b]) = if in_a { ([value, None], [message, None]) } else { ([None, value], [None, message]) };
    let (place, field) = (String::from("event"), event.kind.kind().name().to_owned());
    Difference { server_time: Some(event.server_time), message_a, message_b, place, field, a, b, event: Some(Box::new(event)) }
}

/// Frames one by one.
struct Walk<'a> {
    frames: Frames<'a>,
    frame: Frame,
    there: bool,
}

impl<'a> Walk<'a> {
    fn of(frames: Frames<'a>) -> Self {
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

fn events(recording: &Recording<'_>) -> Events {
    let mut events = Events::new();
    recording.events(Kinds::ALL, &mut |event: Event| {
        // What derives its serialization and has text keys alone can always be serialized.
        let text = serde_json::to_string(&event.kind).unwrap_or_default();
        events.entry((event.server_time, text)).or_default().push(event);
    });
    events
}

/// What happened in one and not in the other.
fn only(these: Events, those: &Events, sink: &mut dyn FnMut(Event)) -> u64 {
    let mut count = 0;
    for (key, events) in these {
        let both = those.get(&key).map_or(0, Vec::len);
        for event in events.into_iter().skip(both) {
            count += 1;
            sink(event);
        }
    }
    count
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
                let demo = crate::Demo::new(bytes, &sample.name).unwrap();
                let Ok(recording) = demo.open() else { continue };
                let whole = between_recordings(&recording, &recording, &mut |difference| panic!("{}: {difference:?}", sample.name)).unwrap();
                assert!(whole.is_equal(), "{}: {whole:?}", sample.name);
                let half = Milliseconds(recording.info().duration.unwrap_or_default().0 / 2);
                // Where the clock stands still, its times pair no frames.
                if half == Milliseconds(0) {
                    continue;
                }
                let Ok(part) = recording.cut(Range { clock: fragreel_model::Clock::Demo, from: Milliseconds(0), to: half }) else { continue };
                let part_of = crate::Demo::new(part.bytes, &part.extension).unwrap();
                let found = between_recordings(&recording, &part_of.open().unwrap(), &mut |_| {}).unwrap();
                assert_eq!((found.differing, found.only_b), (0, 0), "{}: {found:?}", sample.name);
                compared += found.frames;
            }
            assert!(compared > 0, "{family}");
        }
    }
}
