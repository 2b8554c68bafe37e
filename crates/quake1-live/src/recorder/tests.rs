//! The recorder against the small server, over networks of all kinds.

use super::*;
use crate::handshake::Extensions;
use crate::server::{Level, Server};
use fragreel_quake1::unstable::container::Blocks;
use fragreel_quake1::unstable::message::MessageKind;
use fragreel_quake1::unstable::replacement::{Coordinates, EntityState};

/// Both ends, and a network in between.
struct Session {
    server: Server<u8>,
    recorder: Recorder,
    recording: Vec<u8>,
    now: f64,
    loss: u64,
    dice: u64,
    /// Every command that the recorder sent.
    said: Vec<u8>,
    /// Whether the server ignores a client that asks to connect again, as FTE does; and whether he asked.
    ignores_repeats: bool,
    has_asked: bool,
}

impl Session {
    fn new(server: Server<u8>, settings: Settings) -> Self {
        Self {
            server,
            recorder: Recorder::new(settings),
            recording: Vec::new(),
            now: 0.0,
            loss: 0,
            dice: 0x1234_5678_9abc_def1,
            said: Vec::new(),
            ignores_repeats: false,
            has_asked: false,
        }
    }

    fn lost(&mut self) -> bool {
        self.dice ^= self.dice << 13;
        self.dice ^= self.dice >> 7;
        self.dice ^= self.dice << 17;
        (self.dice >> 33) % 100 < self.loss
    }

    fn step(&mut self, visible: &[(u32, EntityState)]) {
        self.now += 0.02;
        self.recorder.tick(self.now);
        while let Some(datagram) = self.recorder.next_datagram() {
            self.said.extend_from_slice(&datagram);
            let asks = datagram.starts_with(b"\xff\xff\xff\xffconnect");
            if !(self.lost() || asks && self.ignores_repeats && self.has_asked) {
                self.has_asked |= asks;
                self.server.receive(1, &datagram);
            }
        }
        self.server.frame(self.now as f32, visible);
        while let Some((_, datagram)) = self.server.next_datagram() {
            if !self.lost() {
                self.recorder.receive(self.now, &datagram);
            }
        }
        self.recorder.take_recording(&mut self.recording);
    }

    fn until_playing(&mut self) {
        for _ in 0..5000 {
            if *self.recorder.status() == Status::Playing {
                return;
            }
            self.step(&[]);
        }
        panic!("never got into the game: {:?}", self.recorder.status());
    }

    fn said(&self, text: &[u8]) -> bool {
        self.said.windows(text.len()).any(|window| window == text)
    }

    /// Leaves, and reads the recording: how often each message occurs, and each time and height of entity 7.
    fn finish(&mut self) -> (Vec<MessageKind>, Vec<(f32, f32)>) {
        self.recorder.leave(self.now);
        self.recorder.take_recording(&mut self.recording);
        let (mut decoder, mut deltas) = (Decoder::new(Container::QuakeWorld), DeltaReceiver::new(fragreel_quake1::unstable::replacement::Flags::default()));
        let (mut kinds, mut heights) = (Vec::new(), Vec::new());
        for block in Blocks::new(&self.recording, Container::QuakeWorld, &fragreel_base::wire::Limits::default()).unwrap() {
            let block = block.unwrap();
            let sequence = block.data.first_chunk().map_or(0, |&word| u32::from_le_bytes(word));
            let read = decoder.decode(&block, |dialect, item, _| {
                let Item::Message(message) = item else { return };
                kinds.push(message.kind());
                match message {
                    Message::ServerData(data) => {
                        let mut dialect = dialect.clone();
                        dialect.adopt_server_data(data);
                        deltas.reset(dialect.layout());
                    }
                    Message::SpawnBaseline2(baseline) => {
                        let flags = *deltas.flags();
                        deltas.entities_mut().set_baseline(&flags, baseline.entity.number, &baseline.delta);
                    }
                    Message::UpdateEntities(entities) => {
                        deltas.receive(sequence, &entities.update);
                        if let Some(known) = deltas.entities().get(7) {
                            heights.push((deltas.seconds(), deltas.flags().position(&known.state)[2]));
                        }
                    }
                    _ => {}
                }
            });
            read.unwrap();
        }
        (kinds, heights)
    }
}

/// Entity 7 climbs ten units per second.
fn climbing(now: f64) -> EntityState {
    EntityState { model: 2, origin: [0, 0, Coordinates::Float.word((now * 10.0) as f32)], ..EntityState::default() }
}

