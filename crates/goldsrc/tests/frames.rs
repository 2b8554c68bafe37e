//! Frames against `state`, against a proxy's view of the same match, and against themselves.

use std::collections::BTreeMap;

use fragreel_goldsrc::Recording;
use fragreel_goldsrc::properties::assemble::{Plan, long};
use fragreel_goldsrc::properties::tiny_recording;
use fragreel_model::{EntityKind, EntityKinds, Fields, Frame, FrameOptions, Milliseconds, Record, Subject, Value, When};

fn open(bytes: &[u8]) -> Recording<'_> {
    Recording::open(bytes, None, fragreel_base::wire::Limits::default()).unwrap()
}

/// Sound recordings with messages, of the corpus and of the samples.
fn sound() -> impl Iterator<Item = (String, Vec<u8>)> {
    let corpus = fragreel_testkit::corpus("goldsrc").into_iter().filter(|sample| !sample.damaged && sample.raw().len() < 1_000_000);
    let all = corpus.chain(fragreel_testkit::samples("goldsrc")).map(|sample| (sample.name.clone(), sample.bytes()));
    all.filter(|(_, bytes)| open(bytes).dialect().messages.is_some() && open(bytes).verify().is_whole())
}

fn everything() -> FrameOptions {
    FrameOptions::default().entities(EntityKinds::ALL)
}

fn floats(record: &Record, name: &str) -> Option<[f32; 3]> {
    match record.find(name)? {
        Value::Floats(values) => Some(std::array::from_fn(|axis| values.get(axis).copied().unwrap_or_default())),
        _ => None,
    }
}

fn whole(record: &Record, name: &str) -> Option<i64> {
    match record.find(name)? {
        Value::Int(value) => Some(*value),
        Value::Float(value) => Some(*value as i64),
        _ => None,
    }
}

/// From a keyframe the state is what it is from the start, scores and deaths included.
#[test]
fn states_are_the_same_with_an_index() {
    let (mut states, mut indexed) = (0, 0);
    for (name, bytes) in sound() {
        let asked = open(&bytes);
        let times: Vec<Milliseconds> = asked.frames(FrameOptions::default().fields(Fields::NONE)).map(|frame| frame.time).collect();
        // out of order, so that nothing is only gone on from
        for at in (0..times.len()).step_by(times.len().div_ceil(9)).rev() {
            let when = When::Demo(times[at]);
            assert_eq!(asked.state_at(when).unwrap(), open(&bytes).state_at(when).unwrap(), "{name}: {when:?}");
            states += 1;
        }
        indexed += usize::from(asked.frames(FrameOptions::default()).index_bytes() > 0);
    }
    assert!(states > 5 && (indexed > 0 || fragreel_testkit::corpus("goldsrc").is_empty()), "{states} {indexed}");
}

