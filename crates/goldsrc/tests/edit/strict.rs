//! Every edit of every sample, judged by a player that shares no code with the crate.

use fragreel_goldsrc::Recording;
use fragreel_model::{Clock, Edited, Fate, Place, Range, Rewrite, Role, Split, Target};
use fragreel_testkit::Random;

use super::engine::{self, Played};
use super::{frames, open};

/// Recordings that the strict player plays: all samples of its protocols, and of the corpus what is short.
fn playable() -> Vec<(String, Vec<u8>, Played)> {
    let corpus = fragreel_testkit::corpus("goldsrc").into_iter().filter(|sample| !sample.damaged && sample.raw().len() < 800_000);
    let all = corpus.chain(fragreel_testkit::samples("goldsrc")).map(|sample| (sample.name.clone(), sample.bytes()));
    let long = fragreel_goldsrc::properties::assemble::long(fragreel_goldsrc::properties::assemble::Plan::default(), 300).finish();
    let mut playable = Vec::new();
    for (name, bytes) in all.chain([(String::from("long"), long)]) {
        let recording = open(&bytes);
        let known = recording.dialect().messages.is_some() && recording.dialect().network_protocol >= 45;
        if !known || !recording.verify().is_whole() {
            continue;
        }
        match engine::play(&bytes) {
            Ok(played) => playable.push((name, bytes, played)),
            Err(error) => panic!("{name}: verify calls it whole, and a game stops: {error}"),
        }
    }
    assert!(playable.len() >= 8, "{}", playable.len());
    playable
}

#[track_caller]
fn judged(name: &str, edited: &Edited) -> Played {
    engine::play(&edited.bytes).unwrap_or_else(|error| panic!("{name}: {error}, after {:?}", edited.actions))
}

/// What is read by both is the same: frames, their times, numbers and entities.
#[test]
fn the_strict_player_sees_the_same_frames() {
    for (name, bytes, played) in playable() {
        let recording = open(&bytes);
        let all: Vec<_> = recording.frames(fragreel_model::FrameOptions::default().entities(fragreel_model::EntityKinds::ALL)).collect();
        assert_eq!(played.frames.len(), all.len(), "{name}");
        for (own, frame) in played.frames.iter().zip(&all) {
            let time = (f64::from(f32::from_bits(own.0)) * 1000.0).round() as i64;
            assert_eq!((time, own.2), (frame.server_time.0, frame.entities.len()), "{name}: frame {}", frame.number);
        }
    }
}

#[test]
fn cuts_splits_and_joins_play() {
    let mut random = Random::new(20_261_122);
    let mut split = 0;
    for (name, bytes, played) in playable() {
        let source = open(&bytes);
        let all = frames(&source);
        for round in 0..4 {
            let (a, b) = (random.below(all.len()), random.below(all.len()));
            let (clock, from, to) = if round % 2 == 0 { (Clock::Demo, all[a].0, all[b].0) } else { (Clock::Server, all[a].1, all[b].1) };
            let range = Range { clock, from: from.min(to), to: from.max(to) };
            let what = format!("{name} {range:?}");
            let cut = judged(&what, &source.cut(range).unwrap_or_else(|error| panic!("{what}: {error}")));
            let start = played.frames.iter().position(|frame| frame.0 == cut.frames[0].0 && frame.1 == cut.frames[0].1).unwrap_or_else(|| panic!("{what}"));
            let rest = &played.frames[start..];
            assert!(cut.frames.len() <= rest.len() && cut.frames == rest[..cut.frames.len()], "{what}: frames of the source");
        }
        let size = bytes.len() as u64 * 3 / 5 + 4000;
        for by in [Split::Level, Split::Gamestate, Split::Match, Split::Size(size)] {
            let parts = match source.split(by) {
                Ok(parts) => parts,
                // there may be no match, or no part of the size
                Err(error) => {
                    assert!(error.kind() == fragreel_base::wire::ErrorKind::Misuse && matches!(by, Split::Match | Split::Size(_)), "{name} {by:?}: {error}");
                    continue;
                }
            };
            split += 1;
            let shown: usize = parts.iter().map(|part| judged(&format!("{name} {by:?}"), part).frames.len()).sum();
            assert!(shown <= played.frames.len(), "{name} {by:?}");
            let opened: Vec<_> = parts.iter().map(|part| open(&part.bytes)).collect();
            let joined = Recording::join(&opened.iter().collect::<Vec<_>>()).unwrap_or_else(|error| panic!("{name} {by:?}: {error}"));
            assert_eq!(judged(&format!("{name} joined by {by:?}"), &joined).frames.len(), shown, "{name} {by:?}");
        }
    }
    assert!(split >= 20, "{split}");
}

