//! Repair, and what is refused.

use fragreel_model::{Clock, Edited, Milliseconds, Range, Split, Target};
use fragreel_quake2::Recording;

use super::{blocks_of, check, file_of, open, recordings};

#[test]
fn whole_recordings_need_no_repair() {
    for (sample, bytes) in recordings() {
        let source = open(&bytes, &sample.extension());
        let edited = source.repair().unwrap_or_else(|error| panic!("{}: {error}", sample.name));
        assert_eq!(edited.actions.is_empty(), edited.bytes == bytes, "{}", sample.name);
        let again = open(&edited.bytes, &edited.extension);
        assert!(again.repair().unwrap().actions.is_empty(), "{}", sample.name);
        check(&sample.name, &source, &edited);
    }
}

#[test]
fn damaged_recordings_are_repaired() {
    let sample = fragreel_testkit::samples("quake2").into_iter().find(|sample| sample.name.ends_with("yq2dm_Alice.dm2")).unwrap();
    let bytes = sample.bytes();
    let whole = open(&bytes, "dm2");
    let frames = whole.info().snapshots;
    let blocks = blocks_of(&bytes);
    let repaired = |bytes: &[u8], action: &str| {
        let edited = open(bytes, "dm2").repair().unwrap();
        assert!(edited.actions.iter().any(|done| done.to_string().contains(action)), "{action}: {:?}", edited.actions);
        let again = open(&edited.bytes, "dm2");
        assert!(again.verify().is_whole());
        assert!(again.repair().unwrap().actions.is_empty());
        edited
    };
    // Without its end mark, and cut inside the last block.
    assert_eq!(repaired(&file_of(&blocks, false), "end mark").bytes, bytes);
    let cut = repaired(&bytes[..bytes.len() - 10], "inside a block");
    assert_eq!(open(&cut.bytes, "dm2").info().snapshots, frames - 1);
    // Blocks without data.
    let mut gaps = blocks.clone();
    gaps.insert(100, Vec::new());
    assert_eq!(repaired(&file_of(&gaps, true), "empty block").bytes, bytes);
    // Two blocks in one that is too long.
    let at = (0..blocks.len() - 1).find(|&at| blocks[at].len() + blocks[at + 1].len() > 1390).unwrap();
    let mut long = blocks.clone();
    let second = long.remove(at + 1);
    long[at].extend_from_slice(&second);
    let edited = repaired(&file_of(&long, true), "split ");
    assert_eq!(whole.compare(&open(&edited.bytes, "dm2")).differing, 0);
    assert!(blocks_of(&edited.bytes).iter().all(|block| block.len() <= 1390));
    // Behind the end mark.
    assert_eq!(repaired(&[&bytes[..], b"junk"].concat(), "follow the end mark").bytes, bytes);
    // A block in the middle overwritten, and a length.
    let middle = blocks.len() / 2;
    let mut broken = blocks.clone();
    broken[middle] = vec![0xee; broken[middle].len()];
    let offset: usize = blocks[..middle].iter().map(|block| 4 + block.len()).sum();
    let mut wild = bytes.clone();
    wild[offset..offset + 4].copy_from_slice(&[0x12, 0x34, 0x56, 0x78]);
    for damaged in [file_of(&broken, true), wild] {
        let edited = repaired(&damaged, "re-encoded");
        let again = open(&edited.bytes, "dm2");
        assert_eq!(again.info().snapshots, frames - 1, "{:?}", edited.actions);
        assert!(edited.losses.iter().any(|loss| matches!(loss, fragreel_model::Loss::ChangesInMissingFrames { .. })), "{:?}", edited.losses);
        let comparison = open(&damaged, "dm2").compare(&again);
        assert_eq!((comparison.frames, comparison.differing), (frames - 1, 0), "{comparison:?}");
        // What comes before is what it was, and what comes after is soon so again.
        let comparison = whole.compare(&again);
        assert!(comparison.differing < frames / 4, "{comparison:?}");
        let firsts = blocks_of(&edited.bytes)[middle].clone();
        assert_eq!(firsts[5..9], [0xff; 4], "a whole frame follows the damage");
    }
}

