//! Parts of recordings that come in chunks.

use std::convert::Infallible;

use fragreel_base::wire::{Chunk, Error, Limits};
use fragreel_model::replay::{CheckedCut, Chunks, Pieces};
use fragreel_model::{Clock, Milliseconds, Range};
use fragreel_quake1::{Chunked, Recording};
use fragreel_testkit::Random;

/// Chunks of odd sizes, the second longer than most blocks.
const SIZES: [usize; 2] = [4_099, 65_537];

/// Pieces that note the longest that was asked for.
struct Counted<'a> {
    pieces: Pieces<'a>,
    longest: usize,
}

impl Chunks for Counted<'_> {
    type Error = Infallible;

    fn length(&self) -> usize {
        self.pieces.length()
    }

    fn chunk(&mut self, from: usize, beyond: usize) -> Result<Chunk<'_>, Infallible> {
        self.longest = self.longest.max(beyond.saturating_sub(from));
        self.pieces.chunk(from, beyond)
    }
}

/// The part of a recording in memory.
fn in_memory(recording: &Recording<'_>, range: Range) -> Result<CheckedCut, Error> {
    let edited = recording.cut(range)?;
    let opened = Recording::open(&edited.bytes, Some(&edited.extension), Limits::default());
    let comparison = opened.map(|part| recording.compare_with_strings(&part)).unwrap_or_default();
    Ok(CheckedCut { edited, comparison })
}

/// The parts of a recording in chunks are those in memory. Returns how many there are, and how many of them agree with fewer frames in memory: behind damage,
/// the walk over the frames before a part may count another number of them than the timeline.
fn same_parts(name: &str, bytes: &[u8], extension: &str, ranges: &[Range], size: usize) -> (usize, usize) {
    let pieces = Pieces { bytes, size };
    let Ok(chunked) = Chunked::open(&mut pieces.clone(), Some(extension), Limits::default());
    let Some(chunked) = chunked else { return (0, 0) };
    let recording = Recording::open(bytes, Some(extension), Limits::default()).unwrap_or_else(|error| panic!("{name}: {error}"));
    let (mut parts, mut better) = (0, 0);
    for &range in ranges {
        let Ok(found) = chunked.cut(range, &mut pieces.clone());
        let expected = in_memory(&recording, range);
        match (&found, &expected) {
            (Ok(found), Ok(expected)) => {
                assert!(found.edited == expected.edited, "{name} {range:?}: {:?} and {:?}", found.edited.actions, expected.edited.actions);
                if found.comparison.differing < expected.comparison.differing {
                    better += 1;
                } else {
                    assert_eq!(found.comparison, expected.comparison, "{name} {range:?}");
                }
                parts += 1;
            }
            (Err(found), Err(expected)) => assert_eq!((found.kind(), found.to_string()), (expected.kind(), expected.to_string()), "{name} {range:?}"),
            _ => panic!("{name} {range:?}: {:?} and {:?}", found.err(), expected.err()),
        }
    }
    (parts, better)
}

/// Ranges at the start, in the middle, at the end, of all, of one frame, behind the end, and backwards.
fn ranges(recording: &Recording<'_>) -> Vec<Range> {
    let length = recording.info().duration.unwrap_or_default().0;
    let mut shown: Option<(i64, i64)> = None;
    recording.replay(|at, _, _| {
        let server = at.server_time.0;
        shown = Some(shown.map_or((server, server), |(first, last)| (first.min(server), last.max(server))));
    });
    let (first, last) = shown.unwrap_or_default();
    let mut ranges = Vec::new();
    for (clock, first, last) in [(Clock::Demo, 0, length), (Clock::Server, first, last), (Clock::Match, 0, length)] {
        let at = |of: i64, parts: i64| first + (last - first) * of / parts;
        for (from, to) in [
            (first - 10, at(1, 3)),
            (at(1, 3), at(1, 2)),
            (at(2, 3), last + 10_000),
            (first, last),
            (at(2, 5), at(2, 5)),
            (last, last + 1),
            (last + 1, last + 100_000),
            (last + 50_000, last + 100_000),
            (at(1, 2), at(1, 3)),
        ] {
            ranges.push(Range { clock, from: Milliseconds(from), to: Milliseconds(to) });
        }
    }
    ranges
}

