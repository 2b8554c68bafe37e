//! Recordings that are made of our own samples to be odd in one way.

use fragreel_base::wire::Limits;
use fragreel_model::replay::Pieces;
use fragreel_model::{Clock, Kind, Kinds, Milliseconds, Range, When};
use fragreel_quake3::container::{self, END_MARK, Frames, Piece};
use fragreel_quake3::message::{Message, Operation};
use fragreel_quake3::{Chunked, Recording};

fn sample() -> Vec<u8> {
    fragreel_testkit::samples("quake3").iter().find(|sample| sample.name.ends_with("dm_bots.dm_71")).expect("it is ours").bytes()
}

fn open(bytes: &[u8]) -> Recording<'_> {
    Recording::open(bytes, Some("dm_71"), Limits::default()).expect("a recording")
}

/// The messages of the sample twice, as two levels; `clock` gives the server time of a snapshot by its level, its number in the level
/// and its time in the sample. `again` says whether the second begins with a gamestate.
fn two_levels(again: bool, clock: impl Fn(usize, usize, i32) -> i32) -> Vec<u8> {
    let bytes = sample();
    let dialect = open(&bytes).dialect();
    let mut out = Vec::new();
    let mut message = Message::default();
    for level in 0..2 {
        let mut number = 0;
        for piece in Frames::new(&bytes) {
            let Piece::Message(mut frame) = piece else { continue };
            message.read(container::data(&bytes, &frame), dialect).expect("a whole sample");
            let begins = message.operations.iter().any(|operation| matches!(operation, Operation::Gamestate(_)));
            if begins && level == 1 && !again {
                continue;
            }
            for operation in &mut message.operations {
                if let Operation::Snapshot(snapshot) = operation {
                    snapshot.server_time = clock(level, number, snapshot.server_time);
                    number += 1;
                }
            }
            frame.sequence += level as i32 * 100_000;
            frame.write(&message.write_anew(dialect), &mut out);
        }
    }
    out.extend(END_MARK);
    out
}

/// Snapshots of the sample, and how long they last.
fn length() -> (i32, i64) {
    let bytes = sample();
    let info = open(&bytes).info();
    (info.snapshots as i32, info.duration.expect("it has frames").0)
}

#[test]
fn clocks_that_restart_late_early_never_or_inside_a_level_add_up() {
    let (_, once) = length();
    const LATER: i32 = 1_000_000;
    type Shift = fn(usize, usize, i32) -> i32;
    let cases: [(&str, bool, Shift); 4] = [
        ("late", true, |level, number, time| if level == 0 || number < 3 { time + LATER } else { time }),
        ("with the level", true, |level, _, time| if level == 0 { time + LATER } else { time }),
        ("never", true, |level, _, time| if level == 0 { time } else { time + LATER }),
        ("inside a level", false, |level, _, time| if level == 0 { time + LATER } else { time }),
    ];
    for (name, again, shift) in cases {
        let bytes = two_levels(again, shift);
        let recording = open(&bytes);
        let info = recording.info();
        let duration = info.duration.expect("it has frames").0;
        // a late restart costs what passed before it
        assert!((2 * once - 300..=2 * once + 100).contains(&duration), "{name}: {duration} instead of {}", 2 * once);
        let mut times = Vec::new();
        let mut walk = recording.events(Kinds::ALL);
        walk.by_ref().for_each(|event| times.push((event.time, event.match_time)));
        let damage = walk.damage();
        assert_eq!(damage, [], "{name}");
        assert!(times.iter().all(|(time, shown)| time.0 >= 0 && shown.is_none_or(|shown| shown.0 >= 0)), "{name}");
        assert!(times.iter().is_sorted_by_key(|(time, _)| time), "{name}");
        let frames: Vec<Milliseconds> = recording.frames(fragreel_model::FrameOptions::default()).map(|frame| frame.time).collect();
        assert!(frames.is_sorted() && frames[0].0 == 0 && frames.last().unwrap().0 == duration, "{name}");
        let range = Range { clock: Clock::Demo, from: Milliseconds(once + 1000), to: Milliseconds(once + 2000) };
        let cut = recording.cut(range).unwrap_or_else(|error| panic!("{name}: {error}"));
        let part = open(&cut.bytes);
        assert!((900..1100).contains(&part.info().duration.unwrap().0), "{name}");
        assert_eq!(recording.compare_with_strings(&part).differing, 0, "{name}");
        assert!(recording.state_at(When::Demo(Milliseconds(once + 1500))).unwrap().time.0 > once + 1400, "{name}");
    }
}

