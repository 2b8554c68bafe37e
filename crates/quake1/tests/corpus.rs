//! Every recording of the corpus: read to its last byte, written back byte for byte.

use model::RoundTrip;
use quake1::Recording;
use testkit::Sample;

/// Everything but the packet captures.
pub fn recordings() -> Vec<Sample> {
    testkit::corpus("quake1").into_iter().filter(|sample| ["dem", "qwd", "mvd"].contains(&sample.extension().as_str())).collect()
}

#[test]
fn whole_recordings_come_out_as_they_went_in() {
    let mut wrong = Vec::new();
    for sample in recordings() {
        let bytes = sample.bytes();
        let recording = Recording::open(&bytes, Some(&sample.extension()), wire::Limits::default()).unwrap_or_else(|error| panic!("{}: {error}", sample.name));
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
