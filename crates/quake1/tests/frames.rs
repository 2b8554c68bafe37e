//! Frames in the vocabulary of all games, held against `state`, against a second view of the same match, and against themselves.

use std::collections::BTreeMap;

use fragreel_base::wire::Limits;
use fragreel_model::{EntityKind, EntityKinds, Fields, Frame, FrameOptions, Milliseconds, Moment, Record, Subject, Value, When};
use fragreel_quake1::Recording;

fn bytes_of(name: &str) -> Vec<u8> {
    fragreel_testkit::samples("quake1").iter().find(|sample| sample.name.ends_with(name)).unwrap_or_else(|| panic!("no sample {name}")).bytes()
}

fn all() -> FrameOptions {
    FrameOptions::default().entities(EntityKinds::ALL)
}

fn section<'m>(moment: &'m Moment, name: &str) -> &'m [Record] {
    &moment.sections.iter().find(|section| section.name == name).expect("a section").records
}

fn number(record: &Record, field: &str) -> Option<i64> {
    match record.find(field)? {
        Value::Int(value) => Some(*value),
        _ => None,
    }
}

fn place(record: &Record, field: &str) -> Option<[f32; 3]> {
    match record.find(field)? {
        Value::Floats(values) => values.clone().try_into().ok(),
        _ => None,
    }
}

/// Every frame of every sample is what `state` says of the same time.
#[test]
fn frames_are_what_state_says() {
    let mut compared = 0;
    for sample in fragreel_testkit::samples("quake1") {
        let bytes = sample.bytes();
        let recording = Recording::open(&bytes, Some(&sample.extension()), Limits::default()).unwrap();
        for (at, frame) in recording.frames(all()).enumerate().filter(|(at, _)| at % 40 == 7) {
            let moment = recording.state_at(When::Demo(frame.time)).unwrap();
            if moment.message < frame.message {
                panic!("{} frame {at}: {} is before {}", sample.name, moment.message, frame.message);
            }
            if moment.message != frame.message {
                continue;
            }
            assert_eq!((moment.time, moment.server_time), (frame.time, frame.server_time), "{}", sample.name);
            for record in section(&moment, "players") {
                let slot = number(record, "slot").unwrap() as u16;
                let Some(player) = frame.player(slot) else { continue };
                let what = format!("{} frame {at} slot {slot}", sample.name);
                if player.entity.is_some() {
                    assert_eq!(player.origin, place(record, "origin"), "{what}");
                }
                assert_eq!(player.health.map(i64::from), number(record, "health"), "{what}");
                assert_eq!(player.armor.map(i64::from), number(record, "armor"), "{what}");
                if let Some(score) = player.score {
                    assert_eq!(Some(i64::from(score)), number(record, "frags"), "{what}");
                }
                compared += 1;
            }
            let entities = section(&moment, "entities");
            assert_eq!(entities.len(), frame.entities.len(), "{} frame {at}", sample.name);
            for record in entities {
                let entity = frame.entity(number(record, "number").unwrap() as u32).expect("the same entities");
                assert_eq!(entity.origin, place(record, "origin"), "{} frame {at}", sample.name);
                assert_eq!(entity.angles, place(record, "angles"), "{} frame {at}", sample.name);
                compared += 1;
            }
        }
    }
    assert!(compared > 2000, "{compared} things compared");
}

