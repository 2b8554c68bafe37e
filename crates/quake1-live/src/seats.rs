//! Split screens over random networks: one to four seats at each of two connections, which come, go and are asked for in every way.
//!
//! `FRAGREEL_SESSIONS` sets how many sessions are tried.

use std::collections::{BTreeMap, BTreeSet};

use fragreel_testkit::Random;

use crate::command;
use crate::handshake::Extensions;
use crate::handshake::quakeworld::{Client, Step};
use crate::netchan::quakeworld::{Channel, Side};
use crate::recorder::{ChaseTarget, Recorder, Settings, Status};
use crate::server::{Event, Level, Seat, Seating, Server, Sight};
use fragreel_quake1::Recording;
use fragreel_quake1::unstable::message::{Message, UpdateUserInfo};
use fragreel_quake1::unstable::replacement::EntityState;
use fragreel_quake1::unstable::state::seats::MOST_SEATS;
use fragreel_quake1::unstable::state::{Stats, stat};

fn sessions() -> u64 {
    fragreel_testkit::sessions(40)
}

/// A datagram that is under way: when it arrives, of whom it is or for whom, and what it says.
type Underway = Vec<(f64, u8, Vec<u8>)>;

/// A network that loses, doubles and delays.
struct Network {
    random: Random,
    loss: usize,
    up: Underway,
    down: Underway,
}

impl Network {
    fn send(&mut self, now: f64, upwards: bool, who: u8, datagram: Vec<u8>) {
        let copies = usize::from(self.random.below(100) >= self.loss) + usize::from(self.random.below(100) < self.loss / 4);
        for _ in 0..copies {
            let at = now + self.random.below(40) as f64 / 1000.0;
            let way = if upwards { &mut self.up } else { &mut self.down };
            way.push((at, who, datagram.clone()));
        }
    }

    fn arrive(&mut self, now: f64, upwards: bool) -> Underway {
        let way = if upwards { &mut self.up } else { &mut self.down };
        let (here, later) = std::mem::take(way).into_iter().partition(|(at, ..)| *at <= now);
        *way = later;
        here
    }
}

/// What the game says that somebody has.
fn stats(seat: Seat, step: u32) -> Stats {
    let mut stats = [0; stat::COUNT];
    stats[stat::HEALTH] = 1000 + seat.user_id;
    stats[stat::ARMOR] = i32::from(seat.slot) + 1;
    stats[stat::SHELLS] = step as i32 / 50;
    stats
}

/// What is seen from a seat: himself, and what stands where he is alone.
fn sight(seat: Seat, step: u32) -> Vec<(u32, EntityState)> {
    let state = |model: u32| EntityState { model, origin: [step * 8, u32::from(seat.slot) * 80, 0], ..EntityState::default() };
    vec![(u32::from(seat.slot) + 1, state(2)), (100 + u32::from(seat.slot), state(3))]
}

/// Who is there, as the events say.
#[derive(Default)]
struct Guests(BTreeMap<i32, (u8, bool)>);

impl Guests {
    fn receive(&mut self, from: u8, seat: Seat, event: &Event) -> bool {
        match event {
            Event::Connected { .. } => assert!(self.0.insert(seat.user_id, (from, false)).is_none(), "{seat:?} comes twice"),
            Event::Began => self.0.get_mut(&seat.user_id).expect("who begins has come").1 = true,
            Event::Left => assert!(self.0.remove(&seat.user_id).is_some(), "{seat:?} leaves twice"),
            Event::Moved(_) => assert!(self.0.get(&seat.user_id).is_none_or(|(_, began)| *began), "{seat:?} moves and is not there"),
            Event::Command(_) | Event::Teleported(_) => {}
        }
        matches!(event, Event::Moved(_))
    }

    /// The server has the same.
    fn agree(&self, server: &Server<u8>) {
        let mut there: Vec<(i32, u8)> = server.addresses().flat_map(|at| server.seats(&at).map(move |seat| (seat.user_id, at))).collect();
        there.sort_unstable();
        assert_eq!(there, self.0.iter().map(|(user, (from, _))| (*user, *from)).collect::<Vec<_>>());
    }
}

/// Nobody shares a slot, seats are numbered, and none has more than four.
fn orderly(server: &Server<u8>) {
    let mut slots = Vec::new();
    for at in server.addresses() {
        let seats: Vec<Seat> = server.seats(&at).collect();
        assert!((1..=MOST_SEATS).contains(&seats.len()));
        assert!(seats.iter().enumerate().all(|(number, seat)| usize::from(seat.number) == number));
        slots.extend(seats.iter().map(|seat| seat.slot));
    }
    let all = slots.len();
    slots.sort_unstable();
    slots.dedup();
    assert_eq!(slots.len(), all, "a slot for each");
}

