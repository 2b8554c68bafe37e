//! Several edits of one recording at a time are what they are one by one.

use fragreel::Demo;
use fragreel::edit::{Clock, Range, Same, Verifier, verified};
use fragreel::model::Milliseconds;
use testkit::Sample;

use super::FAMILIES;

fn samples() -> impl Iterator<Item = Sample> {
    FAMILIES.iter().flat_map(|family| testkit::samples(family)).filter(|sample| Demo::new(sample.bytes(), &sample.name).is_ok_and(|demo| demo.open().is_ok()))
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
        let demo = Demo::new(sample.bytes(), &sample.name).expect("within the limits");
        let recording = demo.open().expect("a recording");
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
        let demo = Demo::new(sample.bytes(), &sample.name).expect("within the limits");
        let recording = demo.open().expect("a recording");
        let mut verifier = Verifier::new(&recording);
        for cut in recording.cuts(&ranges(recording.info().duration.unwrap_or_default())).into_iter().flatten() {
            let checked = verifier.check(&cut, Same::Strings).expect("it opens");
            assert_eq!(checked, verified(&recording, &cut, Same::Strings).expect("it opens"), "{}", sample.name);
            sound += u32::from(checked.is_sound());
        }
    }
    assert!(sound > 200, "{sound}");
}
