//! The recorder as somebody who watches, over networks of all kinds: what he sees is what there is.

use std::collections::HashMap;

use fragreel_live::PlaybackServer as _;
use fragreel_live::network::Network;

use super::*;
use crate::recorder::{Joined, Recorder, Settings, Status};
use fragreel_quake1::unstable::decoded_blocks::{DecodedBlocks, NextDecoded};
use fragreel_quake1::unstable::replacement::Flags;
use fragreel_quake1::unstable::world::WorldView;

/// A sample of this project.
fn sample(name: &str) -> Vec<u8> {
    std::fs::read(fragreel_testkit::checkout().join("samples/quake1").join(name)).expect("a sample")
}

/// What is seen of an entity: number, model, frame, skin, effects, place.
type Seen = (u32, u32, u32, i32, u32, [i32; 3]);

fn seen(layout: &Flags, number: u32, state: &EntityState) -> Seen {
    let place = layout.position(state).map(|units| (units * 8.0).round() as i32);
    (number, state.model, state.frame, state.skin, state.effects & 0xff_ffff, place)
}

/// A show with one who watches it.
struct Evening {
    show: QuakeWorldDemoServer<u8>,
    recorder: Recorder,
    to: Network<Vec<u8>>,
    from: Network<Vec<u8>>,
    now: f64,
    file: Vec<u8>,
    /// What was in sight in each packet.
    shown: HashMap<u32, Vec<Seen>>,
}

impl Evening {
    fn new(recording: &Recording<'_>, contents: &Contents, extensions: Extensions) -> Self {
        let show = QuakeWorldDemoServer::new(recording, contents, "test", 7, [3000, 8000]).expect("a show");
        let settings = Settings { extensions, interval: 0.014, ..Settings::default() };
        Evening { show, recorder: Recorder::new(settings), to: Network::new(1), from: Network::new(2), now: 0.0, file: Vec::new(), shown: HashMap::new() }
    }

    fn lossy(mut self, loss: u32) -> Self {
        for network in [&mut self.to, &mut self.from] {
            (network.loss, network.duplication, network.delay, network.jitter) = (loss, 5, 0.01, 0.02);
        }
        self
    }

    fn step(&mut self) {
        self.now += 0.005;
        self.recorder.tick(self.now);
        while let Some(datagram) = self.recorder.next_datagram() {
            self.to.send(self.now, datagram);
        }
        for datagram in self.to.arrive(self.now) {
            self.show.receive(1, &datagram, true);
        }
        self.show.tick(self.now);
        let layout = self.show.server.layout();
        while let Some((_, datagram)) = self.show.next_datagram() {
            if !datagram.starts_with(&[0xff; 4]) {
                let sequence = u32::from_le_bytes([datagram[0], datagram[1], datagram[2], datagram[3]]) & 0x7fff_ffff;
                self.shown.insert(sequence, self.show.visible.iter().map(|(number, state)| seen(&layout, *number, state)).collect());
            }
            self.from.send(self.now, datagram);
        }
        for datagram in self.from.arrive(self.now) {
            self.recorder.receive(self.now, &datagram);
        }
        self.recorder.take_recording(&mut self.file);
    }

    fn run(&mut self, seconds: f64) {
        let end = self.now + seconds;
        while self.now < end {
            self.step();
        }
    }

