//! Recordings that were once edited wrongly, made of our own bytes: what the cases of [`cases`](super::cases) are odd in, at hand everywhere.

use fragreel_base::wire::Limits;
use fragreel_model::{Clock, EntityKinds, Frame, FrameOptions, Kind, Milliseconds, Range, Split, Target};
use fragreel_quake1::Recording;
use fragreel_quake1::unstable::container::{Container, Framing, Stamp, kind, write_block};
use fragreel_quake1::unstable::message::{Float, Message};

use super::{agrees, opened};
use crate::made::{blocks, changed, client_data, netquake, sample, server_info, time, update};

fn open<'b>(bytes: &'b [u8], extension: &str) -> Recording<'b> {
    Recording::open(bytes, Some(extension), Limits::default()).unwrap()
}

fn whole<'b>(bytes: &'b [u8], extension: &str) -> Recording<'b> {
    let recording = open(bytes, extension);
    assert!(recording.verify().is_whole(), "{:?}", recording.verify().damage);
    recording
}

fn target(format: &str, pov: Option<&str>) -> Target {
    Target { format: Some(format.to_owned()), pov: pov.map(str::to_owned) }
}

fn from(seconds: i64) -> Range {
    Range { clock: Clock::Demo, from: Milliseconds(seconds * 1000), to: Milliseconds(i64::MAX) }
}

/// Who sees through others' eyes stays the one who records, in parts that begin behind that, too.
#[test]
fn the_view_moves_between_players() {
    let frame = |second: u8| {
        let moved = match second {
            4 => vec![5, 3, 0],
            8 => vec![5, 2, 0],
            _ => Vec::new(),
        };
        [time(second.into()), moved, client_data(100 - second), update(1, second.into()), update(2, 9), update(3, -9)].concat()
    };
    let names = [&b"\x0d\x00alice\0\x0d\x01bob\0\x0d\x02carol\0"[..], &time(1.0)].concat();
    let frames: Vec<Vec<u8>> = std::iter::once(names).chain((1..=12).map(frame)).collect();
    let bytes = netquake(4, &frames.iter().map(Vec::as_slice).collect::<Vec<_>>());
    let source = whole(&bytes, "dem");
    let recorder = source.info().recorder;
    assert_eq!(recorder.as_ref().map(|player| player.name.clean.as_str()), Some("alice"));
    for second in 1..11 {
        let cut = source.cut(from(second)).unwrap();
        let cut = opened(&cut, "a cut");
        assert!(agrees(&source, &cut, &format!("from second {second}")) > 1);
        assert_eq!(cut.info().recorder, recorder, "from second {second}");
    }
}

/// Of an entity that one message of the server's updates twice, the last update counts, also when another's stands between them.
#[test]
fn an_entity_is_updated_twice() {
    let frame = |second: u8| [time(second.into()), client_data(100), update(2, 8), update(3, 80), update(2, 16 + i16::from(second))].concat();
    let frames: Vec<Vec<u8>> = (1..=6).map(frame).collect();
    let bytes = netquake(4, &frames.iter().map(Vec::as_slice).collect::<Vec<_>>());
    let source = whole(&bytes, "dem");
    let converted = source.convert(&target("dem 666", None)).unwrap();
    let converted = opened(&converted, "converted");
    assert_eq!(agrees(&source, &converted, "converted"), 6);
    let places = |recording: &Recording<'_>| -> Vec<f32> {
        let frames = recording.frames(FrameOptions::default().entities(EntityKinds::ALL));
        frames.map(|frame| frame.entity(2).unwrap().origin.unwrap()[0]).collect()
    };
    let expected: Vec<f32> = (1..=6u8).map(|second| (16.0 + f32::from(second)) / 8.0).collect();
    assert_eq!((places(&source), places(&converted)), (expected.clone(), expected));
}

