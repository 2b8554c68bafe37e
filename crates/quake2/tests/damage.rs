//! What damage is, how it is named, and what repair makes of it.

use fragreel_model::{Clock, DamageKind, Milliseconds, Range, RoundTrip, Split, Target};
use fragreel_quake2::Recording;
use fragreel_testkit::Random;

use super::made::*;

fn sample(name: &str) -> Vec<u8> {
    fragreel_testkit::samples("quake2").into_iter().find(|sample| sample.name.ends_with(name)).unwrap().bytes()
}

/// Repairs, and checks that the result is whole, stays as it is under another repair, and has only frames of its source.
fn repaired(bytes: &[u8], extension: &str) -> Option<Vec<u8>> {
    let source = open(bytes, extension);
    let edited = source.repair().ok()?;
    let again = open(&edited.bytes, &edited.extension);
    let report = again.verify();
    assert!(report.is_whole(), "{:?} {:?}", report.damage, edited.actions);
    assert_eq!(again.repair().unwrap().bytes, edited.bytes, "{:?}", edited.actions);
    let comparison = source.compare(&again);
    assert_eq!(comparison.differing, 0, "{:?}", comparison.differences);
    if edited.bytes != bytes {
        let report = source.verify();
        assert!(!report.damage.is_empty() || !report.notes.is_empty(), "repair changes what verify does not mention: {:?}", edited.actions);
    }
    Some(edited.bytes)
}

#[test]
fn one_hole_is_one_finding_with_its_extent() {
    let bytes = sample("yq2dm_Alice.dm2");
    let blocks: Vec<_> = fragreel_quake2::container::dm2::Blocks::new(&bytes).collect();
    let (hole, last) = (blocks[blocks.len() / 2], blocks[blocks.len() - 1]);
    let mut broken = bytes.clone();
    let from = hole.data_offset as usize;
    broken[from..from + hole.data.len()].fill(0xee);
    let report = open(&broken, "dm2").verify();
    let kinds: Vec<_> = report.damage.iter().map(|damage| damage.kind).collect();
    assert_eq!(kinds, [DamageKind::Message, DamageKind::MissingBase], "{:?}", report.damage);
    let lost = &report.damage[1];
    let extent = lost.skipped.unwrap();
    assert!(extent.from > hole.offset && extent.to > extent.from && extent.to <= last.data_offset + last.data.len() as u64, "{lost:?}");
    assert!(lost.detail.contains("more frames up to block"), "{lost:?}");
    assert!(report.damage_omitted == 0 && report.round_trip == RoundTrip::Identical);
    // The same question to events.
    let damage = open(&broken, "dm2").events(fragreel_model::Kinds::ALL).into_damage();
    assert_eq!(damage, report.damage);
}

#[test]
fn entities_beyond_what_engines_hold_are_damage_and_go() {
    let blocks = [frame(1, -1, &[(3, 8), (2000, 9)]), frame(2, 1, &[(3, 9), (2000, 10)]), frame(3, 2, &[(4, 1)])];
    let bytes = client(&blocks);
    let report = open(&bytes, "dm2").verify();
    assert!(report.damage.iter().any(|damage| damage.kind == DamageKind::Message && damage.detail.contains("out of range")), "{:?}", report.damage);
    let edited = repaired(&bytes, "dm2").unwrap();
    let played = super::engine::play(&edited, true).unwrap();
    assert_eq!(played.iter().map(|frame| frame.entities.len()).collect::<Vec<_>>(), [1, 1, 2]);
    // In cuts and in what the recording is split into, too.
    let range = Range { clock: Clock::Demo, from: Milliseconds(100), to: Milliseconds(200) };
    assert!(super::engine::play(&open(&bytes, "dm2").cut(range).unwrap().bytes, true).is_ok());
    let others: [Vec<u8>; 6] = [
        vec![1, 0, 4, 0],                  // a muzzle flash of entity 1024
        vec![2, 0, 0, 0],                  // one of none
        vec![3, 0, 0, 0, 0, 0, 0, 0, 200], // a direction
        vec![9, 8, 1, 0xf8, 0x7f],         // a sound of entity 4095
        vec![13, 0x20, 0x08, b'x', 0],     // configstring 2080
        vec![14, 0x80, 0x01, 0xd0, 0x07],  // a baseline of entity 2000
    ];
    for message in others {
        let bytes = client(&[frame(1, -1, &[(3, 8)]), block(&[message.clone(), print("kept\n")]), frame(2, 1, &[])]);
        let report = open(&bytes, "dm2").verify();
        assert!(report.damage.iter().any(|damage| damage.detail.contains("out of range")), "{message:?}: {:?}", report.damage);
        let edited = repaired(&bytes, "dm2").unwrap();
        super::engine::play(&edited, true).unwrap_or_else(|error| panic!("{message:?}: {error}"));
        assert!(edited.windows(4).any(|window| window == b"kept"));
    }
}

