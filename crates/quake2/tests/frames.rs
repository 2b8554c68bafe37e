//! Frames, held against `state`, against a client that shares no code with the decoder, and against other views of one match.

use fragreel_model::{EntityKind, EntityKinds, Fields, Frame, FrameOptions, MatchState, Milliseconds, Record, Subject, Value, When};
use fragreel_testkit::Sample;

use super::engine::play;
use super::made::*;

fn everything() -> FrameOptions {
    FrameOptions::default().entities(EntityKinds::ALL)
}

fn samples() -> Vec<Sample> {
    fragreel_testkit::samples("quake2").into_iter().filter(|sample| !sample.damaged).collect()
}

fn floats(record: &Record, name: &str) -> [f32; 3] {
    match record.find(name) {
        Some(Value::Floats(values)) => [values[0], values[1], values[2]],
        other => panic!("{name}: {other:?}"),
    }
}

fn int(record: &Record, name: &str) -> i64 {
    match record.find(name) {
        Some(Value::Int(value)) => *value,
        other => panic!("{name}: {other:?}"),
    }
}

/// Players are the same, whether other entities are read or passed over, and so is what an index holds afterwards.
#[test]
fn other_entities_change_nothing_of_players() {
    for sample in fragreel_testkit::samples("quake2").into_iter().chain(fragreel_testkit::corpus("quake2")) {
        let bytes = sample.bytes();
        let Ok(recording) = fragreel_quake2::Recording::open(&bytes, Some(&sample.extension()), fragreel_base::wire::Limits::default()) else { continue };
        let all: Vec<Frame> = recording.frames(everything()).collect();
        let mut players = recording.frames(FrameOptions::default().players_only());
        for expected in &all {
            let frame = players.next().expect("as many frames");
            assert_eq!((frame.time, frame.view, frame.players), (expected.time, expected.view.clone(), expected.players.clone()), "{}", sample.name);
        }
        assert!(players.next().is_none(), "{}", sample.name);
        // this makes the index
        let Some(last) = all.last() else { continue };
        let mut found = Frame::default();
        assert!(players.seek(When::Demo(last.time)) && players.next_into(&mut found), "{}", sample.name);
        let mut seen = recording.frames(everything());
        assert!(seen.seek(When::Demo(last.time)) && seen.next_into(&mut found), "{}", sample.name);
        let expected = all.iter().find(|frame| frame.message == found.message).unwrap();
        assert_eq!(found.entities.len(), expected.entities.len(), "{}", sample.name);
    }
}

#[test]
fn a_frame_says_what_state_says() {
    for sample in samples() {
        let bytes = sample.bytes();
        let recording = open(&bytes, &sample.extension());
        let length = recording.info().duration.unwrap().0;
        let mut frames = recording.frames(everything());
        let mut frame = Frame::default();
        for part in [7, 0, 3, 9, 10, 1] {
            let when = When::Demo(Milliseconds(length * part / 10));
            let moment = recording.state_at(when).unwrap();
            assert!(frames.seek(when) && frames.next_into(&mut frame), "{}", sample.name);
            assert_eq!((frame.time, frame.server_time, frame.message), (moment.time, moment.server_time, moment.message), "{} {part}", sample.name);
            let records = |name: &str| &moment.section(name).unwrap().records;
            for record in records("players") {
                let slot = int(record, "number") as u16;
                let player = frame.player(slot).unwrap();
                assert_eq!((player.origin, player.angles), (Some(floats(record, "origin")), Some(floats(record, "viewangles"))), "{}", sample.name);
                if let Some(velocity) = player.velocity {
                    assert_eq!(velocity, floats(record, "velocity"));
                }
                let name = record.find("name").map(|name| if let Value::Game(name) = name { name } else { panic!("{name:?}") });
                assert_eq!(player.name.as_deref(), name, "{} {slot}", sample.name);
                // the own client of a multi-view server has no name
                assert!(name.is_some() || sample.extension() == "mvd2", "{} {slot}", sample.name);
                assert_eq!(frames.raw(Subject::Player(slot), "gunframe"), record.find("gunframe").cloned());
                let Some(Value::Ints(stats)) = record.find("stats") else { panic!() };
                assert_eq!(frames.raw(Subject::Player(slot), "stat_14"), Some(Value::Int(stats[14])));
                assert_eq!(player.health.map(i64::from), (player.spectator == Some(false)).then_some(stats[1]));
            }
            assert_eq!(frame.entities.len(), records("entities").len());
            for (entity, record) in frame.entities.iter().zip(records("entities")) {
                assert_eq!(i64::from(entity.number), int(record, "number"));
                assert_eq!((entity.origin, entity.angles), (Some(floats(record, "origin")), Some(floats(record, "angles"))));
                let model = record.find("model").map(ToString::to_string);
                assert!(entity.model.is_none() || entity.model.as_deref() == model.as_deref(), "{:?} {model:?}", entity.model);
                assert_eq!(frames.raw(Subject::Entity(entity.number), "origin"), record.find("origin").cloned());
            }
        }
    }
}

