//! A part that is cut while the recording comes in chunks is the part that is cut out of memory.

use fragreel_base::wire::{Chunk, Limits};
use fragreel_goldsrc::properties::assemble::{Plan, long};
use fragreel_goldsrc::{Chunked, Recording};
use fragreel_model::replay::{Chunks, Pieces};
use fragreel_model::{Clock, Milliseconds, Range};
use fragreel_testkit::Random;

use super::{frames, open};

const SIZES: [usize; 2] = [4_099, 65_537];

/// Starts, middles, ends, the whole, single frames, and ranges that hold nothing, by every clock.
fn ranges(recording: &Recording) -> Vec<Range> {
    let all = if recording.dialect().messages.is_some() { frames(recording) } else { Vec::new() };
    let mut ranges = vec![(Clock::Match, 0, 20_000), (Clock::Match, 5_000, 9_000), (Clock::Match, 9_000, 5_000)];
    for clock in [Clock::Demo, Clock::Server] {
        let at = |share: usize| {
            let frame = all.get(all.len().saturating_sub(1) * share / 8).copied().unwrap_or_default();
            if clock == Clock::Demo { frame.0.0 } else { frame.1.0 }
        };
        let places = [(0, 2), (3, 5), (4, 4), (6, 8), (0, 8), (5, 3)];
        ranges.extend(places.map(|(from, to)| (clock, at(from), at(to))));
        ranges.extend([(clock, at(7), at(8) + 10_000), (clock, at(8) + 1, at(8) + 10_000), (clock, -20, -10)]);
    }
    ranges.into_iter().map(|(clock, from, to)| Range { clock, from: Milliseconds(from), to: Milliseconds(to) }).collect()
}

/// Checks one range. Returns whether the recording can be read in chunks, and whether the range gives a part.
fn check(name: &str, source: &Recording, range: Range, size: usize) -> Option<bool> {
    let what = format!("{name} {range:?} in chunks of {size}");
    let mut chunks = Pieces { bytes: source.container().bytes, size };
    let Ok(chunked) = Chunked::open(&mut chunks, Some("dem"), Limits::default());
    let Ok(found) = chunked?.cut(range, &mut chunks);
    let expected = source.cut(range);
    match (&found, &expected) {
        (Ok(found), Ok(expected)) => {
            assert!(found.edited.bytes == expected.bytes, "{what}: {} and {} bytes", found.edited.bytes.len(), expected.bytes.len());
            assert_eq!(found.edited, *expected, "{what}");
            assert_eq!(found.comparison, source.compare(&open(&expected.bytes)), "{what}");
        }
        (Err(found), Err(expected)) => assert_eq!((found.kind(), found.to_string()), (expected.kind(), expected.to_string()), "{what}"),
        _ => panic!("{what}: {:?} and {:?}", found.as_ref().err(), expected.as_ref().err()),
    }
    Some(found.is_ok())
}

/// The samples, and the small recordings of the corpus.
fn recordings() -> Vec<(String, Vec<u8>)> {
    let all = fragreel_testkit::small(fragreel_testkit::corpus("goldsrc")).into_iter().chain(fragreel_testkit::samples("goldsrc"));
    all.map(|sample| (sample.name.clone(), sample.bytes())).filter(|(_, bytes)| Recording::open(bytes, Some("dem"), Limits::default()).is_ok()).collect()
}

#[test]
fn a_part_cut_out_of_chunks_is_the_part_cut_out_of_memory() {
    let (mut parts, mut none) = (0, 0);
    for (name, bytes) in recordings() {
        let source = open(&bytes);
        for (at, range) in ranges(&source).into_iter().enumerate() {
            let sizes = if bytes.len() < 10_000 { &SIZES[..] } else { &SIZES[at % 2..][..1] };
            for cut in sizes.iter().filter_map(|&size| check(&name, &source, range, size)) {
                *if cut { &mut parts } else { &mut none } += 1;
            }
        }
    }
    assert!(parts >= 100 && none >= 30, "{parts} parts, {none} ranges without one");
}

/// Damages a copy where its length and its directory stay.
fn damaged(bytes: &[u8], random: &mut Random) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    let end = bytes.len() * 19 / 20;
    for _ in 0..1 + random.below(4) {
        let (from, length) = (random.below(end), random.below(3000));
        let to = (from + length).min(end);
        match random.below(4) {
            0 | 1 => (0..8).for_each(|_| bytes[random.below(end)] ^= 1 << random.below(8)),
            2 => bytes[from..to].fill(0),
            _ => {
                let other = random.below(end - (to - from));
                bytes.copy_within(from..to, other);
            }
        }
    }
    bytes
}