/// Engines take the next entity away where one is removed that is not there.
#[test]
fn removals_of_what_is_not_there_are_damage_and_go() {
    let removal = block(&[header(2, 1), player(2), vec![18, 0x40, 5, 0, 0]]);
    let bytes = client(&[frame(1, -1, &[(3, 8), (7, 9)]), removal, frame(3, 2, &[])]);
    let report = open(&bytes, "dm2").verify();
    assert!(report.damage.iter().any(|damage| damage.detail.contains("does not exist")), "{:?}", report.damage);
    let played = super::engine::play(&repaired(&bytes, "dm2").unwrap(), true).unwrap();
    assert_eq!(played.iter().map(|frame| frame.entities.len()).collect::<Vec<_>>(), [2, 2, 2]);
}

/// Without such a removal, the rest of a list that is out of order would be merged in another way (torture, KMQuake2).
#[test]
fn what_is_taken_out_of_a_list_out_of_order_leaves_the_rest_as_it_was_merged() {
    let mut list = vec![18, 0x40, 9];
    list.extend(&entities(&[(3, 5)])[1..]);
    let bytes = client(&[frame(1, -1, &[(3, 8), (7, 9)]), block(&[header(2, 1), player(2), list]), frame(3, 2, &[(7, 1)])]);
    let played = super::engine::play(&repaired(&bytes, "dm2").unwrap(), true).unwrap();
    assert_eq!(played.iter().map(|frame| frame.entities.len()).collect::<Vec<_>>(), [2, 3, 3]);
    // And so does what was taken out of the list that a frame is a delta against.
    let bytes = client(&[frame(1, -1, &[(3, 8)]), frame(2, 1, &[(2000, 1), (64, 5)]), frame(3, 2, &[(64, 6)])]);
    let played = super::engine::play(&repaired(&bytes, "dm2").unwrap(), true).unwrap();
    assert_eq!(played.iter().map(|frame| frame.entities.len()).collect::<Vec<_>>(), [1, 2, 3]);
}

#[test]
fn frames_that_engines_stop_in_are_damage_and_go() {
    let (said, after) = (print("kept\n"), frame(4, 1, &[]));
    let cases: [(&str, Vec<u8>, usize); 6] = [
        ("a header alone", block(&[header(3, 1), said.clone()]), 2),
        ("two headers", block(&[header(2, 1), header(3, 1), player(3), entities(&[(3, 5)]), said.clone()]), 3),
        ("a line inside", block(&[header(3, 1), said.clone(), player(3), entities(&[(3, 5)])]), 3),
        ("no player", block(&[header(3, 1), entities(&[(3, 5)]), said.clone()]), 2),
        ("two players", block(&[header(3, 1), player(1), player(2), entities(&[(3, 5)]), said.clone()]), 3),
        ("no header", block(&[said.clone(), player(3), entities(&[])]), 2),
    ];
    for (what, middle, frames) in cases {
        let bytes = client(&[frame(1, -1, &[(3, 4)]), middle, after.clone()]);
        let edited = repaired(&bytes, "dm2").unwrap_or_else(|| panic!("{what}"));
        let played = super::engine::play(&edited, true).unwrap_or_else(|error| panic!("{what}: {error}"));
        assert_eq!(played.len(), frames, "{what}");
        assert!(edited.windows(4).any(|window| window == b"kept"), "{what}: lines stay");
        assert!(!open(&bytes, "dm2").verify().is_whole(), "{what}");
    }
}

