//! Sounds, explosions and the like.

use std::collections::{BTreeMap, BTreeSet};

use fragreel::Recording;
use fragreel::model::{Frame, FrameOptions, Happening, HappeningKind, Subject, Value};

fn read(sample: &str) -> Recording {
    let bytes = std::fs::read(fragreel_testkit::checkout().join("samples").join(sample)).expect("a sample");
    Recording::open(bytes, sample).expect("a recording")
}

/// Everything that happens in a recording.
fn all(recording: &Recording) -> Vec<Happening> {
    let mut frames = recording.frames(FrameOptions::default().happenings()).expect("frames");
    let (mut frame, mut some, mut found) = (Frame::default(), Vec::new(), Vec::new());
    loop {
        let more = frames.next_into(&mut frame);
        frames.happenings(&mut some);
        found.append(&mut some);
        if !more {
            return found;
        }
    }
}

/// The number of each kind.
fn kinds(found: &[Happening]) -> BTreeMap<&'static str, usize> {
    let mut kinds = BTreeMap::new();
    for one in found {
        *kinds.entry(one.kind.name()).or_default() += 1;
    }
    kinds
}

fn files(found: &[Happening]) -> BTreeSet<String> {
    found.iter().filter_map(|one| Some(one.sound.as_ref()?.file.to_string())).collect()
}

/// How often a name stands in a recording as text.
fn named(recording: &Recording, name: &str) -> usize {
    let text = fragreel::text_form::decompile(recording.bytes(), "").expect("text");
    String::from_utf8_lossy(&text).matches(&format!("\"{name}\":")).count()
}

#[test]
fn every_sound_of_a_server_is_heard() {
    // all that a server of Quake sends is among the files of the level
    for sample in ["quake1/match_e1m1.qwd", "quake1/netquake666_deltas_dm6.dem"] {
        let recording = read(sample);
        // a message, and the number of the sound in it
        let stated = (named(&recording, "sound") + named(&recording, "soundextended")) / 2;
        let heard = all(&recording).iter().filter(|one| one.kind == HappeningKind::Sound).count();
        assert!(heard > 40 && stated >= heard && heard * 20 > stated * 19, "{sample}: {heard} of {stated}");
    }
}

/// A static sound goes on for good at its place.
#[test]
fn static_sounds_last() {
    let mut all_of_them = 0;
    for sample in ["quake1/match_e1m1.qwd", "quake1/match_e1m1.mvd", "quake1/netquake666_deltas_dm6.dem", "quake1/netquake666_deltas_e1m1.dem"] {
        let recording = read(sample);
        let stated = named(&recording, "spawnstaticsound") + named(&recording, "spawnstaticsound2");
        let found = all(&recording);
        let lasting: Vec<_> = found.iter().filter(|one| one.sound.as_ref().is_some_and(|sound| sound.lasts)).collect();
        assert_eq!(lasting.len(), stated, "{sample}");
        assert!(lasting.iter().all(|one| one.origin.is_some() && one.subject.is_none()), "{sample}");
        all_of_them += stated;
    }
    assert!(all_of_them > 10, "{all_of_them}");
}

/// The announcer says as often that something was hit as the count of hits rises.
#[test]
fn hits_are_announced() {
    let recording = read("quake3/ctf_bots.dm_71");
    let mut frames = recording.frames(FrameOptions::default()).expect("frames");
    let (mut frame, mut last, mut rises) = (Frame::default(), None, 0);
    while frames.next_into(&mut frame) {
        let Some(Value::Ints(counts)) = frames.raw(Subject::View, "persistant") else { panic!("a view has counts") };
        let hits = Some(counts[1]);
        rises += usize::from(last.is_some() && hits > last);
        last = hits;
    }
    let found = all(&recording);
    let heard = found.iter().filter(|one| one.sound.as_ref().is_some_and(|sound| &*sound.file == "sound/feedback/hit.wav")).count();
    assert_eq!((heard, heard > 0), (rises, true));
}

