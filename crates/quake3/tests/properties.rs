//! The fuzz targets' properties on their seeds, and on recordings with small damage.

use fragreel_quake3::container::{self, Frames, Piece};
use fragreel_quake3::properties;
use fragreel_testkit::Random;

type Property = fn(&[u8]);

const PROPERTIES: [(&str, Property); 7] = [
    ("container", properties::container),
    ("chunking", properties::chunking),
    ("message", properties::message),
    ("round_trip", properties::round_trip),
    ("events", properties::events),
    ("text_form", properties::text_form),
    ("edit", properties::edit),
];

#[test]
fn seeds_and_found_crashes_hold() {
    for (name, property) in PROPERTIES {
        let folder = fragreel_testkit::checkout().join("fuzz/seeds").join(format!("quake3_{name}"));
        let mut seeds = 0;
        for entry in std::fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display())) {
            let path = entry.expect("a readable folder").path();
            property(&std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display())));
            seeds += 1;
        }
        assert!(seeds > 0, "{name} has no seeds");
    }
}

pub(super) fn damage(bytes: &mut Vec<u8>, random: &mut Random) {
    for _ in 0..=random.below(4) {
        let at = random.below(bytes.len());
        match random.below(5) {
            0 => bytes[at] ^= 1 << random.below(8),
            1 => bytes[at] = random.below(256) as u8,
            2 => bytes.truncate(at.max(1)),
            3 => {
                let end = (at + random.below(40)).min(bytes.len());
                bytes.drain(at..end);
            }
            _ => {
                let piece: Vec<u8> = bytes[at..(at + random.below(40)).min(bytes.len())].to_vec();
                let to = random.below(bytes.len());
                bytes.splice(to..to, piece);
            }
        }
        if bytes.is_empty() {
            return;
        }
    }
}

#[test]
fn small_damage_never_breaks_a_property() {
    let mut random = Random::new(3);
    let mut sources = fragreel_testkit::samples("quake3");
    sources.extend(fragreel_testkit::corpus("quake3").into_iter().step_by(6));
    for sample in sources {
        let mut head = sample.bytes();
        head.truncate(12_000);
        for round in 0..12 {
            let mut bytes = head.clone();
            damage(&mut bytes, &mut random);
            if round % 4 == 3 {
                let choice: Vec<u8> = (0..8).map(|_| random.below(256) as u8).collect();
                properties::edit(&[&choice[..], &bytes].concat());
            }
            let (_, property) = PROPERTIES[[0, 1, 3, 4][round % 4]];
            property(&bytes);
        }
        let frames: Vec<_> = Frames::new(&head).filter_map(|piece| if let Piece::Message(frame) = piece { Some(frame) } else { None }).take(12).collect();
        for frame in frames {
            for choice in 0..8 {
                let mut bytes = vec![choice];
                bytes.extend(container::data(&head, &frame));
                properties::message(&bytes);
                damage(&mut bytes, &mut random);
                properties::message(&bytes);
            }
        }
    }
}
