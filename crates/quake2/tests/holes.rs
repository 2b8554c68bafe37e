//! Holes in recordings: one overwritten stretch costs the frames in it, and nothing else.

use std::collections::HashSet;

use fragreel_base::wire::Limits;
use fragreel_model::{Damage, DamageKind, FrameOptions};
use fragreel_quake2::Recording;
use fragreel_quake2::container::{dm2::Blocks, mvd2::Records};
use fragreel_quake2::detect::Framing;
use fragreel_quake2::message::{Body, Reader};
use fragreel_quake2::walk::Input;
use fragreel_testkit::{Random, Sample};

use super::made::open;

const SIZES: [usize; 3] = [512, 4096, 65_536];

#[derive(Debug, Clone, Copy, PartialEq)]
enum Filling {
    Zeros,
    Ones,
    Noise,
}

fn with_hole(bytes: &[u8], at: usize, size: usize, filling: Filling) -> Vec<u8> {
    let mut out = bytes.to_vec();
    let mut random = Random::new((at + size) as u64);
    for byte in &mut out[at..at + size] {
        *byte = match filling {
            Filling::Zeros => 0,
            Filling::Ones => 0xff,
            Filling::Noise => random.number() as u8,
        };
    }
    out
}

/// The server's time of every frame, and the number of its block.
fn frames(recording: &Recording) -> Vec<(i64, u32)> {
    recording.frames(FrameOptions::default()).map(|frame| (frame.server_time.0, frame.message)).collect()
}

/// Whether the frame of a block changes an earlier one.
fn builds(recording: &Recording, bytes: &[u8], (from, to): (usize, usize)) -> bool {
    let Input { container, dialect, .. } = *recording.input();
    if container == Framing::Mvd2 {
        return true;
    }
    let mut builds = false;
    let read = Reader::new(dialect).block(&bytes[from + 4..to], |message, _, _| {
        match &message.body {
            Body::Frame(frame) => builds = frame.delta > 0,
            _ => return true,
        }
        false
    });
    read.is_ok() && builds
}

/// What a hole left.
struct Left {
    frames: usize,
    of: usize,
    repaired: usize,
    durations: [i64; 2],
    damage: Vec<Damage>,
    /// Whether frames are lost, and whether others follow them.
    lost: bool,
    builds: bool,
}

fn measure(sample: &Sample, whole: &[u8], extents: &[(usize, usize)], all: &[(i64, u32)], at: usize, size: usize, filling: Filling) -> Left {
    let multi = sample.extension() == "mvd2";
    let what = format!("{}: {filling:?} {size} at {at}", sample.name);
    let outside = |block: u32| extents[block as usize].1 <= at || extents[block as usize].0 >= at + size;
    let broken = with_hole(whole, at, size, filling);
    let recording = Recording::open(&broken, Some(&sample.extension()), Limits::default()).unwrap_or_else(|error| panic!("{what}: {error}"));
    let kept: Vec<i64> = all.iter().filter(|(_, block)| outside(*block)).map(|(time, _)| *time).collect();
    let count = |there: &[(i64, u32)]| {
        // Frames of an MVD2 have no numbers.
        if multi {
            return there.len().min(kept.len());
        }
        let there: HashSet<i64> = there.iter().map(|(time, _)| *time).collect();
        kept.iter().filter(|time| there.contains(time)).count()
    };
    let report = recording.verify();
    assert_eq!(report.round_trip, fragreel_model::RoundTrip::Identical, "{what}: {:?}", report.first_difference);
    let edited = recording.repair().unwrap_or_else(|error| panic!("{what}: {error}"));
    let again = open(&edited.bytes, &edited.extension);
    let verified = again.verify();
    assert!(verified.is_whole(), "{what}: {:?}", verified.damage);
    let comparison = recording.compare(&again);
    assert_eq!(comparison.differing, 0, "{what}: {:?}", comparison.differences);
    let span = |recording: &Recording| recording.info().duration.map_or(0, |duration| duration.0);
    let delivered = frames(&recording);
    Left {
        frames: count(&delivered),
        of: kept.len(),
        repaired: count(&frames(&again)),
        durations: [span(&recording), span(&again)],
        damage: report.damage,
        lost: delivered.len() < all.len(),
        builds: delivered.len() < all.len()
            && all
                .iter()
                .map(|(_, block)| extents[*block as usize])
                .find(|extent| extent.0 >= at + size)
                .is_some_and(|extent| builds(&recording, whole, extent)),
    }
}