#[test]
fn a_frame_says_what_a_strict_client_sees() {
    let mut compared = 0;
    for sample in samples() {
        let bytes = sample.bytes();
        let Ok(seen) = play(&bytes, false) else { continue };
        let recording = open(&bytes, &sample.extension());
        let all: Vec<Frame> = recording.frames(everything()).collect();
        assert_eq!(all.len(), seen.len(), "{}", sample.name);
        let eighths = |place: [i32; 3]| Some(place.map(|word| word as f32 / 8.0));
        for (frame, there) in all.iter().zip(&seen) {
            for (client, player) in &there.players {
                let found = match client {
                    Some(client) => frame.player((*client).into()),
                    None => frame.view.as_ref().and_then(|view| frame.player(view.slot?)),
                };
                let Some(found) = found else { panic!("{}: {client:?} in frame {}", sample.name, there.number) };
                assert_eq!((found.origin, found.score), (eighths(player.origin), Some(player.stats[14])), "{}", sample.name);
                let name = there
                    .names
                    .iter()
                    .find(|(index, _)| *index == 1312 + found.slot)
                    .map(|(_, skin)| skin.split(|&byte| byte == b'\\').next().unwrap().to_vec());
                assert_eq!(found.name.as_ref().map(|name| name.raw.clone().into_bytes()), name.filter(|name| !name.is_empty()), "{}", sample.name);
                compared += 1;
            }
            assert_eq!(frame.entities.len(), there.entities.len());
            for (entity, (number, row)) in frame.entities.iter().zip(&there.entities) {
                assert_eq!((entity.number, entity.origin), (u32::from(*number), eighths(row.origin)), "{}", sample.name);
                assert_eq!(entity.angles, Some(row.angles.map(|angle| angle as f32 * 360.0 / 256.0)));
                if row.event == 6 || row.event == 7 {
                    assert!(entity.teleported);
                }
            }
        }
    }
    assert!(compared > 1000, "{compared}");
}

/// Where the clients' own recordings say that they stood, the server's has them.
#[test]
fn twins_show_the_same_players() {
    let load = super::viewpoints::load;
    let Some(server) = load("yq2_srv_dm.dm2") else { return };
    let server: std::collections::HashMap<i64, Frame> = open(&server, "dm2").frames(everything()).map(|frame| (frame.server_time.0, frame)).collect();
    let (mut alive, mut seen, mut weapons) = (0, 0, 0);
    for client in ["Alice", "Bob", "Carol"] {
        let bytes = load(&format!("yq2dm_{client}.dm2")).unwrap();
        for frame in open(&bytes, "dm2").frames(everything()) {
            let Some(there) = server.get(&frame.server_time.0) else { continue };
            let own = frame.view.as_ref().unwrap().slot.unwrap();
            for player in &frame.players {
                let Some(other) = there.player(player.slot).filter(|other| other.origin.is_some()) else { continue };
                assert_eq!(player.name, other.name);
                let Some(origin) = player.origin else { continue };
                if player.slot != own {
                    assert_eq!((player.origin, player.angles, player.alive), (other.origin, other.angles, other.alive), "{client} at {}", frame.server_time);
                    seen += 1;
                } else if player.alive == Some(true) && other.alive == Some(true) && player.health > Some(0) {
                    // A player's state is of the end of the frame, and so is his entity.
                    let apart = (0..3).map(|axis| (origin[axis] - other.origin.unwrap()[axis]).abs()).fold(0.0, f32::max);
                    assert!(apart <= 0.125 || player.teleported || other.teleported, "{client} at {}: {apart} apart", frame.server_time);
                    let (a, b) = (player.angles.unwrap(), other.angles.unwrap());
                    let turn = ((a[1] - b[1]).rem_euclid(360.0) + 180.0).rem_euclid(360.0) - 180.0;
                    assert!(turn.abs() <= 360.0 / 256.0 + 0.01, "{client} at {}: yaw {} and {}", frame.server_time, a[1], b[1]);
                    alive += 1;
                    weapons += usize::from(player.weapon == other.weapon);
                }
            }
        }
    }
    assert!(alive > 800 && seen > 300, "{alive} {seen}");
    // A weapon is changed in the hand before others see it.
    assert!(weapons * 10 > alive * 8, "{weapons} of {alive}");
}