/// A level's last snapshot is a minute late, and the next level begins behind it: nothing confirms it, whether or not more bytes follow.
#[test]
fn late_snapshots_before_a_level_are_damage_in_chunks_too() {
    let (snapshots, _) = length();
    let bytes = two_levels(true, |level, number, time| if level == 0 && number as i32 + 1 == snapshots { time + 70_000 } else { time });
    let in_memory = open(&bytes).info();
    assert_eq!(in_memory.damage.len(), 1, "{:?}", in_memory.damage);
    let mut pieces = Pieces { bytes: &bytes, size: 65_537 };
    let Ok(chunked) = Chunked::open(&mut pieces, Some("dm_71"), Limits::default());
    let Ok(in_chunks) = chunked.expect("its head says how it is read").info(&mut pieces);
    assert_eq!(in_chunks, in_memory);
}

/// The server's clock is as stated, below 0 too; the recording's begins with 0 all the same.
#[test]
fn servers_clocks_below_zero_are_as_stated() {
    let clean = sample();
    let (_, once) = length();
    let bytes = two_levels(false, |level, _, time| time - 20_000 + level as i32 * (once as i32 + 50));
    let recording = open(&bytes);
    assert_eq!(recording.verify().damage, []);
    let stated: Vec<Milliseconds> = open(&clean).frames(fragreel_model::FrameOptions::default()).map(|frame| frame.server_time).collect();
    let shown: Vec<(Milliseconds, Milliseconds)> =
        recording.frames(fragreel_model::FrameOptions::default()).map(|frame| (frame.time, frame.server_time)).take(stated.len()).collect();
    assert!(shown[0].1.0 < -10_000 && shown[0].0.0 == 0, "{:?}", shown[0]);
    assert!(shown.iter().zip(&stated).all(|((time, server), stated)| server.0 == stated.0 - 20_000 && time.0 == server.0 - shown[0].1.0));
    let mut below_zero = 0;
    recording.events(Kinds::ALL).for_each(|event| {
        assert!(event.time.0 >= 0 && event.match_time.is_none_or(|shown| shown.0 >= 0), "{event:?}");
        below_zero += u32::from(event.server_time.0 < 0);
    });
    assert!(below_zero > 10, "{below_zero}");
    let (time, server) = shown[20];
    assert!(time.0 > 500 && server.0 < -5000, "{time} {server}");
    let moment = recording.state_at(When::Server(server)).unwrap();
    assert_eq!((moment.time, moment.server_time), (time, server));
    let cut = recording.cut(Range { clock: Clock::Server, from: server, to: Milliseconds(server.0 + 1000) }).unwrap();
    let comparison = recording.compare_with_strings(&open(&cut.bytes));
    assert!(comparison.frames > 10 && comparison.differing == 0, "{comparison:?}");
}

#[test]
fn a_range_behind_the_end_is_refused() {
    let bytes = sample();
    let (_, last) = length();
    let error = open(&bytes).cut(Range { clock: Clock::Demo, from: Milliseconds(last + 1), to: Milliseconds(last + 9) }).unwrap_err();
    assert_eq!(error.kind(), fragreel_base::wire::ErrorKind::Misuse);
}

#[test]
fn a_level_that_is_loaded_again_is_listed_once_and_so_is_everybody() {
    let bytes = two_levels(true, |_, _, time| time);
    let info = open(&bytes).info();
    assert_eq!(info.maps, ["oa_minia"]);
    let once = sample();
    assert_eq!(info.players, open(&once).info().players);
}

#[test]
fn one_hole_is_one_finding() {
    let mut bytes = sample();
    let middle = bytes.len() / 2;
    bytes.drain(middle..middle + 5000);
    let recording = open(&bytes);
    let report = recording.verify();
    assert_eq!(report.damage.len(), 1, "{:#?}", report.damage);
    assert!(report.damage[0].detail.contains("frames after it are uncertain"), "{}", report.damage[0].detail);
    assert_eq!(recording.events(Kinds::ALL).into_damage(), report.damage);
    let mut frames = recording.frames(fragreel_model::FrameOptions::default());
    frames.by_ref().for_each(drop);
    assert_eq!(frames.damage(), report.damage);
}