fn check(sample: &Sample, bytes: &[u8], runs: impl Iterator<Item = (usize, usize, Filling)>) {
    let multi = sample.extension() == "mvd2";
    let extent = |window: fragreel_quake2::container::Window| (window.offset as usize, window.data_offset as usize + window.data.len());
    let extents: Vec<_> = if multi { Records::new(bytes).map(extent).collect() } else { Blocks::new(bytes).map(extent).collect() };
    let whole = open(bytes, &sample.extension());
    let (all, duration) = (frames(&whole), whole.info().duration.unwrap().0);
    let server = whole.info().recording == "server";
    let mut wrong = Vec::new();
    for (at, size, filling) in runs {
        let left = measure(sample, bytes, &extents, &all, at, size, filling);
        // Nothing states the time of the frames of an MVD2 but their number.
        let duration = if multi { duration * left.of as i64 / all.len() as i64 } else { duration };
        // A hole over one end takes the time there.
        let off = left.durations.into_iter().any(|there| (there - duration).abs() * 10 > duration + 1000);
        let marked = left.damage.iter().any(|damage| damage.kind == DamageKind::MissingBase && damage.skipped.is_some());
        let rules = [
            (left.frames * 10 >= left.of * 9, "frames are lost"),
            (left.repaired * 10 >= left.of * 9, "repair loses frames"),
            (!off, "the duration is off"),
            ((!left.damage.is_empty() || !left.lost) && left.damage.len() < 20, "none or too many findings"),
            (marked || server || !left.builds, "nothing is marked as uncertain"),
        ];
        for (_, rule) in rules.iter().filter(|(held, _)| !held) {
            let Left { frames, of, repaired, durations, damage, .. } = &left;
            let damage: Vec<_> = damage.iter().take(4).map(|damage| (damage.offset, &damage.detail, damage.skipped)).collect();
            wrong.push(format!("{filling:?} {size} at {at}: {rule}: {frames}, {repaired} of {of}, {durations:?} of {duration} ms: {damage:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}: {} wrong\n{}", sample.name, wrong.len(), wrong.join("\n"));
}

/// The recordings that are whole.
fn recordings(corpus: bool) -> Vec<(Sample, Vec<u8>)> {
    let all = if corpus { fragreel_testkit::corpus("quake2") } else { fragreel_testkit::samples("quake2") };
    let bytes = all.into_iter().map(|sample| (sample.clone(), sample.bytes()));
    bytes.filter(|(sample, bytes)| bytes.len() > 10_000 && open(bytes, &sample.extension()).verify().is_whole()).collect()
}

/// Nine places for a hole that takes no more than a tenth of the file. The first record of an MVD2 says how to read the rest.
fn places(bytes: &[u8], size: usize) -> impl Iterator<Item = usize> + use<> {
    let length = bytes.len();
    let first = if bytes.starts_with(b"MVD2") { 6 + usize::from(u16::from_le_bytes([bytes[4], bytes[5]])) } else { 0 };
    (1..=9).map(move |tenth| length * tenth / 10).filter(move |at| *at >= first && at + size <= length && size * 10 <= length)
}

const FILLINGS: [Filling; 3] = [Filling::Zeros, Filling::Ones, Filling::Noise];

/// One combination at each place.
fn some_holes(bytes: &[u8]) -> impl Iterator<Item = (usize, usize, Filling)> {
    (0..9).filter_map(move |at| {
        let (size, filling) = (SIZES[at % 3], FILLINGS[(at / 3 + at) % 3]);
        places(bytes, size).nth(at).map(|at| (at, size, filling))
    })
}

#[test]
fn a_hole_costs_the_frames_in_it() {
    for (sample, bytes) in recordings(false) {
        check(&sample, &bytes, some_holes(&bytes));
    }
}

#[test]
fn a_hole_in_a_small_recording_of_the_corpus_costs_the_frames_in_it() {
    for (sample, bytes) in recordings(true).into_iter().filter(|(_, bytes)| bytes.len() < 200_000) {
        check(&sample, &bytes, some_holes(&bytes));
    }
}

#[test]
#[ignore = "nightly"]
fn every_hole_costs_the_frames_in_it() {
    for (sample, bytes) in recordings(false) {
        let runs = SIZES.into_iter().flat_map(|size| places(&bytes, size).map(move |at| (at, size)));
        check(&sample, &bytes, runs.flat_map(|(at, size)| FILLINGS.map(|filling| (at, size, filling))));
    }
    for (sample, bytes) in recordings(true).into_iter().filter(|(_, bytes)| bytes.len() < 2_000_000) {
        check(&sample, &bytes, some_holes(&bytes));
    }
}