#[test]
fn frames_agree_with_state() {
    let (mut players, mut things, mut files) = (0, 0, 0);
    for (name, bytes) in sound() {
        let recording = open(&bytes);
        let all: Vec<Frame> = recording.frames(everything()).collect();
        assert!(!all.is_empty(), "{name}");
        for frame in all.iter().step_by(all.len().div_ceil(7)) {
            let moment = recording.state_at(When::Demo(frame.time)).unwrap();
            // of several frames at one time, `state` shows the last
            let frame = all.iter().find(|frame| frame.message == moment.message).unwrap();
            assert_eq!((frame.time, frame.server_time), (moment.time, moment.server_time), "{name}");
            let section = |wanted: &str| &moment.sections.iter().find(|section| section.name == wanted).unwrap().records;
            let own = section("server")[0].find("player_number").cloned();
            for record in section("players") {
                let slot = whole(record, "slot").unwrap() as u16;
                let Some(player) = frame.player(slot) else {
                    let proxy = record.find("info").is_some_and(|info| format!("{info:?}").contains("hltv"));
                    assert!(proxy, "{name}: slot {slot} is missing");
                    continue;
                };
                let Some(Value::Game(told)) = record.find("name") else { panic!("{name}: {record:?}") };
                assert_eq!(player.name.as_deref(), Some(told), "{name}");
                assert_eq!(player.score.map(i64::from), whole(record, "frags"), "{name}");
                let team = record.find("team").map(|team| format!("{team:?}"));
                assert!(player.team.as_ref().is_none_or(|own| team.is_some_and(|team| team.contains(&**own))), "{name}");
            }
            if let [client] = &section("player")[..] {
                let Some(Value::Int(own)) = own else { panic!("{name}") };
                let player = frame.player(own as u16).unwrap();
                assert_eq!(player.velocity, floats(client, "velocity"), "{name}");
                // the made samples describe no place in client data
                assert!(client.find("origin").is_none() || player.origin == floats(client, "origin"), "{name}");
                assert_eq!(player.health.map(i64::from), whole(client, "health"), "{name}");
            }
            for record in section("entities") {
                let number = whole(record, "entity").unwrap() as u32;
                let entity = frame.entity(number).unwrap_or_else(|| panic!("{name}: entity {number} is missing"));
                if entity.kind == EntityKind::Player {
                    assert_eq!(frame.player(number as u16 - 1).and_then(|player| player.entity), Some(number), "{name}");
                    players += 1;
                    continue;
                }
                assert_eq!(entity.origin, floats(record, "origin"), "{name}: entity {number}");
                let model = record.find("model").map(|model| format!("{model:?}"));
                assert_eq!(entity.model.is_some(), model.is_some(), "{name}: entity {number}");
                things += 1;
            }
            assert_eq!(frame.entities.len(), section("entities").len(), "{name}");
        }
        files += 1;
    }
    assert!(files >= 7 && players >= 20, "{files} files, {players} players");
    assert!(things > 1000 || fragreel_testkit::corpus("goldsrc").is_empty(), "{things}");
}

#[test]
fn a_made_recording_frame_by_frame() {
    let bytes = tiny_recording();
    let frames: Vec<Frame> = open(&bytes).frames(everything()).collect();
    let [first, second] = &frames[..] else { panic!("{} frames", frames.len()) };
    assert_eq!((first.number, first.message, first.time, first.server_time), (0, 5, Milliseconds(0), Milliseconds(100_000)));
    assert_eq!((second.number, second.message, second.time, second.server_time), (1, 7, Milliseconds(125), Milliseconds(100_125)));
    let view = first.view.as_ref();
    // nothing in it says where the player is: his client data has no place
    assert!(view.is_none());
    let names: Vec<_> = first.players.iter().map(|player| (player.slot, player.name.as_ref().unwrap().clean.as_str(), player.team.as_deref())).collect();
    assert_eq!(names, [(0, "Gordon", Some("CT")), (1, "Barney", Some("TERRORIST"))]);
    let [own, other] = &first.players[..] else { panic!() };
    assert_eq!((own.health, other.health, own.alive, other.alive), (Some(100), None, Some(true), None));
    assert_eq!((own.origin, other.origin), (Some([50.0, -50.0, 0.0]), Some([50.0, -50.0, 0.0])));
    assert_eq!((own.armor, own.on_ground, other.velocity, other.score), (None, None, None, None));
    assert_eq!(second.players[1].ping, Some(45));
    assert_eq!(second.player(0).unwrap().health, Some(60));
    let kinds: Vec<_> = first.entities.iter().map(|entity| (entity.number, entity.kind)).collect();
    assert_eq!(kinds, [(1, EntityKind::Player), (2, EntityKind::Player), (50, EntityKind::Other), (70, EntityKind::Beam)]);
    assert_eq!(second.entities.len(), 3, "the beam is gone");
}

