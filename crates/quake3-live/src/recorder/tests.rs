//! The recorder against this crate's own server, over networks of all kinds, and against hostile servers.

use std::collections::HashMap;

use fragreel_base::delta::interleaved::Row;
use fragreel_live::network::Dice;
use fragreel_live::{PlaybackServer as _, Stream as _};

use super::*;
use fragreel_base::wire::Wire as _;

use crate::demo_server::DemoServer;
use crate::playhead::Playhead;
use fragreel_quake3::state::PlayerState;
use fragreel_quake3::walk::{Visitor, visit};

fn sample(name: &str) -> Vec<u8> {
    std::fs::read(fragreel_testkit::checkout().join("samples/quake3").join(name)).expect("a sample")
}

type Seen = (PlayerState, Vec<(u16, Row)>);

/// Frames by the server's time.
fn frames(bytes: &[u8], protocol: u16) -> HashMap<i32, Seen> {
    #[derive(Default)]
    struct Frames(HashMap<i32, Seen>);
    impl Visitor for Frames {
        fn snapshot(&mut self, state: &State, _: &fragreel_quake3::message::Snapshot) {
            let Some(snapshot) = state.snapshot() else { return };
            let mut player = snapshot.player;
            // viewers follow
            player.row[find(&q3::PLAYER, "pm_flags")] |= 4096;
            self.0.insert(snapshot.server_time, (player, state.entities().map(|(number, row)| (number, *row)).collect()));
        }
    }
    let mut frames = Frames::default();
    visit(bytes, Dialect::of(protocol).unwrap(), &mut frames);
    frames.0
}

fn record(source: &[u8], protocol: u16, loss: u32, seconds: f64, each: impl FnMut(f64, &mut DemoServer<u8>)) -> (Vec<u8>, String) {
    let playhead = Playhead::new(source.to_vec(), Dialect::of(protocol).unwrap()).unwrap();
    let mut server: DemoServer<u8> = DemoServer::new(playhead, "test", 7, []);
    let mut recorder = Recorder::new(Settings { name: String::from("me"), qport: 9, ..Settings::default() }, Dialect::of(protocol).unwrap());
    let mut file = fragreel_live::sessions::record(&mut server, &mut recorder, [3, 4], loss, seconds, each);
    recorder.leave();
    recorder.take_recording(&mut file);
    (file, recorder.ended().unwrap_or_default().to_owned())
}

#[test]
fn what_is_recorded_is_what_was_shown() {
    for (name, protocol, loss) in [("dm_bots.dm_71", 71, 0), ("ctf_bots.dm_71", 71, 15), ("warmup_restart.dm_68", 68, 5)] {
        let source = sample(name);
        let (file, reason) = record(&source, protocol, loss, 30.0, |_, _| {});
        assert_eq!(reason, "left the server");
        let (all, seen) = (frames(&source, protocol), frames(&file, protocol));
        let same = seen.iter().filter(|(time, seen)| all.get(time) == Some(seen)).count();
        assert!(seen.len() > 200 && same * 10 >= seen.len() * 9, "{name} at {loss} %: {same} of {}", seen.len());
        let extension = format!("dm_{protocol}");
        let verified = fragreel_quake3::Recording::open(&file, Some(&extension), fragreel_base::wire::Limits::default()).unwrap().verify();
        assert!(verified.damage.is_empty(), "{name} at {loss} %: {:?}", verified.damage);
    }
}