/// Lists of entities out of order, or with an entity twice, play in all engines, which merge them as they come.
#[test]
fn spoilt_lists_are_edited_as_engines_merge_them() {
    let lists: [&[(u16, i16)]; 5] = [&[(7, 1), (5, 2)], &[(5, 1), (5, 2)], &[(9, 1), (7, 2), (8, 3)], &[(5, 4), (3, 1), (5, 9), (3, 2)], &[(5, 1), (7, 2)]];
    let mut random = Random::new(0x0157);
    for round in 0..40 {
        let mut blocks = vec![frame(1, -1, lists[random.below(5)])];
        for number in 2..12 {
            let list = if random.below(3) == 0 { lists[random.below(5)] } else { &[(5, number as i16)][..] };
            blocks.push(frame(number, if random.below(4) == 0 { -1 } else { number - 1 }, list));
        }
        let bytes = client(&blocks);
        let source = open(&bytes, "dm2");
        let seen = super::engine::play(&bytes, true).unwrap();
        let same = |edited: &fragreel_model::Edited, what: &str| {
            let again = open(&edited.bytes, "dm2");
            assert!(again.verify().is_whole(), "{round} {what}");
            let comparison = source.compare(&again);
            assert_eq!(comparison.differing, 0, "{round} {what}: {:?}", comparison.differences);
            for frame in super::engine::play(&edited.bytes, true).unwrap() {
                let there = seen.iter().find(|other| other.number == frame.number).unwrap();
                assert_eq!(there.entities, frame.entities, "{round} {what}, frame {}", frame.number);
            }
        };
        for from in [300, 600] {
            let range = Range { clock: Clock::Demo, from: Milliseconds(from), to: Milliseconds(1000) };
            same(&source.cut(range).unwrap(), "cut");
        }
        same(&source.repair().unwrap(), "repair");
        let mut at = 0;
        let dropped = source.map_messages(&mut |_, message| {
            at += u32::from(matches!(message.body, fragreel_quake2::message::Body::Frame(_)));
            if at % 4 == 3 && matches!(message.body, fragreel_quake2::message::Body::Frame(_)) {
                fragreel_model::Fate::Drop
            } else {
                fragreel_model::Fate::Keep
            }
        });
        same(&dropped.unwrap(), "dropped");
    }
}

/// One context: what a message that cannot be read announced counts neither for the reader nor for the writer.
#[test]
fn broken_server_data_is_read_as_it_is_written() {
    let bytes = sample("mvd_base_ext2013.mvd2");
    let first = usize::from(u16::from_le_bytes([bytes[4], bytes[5]]));
    let mut random = Random::new(0x25);
    let (mut unread, mut fixed) = (0, 0);
    for round in 0..60 {
        let mut broken = bytes.clone();
        let at = 6 + random.below(first);
        broken[at] = random.number() as u8;
        if round % 2 == 0 {
            // an entity's mask in the first frame, so that the message does not fit its record
            broken[4 + first - random.below(40)] ^= 0x80;
        }
        let recording = open(&broken, "mvd2");
        let report = recording.verify();
        assert_eq!(report.round_trip, RoundTrip::Identical, "{round}: {:?}", report.first_difference);
        unread += u32::from(report.opaque > 0);
        fixed += u32::from(repaired(&broken, "mvd2").is_some());
    }
    assert!(unread > 3 && fixed > 10, "{unread} {fixed}");
    for name in ["min-roundtrip.mvd2", "min-repair-not-whole.mvd2", "explain-overlap.mvd2"] {
        let Some(bytes) = case(name) else { continue };
        assert_eq!(open(&bytes, "mvd2").verify().round_trip, RoundTrip::Identical, "{name}");
        repaired(&bytes, "mvd2");
    }
}

/// What is changed in a message is written by the rules that its level states, whatever was copied before.
#[test]
fn numbers_out_of_range_are_taken_out_of_a_servers_frames() {
    use fragreel_quake2::container::mvd2::{MAGIC, Records, write_record};
    use fragreel_quake2::fields::entity::U_NUMBER16;
    use fragreel_quake2::message::{Context, MvdBody, MvdReader};
    let bytes = sample("mvd_base_ext2013.mvd2");
    let dialect = open(&bytes, "mvd2").input().dialect;
    let (mut reader, mut context) = (MvdReader::new(dialect), Context::new(dialect));
    let (mut broken, mut frames) = (MAGIC.to_vec(), 0);
    for record in Records::new(&bytes) {
        let mut w = fragreel_base::wire::WriteBytes::default();
        let read = reader.record(record.data, |message, _, _| {
            if let MvdBody::Frame(frame) = &mut message.body {
                frames += 1;
                if let Some(mut beyond) = frame.entities.deltas.last().filter(|_| frames % 10 == 0).cloned() {
                    beyond.number = 9000;
                    beyond.mask = fragreel_base::delta::masked::extended(beyond.mask | U_NUMBER16, dialect.more);
                    frame.entities.deltas.push(beyond);
                }
            }
            let Ok(()) = message.write(&mut w, &mut context);
            true
        });
        read.unwrap();
        write_record(&mut broken, &w.finish());
    }
    broken.extend_from_slice(&[0, 0]);
    let report = open(&broken, "mvd2").verify();
    assert!(report.damage.len() > 3 && report.damage.iter().all(|damage| damage.detail.contains("out of range")), "{:?}", report.damage.first());
    repaired(&broken, "mvd2").unwrap();
}