struct Renamed;

impl Rewrite for Renamed {
    fn text(&mut self, _: Place, role: Role, text: &mut Vec<u8>) -> Fate {
        match role {
            Role::Chat | Role::Address | Role::Identifier => return Fate::Drop,
            Role::Name => *text = [b"somebody ", &text[..text.len().min(6)]].concat(),
            _ => {}
        }
        Fate::Keep
    }
}

#[test]
fn rewritten_converted_and_repaired_recordings_play() {
    let (mut played_again, mut other_values) = (0, Vec::new());
    for (name, bytes, played) in playable() {
        // its own damage, whatever else is there
        let mut random = Random::named(&name);
        let source = open(&bytes);
        let renamed = judged(&name, &source.rewrite(&mut Renamed).unwrap());
        assert_eq!(renamed.frames, played.frames, "{name}");
        let converted = judged(&name, &source.convert(&Target::default()).unwrap());
        assert_eq!(converted.frames, played.frames, "{name}");
        for round in 0..6 {
            let mut damaged = bytes.clone();
            let at = 544 + random.below(bytes.len() - 544);
            match round {
                0 => damaged.truncate(at),
                1 => damaged[at] ^= 1 << random.below(8),
                2 => drop(damaged.drain(at..(at + 1 + random.below(700)).min(bytes.len()))),
                3 => damaged[540..544].fill(0),
                _ => {
                    let to = (at + random.below(900)).min(bytes.len());
                    damaged[at..to].fill(0xa5);
                }
            }
            let what = format!("{name}: damage {round} at {at}");
            let Ok(recording) = Recording::open(&damaged, None, fragreel_base::wire::Limits::default()) else { continue };
            let Ok(repaired) = recording.repair() else { continue };
            // without what was sent before playing no game plays it, and repair says so
            if repaired.actions.iter().any(|action| action.to_string().contains("the game will not play")) {
                continue;
            }
            // another value in the place of one, such as a block's own number or the server's protocol, is none that repair looks for
            if let (Err(error), true) = (engine::play(&repaired.bytes), repaired.actions.is_empty()) {
                other_values.push(format!("{what}: {error}"));
                continue;
            }
            let shown = judged(&what, &repaired);
            assert!(shown.frames.len() <= played.frames.len(), "{what}");
            played_again += 1;
        }
    }
    assert!(played_again >= 24 && other_values.len() * 10 < played_again, "{played_again} repaired recordings played, and not: {other_values:#?}");
}

/// The judge notices: what stops a game is an error, whatever the crate thinks of it.
#[test]
fn the_strict_player_is_strict() {
    let bytes = fragreel_goldsrc::properties::tiny_recording();
    let recording = open(&bytes);
    let blocks: Vec<_> = recording.container().macros().filter_map(fragreel_goldsrc::container::Step::found).filter(|window| window.id.0 == 1).collect();
    let directory = i32::from_le_bytes(bytes[540..544].try_into().unwrap()) as usize;
    let spoiled = |at: usize, byte: u8| {
        let mut file = bytes.clone();
        file[at] = byte;
        engine::play(&file)
    };
    for (what, at, byte) in [
        ("the magic", 0, b'h'),
        ("the protocol", 12, 47),
        ("the directory's count", directory, 0),
        ("the frames of an entry", directory + 4 + 92 + 80, 9),
        ("a macro's type", blocks[0].offset, 77),
        ("the first message", blocks[0].body_offset() + 468, 0),
        ("the sequence that the second frame goes back to", blocks[0].body_offset() + 436, 99),
        ("a frame's own sequence", blocks[1].body_offset() + 436, 12),
    ] {
        assert!(spoiled(at, byte).is_err(), "{what}");
    }
    assert!(engine::play(&bytes).is_ok());
}