#[test]
fn explosions_and_flashes_are_seen_where_they_are() {
    for (sample, wanted) in [
        ("quake1/match_e1m1.mvd", &["blood", "explosion", "flash", "impact", "lightstyle", "sound", "teleport"][..]),
        ("quake2/yq2dm_Alice.dm2", &["blood", "explosion", "flash", "impact", "lightstyle", "rail", "respawn", "sound", "teleport"]),
        ("quake2/q2p_mvd_multi.mvd2", &["blood", "explosion", "flash", "impact", "lightstyle", "rail", "sound"]),
        ("quake3/ctf_bots.dm_71", &["blood", "explosion", "flash", "gibs", "impact", "pellet", "rail", "respawn", "smoke", "sound", "teleport"]),
        ("quake3/warmup_restart.dm_68", &["blood", "explosion", "flash", "gibs", "impact", "lightning", "pellet", "respawn", "smoke", "sound", "teleport"]),
    ] {
        let found = all(&read(sample));
        assert_eq!(kinds(&found).into_keys().collect::<Vec<_>>(), wanted, "{sample}");
        for one in found.iter().filter(|one| one.kind != HappeningKind::LightStyle) {
            let heard_everywhere = one.sound.as_ref().is_some_and(|sound| sound.far.is_none());
            assert!(one.origin.is_some() || heard_everywhere && one.kind == HappeningKind::Sound, "{sample}: {one:?}");
            assert!(one.origin.into_iter().flatten().all(|axis| axis.abs() < 20_000.0), "{sample}: {one:?}");
            if one.kind == HappeningKind::Rail {
                assert!(one.end.is_some_and(|end| Some(end) != one.origin) && matches!(one.subject, Some(Subject::Player(_)) | None), "{one:?}");
            }
        }
        assert!(files(&found).iter().all(|file| file.contains('/') && !file.contains(['*', '#', '\\'])), "{sample}: {:?}", files(&found));
    }
}

/// The static entities of a walk, by place and model.
fn statics(found: &[Happening]) -> Vec<String> {
    let mut things: Vec<String> = found.iter().filter_map(|one| Some(format!("{:?} {:?} {:?}", one.origin?, one.direction?, one.entity.as_ref()?))).collect();
    things.sort();
    things
}

fn statics_stated(recording: &Recording) -> usize {
    named(recording, "spawnstatic") + named(recording, "spawnstatic2")
}

/// A walk reports each static entity once. After a seek, it reports all static entities of the level.
#[test]
fn static_things_stand_there_wherever_a_walk_begins() {
    let recording = read("quake1/netquake666_deltas_dm6.dem");
    let things = statics(&all(&recording));
    assert_eq!((things.len(), statics_stated(&recording)), (15, 15));
    assert!(things.iter().all(|thing| thing.contains(".mdl\"") || thing.contains("\"*")), "{things:?}");
    let mut frames = recording.frames(FrameOptions::default().happenings()).expect("frames");
    let (mut frame, mut some) = (Frame::default(), Vec::new());
    assert!((0..100).all(|_| frames.next_into(&mut frame)));
    assert!(frames.seek(fragreel::model::When::Demo(frame.time)) && frames.next_into(&mut frame));
    frames.happenings(&mut some);
    assert_eq!(statics(&some), things);
    let foreign =
        fragreel_testkit::corpus("quake1").into_iter().filter(|sample| !sample.damaged && sample.extension() == "dem" && super::size(sample) < 3 << 20);
    for sample in foreign.take(12) {
        let recording = Recording::open(sample.bytes(), &sample.name).expect("a recording");
        assert_eq!(statics(&all(&recording)).len(), statics_stated(&recording), "{}", sample.name);
    }
}

/// The patterns of all light styles.
fn lights(found: &[Happening]) -> BTreeMap<u16, String> {
    found.iter().filter_map(|one| one.light.as_ref()).map(|light| (light.number, light.pattern.to_string())).collect()
}

/// A walk reports the light styles that hold, at its first frame and behind a seek, and later those that change.
#[test]
fn light_styles_are_known_wherever_a_walk_begins() {
    let samples = ["quake1/match_e1m1.mvd", "quake1/match_e1m1.qwd", "quake1/rerelease_e1m1.dem", "quake2/yq2dm_Alice.dm2", "quake2/q2p_mvd_multi.mvd2"];
    for sample in samples {
        check_lights(sample, &read(sample));
    }
    // our samples of Half-Life have none
    let some = fragreel_testkit::corpus("goldsrc").into_iter().filter(|sample| !sample.damaged && sample.extension() == "dem" && super::size(sample) < 2 << 20);
    // some recordings begin after their signon
    for sample in some.take(4) {
        let recording = Recording::open(sample.bytes(), &sample.name).expect("a recording");
        if named(&recording, "lightstyle") > 0 {
            check_lights(&sample.name, &recording);
        }
    }
}

