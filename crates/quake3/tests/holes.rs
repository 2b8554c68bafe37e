//! One hole in a recording costs the frames in it, and no others.

use std::collections::{HashMap, HashSet};

use fragreel_base::wire::Limits;
use fragreel_model::{FrameOptions, Kind, Milliseconds};
use fragreel_quake3::Recording;
use fragreel_quake3::container::{Frames, Piece};
use fragreel_testkit::{Random, Sample};

const SIZES: [usize; 3] = [512, 4 << 10, 64 << 10];
const CONTENTS: [&str; 3] = ["zeros", "FF", "noise"];
const PLACES: usize = 9;

fn open<'a>(bytes: &'a [u8], sample: &Sample) -> Recording<'a> {
    Recording::open(bytes, Some(&sample.extension()), Limits::default()).unwrap_or_else(|error| panic!("{}: {error}", sample.name))
}

/// The frames by message, and whether they are uncertain.
fn frames(recording: &Recording<'_>) -> Vec<(u32, Milliseconds, bool)> {
    recording.frames(FrameOptions::default().fields(fragreel_model::Fields::NONE)).map(|frame| (frame.message, frame.server_time, frame.uncertain)).collect()
}

fn fill(hole: &mut [u8], content: &str, random: &mut Random) {
    match content {
        "zeros" => hole.fill(0),
        "FF" => hole.fill(0xff),
        _ => hole.iter_mut().for_each(|byte| *byte = random.below(256) as u8),
    }
}

/// A hole: its place in tenths of the recording, its size, and its content.
type Hole = (usize, usize, &'static str);

/// Makes holes in a recording, and returns what fails.
fn punch(sample: &Sample, holes: impl Iterator<Item = Hole>) -> Vec<String> {
    let whole = sample.bytes();
    let recording = open(&whole, sample);
    let messages: Vec<_> = Frames::new(&whole).filter_map(|piece| if let Piece::Message(frame) = piece { Some(frame) } else { None }).collect();
    let all = frames(&recording);
    // what comes before the first frame has no state to go on from
    let begins = messages[all[0].0 as usize].end() as usize;
    let mut random = Random::named(&sample.name);
    let mut failures = Vec::new();
    for (place, size, content) in holes {
        let from = whole.len() * place / (PLACES + 1);
        let to = (from + size).min(whole.len());
        if from < begins || size * 2 > whole.len() {
            continue;
        }
        let mut bytes = whole.clone();
        fill(&mut bytes[from..to], content, &mut random);
        let damaged = open(&bytes, sample);
        let name = format!("{}: {} {content} at {from}", sample.name, to - from);
        let outside: Vec<Milliseconds> = all
            .iter()
            .filter(|(message, ..)| messages[*message as usize].end() as usize <= from || messages[*message as usize].offset as usize >= to)
            .map(|(_, time, _)| *time)
            .collect();
        let shown = frames(&damaged);
        let delivered = |shown: &[(u32, Milliseconds, bool)]| {
            let times: HashSet<Milliseconds> = shown.iter().map(|(_, time, _)| *time).collect();
            outside.iter().filter(|time| times.contains(time)).count()
        };
        let mut check = |fails: bool, what: String| {
            if fails {
                failures.push(format!("{name}: {what}"));
            }
        };
        check(delivered(&shown) * 10 < outside.len() * 9, format!("{} of {} frames", delivered(&shown), outside.len()));
        let duration = outside.last().expect("some are outside").0 - all[0].1.0;
        let differs = |now: Option<Milliseconds>| (now.unwrap_or_default().0 - duration).abs() * 10 > duration;
        let long = damaged.info().duration;
        check(differs(long), format!("{long:?} of {duration} ms"));
        let report = damaged.verify();
        check(report.damage.len() >= 20, format!("{} findings", report.damage.len()));
        check(report.is_whole(), String::from("it is whole"));
        // deltas over the hole rest on frames that it took
        let carried = report.damage.iter().any(|damage| damage.detail.contains("uncertain"));
        check(carried != shown.iter().any(|(.., uncertain)| *uncertain), format!("uncertain frames and findings disagree: {:?}", report.damage));
        let by_message: HashMap<u32, bool> = shown.iter().map(|(message, _, uncertain)| (*message, *uncertain)).collect();
        let mut wrong = 0;
        damaged.events([Kind::Kill, Kind::Item].into_iter().collect()).for_each(|event: fragreel_model::Event| {
            wrong += u32::from(by_message.get(&event.message) != Some(&event.uncertain));
        });
        check(wrong > 0, format!("{wrong} events are marked unlike their frames"));
        match damaged.repair() {
            Err(error) => check(true, format!("repair: {error}")),
            Ok(repaired) => {
                let again = Recording::open(&repaired.bytes, Some(&repaired.extension), Limits::default()).expect("a recording");
                let kept = frames(&again);
                check(delivered(&kept) * 10 < outside.len() * 9, format!("repair kept {} of {} frames", delivered(&kept), outside.len()));
                check(!again.verify().is_whole(), format!("the repaired recording: {:?}", again.verify().damage.first()));
                check(kept.iter().any(|(.., uncertain)| *uncertain), String::from("the repaired recording is uncertain"));
                let differing = damaged.compare(&again).differing;
                check(differing > 0, format!("{differing} frames differ after repair"));
                let long = again.info().duration;
                check(differs(long), format!("{long:?} of {duration} ms after repair"));
            }
        }
    }
    failures
}

/// Every hole.
fn holes() -> impl Iterator<Item = Hole> {
    (1..=PLACES).flat_map(|place| SIZES.into_iter().flat_map(move |size| CONTENTS.map(|content| (place, size, content))))
}

/// One hole at each place, of a size and a content that differ from place to place.
fn some_holes(from: usize) -> impl Iterator<Item = Hole> {
    (1..=PLACES).map(move |place| (place, SIZES[(from + place) % 3], CONTENTS[(from + place / 3) % 3]))
}

/// Punches holes into recordings.
fn costs_itself(samples: Vec<Sample>, holes: impl Fn(usize) -> Vec<Hole>) {
    let failures: Vec<String> = samples.iter().enumerate().flat_map(|(at, sample)| punch(sample, holes(at).into_iter())).collect();
    assert!(failures.is_empty(), "{} fail:\n{}", failures.len(), failures.join("\n"));
}

/// The whole recordings of the corpus that are large enough for a hole.
fn other(most: usize) -> Vec<Sample> {
    fragreel_testkit::corpus("quake3").into_iter().filter(|sample| !sample.damaged && (100_000..most).contains(&sample.bytes().len())).collect()
}

#[test]
fn a_hole_in_our_samples_costs_itself() {
    costs_itself(fragreel_testkit::samples("quake3"), |at| some_holes(at).collect());
}

#[test]
fn a_hole_in_the_middle_of_other_recordings_costs_itself() {
    costs_itself(other(200_000), |_| vec![(PLACES / 2, 4096, "noise")]);
}

#[test]
#[ignore = "nightly"]
fn every_hole_costs_itself() {
    costs_itself(fragreel_testkit::samples("quake3"), |_| holes().collect());
    costs_itself(other(1_600_000), |at| some_holes(at).collect());
}
