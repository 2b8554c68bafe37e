//! The recorder against this crate's own show, over networks of all kinds, and against hostile servers.

use fragreel_live::network::Dice;
use fragreel_live::{PlaybackServer as _, Stream as _};

use super::*;
use crate::demo_server::netquake::NetQuakeDemoServer;
use crate::netquake_frames::{frames, is_known, sample};
use fragreel_quake1::Recording;

fn record(source: &[u8], recorder: Recorder, loss: u32, seconds: f64, each: impl FnMut(f64, &mut NetQuakeDemoServer<u8>)) -> (Vec<u8>, String) {
    let recording = Recording::open(source, Some("dem"), fragreel_base::wire::Limits::default()).unwrap();
    let mut show = NetQuakeDemoServer::new(&recording, "test", []).unwrap();
    show.listens(26_000);
    let mut recorder = recorder;
    let mut file = fragreel_live::sessions::record(&mut show, &mut recorder, [3, 4], loss, seconds, each);
    assert!(recorder.ended().is_some() || recorder.port() == Some(26_000));
    recorder.leave();
    recorder.take_recording(&mut file);
    (file, recorder.ended().unwrap_or_default().to_owned())
}

#[test]
fn what_is_recorded_is_what_was_shown() {
    for (format, loss) in [("dem 15", 0), ("dem 666", 20), ("dem 999", 10)] {
        let source = sample("netquake666_deltas_dm6.dem", format);
        let (file, reason) = record(&source, Recorder::new("me").plain(), loss, 20.0, |_, _| {});
        assert_eq!(reason, "left the server");
        let (all, seen) = (frames(&source), frames(&file));
        assert!(seen.len() > 60, "{format} at {loss} %: {} frames", seen.len());
        assert!(seen.iter().all(|frame| is_known(&all, frame, false)), "{format} at {loss} %");
        let recording = Recording::open(&file, Some("dem"), fragreel_base::wire::Limits::default()).unwrap();
        assert!(recording.verify().damage.is_empty() && !recording.dialect().replacement(), "{format} at {loss} %");
    }
}

/// Both ends of this crate agree on replacement deltas. What was lost is late, so frames are compared where nothing is lost.
#[test]
fn replacement_deltas_show_the_same() {
    for format in ["dem 15", "dem 666", "dem 999"] {
        for name in ["netquake666_deltas_dm6.dem", "netquake666_deltas_e1m1.dem"] {
            let source = sample(name, format);
            let (file, reason) = record(&source, Recorder::new("me"), 0, 20.0, |_, _| {});
            assert_eq!(reason, "left the server");
            let (all, seen) = (frames(&source), frames(&file));
            assert!(seen.len() > 60, "{name} as {format}: {} frames", seen.len());
            assert!(seen.iter().all(|frame| is_known(&all, frame, true)), "{name} as {format}");
            let recording = Recording::open(&file, Some("dem"), fragreel_base::wire::Limits::default()).unwrap();
            assert!(recording.verify().damage.is_empty() && recording.dialect().numbers.pext2 == 0x68, "{name} as {format}");
        }
    }
}

/// A server with replacement deltas, made of a recording of one: it asks what the client has, then sends what it recorded.
#[test]
fn replacement_deltas_are_agreed_on_and_acknowledged() {
    const BLOCKS: usize = 80;
    let bytes = std::fs::read(fragreel_testkit::checkout().join("samples/quake1/netquake666_deltas_e1m1.dem")).expect("a sample");
    let source = Recording::open(&bytes, Some("dem"), fragreel_base::wire::Limits::default()).unwrap();
    let blocks: Vec<Vec<u8>> = source.blocks().map_while(Result::ok).map(|block| block.data.to_vec()).take(BLOCKS).collect();
    let (mut recorder, mut server, mut heard, mut now) = (Recorder::new("me"), Channel::new(), Vec::new(), 0.0);
    let mut pass = |recorder: &mut Recorder, server: &mut Channel| {
        for _ in 0..4 {
            now += 0.06;
            recorder.tick(now);
            while let Some(request) = recorder.next_request() {
                let mut answer = None;
                if let Arrived::Reliable(payload) | Arrived::Unreliable { payload, .. } = server.receive(&request, &mut answer) {
                    heard.push(payload);
                }
                if let Some(answer) = answer {
                    recorder.receive(&answer);
                }
            }
        }
    };
    recorder.receive(&crate::handshake::netquake::accept(0));
    recorder.receive(&server.unreliable(b"\x09cmd protocols\n\0\x09cmd pext\n\0"));
    pass(&mut recorder, &mut server);
    for block in &blocks {
        recorder.receive(&server.unreliable(block));
        pass(&mut recorder, &mut server);
    }
    assert_eq!(recorder.ended(), None);
    let said = heard.concat();
    let says = |text: &[u8]| said.windows(text.len()).any(|window| window == text);
    assert!(says(b"\x04protocols 999 666 15\0") && says(b"\x04pext 0x32455446 0x68\0"));
    // a move with its number, time, three fine angles, three speeds, buttons, and impulse; then what arrived
    const MOVE: usize = 1 + 2 + 4 + 6 + 6 + 2;
    let moves: Vec<&Vec<u8>> = heard.iter().filter(|payload| payload.first() == Some(&CLC_MOVE)).collect();
    assert!(moves.len() > 40 && moves.iter().all(|step| step.len() == MOVE || step.len() == MOVE + 5), "{}", moves.len());
    assert!(moves.windows(2).all(|pair| u16::from_le_bytes([pair[0][1], pair[0][2]]) + 1 == u16::from_le_bytes([pair[1][1], pair[1][2]])));
    let acknowledged = |step: &&Vec<u8>| Some(u32::from_le_bytes(step.get(MOVE + 1..)?.try_into().ok()?)).filter(|_| step[MOVE] == command::CLC_ACK_FRAME);
    // until everything was sent again, only that is requested
    let acknowledged: Vec<u32> = moves.iter().filter_map(acknowledged).filter(|sequence| *sequence != u32::MAX).collect();
    assert!(acknowledged.len() > 30 && acknowledged.is_sorted_by(|one, next| one < next), "{acknowledged:?}");
    // the number of the datagram with the last block: the questions were the first
    assert_eq!(acknowledged.last(), Some(&(blocks.len() as u32)));
    recorder.leave();
    let mut file = Vec::new();
    recorder.take_recording(&mut file);
    let recorded = Recording::open(&file, Some("dem"), fragreel_base::wire::Limits::default()).unwrap();
    assert!(recorded.dialect().replacement() && recorded.verify().damage.is_empty());
}

