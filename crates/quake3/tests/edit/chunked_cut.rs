//! Cuts of recordings that come in chunks.

use std::convert::Infallible;

use fragreel_base::wire::{Chunk, Error, Limits};
use fragreel_model::replay::{CheckedCut, Chunks, Pieces};
use fragreel_model::{Clock, Edited, Fields, Frame, FrameOptions, Milliseconds, Range};
use fragreel_quake3::container::{self, END_MARK, Frames, Framing, Piece};
use fragreel_quake3::{Chunked, Recording};
use fragreel_testkit::{Random, Sample};
use rayon::iter::{IntoParallelIterator, ParallelIterator};

use super::everything;
use crate::properties::damage;

const ALL: Range = Range { clock: Clock::Demo, from: Milliseconds(i64::MIN), to: Milliseconds(i64::MAX) };
const SIZES: [usize; 2] = [4_099, 65_537];

fn in_memory(recording: &Recording<'_>, range: Range) -> Result<CheckedCut, Error> {
    let edited = recording.cut(range)?;
    let comparison = recording.compare_with_strings(&Recording::open(&edited.bytes, Some(&edited.extension), Limits::default())?);
    Ok(CheckedCut { edited, comparison })
}

fn in_chunks(bytes: &[u8], extension: &str, range: Range, size: usize) -> Option<Result<CheckedCut, Error>> {
    let mut pieces = Pieces { bytes, size };
    let Ok(chunked) = Chunked::open(&mut pieces, Some(extension), Limits::default());
    let Ok(cut) = chunked?.cut(range, &mut pieces);
    Some(cut)
}

/// The start, the middle, and the end of each clock; all of it, one frame, and none.
fn ranges(recording: &Recording<'_>) -> Vec<Range> {
    let (mut frames, mut frame, mut times) = (recording.frames(FrameOptions::default().fields(Fields::NONE)), Frame::default(), [const { Vec::new() }; 3]);
    while frames.next_into(&mut frame) {
        times[0].push(frame.time.0);
        times[1].push(frame.server_time.0);
        times[2].extend(frame.match_time.map(|time| time.0));
    }
    let mut ranges = Vec::new();
    for (clock, times) in [Clock::Demo, Clock::Server, Clock::Match].into_iter().zip(times) {
        let at = |part: usize| times.get(times.len().saturating_sub(1) * part / 8).copied().unwrap_or_default();
        let (end, middle) = (at(8), at(4));
        let of_clock = [(at(0), at(1)), (at(3), at(5)), (at(7), end), (i64::MIN, i64::MAX), (middle, middle), (end + 100_000, end + 200_000), (end, middle)];
        ranges.extend(of_clock.map(|(from, to)| Range { clock, from: Milliseconds(from), to: Milliseconds(to) }));
    }
    ranges
}

/// Says how two cuts differ, in few words.
fn difference(whole: &Result<CheckedCut, Error>, chunked: &Result<CheckedCut, Error>) -> Option<String> {
    if whole == chunked {
        return None;
    }
    let short = |cut: &Result<CheckedCut, Error>| match cut {
        Ok(cut) => format!("{} bytes, {:?}, {:?}", cut.edited.bytes.len(), cut.edited.actions, cut.comparison),
        Err(error) => error.to_string(),
    };
    Some(format!("{} in memory, {} in chunks", short(whole), short(chunked)))
}

/// Checks every `step`th range, in chunks of one of the sizes. Returns how many cuts there are.
fn check(name: &str, bytes: &[u8], extension: &str, step: usize) -> usize {
    let Ok(recording) = Recording::open(bytes, Some(extension), Limits::default()) else { return 0 };
    let mut cuts = 0;
    for (number, range) in ranges(&recording).into_iter().enumerate().step_by(step) {
        let (whole, size) = (in_memory(&recording, range), SIZES[number % 2]);
        let Some(chunked) = in_chunks(bytes, extension, range, size) else { continue };
        let difference = difference(&whole, &chunked);
        assert!(difference.is_none(), "{name}, {range:?}, chunks of {size}: {}", difference.unwrap_or_default());
        cuts += usize::from(whole.is_ok());
    }
    cuts
}

#[test]
fn cuts_of_chunks_are_those_of_memory() {
    let step = |sample: &Sample| if sample.origin == "sample" { 1 } else { 5 };
    let cuts: usize = everything().into_par_iter().map(|sample| check(&sample.name, &sample.bytes(), &sample.extension(), step(&sample))).sum();
    assert!(cuts > 60, "{cuts}");
}

#[test]
fn damage_shows_in_chunks_as_in_memory() {
    let of_sample = |sample: Sample| {
        let (mut random, bytes, mut cuts) = (Random::named(&sample.name), sample.bytes(), 0);
        for copy in 0..2 {
            let mut damaged = bytes.clone();
            damage(&mut damaged, &mut random);
            cuts += check(&format!("{}, copy {copy}", sample.name), &damaged, &sample.extension(), 5);
        }
        cuts
    };
    let cuts: usize = everything().into_par_iter().map(of_sample).sum();
    assert!(cuts > 20, "{cuts}");
}