#[test]
fn walks_stop_go_on_and_begin_again() {
    fn sent(walk: impl Send + 'static) -> impl Send {
        walk
    }
    for sample in samples() {
        let bytes = sample.bytes();
        let recording = open(&bytes, &sample.extension());
        let all: Vec<Frame> = recording.frames(everything()).collect();
        assert!(all.iter().enumerate().all(|(at, frame)| frame.number as usize == at), "{}", sample.name);
        assert_eq!(all.len() as u64, recording.info().snapshots, "{}", sample.name);
        let mut walk = recording.frames(everything());
        let mut frame = Frame::default();
        for _ in 0..20 {
            assert!(walk.next_into(&mut frame));
        }
        let mut other = walk.clone();
        assert_eq!(other.next().as_ref(), all.get(20));
        assert_eq!(walk.next().as_ref(), all.get(20));
        walk.rewind();
        let again: Vec<Frame> = walk.collect();
        assert!(again == all, "{}", sample.name);
        let few: Vec<Frame> =
            recording.frames(FrameOptions::default().hz(2.0).from(Milliseconds(1000)).to(Milliseconds(4000)).fields(Fields::ORIGIN)).collect();
        assert!((5..=7).contains(&few.len()), "{}: {}", sample.name, few.len());
        assert!(few.iter().all(|frame| frame.view.is_none() && frame.entities.is_empty() && frame.players.iter().all(|player| player.health.is_none())));
    }
    let bytes: &'static [u8] = Box::leak(samples()[0].bytes().into_boxed_slice());
    drop(sent(open(bytes, "dm2").frames(everything())));
}

#[test]
fn teleports_are_said_and_two_frames_in_a_block_are_two() {
    // entity 9 with a model, at x
    let moved = |number: i32, x: i16| {
        [header(number, if number == 1 { -1 } else { number - 1 }), player(x), vec![18, 0x81, 0x88, 0x00, 9, 7], x.to_le_bytes().to_vec(), vec![0, 0]].concat()
    };
    let bytes = client(&[
        block(&[string(32 + 7, "models/objects/gibs/arm/tris.md2")]),
        block(&[moved(1, 0), moved(2, 8)]),
        block(&[moved(3, 32_000)]),
        block(&[moved(4, 31_992)]),
    ]);
    let recording = open(&bytes, "dm2");
    let frames: Vec<Frame> = recording.frames(everything()).collect();
    let said: Vec<_> = frames
        .iter()
        .map(|frame| (frame.message, frame.entities[0].teleported, frame.view.as_ref().unwrap().teleported, frame.players[0].teleported))
        .collect();
    assert_eq!(said, [(2, false, false, false), (2, false, false, false), (3, true, true, true), (4, false, false, false)]);
    assert_eq!(frames[1].entities[0].kind, EntityKind::Other);
    assert_eq!(frames[3].player(0).unwrap().name.as_ref().unwrap().clean, "Alice");
}

/// Frames whose base is lost are read on from the last one, and marked until one is sent in full.
#[test]
fn damage_is_met_on_the_way() {
    let bytes = client(&[frame(1, -1, &[(3, 1)]), frame(40, 30, &[]), frame(41, 40, &[]), frame(42, -1, &[(3, 2)])]);
    let recording = open(&bytes, "dm2");
    let mut frames = recording.frames(everything());
    let numbers: Vec<(u32, bool)> = frames.by_ref().map(|frame| (frame.number, frame.uncertain)).collect();
    assert_eq!(numbers, [(0, false), (1, true), (2, true), (3, false)]);
    assert_eq!(frames.damage(), recording.verify().damage);
}