/// Other engines do not know the command with which QuakeSpasm-Spiked's server announces its downloads.
#[test]
fn commands_of_one_engine_are_not_converted() {
    let stuffed = |text: &str| [b"\x09", text.as_bytes(), b"\n\0"].concat();
    let frame = |second: u8| [stuffed("cl_serverextension_download 1"), stuffed("bf"), time(second.into()), client_data(100)].concat();
    let frames: Vec<Vec<u8>> = (1..=3).map(frame).collect();
    let bytes = netquake(4, &frames.iter().map(Vec::as_slice).collect::<Vec<_>>());
    let converted = whole(&bytes, "dem").convert(&target("dem 666", None)).unwrap();
    let has = |bytes: &[u8], text: &str| bytes.windows(text.len()).any(|window| window == text.as_bytes());
    assert_eq!((has(&bytes, "cl_serverextension"), has(&bytes, "bf\n")), (true, true));
    assert_eq!((has(&converted.bytes, "cl_serverextension"), has(&converted.bytes, "bf\n")), (false, true));
}

/// A second level whose clock shows times of the first, with moments of several frames: parts that begin before the change and behind it have their frames.
#[test]
fn parts_by_size_lie_across_levels() {
    let frame = |level: usize, number: usize| {
        // every fourth frame comes at the moment of the one before
        let seconds = 1.0 + (number - usize::from(number % 4 == 3)) as f32 / 10.0;
        let x = (level * 1000 + number) as i16;
        [time(seconds), client_data(50 + level as u8), update(5, x), update(6, -x), update(7, x / 2)].concat()
    };
    let level = |level: usize, frames: usize| std::iter::once(server_info(15, 4)).chain((0..frames).map(move |number| frame(level, number)));
    let bytes = blocks(&level(1, 300).chain(level(2, 200)).chain(level(3, 250)).collect::<Vec<_>>());
    let source = whole(&bytes, "dem");
    let mut parts = 0;
    for share in 3..9 {
        let made = source.split(Split::Size(bytes.len() as u64 / share)).unwrap();
        let frames: u64 = made.iter().map(|part| agrees(&source, &opened(part, "a part"), &format!("a part of {share}"))).sum();
        assert_eq!(frames, source.info().snapshots, "{share}");
        parts += made.len();
    }
    assert!(parts > 30, "{parts}");
}

/// Behind the end of the connection a server's recording may show players at the same moment: engines have stopped by then, and so does a view of it.
#[test]
fn players_are_shown_behind_the_end() {
    let client = sample("quakeworld_plain_dm3.qwd");
    let mut bytes = open(&client, "qwd").convert(&target("mvd", None)).unwrap().bytes;
    let clean = whole(&bytes, "mvd");
    let own = clean.info().players[0].slot;
    let last = clean.blocks().last().unwrap().unwrap();
    assert_eq!(last.data.first(), Some(&2), "it ends with a disconnect");
    let end = last.offset as usize;
    bytes.truncate(end);
    let to = fragreel_quake1::unstable::container::Target { kind: kind::ALL, slot: 0, players: 0 };
    let mut block = |delay: u8, data: &[u8]| write_block(&mut bytes, Container::MultiView, &Framing::Packet { time: Stamp::After(delay), target: to }, data);
    let slot = own as u8;
    // a last frame, the end, and the player elsewhere
    block(50, &[42, slot, 1, 0, 9, 0, 1]);
    block(0, b"\x02EndOfDemo\0");
    block(0, &[42, slot, 7, 0, 10, 0, 2, 0, 3, 0, 4]);
    block(0, &[42, slot, 7, 0, 11, 0, 2, 0, 3, 0, 5]);
    let source = whole(&bytes, "mvd");
    let seen = source.convert(&target("qwd", Some(&own.to_string()))).unwrap();
    assert!(agrees(&source, &opened(&seen, "a view"), "a view") > 100);
}

