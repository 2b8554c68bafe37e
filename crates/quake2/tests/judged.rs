//! Edits, judged by a client that shares no code with the decoder.

use fragreel_base::wire::Limits;
use fragreel_model::{Action, Clock, Edited, Fate, Milliseconds, Range, Split, Target};
use fragreel_quake2::Recording;
use fragreel_quake2::message::Body;
use fragreel_testkit::Random;

use super::engine::{Seen, play};

/// Samples that the strict client plays, with what it sees.
fn sources() -> Vec<(String, Vec<u8>, Vec<Seen>)> {
    let samples = fragreel_testkit::samples("quake2").into_iter().map(|sample| (sample.name.clone(), sample.bytes()));
    let played: Vec<_> = samples.filter_map(|(name, bytes)| play(&bytes, false).ok().map(|seen| (name, bytes, seen))).collect();
    let names: Vec<&str> = played.iter().map(|(name, ..)| name.as_str()).collect();
    for part in ["yq2dm_Alice.dm2", "srv_city.dm2", "p26", "relay", "q2p_mvd_multi.mvd2", "q2pmulti_Alice.dm2"] {
        assert!(names.iter().any(|name| name.contains(part)), "{part} is not among {names:?}");
    }
    played
}

fn open<'a>(bytes: &'a [u8], extension: &str) -> Recording<'a> {
    Recording::open(bytes, Some(extension), Limits::default()).unwrap()
}

fn extension(name: &str) -> &str {
    name.rsplit('.').next().unwrap()
}

/// Whether two frames show the same, wherever they stand.
fn same(a: &Seen, b: &Seen) -> bool {
    (&a.players, &a.entities, &a.names) == (&b.players, &b.entities, &b.names)
}

/// How many frames of the copy are frames of the source, in order. Frames that only prepare the first of a level may stand
/// before it.
fn agree(name: &str, source: &[Seen], edited: &Edited) -> usize {
    let copy = play(&edited.bytes, true).unwrap_or_else(|error| panic!("{name}: {error}\n{:?}", edited.actions));
    let numbered = edited.extension != "mvd2";
    let (mut next, mut found, mut preparing) = (0, 0, 0);
    for frame in &copy {
        let is = |other: &&Seen| same(frame, other) && (!numbered || other.number == frame.number);
        match source[next..].iter().position(|other| is(&other)) {
            Some(ahead) => {
                next += ahead + 1;
                found += 1;
                preparing = 0;
            }
            None => {
                preparing += 1;
                assert!(preparing <= 12 && (found == 0 || frame.level > 1), "{name}: {}", nearest(frame, &source[next.saturating_sub(3)..]));
            }
        }
    }
    assert_eq!(preparing, 0, "{name}");
    found
}

/// What keeps a frame from being the one of `source` that is most like it.
fn nearest(frame: &Seen, source: &[Seen]) -> String {
    let differing = |other: &Seen| -> Vec<String> {
        let pairs = frame.entities.iter().filter(|entity| !other.entities.contains(entity)).map(|entity| format!("{entity:?}"));
        let missing = other.entities.iter().filter(|entity| !frame.entities.contains(entity)).map(|entity| format!("there: {entity:?}"));
        let players = frame.players.iter().filter(|player| !other.players.contains(player)).map(|player| format!("{player:?}"));
        let names = (frame.names != other.names).then(|| format!("{:?} {:?}", frame.names, other.names));
        let absent = other.players.iter().filter(|player| !frame.players.contains(player)).map(|player| format!("there: {player:?}"));
        pairs.chain(missing).chain(players).chain(absent).chain(names).collect()
    };
    source.iter().map(differing).min_by_key(Vec::len).map_or_else(String::new, |found| format!("frame {}: {found:?}", frame.number))
}

#[test]
fn cuts_play() {
    let mut random = Random::new(0x0c17);
    for (name, bytes, seen) in sources() {
        let recording = open(&bytes, extension(&name));
        let length = recording.info().duration.unwrap().0 as usize;
        for _ in 0..6 {
            let from = random.below(length + 1);
            let to = from + random.below(length - from + 1000);
            let range = Range { clock: Clock::Demo, from: Milliseconds(from as i64), to: Milliseconds(to as i64) };
            let cut = recording.cut(range).unwrap();
            let name = format!("{name} {from}..{to}");
            let found = agree(&name, &seen, &cut);
            assert_eq!(found as u64, open(&cut.bytes, &cut.extension).info().snapshots - preparing(&cut), "{name}");
        }
    }
}

/// Frames that only prepare the first, as the action says.
fn preparing(edited: &Edited) -> u64 {
    let count = |action: &Action| if let Action::SignonMade { frames } = action { Some(*frames) } else { None };
    edited.actions.iter().find_map(count).map_or(0, |frames| frames.saturating_sub(1))
}