#[test]
fn damaged_copies_are_cut_in_chunks_as_in_memory() {
    let (mut chunked, mut parts, mut random) = (0, 0, Random::new(0x6375_7473));
    for (name, bytes) in recordings() {
        for _ in 0..fragreel_testkit::sessions(3) {
            let copy = damaged(&bytes, &mut random);
            let Ok(source) = Recording::open(&copy, Some("dem"), Limits::default()) else { continue };
            let all = ranges(&source);
            for at in 0..3 {
                let Some(cut) = check(&name, &source, all[random.below(all.len())], SIZES[at % 2]) else { break };
                (chunked, parts) = (chunked + 1, parts + usize::from(cut));
            }
        }
    }
    assert!(chunked >= 30 && parts >= 15, "{parts} parts of {chunked}");
}

/// Clocks of levels show the same times, and parts begin in each.
#[test]
fn parts_of_levels_are_cut_in_chunks_as_in_memory() {
    let (first, second) = (long(Plan::default(), 40).finish(), super::parts::another_level());
    let joined = Recording::join(&[&open(&first), &open(&second)]).unwrap();
    let joined = Recording::join(&[&open(&joined.bytes), &open(&first)]).unwrap().bytes;
    let source = open(&joined);
    let all = frames(&source);
    for from in 0..all.len() {
        for to in [from, from + 1, from + 3, all.len() - 1].into_iter().filter(|&to| to < all.len()) {
            let range = Range { clock: Clock::Demo, from: all[from].0, to: all[to].0 };
            assert_eq!(check("levels", &source, range, 4_099), Some(true));
        }
    }
}

#[test]
fn parts_of_a_match_are_cut_in_chunks_as_in_memory() {
    let bytes = crate::clocks::commencing();
    let cut = |(from, to)| {
        let range = Range { clock: Clock::Match, from: Milliseconds(from), to: Milliseconds(to) };
        check("match", &open(&bytes), range, 1_009)
    };
    assert_eq!([(0, 0), (0, 1_000), (500, 9_000), (1_001, 2_000), (-2, -1)].map(cut), [true, true, true, false, false].map(Some));
}

/// Counts the bytes that a walk asks for, and fails at a call.
struct Counted<'a> {
    pieces: Pieces<'a>,
    longest: usize,
    calls: usize,
    fails_at: usize,
}

impl Chunks for Counted<'_> {
    type Error = usize;

    fn length(&self) -> usize {
        self.pieces.length()
    }

    fn chunk(&mut self, from: usize, beyond: usize) -> Result<Chunk<'_>, usize> {
        self.calls += 1;
        if self.calls > self.fails_at {
            return Err(self.calls);
        }
        let Ok(chunk) = self.pieces.chunk(from, beyond);
        self.longest = self.longest.max(chunk.bytes().len());
        Ok(chunk)
    }
}

#[test]
fn a_cut_asks_for_short_chunks() {
    let bytes = long(Plan::default(), 3000).finish();
    assert!(bytes.len() > 1_500_000, "{}", bytes.len());
    let mut chunks = Counted { pieces: Pieces { bytes: &bytes, size: 4_099 }, longest: 0, calls: 0, fails_at: usize::MAX };
    let chunked = Chunked::open(&mut chunks, Some("dem"), Limits::default()).unwrap().unwrap();
    chunks.longest = 0;
    for (from, to) in [(0, 2_000), (180_000, 182_000), (370_000, 400_000), (0, 400_000)] {
        let part = chunked.cut(Range { clock: Clock::Demo, from: Milliseconds(from), to: Milliseconds(to) }, &mut chunks).unwrap().unwrap();
        assert!(part.comparison.frames > 10 && part.comparison.differing == 0, "{:?}", part.comparison);
    }
    // a walk waits for two of the longest macros at most, and a chunk that was too short is followed by one of twice its length
    assert!(chunks.longest < 4 * 70_000, "{}", chunks.longest);
}

#[test]
fn a_cut_fails_where_a_chunk_does() {
    let bytes = fragreel_goldsrc::properties::tiny_recording();
    let chunks = |fails_at| Counted { pieces: Pieces { bytes: &bytes, size: 1_009 }, longest: 0, calls: 0, fails_at };
    let chunked = Chunked::open(&mut chunks(usize::MAX), Some("dem"), Limits::default()).unwrap().unwrap();
    let range = Range { clock: Clock::Demo, from: Milliseconds(0), to: Milliseconds(10_000) };
    let mut whole = chunks(usize::MAX);
    let part = chunked.cut(range, &mut whole).unwrap().unwrap();
    assert!(whole.calls > 8 && part.comparison.differing == 0, "{} calls", whole.calls);
    for fails_at in 0..whole.calls {
        assert_eq!(chunked.cut(range, &mut chunks(fails_at)).unwrap_err(), fails_at + 1);
    }
}

#[test]
#[ignore = "nightly"]
fn all_recordings() {
    fragreel_testkit::on_all_recordings(&[a_part_cut_out_of_chunks_is_the_part_cut_out_of_memory, damaged_copies_are_cut_in_chunks_as_in_memory]);
}
