//! Splitting, joining, repairing.

use fragreel_base::wire::Limits;
use fragreel_model::{Action, Clock, DamageKind, Edited, Milliseconds, Range, Split};
use fragreel_quake1::Recording;
use fragreel_quake1::unstable::container::{Container, write_block};
use fragreel_testkit::Random;

use super::{agrees, editable, opened};

/// Longer ones take long.
const SHORT: usize = 60_000;

/// Parts of limited size say what their source says, and joined they are as long as it.
#[test]
fn parts_can_be_joined_again() {
    let mut wrong = Vec::new();
    for sample in editable(SHORT) {
        let bytes = sample.bytes();
        let source = Recording::open(&bytes, Some(&sample.extension()), Limits::default()).unwrap();
        if source.info().snapshots < 100 {
            continue;
        }
        let result = std::panic::catch_unwind(|| {
            let most = (bytes.len() as u64 / 3).max(14_000);
            let parts = source.split(Split::Size(most)).unwrap_or_else(|error| panic!("{}: {error}", sample.name));
            let parts: Vec<Recording<'_>> = parts
                .iter()
                .map(|part| {
                    assert!(part.bytes.len() as u64 <= most, "{}: {} bytes", sample.name, part.bytes.len());
                    opened(part, &sample.name)
                })
                .collect();
            let frames: u64 = parts.iter().map(|part| agrees(&source, part, &sample.name)).sum();
            let joined = Recording::join(&parts.iter().collect::<Vec<_>>()).unwrap_or_else(|error| panic!("{}: {error}", sample.name));
            let joined = opened(&joined, &sample.name);
            assert_eq!(agrees(&source, &joined, &sample.name), frames, "{}", sample.name);
            assert_eq!(source.info().maps, joined.info().maps, "{}", sample.name);
        });
        if let Err(error) = result {
            wrong.push(format!("{:.700}", error.downcast_ref::<String>().cloned().unwrap_or_default()));
        }
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

/// A part that begins where a block's time is next to nothing, or below, can be opened.
#[test]
fn parts_begin_with_a_time() {
    let sample = fragreel_testkit::samples("quake1").into_iter().find(|sample| sample.name == "quake1/quakeworld_deltas_e1m1.qwd").unwrap();
    let clean = sample.bytes();
    let blocks = fragreel_quake1::unstable::container::Blocks::new(&clean, Container::QuakeWorld, &Limits::default()).unwrap();
    let middle: Vec<usize> = blocks.map(|block| block.unwrap().offset as usize).skip(200).take(2).collect();
    for time in [4.3e-38f32, -3.0] {
        let mut bytes = clean.clone();
        for &at in &middle {
            bytes[at..at + 4].copy_from_slice(&time.to_le_bytes());
        }
        let source = Recording::open(&bytes, Some("qwd"), Limits::default()).unwrap();
        let length = source.info().duration.unwrap().0;
        for part in 0..60 {
            let range = Range { clock: Clock::Demo, from: Milliseconds(length * part / 60), to: Milliseconds(i64::MAX) };
            // the times of the two blocks are damaged in the part, too
            let part = source.cut(range).unwrap();
            let part = Recording::open(&part.bytes, Some("qwd"), Limits::default()).unwrap();
            assert!(part.info().snapshots > 0, "{time} from {}", range.from);
        }
    }
}

/// Parts that were cut at one frame have it once when they are joined, and nothing else is lost or sent twice.
#[test]
fn parts_that_were_cut_at_a_frame_tell_it_once() {
    let mut same = 0;
    for sample in editable(SHORT) {
        let bytes = sample.bytes();
        let source = Recording::open(&bytes, Some(&sample.extension()), Limits::default()).unwrap();
        let Some(length) = source.info().duration.filter(|length| length.0 > 2000) else { continue };
        let at = Milliseconds(length.0 / 2);
        let part = |from, to| source.cut(Range { clock: Clock::Demo, from, to }).unwrap_or_else(|error| panic!("{}: {error}", sample.name));
        let parts = [part(Milliseconds(-1), at), part(at, Milliseconds(i64::MAX))];
        let parts = parts.each_ref().map(|part| opened(part, &sample.name));
        let edited = Recording::join(&[&parts[0], &parts[1]]).unwrap();
        let joined = opened(&edited, &sample.name);
        assert_eq!(joined.info().snapshots, source.info().snapshots, "{}: {:?}", sample.name, edited.actions);
        assert_eq!(agrees(&source, &joined, &sample.name), agrees(&source, &source, &sample.name), "{}", sample.name);
        let events = |recording: &Recording<'_>| {
            let mut count = 0;
            recording.events(fragreel_model::Kinds::ALL).for_each(|_| count += 1);
            count
        };
        assert_eq!(events(&joined), events(&source), "{}", sample.name);
        same += u32::from(edited.bytes == bytes);
    }
    let least = if super::super::corpus::recordings().is_empty() { 2 } else { 6 };
    assert!(same >= least, "{same} came out as they were");
}

#[test]
fn levels_become_parts() {
    for sample in editable(SHORT) {
        let bytes = sample.bytes();
        let source = Recording::open(&bytes, Some(&sample.extension()), Limits::default()).unwrap();
        if source.info().snapshots == 0 {
            continue;
        }
        for by in [Split::Level, Split::Gamestate] {
            let parts = source.split(by).unwrap_or_else(|error| panic!("{}: {error}", sample.name));
            assert_eq!(parts.len(), source.info().maps.len().max(1), "{} by {by:?}", sample.name);
            for part in &parts {
                agrees(&source, &opened(part, &sample.name), &sample.name);
            }
            if let [only] = &parts[..] {
                assert!(only.bytes == bytes || !only.actions.is_empty(), "{}", sample.name);
            }
        }
    }
}

/// Two levels in one recording come apart again.
#[test]
fn two_levels_come_apart() {
    for names in [["netquake15_deltas_dm3.dem", "netquake666_deltas_dm6.dem"], ["quakeworld_deltas_e1m1.qwd", "quakeworld_plain_dm3.qwd"]] {
        let bytes = names.map(|name| fragreel_testkit::samples("quake1").iter().find(|sample| sample.name.ends_with(name)).unwrap().bytes());
        let sources = [0, 1].map(|at| Recording::open(&bytes[at], None, Limits::default()).unwrap());
        let joined = Recording::join(&[&sources[0], &sources[1]]).unwrap();
        let joined = opened(&joined, names[0]);
        let parts = joined.split(Split::Level).unwrap();
        assert_eq!(parts.len(), 2, "{names:?}");
        for (part, source) in parts.iter().zip(&sources) {
            let part = opened(part, names[0]);
            assert_eq!(part.info().maps, source.info().maps);
            assert_eq!(part.info().snapshots, source.info().snapshots);
        }
    }
}

/// A level that is loaded again right away is one map, one part by level, and two gamestates.
#[test]
fn a_level_loaded_again_is_listed_once() {
    for name in ["quakeworld_plain_dm3.qwd", "netquake15_deltas_dm3.dem", "match_e1m1.mvd"] {
        let bytes = fragreel_testkit::samples("quake1").iter().find(|sample| sample.name.ends_with(name)).unwrap().bytes();
        let source = Recording::open(&bytes, None, Limits::default()).unwrap();
        let twice = Recording::join(&[&source, &source]).unwrap();
        let twice = opened(&twice, name);
        assert_eq!(twice.info().maps, source.info().maps, "{name}");
        assert_eq!(twice.split(Split::Level).unwrap().len(), 1, "{name}");
        let parts = twice.split(Split::Gamestate).unwrap();
        assert_eq!(parts.len(), 2, "{name}");
        for part in &parts {
            assert_eq!(opened(part, name).info().snapshots, source.info().snapshots, "{name}");
        }
    }
}

#[test]
fn matches_are_found() {
    for sample in super::super::corpus::recordings().iter().filter(|sample| sample.name.contains("2on2_bga") || sample.name.contains("ffa_5")) {
        let bytes = sample.bytes();
        let source = Recording::open(&bytes, Some(&sample.extension()), Limits::default()).unwrap();
        let parts = source.split(Split::Match).unwrap();
        assert_eq!(parts.len(), 1, "{}", sample.name);
        let minute = source.cut(Range { clock: Clock::Match, from: Milliseconds(10_000), to: Milliseconds(20_000) }).unwrap();
        let part = opened(&minute, &sample.name);
        assert!(agrees(&source, &part, &sample.name) > 100);
        let length = part.info().duration.unwrap().0;
        assert!((9_000..=10_100).contains(&length), "{}: {length} ms", sample.name);
        // a range that goes on behind the match ends with it; one that begins there is refused
        let long = source.cut(Range { clock: Clock::Match, from: Milliseconds(0), to: Milliseconds(100_000_000) }).map(|cut| cut.bytes);
        assert!(long.is_ok_and(|bytes| bytes.len() > minute.bytes.len() * 2), "{}", sample.name);
        let late = Range { clock: Clock::Match, from: Milliseconds(90_000_000), to: Milliseconds(100_000_000) };
        assert_eq!(source.cut(late).map(|_| ()).unwrap_err().kind(), fragreel_base::wire::ErrorKind::Misuse, "{}", sample.name);
    }
}

/// Whole recordings are left alone, but for blocks at which engines stop and missing ends.
#[test]
fn whole_recordings_need_no_repair() {
    for sample in fragreel_testkit::samples("quake1").into_iter().chain(super::super::corpus::recordings()) {
        let bytes = sample.bytes();
        if bytes.len() > 600_000 {
            continue;
        }
        let source = Recording::open(&bytes, Some(&sample.extension()), Limits::default()).unwrap();
        let repaired = source.repair().unwrap();
        let known = |action: &Action| matches!(action, Action::EmptyBlocksLeftOut { .. } | Action::EndMarkAdded);
        assert!(repaired.actions.iter().all(known), "{}: {:?}", sample.name, repaired.actions);
        assert_eq!(repaired.bytes == bytes, repaired.actions.is_empty(), "{}", sample.name);
        let again = opened(&repaired, &sample.name);
        assert_eq!(again.repair().unwrap(), Edited { extension: repaired.extension.clone(), bytes: repaired.bytes.clone(), ..Edited::default() });
    }
}

/// A file with a hole, or that was cut off, becomes one that is whole and goes on after the hole.
#[test]
fn damaged_recordings_are_repaired() {
    let mut random = Random::new(77);
    for sample in editable(300_000) {
        let bytes = sample.bytes();
        let original = Recording::open(&bytes, Some(&sample.extension()), Limits::default()).unwrap();
        for turn in 0..3 {
            let mut damaged = bytes.clone();
            let from = bytes.len() / 2 + random.below(bytes.len() / 4);
            match turn {
                0 => damaged.truncate(from),
                1 => drop(damaged.drain(from..from + 1 + random.below(40))),
                _ => damaged[from..from + 12].fill(0xee),
            }
            let source = Recording::open(&damaged, Some(&sample.extension()), Limits::default()).unwrap();
            let what = format!("{} damaged in way {turn} at {from}", sample.name);
            let repaired = source.repair().unwrap();
            let whole = opened(&repaired, &what);
            // no frame refers to one that was left out
            let missing = |recording: &Recording<'_>| recording.verify().notes.iter().filter(|note| note.kind == DamageKind::MissingBase).count();
            assert!(missing(&whole) <= missing(&original), "{what}");
            // a lost packet leaves deltas without a base in a whole recording, too: clients skip those
            let report = source.verify();
            let is_sound = report.damage.is_empty() && report.notes.iter().all(|note| note.kind == DamageKind::MissingBase);
            assert_eq!(is_sound, repaired.actions.is_empty(), "{what}: {:?}", repaired.actions);
            // near its end a file may just have been cut off: nothing there is guessed at
            if turn == 0 || bytes.len() - from < 70_000 {
                assert!(whole.info().snapshots >= source.info().snapshots, "{what}");
                continue;
            }
            let before = original.info().snapshots;
            assert!(whole.info().snapshots * 4 >= before, "{what}: {} of {before} frames", whole.info().snapshots);
        }
    }
}

/// A block longer than engines read is divided at a message.
#[test]
fn long_blocks_are_divided() {
    let bytes = fragreel_testkit::samples("quake1").iter().find(|sample| sample.name.ends_with("rerelease_e1m1.dem")).unwrap().bytes();
    let source = Recording::open(&bytes, None, Limits::default()).unwrap();
    let mut long = source.header().to_vec();
    for (at, block) in source.blocks().map(Result::unwrap).enumerate() {
        let mut data = block.data.to_vec();
        if at == 1 {
            // svc_stufftext, again and again
            (0..10_000).for_each(|_| data.extend(*b"\x09bf nothing\n\0"));
        }
        write_block(&mut long, Container::NetQuake, &block.framing, &data);
    }
    let source = Recording::open(&long, None, Limits::default()).unwrap();
    let repaired = source.repair().unwrap();
    assert!(repaired.actions.iter().any(|action| action.to_string().starts_with("split block 1")), "{:?}", repaired.actions);
    let whole = opened(&repaired, "a long block");
    assert!(whole.blocks().all(|block| block.unwrap().data.len() <= 65_536));
    assert_eq!(whole.info().snapshots, source.info().snapshots);
}

/// While the clock stands, a part is found among frames of one moment by what they show.
#[test]
fn parts_of_one_moment_are_found() {
    use fragreel_quake1::unstable::message::Message;
    let sample = fragreel_testkit::samples("quake1").into_iter().find(|sample| sample.name.ends_with("rerelease_e1m1.dem")).unwrap();
    let bytes = sample.bytes();
    let source = Recording::open(&bytes, None, Limits::default()).unwrap();
    let frames = source.verify().snapshots;
    let mut seen = 0;
    let edited = source.map_messages(&mut |_, message| {
        match message {
            Message::NqTime(time) => time.time = fragreel_quake1::unstable::message::Float::from(1.5),
            Message::ClientData(data) => {
                seen += 1;
                data.row[fragreel_quake1::unstable::fields::netquake::client_slot::ITEMS] += u32::from(seen == frames / 2) << 16;
            }
            _ => {}
        }
        fragreel_model::Fate::Keep
    });
    let agree = |bytes: &[u8], least: usize| {
        let source = Recording::open(bytes, None, Limits::default()).unwrap();
        assert!(source.verify().is_whole());
        let parts = source.split(Split::Size(bytes.len() as u64 / 4)).unwrap();
        assert!(parts.len() > least, "{}", parts.len());
        for part in &parts {
            agrees(&source, &opened(part, "a part"), "a part");
        }
    };
    agree(&edited.bytes, 2);
    // thousands of frames: not every place is tried
    let whole = Recording::open(&edited.bytes, None, Limits::default()).unwrap();
    let blocks: Vec<_> = whole.blocks().map(Result::unwrap).collect();
    let (first, last) = (blocks[blocks.len() / 4].offset as usize, blocks[blocks.len() / 4 * 3].offset as usize);
    let many = [&edited.bytes[..last], &edited.bytes[first..last].repeat(12), &edited.bytes[last..]].concat();
    agree(&many, 3);
}

/// Parts of a recording whose start is lost: nothing says that a level begins with the second, so that what stands in it is not placed twice.
#[test]
fn parts_without_a_level_are_joined() {
    let mut bytes = b"-1\n".to_vec();
    let spawn = [20, 1, 0, 0, 0, 8, 0, 0, 8, 0, 0, 8, 0, 0];
    let mut block = |data: &[u8]| {
        write_block(&mut bytes, Container::NetQuake, &fragreel_quake1::unstable::container::Framing::NetQuake { angles: Default::default() }, data);
    };
    block(&spawn);
    for time in 1..=8u8 {
        block(&[&[7][..], &f32::from(time).to_le_bytes(), &[0x82, 5, time, 0]].concat());
    }
    let source = Recording::open(&bytes, Some("dem"), Limits::default()).unwrap();
    parts_join(&source, [(0, 3000), (4000, 8000)]);
}

/// Two parts of a recording, by their times, say the same when they are joined.
fn parts_join(source: &Recording<'_>, parts: [(i64, i64); 2]) {
    let parts = parts.map(|(from, to)| source.cut(Range { clock: Clock::Demo, from: Milliseconds(from), to: Milliseconds(to) }).unwrap());
    let parts = parts.each_ref().map(|part| Recording::open(&part.bytes, Some("dem"), Limits::default()).unwrap());
    let joined = Recording::join(&parts.each_ref()).unwrap();
    let joined = opened(&joined, "joined");
    for part in &parts {
        assert_eq!(agrees(&joined, part, "a part"), part.info().snapshots);
    }
}

/// Where the server's clock jumps to and fro, the same times come again and again.
#[test]
fn parts_of_a_clock_that_jumps_are_found() {
    use fragreel_quake1::unstable::message::{Float, Message};
    let sample = fragreel_testkit::samples("quake1").into_iter().find(|sample| sample.name.ends_with("rerelease_e1m1.dem")).unwrap();
    let bytes = sample.bytes();
    let source = Recording::open(&bytes, None, Limits::default()).unwrap();
    let mut times = [0.0, 0.0, 0.875, 0.0, -0.0625, 0.0, 0.875].into_iter().cycle();
    let edited = source.map_messages(&mut |_, message| {
        if let (Message::NqTime(time), Some(jump)) = (message, times.next()) {
            time.time = Float::from(jump);
        }
        fragreel_model::Fate::Keep
    });
    let source = Recording::open(&edited.bytes, None, Limits::default()).unwrap();
    let parts = source.split(Split::Size(edited.bytes.len() as u64 / 5)).unwrap();
    assert!(parts.len() > 4, "{}", parts.len());
    for part in &parts {
        agrees(&source, &opened(part, "a part"), "a part");
    }
}

/// What a server places in a level while a part between is missing stands in the joined recording, too.
#[test]
fn what_is_placed_between_parts_is_joined() {
    let mut bytes = b"-1\n".to_vec();
    let mut block = |data: &[u8]| {
        write_block(&mut bytes, Container::NetQuake, &fragreel_quake1::unstable::container::Framing::NetQuake { angles: Default::default() }, data);
    };
    block(&[&[11, 15, 0, 0, 0, 1, 0][..], b"level\0maps/a.bsp\0progs/b.mdl\0\0a.wav\0\0", &[25, 1]].concat());
    let place = [2, 0, 0, 0, 8, 0, 0, 8, 0, 0, 8, 0, 0];
    block(&[&[22, 5, 0][..], &place, &[25, 2, 25, 3]].concat());
    for time in 1..=9u8 {
        let placed = if time == 5 { [&[20][..], &place, &[22, 5, 0, 2, 7], &place[2..]].concat() } else { Vec::new() };
        block(&[&[7][..], &f32::from(time).to_le_bytes(), &placed, &[0x82, 5, time, 0]].concat());
    }
    let source = Recording::open(&bytes, Some("dem"), Limits::default()).unwrap();
    assert!(source.verify().is_whole(), "{:?}", source.verify().damage);
    parts_join(&source, [(0, 2000), (6000, 8000)]);
}

/// A baseline that engines keep for updates of another kind takes no other one's place in an opening.
#[test]
fn baselines_of_two_kinds_stand_side_by_side() {
    let mut bytes = b"-1\n".to_vec();
    let mut block = |data: &[u8]| {
        write_block(&mut bytes, Container::NetQuake, &fragreel_quake1::unstable::container::Framing::NetQuake { angles: Default::default() }, data);
    };
    block(&[&[11, 15, 0, 0, 0, 1, 0][..], b"level\0maps/a.bsp\0progs/b.mdl\0\0a.wav\0\0", &[25, 1]].concat());
    block(&[&[22, 5, 0][..], &[2, 0, 0, 0, 8, 0, 0, 8, 0, 0, 8, 0, 0], &[25, 2, 25, 3]].concat());
    for time in 1..=9u8 {
        let baseline: &[u8] = if time == 2 { &[66, 5, 0x4a] } else { &[] };
        block(&[&[7][..], &f32::from(time).to_le_bytes(), baseline, &[0x80, 5]].concat());
    }
    let source = Recording::open(&bytes, Some("dem"), Limits::default()).unwrap();
    assert!(source.verify().is_whole(), "{:?}", source.verify().damage);
    let cut = source.cut(Range { clock: Clock::Demo, from: Milliseconds(4000), to: Milliseconds(6000) }).unwrap();
    assert!(agrees(&source, &opened(&cut, "a cut"), "a cut") > 1);
}
