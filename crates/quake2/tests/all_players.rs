//! Conversions between recordings of all players, judged by a client that shares no code with the decoder, and read back.

use fragreel_base::wire::{ErrorKind, Limits};
use fragreel_model::{Loss, Target};
use fragreel_quake2::Recording;
use fragreel_quake2::text::{Compiler, Decompiler};
use serde_json::Value;

use super::engine::{Entity, Player, Seen, play};

fn open<'a>(bytes: &'a [u8], extension: &str) -> Recording<'a> {
    Recording::open(bytes, Some(extension), Limits::default()).unwrap()
}

fn target(format: &str) -> Target {
    Target { format: Some(format.to_owned()), pov: None }
}

/// The samples and recordings of all players that the strict client plays: name, bytes, extension, frames.
fn sources() -> Vec<(String, Vec<u8>, String, Vec<Seen>)> {
    let all = fragreel_testkit::samples("quake2")
        .into_iter()
        .chain(fragreel_testkit::corpus("quake2"))
        .filter(|sample| matches!(&*sample.extension(), "rla" | "mvd2") || sample.name.contains("srv_city"));
    let played = all.filter_map(|sample| {
        let (bytes, extension) = (sample.bytes(), sample.extension());
        let seen = play(&bytes, false).ok()?;
        Some((sample.name.clone(), bytes, extension, seen))
    });
    let played: Vec<_> = played.collect();
    for part in ["synth_relay", "q2p_mvd_multi"] {
        assert!(played.iter().any(|(name, ..)| name.contains(part)), "{part} is missing");
    }
    played
}

/// What MVD2 has of a player.
fn without_movement(player: &Player) -> Player {
    Player { velocity: [0; 3], time: 0, flags: 0, gravity: 0, delta_angles: [0; 3], ..*player }
}

/// An entity as every form has it. MVD2 has the places of living players in their states, and numbers of 16 bits without a sign.
fn common(entity: &Entity, living: Option<&Player>) -> Entity {
    let word = |number: i32| if number < 0 { number & 0xffff } else { number };
    let mut entity = Entity {
        frame: word(entity.frame),
        solid: word(entity.solid),
        effects: word(entity.effects),
        renderfx: word(entity.renderfx),
        old_origin: [0; 3],
        ..*entity
    };
    if let Some(player) = living {
        (entity.origin, entity.angles) = (player.origin, [0; 3]);
    }
    entity
}

/// Compares frames. `players`: whether the target has their states.
fn compare(what: &str, source: &[Seen], made: &[Seen], from_mvd: bool, players: bool) -> usize {
    assert_eq!(source.len(), made.len(), "{what}");
    let mut places = 0;
    for (at, (before, after)) in source.iter().zip(made).enumerate() {
        let states = |seen: &Seen| seen.players.iter().map(|(slot, player)| (*slot, without_movement(player))).collect::<Vec<_>>();
        if players {
            assert_eq!(states(before), states(after), "{what}: players of frame {at}");
        }
        let living = |number: u16| {
            let states = before.players.iter().find(|(slot, _)| slot.is_some_and(|slot| u16::from(slot) + 1 == number));
            states.map(|(_, player)| player).filter(|player| from_mvd && player.kind == 0)
        };
        let entities = |seen: &Seen| seen.entities.iter().map(|(number, entity)| (*number, common(entity, living(*number)))).collect::<Vec<_>>();
        let (mut expected, found) = (entities(before), entities(after));
        expected.sort_by_key(|(number, _)| *number);
        assert_eq!(expected, found, "{what}: entities of frame {at}");
        assert_eq!(before.names, after.names, "{what}: names in frame {at}");
        places += found.len();
    }
    places
}

