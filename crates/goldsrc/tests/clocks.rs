//! Clocks that start again early, late or never, that stand still, and how long a recording is said to be.

use fragreel_goldsrc::Recording;
use fragreel_goldsrc::message::{Message, NewUserMessage, PacketEntities, Time, UpdateUserInfo, UserMessage};
use fragreel_goldsrc::properties::assemble::{Plan, assembled, long};
use fragreel_goldsrc::properties::tiny_recording;
use fragreel_goldsrc::{Context, Dialect, Padded, Str};
use fragreel_model::{Clock, Fate, FrameOptions, Kinds, Milliseconds, Range, When};

fn open(bytes: &[u8]) -> Recording<'_> {
    Recording::open(bytes, None, fragreel_base::wire::Limits::default()).unwrap()
}

/// The made recording of another spawn of another map, whose frames show these server times.
fn level(times: [f32; 2]) -> Vec<u8> {
    let bytes = tiny_recording();
    let mut times = times.into_iter();
    let edited = open(&bytes).map_messages(&mut |_, message| {
        match message {
            Message::ServerInfo(info) => {
                info.spawn_count += 1;
                info.map.0 = b"maps/another.bsp".to_vec();
            }
            Message::Time(time) => time.time = times.next().unwrap_or(time.time),
            _ => {}
        }
        Fate::Keep
    });
    edited.unwrap().bytes
}

#[test]
fn clocks_start_again_early_late_or_never() {
    let first = tiny_recording();
    for (what, times) in [("with the level", [1.0, 1.125]), ("never", [100.5, 100.625]), ("late", [100.25, 1.0]), ("far ahead", [5000.0, 5000.125])] {
        let second = level(times);
        let joined = Recording::join(&[&open(&first), &open(&second)]).unwrap();
        let recording = open(&joined.bytes);
        assert_eq!(recording.verify().damage, [], "{what}");
        let frames: Vec<_> = recording.frames(FrameOptions::default()).collect();
        assert_eq!(frames.iter().map(|frame| frame.level).collect::<Vec<_>>(), [0, 0, 1, 1], "{what}");
        assert!(frames.is_sorted_by_key(|frame| frame.time), "{what}: {:?}", frames.iter().map(|frame| frame.time).collect::<Vec<_>>());
        let last = frames[3].time;
        assert_eq!(recording.info().duration, Some(last), "{what}");
        let mut before = Milliseconds(0);
        recording.events(Kinds::ALL).for_each(|event| {
            assert!(event.time >= before && event.time <= last, "{what}: {event:?}");
            before = event.time;
        });
        // of several frames at one time, the last starts a cut
        for frame in frames.iter().filter(|frame| frames.iter().all(|other| other.number <= frame.number || other.time != frame.time)) {
            let cut = recording.cut(Range { clock: Clock::Demo, from: frame.time, to: frame.time }).unwrap_or_else(|error| panic!("{what}: {error}"));
            let shown: Vec<_> = open(&cut.bytes).frames(FrameOptions::default()).collect();
            assert!(shown.iter().any(|shown| shown.server_time == frame.server_time), "{what}: {}", frame.time);
        }
    }
}

/// The server's clock is as stated, below 0 too; the recording's begins with 0 all the same, and the match's is never negative.
#[test]
fn servers_clocks_below_zero_are_as_stated() {
    let clean = long(Plan::default(), 80).finish();
    let below = open(&clean).map_messages(&mut |_, message| {
        if let Message::Time(time) = message {
            time.time -= 105.0;
        }
        Fate::Keep
    });
    let below = below.unwrap().bytes;
    let recording = open(&below);
    assert_eq!(recording.verify().damage, []);
    let times = |recording: &Recording<'_>| recording.frames(FrameOptions::default()).map(|frame| (frame.time.0, frame.server_time.0)).collect::<Vec<_>>();
    let shown = times(&recording);
    assert_eq!(shown, times(&open(&clean)).into_iter().map(|(time, server)| (time, server - 105_000)).collect::<Vec<_>>());
    assert_eq!((shown[0], shown[40]), ((0, -5000), (5000, 0)));
    assert!(recording.frames(FrameOptions::default()).all(|frame| frame.match_time.is_none_or(|shown| shown.0 >= 0)));
    let mut below_zero = 0;
    recording.events(Kinds::ALL).for_each(|event| {
        assert!(event.time.0 >= 0);
        below_zero += u32::from(event.server_time.0 < 0);
    });
    assert!(below_zero > 0);
    let moment = recording.state_at(When::Server(Milliseconds(-2000))).unwrap();
    assert_eq!((moment.time.0, moment.server_time.0), (3000, -2000));
    let cut = recording.cut(Range { clock: Clock::Server, from: Milliseconds(-3000), to: Milliseconds(-1000) }).unwrap();
    let comparison = recording.compare(&open(&cut.bytes));
    assert_eq!((comparison.frames, comparison.differing), (17, 0), "{comparison:?}");
}

/// A recorder that crashed or was stopped late dates its last macro otherwise: what is shown counts, for `info` and `cut` alike.
#[test]
fn info_and_cut_agree_on_the_length() {
    let mut file = assembled(Plan::default());
    file.macro_with(5, 100.0, 999, &[]);
    let bytes = file.finish();
    let recording = open(&bytes);
    let length = recording.info().duration.unwrap();
    assert_eq!(length, Milliseconds(125));
    let range = |from: i64| Range { clock: Clock::Demo, from: Milliseconds(from), to: Milliseconds(200_000) };
    assert!(recording.cut(range(length.0)).is_ok());
    let error = recording.cut(range(length.0 + 1)).unwrap_err();
    assert_eq!(error.kind(), fragreel_base::wire::ErrorKind::Misuse);
    assert!(error.detail().contains("there are frames from 0:00.000 to 0:00.125"), "{error}");
}

