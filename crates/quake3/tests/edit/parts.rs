//! Splitting and joining.

use fragreel_model::{Clock, EventKind, Fate, Kind, MatchState, Milliseconds, Range, Split};
use fragreel_quake3::Recording;
use fragreel_quake3::message::Operation;

use super::engine::play;
use super::{agree, each_kind, open, whole};

#[test]
fn parts_hold_everything_and_join_again() {
    each_kind(|sample, recording| {
        if sample.damaged || recording.bytes().len() > 500_000 {
            return;
        }
        let played = play(&recording).unwrap_or_else(|error| panic!("{}: {error}", sample.name));
        let size = (recording.bytes().len() as u64 / 3).max(60_000);
        for by in [Split::Level, Split::Size(size)] {
            let name = format!("{} {by:?}", sample.name);
            let parts = recording.split(by).unwrap_or_else(|error| panic!("{name}: {error}"));
            let mut frames = 0;
            for part in &parts {
                let part = whole(&name, part);
                frames += agree(&name, &recording.compare_with_strings(&part));
                play(&part).unwrap_or_else(|error| panic!("{name}: {error}"));
                assert!(!matches!(by, Split::Size(most) if part.bytes().len() as u64 > most), "{name}: {}", part.bytes().len());
            }
            assert_eq!(frames, played.frames.len() as u64, "{name}");
            let opened: Vec<Recording<'_>> = parts.iter().map(|part| open(&name, &part.bytes, &part.extension)).collect();
            let joined = Recording::join(&opened.iter().collect::<Vec<_>>()).unwrap_or_else(|error| panic!("{name}: {error}"));
            let again = whole(&name, &joined);
            assert_eq!(agree(&name, &recording.compare_with_strings(&again)), frames, "{name}");
            let replayed = play(&again).unwrap_or_else(|error| panic!("{name}: {error}"));
            assert!(replayed.frames == played.frames, "{name}: every command is executed once, with the same frame");
        }
    });
}

#[test]
fn overlapping_parts_are_told_once_and_others_refused() {
    let samples = fragreel_testkit::samples("quake3");
    let bytes: Vec<Vec<u8>> = samples.iter().map(fragreel_testkit::Sample::bytes).collect();
    for (sample, bytes) in samples.iter().zip(&bytes) {
        let recording = open(&sample.name, bytes, &sample.extension());
        let cut = |from, to| recording.cut(Range { clock: Clock::Demo, from: Milliseconds(from), to: Milliseconds(to) }).unwrap();
        let (first, second) = (cut(0, 20_000), cut(12_000, i64::MAX));
        let open = |edited: &fragreel_model::Edited| edited.bytes.clone();
        let (a, b) = (open(&first), open(&second));
        let parts = [super::open("a", &a, &first.extension), super::open("b", &b, &second.extension)];
        let joined = Recording::join(&[&parts[0], &parts[1]]).unwrap();
        let again = whole(&sample.name, &joined);
        let (before, after) = (play(&recording).unwrap(), play(&again).unwrap());
        assert_eq!(agree(&sample.name, &recording.compare_with_strings(&again)), before.frames.len() as u64, "{}", sample.name);
        assert!(before.frames == after.frames, "{}", sample.name);
    }
    let of = |name: &str| samples.iter().position(|sample| sample.name.ends_with(name)).expect("our sample");
    let (a, b) = (of("dm_bots.dm_71"), of("ctf_bots.dm_71"));
    let (a, b) = (open("a", &bytes[a], "dm_71"), open("b", &bytes[b], "dm_71"));
    let refused = Recording::join(&[&a, &b]).map(|joined| joined.actions);
    let same_host = |recording: &Recording<'_>| recording.info().server.map(|server| server.raw);
    assert!(refused.is_err() || same_host(&a) == same_host(&b), "{refused:?}");
    assert!(Recording::join(&[]).is_err());
    let other = a.convert(&fragreel_model::Target { format: Some(String::from("dm_68")), pov: None }).unwrap();
    let other = open("other", &other.bytes, "dm_68");
    assert!(Recording::join(&[&a, &other]).unwrap_err().detail().contains("convert"));
}

#[test]
fn matches_are_parts() {
    let mut parts = 0;
    for sample in fragreel_testkit::samples("quake3") {
        let bytes = sample.bytes();
        let recording = open(&sample.name, &bytes, &sample.extension());
        let Ok(matches) = recording.split(Split::Match) else { continue };
        for part in matches {
            let part = whole(&sample.name, &part);
            agree(&sample.name, &recording.compare_with_strings(&part));
            let clock = part.info().match_clock.expect("a match runs in it");
            assert!(clock.0 <= clock.1);
            parts += 1;
        }
    }
    assert!(parts >= 5, "{parts}");
}

#[test]
fn rounds_are_no_matches() {
    let (corpus, mut rounds) = (fragreel_testkit::corpus("quake3"), 0);
    for sample in corpus.iter().filter(|sample| !sample.damaged) {
        let bytes = sample.bytes();
        if bytes.len() > 1_700_000 {
            continue;
        }
        let recording = open(&sample.name, &bytes, &sample.extension());
        let (mut own, mut starts) = (0, 0);
        recording.events([Kind::Round, Kind::Match].into_iter().collect()).for_each(|event| match event.kind {
            EventKind::Round { .. } => own += 1,
            EventKind::Match { state: MatchState::Started, .. } => starts += 1,
            _ => {}
        });
        if own == 0 {
            continue;
        }
        rounds += own;
        let parts = recording.split(Split::Match).map_or(0, |parts| parts.len());
        // one more where the recording begins in a match
        assert!((starts..=starts + 1).contains(&parts), "{}: {parts} parts, {starts} starts", sample.name);
    }
    assert!(corpus.is_empty() || rounds > 20, "{rounds}");
}

#[test]
fn a_level_after_a_gap_executes_its_own_commands_only() {
    let mut anew = 0;
    for sample in fragreel_testkit::samples("quake3") {
        let bytes = sample.bytes();
        let recording = open(&sample.name, &bytes, &sample.extension());
        let cut = |from, to| recording.cut(Range { clock: Clock::Demo, from: Milliseconds(from), to: Milliseconds(to) }).unwrap();
        let (first, second) = (cut(0, 12_000), cut(25_000, i64::MAX));
        let (a, b) = (whole("a", &first), whole("b", &second));
        // as after another connection, whose commands are counted from 1
        let mut counted_anew = 0;
        let third = b.map_messages(&mut |_, message| {
            for operation in &mut message.operations {
                match operation {
                    Operation::Gamestate(gamestate) => counted_anew = std::mem::replace(&mut gamestate.command_sequence, 1) - 1,
                    Operation::ServerCommand(command) => command.sequence -= counted_anew,
                    _ => {}
                }
            }
            Fate::Keep
        });
        let third = third.unwrap();
        let mut wanted = play(&a).unwrap().frames;
        wanted.extend(play(&b).unwrap().frames);
        for next in [&b, &whole("c", &third)] {
            let joined = Recording::join(&[&a, next]).unwrap();
            anew += usize::from(joined.actions.iter().any(|action| action.to_string().contains("begins with its gamestate")));
            let joined = whole(&sample.name, &joined);
            assert!(play(&joined).unwrap().frames == wanted, "{}", sample.name);
        }
    }
    assert!(anew >= 4, "{anew} joins have a second gamestate");
}
