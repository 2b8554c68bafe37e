//! Broken recordings: everything before the damage is delivered, the damage is reported with its place, and reading goes
//! on where the container allows.

use fragreel_base::wire::Limits;
use fragreel_model::{DamageKind, Kinds, RoundTrip};
use fragreel_quake1::Recording;
use fragreel_quake1::unstable::container::{Blocks, Container};

fn sample(name: &str) -> Vec<u8> {
    let samples = fragreel_testkit::samples("quake1");
    samples.iter().find(|sample| sample.name.ends_with(name)).unwrap_or_else(|| panic!("no sample {name}")).bytes()
}

fn open<'b>(bytes: &'b [u8], extension: &str) -> Recording<'b> {
    Recording::open(bytes, Some(extension), Limits::default()).expect("a recording")
}

#[test]
fn a_cut_file_is_read_up_to_the_cut() {
    for (name, extension) in [("match_e1m1.mvd", "mvd"), ("match_e1m1.qwd", "qwd"), ("netquake666_deltas_dm6.dem", "dem")] {
        let whole = sample(name);
        let bytes = &whole[..whole.len() - 3];
        let before = open(&whole, extension).verify();
        let report = open(bytes, extension).verify();
        assert_eq!(report.messages + 1, before.messages, "{name}");
        assert_eq!(report.round_trip, RoundTrip::Identical);
        let [damage] = &report.damage[..] else { panic!("{name}: {:?}", report.damage) };
        assert_eq!(damage.kind, DamageKind::Truncated);
        let skipped = damage.skipped.expect("an extent");
        assert_eq!(skipped.to, bytes.len() as u64);
    }
}

#[test]
fn broken_framing_is_passed_over() {
    for (name, extension, container) in [
        ("match_e1m1.mvd", "mvd", Container::MultiView),
        ("quakeworld_plain_dm3.qwd", "qwd", Container::QuakeWorld),
        ("netquake15_deltas_dm3.dem", "dem", Container::NetQuake),
    ] {
        let mut bytes = sample(name);
        let blocks: Vec<_> = Blocks::new(&bytes, container, &Limits::default()).unwrap().map(Result::unwrap).filter(|block| !block.data.is_empty()).collect();
        let victim = blocks[blocks.len() / 2].clone();
        let (number, offset, length_at) =
            (victim.number, victim.offset, if container == Container::NetQuake { victim.offset } else { victim.data_offset - 4 } as usize);
        let total = open(&bytes, extension).verify().messages;
        bytes[length_at..length_at + 4].copy_from_slice(&0x7fff_ffffu32.to_le_bytes());
        let report = open(&bytes, extension).verify();
        let damage = &report.damage[0];
        assert_eq!(damage.kind, DamageKind::Framing, "{name}");
        assert!(damage.path.contains(&format!("block {number}")), "{}", damage.path);
        assert!(damage.offset >= offset && damage.offset <= length_at as u64 + 4);
        // only the broken one and its close neighbors are lost
        assert!(report.messages + 4 >= total, "{name}: {} of {total}", report.messages);
        assert_eq!(report.round_trip, RoundTrip::Identical);
    }
}

#[test]
fn a_message_that_breaks_costs_its_block_only() {
    let mut bytes = sample("match_e1m1.mvd");
    let blocks: Vec<_> = Blocks::new(&bytes, Container::MultiView, &Limits::default()).unwrap().map(Result::unwrap).collect();
    let victim = blocks.iter().rev().find(|block| block.data.first() == Some(&86)).expect("an update").clone();
    let (number, at, end) = (victim.number, victim.data_offset as usize, victim.end());
    let whole = open(&bytes, "mvd").verify();
    // an update of an entity without a number the format knows: the highest mask bits are forbidden
    bytes[at + 5..at + 11].copy_from_slice(&[9, 0, 0x80, 0x80, 0x80, 0xc0]);
    let report = open(&bytes, "mvd").verify();
    assert_eq!(report.messages, whole.messages);
    let [damage] = &report.damage[..] else { panic!("{:?}", report.damage) };
    assert_eq!((damage.kind, damage.skipped.unwrap().to), (DamageKind::Message, end));
    assert!(damage.path.starts_with(&format!("block {number} › updateentities")), "{}", damage.path);
    assert_eq!(damage.bit.map(|bit| bit / 8), Some(11));
    let mut events = 0;
    let recording = open(&bytes, "mvd");
    let mut walk = recording.events(Kinds::ALL);
    walk.by_ref().for_each(|_| events += 1);
    let met = walk.damage();
    assert_eq!(met.len(), 1);
    assert!(events > 0);
}

#[test]
fn an_unknown_message_is_damage_and_survives() {
    let mut bytes = b"-1\n".to_vec();
    for data in [&[1, 1, 99, 5][..], &[2]] {
        bytes.extend((data.len() as u32).to_le_bytes());
        bytes.extend([0; 12]);
        bytes.extend(data);
    }
    let report = open(&bytes, "dem").verify();
    assert_eq!((report.round_trip, report.opaque, report.damage.len()), (RoundTrip::Identical, 1, 1));
    assert_eq!((report.damage[0].detail.as_str(), report.damage[0].offset), ("no message has the number 99", 21));
}

#[test]
fn other_games_are_refused() {
    for bytes in [&b"HLDEMO\0\0"[..], b"", b"\x1f\x8b\x08", b"PACK", &[0xff; 64]] {
        assert_eq!(fragreel_quake1::detect(bytes, None), fragreel_model::Certainty::No, "{bytes:x?}");
        assert!(Recording::open(bytes, None, Limits::default()).is_err());
    }
}

#[test]
fn limits_are_kept() {
    let bytes = sample("match_e1m1.mvd");
    let mut limits = Limits::default();
    limits.recording_bytes = 1000;
    assert_eq!(Recording::open(&bytes, Some("mvd"), limits).unwrap_err().kind(), fragreel_base::wire::ErrorKind::Limit);
    let mut limits = Limits::default();
    limits.damage_entries = 1;
    let noise: Vec<u8> = bytes.iter().enumerate().map(|(at, &byte)| if at > 60_000 && at % 97 == 0 { byte ^ 0xff } else { byte }).collect();
    let report = Recording::open(&noise, Some("mvd"), limits).expect("a recording").verify();
    assert_eq!(report.damage.len(), 1);
    assert!(report.damage_omitted > 0);
}

/// User commands behind the only packet of the beginning, which nobody can read, make no recording.
#[test]
fn what_is_no_recording_any_more_is_not_made() {
    let mut bytes = vec![0, 6, 1, 0, 0, 0, 200];
    let command = [&[0, 0, 13][..], &[0; 35]].concat();
    bytes.extend(command.repeat(100));
    let recording = Recording::open(&bytes, Some("mvd"), Limits::default()).unwrap();
    let refused = recording.repair().unwrap_err();
    assert_eq!(refused.kind(), fragreel_base::wire::ErrorKind::Malformed);
    assert!(refused.to_string().contains("too little can be read to recognize a recording"), "{refused}");
}