/// Who leaves and comes again is one person, whatever slot he gets.
#[test]
fn who_comes_again_is_listed_once() {
    let mut file = assembled(Plan::default());
    let mut context = Context::new(Dialect::new(5, 48).unwrap().messages.unwrap());
    let mut user = |slot: u8, user_id: i32, info: &str| {
        let update = UpdateUserInfo { slot, user_id, info: Str(info.as_bytes().to_vec()), key_hash: Some([0; 16]) };
        fragreel_goldsrc::encode(&mut [Message::UpdateUserInfo(update)], &mut context)
    };
    file.segment(1, "Encore");
    file.macro_with(2, 0.0, 0, &[]);
    for (frame, messages) in
        [user(1, 41, ""), user(1, 50, "\\name\\naper"), user(1, 50, ""), user(3, 51, "\\name\\naper"), user(1, 52, "\\name\\Barney")].iter().enumerate()
    {
        file.data(1, frame as f32, 20 + frame as i32, messages);
    }
    file.macro_with(5, 9.0, 30, &[]);
    let bytes = file.finish();
    let names: Vec<_> = open(&bytes).info().players.into_iter().map(|player| (player.slot, player.name.clean)).collect();
    assert_eq!(names, [(0, String::from("Gordon")), (1, String::from("Barney")), (3, String::from("naper"))]);
}

/// Comparing a recording whose clock stands still costs what comparing any other does.
#[test]
fn comparing_is_linear() {
    let clean = long(Plan::default(), 4000).finish();
    let still = open(&clean).map_messages(&mut |_, message| {
        if let Message::Time(time) = message {
            time.time = 7.0;
        }
        Fate::Keep
    });
    let still = still.unwrap().bytes;
    let time = |bytes: &[u8]| {
        let recording = open(bytes);
        let started = std::time::Instant::now();
        let comparison = recording.compare(&recording);
        assert_eq!((comparison.frames, comparison.differing), (4002, 0));
        started.elapsed()
    };
    let (usual, slow) = (time(&clean), time(&still));
    assert!(slow < usual * 4 + std::time::Duration::from_millis(300), "{slow:?} where a sound recording takes {usual:?}");
}

/// A server's clock that goes slower than the recorder's is a finding, unless the server states a timescale or the game is paused.
#[test]
fn a_speed_hack_shows_in_the_clocks() {
    use fragreel_model::{FindingKind, Grade};
    let bytes = long(Plan::default(), 200).finish();
    let paced = |pace: f32| {
        let edited = open(&bytes).map_messages(&mut |_, message| {
            if let Message::Time(time) = message {
                time.time = 100.0 + (time.time - 100.0) * pace;
            }
            Fate::Keep
        });
        let bytes = edited.unwrap().bytes;
        let (info, audit) = (open(&bytes).info(), open(&bytes).audit());
        let (recorder, server) = (info.duration.unwrap().0 as f32, info.server_duration.unwrap().0 as f32);
        assert!((server / recorder / pace - 1.0).abs() < 0.05, "{pace}: {recorder} ms of the recorder, {server} ms of the server");
        audit.findings.into_iter().filter(|finding| finding.kind == FindingKind::ClockDrift).map(|finding| finding.grade).collect::<Vec<_>>()
    };
    for (pace, found) in
        [(1.0, vec![]), (0.8, vec![Grade::Normal]), (1.2, vec![Grade::Normal]), (1.05, vec![]), (0.15, vec![Grade::Suspicious]), (4.0, vec![Grade::Suspicious])]
    {
        assert_eq!(paced(pace), found, "{pace}");
    }
}

/// A recording in which a match commences at the server time 102.
pub(crate) fn commencing() -> Vec<u8> {
    let mut file = assembled(Plan::default());
    let mut context = Context::new(Dialect::new(5, 48).unwrap().messages.unwrap());
    let mut name = Padded::<16>::default();
    name.0[..7].copy_from_slice(b"TextMsg");
    file.segment(1, "Encore");
    file.macro_with(2, 0.0, 0, &[]);
    for (at, text) in [(1, &b"\x01wait\0"[..]), (2, b"\x01#Game_Commencing\0"), (3, b"\x01go\0")] {
        let mut messages = vec![Message::Time(Time { time: 100.0 + at as f32 }), Message::PacketEntities(PacketEntities::default())];
        if at == 1 {
            messages.push(Message::NewUserMessage(NewUserMessage { number: 102, size: -1, name }));
        }
        messages.push(Message::User(UserMessage { id: 102, data: text.to_vec() }));
        file.data(1, at as f32, 20 + at, &fragreel_goldsrc::encode(&mut messages, &mut context));
    }
    file.macro_with(5, 3.0, 23, &[]);
    file.finish()
}

/// No match clock is known before a match commences. Events and frames then have one.
#[test]
fn events_and_frames_share_the_match_clock() {
    let bytes = commencing();
    let recording = open(&bytes);
    let mut prints = Vec::new();
    recording.events(Kinds::ALL).for_each(|event| {
        if event.server_time < Milliseconds(102_000) || matches!(event.kind, fragreel_model::EventKind::Level { .. }) {
            assert_eq!(event.match_time, None, "{event:?}");
        } else {
            prints.push((event.server_time.0, event.match_time.map(|time| time.0)));
        }
    });
    assert_eq!(prints, [(102_000, Some(0)), (103_000, Some(1000))]);
    // the block in which the match commences has its frame before the text
    let frames: Vec<_> = recording.frames(FrameOptions::default()).map(|frame| frame.match_time.map(|time| time.0)).collect();
    assert_eq!(frames, [None, None, None, Some(0), Some(1000)]);
}