/// One damaged number changes no other time, and is not taken over by repair.
#[test]
fn a_time_that_its_neighbors_contradict_is_damage() {
    let bytes = sample("yq2dm_Alice.dm2");
    let blocks: Vec<_> = fragreel_quake2::container::dm2::Blocks::new(&bytes).collect();
    let frames: Vec<usize> = (0..blocks.len()).filter(|&at| blocks[at].data.first() == Some(&20)).collect();
    let whole = open(&bytes, "dm2").info();
    for (at, number) in [(frames.len() / 2, 0x0712_3456u32), (frames.len() / 2, 3), (frames.len() - 1, 0x4000_0000), (5, u32::MAX - 5)] {
        let mut broken = bytes.clone();
        let offset = blocks[frames[at]].data_offset as usize + 1;
        broken[offset..offset + 4].copy_from_slice(&number.to_le_bytes());
        let source = open(&broken, "dm2");
        let info = source.info();
        assert!((info.duration.unwrap().0 - whole.duration.unwrap().0).abs() <= 100, "{number}: {:?}", info.duration);
        assert_eq!(info.snapshots + 1, whole.snapshots, "{number}");
        let report = source.verify();
        assert_eq!(report.round_trip, RoundTrip::Identical);
        assert!(report.damage.iter().any(|damage| damage.detail.contains("contradict its number")), "{number}: {:?}", report.damage);
        let edited = repaired(&broken, "dm2").unwrap();
        let again = open(&edited, "dm2").info();
        assert!(again.snapshots + 2 >= whole.snapshots && again.duration == info.duration, "{number}: {} frames", again.snapshots);
        let mut events = 0;
        source.events(fragreel_model::Kinds::ALL).for_each(|event| {
            events += 1;
            assert!(event.time.0 <= whole.duration.unwrap().0, "{event:?}");
        });
        assert!(events > 0);
    }
    // Frames that were lost, and a level that begins, are none.
    let gap = client(&[frame(1, -1, &[(3, 1)]), frame(2, 1, &[]), frame(9000, -1, &[(3, 1)]), frame(9001, 9000, &[])]);
    let level = client(&[frame(50, -1, &[(3, 1)]), frame(51, 50, &[]), block(&[server_data(2)]), frame(1, -1, &[]), frame(2, 1, &[])]);
    for bytes in [gap, level] {
        let report = open(&bytes, "dm2").verify();
        assert!(report.is_whole(), "{:?}", report.damage);
    }
}

#[test]
fn a_second_recording_in_a_file_is_named_and_split_off() {
    for (name, extension) in [("yq2dm_Alice.dm2", "dm2"), ("q2p_mvd_multi.mvd2", "mvd2")] {
        let bytes = sample(name);
        let one = open(&bytes, extension);
        let (frames, levels) = (one.info().snapshots, one.split(Split::Gamestate).unwrap().len());
        let twice = [&bytes[..], &bytes[..]].concat();
        let both = open(&twice, extension);
        let report = both.verify();
        assert!(report.damage.iter().any(|damage| damage.detail == "a second recording begins here"), "{name}: {:?}", report.damage);
        assert_eq!((report.damage.len(), both.info().snapshots), (1, 2 * frames), "{name}: {:?}", report.damage);
        let parts = both.split(Split::Gamestate).unwrap();
        assert_eq!(parts.len(), 2 * levels, "{name}");
        for part in &parts {
            let part = open(&part.bytes, &part.extension);
            assert!(part.verify().is_whole(), "{name}: {:?}", part.verify().damage);
        }
    }
}

#[test]
fn zeros_to_the_end_are_an_unfinished_download() {
    for (name, extension) in [("yq2dm_Alice.dm2", "dm2"), ("mvd_base_ext2013.mvd2", "mvd2")] {
        let mut bytes = sample(name);
        let half = bytes.len() / 2;
        bytes[half..].fill(0);
        let report = open(&bytes, extension).verify();
        assert!(report.damage.iter().any(|damage| damage.detail.contains("zero from here to the end")), "{name}: {:?}", report.damage);
        assert!(report.damage.len() <= 2 && report.round_trip == RoundTrip::Identical, "{name}: {:?}", report.damage);
        repaired(&bytes, extension).unwrap();
    }
    let mut bytes = sample("yq2dm_Alice.dm2");
    bytes[40_000..44_096].fill(0);
    let report = open(&bytes, "dm2").verify();
    assert!(report.damage.iter().any(|damage| damage.detail.contains("run of zeros")), "{:?}", report.damage);
}

