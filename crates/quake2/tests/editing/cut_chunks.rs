//! Cuts of recordings that come in chunks.

use std::convert::Infallible;

use fragreel_base::wire::{Chunk, Limits};
use fragreel_model::replay::{CheckedCut, Chunks, Pieces};
use fragreel_model::{Clock, FrameOptions, Milliseconds, Range};
use fragreel_quake2::{Chunked, Recording};
use fragreel_testkit::Random;

use super::recordings;

const SIZES: [usize; 2] = [4099, 65_537];

/// Chunks, and how many bytes were asked for at once.
struct Counted<'a> {
    pieces: Pieces<'a>,
    most: usize,
}

impl Chunks for Counted<'_> {
    type Error = Infallible;

    fn length(&self) -> usize {
        self.pieces.length()
    }

    fn chunk(&mut self, from: usize, beyond: usize) -> Result<Chunk<'_>, Infallible> {
        self.most = self.most.max(beyond.saturating_sub(from));
        self.pieces.chunk(from, beyond)
    }
}

fn range(clock: Clock, from: i64, to: i64) -> Range {
    Range { clock, from: Milliseconds(from), to: Milliseconds(to) }
}

/// Start, middle, end, whole, one frame, beyond the end, backwards; on all clocks.
fn ranges(source: &Recording) -> Vec<Range> {
    let times: Vec<(i64, i64)> = source.frames(FrameOptions::default()).map(|frame| (frame.time.0, frame.server_time.0)).collect();
    let (length, first) = (times.last().map_or(0, |last| last.0), times.first().map_or(0, |first| first.1));
    let (third, eighth) = (length / 3, length / 8);
    let spans = [
        (0, eighth),
        (third, third + eighth),
        (length - eighth, length),
        (0, length),
        (third, third),
        (length - eighth, 2 * length + 1000),
        (length + 5000, length + 6000),
        (third, third - 500),
    ];
    let demo = spans.map(|(from, to)| range(Clock::Demo, from, to));
    let server = spans.map(|(from, to)| range(Clock::Server, first + from, first + to));
    let in_match = [(0, 2000), (1000, 1000), (0, length), (length + 5000, length + 6000)].map(|(from, to)| range(Clock::Match, from, to));
    demo.into_iter().chain(server).chain(in_match).collect()
}

/// What the recording in memory answers.
fn in_memory(source: &Recording, range: Range) -> Result<CheckedCut, fragreel_base::wire::Error> {
    let edited = source.cut(range)?;
    let comparison = source.compare(&Recording::open(&edited.bytes, Some(&edited.extension), Limits::default())?);
    Ok(CheckedCut { edited, comparison })
}

/// Cuts in chunks and in memory, and compares. Returns the number of parts.
fn agree(name: &str, bytes: &[u8], extension: &str, ranges: &[Range], sizes: &[usize]) -> usize {
    let mut parts = 0;
    let Ok(opened) = Chunked::open(&mut Pieces { bytes, size: 4099 }, Some(extension), Limits::default());
    let (Some(chunked), Ok(source)) = (opened, Recording::open(bytes, Some(extension), Limits::default())) else { return 0 };
    for &range in ranges {
        let expected = in_memory(&source, range);
        for &size in sizes {
            let Ok(cut) = chunked.cut(range, &mut Pieces { bytes, size });
            match (&cut, &expected) {
                (Ok(cut), Ok(expected)) => {
                    let of = |cut: &CheckedCut| (cut.edited.extension.clone(), cut.edited.actions.clone(), cut.edited.losses.clone(), cut.comparison.clone());
                    assert_eq!(of(cut), of(expected), "{name} {range:?} {size}");
                    assert!(cut.edited.bytes == expected.edited.bytes, "{name} {range:?} {size}: bytes");
                    assert_eq!(cut, expected, "{name} {range:?} {size}");
                    parts += 1;
                }
                _ => assert_eq!(cut.as_ref().err(), expected.as_ref().err(), "{name} {range:?} {size}"),
            }
        }
    }
    parts
}

#[test]
fn a_cut_in_chunks_is_the_cut_in_memory() {
    let mut parts = 0;
    for sample in fragreel_testkit::samples("quake2") {
        let bytes = sample.bytes();
        let ranges = ranges(&super::open(&bytes, &sample.extension()));
        parts += agree(&sample.name, &bytes, &sample.extension(), &ranges, &SIZES);
    }
    assert!(parts > 200, "{parts}");
    for (sample, bytes) in recordings().into_iter().filter(|(sample, bytes)| sample.origin != "sample" && bytes.len() < 60_000) {
        let ranges: Vec<Range> = ranges(&super::open(&bytes, &sample.extension())).into_iter().step_by(3).collect();
        agree(&sample.name, &bytes, &sample.extension(), &ranges, &SIZES[..1]);
    }
}

/// A damaged copy.
fn damaged(bytes: &[u8], random: &mut Random) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    let at = 64 + random.below(bytes.len() - 128);
    let length = (1 << random.below(13)).min(bytes.len() - at);
    match random.below(7) {
        0 => bytes[at] ^= 1 << random.below(8),
        1 => bytes[at..at + length].fill(0),
        2 => bytes[at..at + length].fill_with(|| random.number() as u8),
        3 => drop(bytes.drain(at..at + length)),
        4 => bytes.truncate(at),
        5 => {
            let piece = bytes[at..at + length].to_vec();
            bytes.splice(at..at, piece);
        }
        _ => (0..5).for_each(|_| {
            let at = random.below(bytes.len());
            bytes[at] = random.number() as u8;
        }),
    }
    bytes
}