fn player(slot: u8) -> Message {
    let userinfo = fragreel_quake1::unstable::message::Text(format!("\\name\\bot{slot}").into_bytes());
    Message::UpdateUserInfo(UpdateUserInfo { slot, user_id: 500 + i32::from(slot), userinfo })
}

/// Two recorders with one to four seats each. Once nothing is lost any more, everybody has his seats, and what was recorded says of each
/// seat's player what was sent to that seat alone, and shows what anybody of it sees.
#[test]
fn seats_are_kept_apart_whatever_is_lost() {
    let mut moved = 0u64;
    for seed in 0..sessions() {
        let mut random = Random::new(seed * 7919 + 1);
        let wanted = [1 + random.below(4), 1 + random.below(4)];
        let replacement = random.below(4) > 0;
        let extensions = if replacement { Extensions::QUAKEWORLD } else { Extensions { fte1: 0x8000, ..Extensions::NONE } };
        let mut server = Server::new(Level::default()).with_seating(Seating::Slots { count: 8 }).with_seats(4).with_secret(seed);
        let settings = |seats: usize| Settings { seats, extensions, follow: ChaseTarget::Nobody, ..Settings::default() };
        let mut recorders = wanted.map(|seats| Recorder::new(settings(seats)));
        let (mut recordings, mut guests) = ([Vec::new(), Vec::new()], Guests::default());
        let mut network = Network { loss: random.below(40), random, up: Vec::new(), down: Vec::new() };
        let mut sat = [const { BTreeSet::new() }; 2];
        let storm = 400;
        let mut step = 0u32;
        let settled = |recorders: &[Recorder; 2]| recorders.iter().zip(wanted).all(|(recorder, seats)| recorder.seats() == seats);
        let mut calm_until = u32::MAX;
        while step < calm_until {
            step += 1;
            let now = f64::from(step) * 0.02;
            if step == 250 && seed % 3 == 0 {
                server.change_level(Level { server_count: 2, ..Level::default() });
            }
            if step == 300 && seed % 4 == 1 {
                // the one before the last is sent away, asks again, and gets the last seat
                let seats: Vec<Seat> = server.seats(&0).collect();
                let gone = seats.iter().rev().nth(1).copied().filter(|seat| seat.number > 0);
                assert_eq!(gone.is_some_and(|seat| server.unseat(&0, seat)), seats.len() > 2);
            }
            if step == storm {
                network.loss = 0;
            }
            if step >= storm && calm_until == u32::MAX && settled(&recorders) {
                calm_until = step + 150;
            }
            assert!(step < 4000, "seed {seed}: {:?} of {wanted:?} seats", recorders.each_ref().map(Recorder::seats));
            for (who, recorder) in (0..).zip(&mut recorders) {
                recorder.tick(now);
                while let Some(datagram) = recorder.next_datagram() {
                    network.send(now, true, who, datagram);
                }
            }
            for (_, who, datagram) in network.arrive(now, true) {
                server.receive(who, &datagram);
            }
            while let Some((from, seat, event)) = server.next_event() {
                moved += u64::from(guests.receive(from, seat, &event) && seat.number > 0);
            }
            let seats: Vec<(u8, Seat)> = server.addresses().flat_map(|at| server.seats(&at).map(move |seat| (at, seat)).collect::<Vec<_>>()).collect();
            let sights: BTreeMap<i32, Vec<(u32, EntityState)>> = seats.iter().map(|(_, seat)| (seat.user_id, sight(*seat, step))).collect();
            for (at, seat) in &seats {
                sat[usize::from(*at)].insert(seat.slot);
                server.stats(at, *seat, &stats(*seat, step));
            }
            server.frame_for(now as f32, |_, seat| Sight { visible: &sights[&seat.user_id], eye: [0.0; 3], follows: None });
            orderly(&server);
            while let Some((who, datagram)) = server.next_datagram() {
                network.send(now, false, who, datagram);
            }
            for (_, who, datagram) in network.arrive(now, false) {
                recorders[usize::from(who)].receive(now, &datagram);
            }
            for (recorder, recording) in recorders.iter_mut().zip(&mut recordings) {
                recorder.take_recording(recording);
            }
        }
        guests.agree(&server);
        for (who, (recorder, recording)) in (0..).zip(recorders.iter_mut().zip(&mut recordings)) {
            assert_eq!((recorder.status(), recorder.unreadable()), (&Status::Playing, 0), "seed {seed}");
            recorder.leave(f64::from(step) * 0.02);
            recorder.take_recording(recording);
            let read = Recording::open(recording, Some("qwd"), fragreel_base::wire::Limits::default()).unwrap();
            assert!(read.verify().is_whole(), "seed {seed}: {:?}", read.verify().damage.first());
            let mut playback = read.playback(true);
            while playback.next().is_some() {}
            let seats: Vec<Seat> = server.seats(&who).collect();
            assert_eq!(playback.game.seats.slots(), seats.iter().map(|seat| seat.slot).collect::<Vec<_>>(), "seed {seed}");
            for seat in &seats {
                let known = playback.game.stats_of(seat.slot).unwrap_or_else(|| panic!("seed {seed}: no stats at {seat:?}"));
                let sent = stats(*seat, step);
                assert_eq!((known[stat::HEALTH], known[stat::ARMOR]), (sent[stat::HEALTH], sent[stat::ARMOR]), "seed {seed}: {seat:?}");
                assert!((known[stat::SHELLS] - sent[stat::SHELLS]).abs() <= 1, "seed {seed}: {} of {}", known[stat::SHELLS], sent[stat::SHELLS]);
                if replacement {
                    let d = playback.dialect().clone();
                    let own = playback.game.world.entity(&d, 100 + u32::from(seat.slot));
                    assert!(own.is_some(), "seed {seed}: what {seat:?} sees is not there");
                }
            }
            // those of who was sent away stay
            let known = (0u8..).zip(&playback.game.stats).filter_map(|(slot, stats)| stats.map(|_| slot));
            let strangers: Vec<u8> = known.filter(|slot| !sat[usize::from(who)].contains(slot)).collect();
            assert!(strangers.is_empty(), "seed {seed}: stats of {strangers:?}, who never sat there");
        }
    }
    assert!(moved > 0, "further seats have input");
}