/// The messages of a recording as Urban Terror writes them.
fn with_prologue(bytes: &[u8]) -> Vec<u8> {
    let mut out = [&7u32.to_le_bytes()[..], b"4.2.023", &[68u32, 0, 0].map(u32::to_le_bytes).concat()].concat();
    for piece in Frames::new(bytes) {
        let Piece::Message(frame) = piece else { continue };
        container::Frame { framing: Framing::Mirrored, ..frame }.write(container::data(bytes, &frame), &mut out);
    }
    out.extend(END_MARK);
    out
}

#[test]
fn prologues_and_appended_recordings_are_cut_as_in_memory() {
    let sample = fragreel_testkit::samples("quake3").into_iter().find(|sample| sample.name.ends_with("dm_bots.dm_71")).expect("it is ours");
    let bytes = sample.bytes();
    let other = fragreel_testkit::samples("quake3").into_iter().find(|sample| sample.name.ends_with("elimination.dm_71")).expect("it is ours").bytes();
    let mirrored = with_prologue(&bytes);
    assert!(check("a prologue", &mirrored, "urtdemo", 1) > 10);
    let Some(Ok(all)) = in_chunks(&mirrored, "urtdemo", ALL, SIZES[0]) else { panic!("it can be cut") };
    assert!(all.edited.bytes == mirrored && all.edited.actions.is_empty() && all.edited.extension == "urtdemo", "{:?}", all.edited.actions);
    assert!(check("two recordings", &[&bytes[..], &other].concat(), "dm_71", 1) > 10);
    assert!(check("bytes behind the end", &[&bytes[..], &[7; 20_000]].concat(), "dm_71", 1) > 10);
    assert!(check("a hole", &[&bytes[..40_000], &[0; 30_000], &bytes[40_000..]].concat(), "dm_71", 1) > 10);
}

/// Frames of both levels have the same keys. In memory some of the second are looked for in the first.
#[test]
fn frames_of_a_part_are_compared_with_those_that_it_was_made_of() {
    let sample = fragreel_testkit::samples("quake3").into_iter().find(|sample| sample.name.ends_with("dm_bots.dm_71")).expect("it is ours");
    let twice = [sample.bytes(), sample.bytes()].concat();
    let recording = Recording::open(&twice, Some("dm_71"), Limits::default()).unwrap();
    let mut more = 0;
    for range in ranges(&recording) {
        let (whole, Some(chunked)) = (in_memory(&recording, range), in_chunks(&twice, "dm_71", range, SIZES[1])) else { panic!("it can be cut") };
        let (Ok(whole), Ok(chunked)) = (&whole, &chunked) else {
            assert_eq!(whole, chunked, "{range:?}");
            continue;
        };
        assert!(whole.edited == chunked.edited, "{range:?}");
        let (whole, chunked) = (&whole.comparison, &chunked.comparison);
        assert!(chunked.differing == 0 && chunked.frames >= whole.frames, "{range:?}: {chunked:?}, {whole:?}");
        more += u32::from(chunked.frames > whole.frames);
    }
    assert!(more > 0, "the comparison in memory finds all of them now: let both be equal");
}

/// Notes the longest chunk that a walk asked for.
struct Counting<'a> {
    pieces: Pieces<'a>,
    most: usize,
}

impl Chunks for Counting<'_> {
    type Error = Infallible;

    fn length(&self) -> usize {
        self.pieces.length()
    }

    fn chunk(&mut self, from: usize, beyond: usize) -> Result<Chunk<'_>, Infallible> {
        self.most = self.most.max(beyond.saturating_sub(from));
        self.pieces.chunk(from, beyond)
    }
}

#[test]
fn chunks_are_as_long_as_the_part() {
    const SIZE: usize = 4_099;
    for sample in fragreel_testkit::samples("quake3") {
        let bytes = sample.bytes();
        let recording = Recording::open(&bytes, Some(&sample.extension()), Limits::default()).unwrap();
        let mut counting = Counting { pieces: Pieces { bytes: &bytes, size: SIZE }, most: 0 };
        let Ok(chunked) = Chunked::open(&mut counting, Some(&sample.extension()), Limits::default());
        let chunked = chunked.expect("its head says how it is read");
        for range in ranges(&recording) {
            counting.most = 0;
            let Ok(cut) = chunked.cut(range, &mut counting);
            let part = cut.map_or(0, |CheckedCut { edited: Edited { bytes, .. }, .. }| bytes.len());
            assert!(counting.most <= part + 2 * SIZE, "{}, {range:?}: {} for {part}", sample.name, counting.most);
        }
    }
}

#[test]
#[ignore = "nightly"]
fn all_recordings() {
    fragreel_testkit::on_all_recordings(&[cuts_of_chunks_are_those_of_memory, damage_shows_in_chunks_as_in_memory]);
}
