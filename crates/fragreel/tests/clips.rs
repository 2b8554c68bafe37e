//! Several edits of one recording at a time are what they are one by one.

use std::cmp::Reverse;

use fragreel::Recording;
use fragreel::edit::{Clock, Range, Same};
use fragreel::model::{FrameOptions, Milliseconds, When};
use fragreel_testkit::Sample;

use super::FAMILIES;

fn samples() -> impl Iterator<Item = Sample> {
    FAMILIES.iter().flat_map(|family| fragreel_testkit::samples(family)).filter(|sample| Recording::open(sample.bytes(), &sample.name).is_ok())
}

/// Parts of a recording of some length, by twentieths: some overlap, some touch, one is behind the end, and they do not come in order.
fn ranges(length: Milliseconds) -> Vec<Range> {
    let at = |twentieths: i64| Milliseconds(length.0 * twentieths / 20);
    let range = |(from, to)| Range { clock: Clock::Demo, from: at(from), to: at(to) };
    [(10, 12), (1, 3), (2, 5), (5, 6), (14, 20), (0, 1), (40, 41), (12, 13), (8, 9), (8, 9)].map(range).to_vec()
}

#[test]
fn cuts_of_one_walk_are_those_of_several() {
    let mut made = 0;
    for sample in samples() {
        let recording = Recording::open(sample.bytes(), &sample.name).expect("a recording");
        let ranges = ranges(recording.info().duration.unwrap_or_default());
        for (range, cut) in ranges.iter().zip(recording.cuts(&ranges)) {
            made += u32::from(cut.is_ok());
            assert!(cut == recording.cut(*range), "{}: {range:?}", sample.name);
        }
    }
    assert!(made > 200, "{made}");
}

#[test]
fn what_one_walk_verifies_is_what_several_do() {
    let mut sound = 0;
    for sample in samples() {
        let recording = Recording::open(sample.bytes(), &sample.name).expect("a recording");
        let mut checker = recording.checker();
        for cut in recording.cuts(&ranges(recording.info().duration.unwrap_or_default())).into_iter().flatten() {
            let checked = checker.check(&cut, Same::Strings).expect("it opens");
            assert_eq!(checked, recording.check_edited(&cut, Same::Strings).expect("it opens"), "{}", sample.name);
            sound += u32::from(checked.is_sound());
        }
    }
    assert!(sound > 200, "{sound}");
}

/// After a seek, a recording gives the same parts and the same judgment of them, broken recordings too.
#[test]
fn an_index_changes_no_edit() {
    // there are keyframes in large ones only
    let corpus = FAMILIES.iter().flat_map(|family| {
        let mut samples = fragreel_testkit::corpus(family);
        samples.retain(|sample| super::size(sample) < 1_000_000);
        samples.sort_by_key(|sample| Reverse(super::size(sample)));
        samples.into_iter().take(1)
    });
    let mut made = 0;
    for sample in samples().chain(corpus) {
        let Ok(plain) = Recording::open(sample.bytes(), &sample.name) else { continue };
        let sought = Recording::open(sample.bytes(), &sample.name).expect("a recording");
        let duration = plain.info().duration.unwrap_or_default();
        let Ok(mut frames) = sought.frames(FrameOptions::default()) else { continue };
        frames.seek(When::Demo(duration));
        for range in ranges(duration) {
            let cut = plain.cut(range);
            assert!(cut == sought.cut(range), "{}: {range:?}", sample.name);
            let Ok(mut cut) = cut else { continue };
            made += 1;
            for _ in 0..2 {
                let judged = |source: &Recording| source.check_edited(&cut, Same::Strings).ok();
                assert_eq!(judged(&sought), judged(&plain), "{}: {range:?}", sample.name);
                let middle = cut.bytes.len() / 2;
                cut.bytes[middle] ^= 0x10;
            }
        }
    }
    assert!(made > 200, "{made}");
}