/// One match, seen by a client and by the server: the same players in the same places, the same health and weapon.
#[test]
fn twins_have_the_same_frames() {
    let (client, server) = (bytes_of("match_e1m1.qwd"), bytes_of("match_e1m1.mvd"));
    let client = Recording::open(&client, Some("qwd"), Limits::default()).unwrap();
    let server = Recording::open(&server, Some("mvd"), Limits::default()).unwrap();
    let by_time: BTreeMap<Milliseconds, Frame> = server.frames(all()).map(|frame| (frame.server_time, frame)).collect();
    let own = client.info().recorder.expect("a recorder").slot;
    let (mut places, mut same_places, mut healths, mut same_healths, mut views) = (0, 0, 0, 0, 0);
    for frame in client.frames(all()) {
        let Some(other) = by_time.get(&frame.server_time) else { continue };
        for player in frame.players.iter().filter(|player| player.entity.is_some()) {
            let Some(twin) = other.player(player.slot) else { continue };
            assert_eq!(player.name.as_ref().map(|name| &name.clean), twin.name.as_ref().map(|name| &name.clean));
            let (Some(a), Some(b)) = (player.origin, twin.origin) else { continue };
            places += 1;
            same_places += u32::from((0..3).all(|axis| (a[axis] - b[axis]).abs() <= 0.126));
        }
        let (mine, twin) = (frame.player(own).expect("the recorder"), other.player(own).expect("the recorder"));
        if mine.health.is_some() {
            healths += 1;
            same_healths += u32::from(mine.health == twin.health && mine.weapon == twin.weapon && mine.ammo == twin.ammo && mine.alive == twin.alive);
        }
        if let (Some(view), Some(origin)) = (&frame.view, mine.origin) {
            assert_eq!(view.slot, Some(own));
            assert_eq!((view.origin[0], view.origin[1]), (origin[0], origin[1]));
            views += 1;
        }
    }
    assert!(places > 1500 && f64::from(same_places) >= f64::from(places) * 0.99, "{same_places} of {places} places agree");
    assert!(healths > 500 && f64::from(same_healths) >= f64::from(healths) * 0.97, "{same_healths} of {healths} agree in health, weapon and ammunition");
    assert!(views > 500, "{views} views");
    assert!(by_time.values().all(|frame| frame.view.is_none()), "a server's recording is nobody's view");
}

/// A walk can be stopped, cloned, sent to another thread, thinned, cut off, and started anywhere.
#[test]
fn walks_can_be_steered() {
    for name in ["match_e1m1.mvd", "match_e1m1.qwd", "netquake666_deltas_e1m1.dem", "quakeworld_plain_dm3.qwd"] {
        let bytes = bytes_of(name);
        let recording = Recording::open(&bytes, name.rsplit('.').next(), Limits::default()).unwrap();
        let frames: Vec<Frame> = recording.frames(all()).collect();
        assert!(frames.len() > 100, "{name}");
        assert!(frames.windows(2).all(|pair| pair[0].time <= pair[1].time && pair[0].number + 1 == pair[1].number), "{name}");
        // one frame used again and again is the same
        let (mut walk, mut frame) = (recording.frames(all()), Frame::default());
        for expected in &frames {
            assert!(walk.next_into(&mut frame));
            assert_eq!(frame.players, expected.players, "{name} frame {}", expected.number);
            assert_eq!((&frame.entities, &frame.view), (&expected.entities, &expected.view), "{name}");
        }
        assert!(!walk.next_into(&mut frame) && walk.damage().is_empty());
        // anywhere, forwards and backwards; in a thread of its own
        let middle = frames[frames.len() / 2].time;
        for time in [Milliseconds(middle.0 + 1000), middle, Milliseconds(-5), Milliseconds(i64::MAX / 2)] {
            let expected = frames.iter().rfind(|frame| frame.time <= time).unwrap_or(&frames[0]);
            let mut walk = walk.clone();
            let found = std::thread::scope(|scope| {
                scope
                    .spawn(|| {
                        walk.seek(When::Demo(time));
                        walk.next()
                    })
                    .join()
            });
            let found = found.unwrap().expect("a frame");
            assert_eq!((found.number, found.time), (expected.number, expected.time), "{name} at {time}");
            assert_eq!(found.entities.len(), expected.entities.len());
        }
        // ten a second, and a part
        let length = frames.last().unwrap().time - frames[0].time;
        let thinned = recording.frames(all().hz(10.0)).count() as i64;
        assert!((thinned - length.0 / 100).abs() <= length.0 / 1000 + 2, "{name}: {thinned} frames in {length}");
        let part: Vec<Frame> = recording.frames(all().from(middle).to(Milliseconds(middle.0 + 500))).collect();
        assert!(part.iter().all(|frame| frame.time >= middle && frame.time.0 <= middle.0 + 500) && !part.is_empty(), "{name}");
    }
}

