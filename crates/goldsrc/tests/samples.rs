//! `samples/goldsrc/`: made by this generator, which the test runs again and compares. `FRAGREEL_BLESS=1` writes them.

use std::fs;

use fragreel_goldsrc::Recording;
use fragreel_goldsrc::properties::assemble::{Assembler, Plan, assembled, recording};
use fragreel_model::RoundTrip;

/// Every sample by name.
fn samples() -> Vec<(&'static str, Vec<u8>)> {
    let plan = Plan::default();
    vec![
        ("net-48.dem", recording(plan)),
        ("net-47.dem", recording(Plan { network: 47, ..plan })),
        ("net-46.dem", recording(Plan { network: 46, ..plan })),
        ("net-45.dem", recording(Plan { network: 45, ..plan })),
        ("net-43.dem", recording(Plan { network: 43, ..plan })),
        ("instanced-baselines.dem", recording(Plan { instanced: true, ..plan })),
        ("hltv.dem", recording(Plan { hltv: true, ..plan })),
        ("protocol-4-net-40.dem", protocol_four(40, 64)),
        ("protocol-4-net-35.dem", protocol_four(35, 56)),
        ("two-recordings.dem", appended()),
        ("no-directory.dem", assembled(plan).without_directory()),
        ("svc-bad.dem", bad_message()),
    ]
}

/// Each macro of demo protocol 4 once.
fn protocol_four(network: i32, client_data: usize) -> Vec<u8> {
    let mut file = Assembler::new(4, network, "hand_made", "valve", 1);
    file.segment(0, "LOADING");
    file.macro_with(0, 1.0, 1, &packet());
    file.macro_with(8, 1.0, 1, &[]);
    file.segment(1, "Playback");
    file.macro_with(2, 0.0, 0, &[]);
    file.macro_with(3, 0.0, 0, &[7; 28]);
    let mut command = [0; 64];
    command[..7].copy_from_slice(b"+attack");
    file.macro_with(5, 0.0, 0, &command);
    file.macro_with(1, 0.0, 1, &packet());
    file.macro_with(6, 0.0, 1, &vec![3; client_data]);
    file.macro_with(7, 0.0, 1, &[2, 0, 0, 0, 8, 9]);
    file.macro_with(4, 0.0, 1, &[]);
    file.macro_with(8, 0.5, 2, &[]);
    file.finish()
}

/// A view, and a packet of nothing but its netchan head and one `svc_nop`.
fn packet() -> Vec<u8> {
    let mut body = vec![0; 24];
    body.extend([9, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1]);
    body
}

/// A second playback behind the first, and two end macros in a row, as re-recording leaves them.
fn appended() -> Vec<u8> {
    let mut file = assembled(Plan::default());
    file.macro_with(5, 3.0, 14, &[]);
    file.segment(1, "Encore");
    file.macro_with(2, 0.0, 0, &[]);
    file.data(1, 0.25, 20, &[7, 0, 0, 0x80, 0x3f]);
    file.macro_with(5, 0.5, 21, &[]);
    file.finish()
}

/// A message of number 0 behind a good one.
fn bad_message() -> Vec<u8> {
    let mut file = assembled(Plan::default());
    file.segment(1, "Broken");
    file.macro_with(2, 0.0, 0, &[]);
    file.data(1, 0.25, 20, &[7, 0, 0, 0x80, 0x3f, 0, 1, 2, 3]);
    file.macro_with(5, 0.5, 21, &[]);
    file.finish()
}

#[test]
fn samples_are_what_the_generator_makes() {
    let folder = fragreel_testkit::checkout().join("samples/goldsrc");
    for (name, bytes) in samples() {
        let path = folder.join(name);
        if std::env::var_os("FRAGREEL_BLESS").is_some() {
            fs::create_dir_all(&folder).unwrap();
            fs::write(&path, &bytes).unwrap();
        }
        let found = fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}; FRAGREEL_BLESS=1 writes it", path.display()));
        assert!(found == bytes, "{name} is not what the generator makes; FRAGREEL_BLESS=1 writes it again");
    }
    assert_eq!(fragreel_testkit::samples("goldsrc").len(), samples().len(), "a file that the generator does not make");
}

#[test]
fn whole_samples_round_trip() {
    for (name, bytes) in samples() {
        let opened = Recording::open(&bytes, None, fragreel_base::wire::Limits::default()).unwrap();
        let report = opened.verify();
        let whole = !["no-directory.dem", "svc-bad.dem"].contains(&name);
        assert_eq!(report.damage.is_empty(), whole, "{name}: {:?}", report.damage);
        assert_eq!(report.round_trip, RoundTrip::Identical, "{name}");
        let repaired = opened.repair().unwrap();
        assert_eq!(repaired.actions.is_empty(), whole, "{name}: {:?}", repaired.actions);
        assert_eq!(repaired.bytes == bytes, whole, "{name}");
        let again = Recording::open(&repaired.bytes, None, fragreel_base::wire::Limits::default()).unwrap().verify();
        assert_eq!(again.damage, [], "{name}");
    }
}

#[test]
fn every_field_has_a_place() {
    for (_, bytes) in samples() {
        fragreel_goldsrc::properties::state(&bytes);
    }
}