#[test]
fn a_strict_client_sees_the_same_in_every_form() {
    let mut made_of = 0;
    for (name, bytes, extension, seen) in sources() {
        let recording = open(&bytes, &extension);
        for (format, players) in [("mvd2", true), ("rla", true), ("server", false)] {
            let what = format!("{name} to {format}");
            let made = match recording.convert(&target(format)) {
                Ok(made) => made,
                Err(error) => {
                    assert!(error.kind() == ErrorKind::Unsupported, "{what}: {error}");
                    continue;
                }
            };
            if made.actions.is_empty() {
                assert_eq!(made.bytes, bytes, "{what}");
                continue;
            }
            let again = play(&made.bytes, false).unwrap_or_else(|error| panic!("{what}: {error}"));
            let from_mvd = extension == "mvd2";
            assert!(compare(&what, &seen, &again, from_mvd, players) > 20, "{what}");
            let read = open(&made.bytes, &made.extension);
            assert!(read.verify().is_whole(), "{what}: {:?}", read.verify().damage.first());
            assert!(!made.losses.is_empty(), "{what}");
            made_of += 1;
        }
    }
    assert!(made_of >= 4, "{made_of}");
}

/// There and back: what MVD2 has comes back.
#[test]
fn relay_comes_back_from_mvd2() {
    let (_, bytes, _, seen) = sources().into_iter().find(|(name, ..)| name.contains("synth_relay")).unwrap();
    let mvd2 = open(&bytes, "rla").convert(&target("mvd2")).unwrap();
    let back = open(&mvd2.bytes, "mvd2").convert(&target("rla")).unwrap();
    // MVD2 has the places of living players in their states only
    compare("back", &seen, &play(&back.bytes, false).unwrap(), true, true);
}

#[test]
fn what_a_source_lacks_is_refused() {
    let samples = fragreel_testkit::samples("quake2");
    let bytes = |part: &str| samples.iter().find(|sample| sample.name.contains(part)).unwrap().bytes();
    let refusal = |bytes: &[u8], extension: &str, target: Target| open(bytes, extension).convert(&target).unwrap_err();
    let (client, server, relay) = (bytes("yq2dm_Alice"), bytes("srv_city"), bytes("synth_relay"));
    for format in ["mvd2", "rla", "server"] {
        let error = refusal(&client, "dm2", target(format));
        assert!(error.detail().contains("lacks what its player did not see"), "{error}");
        let error = refusal(&relay, "rla", Target { pov: Some(String::from("0")), ..target(format) });
        assert_eq!(error.kind(), ErrorKind::Misuse, "{error}");
    }
    for format in ["mvd2", "rla"] {
        let error = refusal(&server, "dm2", target(format));
        assert!(error.detail().contains("no player states"), "{error}");
    }
    assert_eq!(open(&server, "dm2").convert(&target("server")).unwrap().bytes, server);
}

/// Frames of MVD2 have no numbers: in a gap, frames that change nothing stand for a minute of it. What is longer is said.
#[test]
fn the_length_of_a_long_gap_is_a_loss() {
    const FIRST: i64 = 58;
    let bytes = fragreel_testkit::samples("quake2").iter().find(|sample| sample.name.contains("synth_relay")).unwrap().bytes();
    let text = fragreel_base::textform::decompile(Decompiler::new(&bytes, Some("rla"), Limits::default()).unwrap(), &bytes);
    let with_gap = |gap: i64| {
        let lines = text.split(|&byte| byte == b'\n').filter(|line| !line.is_empty()).map(|line| {
            let mut line: Value = serde_json::from_slice(line).unwrap();
            let messages = line.pointer_mut("/block/messages").and_then(Value::as_array_mut);
            for frame in messages.into_iter().flatten().filter_map(|message| message.get_mut("frame")) {
                let number = frame["number"].as_i64().unwrap();
                if number > FIRST {
                    frame["number"] = (number + gap).into();
                    frame["delta"] = if number == FIRST + 1 { -1 } else { frame["delta"].as_i64().unwrap() + gap }.into();
                }
            }
            format!("{line}\n")
        });
        let bytes = fragreel_base::textform::compile(Compiler::default(), lines.collect::<String>().as_bytes()).unwrap();
        let made = open(&bytes, "rla").convert(&target("mvd2")).unwrap();
        (play(&made.bytes, false).unwrap().len(), made.losses.into_iter().find(|loss| matches!(loss, Loss::ShortenedGaps { .. })))
    };
    let (frames, none) = with_gap(0);
    assert_eq!(none, None);
    assert_eq!(with_gap(600), (frames + 600, None));
    assert_eq!(with_gap(1000), (frames + 600, Some(Loss::ShortenedGaps { gaps: 1, frames: 400 })));
}