/// A recording that grows while it is shown, and begins again as after a level change: its server's clock goes back. As one recording, or one per level.
#[test]
fn a_growing_recording_is_passed_on() {
    let source = sample("dm_bots.dm_71");
    let whole = &source[..source.len() - 8];
    let twice = [whole, whole].concat();
    for loss in [0, 10, 20] {
        let fed = 30_000;
        let playhead = Playhead::new(twice[..fed].to_vec(), Dialect::of(71).unwrap()).unwrap();
        let mut server: DemoServer<u8> = DemoServer::new(playhead, "test", 7, []);
        let mut recorder = Recorder::new(Settings { name: String::from("me"), qport: 9, ..Settings::default() }, Dialect::of(71).unwrap());
        // as fast as it was recorded, then a little faster
        let rate = whole.len() / 5200;
        let apart = loss == 10 && recorder.split_levels();
        let files = fragreel_live::sessions::record_growing(&mut server, &mut recorder, [3, 4], loss, 80.0, &twice[fed..], rate);
        assert_eq!(files.len(), if apart { 2 } else { 1 });
        for file in &files {
            let recording = fragreel_quake3::Recording::open(file, Some("dm_71"), fragreel_base::wire::Limits::default()).unwrap();
            assert!(recording.verify().is_whole(), "at {loss} %: {:?}", recording.verify().damage);
            assert!(recording.split(fragreel_model::Split::Gamestate).unwrap().len() * files.len() == 2, "at {loss} %");
        }
        // players' places do not depend on the clock
        let places = |bytes: &[u8]| -> std::collections::HashSet<String> {
            let recording = fragreel_quake3::Recording::open(bytes, Some("dm_71"), fragreel_base::wire::Limits::default()).unwrap();
            let (mut frames, mut frame, mut all) =
                (recording.frames(fragreel_model::FrameOptions::default()), fragreel_model::Frame::default(), std::collections::HashSet::new());
            while frames.next_into(&mut frame) {
                all.insert(format!("{:?}", frame.players.iter().map(|player| (player.slot, player.origin)).collect::<Vec<_>>()));
            }
            all
        };
        let all = places(&source);
        let seen: std::collections::HashSet<String> = files.iter().flat_map(|file| places(file)).collect();
        let other = seen.iter().filter(|place| !all.contains(*place)).count();
        assert!(seen.len() > 300 && other * 50 < seen.len(), "at {loss} %: {other} of {}", seen.len());
    }
}

/// The end of a warmup, and another match on the same map: a file each, and each begins as if one had joined with it.
#[test]
fn a_match_begins_when_the_level_starts_again() {
    let source = sample("warmup_restart.dm_68");
    let all = frames(&source, 68);
    let whole = fragreel_quake3::Recording::open(&source, Some("dm_68"), fragreel_base::wire::Limits::default()).unwrap();
    let mut restarts = Vec::new();
    whole.events([fragreel_model::Kind::Match].into_iter().collect()).for_each(|event| restarts.extend((event.time.0 > 0).then_some(event.server_time.0)));
    assert_eq!(restarts.len(), 5);
    // a server starts no level again, so this is a server that sends what it sent then, message by message
    let mut recorder = let_in(68);
    assert!(recorder.split_levels());
    let (mut rest, mut now, mut files, mut file) = (&source[..], 0.0, Vec::new(), Vec::new());
    while let Some((head, behind)) = rest.split_first_chunk::<8>().filter(|(head, _)| head[..4] != [0xff; 4]) {
        let (payload, behind) = behind.split_at(u32::from_le_bytes(head[4..].try_into().unwrap()) as usize);
        rest = behind;
        now += 0.05;
        recorder.tick(now);
        let mut message = Message::default();
        message.read(payload, Dialect::of(68).unwrap()).unwrap();
        send(&mut recorder, u32::from_le_bytes(head[..4].try_into().unwrap()), message);
        while recorder.take_ended(&mut file) {
            files.push(std::mem::take(&mut file));
        }
    }
    recorder.leave();
    recorder.take_recording(&mut file);
    files.push(file);
    assert_eq!((files.len(), recorder.ended()), (restarts.len() + 1, Some("left the server")));
    let mut last = i32::MIN;
    for (number, file) in files.iter().enumerate() {
        let recording = fragreel_quake3::Recording::open(file, Some("dm_68"), fragreel_base::wire::Limits::default()).unwrap();
        let verified = recording.verify();
        assert!(verified.is_whole() && verified.snapshots > 50, "file {number}: {} snapshots, {:?}", verified.snapshots, verified.damage);
        assert_eq!(recording.split(fragreel_model::Split::Gamestate).unwrap().len(), 1);
        let seen = frames(file, 68);
        assert!(seen.iter().all(|(time, seen)| all.get(time) == Some(seen)), "file {number}");
        // it begins at its restart, and behind the end of the one before
        let first = *seen.keys().min().unwrap();
        if let Some(&restart) = number.checked_sub(1).and_then(|before| restarts.get(before)) {
            assert!((i64::from(first) - restart).abs() < 1500, "file {number}: at {first}, not {restart}");
        }
        assert!(first > last);
        last = *seen.keys().max().unwrap();
    }
}