/// A file that a review found, where it is there.
fn case(name: &str) -> Option<Vec<u8>> {
    let corpus = std::env::var_os("FRAGREEL_CORPUS").map_or_else(|| fragreel_testkit::checkout().join("../shared/corpus"), std::path::PathBuf::from);
    let read = std::fs::read(corpus.parent()?.join("review/cases").join(name)).ok();
    if read.is_none() {
        fragreel_testkit::skipped(&format!("quake2: the case {name}, which is not there"));
    }
    read
}

#[test]
fn what_the_review_found_is_repaired_once() {
    for name in ["hole512-mvd2-zero.mvd2", "hole512-q2-rand.dm2", "duration-q2.dm2"] {
        let Some(bytes) = case(name) else { continue };
        let extension = name.rsplit_once('.').unwrap().1;
        let edited = repaired(&bytes, extension).unwrap();
        let (before, after) = (open(&bytes, extension).info(), open(&edited, extension).info());
        assert!(after.snapshots + 2 >= before.snapshots, "{name}: {} of {}", after.snapshots, before.snapshots);
        assert!(after.duration.unwrap().0 < 3_600_000 && before.duration == after.duration, "{name}: {:?}, {:?}", before.duration, after.duration);
        println!("{name}: {} and {} frames, {:?}", before.snapshots, after.snapshots, after.duration);
    }
    for name in ["repair-twice.dm2", "join-overflow.rla"] {
        let Some(bytes) = case(name) else { continue };
        repaired(&bytes, &name[name.len() - 3..]);
        let source = open(&bytes, &name[name.len() - 3..]);
        let Ok(parts) = source.split(Split::Size(20_000)) else { continue };
        let opened: Vec<Recording> = parts.iter().map(|part| open(&part.bytes, &part.extension)).collect();
        let _ = Recording::join(&opened.iter().collect::<Vec<_>>());
    }
}

#[test]
fn frame_numbers_at_their_limits_are_joined() {
    let part = |numbers: [i32; 2]| client(&[frame(numbers[0], -1, &[(3, 1)]), frame(numbers[1], numbers[0], &[])]);
    let files = [part([i32::MIN, i32::MIN + 1]), part([-5, -4]), part([1, 2]), part([i32::MAX - 1, i32::MAX])];
    let mut together = 0;
    for (a, b) in files.iter().flat_map(|a| files.iter().map(move |b| (a, b))) {
        let (first, second) = (open(a, "dm2"), open(b, "dm2"));
        if let Ok(joined) = Recording::join(&[&first, &second]) {
            assert!(open(&joined.bytes, "dm2").verify().is_whole(), "{:?}", joined.actions);
            together += 1;
        }
    }
    assert!(together >= 6, "{together}");
}

/// Pairs are found by one look-up each: a comparison of what shares no frame takes about as long as one of the same.
#[test]
fn a_comparison_of_what_differs_everywhere_is_as_fast() {
    let frames = 12_000;
    let record = |x: u8, out: &mut Vec<u8>| {
        // a frame: no portals, no player, entity 1 at x, the end
        let data = [6, 0, 255, 0x01, 1, x, 0, 0, 0];
        out.extend((data.len() as u16).to_le_bytes());
        out.extend(data);
    };
    let file = |shift: u8| {
        let mut out = b"MVD2".to_vec();
        let mut data = vec![4, 37, 0, 0, 0, 0xda, 7, 1, 0, 0, 0, 0, 0xff, 0xff];
        data.extend([33, 0]);
        data.extend(b"maps/q2dm1.bsp\0");
        data.extend([0x20, 0x08, 0, 255, 0, 0]);
        out.extend((data.len() as u16).to_le_bytes());
        out.extend(data);
        (0..frames).for_each(|number: u32| record((number % 100) as u8 + shift, &mut out));
        out.extend([0, 0]);
        out
    };
    let (a, b) = (file(0), file(100));
    let time = |other: &[u8]| {
        let start = std::time::Instant::now();
        let comparison = open(&a, "mvd2").compare(&open(other, "mvd2"));
        (start.elapsed(), comparison.frames, comparison.differing)
    };
    let (clean, compared, differing) = time(&a);
    assert_eq!((compared, differing), (u64::from(frames) + 1, 0));
    let (slow, _, differing) = time(&b);
    assert!(differing > u64::from(frames) / 2);
    assert!(slow < clean * 4 + std::time::Duration::from_millis(500), "{slow:?} for {clean:?}");
}

