//! The recorder against this crate's demo server, over networks of all kinds, and against hostile servers.

use std::collections::HashSet;

use fragreel_live::network::Dice;
use fragreel_live::{PlaybackServer as _, Stream as _};

use super::*;
use crate::demo_server::DemoServer;
use fragreel_quake2::Recording;
use fragreel_quake2::walk::{At, Visitor};

fn sample(name: &str) -> Vec<u8> {
    std::fs::read(fragreel_testkit::checkout().join("samples/quake2").join(name)).expect("a sample")
}

fn opened(bytes: &[u8]) -> Recording<'_> {
    Recording::open(bytes, Some("dm2"), fragreel_base::wire::Limits::default()).expect("a recording")
}

/// Entities of every frame, to be found by.
fn frames(bytes: &[u8]) -> Vec<Vec<u32>> {
    struct Frames(Vec<Vec<u32>>);
    impl Visitor for Frames {
        fn message(&mut self, _: At, _: &mut Message, _: &[u8], effect: Effect, state: &State) {
            if effect == Effect::Frame {
                let entities = state.ring.current().unwrap().entities(state.dialect.line);
                let words = entities.flat_map(|(number, row)| {
                    let row = fragreel_quake2::state::aged(&row, state.dialect.line);
                    std::iter::once(u32::from(number)).chain(row).collect::<Vec<_>>()
                });
                self.0.push(words.collect());
            }
        }
    }
    let recording = opened(bytes);
    let mut frames = Frames(Vec::new());
    recording.input().walk(recording.input().walk_options(), &mut frames);
    frames.0
}

/// Records from a show. Gives the file and why it ended.
fn record(source: &[u8], loss: u32, seed: u64, seconds: f64, each: impl FnMut(f64, &mut DemoServer<u8>)) -> (Vec<u8>, String) {
    let mut show = DemoServer::new(&opened(source), "test", 7, []).unwrap();
    let mut recorder = Recorder::new(Settings { name: String::from("me"), qport: 9, ..Settings::default() });
    let mut file = fragreel_live::sessions::record(&mut show, &mut recorder, [seed, seed + 1], loss, seconds, each);
    recorder.leave();
    recorder.take_recording(&mut file);
    (file, recorder.ended().unwrap_or_default().to_owned())
}

#[test]
fn what_is_recorded_is_what_was_shown() {
    for (name, loss) in [("yq2dm_Alice.dm2", 0), ("yq2dm_Alice.dm2", 20), ("synth_fixmulti_lmpc.dm2", 5)] {
        let source = sample(name);
        let known: HashSet<Vec<u32>> = frames(&source).into_iter().collect();
        let (file, reason) = record(&source, loss, 3, 45.0, |_, _| {});
        assert_eq!(reason, "left the server");
        let seen = frames(&file);
        assert!(seen.len() > 200, "{name} at {loss} %: {} frames", seen.len());
        assert!(seen.iter().all(|frame| known.contains(frame)), "{name} at {loss} %");
        let verified = opened(&file).verify();
        assert!(verified.damage.is_empty(), "{name} at {loss} %: {:?}", verified.damage);
        let audit = opened(&file).audit();
        assert!(audit.findings.iter().all(|finding| finding.grade < fragreel_model::Grade::Edited), "{name} at {loss} %: {:?}", audit.findings);
    }
}

#[test]
fn jumps_and_the_shows_end_leave_a_whole_recording() {
    let source = sample("yq2dm_Alice.dm2");
    let (file, reason) = record(&source, 5, 8, 30.0, |now, show| {
        if now == 10.0 {
            show.seek(50_000);
        } else if now == 15.0 {
            show.seek(1000);
        } else if now == 20.0 {
            show.close();
        }
    });
    assert!(reason.starts_with("the server"), "{reason}");
    assert!(opened(&file).verify().damage.is_empty());
    assert!(frames(&file).len() > 150);
}

/// A server that vanishes without a word: what was recorded until then is whole.
#[test]
fn a_server_that_vanishes_leaves_a_whole_recording() {
    let source = sample("yq2dm_Alice.dm2");
    let mut show: DemoServer<u8> = DemoServer::new(&opened(&source), "test", 7, []).unwrap();
    let mut recorder = Recorder::new(Settings { name: String::from("me"), qport: 9, ..Settings::default() });
    let mut file = fragreel_live::sessions::record(&mut show, &mut recorder, [3, 4], 0, 20.0, |_, _| {});
    assert!(fragreel_live::sessions::hears_nothing(&mut recorder, 20.0, 50.5));
    assert_eq!(recorder.ended(), Some("the server fell silent"));
    recorder.take_recording(&mut file);
    let verified = opened(&file).verify();
    assert!(verified.is_whole() && verified.snapshots > 50, "{:?}", verified.damage);
    assert!(file.ends_with(&[0xff; 4]));
}