    /// Compares each frame of the viewer's recording with what was shown in its packet; how many frames and entities those were.
    fn compare(mut self) -> (usize, usize) {
        self.recorder.leave(self.now);
        self.recorder.take_recording(&mut self.file);
        let recording = Recording::open(&self.file, Some("qwd"), fragreel_base::wire::Limits::default()).expect("a recording");
        assert!(recording.verify().is_whole(), "{:?}", recording.verify().damage);
        let (mut reading, mut game, mut frames, mut entities, mut behind) = (DecodedBlocks::new(recording.input()), Game::default(), 0, 0, 0);
        while let Some(next) = reading.next(|d, message, delivery| game.apply(d, message, delivery.target, delivery.sequence)) {
            let NextDecoded::Block(unit) = next else { panic!("a broken block") };
            assert!(game.take_missing().is_none(), "a delta without a base");
            let Some(shown) = self.shown.get(&unit.sequence()).filter(|_| unit.messages.iter().any(fragreel_quake1::unstable::message::is_frame)) else {
                continue;
            };
            let d = reading.dialect();
            let mut got: Vec<Seen> = if d.replacement() {
                let layout = d.layout();
                game.world.replaced().iter().map(|(number, known)| seen(&layout, number, &known.state)).collect()
            } else {
                let world_view = WorldView::of(d, &game);
                let things = world_view.things.iter().map(|thing| {
                    let s = thing.seen;
                    (s.number, s.model, s.frame, s.skin, s.effects, s.origin.map(|units| (units * 8.0).round() as i32))
                });
                let own = game.own;
                let players = world_view.players.iter().filter(|player| Some(player.slot) != own);
                let players = players.map(|p| (u32::from(p.slot) + 1, p.model, p.frame, p.skin, p.effects, p.origin.map(|units| (units * 8.0).round() as i32)));
                players.chain(things).collect()
            };
            got.sort_unstable();
            let mut expected = shown.clone();
            if !d.replacement() {
                // numbers that plain engines have, and the model that a player has by default
                expected.retain(|entity| entity.0 < 512 && entity.1 < 256);
                expected.iter_mut().for_each(|entity| entity.2 &= 255);
                got.iter_mut().filter(|entity| entity.0 <= 32).for_each(|entity| entity.1 = 0);
                expected.iter_mut().filter(|entity| entity.0 <= 32).for_each(|entity| entity.1 = 0);
            }
            expected.sort_unstable();
            // what did not fit into a replacement update is in the next one
            if d.replacement() && got != expected {
                behind += 1;
                continue;
            }
            if expected.len() > got.len() && got.iter().filter(|entity| entity.0 > 32).count() == 64 {
                // of more than plain clients take, the nearest
                expected.retain(|entity| got.binary_search(entity).is_ok());
            }
            assert_eq!(got, expected, "packet {}", unit.sequence());
            frames += 1;
            entities += got.len();
        }
        assert!(behind * 4 < frames, "{behind} frames behind, {frames} not");
        (frames, entities)
    }
}

#[test]
fn those_without_extensions_see_what_there_is() {
    for (name, loss) in
        [("match_e1m1.qwd", 0), ("match_e1m1.mvd", 0), ("quakeworld_plain_dm3.qwd", 0), ("quakeworld_deltas_e1m1.qwd", 0), ("match_e1m1.mvd", 15)]
    {
        let bytes = sample(name);
        let recording = Recording::open(&bytes, None, fragreel_base::wire::Limits::default()).unwrap();
        let contents = Contents::of(&recording);
        let mut evening = Evening::new(&recording, &contents, Extensions::NONE).lossy(loss);
        evening.run(12.0);
        assert_eq!(*evening.recorder.status(), Status::Playing, "{name}");
        let (frames, entities) = evening.compare();
        assert!(frames > 300 && entities > 2 * frames, "{name}: {frames} frames, {entities} entities");
    }
}

#[test]
fn those_with_replacement_deltas_see_what_there_is() {
    for (name, loss) in [("match_e1m1.qwd", 0), ("match_e1m1.mvd", 0), ("quakeworld_deltas_e1m1.qwd", 0)] {
        let bytes = sample(name);
        let recording = Recording::open(&bytes, None, fragreel_base::wire::Limits::default()).unwrap();
        let contents = Contents::of(&recording);
        let mut evening = Evening::new(&recording, &contents, Extensions::QUAKEWORLD).lossy(loss);
        evening.run(12.0);
        let (frames, entities) = evening.compare();
        assert!(frames > 300 && entities > 2 * frames, "{name}: {frames} frames, {entities} entities");
    }
}

#[test]
fn the_clock_goes_where_the_console_says() {
    let bytes = sample("match_e1m1.mvd");
    let recording = Recording::open(&bytes, None, fragreel_base::wire::Limits::default()).unwrap();
    let contents = Contents::of(&recording);
    let mut evening = Evening::new(&recording, &contents, Extensions::NONE);
    evening.run(5.0);
    let straight = evening.show.visible.clone();
    let at = evening.show.position();
    for (command, to) in [("say \"!seek 20\"", 20_000), ("seek -15", 5505), ("seek 4", 4000), ("next", 5000), ("prev", 0), ("seek 0:40", 40_000)] {
        evening.show.command(1, Seat::default(), command.as_bytes());
        assert!((to - 10..=to + 10).contains(&evening.show.position()), "{command}: {}", evening.show.position());
        evening.run(0.5);
    }
    // the same place shows the same, wherever one comes from
    evening.show.command(1, Seat::default(), b"pause");
    evening.show.command(1, Seat::default(), format!("seek {}", at as f64 / 1000.0).as_bytes());
    evening.run(0.1);
    assert_eq!(evening.show.position(), at);
    let again: Vec<_> = evening.show.visible.iter().map(|(number, state)| (*number, state.origin)).collect();
    assert_eq!(again, straight.iter().map(|(number, state)| (*number, state.origin)).collect::<Vec<_>>());
    evening.run(1.0);
    assert_eq!(evening.show.position(), at, "it stands still");
    evening.compare();
}