fn level() -> Level {
    let baselines = (1..200).map(|number| (number, EntityState { model: number % 50, ..EntityState::default() })).collect();
    Level {
        models: (0..130).map(|n| format!("progs/model{n}.mdl")).collect(),
        sounds: (0..90).map(|n| format!("sound{n}.wav")).collect(),
        baselines,
        ..Level::default()
    }
}

#[test]
fn what_the_server_shows_is_in_the_recording_whatever_is_lost() {
    for loss in [0, 10, 30, 50] {
        let mut session = Session::new(Server::new(level()), Settings::default());
        session.loss = loss;
        session.until_playing();
        for _ in 0..500 {
            // Drawn where the next frame will be.
            let state = climbing(session.now + 0.02);
            session.step(&[(7, state)]);
        }
        assert_eq!(session.recorder.unreadable(), 0);
        let (kinds, heights) = session.finish();
        assert!(heights.len() > 100, "{loss} % loss: {} frames", heights.len());
        for (time, height) in heights {
            assert!((height - time * 10.0).abs() < 0.01, "{loss} % loss: at {time} s the height is {height}");
        }
        let count = |kind| kinds.iter().filter(|&&found| found == kind).count();
        assert_eq!((count(MessageKind::ServerData), count(MessageKind::SoundList), count(MessageKind::ModelList)), (1, 2, 3));
        assert_eq!(count(MessageKind::SpawnBaseline2), 199);
    }
}

#[test]
fn a_client_whose_extensions_a_proxy_lost_is_asked_again() {
    let mut server = Server::new(Level::default());
    let settings = Settings { extensions: Extensions { fte2: 0x68, ..Extensions::NONE }, ..Settings::default() };
    let mut recorder = Recorder::new(settings);
    for step in 0..200 {
        let now = f64::from(step) * 0.05;
        recorder.tick(now);
        while let Some(mut datagram) = recorder.next_datagram() {
            if datagram.starts_with(b"\xff\xff\xff\xffconnect") {
                let line = datagram.iter().position(|&byte| byte == b'\n').unwrap();
                datagram.truncate(line + 1);
            }
            server.receive(1, &datagram);
        }
        server.frame(now as f32, &[(7, climbing(0.0))]);
        while let Some((_, datagram)) = server.next_datagram() {
            recorder.receive(now, &datagram);
        }
    }
    assert_eq!(*recorder.status(), Status::Playing);
    assert_eq!(recorder.deltas().entities().len(), 1);
}

#[test]
fn a_change_of_level_is_followed() {
    let mut session = Session::new(Server::new(level()), Settings::default());
    session.until_playing();
    session.server.change_level(Level { server_count: 2, ..Level::default() });
    for _ in 0..100 {
        session.step(&[(7, climbing(0.0))]);
    }
    assert_eq!(*session.recorder.status(), Status::Playing);
    assert!(session.said(b"begin 2"));
    let (kinds, _) = session.finish();
    assert_eq!(kinds.iter().filter(|&&kind| kind == MessageKind::ServerData).count(), 2);
}

/// FTE's server compares `pmodel` and `emodel` with the checksums of its own models when a client begins, and warns everybody about a client whose
/// differ. A missing key is 0 there.
#[test]
fn a_server_that_compares_the_models_of_players_finds_those_of_id() {
    let mut session = Session::new(Server::new(Level::default()), Settings::default());
    session.until_playing();
    let connect = session.said.windows(7).position(|window| window == b"connect").expect("the recorder asks to connect");
    let line = session.said[connect..].split(|&byte| byte == b'\n').next().unwrap();
    let info = line.split(|&byte| byte == b'"').nth(1).expect("the user info in quotation marks");
    let value = |key: &[u8]| fragreel_model::replay::info_string::get(info, key).map(|value| String::from_utf8_lossy(value).into_owned());
    assert_eq!(value(b"pmodel").as_deref(), Some("33168"), "progs/player.mdl");
    assert_eq!(value(b"emodel").as_deref(), Some("6967"), "progs/eyes.mdl");
}

#[test]
fn leaving_tells_the_server_and_closes_the_recording() {
    let mut session = Session::new(Server::new(Level::default()), Settings::default());
    session.until_playing();
    session.step(&[]);
    assert_eq!(session.server.playing(), 1);
    session.recorder.leave(session.now);
    session.step(&[]);
    assert_eq!((session.recorder.status(), session.server.connected()), (&Status::Ended(End::Left), 0));
    assert!(session.recording.ends_with(b"\xff\xff\xff\xff\x02EndOfDemo\0"));
    let length = session.recording.len();
    session.step(&[]);
    assert_eq!(session.recording.len(), length);
}