/// A file that a review found, where it is there.
fn review_case(name: &str) -> Option<Vec<u8>> {
    let read = std::fs::read(fragreel_testkit::checkout().join("../shared/review/cases").join(name)).ok();
    if read.is_none() {
        fragreel_testkit::skipped(&format!("quake3: the case {name}, which is not there"));
    }
    read
}

/// A second gamestate that states this number of commands fewer than came before it, and goes on counting from there.
fn counting_back(by: i32) -> Vec<u8> {
    let bytes = two_levels(true, |level, _, time| time + level as i32 * 1_000_000);
    let dialect = open(&bytes).dialect();
    let (mut out, mut message, mut last, mut shift) = (Vec::new(), Message::default(), None, 0);
    for piece in Frames::new(&bytes) {
        let Piece::Message(frame) = piece else { continue };
        message.read(container::data(&bytes, &frame), dialect).expect("a whole sample");
        for operation in &mut message.operations {
            match operation {
                Operation::Gamestate(gamestate) => {
                    shift = last.map_or(0, |last: i32| last - by - gamestate.command_sequence);
                    gamestate.command_sequence += shift;
                }
                Operation::ServerCommand(command) => {
                    command.sequence += shift;
                    last = last.max(Some(command.sequence));
                }
                _ => {}
            }
        }
        frame.write(&message.write_anew(dialect), &mut out);
    }
    out.extend(END_MARK);
    out
}

#[test]
fn numbers_that_go_back_stay_where_nothing_was_taken_out() {
    for by in [0, 1, 70] {
        let bytes = counting_back(by);
        let recording = open(&bytes);
        assert!(recording.verify().is_whole(), "{by}");
        let repaired = recording.repair().expect("it has frames");
        assert!(repaired.actions.is_empty() && repaired.bytes == bytes, "{by}: {:?}", repaired.actions);
        let all = Range { clock: Clock::Demo, from: Milliseconds(0), to: Milliseconds(i64::MAX) };
        assert!(recording.cut(all).expect("all of it").bytes == bytes, "{by}");
        // what two files say in turn is numbered in one row
        let (first, second) = (sample(), counting_back(by));
        let joined = Recording::join(&[&open(&first), &open(&second)]).expect("parts of one server's session");
        assert!(open(&joined.bytes).verify().is_whole(), "{by}");
    }
}

/// Drops what is personal.
struct Scrub;

impl fragreel_model::Rewrite for Scrub {
    fn text(&mut self, _: fragreel_model::Place, role: fragreel_model::Role, _: &mut Vec<u8>) -> fragreel_model::Fate {
        if matches!(role, fragreel_model::Role::Address | fragreel_model::Role::Identifier) { fragreel_model::Fate::Drop } else { fragreel_model::Fate::Keep }
    }
}

/// Shows everything, changes nothing.
struct Idle;

impl fragreel_model::Rewrite for Idle {}

#[test]
fn nothing_personal_is_left_behind_ends() {
    let bytes = sample();
    let dialect = open(&bytes).dialect();
    let secrets = ["10.98.76.54", "STEAM_0:1:4242424", "76561197960287930"];
    let line = secrets.join(" ");
    let command = |text: &str| Operation::ServerCommand(fragreel_quake3::message::ServerCommand { sequence: 1, text: text.as_bytes().to_vec() });
    let coded = Message { operations: vec![command(&format!("print \"{line}\""))], ..Message::default() }.write(dialect);
    // behind a message's end: plain, coded, coded from inside of a byte on, and nothing
    let halved: Vec<u8> = coded.iter().zip(coded.iter().skip(1)).map(|(low, high)| low >> 3 | high << 5).collect();
    let rests: [&[u8]; 4] = [line.as_bytes(), &coded, &halved, b"no secret"];
    for (case, rest) in rests.into_iter().enumerate() {
        let (mut out, mut message) = (Vec::new(), Message::default());
        for piece in Frames::new(&bytes) {
            let Piece::Message(frame) = piece else { continue };
            message.read(container::data(&bytes, &frame), dialect).expect("a whole sample");
            if frame.number == 9 {
                message.rest = [&[0, 0, 0], rest].concat();
            }
            frame.write(&message.write(dialect), &mut out);
        }
        out.extend(END_MARK);
        // and behind the recording's
        if case == 0 {
            out.extend_from_slice(line.as_bytes());
        }
        let recording = open(&out);
        assert!(recording.rewrite(&mut Idle).expect("it is whole").bytes == out, "{case}");
        let scrubbed = recording.rewrite(&mut Scrub).expect("it is whole");
        assert_eq!(scrubbed.bytes == out, case == 3, "{case}");
        assert_eq!(scrubbed.bytes.len(), out.len(), "{case}");
        let has = |secret: &str| scrubbed.bytes.windows(secret.len()).any(|window| window == secret.as_bytes());
        assert!(!secrets.iter().any(|secret| has(secret)), "{case}");
        let mut rests = 0;
        for piece in Frames::new(&scrubbed.bytes) {
            let Piece::Message(frame) = piece else { continue };
            message.read(container::data(&scrubbed.bytes, &frame), dialect).expect("it is whole");
            if frame.number == 9 {
                rests += message.rest.len();
            }
        }
        assert_eq!(rests, rest.len() + 3, "{case}");
    }
}