fn check_lights(name: &str, recording: &Recording) {
    let styles = lights(&all(recording));
    assert!(styles.len() >= 12 && styles[&0] == "m", "{name}: {styles:?}");
    assert!(styles.values().flat_map(|pattern| pattern.bytes()).all(|letter| letter.is_ascii_lowercase()), "{name}: {styles:?}");
    let mut frames = recording.frames(FrameOptions::default().happenings()).expect("frames");
    let (mut frame, mut some, mut until) = (Frame::default(), Vec::new(), Vec::new());
    for _ in 0..100 {
        assert!(frames.next_into(&mut frame), "{name}");
        frames.happenings(&mut some);
        until.append(&mut some);
    }
    assert!(frames.seek(fragreel::model::When::Demo(frame.time)) && frames.next_into(&mut frame), "{name}");
    frames.happenings(&mut some);
    assert_eq!(lights(&some), lights(&until), "{name}");
}

/// Who fires a flash stands behind it.
#[test]
fn a_flash_is_before_its_owner() {
    for sample in ["quake1/match_e1m1.mvd", "quake2/yq2dm_Alice.dm2", "quake3/dm_bots.dm_71"] {
        let recording = read(sample);
        let mut frames = recording.frames(FrameOptions::default().happenings()).expect("frames");
        let (mut frame, mut some, mut compared) = (Frame::default(), Vec::new(), 0);
        while frames.next_into(&mut frame) {
            frames.happenings(&mut some);
            for flash in some.iter().filter(|one| one.kind == HappeningKind::Flash) {
                let Some(Subject::Player(slot)) = flash.subject else { continue };
                let Some(origin) = frame.player(slot).and_then(|player| player.origin) else { continue };
                let apart: f32 = origin.iter().zip(flash.origin.unwrap()).map(|(a, b)| (a - b).powi(2)).sum();
                // those of the frame before have moved on by a step, or died
                compared += usize::from(apart < 120.0 * 120.0);
            }
        }
        assert!(compared > 40, "{sample}: {compared}");
    }
}

/// Each shot of a shotgun has its pellets, close to where the shooter looks, and smoke.
#[test]
fn a_shotgun_has_eleven_pellets() {
    let recording = read("quake3/dm_bots.dm_71");
    let found = all(&recording);
    let of = |kind| found.iter().filter(move |one| one.kind == kind);
    let shots = of(HappeningKind::Smoke).count();
    assert!(shots > 0 && of(HappeningKind::Pellet).count() == shots * 11, "{:?}", kinds(&found));
    let dot = |a: [f32; 3], b: [f32; 3]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f32>();
    for shot in of(HappeningKind::Pellet).collect::<Vec<_>>().chunks(11) {
        assert!(shot.iter().all(|pellet| (pellet.origin, pellet.subject, pellet.time) == (shot[0].origin, shot[0].subject, shot[0].time)), "{shot:?}");
        assert!(matches!(shot[0].subject, Some(Subject::Player(_))), "{shot:?}");
        let ways: Vec<_> = shot.iter().map(|pellet| pellet.direction.unwrap()).collect();
        // none is farther from another than across the square
        assert!(ways.iter().all(|way| (dot(*way, *way) - 1.0).abs() < 1e-4 && dot(*way, ways[0]) > 0.96), "{ways:?}");
        assert!(ways.iter().any(|way| dot(*way, ways[0]) < 0.9999), "{ways:?}");
    }
}

/// Who dies by a rocket dies beside an explosion, where the recorder saw that as well.
#[test]
fn rockets_explode_where_they_kill() {
    let recording = read("quake3/dm_bots.dm_71");
    let found = all(&recording);
    let mut deaths = Vec::new();
    for event in recording.events(fragreel::model::Kind::Kill) {
        if let fragreel::model::EventKind::Kill(kill) = &event.kind
            && kill.means.starts_with("MOD_ROCKET")
        {
            deaths.push((event.time, kill.victim.slot));
        }
    }
    let (mut frames, mut frame, mut seen) = (recording.frames(FrameOptions::default()).expect("frames"), Frame::default(), 0);
    for (time, slot) in deaths {
        assert!(frames.at(time, &mut frame));
        let Some(place) = slot.and_then(|slot| frame.player(slot)).and_then(|player| player.origin) else { continue };
        let near = |one: &Happening| {
            let apart: f32 = place.iter().zip(one.origin.unwrap_or([f32::MAX; 3])).map(|(a, b)| (a - b).powi(2)).sum();
            one.kind == HappeningKind::Explosion && (one.time.0 - time.0).abs() <= 100 && apart < 200.0 * 200.0
        };
        seen += usize::from(found.iter().any(near));
    }
    // three of the seven
    assert_eq!(seen, 3);
}