#[test]
fn what_recordings_stuff_is_held_back() {
    let bytes = sample("match_e1m1.mvd");
    let recording = Recording::open(&bytes, None, fragreel_base::wire::Limits::default()).unwrap();
    let contents = Contents::of(&recording);
    let mut show: QuakeWorldDemoServer<u8> = QuakeWorldDemoServer::new(&recording, &contents, "a\\b\"c", 7, []).unwrap();
    assert_eq!(show.name, "abc");
    show.pass(BlockOutput { messages: vec![(Target::default(), Message::StuffText(StuffText { text: Text(b"bf\nexec evil.cfg\n".to_vec()) }))], level: false });
    assert_eq!(fragreel_live::PlaybackServer::held_back(&show), [(String::from("exec"), 1)]);
}

/// An address may be forged, so it takes a long question to get a long answer.
#[test]
fn answers_to_strangers_are_short() {
    let bytes = sample("match_e1m1.mvd");
    let recording = Recording::open(&bytes, None, fragreel_base::wire::Limits::default()).unwrap();
    let contents = Contents::of(&recording);
    let mut show: QuakeWorldDemoServer<u8> = QuakeWorldDemoServer::new(&recording, &contents, "a name that is longer than any list shows", 7, []).unwrap();
    let mut ask = |question: &[u8]| {
        show.receive(1, question, true);
        show.tick(0.1);
        show.next_datagram().expect("an answer").1
    };
    for question in [&b"\xff\xff\xff\xffstatus\n"[..], b"\xff\xff\xff\xffstatus 23\n"] {
        let answer = ask(question);
        assert!(answer.len() < 65, "{} bytes: {}", answer.len(), String::from_utf8_lossy(&answer));
        assert_eq!(crate::query::read_status(&answer).expect("a status").map, b"e1m1");
    }
    let padded = crate::query::STATUS;
    let answer = ask(padded);
    assert!(answer.len() <= padded.len());
    assert!(!crate::query::read_status(&answer).expect("a status").players.is_empty(), "{}", String::from_utf8_lossy(&answer));
}

#[test]
fn who_was_not_challenged_gets_little() {
    let bytes = sample("match_e1m1.mvd");
    let recording = Recording::open(&bytes, None, fragreel_base::wire::Limits::default()).unwrap();
    let contents = Contents::of(&recording);
    let mut show: QuakeWorldDemoServer<u32> = QuakeWorldDemoServer::new(&recording, &contents, "test", 7, []).unwrap();
    // a flood from forged addresses, and connects without a challenge
    for address in 0..10_000u32 {
        show.receive(address, b"\xff\xff\xff\xffgetchallenge\n", true);
        show.receive(address, b"\xff\xff\xff\xffconnect 28 7 12345 \"\\name\\x\"\n", true);
        show.receive(address, b"\xff\xff\xff\xffstatus\n", true);
        show.receive(address, &[1, 0, 0, 0, 0, 0, 0, 0, 7, 0, 4, b'n', b'e', b'w', 0], true);
    }
    show.tick(0.1);
    let sent: usize = std::iter::from_fn(|| show.next_datagram()).map(|(_, datagram)| datagram.len()).sum();
    assert!(sent < 10 * 1500, "{sent}");
    assert_eq!(show.watching(), 0);
}

#[test]
fn sessions_on_bad_networks_converge_once_those_heal() {
    let bytes = sample("match_e1m1.mvd");
    let recording = Recording::open(&bytes, Some("mvd"), fragreel_base::wire::Limits::default()).unwrap();
    let contents = Contents::of(&recording);
    for number in 0..fragreel_testkit::sessions(10) {
        let mut show: QuakeWorldDemoServer<u32> = QuakeWorldDemoServer::new(&recording, &contents, "test", number, []).unwrap();
        let extensions = if number % 2 == 0 { Extensions::QUAKEWORLD } else { Extensions::NONE };
        let mut watcher = Joined::new(Settings { extensions, qport: number as u16, ..Settings::default() });
        let mut session = fragreel_live::sessions::Session::new(number);
        (session.longest, session.seconds.1) = (1500, 12.0);
        let ending = session.run(&mut show, &mut watcher);
        assert_eq!(ending.broken, None, "session {number}");
        assert!(ending.fresh > 500, "session {number}: {} bytes at its end", ending.fresh);
        let recorded = Recording::open(&ending.recording, Some("qwd"), fragreel_base::wire::Limits::default()).unwrap();
        assert!(recorded.verify().damage.is_empty(), "session {number}");
    }
}