#[test]
fn jumps_and_the_shows_end_leave_a_whole_recording() {
    let (file, reason) = record(&sample("dm_bots.dm_71"), 71, 5, 30.0, |now, server| {
        if now == 8.0 {
            server.seek(40_000);
        } else if now == 15.0 {
            server.close();
        }
    });
    assert!(reason.starts_with("the server"), "{reason}");
    let verified = fragreel_quake3::Recording::open(&file, Some("dm_71"), fragreel_base::wire::Limits::default()).unwrap().verify();
    assert!(verified.damage.is_empty() && verified.snapshots > 100, "{:?}", verified.damage);
}

/// A server that vanishes without a word: what was recorded until then is whole.
#[test]
fn a_server_that_vanishes_leaves_a_whole_recording() {
    let playhead = Playhead::new(sample("dm_bots.dm_71"), Dialect::of(71).unwrap()).unwrap();
    let mut server: DemoServer<u8> = DemoServer::new(playhead, "test", 7, []);
    let mut recorder = Recorder::new(Settings { name: String::from("me"), qport: 9, ..Settings::default() }, Dialect::of(71).unwrap());
    let mut file = fragreel_live::sessions::record(&mut server, &mut recorder, [3, 4], 0, 10.0, |_, _| {});
    assert!(fragreel_live::sessions::hears_nothing(&mut recorder, 10.0, 40.5));
    assert_eq!(recorder.ended(), Some("the server fell silent"));
    recorder.take_recording(&mut file);
    let verified = fragreel_quake3::Recording::open(&file, Some("dm_71"), fragreel_base::wire::Limits::default()).unwrap().verify();
    assert!(verified.is_whole() && verified.snapshots > 100, "{:?}", verified.damage);
    assert!(file.ends_with(&[0xff; 8]));
}

#[test]
fn hostile_servers_end_it_and_cost_no_memory() {
    let mut dice = Dice::new(4);
    for _ in 0..200 {
        let mut recorder = Recorder::new(Settings::default(), Dialect::of(68).unwrap());
        let mut server = Channel::new(Side::Server { qport: 0 });
        recorder.receive(b"\xff\xff\xff\xffchallengeResponse 5");
        recorder.receive(b"\xff\xff\xff\xffconnectResponse");
        for step in 0..200 {
            let payload: Vec<u8> = (0..dice.below(2000)).map(|_| dice.roll() as u8).collect();
            server.transmit(&payload).iter().for_each(|datagram| recorder.receive(datagram));
            recorder.tick(f64::from(step) * 0.1);
            while recorder.next_request().is_some() {}
        }
        let mut file = Vec::new();
        recorder.take_recording(&mut file);
        assert!(file.len() < 1 << 20 && recorder.commands.len() < 8);
    }
    let mut recorder = Recorder::new(Settings::default(), Dialect::of(68).unwrap());
    (0..400).for_each(|step| recorder.tick(f64::from(step) * 0.1));
    assert_eq!(recorder.ended(), Some("the server did not answer"));
}

/// One that a server let in.
fn let_in(protocol: u16) -> Recorder {
    let mut recorder = Recorder::new(Settings::default(), Dialect::of(protocol).unwrap());
    recorder.tick(0.0);
    recorder.receive(b"\xff\xff\xff\xffchallengeResponse 5");
    recorder.receive(b"\xff\xff\xff\xffconnectResponse");
    recorder
}

/// A message from a server that received no command.
fn send(recorder: &mut Recorder, sequence: u32, mut message: Message) {
    message.acknowledged = 0;
    let data = message.write_anew(recorder.state.dialect());
    send_data(recorder, sequence, data);
}

