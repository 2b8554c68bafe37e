//! Frames against what else shows the same: states, the strict player, other views of the same match, and themselves.

use std::collections::BTreeMap;
use std::sync::Mutex;

use fragreel_model::{EntityKind, EntityKinds, Fields, Frame, FrameOptions, Milliseconds, Record, Subject, Value, When};
use fragreel_quake3::Recording;
use fragreel_quake3::state::State;
use fragreel_quake3::walk::{Visitor, visit};
use fragreel_testkit::Sample;

use super::edit::engine;
use super::events::twins::level_of;

fn open<'a>(sample: &Sample, bytes: &'a [u8]) -> Recording<'a> {
    Recording::open(bytes, Some(&sample.extension()), fragreel_base::wire::Limits::default()).unwrap_or_else(|error| panic!("{}: {error}", sample.name))
}

fn all() -> FrameOptions {
    FrameOptions::default().entities(EntityKinds::ALL)
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
        None => 0,
        other => panic!("{name}: {other:?}"),
    }
}

#[test]
fn frames_say_what_states_say() {
    for sample in fragreel_testkit::samples("quake3") {
        let bytes = sample.bytes();
        let recording = open(&sample, &bytes);
        let mut compared = 0;
        let mut frames = recording.frames(all().hz(0.2));
        let mut frame = Frame::default();
        while frames.next_into(&mut frame) {
            let moment = recording.state_at(When::Demo(frame.time)).expect("there is a frame");
            if moment.message != frame.message {
                // several frames of one time
                continue;
            }
            assert_eq!((moment.time, moment.server_time), (frame.time, frame.server_time), "{}", sample.name);
            let player = &moment.section("player").expect("a player").records[0];
            let view = frame.view.as_ref().expect("a view");
            assert_eq!(i64::from(view.slot.unwrap()), int(player, "clientNum"));
            let Some(Value::Ints(stats)) = player.find("stats") else { panic!("no stats") };
            let ([pitch, yaw, roll], seen) = (floats(player, "viewangles"), view.angles.expect("angles"));
            assert_eq!([seen[0], seen[2]], [pitch, roll]);
            // the dead look to their killer, whom slot 4 or 5 states
            let is_to_killer = stats[0] <= 0 && stats[4..6].contains(&(seen[1] as i64));
            assert!(seen[1] == yaw || is_to_killer, "{}: {} degrees", sample.name, seen[1]);
            let own = frame.player(view.slot.unwrap()).expect("he plays");
            assert_eq!(own.origin, Some(floats(player, "origin")));
            assert_eq!(own.velocity, Some(floats(player, "velocity")));
            assert_eq!(own.health.map(i64::from), Some(stats[0]));
            assert_eq!(frames.raw(Subject::View, "origin"), player.find("origin").cloned());
            assert_eq!(frames.raw(Subject::View, "stats"), player.find("stats").cloned());
            let entities = &moment.section("entities").expect("entities").records;
            let numbers: Vec<i64> = entities.iter().map(|entity| int(entity, "number")).collect();
            assert_eq!(frame.entities.iter().map(|entity| i64::from(entity.number)).collect::<Vec<_>>(), numbers);
            for (entity, record) in frame.entities.iter().zip(entities) {
                // what rests, rests where it is stated
                let named = |key: &str| record.find(key).map(ToString::to_string);
                if matches!(named("pos.trType").as_deref(), None | Some("interpolate")) {
                    let base = record.find("pos.trBase").map_or([0.0; 3], |_| floats(record, "pos.trBase"));
                    assert_eq!(entity.origin, Some(base), "{}: {record:?}", sample.name);
                }
                assert_eq!(entity.kind == EntityKind::Mover, matches!(named("eType").as_deref(), Some("mover" | "4")));
            }
            compared += 1;
        }
        assert!(compared > 0, "{}", sample.name);
    }
}