/// Our samples of Half-Life have few sounds, so this needs the corpus.
#[test]
fn half_life_has_shots_and_sounds() {
    let some = fragreel_testkit::corpus("goldsrc").into_iter().filter(|sample| !sample.damaged && sample.extension() == "dem" && super::size(sample) < 2 << 20);
    let (mut found, mut recordings) = (Vec::new(), 0);
    for sample in some.take(12) {
        let bytes = sample.bytes();
        found.extend(all(&Recording::open(bytes.clone(), &sample.name).expect("a recording")));
        recordings += 1;
    }
    if recordings > 0 {
        let kinds = kinds(&found);
        for kind in ["blood", "decal", "explosion", "flash", "sound"] {
            assert!(kinds.get(kind).is_some_and(|count| *count > 2), "{kind}: {kinds:?}");
        }
        let decals = found.iter().filter(|one| one.kind == HappeningKind::Decal && one.origin.is_some());
        assert!(decals.clone().all(|one| one.picture.as_ref().is_some_and(|picture| picture.starts_with('{'))), "{:?}", decals.collect::<Vec<_>>());
        assert!(files(&found).iter().all(|file| file.starts_with("sound/") || file.starts_with('!')), "{:?}", files(&found));
    }
}

#[test]
fn frames_are_the_same_and_nothing_happens_unless_it_is_asked_for() {
    for sample in ["quake1/match_e1m1.qwd", "quake2/q2p_mvd_multi.mvd2", "quake3/dm_bots.dm_71", "goldsrc/net-48.dem"] {
        let recording = read(sample);
        let walk = |options| recording.frames(options).expect("frames");
        let (mut with, mut without) = (walk(FrameOptions::default().happenings()), walk(FrameOptions::default()));
        let (mut one, mut other, mut none) = (Frame::default(), Frame::default(), Vec::new());
        while without.next_into(&mut other) {
            assert!(with.next_into(&mut one));
            assert_eq!(one, other, "{sample}");
            without.happenings(&mut none);
            assert!(none.is_empty());
        }
        assert!(!with.next_into(&mut one));
    }
}

#[test]
fn weapons_are_known_as_players_see_them() {
    for (sample, file, field) in [
        ("quake1/netquake666_deltas_dm6.dem", "progs/v_", ""),
        ("quake1/match_e1m1.mvd", "progs/v_", ""),
        ("quake2/yq2dm_Alice.dm2", "models/weapons/v_", "gunframe"),
        ("quake3/dm_bots.dm_71", "models/weapons2/", ""),
    ] {
        let recording = read(sample);
        let mut frames = recording.frames(FrameOptions::default()).expect("frames");
        let (mut frame, mut looks, mut seen, mut compared) = (Frame::default(), Vec::new(), BTreeSet::new(), 0);
        let (mut steps, mut moved) = (0, 0);
        while frames.next_into(&mut frame) {
            frames.looks(&mut looks);
            for look in looks.iter().filter(|look| look.view_model.is_some()) {
                seen.extend(look.view_model.as_ref().map(ToString::to_string));
                if let Some(step) = look.view_step {
                    assert_eq!(frames.raw(look.subject, "bobCycle").and_then(|raw| raw.as_int()), Some(step.into()));
                    steps += 1;
                }
                moved += usize::from(
                    look.view_offset.into_iter().chain(look.view_turn).chain(look.view_kick).flatten().any(|axis| axis != 0.0 && axis.abs() < 90.0),
                );
                if let (false, Some(shown), Some(raw)) = (field.is_empty(), look.view_frame, frames.raw(look.subject, field)) {
                    assert_eq!(
                        Some(f64::from(shown)),
                        raw.as_int().map(|frame| frame as f64).or(if let Value::Float(frame) = raw { Some(frame.into()) } else { None })
                    );
                    compared += 1;
                }
            }
        }
        assert!(!seen.is_empty() && seen.iter().all(|model| model.starts_with(file)), "{sample}: {seen:?}");
        assert!(field.is_empty() || compared > 100, "{sample}: {compared}");
        assert_eq!((steps > 100, moved > 100), (sample.starts_with("quake3"), sample.starts_with("quake2")), "{sample}: {steps}, {moved}");
    }
}