/// What is damaged, repaired: whole, and repaired again the same.
#[test]
fn repairing_twice_is_repairing_once() {
    let whole = sample();
    let half = whole.len() / 2;
    let mut cases: Vec<(String, Vec<u8>)> = Vec::new();
    for at in (2000..whole.len() - 6000).step_by(9001) {
        let mut hole = whole.clone();
        hole.drain(at..at + 3000);
        cases.push((format!("hole at {at}"), hole));
        let mut zeros = whole.clone();
        zeros[at..at + 200].fill(0);
        cases.push((format!("zeros at {at}"), zeros));
    }
    cases.push((String::from("doubled"), [&whole[..half], &whole[..]].concat()));
    cases.push((String::from("late clock"), two_levels(true, |level, number, time| if level == 0 || number < 3 { time + 1_000_000 } else { time })));
    cases.push((String::from("falling clock"), two_levels(false, |level, _, time| if level == 0 { time + 1_000 } else { time })));
    for case in ["repair-twice.dm_68", "clock-restarts-after-gamestate.dm_68"] {
        cases.extend(review_case(case).map(|bytes| (String::from(case), bytes)));
    }
    for (name, bytes) in cases {
        let recording = open(&bytes);
        let repaired = match recording.repair() {
            Ok(repaired) => repaired,
            // what hits the only gamestate leaves nothing to repair
            Err(error) => {
                assert!(name.ends_with("at 2000") && error.detail().contains("gamestate"), "{name}: {error}");
                continue;
            }
        };
        let once = open(&repaired.bytes);
        let report = once.verify();
        assert!(report.is_whole(), "{name}: {:?}", report.damage);
        let again = once.repair().unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(again.actions, [], "{name}");
        assert!(again.bytes == repaired.bytes, "{name}");
        if recording.verify().is_whole() {
            assert_eq!(repaired.actions, [], "{name}: verify calls it whole");
            assert!(repaired.bytes == bytes, "{name}: nothing was done to it, and it is another file");
        }
    }
}

/// Asking for one kind gives what asking for all gives of it.
#[test]
fn a_filter_never_changes_the_answer() {
    for sample in fragreel_testkit::samples("quake3") {
        let bytes = sample.bytes();
        let recording = Recording::open(&bytes, Some(&sample.extension()), Limits::default()).expect("a recording");
        let mut all = Vec::new();
        recording.events(Kinds::ALL).for_each(|event| all.push(event));
        for kind in Kind::ALL {
            let mut some = Vec::new();
            recording.events([*kind].into_iter().collect()).for_each(|event| some.push(event));
            let wanted: Vec<_> = all.iter().filter(|event| event.kind.kind() == *kind).cloned().collect();
            assert_eq!(some, wanted, "{} {}", sample.name, kind.name());
        }
    }
}

#[test]
fn the_recording_whose_clock_restarts_after_its_gamestate_has_its_length() {
    let Some(bytes) = review_case("clock-restarts-after-gamestate.dm_68") else { return };
    let recording = Recording::open(&bytes, Some("dm_68"), Limits::default()).expect("a recording");
    let info = recording.info();
    let duration = info.duration.unwrap();
    assert!((Milliseconds(1_118_250)..Milliseconds(1_118_350)).contains(&duration), "{duration}");
    assert!(info.snapshot_rate.unwrap() < 35.0);
    recording.events(Kinds::ALL).for_each(|event| assert!(event.time.0 >= 0 && event.match_time.is_none_or(|time| time.0 >= 0), "{event:?}"));
}