/// A recording that grows while it is shown, and begins again as after a level change; as one recording, or one per level.
#[test]
fn a_growing_recording_is_passed_on() {
    let source = sample("yq2dm_Alice.dm2");
    let known: HashSet<Vec<u32>> = frames(&source).into_iter().collect();
    let whole = &source[..source.len() - 4];
    let twice = [whole, whole].concat();
    for loss in [0, 10, 20] {
        let fed = 60_000;
        let mut show: DemoServer<u8> = DemoServer::new(&opened(&twice[..fed]), "test", 7, []).unwrap();
        let mut recorder = Recorder::new(Settings { name: String::from("me"), qport: 9, ..Settings::default() });
        let apart = loss == 10 && recorder.split_levels();
        let rate = whole.len() / 2000;
        let files = fragreel_live::sessions::record_growing(&mut show, &mut recorder, [3, 4], loss, 40.0, &twice[fed..], rate);
        assert_eq!(files.len(), if apart { 2 } else { 1 });
        let seen: Vec<_> = files.iter().flat_map(|file| frames(file)).collect();
        assert!(seen.len() > 300, "at {loss} %: {} frames", seen.len());
        assert!(seen.iter().all(|frame| known.contains(frame)), "at {loss} %");
        for file in &files {
            assert!(opened(file).verify().is_whole(), "at {loss} %");
            assert_eq!(opened(file).split(fragreel_model::Split::Gamestate).unwrap().len() * files.len(), 2, "at {loss} %");
        }
    }
}

#[test]
fn hostile_servers_end_it_and_cost_no_memory() {
    let mut dice = Dice::new(4);
    for round in 0..300 {
        let mut recorder = Recorder::new(Settings::default());
        let mut server = Channel::new(Side::Server { qport: 0 });
        recorder.receive(b"\xff\xff\xff\xffchallenge 5");
        recorder.receive(b"\xff\xff\xff\xffclient_connect");
        for step in 0..300 {
            let payload: Vec<u8> = match dice.below(4) {
                0 => (0..dice.below(300)).map(|_| dice.roll() as u8).collect(),
                1 => b"\x0bcmd flood $version $version\nset a b\n\0".repeat(20),
                2 => b"\x0bprecache\nreconnect\n\0".to_vec(),
                _ => vec![20, 1, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 0, dice.below(3) as u8],
            };
            let payload = if round % 2 == 0 { payload } else { b"\x0bcmd x\n\0".repeat(150) };
            recorder.receive(&server.transmit(&payload));
            recorder.tick(f64::from(step) * 0.1);
            while recorder.next_request().is_some() {}
        }
        assert!(recorder.channel.waiting() <= 2 * MAX_UNACKNOWLEDGED);
        let mut file = Vec::new();
        recorder.take_recording(&mut file);
        assert!(file.is_empty());
    }
    let mut recorder = Recorder::new(Settings::default());
    (0..400).for_each(|step| recorder.tick(f64::from(step) * 0.1));
    assert_eq!(recorder.ended(), Some("the server did not answer"));
}

/// What a recorder asks for outside of the connection until `end`, with the time.
fn requests_until(recorder: &mut Recorder, now: &mut f64, end: f64) -> Vec<(f64, String)> {
    let mut requests = Vec::new();
    while *now < end && recorder.ended().is_none() {
        *now += 0.1;
        recorder.tick(*now);
        while let Some(request) = recorder.next_request() {
            if let Some(text) = request.strip_prefix(b"\xff\xff\xff\xff") {
                requests.push((*now, String::from_utf8_lossy(text).into_owned()));
            }
        }
    }
    requests
}

/// Lets a recorder in and drops it with this message. Returns its `connect`.
fn let_in_and_drop(recorder: &mut Recorder, payload: &[u8]) -> String {
    recorder.receive(b"\xff\xff\xff\xffchallenge 5");
    let asked = std::iter::from_fn(|| recorder.next_request()).last().expect("it connects");
    let asked = String::from_utf8_lossy(&asked).into_owned();
    recorder.receive(b"\xff\xff\xff\xffclient_connect");
    recorder.receive(&Channel::new(Side::Server { qport: 0 }).transmit(payload));
    asked
}

