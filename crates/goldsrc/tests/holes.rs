//! Holes, as lost sectors and blocks of lost downloads leave them: nearly all that is outside of a hole is there, in every answer.

use std::collections::HashMap;

use fragreel_goldsrc::Recording;
use fragreel_goldsrc::properties::assemble::{Plan, long};
use fragreel_model::{Frame, FrameOptions, Milliseconds};

use crate::open;

/// What a hole is filled with.
#[derive(Debug, Clone, Copy)]
enum Fill {
    Zeros,
    Ones,
    Noise,
}

impl Fill {
    fn over(self, bytes: &mut [u8], seed: u64) {
        let mut random = fragreel_testkit::Random::new(seed);
        for byte in bytes {
            *byte = match self {
                Fill::Zeros => 0,
                Fill::Ones => 0xff,
                Fill::Noise => random.below(256) as u8,
            };
        }
    }
}

/// Recordings with frames enough, and at most a few of them.
fn recordings() -> Vec<(String, Vec<u8>)> {
    let usual =
        |sample: &fragreel_testkit::Sample| !sample.damaged && sample.dialect.contains("HLDEMO 5") && (400_000..1_300_000).contains(&sample.raw().len());
    let corpus = fragreel_testkit::corpus("goldsrc").into_iter().filter(usual).take(4).map(|sample| (sample.name.clone(), sample.bytes()));
    corpus.chain([(String::from("assembled"), long(Plan::default(), 600).finish())]).collect()
}

/// First byte of what is played, and the byte after its last.
fn played(recording: &Recording) -> (usize, usize) {
    let container = recording.container();
    let segments = || container.segments.iter().filter(|segment| segment.is_playback());
    (segments().map(|segment| segment.from).min().unwrap(), segments().map(|segment| segment.to).max().unwrap())
}

fn frames(recording: &Recording) -> Vec<Frame> {
    recording.frames(FrameOptions::default()).collect()
}

#[test]
fn what_is_outside_of_a_hole_is_delivered() {
    delivered((1..10).map(|place| (4096, place, [Fill::Zeros, Fill::Ones, Fill::Noise][place % 3])));
}

#[test]
#[ignore = "nightly"]
fn what_is_outside_of_every_hole_is_delivered() {
    let at_places = [512, 4096, 65_536].into_iter().flat_map(|size| (1..10).map(move |place| (size, place)));
    delivered(at_places.flat_map(|(size, place)| [Fill::Zeros, Fill::Ones, Fill::Noise].map(|fill| (size, place, fill))));
}

/// Makes holes of a size, at a tenth, with a filling.
fn delivered(holes: impl Iterator<Item = (usize, usize, Fill)> + Clone) {
    let mut worst = Vec::new();
    for (name, bytes) in recordings() {
        let source = open(&bytes);
        let (from, to) = played(&source);
        let all = frames(&source);
        let places: HashMap<u32, (usize, usize)> = source
            .container()
            .macros()
            .filter_map(|step| match step {
                fragreel_goldsrc::container::Step::Macro { number, window, .. } => Some((number, (window.offset, window.end()))),
                fragreel_goldsrc::container::Step::Damage(_) => None,
            })
            .collect();
        let mut times: HashMap<Milliseconds, Vec<&Frame>> = HashMap::new();
        all.iter().for_each(|frame| times.entry(frame.server_time).or_default().push(frame));
        let duration = source.info().duration.unwrap().0;
        for (size, place, fill) in holes.clone() {
            let at = from + (to - from) * place / 10;
            let end = (at + size).min(to);
            let mut damaged = bytes.clone();
            fill.over(&mut damaged[at..end], place as u64);
            let what = format!("{name}, {size} bytes of {fill:?} at {at}");
            let outside = all.iter().filter(|frame| places[&frame.message].1 <= at || places[&frame.message].0 >= end).count();
            let recording = open(&damaged);
            let (found, report, info) = (frames(&recording), recording.verify(), recording.info());
            // what is left ends where the hole begins, if the end is in the hole
            let duration =
                if end == to { all.iter().filter(|frame| places[&frame.message].1 <= at).map(|frame| frame.time.0).max().unwrap() } else { duration };
            let share = found.len() as f64 / outside as f64;
            let repaired = recording.repair().unwrap();
            let again = open(&repaired.bytes);
            let (kept, left) = (frames(&again), again.verify());
            let wrong = found.iter().filter(|frame| !frame.uncertain).filter(|frame| {
                let place =
                    |frame: &Frame| frame.players.iter().map(|player| (player.slot, player.origin.map(|origin| origin.map(f32::to_bits)))).collect::<Vec<_>>();
                times.get(&frame.server_time).is_some_and(|same| same.iter().all(|other| place(other) != place(frame)))
            });
            let faults = [
                (share < 0.9).then(|| format!("{} of {outside} frames", found.len())),
                (kept.len() != found.len()).then(|| format!("{} of {} frames repaired", kept.len(), found.len())),
                (report.damage.len() >= 20 || report.damage.is_empty()).then(|| format!("{} findings", report.damage.len())),
                (recording.frames(FrameOptions::default()).count() == 0).then(|| String::from("no frame")),
                (!left.damage.is_empty()).then(|| format!("repaired: {:?}", left.damage)),
                (info.duration.is_none_or(|found| (found.0 - duration).abs() * 10 > duration)).then(|| format!("{:?} of {duration} ms", info.duration)),
                again.info().duration.is_none_or(|found| (found.0 - duration).abs() * 10 > duration).then(|| String::from("duration after repair")),
                Some(wrong.count()).filter(|&wrong| wrong > 0).map(|wrong| format!("{wrong} frames differ without a mark")),
            ];
            let faults: Vec<_> = faults.into_iter().flatten().collect();
            if !faults.is_empty() {
                worst.push(format!("{what}: {}", faults.join("; ")));
            }
        }
    }
    assert!(worst.is_empty(), "{} of them:\n{}", worst.len(), worst.join("\n"));
}