#[test]
fn what_happens_before_any_snapshot_has_no_time_in_a_match() {
    let bytes = sample();
    let first = Frames::new(&bytes).find_map(|piece| if let Piece::Message(frame) = piece { Some(frame.end() as usize) } else { None });
    let only = [&bytes[..first.expect("a gamestate")], &END_MARK[..]].concat();
    let mut events = Vec::new();
    events.extend(open(&only).events(Kinds::ALL));
    assert!(!events.is_empty() && events.iter().all(|event| event.match_time.is_none() && event.time.0 == 0), "{events:?}");
}

/// The sample, with every message changed by `change`.
fn changed(mut change: impl FnMut(u32, &mut Message)) -> Vec<u8> {
    let bytes = sample();
    let dialect = open(&bytes).dialect();
    let (mut out, mut message) = (Vec::new(), Message::default());
    for piece in Frames::new(&bytes) {
        let Piece::Message(frame) = piece else { continue };
        message.read(container::data(&bytes, &frame), dialect).expect("a whole sample");
        change(frame.number, &mut message);
        frame.write(&message.write_anew(dialect), &mut out);
    }
    out.extend(END_MARK);
    out
}

/// Clients give the gamestate that they write the number of their last command, which the server acknowledges later.
#[test]
fn a_command_typed_before_recording_is_no_edit() {
    let edits = |bytes: &[u8]| open(bytes).audit().findings.into_iter().filter(|finding| finding.grade == fragreel_model::Grade::Edited).count();
    assert_eq!(edits(&changed(|number, message| message.acknowledged += if number == 0 { 7 } else { 5 })), 0);
    let later = changed(|number, message| message.acknowledged += if number < 300 { 7 } else { 5 });
    assert_eq!(edits(&later), 1, "it falls where the server alone counts");
}

#[test]
fn one_time_that_its_neighbors_contradict_is_damage() {
    for time in [i32::MAX, 0] {
        let bytes = changed(|number, message| {
            for operation in &mut message.operations {
                if let (400, Operation::Snapshot(snapshot)) = (number, operation) {
                    snapshot.server_time = time;
                }
            }
        });
        let (recording, (_, whole)) = (open(&bytes), length());
        let report = recording.verify();
        assert!(report.damage.len() == 1 && report.damage[0].detail.contains("contradict"), "{time}: {:?}", report.damage);
        assert_eq!(recording.info().duration, Some(Milliseconds(whole)));
        recording.events(Kinds::ALL).for_each(|event| assert!(event.time.0 <= whole, "{event:?}"));
        let repaired = recording.repair().expect("it has frames");
        let repaired = open(&repaired.bytes);
        assert!(repaired.verify().is_whole());
        assert_eq!(repaired.info().duration, Some(Milliseconds(whole)));
    }
}

#[test]
fn a_second_recording_in_the_file_is_read_and_split_off() {
    let one = sample();
    let two = [&one[..], &one[..]].concat();
    let recording = open(&two);
    let report = recording.verify();
    assert!(report.is_whole(), "{:?}", report.damage);
    assert!(report.notes.len() == 1 && report.notes[0].detail.starts_with("a second recording begins here") && report.notes[0].offset == one.len() as u64);
    assert!(recording.repair().expect("it has frames").bytes == two, "both stay");
    for by in [fragreel_model::Split::Level, fragreel_model::Split::Gamestate] {
        let parts = recording.split(by).expect("two parts");
        assert_eq!(parts.len(), 2, "{by:?}");
        for part in parts {
            assert_eq!((open(&part.bytes).info().snapshots, open(&part.bytes).verify().is_whole()), (open(&one).info().snapshots, true));
        }
    }
}

/// ioquake3's servers state the protocol of their own kind, and clients of another may record.
#[test]
fn the_extension_decides_where_the_server_states_its_own_protocol_alone() {
    let with = |key: &str| {
        let mut bytes = changed(|_, message| {
            for operation in &mut message.operations {
                let Operation::Gamestate(gamestate) = operation else { continue };
                for item in &mut gamestate.items {
                    if let fragreel_quake3::message::GamestateItem::ConfigString(string) = item
                        && string.index == 0
                    {
                        string.text = format!("\\{key}\\71\\mapname\\q3dm1").into_bytes();
                    }
                }
            }
        });
        bytes.truncate(100_000);
        bytes
    };
    let protocol = |bytes: &[u8], extension| Recording::open(bytes, Some(extension), Limits::default()).expect("a recording").dialect().protocol;
    assert_eq!(protocol(&with("com_protocol"), "dm_68"), 68);
    assert_eq!((protocol(&with("com_protocol"), "dm_71"), protocol(&with("com_protocol"), "zip"), protocol(&with("protocol"), "dm_68")), (71, 71, 71));
}

