//! Recordings read in chunks.

use std::fmt::Debug;
use std::io::Cursor;

use fragreel_base::wire::Limits;
use fragreel_model::{Clock, EntityKinds, Frame, FrameOptions, Kind, Kinds, Milliseconds, Range};

use crate::edit::Same;
use crate::{LongRecording, Recording, Task};

/// Checks that these bytes give the same answers in chunks as in memory. Returns whether they could be read in chunks.
pub fn chunks(bytes: &[u8], name: &str, chunk_bytes: usize) -> bool {
    let limits = Limits::default();
    let reader = Cursor::new(bytes.to_vec());
    let Some(long) = LongRecording::open_in_chunks_of(chunk_bytes, reader, name, limits).expect("memory can be read") else { return false };
    let whole = Recording::open_with_limits(bytes.to_vec(), name, limits).expect("what can be read in chunks can be read");
    let same = |what: &str, long: &dyn Debug, whole: &dyn Debug| {
        let (long, whole) = (format!("{long:#?}"), format!("{whole:#?}"));
        let differs = long.lines().zip(whole.lines()).find(|(long, whole)| long != whole);
        assert!(long == whole, "{name} in chunks of {chunk_bytes}: {what}: {differs:?}");
    };
    same("info", &long.info().expect("info"), &whole.info());
    let report = whole.verify();
    same("verify", &long.verify().expect("a report"), &report);
    same("verify by two", &whole.verify_by_two(|first, second| second_before(first, second)), &report);
    same("verify by two", &long.verify_by_two(|first, second| second_before(first, second)).expect("a report"), &report);
    same("audit", &long.audit().expect("findings"), &whole.audit());
    for wanted in [Kinds::ALL, Kind::Kill.into(), Kind::Chat.into()] {
        let (mut events, mut expected) = (long.events(wanted), whole.events(wanted));
        loop {
            let pair = (events.next(), expected.next());
            if pair.0 != pair.1 {
                same("events", &pair.0, &pair.1);
            }
            if pair.0.is_none() {
                break;
            }
        }
        assert_eq!(events.failure(), None);
        same("damage of events", &events.damage(), &expected.damage());
    }
    same("scores", &long.scores().expect("scores"), &whole.scores());
    same("scores with frames", &long.scores_with_frames().expect("scores"), &whole.scores_with_frames());
    same("no match", &long.no_match().expect("an answer"), &whole.no_match());
    let options = FrameOptions::default().entities(EntityKinds::ALL).happenings();
    let (mut frames, mut expected) = (long.frames(options).expect("frames"), whole.frames(options).expect("frames"));
    let (mut frame, mut other) = (Frame::default(), Frame::default());
    let (mut happenings, mut others) = (Vec::new(), Vec::new());
    loop {
        let pair = (frames.next_into(&mut frame), expected.next_into(&mut other));
        assert_eq!(pair.0, pair.1, "{name} in chunks of {chunk_bytes}: frames behind {}", frame.number);
        if !pair.0 {
            break;
        }
        if frame != other {
            same("frames", &frame, &other);
        }
        frames.happenings(&mut happenings);
        expected.happenings(&mut others);
        if happenings != others {
            same("happenings", &happenings, &others);
        }
    }
    assert_eq!(frames.failure(), None);
    same("damage of frames", &frames.damage(), &expected.damage());
    cuts(&long, &whole, report.is_whole(), &same);
    true
}

/// Cuts a part out of the middle, a single frame, and a part that the recording does not have.
fn cuts(long: &LongRecording, whole: &Recording, is_whole: bool, same: &dyn Fn(&str, &dyn Debug, &dyn Debug)) {
    let length = whole.info().duration.unwrap_or_default().0;
    for (clock, from, to) in [
        (Clock::Demo, length / 3, length / 3 + length / 4),
        (Clock::Demo, length, length),
        (Clock::Demo, length + 60_000, length + 61_000),
        (Clock::Match, 0, 5_000),
    ] {
        let range = Range { clock, from: Milliseconds(from), to: Milliseconds(to) };
        let mut expected = whole.cut(range).and_then(|edited| whole.check_edited(&edited, Same::Strings).map(|checked| (edited, checked)));
        let found = long.cut(range);
        // the part is compared with its own frames, in memory with all: one elsewhere may say the same, which damage makes likely
        if let (Ok((_, expected)), Ok((_, found))) = (&mut expected, &found)
            && (!is_whole || found.comparison.differing < expected.comparison.differing)
        {
            expected.comparison = found.comparison.clone();
        }
        same("cut", &found, &expected);
    }
}

/// Runs the second task first, so that it always has a share.
fn second_before<T, U>(first: Task<'_, T>, second: Task<'_, U>) -> (T, U) {
    let second = second();
    (first(), second)
}

/// The same for bytes of any format, under names of each, in chunks of a size that the first byte says.
pub fn chunks_of_any(bytes: &[u8]) {
    let Some((&size, bytes)) = bytes.split_first() else { return };
    for name in ["x.dm_68", "x.dm2", "x.mvd2", "x.dem", "x.qwd", "x.mvd"] {
        chunks(bytes, name, 64 + 16 * usize::from(size));
    }
}
