//! Edits of every family, on our samples and a part of the corpus.

use fragreel::Recording;
use fragreel::edit::{Clock, Range, Same};
use fragreel::model::Milliseconds;
use fragreel_testkit::{Random, Sample};

use super::{FAMILIES, of_each_dialect, real, recordings, run_seeds};

/// The property with an edit of a kind and some choices.
fn edited(sample: &Sample, choice: [u8; 4]) {
    let bytes = [&choice[..], &sample.bytes()].concat();
    let run = std::panic::catch_unwind(|| fragreel::properties::edit(&bytes));
    assert!(run.is_ok(), "{} with {choice:?}", sample.name);
}

/// As many kinds of edits as the property knows.
const KINDS: u8 = 8;

#[test]
fn random_edits_of_samples_give_whole_recordings_with_the_same_frames() {
    let mut random = Random::new(6);
    for sample in FAMILIES.iter().flat_map(|family| fragreel_testkit::samples(family)) {
        for kind in 0..KINDS {
            edited(&sample, [kind, random.below(256) as u8, random.below(256) as u8, 0]);
        }
    }
}

#[test]
fn every_edit_of_the_smallest_real_recording_of_each_dialect_holds() {
    let mut random = Random::new(8);
    for sample in &of_each_dialect(300_000) {
        for kind in 0..KINDS {
            edited(sample, [kind, random.below(256) as u8, random.below(256) as u8, 0]);
        }
    }
}

#[test]
fn a_random_edit_of_each_small_real_recording_holds() {
    let mut random = Random::new(7);
    for sample in real(150_000) {
        edited(&sample, [random.below(usize::from(KINDS)) as u8, random.below(256) as u8, random.below(256) as u8, 0]);
    }
}

#[test]
fn seeds_of_edits_hold() {
    run_seeds("fragreel_edit", fragreel::properties::edit);
}

#[test]
fn a_recording_cut_in_two_and_joined_is_the_recording() {
    let quake1 = ["match_e1m1.qwd", "match_e1m1.mvd", "quakeworld_deltas_e1m1.qwd", "quakeworld_plain_dm3.qwd"].map(|name| format!("quake1/{name}"));
    let others = ["quake3/dm_bots.dm_71", "quake2/yq2dm_Alice.dm2"].map(String::from);
    for name in quake1.into_iter().chain(others) {
        let sample = fragreel_testkit::samples(name.split('/').next().unwrap_or_default()).into_iter().find(|sample| sample.name == name).expect("a sample");
        let recording = Recording::open(sample.bytes(), &sample.name).expect("a recording");
        let (middle, end) = (Milliseconds(recording.info().duration.expect("frames").0 / 2), Milliseconds(1 << 40));
        let part = |from, to| recording.cut(Range { clock: Clock::Demo, from, to }).unwrap_or_else(|error| panic!("{name}: {error}"));
        let parts = [part(Milliseconds(0), middle), part(middle, end)].map(|part| Recording::open(part.bytes, &part.extension).expect("a recording"));
        let joined = Recording::join(&parts).unwrap_or_else(|error| panic!("{name}: {error}"));
        let checked = Recording::check_joined(&parts, &joined).expect("it opens");
        assert!(checked.is_sound(), "{name}: {:?} {:?}", checked.comparison.differences, checked.verification.damage);
        let checked = recording.check_edited(&joined, Same::Strings).expect("it opens");
        assert_eq!(checked.comparison.differing, 0, "{name}: {:?}", checked.comparison.differences);
        assert!(checked.comparison.frames >= recording.info().snapshots, "{name}: {} frames", checked.comparison.frames);
    }
}

#[test]
fn what_needs_a_family_says_so() {
    let open = |name: &str| {
        let sample = recordings(name.split('/').next().unwrap_or_default()).find(|sample| sample.name == name).expect("a sample");
        Recording::open(sample.bytes(), &sample.name).expect("a recording")
    };
    let (one, other) = (open("quake3/dm_bots.dm_71"), open("quake1/match_e1m1.qwd"));
    let fault = |result: Result<_, fragreel::Error>| result.map(|_: fragreel::edit::Edited| ()).unwrap_err().kind();
    assert_eq!(fault(Recording::join(&[one.clone(), other.clone()])), fragreel::ErrorKind::Misuse);
    assert_eq!(fault(Recording::join(&[])), fragreel::ErrorKind::Misuse);
    assert_eq!(fault(Recording::merge(&[other.clone(), other.clone()])), fragreel::ErrorKind::Unsupported);
    assert_eq!(one.compare(&other).unwrap_err().kind(), fragreel::ErrorKind::Misuse);
}

/// Quake III 1.32 reads commands of 1,022 bytes. A longer name must not make one longer.
#[test]
fn a_longer_name_makes_no_command_that_engines_cannot_read() {
    const LONGEST: usize = 1022;
    let name = "quake3/dm_bots.dm_71";
    let bytes = std::fs::read(fragreel_testkit::checkout().join("samples").join(name)).expect("a sample");
    let text = String::from_utf8(fragreel::text_form::decompile(&bytes, name).expect("text")).expect("text");
    let said = r#"chat \"^1Red^7Fox^7\u0019: ^2recording starts\""#;
    assert!(text.contains(said));
    for (length, fits) in [(LONGEST - 2, true), (LONGEST, false)] {
        let line = format!("chat \\\"{} Kyonshi\\\"", "x".repeat(length - "chat \"".len() - " Kyonshi\"".len()));
        let recording = fragreel::text_form::compile(text.replacen(said, &line, 1).as_bytes()).expect("bytes");
        let recording = Recording::open(recording, name).expect("a recording");
        let renamed = recording.rename(&[("Kyonshi", "Kyonshi12")]);
        assert_eq!(renamed.is_ok(), fits, "{length}: {:?}", renamed.err());
    }
}