/// The strict player shares nothing with the crate: times, who is there, where everybody and everything is, and every field.
#[test]
fn frames_are_those_that_an_engine_draws() {
    let corpus = fragreel_testkit::small(fragreel_testkit::corpus("quake3"));
    let least = if corpus.is_empty() { (5, 1000, 2) } else { (30, 100_000, 11) };
    let samples: Vec<Sample> = fragreel_testkit::samples("quake3").into_iter().chain(corpus).collect();
    let (drawn, protocols) = (Mutex::new(0), Mutex::new(BTreeMap::new()));
    fragreel_testkit::two_at_a_time(&samples, |sample, bytes| {
        let recording = open(sample, bytes);
        let played = match engine::play(&recording) {
            Ok(played) => played,
            Err(error) => {
                // what engines stop at is ours to name
                assert!(sample.damaged || !recording.verify().is_whole(), "{}: verify calls it whole, and a game stops: {error}", sample.name);
                return println!("{}: a game stops: {error}", sample.name);
            }
        };
        let mut frames = recording.frames(all());
        for ((time, _), (own, others)) in played.frames.iter().zip(&played.places) {
            let frame = frames.next().unwrap_or_else(|| panic!("{}: too few frames", sample.name));
            assert_eq!((frame.server_time.0, frame.entities.len()), (i64::from(*time), others.len()), "{}", sample.name);
            assert_eq!(frames.raw(Subject::View, "origin"), Some(Value::Floats(own.to_vec())), "{}: {time}", sample.name);
            for (entity, (number, place)) in frame.entities.iter().zip(others) {
                assert_eq!(entity.number, u32::from(*number), "{}: {time}", sample.name);
                let base = frames.raw(Subject::Entity(entity.number), "pos.trBase");
                assert_eq!(base, Some(Value::Floats(place.to_vec())), "{}: {time}, entity {number}", sample.name);
            }
        }
        assert!(frames.next().is_none(), "{}: too many frames", sample.name);
        let mut states = Digests::default();
        visit(recording.bytes(), recording.dialect(), &mut states);
        assert!(states.0 == played.states, "{}: fields differ in frame {:?}", sample.name, states.0.iter().zip(&played.states).position(|(a, b)| a != b));
        *drawn.lock().unwrap() += states.0.len();
        *protocols.lock().unwrap().entry(recording.dialect().protocol).or_insert(0) += 1;
    });
    let (drawn, protocols) = (drawn.into_inner().unwrap(), protocols.into_inner().unwrap());
    let recordings: usize = protocols.values().sum();
    println!("{drawn} frames of {recordings} recordings, of {} looked at, by protocol: {protocols:?}", samples.len());
    assert!(recordings >= least.0 && drawn >= least.1 && protocols.len() >= least.2, "{drawn} {protocols:?}");
}

#[test]
#[ignore = "nightly"]
fn all_recordings() {
    fragreel_testkit::on_all_recordings(&[frames_are_those_that_an_engine_draws]);
}

/// All that each frame shows, as a number.
#[derive(Default)]
struct Digests(Vec<u64>);

impl Visitor for Digests {
    fn snapshot(&mut self, state: &State, _: &fragreel_quake3::message::Snapshot) {
        let player = &state.snapshot().expect("a snapshot").player;
        self.0.push(engine::digest(&player.row, &player.arrays, state.entities().map(|(number, row)| (number, &row[..]))));
    }
}