#[test]
fn the_servers_goodbye_ends_a_whole_recording() {
    let source = sample("netquake666_deltas_dm6.dem", "dem 666");
    let (file, reason) = record(&source, Recorder::new("me"), 0, 10.0, |now, show| {
        if now == 5.0 {
            show.close();
        }
    });
    assert!(reason.starts_with("the server closed the connection"), "{reason}");
    assert!(Recording::open(&file, Some("dem"), fragreel_base::wire::Limits::default()).unwrap().verify().damage.is_empty());
}

/// A server that vanishes without a word: what was recorded until then is whole.
#[test]
fn a_server_that_vanishes_leaves_a_whole_recording() {
    let source = sample("netquake666_deltas_dm6.dem", "dem 666");
    let recording = Recording::open(&source, Some("dem"), fragreel_base::wire::Limits::default()).unwrap();
    let mut show = NetQuakeDemoServer::<u8>::new(&recording, "test", []).unwrap();
    show.listens(26_000);
    let mut recorder = Recorder::new("me");
    let mut file = fragreel_live::sessions::record(&mut show, &mut recorder, [3, 4], 0, 10.0, |_, _| {});
    assert!(fragreel_live::sessions::hears_nothing(&mut recorder, 10.0, 40.5));
    assert_eq!(recorder.ended(), Some("the server fell silent"));
    recorder.take_recording(&mut file);
    let verified = Recording::open(&file, Some("dem"), fragreel_base::wire::Limits::default()).unwrap().verify();
    assert!(verified.is_whole() && verified.snapshots > 30, "{:?}", verified.damage);
}

#[test]
fn hostile_servers_end_it_and_cost_no_memory() {
    let mut dice = Dice::new(4);
    for round in 0..300 {
        let mut recorder = Recorder::new("me");
        let mut server = Channel::new();
        recorder.receive(&crate::handshake::netquake::accept(1));
        for step in 0..200 {
            let payload: Vec<u8> = match (round % 3, dice.below(2)) {
                (0, _) => (0..dice.below(300)).map(|_| dice.roll() as u8).collect(),
                (1, _) => b"\x09cmd flood the queue\n\0".repeat(40),
                (_, 0) => b"\x09a line without an end ".to_vec(),
                _ => vec![25, dice.below(6) as u8],
            };
            recorder.receive(&server.unreliable(&payload));
            recorder.tick(f64::from(step) * 0.1);
            while recorder.next_request().is_some() {}
        }
        assert!(recorder.channel.waiting() <= 2 * MOST_WAITING && recorder.stuffed.len() <= 2 * LONGEST_LINE);
    }
    let mut recorder = Recorder::new("me");
    (0..400).for_each(|step| recorder.tick(f64::from(step) * 0.1));
    assert_eq!(recorder.ended(), Some("the server did not answer"));
}

/// Steps of signing on without end, and never a frame.
#[test]
fn an_endless_sign_on_ends_in_time() {
    for payload in [&[25, 1][..], b"\x09reconnect\n\0", b"\x08wait\n\0"] {
        let mut recorder = Recorder::new("me");
        let mut server = Channel::new();
        recorder.tick(0.0);
        recorder.receive(&crate::handshake::netquake::accept(1));
        let (mut now, mut size) = (0.0, 0);
        while recorder.ended().is_none() && now < 200.0 {
            now += 0.5;
            recorder.tick(now);
            recorder.receive(&server.unreliable(payload));
            while recorder.next_request().is_some() {}
            let mut file = Vec::new();
            recorder.take_recording(&mut file);
            size += file.len();
        }
        let reason = recorder.ended().unwrap_or_default();
        assert!((60.0..90.0).contains(&now) && reason.starts_with("the server does not admit us to the game"), "{reason} at {now}");
        assert!(!recorder.has_frames() && size < 10_000);
    }
}

