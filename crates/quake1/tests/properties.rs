//! The fuzz properties over their seeds, over the samples, and over mutations of both.

use fragreel_quake1::unstable::properties;
use fragreel_testkit::{Random, Sample};

type Property = (&'static str, fn(&[u8]));

const PROPERTIES: [Property; 7] = [
    ("container", properties::container),
    ("message", properties::message),
    ("round_trip", properties::round_trip),
    ("events", properties::events),
    ("edit", properties::edit),
    ("blocks", properties::blocks),
    ("text_form", properties::text_form),
];

fn seeds(property: &str) -> Vec<Vec<u8>> {
    let folder = fragreel_testkit::checkout().join("fuzz/seeds").join(format!("quake1_{property}"));
    let Ok(entries) = std::fs::read_dir(&folder) else { panic!("{} has no seeds", folder.display()) };
    entries.map(|entry| std::fs::read(entry.expect("a readable folder").path()).expect("a readable seed")).collect()
}

#[test]
fn every_seed_holds() {
    for (name, property) in PROPERTIES {
        let seeds = seeds(name);
        assert!(!seeds.is_empty(), "{name} has no seeds");
        seeds.iter().for_each(|seed| property(seed));
    }
}

/// One way of spoiling bytes.
pub(super) fn spoil(bytes: &mut Vec<u8>, other: &[u8], random: &mut Random) {
    if bytes.is_empty() {
        return;
    }
    let at = random.below(bytes.len());
    match random.below(5) {
        0 => bytes[at] ^= 1 << random.below(8),
        1 => bytes[at] = random.number() as u8,
        2 => bytes.truncate(at),
        3 => {
            let from = random.below(other.len());
            let length = random.below(64).min(other.len() - from).min(bytes.len() - at);
            bytes[at..at + length].copy_from_slice(&other[from..from + length]);
        }
        _ => {
            bytes.drain(at..(at + 1 + random.below(8)).min(bytes.len()));
        }
    }
}

/// The first kilobytes of recordings of every dialect: the start states the protocol, more only costs time.
pub(super) fn beginnings() -> Vec<Vec<u8>> {
    named_beginnings().into_iter().map(|(_, bytes)| bytes).collect()
}

/// The same with their extensions.
pub(super) fn named_beginnings() -> Vec<(String, Vec<u8>)> {
    const ENOUGH: usize = 12_000;
    let mut seen = Vec::new();
    let samples: Vec<Sample> = super::corpus::recordings().into_iter().chain(fragreel_testkit::samples("quake1")).collect();
    samples
        .iter()
        .filter(|sample| {
            let dialect = (sample.dialect.clone(), sample.extension());
            let new = !seen.contains(&dialect);
            seen.push(dialect);
            new
        })
        .map(|sample| {
            let mut bytes = sample.bytes();
            bytes.truncate(ENOUGH);
            (sample.extension(), bytes)
        })
        .collect()
}

#[test]
fn mutations_of_recordings_hold() {
    let beginnings = beginnings();
    let mut random = Random::new(0x9e37_79b9_7f4a_7c15);
    for at in 0..beginnings.len() * 12 {
        let mut bytes = beginnings[at % beginnings.len()].clone();
        let other = &beginnings[random.below(beginnings.len())];
        for _ in 0..=random.below(6) {
            spoil(&mut bytes, other, &mut random);
        }
        properties::container(&bytes);
        properties::round_trip(&bytes);
        properties::events(&bytes);
        properties::quiet(&bytes);
        properties::blocks(&bytes);
        if at % 4 == 0 {
            bytes.insert(0, at as u8);
            properties::text_form(&bytes);
        }
    }
}

#[test]
fn mutations_of_packets_hold() {
    let seeds = seeds("message");
    let mut random = Random::new(0x2545_f491_4f6c_dd1d);
    for at in 0..6000 {
        let mut bytes = seeds[at % seeds.len()].clone();
        let other = &seeds[random.below(seeds.len())];
        for _ in 0..=random.below(5) {
            spoil(&mut bytes, other, &mut random);
        }
        properties::message(&bytes);
        if at % 8 == 0 {
            properties::text_form(&bytes);
        }
    }
    for at in 0..3000 {
        let noise: Vec<u8> = (0..random.below(200)).map(|_| random.number() as u8).collect();
        properties::message(&noise);
        if at % 8 == 0 {
            properties::text_form(&noise);
        }
    }
}