#[test]
fn parts_of_chunked_recordings_are_those_in_memory() {
    let samples = fragreel_testkit::samples("quake1").into_iter().chain(crate::corpus::recordings());
    let parts = std::sync::atomic::AtomicUsize::new(0);
    fragreel_testkit::two_at_a_time(&fragreel_testkit::small(samples.collect()), |sample, bytes| {
        let recording = Recording::open(bytes, Some(&sample.extension()), Limits::default()).unwrap();
        let ranges = ranges(&recording);
        for size in SIZES {
            let (count, better) = same_parts(&sample.name, bytes, &sample.extension(), &ranges, size);
            assert!(sample.damaged || better == 0, "{}: {better} of {count} agree with fewer frames in memory", sample.name);
            parts.fetch_add(count, std::sync::atomic::Ordering::Relaxed);
        }
    });
    assert!(parts.into_inner() > 400);
}

/// What is made of damaged copies is the same, too.
#[test]
fn parts_of_damaged_chunked_recordings_are_those_in_memory() {
    use crate::properties::{named_beginnings, spoil};
    let beginnings = named_beginnings();
    let mut random = Random::new(0x51_7cc1_b727_220a);
    let (mut parts, mut better, mut wrong) = (0, 0, Vec::new());
    for (extension, beginning) in &beginnings {
        for round in 0..fragreel_testkit::sessions(6) {
            let mut bytes = beginning.clone();
            for _ in 0..=random.below(6) {
                spoil(&mut bytes, &beginnings[random.below(beginnings.len())].1, &mut random);
            }
            let from = random.below(bytes.len().max(1));
            match random.below(4) {
                0 => drop(bytes.drain(from..(from + random.below(900)).min(bytes.len()))),
                1 => {
                    let to = (from + random.below(900)).min(bytes.len());
                    bytes[from..to].fill(0);
                }
                _ => {}
            }
            let Ok(recording) = Recording::open(&bytes, Some(extension), Limits::default()) else { continue };
            let ranges = ranges(&recording);
            let name = format!("a damaged {extension} {round}");
            let result = std::panic::catch_unwind(|| same_parts(&name, &bytes, extension, &ranges, [257, 4_099][round as usize % 2]));
            match result {
                Ok((count, fewer)) => {
                    parts += count;
                    better += fewer;
                }
                Err(error) => wrong.push(format!("{:.1200}", error.downcast_ref::<String>().cloned().unwrap_or_default())),
            }
        }
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
    assert!(parts > 200 && better * 50 < parts, "{better} of {parts} parts agree with fewer frames in memory");
}

/// Memory holds the part, not what lies around it.
#[test]
fn no_chunk_is_longer_than_the_part() {
    // what a walk may have to see behind a block
    const BEHIND: usize = 9_000;
    for name in ["match_e1m1.mvd", "match_e1m1.qwd", "nq_match.dem"] {
        let sample = fragreel_testkit::samples("quake1").into_iter().find(|sample| sample.name.ends_with(name)).unwrap();
        let bytes = sample.bytes();
        let mut counted = Counted { pieces: Pieces { bytes: &bytes, size: 1_024 }, longest: 0 };
        let Ok(chunked) = Chunked::open(&mut counted, Some(&sample.extension()), Limits::default());
        let chunked = chunked.unwrap();
        let Ok(info) = chunked.info(&mut counted);
        let at = |of: i64| Milliseconds(info.duration.unwrap().0 * of / 20);
        counted.longest = 0;
        let Ok(part) = chunked.cut(Range { clock: Clock::Demo, from: at(12), to: at(13) }, &mut counted);
        let part = part.unwrap();
        assert!(part.comparison.frames > 10 && part.comparison.differing == 0, "{name}: {:?}", part.comparison);
        let (longest, most) = (counted.longest, part.edited.bytes.len() + BEHIND);
        assert!(longest <= most && most * 2 < bytes.len(), "{name}: {longest} of {}, and the part has {}", bytes.len(), part.edited.bytes.len());
    }
}