/// A server that loads a level again, the same or another, sends a new signon in the middle. Frames behind it keep their times as a server's recording.
#[test]
fn a_level_loads_again() {
    let sample = sample("quakeworld_plain_dm3.qwd");
    let clean = whole(&sample, "qwd");
    let part = |from, to| clean.cut(Range { clock: Clock::Demo, from: Milliseconds(from), to: Milliseconds(to) }).unwrap().bytes;
    let (mut bytes, after) = (part(0, 2000), part(4000, 6000));
    let end = open(&bytes, "qwd").blocks().last().unwrap().unwrap().offset as usize;
    bytes.truncate(end);
    bytes.extend(after);
    let source = whole(&bytes, "qwd");
    let mut levels = 0;
    source.events([Kind::Level].into_iter().collect()).for_each(|_| levels += 1);
    assert_eq!(levels, 2, "both levels are read");
    let server = source.convert(&target("mvd", None)).unwrap();
    assert!(agrees(&source, &opened(&server, "a server's"), "a server's") > 40);
}

/// The time of a block that repair leaves out passes all the same: every frame behind it is when it was.
#[test]
fn left_out_blocks_leave_their_time() {
    let times = |recording: &Recording<'_>| -> Vec<Milliseconds> { recording.frames(FrameOptions::default()).map(|frame| frame.time).collect() };
    let late = |framing: &Framing| matches!(framing, Framing::Packet { time: Stamp::After(delay), .. } if *delay > 0);
    let clean = sample("match_e1m1.mvd");
    let clean = whole(&clean, "mvd");
    let (mut passed, mut left_out) = (0, 0);
    // what no message begins with
    let bytes = changed("match_e1m1.mvd", |_, block| {
        passed += u32::from(late(&block.framing));
        let spoiled = late(&block.framing) && (200..205).contains(&passed);
        left_out += u32::from(spoiled);
        spoiled.then(|| vec![99, 1, 2])
    });
    assert_eq!(left_out, 5);
    let damaged = open(&bytes, "mvd");
    assert!(!damaged.verify().damage.is_empty());
    let repaired = damaged.repair().unwrap();
    let repaired = opened(&repaired, "repaired");
    agrees(&damaged, &repaired, "repaired");
    assert_eq!(repaired.info().duration, clean.info().duration);
    let clean = times(&clean);
    let behind: Vec<Milliseconds> = times(&repaired).into_iter().rev().take(300).collect();
    assert_eq!(behind, clean[clean.len() - 300..].iter().rev().copied().collect::<Vec<_>>());
}

/// What no engine takes is damage; it is repaired, and a part of it can be opened.
#[test]
fn blocks_without_a_time_and_players_without_a_slot_are_damage() {
    let name = "quakeworld_plain_dm3.qwd";
    let clean = sample(name);
    let clean = whole(&clean, "qwd");
    let mut no_time = clean.header().to_vec();
    for (at, block) in clean.blocks().map(Result::unwrap).enumerate() {
        let mut framing = block.framing;
        if let (120, Framing::Packet { time, .. } | Framing::Command { time, .. }) = (at, &mut framing) {
            *time = Stamp::At(Float::from(f32::NAN));
        }
        write_block(&mut no_time, Container::QuakeWorld, &framing, block.data);
    }
    let mut seen = 0;
    let no_slot = clean.map_messages(&mut |_, message| {
        if let Message::PlayerInfo(player) = message {
            seen += 1;
            if seen == 60 {
                player.slot = 110;
            }
        }
        fragreel_model::Fate::Keep
    });
    for (bytes, what) in [(no_time, "time is not a number"), (no_slot.bytes, "slot 110")] {
        let source = open(&bytes, "qwd");
        let damage = source.verify().damage;
        assert!(damage.len() == 1 && damage[0].detail.contains(what), "{what}: {damage:?}");
        let repaired = source.repair().unwrap();
        assert!(!repaired.actions.is_empty(), "{what}");
        let repaired = opened(&repaired, what);
        for second in 0..12 {
            // of what is damaged, parts are as damaged as it is
            agrees(&source, &open(&source.cut(from(second)).unwrap().bytes, "qwd"), what);
            agrees(&repaired, &opened(&repaired.cut(from(second)).unwrap(), what), what);
        }
        let frames = |recording: &Recording<'_>| recording.frames(FrameOptions::default()).collect::<Vec<Frame>>().len();
        assert_eq!(frames(&repaired), frames(&clean), "{what}");
    }
}