/// A recording that grows while it is shown: what is recorded from the show is in it, and levels that begin on the way are seen, too.
#[test]
fn a_growing_recording_is_passed_on() {
    for (name, extension, loss, extensions) in [
        ("match_e1m1.mvd", "mvd", 0, Extensions::QUAKEWORLD),
        ("match_e1m1.qwd", "qwd", 10, Extensions::NONE),
        ("match_e1m1.qwd", "qwd", 20, Extensions::QUAKEWORLD),
    ] {
        let bytes = sample(name);
        // the same level twice, as after a level change
        let twice = [&bytes[..], &bytes].concat();
        let start = 80_000;
        let recording = Recording::open(&twice[..start], Some(extension), fragreel_base::wire::Limits::default()).unwrap();
        let mut show: QuakeWorldDemoServer<u8> = QuakeWorldDemoServer::new(&recording, &Contents::of(&recording), "test", 7, []).unwrap();
        let mut recorder = Joined::new(Settings { extensions, qport: 5, ..Settings::default() });
        let rate = bytes.len() / 1500;
        let file = fragreel_live::sessions::record_growing(&mut show, &mut recorder, [1, 2], loss, 20.0, &twice[start..], rate).concat();
        let recorded = Recording::open(&file, Some("qwd"), fragreel_base::wire::Limits::default()).unwrap();
        assert!(recorded.verify().damage.is_empty(), "{name} at {loss} %");
        assert_eq!(recorded.split(fragreel_model::Split::Gamestate).unwrap().len(), 2, "{name} at {loss} %");
        assert!(recorded.verify().snapshots > 300, "{name} at {loss} %: {}", recorded.verify().snapshots);
    }
}

fn guests(count: u16) -> Vec<fragreel_live::sessions::Guest<Joined>> {
    let guest = |number| fragreel_live::sessions::Guest {
        recorder: Joined::new(Settings {
            extensions: if number % 2 == 0 { Extensions::QUAKEWORLD } else { Extensions::NONE },
            qport: number,
            ..Settings::default()
        }),
        recording: Vec::new(),
        loss: 0,
        bytes: 0,
    };
    (0..count).map(guest).collect()
}

#[test]
fn sixty_four_watch_and_a_slow_and_a_lost_one_disturb_nobody() {
    let bytes = sample("match_e1m1.mvd");
    let recording = Recording::open(&bytes, Some("mvd"), fragreel_base::wire::Limits::default()).unwrap();
    let mut show: QuakeWorldDemoServer<u8> = QuakeWorldDemoServer::new(&recording, &Contents::of(&recording), "test", 7, []).unwrap();
    let mut guests = guests(65);
    guests[3].loss = 70;
    let mut before = Vec::new();
    fragreel_live::sessions::crowd(&mut show, &mut guests, 30.0, |now, show, guests| {
        if now == 15.0 {
            assert!(show.watching() >= 60, "{}", show.watching());
            guests[7].loss = 100;
            before = guests.iter().map(|guest| guest.recording.len()).collect();
        }
    });
    let mut counts: Vec<usize> = (0..65).filter(|at| ![3, 7].contains(at)).map(|at| guests[at].recording.len() - before[at]).collect();
    counts.sort_unstable();
    // one finds it full; the others get the same, with replacement deltas or without
    assert_eq!(counts[0], 0);
    assert!(counts[1] > 20_000, "{counts:?}");
    for at in [0, 1, 2, 40, 41] {
        let recorded = Recording::open(&guests[at].recording, Some("qwd"), fragreel_base::wire::Limits::default()).unwrap();
        assert!(recorded.verify().damage.is_empty() && recorded.verify().snapshots > 600, "{at}: {}", recorded.verify().snapshots);
    }
}

