//! Editing: what comes out is whole, and says what went in.

use model::{Clock, Comparison, Edited, Milliseconds, Range, When};
use quake2::Recording;
use testkit::Sample;
use wire::Limits;

pub(crate) struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    pub fn below(&mut self, limit: u64) -> u64 {
        self.next() % limit.max(1)
    }
}

/// Every recording that can be edited, ours and the corpus', each once.
fn recordings() -> Vec<(Sample, Vec<u8>)> {
    let mut seen = std::collections::HashSet::new();
    let all = testkit::corpus("quake2").into_iter().chain(testkit::samples("quake2"));
    all.map(|sample| (sample.clone(), sample.bytes())).filter(|(_, bytes)| seen.insert(bytes.clone()) && !bytes[4..].starts_with(&[7, 25])).collect()
}

fn open<'a>(bytes: &'a [u8], extension: &str) -> Recording<'a> {
    Recording::open(bytes, Some(extension), Limits::default()).unwrap()
}

/// Verifies what an edit made, and compares it with its source.
fn check(name: &str, source: &Recording, edited: &Edited) -> Comparison {
    let again = open(&edited.bytes, &edited.extension);
    let report = again.verify();
    assert!(report.is_whole(), "{name}: {:?} {:?}", report.damage.first(), report.first_difference);
    let comparison = source.compare(&again);
    assert_eq!(comparison.differing, 0, "{name}: of {} frames: {:?}\n{:?}", comparison.frames, comparison.differences, edited.actions);
    assert!(comparison.frames > 0, "{name}");
    comparison
}

#[test]
fn a_cut_says_what_its_source_says() {
    let mut random = Random(0x5eed_0001);
    let (mut cuts, mut frames) = (0, 0);
    for (sample, bytes) in recordings() {
        let source = open(&bytes, &sample.extension());
        let length = source.info().duration.unwrap().0;
        for round in 0..3 {
            let from = random.below(length as u64) as i64;
            let to = from + random.below((length - from) as u64 / (1 + round) + 100) as i64;
            let range = Range { clock: Clock::Demo, from: Milliseconds(from), to: Milliseconds(to) };
            let name = format!("{} {from}..{to}", sample.name);
            let edited = source.cut(range).unwrap_or_else(|error| panic!("{name}: {error}"));
            frames += check(&name, &source, &edited).frames;
            strings_agree(&name, &source, &edited, from);
            cuts += 1;
        }
    }
    eprintln!("{cuts} cuts, {frames} frames compared");
}

/// The strings at the cut's first frame are the source's at that time.
fn strings_agree(name: &str, source: &Recording, edited: &Edited, from: i64) {
    let strings = |recording: &Recording, time: i64| {
        let moment = recording.state_at(When::Demo(Milliseconds(time))).unwrap();
        moment.sections.into_iter().find(|section| section.name == "configstrings").unwrap().records
    };
    let again = open(&edited.bytes, &edited.extension);
    let (old, new) = (strings(source, from), strings(&again, 0));
    let differing = new.iter().filter(|record| !old.contains(record)).count();
    assert!(differing == 0 && new.len() == old.len(), "{name}: {differing} strings of {} and {}", old.len(), new.len());
}