fn send_data(recorder: &mut Recorder, sequence: u32, mut payload: Vec<u8>) {
    scramble(&mut payload, FROM_SERVER, 5 ^ sequence, b"");
    // as the channel would, had it sent all before
    let mut channel = Channel::new(Side::Server { qport: 0 });
    for mut datagram in channel.transmit(&payload) {
        let fragmented = datagram[3] & 0x80;
        datagram[..4].copy_from_slice(&(sequence | u32::from(fragmented) << 24).to_le_bytes());
        recorder.receive(&datagram);
    }
    while recorder.next_request().is_some() {}
}

/// Levels without end, and never a snapshot: each looks like a new beginning.
#[test]
fn an_endless_sign_on_ends_in_time() {
    let source = sample("dm_bots.dm_71");
    let length = u32::from_le_bytes(source[4..8].try_into().unwrap()) as usize;
    let mut level = Message::default();
    level.read(&source[8..8 + length], Dialect::of(71).unwrap()).unwrap();
    assert!(matches!(level.operations[..], [.., Operation::Gamestate(_)]));
    let (mut recorder, mut now, mut sequence) = (let_in(71), 0.0, 0);
    while recorder.ended().is_none() && now < 100.0 {
        (now, sequence) = (now + 0.5, sequence + 1);
        recorder.tick(now);
        send(&mut recorder, sequence, level.clone());
    }
    assert!(now < 45.0 && recorder.ended().unwrap().starts_with("the server does not admit us to the game"), "{:?} at {now}", recorder.ended());
    assert_eq!((recorder.core.frames, recorder.core.written.bytes.len(), recorder.commands.len() < 4), (0, 0, true));
}

/// No engine sends more of a file at once than a message holds, and all of them stop there.
#[test]
fn a_download_longer_than_a_message_ends_it() {
    for (length, ends) in [(1024, false), (16_384, false), (16_385, true), (60_000, true)] {
        let mut recorder = let_in(71);
        let mut w = fragreel_base::wire::WriteHuffman::default();
        for (value, bits) in [(0, 32), (u32::from(op::DOWNLOAD), 8), (1, 16), (length, 16)] {
            w.field("", value, bits).unwrap();
        }
        w.octets(&mut vec![0; length as usize], length as usize).unwrap();
        w.field("", u32::from(op::EOF), 8).unwrap();
        send_data(&mut recorder, 1, w.finish());
        let reason = recorder.ended().unwrap_or_default();
        assert_eq!(reason.contains("longer than any message"), ends, "{length}: {reason}");
        assert!(recorder.core.written.bytes.is_empty());
    }
}

/// Pieces of a message that would be longer than any, overlap, or never end take no room.
#[test]
fn fragments_beyond_the_longest_message_are_nothing() {
    let mut channel = Channel::new(Side::Client { qport: 0 });
    let piece = |sequence: u32, start: u16, length: u16| {
        let head = [&(sequence | 1 << 31).to_le_bytes()[..], &start.to_le_bytes(), &length.to_le_bytes()].concat();
        [head, vec![7; usize::from(length)]].concat()
    };
    for start in (0..=u16::MAX).step_by(1300) {
        assert_eq!(channel.receive(&piece(9, start, 1300)), None);
    }
    assert_eq!(channel.receive(&piece(9, 15_600, 785)), None, "one byte too many");
    assert_eq!(channel.receive(&piece(9, 650, 10)), None, "where no piece begins");
    assert_eq!(channel.receive(&piece(9, 0, 1301)), None);
    assert_eq!(channel.receive(&piece(8, 0, 10)), None, "of an older message");
    let whole = channel.receive(&piece(9, 15_600, 784)).unwrap();
    assert_eq!((whole.sequence, whole.payload.len()), (9, 16_384));
}

