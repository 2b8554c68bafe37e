//! The fuzz targets' properties, on their seeds and on mutations of real recordings.

use std::fs;

use fragreel_quake2::properties;
use fragreel_testkit::Random;

type Property = fn(&[u8]);
const PROPERTIES: [(&str, Property); 8] = [
    ("container", properties::container),
    ("message", properties::message),
    ("mvd_record", properties::mvd_record),
    ("round_trip", properties::round_trip),
    ("questions", properties::questions),
    ("events", properties::events),
    ("edit", properties::edit),
    ("text_form", properties::text_form),
];

#[test]
fn seeds_keep_their_properties() {
    let mut seeds = 0;
    for (name, property) in PROPERTIES {
        let folder = fragreel_testkit::checkout().join("fuzz/seeds").join(format!("quake2_{name}"));
        for entry in fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display())) {
            let bytes = fs::read(entry.unwrap().path()).unwrap();
            property(&bytes);
            seeds += 1;
        }
    }
    assert!(seeds >= PROPERTIES.len());
}

fn mutate(random: &mut Random, bytes: &mut Vec<u8>, other: &[u8]) {
    for _ in 0..1 + random.below(4) {
        let length = bytes.len();
        match random.below(5) {
            0 => bytes.truncate(random.below(length + 1)),
            1 if !other.is_empty() => {
                let (from, at) = (random.below(other.len()), random.below(length + 1));
                let piece: Vec<u8> = other[from..].iter().take(random.below(64)).copied().collect();
                bytes.splice(at..at, piece);
            }
            2 if length > 0 => bytes[random.below(length)] = random.number() as u8,
            3 if length > 0 => {
                let at = random.below(length);
                bytes.drain(at..(at + random.below(16)).min(length));
            }
            _ if length > 0 => bytes[random.below(length)] ^= 1 << random.below(8),
            _ => {}
        }
    }
}

/// Starts of real recordings, cut short so that the loop stays quick.
fn starts() -> Vec<Vec<u8>> {
    let samples = fragreel_testkit::corpus("quake2").into_iter().chain(fragreel_testkit::samples("quake2"));
    samples.map(|sample| sample.bytes()).map(|bytes| bytes[..bytes.len().min(14_000)].to_vec()).collect()
}

#[test]
fn mutated_recordings_keep_their_properties() {
    let starts = starts();
    let mut random = Random::new(0x5eed_2026_0002);
    for round in 0..if starts.is_empty() { 0 } else { 500 } {
        let mut bytes = starts[random.below(starts.len())].clone();
        let other = &starts[random.below(starts.len())];
        mutate(&mut random, &mut bytes, other);
        let (_, property) = PROPERTIES[[0, 3, 4, 5, 6][round % 5]];
        property(&bytes);
    }
}

/// Messages from the middle of blocks, under every dialect.
#[test]
fn mutated_messages_keep_their_properties() {
    let starts = starts();
    let mut random = Random::new(0x0dd_b17e5);
    for round in 0..if starts.is_empty() { 0 } else { 6000 } {
        let start = &starts[random.below(starts.len())];
        let from = random.below(start.len());
        let mut bytes: Vec<u8> = start[from..].iter().take(random.below(400)).copied().collect();
        mutate(&mut random, &mut bytes, start);
        bytes.insert(0, random.number() as u8);
        if round % 3 == 0 {
            properties::mvd_record(&bytes);
        } else {
            properties::message(&bytes);
        }
        properties::text_form(&bytes);
    }
    // Mostly small numbers: short strings, plausible masks.
    for _ in 0..20_000 {
        let mut bytes = vec![random.number() as u8];
        for _ in 0..random.below(80) {
            let byte = random.number();
            bytes.push(if byte & 0x700 == 0 { byte as u8 } else { byte as u8 & 0x1f });
        }
        properties::message(&bytes);
        properties::mvd_record(&bytes);
        properties::text_form(&bytes);
    }
}

#[test]
fn mutated_recordings_are_edited() {
    let starts = starts();
    let mut random = Random::new(0xed17_2026);
    for _ in 0..if starts.is_empty() { 0 } else { 400 } {
        let mut bytes = starts[random.below(starts.len())].clone();
        let other = &starts[random.below(starts.len())];
        if random.below(4) > 0 {
            mutate(&mut random, &mut bytes, other);
        }
        bytes.splice(0..0, [random.number() as u8, random.below(40) as u8]);
        properties::edit(&bytes);
    }
}
