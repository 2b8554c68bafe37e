//! Other formats.

use fragreel_base::wire::Limits;
use fragreel_model::{Fate, Loss, Target};
use fragreel_quake1::Recording;
use fragreel_quake1::unstable::container::{Block, Blocks, Container, Framing, write_block};
use fragreel_quake1::unstable::message::{Disconnect, EntityDelta, Message, Rest};

use super::{agrees, deltas_by_moment, editable, opened, plays};

fn target(format: &str, pov: Option<&str>) -> Target {
    Target { format: Some(format.to_owned()), pov: pov.map(str::to_owned) }
}

/// A slot that somebody played in.
fn somebody(recording: &Recording<'_>) -> Option<String> {
    recording.info().players.iter().map(|player| player.slot.to_string()).find(|slot| recording.convert(&target("qwd", Some(slot))).is_ok())
}

/// Converted states equal the source's as far as the target's numbers can say.
#[test]
fn conversions_say_what_their_source_says() {
    converted_say_the_same(120_000);
}

#[test]
#[ignore = "nightly"]
fn conversions_of_larger_recordings_say_what_their_source_says() {
    converted_say_the_same(1_000_000);
}

fn converted_say_the_same(most: usize) {
    let mut wrong = Vec::new();
    let mut frames = 0;
    for sample in editable(most).into_iter() {
        let bytes = sample.bytes();
        let source = Recording::open(&bytes, Some(&sample.extension()), Limits::default()).unwrap();
        let targets: Vec<Target> = match source.container() {
            Container::NetQuake if source.dialect().is_nehahra() => continue,
            Container::NetQuake => ["dem", "dem 15", "dem 666", "dem 999"].iter().map(|format| target(format, None)).collect(),
            Container::QuakeWorld => vec![target("qwd 28", None), target("mvd", None)],
            Container::MultiView => {
                let plain = std::iter::once(target("mvd 28", None));
                plain.chain(somebody(&source).map(|slot| target("qwd", Some(&slot)))).collect()
            }
        };
        for target in targets {
            let what = format!("{} as {target:?}", sample.name);
            let converted = source.convert(&target).unwrap_or_else(|error| panic!("{what}: {error}"));
            let result = std::panic::catch_unwind(|| {
                let plain = opened(&converted, &what);
                if plain.dialect().numbers == source.dialect().numbers && plain.container() == source.container() && converted.actions.is_empty() {
                    assert!(converted.bytes == bytes, "{what}");
                    return 0;
                }
                plays(&plain, &what);
                assert_eq!(plain.dialect().numbers.pext2, 0);
                plain.map_messages(&mut |_, message| {
                    if let Message::ServerInfo(info) = message {
                        // engines refuse a server with more, and extensions that they do not know
                        assert!(info.max_clients <= 16 && info.version.extensions.is_empty(), "{what}");
                        assert!(info.models.0.len() > 10 && info.sounds.0.len() > 10, "{what}");
                    }
                    Fate::Keep
                });
                let comparison = source.compare_with_strings(&plain);
                assert!(comparison.differing == 0, "{what}: {} of {} frames differ: {:#?}", comparison.differing, comparison.frames, comparison.differences);
                comparison.frames
            });
            match result {
                Ok(count) => frames += count,
                Err(error) => wrong.push(format!("{:.1200}", error.downcast_ref::<String>().cloned().unwrap_or_default())),
            }
        }
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
    assert!(frames > 1000, "{frames} frames compared");
}

/// Of an entity that stands in a list twice, the first is converted: a difference to the list can say one.
#[test]
fn an_entity_that_stands_twice_is_converted_once() {
    let sample = fragreel_testkit::samples("quake1").into_iter().find(|sample| sample.name.ends_with("quakeworld_plain_dm3.qwd")).unwrap();
    let bytes = sample.bytes();
    let source = Recording::open(&bytes, None, Limits::default()).unwrap();
    let (mut number, mut lists) = (None, 0);
    let edited = source.map_messages(&mut |_, message| {
        match message {
            Message::PacketEntities(list) => number = list.entities.first().map(|entity| entity.low_number),
            Message::DeltaPacketEntities(list) if list.entities.first().is_none_or(|entity| Some(entity.low_number) > number) => {
                lists += 1;
                // in one list among others that have it once: unchanged, and re-encoded
                if let Some(low_number) = number.filter(|_| lists == 5) {
                    list.entities.splice(..0, std::iter::repeat_n(EntityDelta { low_number, ..EntityDelta::default() }, 2));
                }
            }
            _ => {}
        }
        Fate::Keep
    });
    assert!(lists > 5);
    let source = Recording::open(&edited.bytes, None, Limits::default()).unwrap();
    agrees(&source, &opened(&source.convert(&target("mvd", None)).unwrap(), "a conversion"), "a conversion");
}

/// ezQuake starts a delta from what the last moment said.
#[test]
fn multi_view_moments_have_one_delta() {
    for sample in editable(250_000).iter().filter(|sample| sample.extension() == "qwd") {
        let bytes = sample.bytes();
        let source = Recording::open(&bytes, None, Limits::default()).unwrap();
        let converted = source.convert(&target("mvd", None)).unwrap();
        let moments = deltas_by_moment(&opened(&converted, &sample.name));
        assert!(moments[0] == 0 && moments[1..].iter().all(|deltas| *deltas == 1), "{}: {moments:?}", sample.name);
        assert!(moments.len() > 10, "{}", sample.name);
    }
}

/// A client's clock that is set back for one packet, or far ahead: a server's recording has no time before another.
#[test]
fn clocks_that_are_set_are_followed() {
    let mut bytes = fragreel_testkit::samples("quake1").iter().find(|sample| sample.name.ends_with("quakeworld_plain_dm3.qwd")).unwrap().bytes();
    let source = Recording::open(&bytes, None, Limits::default()).unwrap();
    let packets: Vec<u64> = source.blocks().map(Result::unwrap).filter(|block| block.data.len() > 100).map(|block| block.offset).collect();
    let (back, ahead) = (packets[packets.len() / 2] as usize, packets[packets.len() * 3 / 4] as usize);
    bytes[back..back + 4].copy_from_slice(&0.5f32.to_le_bytes());
    bytes[ahead..ahead + 4].copy_from_slice(&9_999_999.0f32.to_le_bytes());
    let source = Recording::open(&bytes, None, Limits::default()).unwrap();
    // single times that the others contradict
    assert_eq!(source.verify().damage.len(), 2);
    let converted = source.convert(&target("mvd", None)).unwrap();
    let frames = agrees(&source, &opened(&converted, "with a clock that was set"), "with a clock that was set");
    assert!(frames > 100, "{frames}");
}

/// A packet that says where a player is and brings no frame, at the moment of one that does: the converted frame says it, and so does the moment that
/// it is compared with.
#[test]
fn a_frame_says_all_of_its_moment() {
    let bytes = fragreel_testkit::samples("quake1").iter().find(|sample| sample.name.ends_with("quakeworld_plain_dm3.qwd")).unwrap().bytes();
    let source = Recording::open(&bytes, None, Limits::default()).unwrap();
    let (mut frames, mut without) = (0, Vec::new());
    let fewer = source.map_messages(&mut |place, message| {
        let is_frame = matches!(message, Message::DeltaPacketEntities(_));
        frames += u32::from(is_frame);
        if is_frame && frames > 100 && frames.is_multiple_of(10) {
            without.push(place.message);
            return Fate::Drop;
        }
        Fate::Keep
    });
    assert!(without.len() > 4, "{without:?}");
    let blocks = Blocks::new(&fewer.bytes, Container::QuakeWorld, &Limits::default()).unwrap();
    let mut blocks: Vec<_> = blocks.map(|block| block.unwrap()).collect();
    for at in without {
        let at = at as usize;
        let before = (0..at).rev().find(|&before| matches!(blocks[before].framing, Framing::Packet { .. })).unwrap();
        let moved = Block { framing: blocks[before].framing, ..blocks[at] };
        blocks.remove(at);
        blocks.insert(before + 1, moved);
    }
    let mut bytes = Vec::new();
    blocks.iter().for_each(|block| write_block(&mut bytes, Container::QuakeWorld, &block.framing, block.data));
    let repaired = Recording::open(&bytes, Some("qwd"), Limits::default()).unwrap().repair().unwrap();
    let source = Recording::open(&repaired.bytes, Some("qwd"), Limits::default()).unwrap();
    let converted = source.convert(&target("mvd", None)).unwrap();
    assert!(agrees(&source, &opened(&converted, "moments"), "moments") > 100);
}

/// A connection that is closed before the recording ends: no engine goes on there, and neither does a conversion between a client's view and a server's.
#[test]
fn conversions_end_where_the_connection_is_closed() {
    for (name, format, pov) in [("quakeworld_plain_dm3.qwd", "mvd", None), ("match_e1m1.mvd", "qwd", Some("tester"))] {
        let bytes = fragreel_testkit::samples("quake1").iter().find(|sample| sample.name.ends_with(name)).unwrap().bytes();
        let source = Recording::open(&bytes, None, Limits::default()).unwrap();
        let converted = source.convert(&target(format, pov)).unwrap();
        assert!(!converted.losses.contains(&Loss::BehindDisconnect), "{name}");
        let all = agrees(&source, &opened(&converted, name), name);
        let mut frames = 0;
        let closed = source.map_messages(&mut |_, message| {
            if matches!(message, Message::DeltaPacketEntities(_) | Message::UpdateEntities(_)) {
                frames += 1;
                if frames == 100 {
                    *message = Message::Disconnect(Disconnect { text: Rest(b"EndOfDemo\0".to_vec()) });
                }
            }
            Fate::Keep
        });
        assert!(frames > 150, "{name}: {frames}");
        let closed = Recording::open(&closed.bytes, None, Limits::default()).unwrap();
        let converted = closed.convert(&target(format, pov)).unwrap();
        assert!(converted.losses.contains(&Loss::BehindDisconnect), "{name}: {:?}", converted.losses);
        let before = agrees(&closed, &opened(&converted, name), name);
        assert!((50..all - 40).contains(&before), "{name}: {before} of {all}");
    }
}

/// What cannot be done is refused with what can.
#[test]
fn refusals_name_what_can_be_done() {
    let plain = fragreel_testkit::samples("quake1").iter().find(|sample| sample.name.ends_with("rerelease_e1m1.dem")).unwrap().bytes();
    let plain = Recording::open(&plain, None, Limits::default()).unwrap();
    let refused = plain.convert(&target("qwd", None)).unwrap_err().to_string();
    assert!(refused.contains("`qwd`") && refused.contains("`dem 15`"), "{refused}");
    let server = fragreel_testkit::samples("quake1").iter().find(|sample| sample.name.ends_with("match_e1m1.mvd")).unwrap().bytes();
    let server = Recording::open(&server, None, Limits::default()).unwrap();
    let asked = server.convert(&target("qwd", None)).unwrap_err();
    assert_eq!(asked.kind(), fragreel_base::wire::ErrorKind::Misuse);
    assert!(asked.to_string().contains("tester"), "{asked}");
    assert!(server.convert(&target("qwd", Some("nobody"))).unwrap_err().to_string().contains("tester"));
    assert!(server.convert(&target("dm_68", None)).unwrap_err().to_string().contains("`mvd 28`"));
    for sample in super::super::corpus::recordings().iter().filter(|sample| sample.dialect.contains("DP7")).take(1) {
        let bytes = sample.bytes();
        let recording = Recording::open(&bytes, None, Limits::default()).unwrap();
        let range = fragreel_model::Range { clock: fragreel_model::Clock::Demo, from: fragreel_model::Milliseconds(0), to: fragreel_model::Milliseconds(1000) };
        for error in
            [recording.cut(range).unwrap_err(), recording.split(fragreel_model::Split::Level).unwrap_err(), recording.convert(&target("15", None)).unwrap_err()]
        {
            assert_eq!(error.kind(), fragreel_base::wire::ErrorKind::Unsupported, "{error}");
        }
        // its blocks can be repaired all the same
        let repaired = recording.repair().unwrap();
        assert!(
            repaired.bytes.len() <= bytes.len() && repaired.actions.iter().all(|action| action.to_string().contains("without a byte")),
            "{:?}",
            repaired.actions
        );
    }
}