#[test]
fn sessions_on_bad_networks_converge_once_those_heal() {
    let source = sample("warmup_restart.dm_68");
    let playhead = Playhead::new(source, Dialect::of(68).unwrap()).unwrap();
    for number in 0..fragreel_testkit::sessions(60) {
        let mut server: DemoServer<u32> = DemoServer::new(playhead.clone(), "test", number, []);
        let mut recorder = Recorder::new(Settings { name: String::from("me"), qport: number as u16, ..Settings::default() }, Dialect::of(68).unwrap());
        let ending = fragreel_live::sessions::Session::new(number).run(&mut server, &mut recorder);
        assert_eq!(ending.broken, None, "session {number}");
        // at rest a server sends ten frames a second with nothing in them
        assert!(ending.fresh > 150, "session {number}: {} bytes at its end", ending.fresh);
        let verified = fragreel_quake3::Recording::open(&ending.recording, Some("dm_68"), fragreel_base::wire::Limits::default()).unwrap().verify();
        assert!(verified.damage.is_empty(), "session {number}: {:?}", verified.damage);
    }
}

fn guest(number: u16, rate: Option<u32>) -> fragreel_live::sessions::Guest<Recorder> {
    let settings = Settings { name: String::from("me"), qport: number, rate, ..Settings::default() };
    fragreel_live::sessions::Guest { recorder: Recorder::new(settings, Dialect::of(71).unwrap()), recording: Vec::new(), loss: 0, bytes: 0 }
}

/// A client with a low rate gets fewer frames, which are marked as delayed.
#[test]
fn rates_are_kept() {
    let playhead = Playhead::new(sample("dm_bots.dm_71"), Dialect::of(71).unwrap()).unwrap();
    let mut bytes = Vec::new();
    for rate in [1500, 3000, 90_000] {
        let mut server: DemoServer<u8> = DemoServer::new(playhead.clone(), "test", 7, []);
        let mut guests = [guest(5, Some(rate))];
        fragreel_live::sessions::crowd(&mut server, &mut guests, 40.0, |_, _, _| {});
        let [guest] = &mut guests;
        guest.recorder.leave();
        guest.recorder.take_recording(&mut guest.recording);
        let recording = fragreel_quake3::Recording::open(&guest.recording, Some("dm_71"), fragreel_base::wire::Limits::default()).unwrap();
        assert!(recording.verify().damage.is_empty());
        bytes.push(guest.bytes);
    }
    // the gamestate is not counted
    assert!(bytes[0] < 1500 * 40 + 30_000 && bytes[0] * 5 < bytes[1] * 4 && bytes[1] < bytes[2], "{bytes:?}");
}

#[test]
fn sixty_four_watch_and_a_slow_and_a_lost_one_disturb_nobody() {
    let source = sample("dm_bots.dm_71");
    let all = frames(&source, 71);
    let playhead = Playhead::new(source, Dialect::of(71).unwrap()).unwrap();
    let mut server: DemoServer<u8> = DemoServer::new(playhead, "test", 7, []);
    let mut guests: Vec<_> = (0..65).map(|number| guest(number, None)).collect();
    guests[3].loss = 70;
    let mut before = Vec::new();
    fragreel_live::sessions::crowd(&mut server, &mut guests, 35.0, |now, server, guests| {
        if now == 20.0 {
            assert!(server.watching() >= 60, "{}", server.watching());
            guests[7].loss = 100;
            before = guests.iter().map(|guest| guest.recording.len()).collect();
        }
    });
    let mut counts: Vec<usize> = (0..65).filter(|at| ![3, 7].contains(at)).map(|at| guests[at].recording.len() - before[at]).collect();
    counts.sort_unstable();
    assert!(guests.iter().any(|guest| guest.recording.is_empty()), "one finds it full");
    assert!(counts[1] * 10 > counts[60] * 8, "{counts:?}");
    let seen = frames(&guests[40].recording, 71);
    let same = seen.iter().filter(|(time, seen)| all.get(time) == Some(seen)).count();
    assert!(seen.len() > 300 && same * 10 >= seen.len() * 9, "{same} of {}", seen.len());
}

