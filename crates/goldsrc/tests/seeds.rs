//! Every seed of the fuzz targets through its property, and a cheap loop of mutations of small recordings.

use fragreel_goldsrc::properties;
use fragreel_goldsrc::properties::assemble::{Plan, recording};
use fragreel_testkit::Random;

/// Panics when the bytes break it.
type Property = fn(&[u8]);

/// The properties by the names of their fuzz targets.
const PROPERTIES: &[(&str, Property)] = &[
    ("goldsrc_container", properties::container),
    ("goldsrc_message", properties::message),
    ("goldsrc_round_trip", properties::round_trip),
    ("goldsrc_events", properties::events),
    ("goldsrc_state", properties::state),
    ("goldsrc_repair", properties::repair),
    ("goldsrc_edit", properties::edit),
];

#[test]
fn seeds_hold_their_properties() {
    for (name, property) in PROPERTIES {
        let folder = fragreel_testkit::checkout().join("fuzz/seeds").join(name);
        let mut count = 0;
        for entry in std::fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display())) {
            property(&std::fs::read(entry.unwrap().path()).unwrap());
            count += 1;
        }
        assert!(count > 0, "{name} has no seeds");
        let target = fragreel_testkit::checkout().join("fuzz/fuzz_targets").join(format!("{name}.rs"));
        assert!(target.exists(), "{name} has no target");
    }
}

#[test]
fn mutations_hold_the_properties() {
    let mut random = Random::new(0x9e37_79b9_7f4a_7c15);
    let mut bases: Vec<Vec<u8>> = [48, 43, 45].map(|network| recording(Plan { network, instanced: network != 48, ..Plan::default() })).to_vec();
    bases.extend(fragreel_testkit::corpus("goldsrc").iter().filter(|sample| sample.dialect.contains("net 48")).take(3).map(|sample| {
        let mut start = sample.bytes();
        start.truncate(30_000);
        start
    }));
    for round in 0..250 {
        let mut bytes = bases[round % bases.len()].clone();
        for _ in 0..=random.below(4) {
            match random.below(5) {
                0 => bytes.truncate(random.below(bytes.len())),
                1 => {
                    let (from, to) = (random.below(bytes.len()), random.below(bytes.len()));
                    let length = random.below(64).min(bytes.len() - from.max(to));
                    bytes.copy_within(from..from + length, to);
                }
                // the header's numbers matter more than their bytes' share
                2 if bytes.len() > 544 => bytes[8 + random.below(8)] = random.number() as u8,
                3 if bytes.len() > 544 => bytes[540 + random.below(4)] ^= 1 << random.below(8),
                _ if !bytes.is_empty() => {
                    let at = random.below(bytes.len());
                    bytes[at] ^= 1 << random.below(8);
                }
                _ => {}
            }
        }
        for (name, property) in PROPERTIES {
            if *name == "goldsrc_message" {
                let at = random.below(bytes.len());
                property(&bytes[at..bytes.len().min(at + 300)]);
            } else if *name == "goldsrc_edit" {
                property(&[&(random.number() as u32).to_le_bytes(), &bytes[..]].concat());
            } else {
                property(&bytes);
            }
        }
    }
}

#[test]
fn messages_of_random_bytes() {
    let mut random = Random::new(0x1234_5678_9abc_def1);
    let mut bytes = vec![0; 120];
    for round in 0..20_000u32 {
        bytes.iter_mut().for_each(|byte| *byte = random.number() as u8);
        bytes[0] = (round % 5) as u8 | (random.number() as u8 & 0x80);
        bytes[1] = (round / 5 % 72) as u8;
        properties::message(&bytes);
    }
}