#[test]
fn only_what_is_asked_for_is_filled_in() {
    let bytes = long(Plan::default(), 40).finish();
    let recording = open(&bytes);
    let some = FrameOptions::default().fields(Fields::ORIGIN).hz(2.0).from(Milliseconds(1000)).to(Milliseconds(4000));
    let frames: Vec<Frame> = recording.frames(some).collect();
    assert_eq!(frames.iter().map(|frame| frame.time.0).collect::<Vec<_>>(), [1000, 1500, 2000, 2500, 3000, 3500, 4000]);
    assert!(frames.iter().all(|frame| frame.entities.is_empty() && frame.view.is_none()));
    for player in frames.iter().flat_map(|frame| &frame.players) {
        assert!(player.origin.is_some() && player.health.is_none() && player.weapon.is_none() && player.angles.is_none() && player.ping.is_none());
    }
    // a unit a frame, an eighth of a second each
    let walked: Vec<f32> = frames.iter().map(|frame| frame.player(0).unwrap().origin.unwrap()[0]).collect();
    assert!(walked.windows(2).all(|pair| pair[1] - pair[0] == 4.0), "{walked:?}");
    let beams: Vec<Frame> = recording.frames(FrameOptions::default().entities(EntityKinds::BEAM)).collect();
    assert_eq!(beams.iter().map(|frame| frame.entities.len()).sum::<usize>(), 1);
}

/// Whether two frames say the same, but for what is known of the frame before.
fn same(a: &Frame, b: &Frame) -> bool {
    let still = |frame: &Frame| {
        let mut frame = frame.clone();
        frame.players.iter_mut().for_each(|player| player.teleported = false);
        frame.entities.iter_mut().for_each(|entity| entity.teleported = false);
        frame.view.iter_mut().for_each(|view| view.teleported = false);
        frame
    };
    still(a) == still(b)
}

#[test]
fn seeking_cloning_and_threads_change_nothing() {
    for (name, bytes) in sound().filter(|(_, bytes)| bytes.len() < 400_000) {
        let recording = open(&bytes);
        let all: Vec<Frame> = recording.frames(everything()).collect();
        let mut frames = recording.frames(everything());
        for at in [all.len() / 2, 0, all.len() - 1, all.len() / 3] {
            let wanted = all.iter().rposition(|frame| frame.time <= all[at].time).unwrap();
            // several played segments begin their time again
            let wanted = if all.is_sorted_by_key(|frame| frame.time) { wanted } else { continue };
            assert!(frames.seek(When::Demo(all[at].time)), "{name}");
            let copy = frames.clone();
            let found = std::thread::scope(|scope| scope.spawn(move || copy.take(3).collect::<Vec<_>>()).join().unwrap());
            for (offset, frame) in found.iter().enumerate() {
                assert!(same(frame, &all[wanted + offset]), "{name}: {at} and {offset}");
            }
            assert!(same(&frames.next().unwrap(), &all[wanted]), "{name}");
        }
        frames.rewind();
        assert!(frames.zip(&all).all(|(frame, old)| frame == *old), "{name}");
    }
}

/// Sought frames are those of a walk, wherever and by either clock, and those behind them; the index is small.
#[test]
fn every_time_is_found_by_the_index() {
    let mut sought = 0;
    for sample in fragreel_testkit::samples("goldsrc").into_iter().chain(fragreel_testkit::corpus("goldsrc")) {
        let bytes = sample.bytes();
        let Ok(recording) = Recording::open(&bytes, Some("dem"), fragreel_base::wire::Limits::default()) else { continue };
        let whole: Vec<Frame> = recording.frames(everything()).collect();
        let mut walk = recording.frames(everything());
        if whole.is_empty() {
            assert!(!walk.seek(When::Demo(Milliseconds(0))));
            continue;
        }
        for step in 0..5usize {
            let wanted = &whole[step * 7919 % whole.len()];
            // the first frame past the time ends the search
            let until = |late: &dyn Fn(&Frame) -> bool| whole.iter().position(late).unwrap_or(whole.len()).max(1) - 1;
            let (when, at) = if step % 3 < 2 {
                (When::Demo(wanted.time), until(&|frame| frame.time > wanted.time))
            } else {
                (When::Server(wanted.server_time), until(&|frame| frame.server_time > wanted.server_time))
            };
            assert!(walk.seek(when));
            for same in &whole[at..whole.len().min(at + 80)] {
                let found = walk.next().unwrap();
                assert!(found == *same, "{} {when:?}: {}", sample.name, fragreel_testkit::first_difference(&found, same));
            }
            sought += 1;
        }
        assert!(walk.index_bytes() * 20 <= bytes.len(), "{}: {} of {}", sample.name, walk.index_bytes(), bytes.len());
        let now = std::time::Instant::now();
        assert!(walk.seek(When::Demo(whole[whole.len() / 2].time)));
        println!("{}: {} of {} bytes, sought in {:?}", sample.name, walk.index_bytes(), bytes.len(), now.elapsed());
    }
    assert!(sought > 20, "{sought}");
}