#[test]
fn a_walk_that_is_cut_short_sought_or_cloned_gives_the_same_frames() {
    for sample in fragreel_testkit::samples("quake3") {
        let bytes = sample.bytes();
        let recording = open(&sample, &bytes);
        let whole: Vec<Frame> = recording.frames(all()).collect();
        let mut walk = recording.frames(all());
        let middle = whole.len() / 2;
        walk.by_ref().take(middle).for_each(drop);
        assert!(walk.clone().eq(whole[middle..].iter().cloned()), "{}", sample.name);
        assert!(walk.seek(When::Demo(whole[middle].time)));
        let next = walk.next().unwrap();
        // what was before it is not known there, so nothing of it says that it jumped
        assert_eq!((next.message, &next.view.unwrap().origin), (whole[middle].message, &whole[middle].view.as_ref().unwrap().origin));
        assert_eq!(walk.next().as_ref(), whole.get(middle + 1), "{}", sample.name);
        assert!(walk.seek(When::Demo(Milliseconds(-5))));
        assert_eq!(walk.next().unwrap().number, 0);
        assert!(walk.seek(When::Server(Milliseconds(i64::MAX))));
        assert_eq!(walk.next().unwrap().number, whole.last().unwrap().number);
        assert!(walk.next().is_none());
    }
}

/// Sought frames are those of a walk, wherever; and the index is small.
#[test]
fn every_time_is_found_by_the_index() {
    let samples = fragreel_testkit::samples("quake3").into_iter().filter(|sample| sample.bytes().len() > 400_000);
    let corpus = fragreel_testkit::corpus("quake3").into_iter().filter(|sample| !sample.damaged && sample.bytes().len() > 1_000_000).take(4);
    for sample in samples.chain(corpus) {
        let bytes = sample.bytes();
        let recording = open(&sample, &bytes);
        let whole: Vec<Frame> = recording.frames(all()).collect();
        let mut walk = recording.frames(all());
        for step in 0..40usize {
            let wanted = &whole[step * 7919 % whole.len()];
            assert!(walk.seek(When::Demo(wanted.time)));
            let found = walk.next().unwrap();
            assert_eq!(found.time, wanted.time, "{}", sample.name);
            let same = &whole[found.number as usize];
            let places = |frame: &Frame| frame.players.iter().map(|player| (player.name.clone(), player.origin, player.health)).collect::<Vec<_>>();
            assert_eq!(places(&found), places(same), "{} at {}", sample.name, wanted.time);
            let entities = |frame: &Frame| frame.entities.iter().map(|entity| (entity.number, entity.kind, entity.origin)).collect::<Vec<_>>();
            assert_eq!((entities(&found), found.match_time, found.level), (entities(same), same.match_time, same.level));
            assert_eq!(walk.next().as_ref(), whole.get(found.number as usize + 1), "{} behind {}", sample.name, wanted.time);
            if step % 5 == 0 {
                // by the index, and without one
                let when = When::Server(wanted.server_time);
                assert_eq!(recording.state_at(when), open(&sample, &bytes).state_at(when), "{} at {when:?}", sample.name);
            }
        }
        assert!(walk.index_bytes() > 0 && walk.index_bytes() * 20 <= bytes.len(), "{}: {}", sample.name, walk.index_bytes());
        let now = std::time::Instant::now();
        assert!(walk.seek(When::Demo(whole[whole.len() / 2].time)));
        println!("{}: {} of {} bytes, sought in {:?}", sample.name, walk.index_bytes(), bytes.len(), now.elapsed());
    }
}

/// Bytes that come later are the same bytes.
#[test]
fn a_recording_that_grows_gives_the_same_frames() {
    for sample in fragreel_testkit::samples("quake3").iter().take(3) {
        let bytes = sample.bytes();
        let whole: Vec<Frame> = open(sample, &bytes).frames(all()).collect();
        let mut seen = Vec::new();
        let mut walk = open(sample, &bytes[..30_000]).frames(all()).pause();
        let mut end = 30_000;
        while end < bytes.len() {
            let mut frames = walk.resume(&bytes[..end], false);
            seen.extend(frames.by_ref());
            assert_eq!(frames.damage(), []);
            walk = frames.pause();
            end += 777;
        }
        let mut frames = walk.resume(&bytes, true);
        seen.extend(frames.by_ref());
        assert!(seen == whole, "{}", sample.name);
    }
}