#[test]
fn a_server_that_closes_or_falls_silent_or_refuses_ends_it() {
    let mut session = Session::new(Server::new(Level::default()), Settings::default());
    session.until_playing();
    session.server.close();
    session.step(&[]);
    assert_eq!(*session.recorder.status(), Status::Ended(End::Disconnected(String::new())));

    let mut session = Session::new(Server::new(Level::default()), Settings { timeout: 5.0, ..Settings::default() });
    session.until_playing();
    session.loss = 100;
    for _ in 0..300 {
        session.step(&[]);
    }
    assert_eq!(*session.recorder.status(), Status::Ended(End::Silent));
    assert!(session.recording.ends_with(b"\x02EndOfDemo\0"));

    let mut recorder = Recorder::new(Settings::default());
    recorder.tick(0.0);
    recorder.receive(0.1, b"\xff\xff\xff\xffn\nserver is full\n");
    assert_eq!(*recorder.status(), Status::Ended(End::Refused("server is full".into())));

    // A client without replacement deltas plays all the same.
    let mut session = Session::new(Server::new(Level::default()), Settings { extensions: Extensions::NONE, ..Settings::default() });
    for _ in 0..100 {
        session.step(&[]);
    }
    assert_eq!(*session.recorder.status(), Status::Playing);
    assert!(session.recorder.frames() > 0);
}

#[test]
fn a_download_is_refused_once() {
    let mut session = Session::new(Server::new(Level::default()), Settings::default());
    session.until_playing();
    let before = session.recorder.packets();
    let mut download = PacketHeader { sequence: 100_000, acknowledged: 1 }.sequence.to_le_bytes().to_vec();
    // A classic download message: two bytes of data, 50 %.
    download.extend_from_slice(&[1, 0, 0, 0, 41, 2, 0, 50, 0xaa, 0xbb]);
    session.recorder.receive(session.now, &download);
    assert_eq!(session.recorder.packets(), before + 1);
    session.now += 1.0;
    session.recorder.tick(session.now);
    let datagram = session.recorder.next_datagram().unwrap();
    assert!(datagram.windows(13).any(|window| window == b"\x04stopdownload"), "{datagram:?}");
}

#[test]
fn a_player_is_followed() {
    let mut follow = ChaseCamera::new(ChaseTarget::First);
    let user = |slot, info: &[u8]| {
        let userinfo = fragreel_quake1::unstable::message::Text(info.to_vec());
        Message::UpdateUserInfo(fragreel_quake1::unstable::message::UpdateUserInfo { slot, user_id: 1, userinfo })
    };
    let dialect = fragreel_quake1::unstable::dialect::Dialect::new(fragreel_quake1::unstable::dialect::Stream::QuakeWorld);
    let deltas = DeltaReceiver::new(fragreel_quake1::unstable::replacement::Flags::default());
    let hear = |follow: &mut ChaseCamera, message: &Message| follow.receive(message, &dialect, &deltas);
    hear(&mut follow, &user(0, b"\\name\\me\\*spectator\\1"));
    assert_eq!(follow.command(), None);
    hear(&mut follow, &user(3, b"\\name\\c"));
    hear(&mut follow, &user(2, b"\\name\\b"));
    assert_eq!(follow.command().as_deref(), Some("ptrack 2"));
    assert_eq!(follow.command(), None);
    let origin = [80u32, 0, 8].map(fragreel_quake1::unstable::message::EntityCoord);
    hear(&mut follow, &Message::PlayerInfo(fragreel_quake1::unstable::message::PlayerInfo { slot: 2, origin, ..Default::default() }));
    assert_eq!(follow.position(), Some([10.0, 0.0, 1.0]));
    hear(&mut follow, &user(2, b""));
    assert_eq!(follow.command().as_deref(), Some("ptrack 3"));
    hear(&mut follow, &user(3, b""));
    assert_eq!(follow.command().as_deref(), Some("ptrack"));
}

/// Everything that was printed or stuffed comes from here: a server that is only its channel.
struct Bare {
    channel: Channel,
    recorder: Recorder,
    now: f64,
}

