//! How much memory questions and edits take beside the recording, counted by the allocator (docs/performance.md, "Memory").
//!
//! One test in a program of its own: nothing else allocates meanwhile.

use fragreel::edit::{Clock, Range, Same};
use fragreel::model::{Family, Frame, FrameOptions, Kind, Kinds, Milliseconds, When};
use std::io::{self, Read, Seek, SeekFrom};

use fragreel::packing::{PackLimits, pack, unpack};
use fragreel::{Bytes, Limits, LongRecording, Recording, text_form};
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
    ("quake3/crowd_latency.dm_71", "message", 6, [3, 808, 1703, 1769, 1287, 1244, 1216, 3596, 9796, 54943, 55874]),
    ("quake2/srv_city.dm2", "block", 12, [1, 90, 1422, 1422, 1645, 1812, 1812, 2935, 8283, 73268, 34738]),
    ("quake2/opentdm.mvd2", "record", 24, [1, 312, 1039, 1013, 561, 530, 530, 1192, 10235, 16113, 15951]),
    ("goldsrc/net-48.dem", "data", 4000, [3, 71, 83, 88, 3751, 4028, 4028, 5097, 12236, 29624, 29630]),
    ("quake1/match_e1m1.mvd", "block", 12, [121, 248, 257, 264, 340, 373, 373, 822, 15318, 23264, 23257]),
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

type AskLong = fn(&LongRecording);

/// What is asked of recordings that are read in chunks, in the order of the bounds.
const LONG_QUESTIONS: [(&str, AskLong); 7] = [
    ("info", |recording| drop(recording.info().expect("info"))),
    ("events", |recording| recording.events(all_but_matches()).for_each(drop)),
    ("scores", |recording| drop(recording.scores().expect("scores"))),
    ("frames", |recording| {
        let (mut frames, mut frame) = (recording.frames(FrameOptions::default()).expect("frames"), Frame::default());
        while frames.next_into(&mut frame) {}
    }),
    ("verify", |recording| drop(recording.verify().expect("a report"))),
    ("audit", |recording| drop(recording.audit().expect("findings"))),
    ("cut", |recording| {
        let length = recording.info().expect("info").duration.expect("a duration").0;
        // the repeated messages of Half-Life all have the time of the last
        let (from, to) = if recording.family() == Family::GoldSrc { (0, length - 1) } else { (length / 2, length / 2 + 1000) };
        let range = Range { clock: Clock::Demo, from: Milliseconds(from), to: Milliseconds(to) };
        drop(recording.cut(range).expect("a part"));
    }),
];

/// A match's number and result are known at its end, so its events wait for them.
fn all_but_matches() -> Kinds {
    Kind::ALL.iter().copied().filter(|kind| *kind != Kind::Match).collect()
}

/// A sample, what its messages are called in the text form, and the bounds in kB of each question.
type LongCase = (&'static str, &'static str, [usize; 7]);

const LONG_CASES: [LongCase; 4] = [
    ("quake3/crowd_latency.dm_71", "message", [1818, 3058, 10759, 5308, 2971, 3316, 5473]),
    ("quake2/opentdm.mvd2", "record", [1712, 3229, 26331, 3736, 1929, 2221, 2690]),
    ("goldsrc/net-48.dem", "data", [1468, 2065, 2069, 6627, 7315, 7315, 7320]),
    ("quake1/match_e1m1.mvd", "block", [1641, 1773, 1699, 3205, 1766, 1857, 3388]),
];

/// Bytes of a long recording.
const LONG: usize = 64 << 20;

/// A sample whose messages are repeated until it is long. No more of it is held than the sample.
struct Repeating {
    /// What comes before, what is repeated, and what comes behind.
    parts: [Vec<u8>; 3],
    times: usize,
    at: usize,
}

impl Repeating {
    fn new(sample: &str, key: &str) -> Self {
        let (once, twice) = (repeated(sample, key, 1), repeated(sample, key, 2));
        let period = twice.len() - once.len();
        let times = LONG / period;
        // the head of a Half-Life recording states where the directory is
        let head = if once.starts_with(b"HLDEMO") { HALF_LIFE_HEAD } else { 0 };
        let common = once[head..].iter().zip(&twice[head..]).take_while(|(a, b)| a == b).count();
        let split = head + common.min(once.len() - head);
        let before = [numbers_of(&once[..head], &twice[..head], times), once[head..split].to_vec()].concat();
        let behind = if head > 0 { numbers_of(&once[split..], &twice[split + period..], times) } else { once[split..].to_vec() };
        Repeating { parts: [before, twice[split..split + period].to_vec(), behind], times, at: 0 }
    }

    fn length(&self) -> usize {
        self.parts[0].len() + self.parts[1].len() * (self.times - 1) + self.parts[2].len()
    }
}

/// Bytes of the head of a Half-Life recording; the last four are the directory's offset.
const HALF_LIFE_HEAD: usize = 544;

/// The numbers of four bytes that grow with the repetitions.
fn numbers_of(once: &[u8], twice: &[u8], times: usize) -> Vec<u8> {
    let aligned = once.len() % 4;
    let words = |bytes: &[u8]| bytes[aligned..].chunks(4).map(|four| i32::from_le_bytes(four.try_into().expect("four bytes"))).collect::<Vec<_>>();
    let grown = words(once).into_iter().zip(words(twice)).flat_map(|(one, two)| (one + (two - one) * (times as i32 - 1)).to_le_bytes());
    once[..aligned].iter().copied().chain(grown).collect()
}

impl Read for Repeating {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let (first, middle) = (self.parts[0].len(), self.parts[1].len() * (self.times - 1));
        let rest = if self.at < first {
            &self.parts[0][self.at..]
        } else if self.at < first + middle {
            &self.parts[1][(self.at - first) % self.parts[1].len()..]
        } else {
            self.parts[2].get(self.at - first - middle..).unwrap_or_default()
        };
        let length = rest.len().min(buffer.len());
        buffer[..length].copy_from_slice(&rest[..length]);
        self.at += length;
        Ok(length)
    }
}

impl Seek for Repeating {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.at = match to {
            SeekFrom::Start(at) => at as usize,
            SeekFrom::End(by) => self.length().saturating_add_signed(by as isize),
            SeekFrom::Current(by) => self.at.saturating_add_signed(by as isize),
        };
        Ok(self.at as u64)
    }
}

/// Long recordings that are read in chunks take hardly more than short ones.
fn long_recordings(exceeded: &mut Vec<String>) {
    for (sample, key, bounds) in LONG_CASES {
        let long = Repeating::new(sample, key);
        let length = long.length();
        let recording = LongRecording::open(long, sample, Limits::default()).expect("a recording").expect("one that is read in chunks");
        let peaks: Vec<(&str, usize)> = LONG_QUESTIONS.iter().map(|(name, ask)| (*name, peak(|| ask(&recording)))).collect();
        println!("{sample} {} kB in chunks: {peaks:?}", length / 1000);
        let above = peaks.iter().zip(bounds).filter(|((_, bytes), most)| *bytes > most * 1000);
        exceeded.extend(above.map(|((name, bytes), most)| format!("{sample} in chunks: {name} takes {} kB, {most} are allowed", bytes / 1000)));
    }
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
    long_recordings(&mut exceeded);
    assert!(exceeded.is_empty(), "{exceeded:#?}");
}
