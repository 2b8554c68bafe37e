//! Archives: what comes back, and what is refused.

use std::io::Cursor;

use fragreel_pack::archive::{Archive, Error, Member, Writer, is_archive, pack_group, pack_group_with};
use fragreel_pack::{Limits, Preset, head, is_packed, pack};
use fragreel_testkit::{Random, samples};

/// Small recordings of two families, with their names.
fn recordings() -> Vec<(String, Vec<u8>)> {
    let of = |family: &str, extension: &str| {
        let mut found: Vec<_> = samples(family).into_iter().filter(|sample| sample.name.ends_with(extension)).collect();
        found.sort_by_key(|sample| sample.raw().len());
        found.into_iter().take(2).map(|sample| (sample.name.clone(), sample.bytes())).collect::<Vec<_>>()
    };
    [of("quake3", ".dm_71"), of("quake1", ".mvd"), vec![(String::from("noise"), b"\x01\x93\xf0".to_vec())]].concat()
}

fn archive(recordings: &[(String, Vec<u8>)]) -> Vec<u8> {
    archive_with(recordings, Preset::Small)
}

fn archive_with(recordings: &[(String, Vec<u8>)], preset: Preset) -> Vec<u8> {
    let members: Vec<Member<'_>> = recordings.iter().map(|(name, bytes)| Member { name, bytes }).collect();
    let mut writer = Writer::default();
    let mut file = Writer::beginning();
    for members in members.chunks(3) {
        file.extend(writer.group(pack_group_with(members, preset)));
    }
    file.extend(writer.end());
    assert!(is_archive(&file));
    file
}

#[test]
fn members_come_back_in_any_order() {
    let recordings = recordings();
    let file = archive(&recordings);
    let mut archive = Archive::open(Cursor::new(&file)).unwrap();
    assert!(archive.damage().is_none());
    let names: Vec<&str> = archive.entries().iter().map(|entry| entry.name.as_str()).collect();
    assert_eq!(names, recordings.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>());
    // the second of each family is packed after the first, which another family's is not
    assert_eq!(archive.entries().iter().map(|entry| entry.begins_group).collect::<Vec<_>>(), [true, false, true, true, true]);
    assert_eq!((archive.group(1), archive.group(2)), (0..2, 2..3));
    for at in [1, 0, 1, 4, 3, 2, 0] {
        assert!(archive.read(at, &Limits::default()).unwrap() == recordings[at].1, "{at}");
    }
    assert!(matches!(archive.read(5, &Limits::default()), Err(Error::Missing)));
}

#[test]
fn members_of_every_preset_come_back() {
    let recordings = recordings();
    for preset in [Preset::Small, Preset::FormerSmall, Preset::Quick, Preset::FormerQuick, Preset::Deep] {
        let file = archive_with(&recordings, preset);
        let mut archive = Archive::open(Cursor::new(&file)).unwrap();
        for (at, (name, bytes)) in recordings.iter().enumerate() {
            assert!(archive.read(at, &Limits::default()).unwrap() == *bytes, "{preset:?}: {name}");
        }
        let group = pack_group_with(&[Member { name: &recordings[0].0, bytes: &recordings[0].1 }], preset);
        let at = (0..).find(|&at| is_packed(&group.bytes()[at..])).unwrap();
        assert_eq!(head(&group.bytes()[at..]).unwrap().preset, preset);
    }
}

#[test]
fn what_one_recording_taught_helps_the_next() {
    let sample = samples("quake1").into_iter().find(|sample| sample.name.ends_with("fte1_e1m1.mvd")).unwrap();
    let bytes = sample.bytes();
    let half = bytes.len() / 2;
    for (name, bytes) in [("x.mvd", &bytes[..]), ("x", &bytes[..half])] {
        let group = pack_group(&[Member { name, bytes }, Member { name, bytes }]);
        let [first, second] = group.entries() else { panic!("there are two members") };
        assert!(!second.begins_group && second.packed * 8 < first.packed, "{name}: {} bytes, then {}", first.packed, second.packed);
        assert!(first.packed < pack(bytes, name).len() as u64 + 64);
    }
}