#[test]
fn raw_fields_are_those_of_state() {
    let bytes = tiny_recording();
    let recording = open(&bytes);
    let mut frames = recording.frames(everything());
    assert!(frames.raw(Subject::View, "health").is_none(), "before the first frame");
    frames.next().unwrap();
    assert_eq!(frames.raw(Subject::View, "health"), Some(Value::Float(100.0)));
    assert!(matches!(frames.raw(Subject::View, "physinfo"), Some(Value::Game(text)) if text.raw == "\\slj\\0"));
    assert_eq!(frames.raw(Subject::Player(0), "modelindex"), Some(Value::Int(77)));
    assert_eq!(frames.raw(Subject::Entity(2), "origin[0]"), Some(Value::Float(50.0)));
    assert!(frames.raw(Subject::Entity(3), "origin[0]").is_none() && frames.raw(Subject::Entity(2), "health").is_none());
}

/// Damage is met on the way, and what comes before it is given.
#[test]
fn frames_behind_what_is_lost_are_uncertain() {
    let bytes = long(Plan::default(), 100).finish();
    let recording = open(&bytes);
    let target = recording.container().macros().filter_map(fragreel_goldsrc::container::Step::found).filter(|window| window.id.0 == 1).nth(50).unwrap();
    let mut file = bytes.clone();
    file[target.offset] = 77;
    let damaged = open(&file);
    let mut frames = damaged.frames(everything());
    let found: Vec<Frame> = frames.by_ref().collect();
    assert_eq!((found.len(), found.iter().filter(|frame| frame.uncertain).count()), (101, 51));
    assert!(found[..50].iter().all(|frame| !frame.uncertain));
    assert_eq!(frames.damage().len(), 2, "the hole, and that frames behind it are uncertain: {:?}", frames.damage());
    // a walk that enters behind the hole shows the same
    assert!(frames.seek(When::Demo(found[80].time)));
    assert_eq!(frames.next().as_ref(), Some(&found[80]));
    assert!(
        open(&fragreel_testkit::samples("goldsrc").iter().find(|sample| sample.name.contains("net-40")).unwrap().bytes()).frames(everything()).next().is_none()
    );
}

/// A player's recording, and a proxy's recording of the same match.
fn twins() -> Vec<(Vec<u8>, Vec<u8>)> {
    let corpus = fragreel_testkit::corpus("goldsrc");
    let find = |part: &str| corpus.iter().find(|sample| sample.name.contains(part)).map(fragreel_testkit::Sample::bytes);
    let names = [("New_Patriots_1", "hltv-made__firefield"), ("superimpose-goldsrc__hldm", "hltv-made__hldm"), ("hldemo-rs__basic", "hltv-made__hlsp")];
    names.into_iter().filter_map(|(player, proxy)| Some((find(player)?, find(proxy)?))).collect()
}