/// Files of other families may begin like a message; they are not searched to their end.
#[test]
fn detection_looks_at_the_start_of_a_file() {
    let mut bytes = 5u32.to_le_bytes().to_vec();
    bytes.extend(20u32.to_le_bytes());
    bytes.extend([7; 20]);
    bytes.extend(vec![0xee; 200_000]);
    bytes.extend(sample());
    assert_eq!(fragreel_quake3::detect(&bytes, None), fragreel_model::Certainty::No);
    let near = [&bytes[..1000], &sample()].concat();
    assert_eq!(fragreel_quake3::detect(&near, None), fragreel_model::Certainty::Likely);
    // Half-Life's recordings begin with letters
    let letters = [b"HLDEMO\0\0", &[0; 0x4f4d][..], &sample()].concat();
    assert_eq!(fragreel_quake3::detect(&letters, None), fragreel_model::Certainty::No);
}

/// Makes a name longer.
struct Longer;

impl fragreel_model::Rewrite for Longer {
    fn text(&mut self, _: fragreel_model::Place, _: fragreel_model::Role, text: &mut Vec<u8>) -> fragreel_model::Fate {
        let name = b"Kyonshi";
        while let Some(at) = text.windows(name.len() + 1).position(|part| part.starts_with(name) && part[name.len()] != b'_') {
            text.splice(at + name.len()..at + name.len(), *b"_12");
        }
        fragreel_model::Fate::Keep
    }
}

/// The commands of a recording.
fn commands(recording: &Recording<'_>) -> Vec<Vec<u8>> {
    let (mut message, mut all) = (Message::default(), Vec::new());
    for piece in Frames::new(recording.bytes()) {
        let Piece::Message(frame) = piece else { continue };
        if message.read(container::data(recording.bytes(), &frame), recording.dialect()).is_ok() {
            all.extend(message.operations.iter().filter_map(|operation| match operation {
                Operation::ServerCommand(command) => Some(command.text.clone()),
                _ => None,
            }));
        }
    }
    all
}

#[test]
fn edits_write_no_command_that_engines_cannot_read() {
    let Some(bytes) = review_case("2026-11/k4_1015.dm_68") else { return };
    let recording = Recording::open(&bytes, Some("dm_68"), Limits::default()).expect("a recording");
    let error = recording.rewrite(&mut Longer).expect_err("it would be too long");
    assert!(error.detail().contains("1022"), "{error}");
    let Some(bytes) = review_case("2026-11/k_longcmd1024.dm_68") else { return };
    let recording = Recording::open(&bytes, Some("dm_68"), Limits::default()).expect("a recording");
    assert!(commands(&recording).iter().any(|text| text.len() > 1022 && !text.starts_with(b"cs ")));
    let repaired = recording.repair().expect("it has frames");
    let repaired = Recording::open(&repaired.bytes, Some("dm_68"), Limits::default()).expect("a recording");
    assert!(commands(&repaired).iter().all(|text| text.len() <= 1022));
    let Some(bytes) = review_case("2026-11/k2_download.dm_68") else { return };
    let recording = Recording::open(&bytes, Some("dm_68"), Limits::default()).expect("a recording");
    let repaired = recording.repair().expect("it has frames");
    assert!(repaired.actions.iter().any(|action| action.kind() == "download_left_out"), "{:?}", repaired.actions);
}

/// A command in front of the damage of its message counts for what follows.
#[test]
fn what_commands_before_damage_set_stays() {
    let Some(bytes) = review_case("2026-11/repair-q3-whole-but-not-what-it-should-be.dm_71") else { return };
    let recording = open(&bytes);
    let repaired = recording.repair().expect("it has frames");
    let again = open(&repaired.bytes);
    assert!(again.verify().is_whole());
    let compared = recording.compare_with_strings(&again);
    assert!(compared.frames > 500 && compared.differing == 0, "{:?}", compared.differences);
}