/// The recorder's extra seats follow other players.
#[test]
fn further_seats_follow_other_players() {
    let mut server = Server::new(Level::default()).with_seating(Seating::Slots { count: 8 }).with_seats(4);
    [5, 6, 7].into_iter().for_each(|slot| server.lasting(&player(slot)));
    let mut recorder = Recorder::new(Settings { seats: 4, ..Settings::default() });
    let mut told = BTreeMap::new();
    for step in 0..1500u32 {
        let now = f64::from(step) * 0.02;
        recorder.tick(now);
        while let Some(datagram) = recorder.next_datagram() {
            server.receive(1, &datagram);
        }
        while let Some((_, seat, event)) = server.next_event() {
            if let Event::Command(text) = event {
                told.insert(seat.number, String::from_utf8(text).unwrap());
            }
        }
        server.frame(now as f32, &[]);
        while let Some((_, datagram)) = server.next_datagram() {
            recorder.receive(now, &datagram);
        }
    }
    assert_eq!((recorder.seats(), recorder.missing_seats()), (4, 0));
    let expected = [(0, "ptrack 5"), (1, "ptrack 6"), (2, "ptrack 7")];
    assert_eq!(told, expected.into_iter().map(|(seat, text)| (seat, String::from(text))).collect());
}

/// A client that requests too many seats gets a refusal now and then, and a recorder gives up.
#[test]
fn seats_that_there_are_not_are_refused() {
    for (server, seats) in [
        (Server::new(Level::default()).with_seating(Seating::Slots { count: 2 }).with_seats(4), 2),
        (Server::new(Level::default()).with_seating(Seating::Slots { count: 8 }).with_seats(3), 3),
        (Server::new(Level::default()).with_seating(Seating::Slots { count: 8 }), 1),
        (Server::new(Level::default()).with_seats(4), 1),
    ] {
        let mut server = server;
        let mut recorder = Recorder::new(Settings { seats: 4, ..Settings::default() });
        for step in 0..2000u32 {
            let now = f64::from(step) * 0.02;
            recorder.tick(now);
            while let Some(datagram) = recorder.next_datagram() {
                server.receive(1, &datagram);
            }
            while server.next_event().is_some() {}
            server.frame(now as f32, &[]);
            while let Some((_, datagram)) = server.next_datagram() {
                recorder.receive(now, &datagram);
            }
        }
        assert_eq!((recorder.status(), recorder.seats(), recorder.missing_seats()), (&Status::Playing, seats, 4 - seats));
    }
}

/// One who says what no engine's client says.
struct Rogue {
    client: Client,
    channel: Channel,
    joined: bool,
}

impl Rogue {
    fn new(number: u16, split: bool) -> Self {
        let wants = Extensions { fte1: if split { 0x10_8000 } else { 0x8000 }, fte2: 0x68, mvd1: 0 };
        let client = Client::new(number, b"\\name\\rogue".to_vec(), wants);
        Rogue { client, channel: Channel::new(Side::Client { qport: number }), joined: false }
    }