/// What was not asked for is absent, and what a format does not say is absent and not 0.
#[test]
fn only_what_is_known_and_asked_for_is_there() {
    let bytes = bytes_of("match_e1m1.qwd");
    let recording = Recording::open(&bytes, Some("qwd"), Limits::default()).unwrap();
    let own = recording.info().recorder.unwrap().slot;
    let frame = recording.frames(FrameOptions::default().fields(Fields::ORIGIN)).nth(200).unwrap();
    assert!(frame.view.is_none() && frame.entities.is_empty());
    assert!(frame.players.iter().all(|player| player.health.is_none() && player.angles.is_none() && player.ammo.is_empty() && player.name.is_some()));
    let frame = recording.frames(all()).nth(200).unwrap();
    for player in frame.players.iter().filter(|player| player.slot != own) {
        assert!(player.health.is_none() && player.ammo.is_empty() && player.weapon.is_none(), "a client is not told what others have");
    }
    let mine = frame.player(own).unwrap();
    assert_eq!(mine.ammo.iter().map(|held| held.what.common.unwrap()).collect::<Vec<_>>(), ["shells", "nails", "rockets", "cells"]);
    assert!(mine.weapon.as_ref().is_some_and(|weapon| fragreel_model::common::WEAPONS.contains(&weapon.common.unwrap())), "{:?}", mine.weapon);
    assert!(frame.entities.iter().any(|entity| entity.kind == EntityKind::Item && entity.item.is_some()));
    assert!(frame.entities.iter().any(|entity| entity.kind == EntityKind::Mover));
    let players = frame.entities.iter().filter(|entity| entity.kind == EntityKind::Player).count();
    assert_eq!(players, frame.players.iter().filter(|player| player.entity.is_some()).count());
    // the game's own fields, by name
    let mut walk = recording.frames(all());
    let frame = walk.nth(200).unwrap();
    assert_eq!(walk.raw(Subject::View, "health"), Some(Value::Int(frame.player(own).unwrap().health.unwrap().into())));
    assert_eq!(walk.raw(Subject::Player(own), "items"), walk.raw(Subject::View, "items"));
    assert!(walk.raw(Subject::Entity(frame.entities[0].number), "origin").is_some() && walk.raw(Subject::Player(900), "health").is_none());
}

/// Samples, and recordings of the corpus up to some size.
fn recordings(most: usize) -> Vec<(String, Vec<u8>)> {
    let all = fragreel_testkit::samples("quake1").into_iter().chain(super::corpus::recordings());
    all.map(|sample| (sample.name.clone(), sample.bytes())).filter(|(_, bytes)| bytes.len() <= most).collect()
}

/// What is sought is the frame that a walk from the start has there, in all it says; and the index is small.
#[test]
fn frames_that_are_sought_are_those_of_a_walk() {
    sought_frames_are_walked(250_000);
}

#[test]
#[ignore = "nightly"]
fn frames_that_are_sought_in_larger_recordings_are_those_of_a_walk() {
    sought_frames_are_walked(2_000_000);
}