#[test]
fn parts_and_what_is_joined_of_them_play() {
    for (name, bytes, seen) in sources() {
        let recording = open(&bytes, extension(&name));
        for by in [Split::Level, Split::Size(60_000)] {
            let Ok(parts) = recording.split(by) else { continue };
            let found: usize = parts.iter().map(|part| agree(&format!("{by:?} of {name}"), &seen, part)).sum();
            assert_eq!(found, seen.len(), "{name} {by:?}");
            let opened: Vec<Recording> = parts.iter().map(|part| open(&part.bytes, &part.extension)).collect();
            let joined = Recording::join(&opened.iter().collect::<Vec<_>>()).unwrap();
            assert_eq!(agree(&format!("joined {name}"), &seen, &joined), seen.len(), "{name} {by:?}");
        }
    }
}

#[test]
fn what_is_left_of_a_recording_without_some_frames_plays() {
    let mut random = Random::new(0xd20b_0002);
    for (name, bytes, seen) in sources().into_iter().filter(|(name, ..)| extension(name) != "mvd2") {
        let mut dropped = 0;
        let edited = open(&bytes, extension(&name))
            .map_messages(&mut |_, message| {
                let drop = matches!(message.body, Body::Frame(_)) && random.below(5) == 0;
                dropped += usize::from(drop);
                if drop { Fate::Drop } else { Fate::Keep }
            })
            .unwrap();
        assert_eq!(agree(&name, &seen, &edited) + dropped, seen.len(), "{name}");
    }
}

#[test]
fn repaired_recordings_play_and_need_no_repair() {
    let mut random = Random::new(0x2e9a_0001);
    let mut repaired = 0;
    for (name, bytes, seen) in sources() {
        assert!(!seen.is_empty(), "{name}");
        for round in 0..12 {
            let mut broken = bytes.clone();
            let at = 600 + random.below(broken.len() - 600);
            match round % 4 {
                0 => broken[at] ^= 1 << random.below(8),
                1 => broken[at..].iter_mut().take(40).for_each(|byte| *byte = random.number() as u8),
                2 => broken.truncate(at),
                _ => drop(broken.drain(at..(at + 1 + random.below(60)).min(bytes.len()))),
            }
            let recording = open(&broken, extension(&name));
            let Ok(edited) = recording.repair() else { continue };
            let name = format!("{name} round {round} at {at}");
            let again = open(&edited.bytes, &edited.extension);
            let report = again.verify();
            assert!(report.is_whole(), "{name}: {:?}", report.damage);
            assert_eq!(again.repair().unwrap().bytes, edited.bytes, "{name}");
            let played = play(&edited.bytes, true).unwrap_or_else(|error| panic!("{name}: {error}"));
            // What stands before the damage is what it was.
            let sound = play(&before(&bytes, at), false).unwrap();
            let kept = sound.iter().zip(&played).take_while(|(a, b)| same(a, b)).count();
            assert_eq!(kept, sound.len(), "{name}");
            repaired += 1;
        }
    }
    assert!(repaired > 60, "{repaired}");
}

/// The blocks before an offset, as a recording.
fn before(bytes: &[u8], at: usize) -> Vec<u8> {
    let multi = bytes.starts_with(b"MVD2");
    let mut end = if multi { 4 } else { 0 };
    loop {
        let length = if multi {
            2 + usize::from(bytes[end]) + 256 * usize::from(bytes[end + 1])
        } else {
            4 + u32::from_le_bytes(*bytes[end..].first_chunk().unwrap()) as usize
        };
        if end + length > at {
            return [&bytes[..end], if multi { &[0, 0] } else { &[0xff; 4] }].concat();
        }
        end += length;
    }
}

#[test]
fn converted_recordings_play() {
    let mut converted = 0;
    for (name, bytes, seen) in sources() {
        let recording = open(&bytes, extension(&name));
        let info = recording.info();
        for player in info.players.iter().take(2) {
            let target = Target { format: Some(String::from("dm2")), pov: Some(player.slot.to_string()) };
            let Ok(edited) = recording.convert(&target) else { continue };
            let played = play(&edited.bytes, true).unwrap_or_else(|error| panic!("{name}: {error}"));
            assert!(played.len() * 2 > seen.len() || info.maps.len() > 1, "{name}: {} of {}", played.len(), seen.len());
            // Where the player stands is where his entity or state is.
            let own = |frame: &Seen| frame.players.first().map(|(_, player)| player.origin);
            assert!(played.iter().all(|frame| own(frame).is_some()), "{name}");
            converted += 1;
        }
    }
    assert!(converted > 3, "{converted}");
}
