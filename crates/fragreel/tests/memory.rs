//! How much memory questions and edits take beside the recording, counted by the allocator (docs/performance.md, "Memory").
//!
//! One test in a program of its own: nothing else allocates meanwhile.

use fragreel::edit::{Clock, Range, Same};
use fragreel::model::{Frame, FrameOptions, Kinds, Milliseconds, When};
use fragreel::packing::{PackLimits, pack, unpack};
use fragreel::{Bytes, Recording, text_form};
use peak_alloc::PeakAlloc;

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

type Ask = fn(&Recording);

/// What is asked, in the order of the bounds.
const QUESTIONS: [(&str, Ask); 9] = [
    ("open", |_| {}),
    ("info", |recording| drop(recording.info())),
    ("events", |recording| recording.events(Kinds::ALL).for_each(drop)),
    ("scores", |recording| drop(recording.scores())),
    ("frames", frames),
    ("verify", |recording| drop(recording.verify())),
    ("audit", |recording| drop(recording.audit())),
    ("state", |recording| drop(recording.state_at(When::Demo(Milliseconds(i64::from(u32::MAX)))))),
    ("cut", cut),
];

/// A sample, what its messages are called in the text form, how often they are repeated, and the bounds in kB: of each question, of packing, and of
/// unpacking.
type Case = (&'static str, &'static str, usize, [usize; 11]);

const CASES: [Case; 6] = [
    ("quake3/crowd_latency.dm_71", "message", 6, [3, 808, 1703, 1769, 1287, 1244, 2045, 3596, 9796, 54943, 55874]),
    ("quake2/srv_city.dm2", "block", 12, [1, 90, 1422, 1422, 1645, 1812, 1812, 2935, 8283, 73268, 34738]),
    ("quake2/opentdm.mvd2", "record", 24, [1, 312, 1039, 1013, 561, 530, 3102, 1192, 10235, 16113, 15951]),
    ("goldsrc/net-48.dem", "data", 4000, [3, 71, 83, 88, 3751, 4028, 4028, 5097, 12236, 29624, 29630]),
    ("quake1/match_e1m1.mvd", "block", 12, [121, 248, 257, 264, 340, 373, 1287, 822, 15318, 23264, 23257]),
    ("quake1/nq_match.dem", "block", 40, [121, 132, 723, 701, 144, 176, 176, 299, 9600, 12706, 12689]),
];

fn frames(recording: &Recording) {
    let (mut frames, mut frame) = (recording.frames(FrameOptions::default()).expect("frames"), Frame::default());
    while frames.next_into(&mut frame) {}
}

/// Cuts the start off, and checks the rest.
fn cut(recording: &Recording) {
    let length = recording.info().duration.expect("a duration").0;
    let part = recording.cut(Range { clock: Clock::Demo, from: Milliseconds(length / 3), to: Milliseconds(length) }).expect("a part");
    recording.check_edited(&part, Same::Strings).expect("a recording");
}

/// A sample whose last messages are repeated, by its text form.
fn repeated(sample: &str, key: &str, times: usize) -> Bytes {
    let text = text_form::decompile(&read(sample), sample).expect("text");
    let lines: Vec<&[u8]> = text.split_inclusive(|byte| *byte == b'\n').collect();
    let is_message = |line: &&[u8]| line.starts_with(format!("{{\"{key}\"").as_bytes());
    let end = lines.iter().rposition(is_message).expect("a message") + 1;
    let start = lines[..end].iter().rposition(|line| !is_message(line)).map_or(0, |at| at + 1);
    let long = [lines[..start].concat(), lines[start..end].concat().repeat(times), lines[end..].concat()].concat();
    text_form::compile(&long).expect("a recording").into()
}

fn read(sample: &str) -> Vec<u8> {
    std::fs::read(fragreel_testkit::checkout().join("samples").join(sample)).expect("a sample")
}

/// The most bytes that were held at a time beyond those that are held before.
fn peak<T>(run: impl FnOnce() -> T) -> usize {
    let before = MEMORY.current_usage();
    MEMORY.reset_peak_usage();
    drop(run());
    MEMORY.peak_usage().saturating_sub(before)
}

#[test]
fn questions_take_little_memory_beside_the_recording() {
    let mut exceeded = Vec::new();
    for (sample, key, times, bounds) in CASES {
        let bytes = repeated(sample, key, times);
        let open = || Recording::open(bytes.clone(), sample).expect("a recording");
        let short = read(sample);
        let packed = pack(&short, sample);
        let mut peaks: Vec<(&str, usize)> = QUESTIONS.iter().map(|(name, ask)| (*name, peak(|| ask(&open())))).collect();
        peaks.push(("pack", peak(|| pack(&short, sample))));
        peaks.push(("unpack", peak(|| unpack(&packed, &PackLimits::default()))));
        println!("{sample} {} kB: {peaks:?}", bytes.len() / 1000);
        let above = peaks.iter().zip(bounds).filter(|((_, bytes), most)| *bytes > most * 1000);
        exceeded.extend(above.map(|((name, bytes), most)| format!("{sample}: {name} takes {} kB, {most} are allowed", bytes / 1000)));
    }
    assert!(exceeded.is_empty(), "{exceeded:#?}");
}