#[test]
fn what_cannot_be_edited_is_refused_with_a_reason() {
    let sample = fragreel_testkit::samples("quake2").into_iter().find(|sample| sample.name.ends_with("yq2dm_Alice.dm2")).unwrap();
    let bytes = sample.bytes();
    let recording = open(&bytes, "dm2");
    let range = |clock, from, to| Range { clock, from: Milliseconds(from), to: Milliseconds(to) };
    let error = |result: Result<Edited, fragreel_base::wire::Error>| result.unwrap_err().to_string();
    assert!(error(recording.cut(range(Clock::Demo, 5000, 1000))).contains("before it starts"));
    assert!(error(recording.cut(range(Clock::Demo, 5_000_000, 6_000_000))).contains("no frame is between"));
    assert!(error(recording.cut(range(Clock::Match, 0, 1000))).contains("has no match"));
    let target = |format: &str, pov: Option<&str>| Target { format: Some(format.to_owned()), pov: pov.map(str::to_owned) };
    assert!(error(recording.convert(&target("dm_68", None))).contains("`dm2` or `34`"));
    assert!(error(recording.convert(&target("34", Some("Bob")))).contains("only the recording player's view"));
    assert_eq!(recording.convert(&target("dm2 34", Some("Alice"))).unwrap().bytes, bytes);
    assert!(error(recording.split(Split::Match).map(|_| Edited::default())).contains("match starts"));
    assert!(error(recording.split(Split::Size(100)).map(|_| Edited::default())).contains("too small"));
    let test_release = [&[9, 0, 0, 0, 7, 25, 0, 0, 0, 0, 0, 0, 0][..]].concat();
    assert!(error(open(&test_release, "dm2").cut(range(Clock::Demo, 0, 1))).contains("test release"));
    let server = fragreel_testkit::samples("quake2").into_iter().find(|sample| sample.name.ends_with("srv_city.dm2")).unwrap();
    let other = server.bytes();
    let other = open(&other, "dm2");
    assert!(error(other.convert(&target("34", None))).contains("choose one with --pov"));
    assert!(error(Recording::join(&[&recording, &other])).contains("convert them first"));
}

/// A level of a protocol that nobody knows: engines stop there, and what follows it was read by the rules in force.
#[test]
fn levels_of_no_known_protocol() {
    let sample = fragreel_testkit::samples("quake2").into_iter().find(|sample| sample.name.ends_with("yq2dm_Alice.dm2")).unwrap();
    let bytes = sample.bytes();
    let mut blocks = [blocks_of(&bytes), blocks_of(&bytes)].concat();
    let twice = file_of(&blocks, true);
    let fixed = open(&twice, "dm2").repair().unwrap();
    let levels: Vec<usize> = (0..blocks.len()).filter(|&at| blocks[at].starts_with(&[12, 34, 0, 0, 0])).collect();
    let [first, second] = levels[..] else { panic!("{levels:?}") };
    blocks[second][4] = 1;
    let damaged = file_of(&blocks, true);
    let source = open(&damaged, "dm2");
    let damage = source.verify().damage;
    assert!(damage.iter().any(|damage| damage.detail.contains("no engine knows the level's protocol")), "{damage:?}");
    assert_eq!(source.repair().unwrap().bytes, fixed.bytes);
    blocks[first][4] = 1;
    let damaged = file_of(&blocks, true);
    let source = open(&damaged, "dm2");
    assert!(!source.verify().is_whole() && source.repair().is_err());
}

/// What such a level says of who recorded it counts as little as its protocol.
#[test]
fn levels_of_no_known_protocol_in_a_servers_recording() {
    let sample = fragreel_testkit::samples("quake2").into_iter().find(|sample| sample.name.ends_with("srv_city.dm2")).unwrap();
    let bytes = sample.bytes();
    let mut blocks = [blocks_of(&bytes), blocks_of(&bytes)].concat();
    let twice = file_of(&blocks, false);
    let fixed = open(&twice, "dm2").repair().unwrap();
    let second = blocks.iter().rposition(|block| block.starts_with(&[12, 34, 0, 0, 0])).unwrap();
    // another protocol, and the kind of a level that is played
    (blocks[second][4], blocks[second][9]) = (1, 0);
    let damaged = file_of(&blocks, false);
    let repaired = open(&damaged, "dm2").repair().unwrap();
    assert!(open(&repaired.bytes, "dm2").verify().is_whole());
    assert_eq!(repaired.bytes, fixed.bytes);
}

/// A level of no known protocol behind one of the rerelease: its rate is that of the level before, as its rules are, and not what a
/// `serverdata` says that cannot be read.
#[test]
fn levels_of_no_known_protocol_keep_the_rate() {
    let level = |protocol: u32, rest: &[u8]| [&[12], &protocol.to_le_bytes()[..], &[1, 0, 0, 0, 1], rest].concat();
    let frame = |number: u32| [&[20], &number.to_le_bytes()[..], &[0xff; 4], &[0, 1, 0xff, 18, 0, 0]].concat();
    let known = [level(2022, b"\x14\0\0\0x\0"), frame(100)].concat();
    let broken = level(2022, b"\x02\0\0");
    let unknown = [level(15590, b"\0\0\0y\0"), frame(200)].concat();
    let bytes = file_of(&[known, broken, unknown], true);
    let source = open(&bytes, "dm2");
    let parts = source.split(Split::Gamestate).unwrap();
    assert_eq!(parts.len(), 2);
    for part in &parts {
        let rate = part.bytes[14];
        assert_eq!(rate, 20, "behind length, number, protocol, count of levels and kind");
        let comparison = source.compare(&open(&part.bytes, "dm2"));
        assert_eq!((comparison.frames, comparison.differing), (1, 0), "{:?}", comparison.differences);
    }
}