#[test]
fn each_recording_of_a_group_is_packed_once() {
    let sample = samples("quake1").into_iter().find(|sample| sample.name.ends_with("netquake666_deltas_e1m1.dem")).unwrap();
    let bytes = sample.bytes();
    let member = Member { name: "x.dem", bytes: &bytes };
    let before = crate::PACKED.get();
    assert_eq!(pack_group(&[member, member, member]).entries().iter().filter(|entry| entry.begins_group).count(), 1);
    assert_eq!(crate::PACKED.get() - before, 3);
}

#[test]
fn a_truncated_archive_gives_the_members_before_the_cut() {
    let recordings = recordings();
    let file = archive(&recordings);
    let whole = Archive::open(Cursor::new(&file)).unwrap();
    let ends: Vec<u64> = whole.entries().iter().map(|entry| entry.offset + entry.packed).collect();
    let mut random = Random::new(3);
    let cuts = (0..30).chain((0..10).map(|_| random.below(file.len()))).chain(ends.iter().flat_map(|&end| [end as usize - 1, end as usize, end as usize + 1]));
    for cut in cuts {
        let Ok(mut archive) = Archive::open(Cursor::new(&file[..cut])) else {
            assert!(cut < 5, "cut at {cut}");
            continue;
        };
        assert_eq!(archive.entries(), &whole.entries()[..ends.iter().filter(|&&end| end <= cut as u64).count()], "cut at {cut}");
        assert!(archive.damage().is_some(), "cut at {cut}");
        if let Some(last) = archive.entries().len().checked_sub(1).filter(|_| ends.contains(&(cut as u64))) {
            assert!(archive.read(last, &Limits::default()).unwrap() == recordings[last].1);
        }
    }
}

#[test]
fn a_flipped_bit_is_noticed() {
    let recordings = recordings();
    let file = archive(&recordings);
    let mut random = Random::new(7);
    for _ in 0..3 {
        let bit = random.below(file.len() * 8);
        let mut broken = file.clone();
        broken[bit / 8] ^= 1 << (bit % 8);
        let Ok(mut archive) = Archive::open(Cursor::new(&broken)) else { continue };
        let mut noticed = archive.damage().is_some();
        let count = archive.entries().len();
        for (at, recording) in recordings.iter().enumerate().take(count) {
            match archive.read(at, &Limits::default()) {
                Ok(bytes) => assert!(bytes == recording.1, "bit {bit}, member {at}"),
                Err(_) => noticed = true,
            }
        }
        assert!(noticed, "bit {bit}");
    }
}

#[test]
fn limits_hold_for_each_member() {
    let zeros = vec![0; 100_000];
    let file = archive(&[(String::from("zeros"), zeros)]);
    let mut archive = Archive::open(Cursor::new(&file)).unwrap();
    let error = archive.read(0, &Limits { bytes: 99_999, ..Limits::default() }).unwrap_err();
    assert!(matches!(error, Error::Packed(fragreel_pack::Error::TooLarge(100_000))), "{error}");
}

#[test]
fn long_names_are_cut_and_writing_goes_on_behind_members() {
    let long = "ä".repeat(3000);
    let mut writer = Writer::default();
    let mut file = Writer::beginning();
    file.extend(writer.group(pack_group(&[Member { name: &long, bytes: b"one" }])));
    let first = Archive::open(Cursor::new(&[&file[..], &writer.end()].concat())).unwrap().entries().to_vec();
    assert_eq!(first[0].name.len(), 4096);
    let mut writer = Writer::after(first);
    assert_eq!(writer.next_offset(), file.len() as u64);
    assert!(!writer.has("two") && writer.has(&"ä".repeat(2048)));
    file.extend(writer.group(pack_group(&[Member { name: "two", bytes: b"two" }])));
    file.extend(writer.end());
    let mut archive = Archive::open(Cursor::new(&file)).unwrap();
    let two = archive.find("two").unwrap();
    assert_eq!((two, archive.read(two, &Limits::default()).unwrap()), (1, b"two".to_vec()));
}