/// Yamagi's server drops clients that sign on while another one connects. It keeps their slot for two seconds.
#[test]
fn whom_a_server_drops_before_the_first_frame_joins_again() {
    const DISCONNECT: &[u8] = b"\x07";
    let (mut recorder, mut now) = (Recorder::new(Settings { qport: 7, ..Settings::default() }), 0.0);
    for attempt in 0..=MAX_DROPPED {
        let begun = now;
        let requests = requests_until(&mut recorder, &mut now, begun + 4.0);
        let first = requests.first().expect("it asks again");
        assert!(first.1.starts_with("getchallenge") && (attempt == 0 || first.0 - begun > 2.0), "attempt {attempt}: {first:?}");
        assert!(recorder.ended().is_none());
        let asked = let_in_and_drop(&mut recorder, DISCONNECT);
        assert!(asked.contains(&format!("connect 34 {} 5 ", 7 + attempt)), "{asked}");
    }
    assert_eq!(recorder.ended(), Some("the server closed the connection"));
    // a late packet of the old connection is no acceptance
    let mut recorder = Recorder::new(Settings::default());
    recorder.tick(0.0);
    let_in_and_drop(&mut recorder, DISCONNECT);
    recorder.receive(&Channel::new(Side::Server { qport: 0 }).transmit(b"\x06"));
    assert_eq!(recorder.phase, Phase::Asking);
    // if the packet that drops the client is lost, nothing else comes
    let (mut recorder, mut now) = (Recorder::new(Settings::default()), 0.0);
    recorder.tick(0.0);
    let_in_and_drop(&mut recorder, b"\x06");
    assert_eq!(requests_until(&mut recorder, &mut now, SIGNON_SILENCE), []);
    let requests = requests_until(&mut recorder, &mut now, SIGNON_SILENCE + 4.0);
    assert!(requests.first().is_some_and(|(_, text)| text.starts_with("getchallenge")), "{requests:?}");
    // who gives a reason means it
    let mut recorder = Recorder::new(Settings::default());
    recorder.tick(0.0);
    let_in_and_drop(&mut recorder, b"\x0a\x02You were kicked\n\0\x07");
    assert_eq!(recorder.ended(), Some("the server closed the connection: You were kicked"));
}

/// Levels and questions without end, and never a frame: each looks like a new beginning.
#[test]
fn an_endless_sign_on_ends_in_time() {
    let source = sample("yq2dm_Alice.dm2");
    let length = u32::from_le_bytes(source[..4].try_into().unwrap()) as usize;
    let level = &source[4..4 + length];
    for payload in [level, b"\x0bprecache\n\0", b"\x06"] {
        let mut recorder = Recorder::new(Settings::default());
        let mut server = Channel::new(Side::Server { qport: 0 });
        recorder.tick(0.0);
        recorder.receive(b"\xff\xff\xff\xffchallenge 5");
        recorder.receive(b"\xff\xff\xff\xffclient_connect");
        let (mut now, mut heard) = (0.0, 0);
        while recorder.ended().is_none() && now < 200.0 {
            now += 0.5;
            recorder.tick(now);
            recorder.receive(&server.transmit(payload));
            while let Some(request) = recorder.next_request() {
                heard += usize::from(server.receive(&request).is_ok());
            }
        }
        let reason = recorder.ended().unwrap_or_default();
        assert!((60.0..90.0).contains(&now) && reason.starts_with("the server does not admit us to the game"), "{reason} at {now}");
        assert!(heard > 100 && recorder.core.frames == 0 && recorder.core.written.bytes.is_empty() && recorder.channel.waiting() <= MAX_UNACKNOWLEDGED);
    }
}