impl Bare {
    /// A recorder that was accepted and asked for the level.
    fn new(settings: Settings) -> Self {
        let qport = settings.qport;
        let mut recorder = Recorder::new(settings);
        recorder.tick(0.0);
        recorder.receive(0.0, b"\xff\xff\xff\xffc7\0");
        recorder.receive(0.0, b"\xff\xff\xff\xffj\n");
        Self { channel: Channel::new(Side::Server { qport }), recorder, now: 0.0 }
    }

    /// One packet each way.
    fn step(&mut self, message: &[u8]) {
        self.now += 0.05;
        self.recorder.tick(self.now);
        while let Some(datagram) = self.recorder.next_datagram() {
            let _ = self.channel.receive(&datagram);
        }
        self.channel.align();
        let datagram = self.channel.transmit(message);
        self.recorder.receive(self.now, &datagram);
    }
}

fn ended(recorder: &Recorder) -> Option<&End> {
    match recorder.status() {
        Status::Ended(end) => Some(end),
        _ => None,
    }
}

#[test]
fn a_lost_accept_does_not_lock_us_out() {
    for ignores_repeats in [true, false] {
        for seed in 1..=200u64 {
            let mut session = Session::new(Server::new(level()), Settings::default());
            session.dice = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15);
            (session.loss, session.ignores_repeats) = (20, ignores_repeats);
            session.until_playing();
            assert!(session.now < 20.0, "seed {seed}: {} s", session.now);
            session.step(&[(7, climbing(0.0))]);
            for _ in 0..20 {
                session.step(&[(7, climbing(0.0))]);
            }
            assert!(session.recorder.frames() > 0);
            let (kinds, _) = session.finish();
            assert_eq!(kinds.iter().filter(|&&kind| kind == MessageKind::ServerData).count(), 1, "seed {seed}");
        }
    }
}

#[test]
fn challenges_without_end_end_it_in_time() {
    let mut recorder = Recorder::new(Settings::default());
    let (mut now, mut sent) = (0.0, 0);
    while now < 30.0 {
        recorder.tick(now);
        for challenge in 0..10 {
            recorder.receive(now, &[&[0xff; 4][..], format!("c{challenge}\0").as_bytes()].concat());
        }
        while recorder.next_datagram().is_some() {
            sent += 1;
        }
        now += 0.02;
    }
    assert_eq!(ended(&recorder), Some(&End::Silent));
    assert!(sent < 100, "{sent} datagrams");
}

#[test]
fn commands_without_end_end_it() {
    let mut bare = Bare::new(Settings::default());
    bare.step(b"");
    let flood = [&b"\x09"[..], &b"cmd a;".repeat(200), b"\n\0"].concat();
    for _ in 0..120 {
        bare.now += 0.05;
        bare.recorder.tick(bare.now);
        // Nothing that the recorder sends arrives, so nothing is acknowledged.
        let datagram = bare.channel.transmit(&flood);
        bare.recorder.receive(bare.now, &datagram);
    }
    assert_eq!(ended(&bare.recorder), Some(&End::Flooded));
}

#[test]
fn whoever_lets_us_in_and_then_does_not_gives_a_reason_if_he_has_one() {
    // It prints why, and goes on for ever.
    let mut bare = Bare::new(Settings::default());
    bare.step(b"\x08\x02Map model file does not match\n\0");
    for _ in 0..600 {
        bare.step(b"\x01");
    }
    assert_eq!(ended(&bare.recorder), Some(&End::Stalled("Map model file does not match".into())));
    assert_eq!((bare.recorder.frames(), bare.recorder.last_print()), (0, "Map model file does not match".into()));
    // It says nothing at all.
    let mut bare = Bare::new(Settings::default());
    for step in 0..1000 {
        bare.recorder.tick(f64::from(step) * 0.05);
    }
    assert!(matches!(ended(&bare.recorder), Some(End::Silent | End::Stalled(_))), "{:?}", bare.recorder.status());
    assert_eq!(bare.recorder.frames(), 0);
}

/// Levels without end: each is a new beginning, and none lets us in.
#[test]
fn an_endless_sign_on_ends_in_time() {
    let level = |count: u8| [&[11, 28, 0, 0, 0, count, 0, 0, 0][..], b"qw\0\x80the abandoned base\0", &[0; 40]].concat();
    let mut bare = Bare::new(Settings::default());
    let mut steps = 0;
    while ended(&bare.recorder).is_none() && steps < 4000 {
        bare.step(&level((steps / 20) as u8));
        steps += 1;
    }
    assert!(matches!(ended(&bare.recorder), Some(End::Stalled(_))), "{:?} after {steps}", bare.recorder.status());
    assert!(bare.now < 90.0 && bare.recorder.frames() == 0, "{} s", bare.now);
}