/// Who takes little is sent little, and hears how often nothing was sent to him.
#[test]
fn rates_are_kept() {
    let bytes = sample("match_e1m1.mvd");
    let recording = Recording::open(&bytes, Some("mvd"), fragreel_base::wire::Limits::default()).unwrap();
    for rate in [1000, 2500] {
        let mut show: QuakeWorldDemoServer<u8> = QuakeWorldDemoServer::new(&recording, &Contents::of(&recording), "test", 7, []).unwrap();
        let mut guests = guests(2);
        guests[0].recorder = Joined::new(Settings { rate, qport: 9, ..Settings::default() });
        fragreel_live::sessions::crowd(&mut show, &mut guests, 40.0, |_, _, _| {});
        let per_second = guests[0].bytes as f64 / 40.0;
        assert!(per_second < f64::from(rate) * 1.7 && guests[1].bytes > guests[0].bytes * 3 / 2, "{rate}: {per_second}, {}", guests[1].bytes);
        let recorded = Recording::open(&guests[0].recording, Some("qwd"), fragreel_base::wire::Limits::default()).unwrap();
        assert!(recorded.verify().damage.is_empty());
    }
}

/// ezQuake shows nothing when it follows somebody else, so the server says whom.
#[test]
fn follow_is_answered() {
    let bytes = sample("match_e1m1.mvd");
    let recording = Recording::open(&bytes, Some("mvd"), fragreel_base::wire::Limits::default()).unwrap();
    let contents = Contents::of(&recording);
    let mut evening = Evening::new(&recording, &contents, Extensions::QUAKEWORLD);
    evening.run(6.0);
    let seat = evening.show.server.seats(&1).next().expect("somebody watches");
    let (slot, name) = evening.show.playhead.players().map(|(slot, person)| (slot, person.name.clone())).last().expect("somebody plays");
    evening.show.command(1, seat, b"follow no such player");
    evening.show.command(1, seat, &[b"follow ", &*characters::clean(&name).into_bytes()].concat());
    evening.run(1.0);
    assert_eq!(evening.show.chase.of(1, seat), Some(slot));
    evening.recorder.leave(evening.now);
    evening.recorder.take_recording(&mut evening.file);
    for reply in [&[b"following ", &*name, b"\n"].concat()[..], b"nobody is called that\n"] {
        assert!(evening.file.windows(reply.len()).any(|window| window == reply));
    }
}

/// Who sits at two seats follows two players, and is sent the stats of each, for that seat.
#[test]
fn two_seats_see_through_two_players() {
    let bytes = sample("match_e1m1.mvd");
    let recording = Recording::open(&bytes, Some("mvd"), fragreel_base::wire::Limits::default()).unwrap();
    let contents = Contents::of(&recording);
    for loss in [0, 15] {
        let mut evening = Evening::new(&recording, &contents, Extensions::QUAKEWORLD).lossy(loss);
        let settings = Settings { seats: 2, follow: crate::recorder::ChaseTarget::Nobody, interval: 0.014, ..Settings::default() };
        evening.recorder = Recorder::new(settings);
        evening.run(14.0);
        assert_eq!(evening.recorder.seats(), 2);
        let seats: Vec<Seat> = evening.show.server.seats(&1).collect();
        let follows = [0, 1].map(|at| evening.show.chase.of(1, seats[at]).expect("each follows somebody"));
        assert_ne!(follows[0], follows[1], "{loss} % loss");
        let players: Vec<u8> = evening.show.playhead.players().map(|(slot, _)| slot).collect();
        assert!(seats.iter().all(|seat| seat.watches && !players.contains(&seat.slot)), "{seats:?} among {players:?}");
        evening.show.command(1, Seat::default(), b"pause");
        (evening.to.loss, evening.from.loss) = (0, 0);
        evening.run(1.0);
        evening.recorder.leave(evening.now);
        evening.recorder.take_recording(&mut evening.file);
        let seen = Recording::open(&evening.file, Some("qwd"), fragreel_base::wire::Limits::default()).unwrap();
        assert!(seen.verify().is_whole(), "{:?}", seen.verify().damage);
        let mut playback = seen.playback(true);
        while playback.next().is_some() {}
        assert_eq!(playback.game.seats.slots(), seats.iter().map(|seat| seat.slot).collect::<Vec<_>>());
        for (seat, slot) in seats.iter().zip(follows) {
            assert_eq!(playback.game.stats_of(seat.slot), evening.show.playhead.game.stats_of(slot), "{loss} % loss, {seat:?} follows {slot}");
            assert!(playback.game.roster.get(seat.slot).is_some_and(|person| person.spectator) || seat.number == 0);
        }
        assert_ne!(playback.game.stats_of(seats[0].slot), playback.game.stats_of(seats[1].slot));
    }
}
