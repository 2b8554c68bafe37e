//! The recorder against the small server, over networks of all kinds.

use super::*;
use crate::container::Blocks;
use crate::message::MessageKind;
use crate::protocol::server::{Level, Server};
use crate::replacement::{Coordinates, EntityState};

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
}

impl Session {
    fn new(server: Server<u8>, settings: Settings) -> Self {
        Self { server, recorder: Recorder::new(settings), recording: Vec::new(), now: 0.0, loss: 0, dice: 0x1234_5678_9abc_def1, said: Vec::new() }
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
            if !self.lost() {
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
        let (mut decoder, mut deltas) = (Decoder::new(Container::QuakeWorld), DeltaReceiver::new(crate::replacement::Flags::default()));
        let (mut kinds, mut heights) = (Vec::new(), Vec::new());
        for block in Blocks::new(&self.recording, Container::QuakeWorld, &wire::Limits::default()).unwrap() {
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
        assert_eq!((count(MessageKind::ServerData), count(MessageKind::SoundList), count(MessageKind::ModelList)), (1, 3, 4));
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
    assert_eq!(*session.recorder.status(), Status::Ended(End::Disconnected));

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

    // A server that insists on deltas says so and disconnects.
    let mut session = Session::new(Server::new(Level::default()), Settings { extensions: Extensions::NONE, ..Settings::default() });
    for _ in 0..100 {
        session.step(&[]);
    }
    assert_eq!(*session.recorder.status(), Status::Ended(End::Disconnected));
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
    let mut follow = Follow::new(true);
    let user = |slot, info: &[u8]| {
        let userinfo = crate::message::Text(info.to_vec());
        Message::UpdateUserInfo(crate::message::UpdateUserInfo { slot, user_id: 1, userinfo })
    };
    let dialect = crate::dialect::Dialect::new(crate::dialect::Stream::QuakeWorld);
    let deltas = DeltaReceiver::new(crate::replacement::Flags::default());
    let hear = |follow: &mut Follow, message: &Message| follow.hear(message, &dialect, &deltas);
    hear(&mut follow, &user(0, b"\\name\\me\\*spectator\\1"));
    assert_eq!(follow.command(), None);
    hear(&mut follow, &user(3, b"\\name\\c"));
    hear(&mut follow, &user(2, b"\\name\\b"));
    assert_eq!(follow.command().as_deref(), Some("ptrack 2"));
    assert_eq!(follow.command(), None);
    let origin = [80u32, 0, 8].map(crate::message::EntityCoord);
    hear(&mut follow, &Message::PlayerInfo(crate::message::PlayerInfo { slot: 2, origin, ..Default::default() }));
    assert_eq!(follow.position(), Some([10.0, 0.0, 1.0]));
    hear(&mut follow, &user(2, b""));
    assert_eq!(follow.command().as_deref(), Some("ptrack 3"));
    hear(&mut follow, &user(3, b""));
    assert_eq!(follow.command().as_deref(), Some("ptrack"));
}