#[test]
fn a_cut_in_chunks_of_damaged_recordings_is_the_cut_in_memory() {
    damaged_agree(8);
}

#[test]
#[ignore = "nightly"]
fn a_cut_in_chunks_of_many_damaged_recordings_is_the_cut_in_memory() {
    damaged_agree(100);
}

fn damaged_agree(copies: usize) {
    let (mut random, mut parts) = (Random::new(copies as u64), 0);
    for sample in fragreel_testkit::samples("quake2") {
        let bytes = sample.bytes();
        for copy in 0..copies {
            let broken = damaged(&bytes, &mut random);
            let Ok(source) = Recording::open(&broken, Some(&sample.extension()), Limits::default()) else { continue };
            let all = ranges(&source);
            let ranges = [all[random.below(all.len())], all[random.below(6)]];
            parts += agree(&format!("{} {copy}", sample.name), &broken, &sample.extension(), &ranges, &[SIZES[copy % 2]]);
        }
    }
    assert!(parts > 10 * copies, "{parts}");
}

/// A part starts with steps where its first frame is too long, and those have the numbers of frames before it.
#[test]
fn a_cut_in_chunks_of_a_cut_is_the_cut_in_memory() {
    let mut parts = 0;
    for sample in fragreel_testkit::samples("quake2") {
        let bytes = sample.bytes();
        let source = super::open(&bytes, &sample.extension());
        let Ok(first) = source.cut(range(Clock::Demo, 1000, i64::MAX)) else { continue };
        let again = super::open(&first.bytes, &first.extension);
        let ranges: Vec<Range> = (0..15).map(|frame| range(Clock::Demo, frame * 100, frame * 100 + 1000)).chain(ranges(&again)).collect();
        parts += agree(&format!("{} again", sample.name), &first.bytes, &first.extension, &ranges, &[4099]);
    }
    assert!(parts > 50, "{parts}");
}

/// Levels that have the same name and clock.
#[test]
fn a_cut_in_chunks_of_repeated_levels_is_the_cut_in_memory() {
    let mut parts = 0;
    for (sample, long) in repeated(|body| body.repeat(3)) {
        let (name, extension) = (format!("{} repeated", sample.name), sample.extension());
        let length = super::open(&long, &extension).info().duration.unwrap().0;
        let ranges = [(0, length / 2), (length / 3 - 500, length / 3 + 500), (length / 2, length / 2 + 1000), (length - 1000, length)];
        parts += agree(&name, &long, &extension, &ranges.map(|(from, to)| range(Clock::Demo, from, to)), &SIZES[..1]);
    }
    assert!(parts > 30, "{parts}");
}

/// The samples that are whole, with other blocks.
fn repeated(of: impl Fn(&[u8]) -> Vec<u8>) -> Vec<(fragreel_testkit::Sample, Vec<u8>)> {
    let whole = fragreel_testkit::samples("quake2").into_iter().map(|sample| (sample.clone(), sample.bytes()));
    // behind damage, all that follows may say where the recording goes on
    let whole = whole.filter(|(sample, bytes)| super::open(bytes, &sample.extension()).verify().is_whole());
    whole
        .map(|(sample, bytes)| {
            let (opening, mark) = if sample.extension() == "mvd2" { (4, 2) } else { (0, 4) };
            let end = bytes.len() - if opening > 0 || bytes.ends_with(&[0xff; 4]) { mark } else { 0 };
            let long = [&bytes[..opening], &of(&bytes[opening..end]), &bytes[end..]].concat();
            (sample, long)
        })
        .collect()
}

/// The part is in memory, and neither what lies before it nor what lies behind it.
#[test]
fn a_cut_in_chunks_asks_for_its_part_at_most() {
    let mut tried = 0;
    for (sample, long) in repeated(|body| body.repeat(4_000_000_usize.div_ceil(body.len()))) {
        let extension = sample.extension();
        let length = super::open(&long, &extension).info().duration.unwrap().0;
        let mut pieces = Pieces { bytes: &long, size: 4099 };
        let Ok(chunked) = Chunked::open(&mut pieces, Some(&extension), Limits::default());
        let Some(chunked) = chunked else { continue };
        for (from, to) in [(0, 1000), (length / 2, length / 2 + 2000), (length - 1000, length)] {
            let mut counted = Counted { pieces, most: 0 };
            let Ok(cut) = chunked.cut(range(Clock::Demo, from, to), &mut counted);
            let cut = cut.unwrap_or_else(|error| panic!("{}: {error}", sample.name));
            let name = format!("{} {from}..{to}: {} bytes for {}", sample.name, counted.most, cut.edited.bytes.len());
            assert!(cut.comparison.differing == 0 && cut.comparison.frames > 0, "{name}: {:?}", cut.comparison);
            assert!(counted.most < cut.edited.bytes.len() + 64_000, "{name}");
            tried += 1;
        }
    }
    assert!(tried > 20, "{tried}");
}