/// Servers with `sv_floodProtect 1` ignore a second command within a second.
#[test]
fn commands_keep_their_distance() {
    let mut recorder = let_in(71);
    recorder.become_spectator();
    let mut seen = Vec::new();
    for step in 0..40 {
        let now = f64::from(step) * 0.1;
        recorder.tick(now);
        if recorder.commands.len() > seen.len() {
            seen.push(now);
        }
    }
    assert_eq!(recorder.commands, [&b"team s"[..], b"follownext"]);
    assert!(seen[1] - seen[0] > 1.2, "{seen:?}");
}

/// The level of our sample, where our own player has this string and another one is called Angelyss.
fn level(own: &str) -> Message {
    let source = sample("dm_bots.dm_71");
    let length = u32::from_le_bytes(source[4..8].try_into().unwrap()) as usize;
    let mut level = Message::default();
    level.read(&source[8..8 + length], Dialect::of(71).unwrap()).unwrap();
    for operation in &mut level.operations {
        let Operation::Gamestate(gamestate) = operation else { continue };
        let own = (544 + gamestate.client as u16, own.as_bytes().to_vec());
        for (index, text) in [own, (544 + 40, b"n\\^1Angelyss\\t\\0".to_vec())] {
            let string = fragreel_quake3::message::ConfigString { index, text };
            gamestate.items.push(fragreel_quake3::message::GamestateItem::ConfigString(string));
        }
    }
    level
}

/// Everybody on the server sees who leaves the players, and a kill by their own hand. So the first packet says that we watch, and a game that
/// believed it is asked for nothing more.
#[test]
fn who_watches_from_the_first_packet_leaves_no_team() {
    assert!(let_in(71).user_info(5).contains("\\team\\s\\"));
    for (own, commands) in [("n\\me\\t\\3", &["follownext"][..]), ("n\\me\\t\\0", &["team s", "follownext"])] {
        let mut recorder = let_in(71);
        send(&mut recorder, 1, level(own));
        recorder.become_spectator();
        assert_eq!(recorder.waiting, commands, "{own}");
    }
}

#[test]
fn a_part_of_a_name_is_followed_or_it_is_said_that_nobody_was() {
    for (wanted, commands, remark) in [("angel", &["follow 40"][..], true), ("40", &["follow 40"], true), ("nobody", &[], true)] {
        let mut recorder = let_in(71);
        recorder.settings.follow = Some(wanted.to_owned());
        send(&mut recorder, 1, level("n\\me\\t\\3"));
        (recorder.entered, recorder.core.frames) = (true, 1);
        recorder.follow();
        recorder.follow();
        assert_eq!(recorder.waiting, commands, "{wanted}");
        recorder.leave();
        assert_eq!(recorder.ended().is_some_and(|reason| reason.ends_with(&format!("nobody was followed: no player's name contains `{wanted}`"))), remark);
    }
}

/// A server with `sv_pure 1` gets the checksums before our first move.
#[test]
fn a_server_that_wants_checksums_gets_them() {
    let mut level = level("n\\me\\t\\3");
    let pak = Pak::of([("vm/cgame.qvm", 1, 9), ("vm/ui.qvm", 2, 9)]);
    for operation in &mut level.operations {
        let Operation::Gamestate(gamestate) = operation else { continue };
        let sum = fragreel_live::block_checksum(&[1, 0, 0, 0, 2, 0, 0, 0]) as i32;
        let text = format!("\\sv_serverid\\7\\sv_pure\\1\\sv_paks\\5 {sum}").into_bytes();
        gamestate.items.push(fragreel_quake3::message::GamestateItem::ConfigString(fragreel_quake3::message::ConfigString { index: 1, text }));
    }
    let mut recorder = let_in(71);
    send(&mut recorder, 1, level.clone());
    assert!(recorder.commands.is_empty() && recorder.notice().is_some_and(|notice| notice.contains("--pk3")));
    let mut recorder = let_in(71);
    recorder.settings.paks = vec![pak];
    send(&mut recorder, 1, level);
    assert!(recorder.commands.len() == 1 && recorder.commands[0].starts_with(b"cp 7 "), "{:?}", recorder.commands);
    assert_eq!(recorder.notice(), None);
}