fn sought_frames_are_walked(most: usize) {
    let mut random = fragreel_testkit::Random::new(7);
    let (mut sought, mut keyed) = (0, 0);
    for (name, bytes) in recordings(most) {
        let Ok(recording) = Recording::open(&bytes, name.rsplit('.').next(), Limits::default()) else { continue };
        let frames: Vec<Frame> = recording.frames(all()).collect();
        let Some(last) = frames.last() else { continue };
        let mut walk = recording.frames(all());
        for turn in 0..12 {
            let (when, expected) = if turn % 3 == 0 {
                // the server's clock may show a time several times: the first frame past it ends the search
                let wanted = frames[random.below(frames.len())].server_time;
                let past = frames.iter().position(|frame| frame.server_time > wanted).unwrap_or(frames.len());
                (When::Server(wanted), &frames[past.max(1) - 1])
            } else {
                let wanted = Milliseconds(random.below(last.time.0 as usize + 10) as i64);
                (When::Demo(wanted), frames.iter().rfind(|frame| frame.time <= wanted).unwrap_or(&frames[0]))
            };
            assert!(walk.seek(when), "{name}: {when:?}");
            let found = walk.next().expect("a frame");
            assert_eq!(format!("{found:?}"), format!("{expected:?}"), "{name}: {when:?}");
            // and on from there
            assert_eq!(format!("{:?}", walk.next()), format!("{:?}", frames.get(expected.number as usize + 1)), "{name}: behind {when:?}");
            if turn % 4 < 2 {
                // by the index, and without one
                let alone = Recording::open(&bytes, name.rsplit('.').next(), Limits::default());
                assert_eq!(recording.state_at(when), alone.unwrap().state_at(when), "{name} at {when:?}");
            }
            sought += 1;
        }
        assert!(walk.index_bytes() * 20 <= bytes.len(), "{name}: an index of {} bytes for {}", walk.index_bytes(), bytes.len());
        keyed += u32::from(walk.index_bytes() > 0);
    }
    assert!(sought > 100 && keyed > 0, "{sought} frames sought, {keyed} recordings with keyframes");
}

/// A recording that grows while it is read has the same frames, wherever it is cut, and also when it is damaged.
#[test]
fn a_growing_recording_has_the_same_frames() {
    let mut random = fragreel_testkit::Random::new(11);
    for (name, mut bytes) in recordings(120_000) {
        for damaged in [false, true] {
            if damaged {
                let at = bytes.len() / 2 + random.below(bytes.len() / 4);
                bytes[at..at + 3].fill(0xff);
            }
            let extension = name.rsplit('.').next();
            let Ok(recording) = Recording::open(&bytes, extension, Limits::default()) else { continue };
            let expected: Vec<Frame> = recording.frames(all()).collect();
            let mut end = bytes.len().min(4_000 + random.below(4_000));
            let Ok(start) = Recording::open(&bytes[..end], extension, Limits::default()) else { continue };
            let mut walk = start.frames(all()).resume(&bytes[..end], false);
            let mut frames: Vec<Frame> = walk.by_ref().collect();
            while end < bytes.len() {
                end = (end + 1 + random.below(9_000)).min(bytes.len());
                walk = walk.pause().resume(&bytes[..end], false);
                frames.extend(walk.by_ref());
            }
            frames.extend(walk.resume(&bytes, true));
            assert_eq!(frames.len(), expected.len(), "{name}");
            assert!(frames.iter().zip(&expected).all(|(a, b)| format!("{a:?}") == format!("{b:?}")), "{name}");
        }
    }
}

/// The clock of the match is the one of events.
#[test]
fn frames_and_events_have_the_same_clock_of_the_match() {
    let (mut compared, mut running) = (0, 0);
    for (name, bytes) in recordings(1_500_000) {
        let Ok(recording) = Recording::open(&bytes, name.rsplit('.').next(), Limits::default()) else { continue };
        let mut events = BTreeMap::new();
        recording.events(fragreel_model::Kinds::ALL).for_each(|event| {
            events.insert(event.time, event.match_time);
        });
        for frame in recording.frames(FrameOptions::default()) {
            // events of the moment in which the match begins may come before that
            let Some(expected) = events.get(&frame.time).filter(|_| frame.match_time != Some(Milliseconds(0))) else { continue };
            assert_eq!(frame.match_time, *expected, "{name} at {}", frame.time);
            compared += 1;
            running += u32::from(expected.is_some());
        }
    }
    assert!(compared > 100, "{compared} moments compared");
    assert!(running > 100 || super::corpus::recordings().is_empty(), "{running} with a match running");
}