/// Who is where with what, looking where, is the same through a player's eyes and a proxy's, give or take a frame's motion.
#[test]
fn a_proxy_shows_the_same_players() {
    let (mut compared, mut armed, mut turned) = (0, 0, 0);
    for (player, proxy) in twins() {
        let own: BTreeMap<i64, Frame> = open(&player).frames(everything()).map(|frame| (frame.server_time.0, frame)).collect();
        for frame in open(&proxy).frames(everything()) {
            let time = frame.server_time.0;
            assert!(frame.view.is_none(), "a proxy has no view of its own");
            let around: Vec<&Frame> = own.range(..=time).rev().take(2).chain(own.range(time + 1..).take(2)).map(|(_, frame)| frame).collect();
            if around.len() < 4 || around.iter().any(|other| (other.server_time.0 - time).abs() > 150) {
                continue;
            }
            for seen in &frame.players {
                let near: Vec<_> = around.iter().filter_map(|other| other.player(seen.slot)).filter(|other| other.origin.is_some()).collect();
                let (Some(origin), 4) = (seen.origin, near.len()) else { continue };
                let within = |value: f32, pick: &dyn Fn(&fragreel_model::PlayerFrame) -> f32, slack: f32| {
                    let (low, high) = near.iter().fold((f32::MAX, f32::MIN), |(low, high), at| (low.min(pick(at)), high.max(pick(at))));
                    (low - slack..=high + slack).contains(&value)
                };
                for axis in 0..3 {
                    assert!(within(origin[axis], &|at| at.origin.unwrap()[axis], 1.0), "slot {} at {time}: {origin:?}", seen.slot);
                }
                assert!(near.iter().any(|at| at.name == seen.name), "slot {} at {time}: {:?}", seen.slot, seen.name);
                compared += 1;
                if let Some(weapon) = &seen.weapon {
                    let other = near.iter().any(|at| at.weapon.as_ref().is_some_and(|own| own.common == weapon.common));
                    armed += usize::from(other);
                    assert!(other || near.iter().any(|at| at.weapon.is_none()), "slot {} at {time}: {weapon:?} {:?}", seen.slot, near[0].weapon);
                }
                // a player's own angles are those of his hands, a proxy's those of his body
                let view = around.iter().find_map(|other| other.view.as_ref()).and_then(|view| view.slot);
                if let (Some(angles), true) = (seen.angles, view == Some(seen.slot)) {
                    turned += usize::from(within(angles[0], &|at| at.angles.unwrap_or_default()[0], 8.0));
                    compared += 0;
                }
            }
        }
    }
    if !fragreel_testkit::corpus("goldsrc").is_empty() {
        assert!(compared > 1000 && armed > 500 && turned > 100, "{compared} players, {armed} with weapons, {turned} looking up or down");
    }
}

/// Bytes that come later are the same bytes; while they come there is no directory.
#[test]
fn a_recording_that_grows_gives_the_same_frames() {
    let mut grown = 0;
    for (name, bytes) in sound().chain([(String::from("a made-up one"), long(Plan::default(), 300).finish())]) {
        let whole: Vec<Frame> = open(&bytes).frames(everything()).collect();
        let (mut seen, mut end) = (Vec::new(), bytes.len() / 3);
        let mut walk = open(&bytes[..end]).frames(everything()).pause();
        while end < bytes.len() {
            let mut frames = walk.resume(&bytes[..end], false);
            seen.extend(frames.by_ref());
            walk = frames.pause();
            end += bytes.len() / 31 + 1;
        }
        let mut frames = walk.resume(&bytes, true);
        seen.extend(frames.by_ref());
        assert!(seen == whole, "{name}: {} of {} frames", seen.len(), whole.len());
        grown += 1;
    }
    assert!(grown > 1);
}

/// Frames show the clock that a cut goes by. What started it may lie before the cut, which then knows no match clock.
#[test]
fn the_clock_of_the_match_finds_the_frames_that_show_it() {
    for (name, bytes) in sound() {
        let recording = open(&bytes);
        let all: Vec<Frame> = recording.frames(FrameOptions::default()).collect();
        let Some(frame) = all.iter().filter(|frame| frame.match_time.is_some()).nth(all.len() / 2) else { continue };
        let at = frame.match_time.unwrap();
        let cut =
            recording.cut(fragreel_model::Range { clock: fragreel_model::Clock::Match, from: at, to: at }).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(open(&cut.bytes).frames(FrameOptions::default()).any(|shown| shown.match_time.is_none_or(|shown| shown == at)), "{name}: {at}");
    }
}