#[test]
fn who_is_kicked_is_told_why() {
    let mut session = Session::new(Server::new(Level::default()), Settings::default());
    session.until_playing();
    session.step(&[]);
    session.server.kick(1, "too quiet");
    session.step(&[]);
    assert_eq!(ended(&session.recorder), Some(&End::Disconnected("You were dropped: too quiet".into())));
}

#[test]
fn a_closed_port_is_believed_where_the_server_is_silent() {
    let mut recorder = Recorder::new(Settings::default());
    recorder.tick(0.0);
    recorder.unreachable(0.1);
    assert_eq!(ended(&recorder), Some(&End::Unreachable));
    let mut session = Session::new(Server::new(Level::default()), Settings::default());
    session.until_playing();
    session.recorder.unreachable(session.now);
    assert_eq!(ended(&session.recorder), None);
    session.recorder.unreachable(session.now + 3.0);
    assert_eq!(ended(&session.recorder), Some(&End::Unreachable));
}

#[test]
fn long_lists_and_many_baselines_come_whole() {
    for models in [255, 256, 257, 300, 1000] {
        let long = Level {
            models: (0..models).map(|n| format!("progs/model{n}.mdl")).collect(),
            sounds: (0..700).map(|n| format!("sound{n}.wav")).collect(),
            baselines: (1..3000).map(|number| (number, EntityState { model: number % 200 + 1, ..EntityState::default() })).collect(),
            ..Level::default()
        };
        let mut session = Session::new(Server::new(long), Settings::default());
        session.until_playing();
        session.recorder.leave(session.now);
        session.recorder.take_recording(&mut session.recording);
        let (mut names, mut baselines) = ([0, 0], 0);
        let mut decoder = Decoder::new(Container::QuakeWorld);
        for block in Blocks::new(&session.recording, Container::QuakeWorld, &fragreel_base::wire::Limits::default()).unwrap() {
            let read = decoder.decode(&block.unwrap(), |_, item, _| match item {
                Item::Message(Message::SoundList(list)) => names[0] += list.names.0.len(),
                Item::Message(Message::SoundListShort(list)) => names[0] += list.names.0.len(),
                Item::Message(Message::ModelList(list)) => names[1] += list.names.0.len(),
                Item::Message(Message::ModelListShort(list)) => names[1] += list.names.0.len(),
                Item::Message(Message::SpawnBaseline2(_)) => baselines += 1,
                _ => {}
            });
            read.unwrap();
        }
        assert_eq!((names, baselines), ([700, models], 2999));
    }
}

/// Asks a server for a challenge and answers with a request to be let in.
fn connect(server: &mut Server<u8>, address: u8) {
    server.receive(address, b"\xff\xff\xff\xffgetchallenge\n");
    let answer = server.next_datagram().expect("an answer").1;
    let challenge: String = answer[5..].iter().take_while(|byte| byte.is_ascii_digit()).map(|&byte| char::from(byte)).collect();
    let request = format!("connect 28 {address} {challenge} \"\\name\\x\"\n0x32455446 0x8\n");
    server.receive(address, &[&b"\xff\xff\xff\xff"[..], request.as_bytes()].concat());
}

#[test]
fn silent_clients_make_room_and_a_full_server_says_so() {
    let mut server = Server::new(Level::default()).with_timeout(60.0);
    let mut refused = 0;
    for address in 0..40u8 {
        // Answers to those who are not connected are limited in time.
        server.frame(f32::from(address), &[]);
        while server.next_datagram().is_some() {}
        connect(&mut server, address);
        refused += std::iter::from_fn(|| server.next_datagram()).filter(|(_, datagram)| datagram.ends_with(b"server is full\n")).count();
    }
    assert_eq!((server.connected(), refused), (32, 8));
    server.frame(45.0, &[]);
    assert_eq!(server.connected(), 32);
    // One of them speaks.
    let mut channel = Channel::new(Side::Client { qport: 3 });
    let datagram = channel.transmit(b"");
    server.receive(3, &datagram);
    server.frame(46.0, &[]);
    server.frame(100.0, &[]);
    assert_eq!(server.connected(), 1);
    assert!(std::iter::from_fn(|| server.next_datagram()).filter(|(_, datagram)| datagram.windows(9).any(|part| part == b"timed out")).count() == 31);
}