#[test]
fn spectators_are_no_points_of_view() {
    let mut data = vec![4, 37, 0, 0, 0, 0xda, 7, 1, 0, 0, 0, 0, 0xff, 0xff];
    for (index, text) in [(33u16, "maps/q2dm1.bsp"), (1312, "Alice\\male/grunt"), (1313, "Watcher\\male/grunt")] {
        data.extend(index.to_le_bytes());
        data.extend(text.as_bytes());
        data.push(0);
    }
    // the end of the strings, no portals, player 0 with an origin, the entities' end
    data.extend([0x20, 0x08, 0, 0, 2, 0, 1, 0, 1, 0, 255, 0, 0]);
    let mut bytes = b"MVD2".to_vec();
    bytes.extend((data.len() as u16).to_le_bytes());
    bytes.extend(data);
    bytes.extend([0, 0]);
    let recording = open(&bytes, "mvd2");
    let convert = |pov: Option<&str>| recording.convert(&Target { format: None, pov: pov.map(str::to_owned) });
    assert!(convert(None).is_ok(), "there is only one to see it through the eyes of");
    let teams: Vec<_> = recording.info().players.iter().map(|player| (player.name.clean.clone(), player.team.clone())).collect();
    assert_eq!(teams, [(String::from("Alice"), None), (String::from("Watcher"), Some(String::from("spectator")))]);
    let error = convert(Some("Watcher")).unwrap_err().to_string();
    assert!(error.contains("spectator") && error.contains("Alice"), "{error}");
    assert!(convert(Some("alice")).is_ok() && convert(Some("0")).is_ok());
}

#[test]
fn somebody_who_comes_again_is_one_player() {
    let players = |blocks: &[Vec<u8>]| {
        let bytes = client(blocks);
        open(&bytes, "dm2").info().players.iter().map(|player| (player.slot, player.name.clean.clone())).collect::<Vec<_>>()
    };
    let named = |list: &[(u16, &str)]| list.iter().map(|(slot, name)| (*slot, (*name).to_owned())).collect::<Vec<_>>();
    let first = || frame(1, -1, &[]);
    assert_eq!(players(&[first(), block(&[skin(1, "naper")]), block(&[skin(1, "")]), block(&[skin(2, "naper")])]), named(&[(0, "Alice"), (2, "naper")]));
    // Two of one name at one time are two, and who takes a slot over is another.
    assert_eq!(players(&[first(), block(&[skin(1, "naper")]), block(&[skin(2, "naper")])]), named(&[(0, "Alice"), (1, "naper"), (2, "naper")]));
    assert_eq!(players(&[first(), block(&[skin(1, "a")]), block(&[skin(1, "")]), block(&[skin(1, "b")])]), named(&[(0, "Alice"), (1, "a"), (1, "b")]));
    // A new name is no new player, nor is the next level.
    assert_eq!(players(&[first(), block(&[skin(0, "Rob")])]), named(&[(0, "Rob")]));
    assert_eq!(players(&[first(), block(&[server_data(2), skin(3, "Alice")])]), named(&[(3, "Alice")]));
}

#[test]
fn what_repair_changes_in_a_whole_recording_is_among_the_remarks() {
    let all: Vec<_> = fragreel_testkit::samples("quake2").into_iter().chain(fragreel_testkit::corpus("quake2")).collect();
    fragreel_testkit::two_at_a_time(&all, |sample, bytes| {
        let Ok(recording) = Recording::open(bytes, Some(&sample.extension()), fragreel_base::wire::Limits::default()) else { return };
        let report = recording.verify();
        let Ok(repaired) = recording.repair() else { return };
        let mentioned = report.notes.iter().any(|note| note.detail.contains("`repair`"));
        assert!(!report.is_whole() || mentioned || repaired.bytes == bytes, "{}: {:?}", sample.name, repaired.actions);
        let again = Recording::open(&repaired.bytes, Some(&repaired.extension), fragreel_base::wire::Limits::default()).unwrap().repair().unwrap();
        assert!(again.bytes == repaired.bytes, "{}: {:?}", sample.name, again.actions);
    });
}