#[test]
fn what_is_not_asked_for_is_not_there_and_changes_nothing_else() {
    let sample = &fragreel_testkit::samples("quake3")[0];
    let bytes = sample.bytes();
    let recording = open(sample, &bytes);
    let whole: Vec<Frame> = recording.frames(all()).collect();
    for (frame, full) in recording.frames(FrameOptions::default().fields(Fields::HEALTH)).zip(&whole) {
        assert!(frame.view.is_none() && frame.entities.is_empty());
        assert_eq!(frame.players.len(), full.players.len());
        for (player, full) in frame.players.iter().zip(&full.players) {
            assert_eq!((player.slot, &player.name, player.health, player.alive), (full.slot, &full.name, full.health, full.alive));
            assert_eq!((player.origin, player.weapon.as_ref(), player.ammo.len()), (None, None, 0));
        }
    }
    let few: Vec<u32> = recording.frames(FrameOptions::default().hz(2.0).from(Milliseconds(2000)).to(Milliseconds(4000))).map(|frame| frame.number).collect();
    let times = few.iter().map(|&number| whole[number as usize].time.0);
    assert_eq!(times.map(|time| time / 500).collect::<Vec<_>>(), [4, 5, 6, 7]);
}

/// Two recordings of one level of one server agree on where everybody is, but for the rounding of entities to whole units.
#[test]
fn players_do_not_depend_on_which_entities_are_asked_for() {
    for sample in fragreel_testkit::samples("quake3").into_iter().filter(|sample| sample.extension().starts_with("dm_")) {
        let bytes = sample.bytes();
        let recording = open(&sample, &bytes);
        let (mut alone, mut with) = (recording.frames(FrameOptions::default()), recording.frames(all()));
        let (mut one, mut other) = (Frame::default(), Frame::default());
        while alone.next_into(&mut one) {
            assert!(with.next_into(&mut other));
            assert!(one.players == other.players, "{} frame {}", sample.name, one.number);
        }
    }
}

#[test]
fn two_views_of_a_match_agree_on_places() {
    type Seen = BTreeMap<(i64, u16), ([f32; 3], bool)>;
    let samples: Vec<Sample> = fragreel_testkit::corpus("quake3").into_iter().filter(|sample| !sample.damaged).collect();
    let mut groups: BTreeMap<_, Vec<&Sample>> = BTreeMap::new();
    for sample in &samples {
        if let Some(level) = level_of(sample) {
            groups.entry(level).or_default().push(sample);
        }
    }
    let (mut pairs, mut places) = (0, 0);
    for group in groups.values().filter(|group| group.len() > 1).take(6) {
        let seen: Vec<Seen> = group
            .iter()
            .take(2)
            .map(|sample| {
                let bytes = sample.bytes();
                let frames = open(sample, &bytes).frames(FrameOptions::default().fields(Fields::VIEW | Fields::ORIGIN));
                let mut seen = Seen::new();
                for frame in frames {
                    let own = frame.view.as_ref().and_then(|view| view.slot);
                    for player in &frame.players {
                        if let Some(origin) = player.origin.filter(|_| player.spectator != Some(true)) {
                            seen.insert((frame.server_time.0, player.slot), (origin, own == Some(player.slot)));
                        }
                    }
                }
                seen
            })
            .collect();
        let before = places;
        for (key, (a, own)) in &seen[0] {
            let Some((b, other_own)) = seen[1].get(key) else { continue };
            let most = if own == other_own { 0.0 } else { 1.0 };
            let apart = (0..3).map(|axis| (a[axis] - b[axis]).abs()).fold(0.0, f32::max);
            assert!(apart <= most, "{} and {} at {key:?}: {a:?} and {b:?}", group[0].name, group[1].name);
            places += 1;
        }
        pairs += usize::from(places > before);
    }
    println!("{pairs} pairs agree on {places} places");
    assert!(samples.is_empty() || places > 0, "the corpus has recordings of the same match");
}
