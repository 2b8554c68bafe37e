//! Every recording of the corpus: read to its last byte, written back byte for byte.

use fragreel_model::{Certainty, RoundTrip};
use fragreel_quake1::Recording;
use fragreel_quake1::unstable::properties::quiet;
use fragreel_testkit::{Random, Sample};

use super::properties::spoil;

/// Everything but the packet captures.
pub(super) fn recordings() -> Vec<Sample> {
    fragreel_testkit::corpus("quake1").into_iter().filter(|sample| ["dem", "qwd", "mvd"].contains(&sample.extension().as_str())).collect()
}

#[test]
fn whole_recordings_come_out_as_they_went_in() {
    let mut wrong = Vec::new();
    for sample in recordings() {
        let bytes = sample.bytes();
        let recording = Recording::open(&bytes, Some(&sample.extension()), fragreel_base::wire::Limits::default())
            .unwrap_or_else(|error| panic!("{}: {error}", sample.name));
        let report = recording.verify();
        if report.round_trip != RoundTrip::Identical || (!sample.damaged && !report.is_whole()) {
            wrong.push(format!(
                "{} {}: {:?} {:?} {:?}",
                sample.name,
                report.dialect,
                report.round_trip,
                report.first_difference,
                report.damage.iter().take(2).collect::<Vec<_>>()
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Players are the same, whether other entities are followed or passed over.
#[test]
fn entities_change_nothing_of_players() {
    use fragreel_model::{EntityKinds, FrameOptions};
    for sample in recordings().into_iter().chain(fragreel_testkit::samples("quake1")) {
        let bytes = sample.bytes();
        let Ok(recording) = Recording::open(&bytes, Some(&sample.extension()), fragreel_base::wire::Limits::default()) else { continue };
        let mut with = recording.frames(FrameOptions::default().entities(EntityKinds::ALL));
        for frame in recording.frames(FrameOptions::default().players_only()) {
            let mut expected = with.next().expect("as many frames");
            expected.entities.clear();
            assert_eq!(frame, expected, "{}", sample.name);
        }
        assert!(with.next().is_none(), "{}", sample.name);
    }
}

/// Blocks that are passed over would have changed nothing, in damaged recordings either.
#[test]
fn quiet_blocks_change_nothing() {
    let mut random = Random::new(0x51e7);
    for sample in recordings().into_iter().chain(fragreel_testkit::samples("quake1")).filter(|sample| sample.extension() == "mvd") {
        let bytes = sample.bytes();
        quiet(&bytes);
        for _ in 0..if bytes.len() < 1 << 20 { 4 } else { 1 } {
            let mut spoiled = bytes.clone();
            (0..8).for_each(|_| spoil(&mut spoiled, &bytes, &mut random));
            quiet(&spoiled);
        }
    }
}

/// Content alone says what a recording is.
#[test]
fn names_are_not_needed() {
    for sample in recordings().into_iter().chain(fragreel_testkit::samples("quake1")) {
        let bytes = sample.bytes();
        assert_eq!(fragreel_quake1::detect(&bytes, None), Certainty::Certain, "{}", sample.name);
        let recording = Recording::open(&bytes, None, fragreel_base::wire::Limits::default()).unwrap();
        assert_eq!(recording.container().extension(), sample.extension(), "{}", sample.name);
    }
}

/// Recordings of other games are not taken for ours.
#[test]
fn other_families_are_left_alone() {
    for family in ["quake3", "quake2", "goldsrc"] {
        for sample in fragreel_testkit::corpus(family) {
            let bytes = sample.raw();
            let certainty = fragreel_quake1::detect(&bytes, Some(&sample.extension()));
            assert!(certainty < Certainty::Likely, "{} is {certainty:?}", sample.name);
        }
    }
}