    fn speak(&mut self, random: &mut Random) -> Vec<u8> {
        if !self.joined {
            return self.client.start();
        }
        let mut unreliable = Vec::new();
        let mut words = Vec::new();
        for _ in 0..random.below(6) {
            let seat = [0, 1, 2, 3, 4, 255, random.below(256) as u8][random.below(7)];
            let count = [0i64, 1, 2, 3, 4, 5, -1, 255, i64::from(u32::MAX)][random.below(9)];
            let name = "n".repeat([1, 5, 1500][random.below(3)]);
            let text = match random.below(8) {
                0..3 => format!("addseat {count} \"\\name\\{name}\""),
                3 => format!("addseat {count}"),
                4 if random.below(6) > 0 => String::from("drop"),
                5 => String::from("addseat"),
                6 => String::from("setinfo name x"),
                _ => format!("new {count}"),
            };
            let seat = if text == "drop" && seat == 0 { 1 } else { seat };
            match (random.below(2), text.starts_with("new")) {
                (_, true) | (0, _) => command::string_of_seat(&mut words, seat.max(1), text.as_bytes()),
                _ => command::string(&mut words, text.as_bytes()),
            }
        }
        if random.below(2) == 0 && words.len() < 900 {
            self.channel.queue(&words);
        } else {
            unreliable.extend(words.iter().take(1200));
        }
        command::idle_move(&mut unreliable, 20, 0, self.channel.outgoing_sequence());
        (0..random.below(9)).for_each(|_| command::idle_move_of_seat(&mut unreliable, 20));
        if random.below(20) == 0 {
            unreliable.extend((0..random.below(40)).map(|_| random.below(256) as u8));
        }
        unreliable.truncate(1300);
        self.channel.transmit(&unreliable)
    }

    fn receive(&mut self, datagram: &[u8]) -> Option<Vec<u8>> {
        if self.joined {
            let _ = self.channel.receive(datagram);
            return None;
        }
        match self.client.receive(datagram) {
            Step::Send(answer) => return Some(answer),
            Step::Connected => {
                self.joined = true;
                let mut words = Vec::new();
                ["new", "spawn 1 0", "begin 1"].iter().for_each(|text| command::string(&mut words, text.as_bytes()));
                self.channel.queue(&words);
            }
            _ => {}
        }
        None
    }
}

/// Seat numbers out of range, moves of seats that are not there, floods of questions for seats, seats that come and go.
#[test]
fn rogues_get_no_more_seats_than_there_are() {
    let (mut most, mut left) = (0, 0);
    for seed in 0..sessions() {
        let mut random = Random::new(seed * 104_729 + 3);
        let mut server = Server::new(Level::default()).with_seating(Seating::Slots { count: 5 }).with_seats(4).with_secret(seed);
        let mut rogues = [(1, true), (2, true), (3, false)].map(|(number, split)| Rogue::new(number, split));
        let mut guests = Guests::default();
        let mut added = 0;
        for step in 0..600u32 {
            let now = step as f32 * 0.05;
            for (who, rogue) in (0..).zip(&mut rogues) {
                // one of them says three things at a time
                for _ in 0..if who == 0 { 3 } else { 1 } {
                    let datagram = rogue.speak(&mut random);
                    server.receive(who, &datagram);
                }
            }
            while let Some((from, seat, event)) = server.next_event() {
                assert!(usize::from(seat.number) < MOST_SEATS && (from < 2 || seat.number == 0), "{from}: {seat:?}");
                added += u32::from(seat.number > 0 && matches!(event, Event::Connected { .. }));
                left += u32::from(seat.number > 0 && matches!(event, Event::Left));
                guests.receive(from, seat, &event);
            }
            orderly(&server);
            guests.agree(&server);
            most = most.max(server.addresses().map(|at| server.seats(&at).count()).sum::<usize>());
            server.frame(now, &[]);
            while let Some((who, datagram)) = server.next_datagram() {
                assert!(datagram.len() <= 1400);
                if let Some(answer) = rogues[usize::from(who)].receive(&datagram) {
                    server.receive(who, &answer);
                }
            }
            // who was sent away comes again
            for (who, rogue) in (0..).zip(&mut rogues) {
                if rogue.joined && server.seat(&who).is_none() {
                    *rogue = Rogue::new(u16::from(who) + 1, who < 2);
                }
            }
        }
        // 30 seconds, and two between one and the next
        assert!(added <= 2 * 16, "seed {seed}: {added} seats were given out");
    }
    assert!(most == 5 && left > 0, "{most} at once, {left} left");
}