#[test]
fn downloads_are_refused_with_an_answer() {
    let mut server = Server::new(Level::default());
    connect(&mut server, 1);
    let mut channel = Channel::new(Side::Client { qport: 1 });
    channel.queue(b"\x04download maps/x.bsp\0");
    let datagram = channel.transmit(b"");
    server.receive(1, &datagram);
    server.frame(0.1, &[]);
    let answers: Vec<_> = std::iter::from_fn(|| server.next_datagram()).collect();
    // svc_download: length -1, 0 %.
    assert!(answers.last().unwrap().1.ends_with(&[41, 0xff, 0xff, 0]), "{answers:?}");
}

#[test]
fn each_level_has_a_recording_of_its_own() {
    let mut session = Session::new(Server::new(level()), Settings { each: Each::Level, ..Settings::default() });
    session.until_playing();
    for _ in 0..50 {
        session.step(&[(7, climbing(0.0))]);
    }
    session.server.change_level(Level { server_count: 2, ..Level::default() });
    let mut first = Vec::new();
    for _ in 0..100 {
        session.now += 0.02;
        session.recorder.tick(session.now);
        while let Some(datagram) = session.recorder.next_datagram() {
            session.server.receive(1, &datagram);
        }
        session.server.frame(session.now as f32, &[(7, climbing(0.0))]);
        while let Some((_, datagram)) = session.server.next_datagram() {
            session.recorder.receive(session.now, &datagram);
        }
        let mut taken = Vec::new();
        if session.recorder.take_recording(&mut taken) {
            first = std::mem::take(&mut session.recording);
            first.append(&mut taken);
        }
        session.recording.append(&mut taken);
    }
    assert!(first.ends_with(b"\x02EndOfDemo\0"));
    let (kinds, _) = session.finish();
    assert_eq!(kinds.iter().filter(|&&kind| kind == MessageKind::ServerData).count(), 1);
    session.recording = first;
    let (kinds, heights) = session.finish();
    assert_eq!(kinds.iter().filter(|&&kind| kind == MessageKind::ServerData).count(), 1);
    assert!(heights.len() > 20);
}

#[test]
fn the_next_match_ends_the_recording_of_the_last() {
    let mut session = Session::new(Server::new(Level::default()), Settings { each: Each::Match, ..Settings::default() });
    session.until_playing();
    session.step(&[(7, climbing(0.0))]);
    for status in ["Standby", "Countdown"] {
        assert_eq!(ended(&session.recorder), None);
        session.server.stuff(&format!("fullserverinfo \"\\status\\{status}\"\n"));
        for _ in 0..4 {
            session.step(&[(7, climbing(0.0))]);
        }
    }
    assert_eq!(ended(&session.recorder), Some(&End::Match));
}

#[test]
fn a_player_is_followed_by_name() {
    let mut follow = ChaseCamera::new(ChaseTarget::Named("PAUL".into()));
    let user = |slot, info: &[u8]| {
        let userinfo = fragreel_quake1::unstable::message::Text(info.to_vec());
        Message::UpdateUserInfo(fragreel_quake1::unstable::message::UpdateUserInfo { slot, user_id: 1, userinfo })
    };
    let dialect = fragreel_quake1::unstable::dialect::Dialect::new(fragreel_quake1::unstable::dialect::Stream::QuakeWorld);
    let deltas = DeltaReceiver::new(fragreel_quake1::unstable::replacement::Flags::default());
    let hear = |follow: &mut ChaseCamera, message: &Message| follow.receive(message, &dialect, &deltas);
    hear(&mut follow, &user(1, b"\\name\\first"));
    assert_eq!(follow.command().as_deref(), Some("ptrack 1"));
    hear(&mut follow, &user(4, b"\\name\\xPaulx"));
    assert_eq!(follow.command().as_deref(), Some("ptrack 4"));
    // In brown letters, and he alone has just this name.
    hear(&mut follow, &user(6, b"\\name\\\xd0\xe1\xf5\xec"));
    assert_eq!(follow.command().as_deref(), Some("ptrack 6"));
    hear(&mut follow, &user(6, b""));
    assert_eq!(follow.command().as_deref(), Some("ptrack 4"));
    hear(&mut follow, &user(4, b""));
    assert_eq!(follow.command().as_deref(), Some("ptrack 1"));
}