#[test]
fn sessions_on_bad_networks_converge_once_those_heal() {
    let source = sample("yq2dm_Alice.dm2");
    let known: HashSet<Vec<u32>> = frames(&source).into_iter().collect();
    for number in 0..fragreel_testkit::sessions(40) {
        let mut show: DemoServer<u32> = DemoServer::new(&opened(&source), "test", number, []).unwrap();
        let mut recorder = Recorder::new(Settings { name: String::from("me"), qport: number as u16, ..Settings::default() });
        let ending = fragreel_live::sessions::Session::new(number).run(&mut show, &mut recorder);
        assert_eq!(ending.broken, None, "session {number}");
        assert!(ending.fresh > 200, "session {number}: {} bytes at its end", ending.fresh);
        // where it postponed something, the end has all of it
        let seen = frames(&ending.recording);
        let last = &seen[seen.len().saturating_sub(10)..];
        assert!(last.iter().all(|frame| known.contains(frame)), "session {number}");
        assert!(opened(&ending.recording).verify().damage.is_empty(), "session {number}");
        assert!(recorder.channel.waiting() < 4096);
    }
}

/// Who takes little is sent fewer frames, and each says how many were left out before it.
#[test]
fn rates_are_kept() {
    let source = sample("yq2dm_Alice.dm2");
    let known: HashSet<Vec<u32>> = frames(&source).into_iter().collect();
    let mut bytes = Vec::new();
    for rate in [600, 1200, 50_000] {
        let mut show: DemoServer<u8> = DemoServer::new(&opened(&source), "test", 7, []).unwrap();
        let recorder = Recorder::new(Settings { name: String::from("me"), qport: 9, rate: Some(rate), ..Settings::default() });
        let mut guests = [fragreel_live::sessions::Guest { recorder, recording: Vec::new(), loss: 0, bytes: 0 }];
        fragreel_live::sessions::crowd(&mut show, &mut guests, 40.0, |_, _, _| {});
        let [guest] = &mut guests;
        guest.recorder.leave();
        guest.recorder.take_recording(&mut guest.recording);
        assert!(frames(&guest.recording).iter().all(|frame| known.contains(frame)));
        assert!(opened(&guest.recording).verify().damage.is_empty());
        bytes.push(guest.bytes);
    }
    // signing on is not counted
    assert!(bytes[0] < 600 * 40 + 20_000 && bytes[0] * 5 < bytes[1] * 4 && bytes[1] < bytes[2], "{bytes:?}");
}

/// The words of the requests that a recorder makes within some seconds.
fn requests(recorder: &mut Recorder, times: std::ops::Range<u32>) -> Vec<String> {
    let mut all = Vec::new();
    for step in times {
        recorder.tick(f64::from(step) * 0.1);
        while let Some(request) = recorder.next_request() {
            all.extend(request.strip_prefix(OUTSIDE).map(|text| String::from_utf8_lossy(text).split_whitespace().next().unwrap_or_default().to_owned()));
        }
    }
    all
}

/// A server keeps one challenge for an address, so clients at one address take each other's.
#[test]
fn a_refused_challenge_is_asked_for_again() {
    for refusal in ["Bad challenge.", "No challenge for address."] {
        let mut recorder = Recorder::new(Settings { qport: 3, ..Settings::default() });
        assert_eq!(requests(&mut recorder, 1..2), ["getchallenge"]);
        recorder.receive(b"\xff\xff\xff\xffchallenge 5 p=34");
        assert_eq!(requests(&mut recorder, 2..3), ["connect"]);
        recorder.receive(&[OUTSIDE, b"print\n", refusal.as_bytes(), b"\n"].concat());
        assert_eq!(recorder.ended(), None, "{refusal}");
        assert_eq!(requests(&mut recorder, 3..15)[..1], ["getchallenge"], "{refusal}");
        recorder.receive(b"\xff\xff\xff\xffchallenge 6 p=34");
        assert_eq!(requests(&mut recorder, 15..16), ["connect"], "{refusal}");
        recorder.receive(b"\xff\xff\xff\xffclient_connect");
        assert_eq!(recorder.phase, Phase::Connected);
    }
}

/// Yamagi's server ignores a second `connect`.
#[test]
fn a_packet_of_the_connection_is_acceptance() {
    let mut recorder = Recorder::new(Settings::default());
    let mut server = Channel::new(Side::Server { qport: 0 });
    recorder.tick(0.1);
    recorder.receive(&server.transmit(b""));
    assert_eq!(recorder.phase, Phase::Asking, "nobody asked to join");
    recorder.receive(b"\xff\xff\xff\xffchallenge 5");
    recorder.receive(&server.transmit(b""));
    assert_eq!(recorder.phase, Phase::Connected);
    let new = std::iter::from_fn(|| recorder.next_request()).find(|request| server.receive(request).is_ok_and(|received| received.reliable));
    assert!(new.is_some_and(|request| request.windows(3).any(|window| window == b"new")));
}