/// Sought frames are those of a walk, wherever and by either clock, and those behind them; the index is small.
#[test]
fn every_time_is_found_by_the_index() {
    let mut sought = 0;
    for sample in fragreel_testkit::samples("quake2").into_iter().chain(fragreel_testkit::corpus("quake2")) {
        let bytes = sample.bytes();
        let Ok(recording) = fragreel_quake2::Recording::open(&bytes, Some(&sample.extension()), fragreel_base::wire::Limits::default()) else { continue };
        let whole: Vec<Frame> = recording.frames(everything()).collect();
        let mut walk = recording.frames(everything());
        if whole.is_empty() {
            assert!(!walk.seek(When::Demo(Milliseconds(0))));
            continue;
        }
        for step in 0..5usize {
            let wanted = &whole[step * 7919 % whole.len()];
            let (when, number) = if step % 2 == 0 {
                let found = whole.iter().rfind(|frame| frame.time <= wanted.time);
                (When::Demo(wanted.time), found.unwrap().number)
            } else {
                let found = whole.iter().filter(|frame| frame.server_time <= wanted.server_time).max_by_key(|frame| frame.server_time);
                (When::Server(wanted.server_time), found.unwrap().number)
            };
            assert!(walk.seek(when));
            let at = whole.iter().position(|frame| frame.number == number).unwrap();
            for same in &whole[at..whole.len().min(at + 40)] {
                let found = walk.next().unwrap();
                assert!(found == *same, "{} {when:?}: {}", sample.name, fragreel_testkit::first_difference(&found, same));
            }
            if step % 5 == 0 {
                // by the index, and without one
                assert!(recording.state_at(when) == open(&bytes, &sample.extension()).state_at(when), "{} {when:?}", sample.name);
            }
            sought += 1;
        }
        assert!(walk.index_bytes() * 20 <= bytes.len() + 1000, "{}: {} of {}", sample.name, walk.index_bytes(), bytes.len());
        let now = std::time::Instant::now();
        assert!(walk.seek(When::Demo(whole[whole.len() / 2].time)));
        println!("{}: {} of {} bytes, sought in {:?}", sample.name, walk.index_bytes(), bytes.len(), now.elapsed());
    }
    assert!(sought > 100, "{sought}");
}

/// Bytes that come later are the same bytes.
#[test]
fn a_recording_that_grows_gives_the_same_frames() {
    for sample in samples().iter().filter(|sample| sample.bytes().len() > 10_000) {
        let bytes = sample.bytes();
        let whole: Vec<Frame> = open(&bytes, &sample.extension()).frames(everything()).collect();
        let (mut seen, mut end) = (Vec::new(), bytes.len() / 3);
        let mut walk = open(&bytes[..end], &sample.extension()).frames(everything()).pause();
        while end < bytes.len() {
            let mut frames = walk.resume(&bytes[..end], false);
            seen.extend(frames.by_ref());
            assert_eq!(frames.damage(), [], "{}", sample.name);
            walk = frames.pause();
            end += 777;
        }
        let mut frames = walk.resume(&bytes, true);
        seen.extend(frames.by_ref());
        assert!(seen == whole, "{}: {} of {} frames", sample.name, seen.len(), whole.len());
        let middle = &whole[whole.len() / 2];
        let mut again = Frame::default();
        assert!(frames.seek(When::Demo(middle.time)) && frames.next_into(&mut again));
        assert_eq!((again.time, again.players.len(), again.entities.len()), (middle.time, middle.players.len(), middle.entities.len()));
    }
}

/// How long a match was interrupted between two times.
fn interrupted(course: &[(Milliseconds, MatchState)], from: Milliseconds, to: Milliseconds) -> Milliseconds {
    let (mut since, mut total) = (None, Milliseconds(0));
    for &(at, state) in course.iter().filter(|(at, _)| (from..=to).contains(at)) {
        match state {
            MatchState::Paused => drop(since.get_or_insert(at)),
            MatchState::Resumed => total = since.take().map_or(total, |since| total + (at - since)),
            _ => {}
        }
    }
    since.map_or(total, |since| total + (to - since))
}

/// The clock of the match runs from where `events` has its start and stands while the match is interrupted, and pings are those of the
/// last scoreboard.
#[test]
fn the_course_of_a_match_and_pings_are_in_frames() {
    let (mut timed, mut pinged) = (0, 0);
    for sample in samples().into_iter().chain(fragreel_testkit::corpus("quake2").into_iter().filter(|sample| !sample.damaged)) {
        let bytes = sample.bytes();
        let Ok(recording) = fragreel_quake2::Recording::open(&bytes, Some(&sample.extension()), fragreel_base::wire::Limits::default()) else { continue };
        let mut course = Vec::new();
        recording.events([fragreel_model::Kind::Match].into_iter().collect()).for_each(|event| {
            if let fragreel_model::EventKind::Match { state, .. } = event.kind {
                course.push((event.time, state));
            }
        });
        for frame in recording.frames(FrameOptions::default().hz(2.0)) {
            if let Some(time) = frame.match_time {
                let shows = |&(start, state): &(Milliseconds, MatchState)| {
                    state == MatchState::Started && frame.time - start - interrupted(&course, start, frame.time) == time
                };
                assert!(course.iter().any(shows), "{}: {:?} {time:?} {course:?}", sample.name, frame.time);
                timed += 1;
            }
            pinged += frame.players.iter().filter(|player| player.ping.is_some()).count();
        }
    }
    assert!(timed > 0 && pinged > 0 || fragreel_testkit::corpus("quake2").is_empty(), "{timed} {pinged}");
}