#[test]
fn sessions_on_bad_networks_converge_once_those_heal() {
    let source = sample("netquake666_deltas_dm6.dem", "dem 666");
    let all = frames(&source);
    let recording = Recording::open(&source, Some("dem"), fragreel_base::wire::Limits::default()).unwrap();
    for number in 0..fragreel_testkit::sessions(25) {
        let mut show: NetQuakeDemoServer<u32> = NetQuakeDemoServer::new(&recording, "test", []).unwrap();
        show.listens(26_000);
        let mut recorder = if number % 2 == 0 { Recorder::new("me") } else { Recorder::new("me").plain() };
        let mut session = fragreel_live::sessions::Session::new(number);
        session.longest = 16_008;
        // a part a second at worst: more loss takes minutes to sign on
        (session.loss, session.seconds.1) = (session.loss / 2, 20.0);
        let ending = session.run(&mut show, &mut recorder);
        assert_eq!(ending.broken, None, "session {number}");
        assert!(ending.fresh > 100, "session {number}: {} bytes at its end", ending.fresh);
        let seen = frames(&ending.recording);
        let last = &seen[seen.len().saturating_sub(10)..];
        assert!(last.iter().all(|frame| all.contains(frame)), "session {number}");
    }
}

/// A recording that grows while it is shown, and begins again as after a level change; as one recording, or one per level.
#[test]
fn a_growing_recording_is_passed_on() {
    let source = sample("netquake666_deltas_dm6.dem", "dem 666");
    let line = source.iter().position(|byte| *byte == b'\n').unwrap() + 1;
    let twice = [&source[..], &source[line..]].concat();
    let all = frames(&source);
    for loss in [0, 10, 20] {
        let fed = source.len() / 3;
        let recording = Recording::open(&twice[..fed], Some("dem"), fragreel_base::wire::Limits::default()).unwrap();
        let mut show: NetQuakeDemoServer<u8> = NetQuakeDemoServer::new(&recording, "test", []).unwrap();
        show.listens(26_000);
        let mut recorder = Recorder::new("me");
        let apart = loss == 10 && recorder.split_levels();
        let rate = source.len() / 1200;
        let files = fragreel_live::sessions::record_growing(&mut show, &mut recorder, [3, 4], loss, 30.0, &twice[fed..], rate);
        assert_eq!(files.len(), if apart { 2 } else { 1 });
        let seen: Vec<_> = files.iter().flat_map(|file| frames(file)).collect();
        assert!(seen.len() > 100, "at {loss} %: {} frames", seen.len());
        // replacement deltas bring late what was lost
        assert!(loss > 0 || seen.iter().all(|frame| is_known(&all, frame, true)), "at {loss} %");
        for file in &files {
            let recorded = Recording::open(file, Some("dem"), fragreel_base::wire::Limits::default()).unwrap();
            let levels = recorded.split(fragreel_model::Split::Gamestate).unwrap().len();
            assert!(recorded.verify().damage.is_empty() && levels * files.len() == 2, "at {loss} %: {levels}");
        }
    }
}

#[test]
fn sixty_four_watch_and_a_slow_and_a_lost_one_disturb_nobody() {
    let source = sample("netquake666_deltas_dm6.dem", "dem 666");
    let all = frames(&source);
    let recording = Recording::open(&source, Some("dem"), fragreel_base::wire::Limits::default()).unwrap();
    let mut show: NetQuakeDemoServer<u8> = NetQuakeDemoServer::new(&recording, "test", []).unwrap();
    show.listens(26_000);
    let guest = |_| fragreel_live::sessions::Guest { recorder: Recorder::new("me"), recording: Vec::new(), loss: 0, bytes: 0 };
    let mut guests: Vec<_> = (0..65).map(guest).collect();
    guests[3].loss = 70;
    let mut before = Vec::new();
    fragreel_live::sessions::crowd(&mut show, &mut guests, 22.0, |now, show, guests| {
        if now == 12.0 {
            assert!(show.watching() >= 60, "{}", show.watching());
            guests[7].loss = 100;
            before = guests.iter().map(|guest| guest.recording.len()).collect();
            // so that there is something to be seen until the end
            show.seek(0);
        }
    });
    let mut counts: Vec<usize> = (0..65).filter(|at| ![3, 7].contains(at)).map(|at| guests[at].recording.len() - before[at]).collect();
    counts.sort_unstable();
    // a place has who first acknowledged something, so the slow one may be left without
    assert_eq!(guests.iter().filter(|guest| guest.recording.is_empty()).count(), 1, "one finds it full");
    assert!(counts[1] > 0 && counts[1] * 10 > counts[60] * 8, "{counts:?}");
    let seen = frames(&guests[40].recording);
    assert!(seen.len() > 100 && seen.iter().all(|frame| is_known(&all, frame, true)), "{}", seen.len());
}
