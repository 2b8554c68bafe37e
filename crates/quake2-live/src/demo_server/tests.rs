//! A minimal client against the demo server, over networks of all kinds.

use std::collections::HashMap;

use fragreel_live::PlaybackServer as _;
use fragreel_live::network::{Dice, Network};

use super::*;
use crate::client_message;
use crate::handshake::{self, Answer};
use crate::netchan::{Channel, Side};
use fragreel_quake2::fields::entity::Row;
use fragreel_quake2::message::Reader;
use fragreel_quake2::state::{Detail, Effect, State};

const QPORT: u16 = 4711;

/// A frame as somebody has it: the player's row but for what makes him stand still, his stats, the entities.
type Seen = (Vec<u32>, [i16; 64], Vec<(u16, Row)>);

/// The smallest client.
struct Client {
    channel: Option<Channel>,
    challenge: Option<i32>,
    reader: Reader,
    state: State,
    /// Whether there is a frame, and what follows it.
    has: i32,
    frames: Vec<(i32, Seen)>,
    prints: Vec<Vec<u8>>,
    levels: u32,
    due: f64,
    now: f64,
    /// Whether the button is held.
    attack: bool,
}

impl Client {
    fn new() -> Self {
        let dialect = fragreel_quake2::dialect::Dialect::playable();
        Client {
            channel: None,
            challenge: None,
            reader: Reader::new(dialect),
            state: State::new(dialect, Detail::Full, false),
            has: -1,
            frames: Vec::new(),
            prints: Vec::new(),
            levels: 0,
            due: 0.0,
            now: 0.0,
            attack: false,
        }
    }

    fn say(&mut self, text: &str) {
        self.channel.as_mut().expect("connected").queue(&client_message::command(text));
    }

    fn tick(&mut self, now: f64) -> Vec<Vec<u8>> {
        self.now = now;
        if now < self.due {
            return Vec::new();
        }
        self.due = now + if self.channel.is_some() { 0.05 } else { 0.5 };
        match (&mut self.channel, self.challenge) {
            (Some(channel), _) => {
                let sequence = channel.outgoing_sequence();
                let mut moves = client_message::movement(sequence, Some(self.has).filter(|has| *has > 0), 50);
                if self.attack {
                    // the newest input names the buttons
                    let newest = moves.len() - 3;
                    moves.splice(newest..=newest, [0x40, 1]);
                }
                vec![channel.transmit(&moves)]
            }
            (None, Some(challenge)) => vec![handshake::connect(QPORT, challenge, "\\name\\me")],
            (None, None) => vec![handshake::get_challenge()],
        }
    }

    fn receive(&mut self, datagram: &[u8]) {
        match Answer::read(datagram) {
            Some(Answer::Challenge(challenge)) => self.challenge = Some(challenge),
            Some(Answer::Accepted) if self.channel.is_none() => {
                self.channel = Some(Channel::new(Side::Client { qport: QPORT }));
                self.say("new");
            }
            _ => {}
        }
        let Some(received) = self.channel.as_mut().and_then(|channel| channel.receive(datagram).ok()) else { return };
        let (state, mut stuffed) = (&mut self.state, Vec::new());
        let (levels, prints, frames, has) = (&mut self.levels, &mut self.prints, &mut self.frames, &mut self.has);
        let read = self.reader.block(received.payload, |message, _, _| {
            match &message.body {
                Body::StuffText(text) => stuffed.push(String::from_utf8(text.0.clone()).unwrap()),
                Body::Print(print) => prints.push(print.text.0.clone()),
                Body::ServerData(_) => *levels += 1,
                _ => {}
            }
            match state.apply(message) {
                Effect::Frame => {
                    let view = state.ring.current().unwrap();
                    *has = view.number();
                    frames.push((view.number(), seen(state)));
                }
                Effect::FrameBegun => *has = -1,
                Effect::MissingBase(_) => panic!("a base that was never acknowledged"),
                _ => {}
            }
            true
        });
        assert!(read.is_ok(), "what the show sends can be read");
        for text in stuffed.iter().flat_map(|text| text.lines()) {
            match text.split_once(' ').unwrap_or((text, "")) {
                ("precache", count) => self.say(&format!("begin {count}")),
                ("reconnect", _) => self.say("new"),
                _ => {}
            }
        }
    }
}

fn seen(state: &State) -> Seen {
    let view = state.ring.current().unwrap();
    let (_, player) = view.players().next().unwrap();
    let mut row = player.row.to_vec();
    (row[PM_TYPE], row[PM_FLAGS]) = (0, row[PM_FLAGS] & !NO_PREDICTION);
    // events are only with the first of several looks at a frame
    let entities = view.entities(state.dialect.line).map(|(number, row)| (number, aged(&row, state.dialect.line))).collect();
    (row, player.stats, entities)
}

fn sample(name: &str) -> Vec<u8> {
    std::fs::read(fragreel_testkit::checkout().join("samples/quake2").join(name)).expect("a sample")
}

fn open(bytes: &[u8]) -> Recording<'_> {
    Recording::open(bytes, Some("dm2"), fragreel_base::wire::Limits::default()).expect("a recording")
}

/// Every frame of a recording.
fn truth(bytes: &[u8]) -> HashMap<Vec<u8>, i64> {
    let (mut playhead, mut console, mut frames) = (Playhead::new(&open(bytes)), fragreel_live::Console::allowing(&[]), HashMap::new());
    let recording = Growing::whole(bytes.to_vec());
    while let Some(step) = playhead.step(&recording, &mut console) {
        if step.framed {
            frames.insert(key(&seen(playhead.state())), playhead.time());
        }
    }
    frames
}

/// To be found by.
fn key((row, stats, entities): &Seen) -> Vec<u8> {
    let words = row.iter().copied().chain(stats.iter().map(|stat| *stat as u32));
    let all = words.chain(entities.iter().flat_map(|(number, row)| std::iter::once(u32::from(*number)).chain(row.iter().copied())));
    all.flat_map(u32::to_le_bytes).collect()
}

struct Theatre {
    server: DemoServer<u8>,
    clients: Vec<(u8, Client)>,
    to: Network<(u8, Vec<u8>)>,
    from: Network<(u8, Vec<u8>)>,
    now: f64,
    longest: usize,
    /// Of 100 packets of one client, those that are lost besides.
    worse: HashMap<u8, u32>,
    dice: Dice,
}

impl Theatre {
    fn new(bytes: &[u8], clients: u8, loss: u32, seed: u64) -> Self {
        let network = |seed| {
            let mut network = Network::new(seed);
            (network.loss, network.duplication, network.delay, network.jitter) = (loss, loss / 2, 0.02, f64::from(loss) * 0.002);
            network
        };
        Theatre {
            server: DemoServer::new(&open(bytes), "test", 7, [3000, 8000]).expect("a show"),
            clients: (0..clients).map(|at| (at, Client::new())).collect(),
            to: network(seed),
            from: network(seed + 1),
            now: 0.0,
            longest: 0,
            worse: HashMap::new(),
            dice: Dice::new(seed),
        }
    }

    fn run(&mut self, seconds: f64) {
        let end = self.now + seconds;
        while self.now < end {
            self.now += 0.01;
            let now = self.now;
            for (address, client) in &mut self.clients {
                client.tick(now).into_iter().for_each(|datagram| self.to.send(now, (*address, datagram)));
            }
            for (address, datagram) in self.to.arrive(now) {
                self.server.receive(address, &datagram, true);
            }
            self.server.tick(now);
            while let Some((address, datagram)) = self.server.next_datagram() {
                self.longest = self.longest.max(datagram.len());
                if self.dice.chance(self.worse.get(&address).copied().unwrap_or(0)) {
                    continue;
                }
                self.from.send(now, (address, datagram));
            }
            for (address, datagram) in self.from.arrive(now) {
                if let Some((_, client)) = self.clients.iter_mut().find(|(at, _)| *at == address) {
                    client.receive(&datagram);
                }
            }
        }
    }
}

#[test]
fn every_frame_that_arrives_is_one_of_the_recording() {
    for (name, loss) in [("yq2dm_Alice.dm2", 0), ("yq2dm_Alice.dm2", 20), ("q2pmulti_Alice.dm2", 10), ("synth_fixmulti_lmpc.dm2", 5)] {
        let bytes = sample(name);
        let truth = truth(&bytes);
        let mut theatre = Theatre::new(&bytes, 2, loss, 5);
        theatre.run(40.0);
        for (_, client) in &theatre.clients {
            assert!(client.frames.len() > 60, "{name} at {loss} %: {} frames", client.frames.len());
            assert!(client.frames.windows(2).all(|pair| pair[0].0 < pair[1].0 || client.levels > 1), "numbers rise");
            let other = client.frames.iter().filter(|(_, seen)| !truth.contains_key(&key(seen))).count();
            assert_eq!(other, 0, "{name} at {loss} %: of {} frames", client.frames.len());
        }
        assert!(theatre.longest <= 1398, "{}", theatre.longest);
    }
}

#[test]
fn jumps_pauses_and_speed_are_seen_without_loading_again() {
    let bytes = sample("yq2dm_Alice.dm2");
    let truth = truth(&bytes);
    let mut theatre = Theatre::new(&bytes, 1, 5, 9);
    theatre.run(4.0);
    let last_time = |theatre: &Theatre| truth[&key(&theatre.clients[0].1.frames.last().unwrap().1)];
    for (command, low, high) in
        [("seek 1:00", 60_500, 62_500), ("say !seek 10", 10_500, 12_500), ("pause", 10_500, 14_500), ("play", 11_000, 17_000), ("speed 4", 17_000, 28_000)]
    {
        theatre.clients[0].1.say(command);
        theatre.run(2.0);
        let at = last_time(&theatre);
        assert!((low..=high).contains(&at), "{command}: at {at}");
    }
    // what clients have of the strings is what the recording has there
    let (server, client) = (&theatre.server, &theatre.clients[0].1);
    for (index, text) in server.playhead.state().strings.iter().filter(|(index, _)| *index > 28) {
        assert_eq!(client.state.strings.get(index), text, "string {index}");
    }
    assert_eq!(client.levels, 1);
    assert!(client.prints.iter().any(|text| text.starts_with(b"paused at")), "{:?}", client.prints);
}

#[test]
fn a_network_that_breaks_down_leaves_no_trace() {
    let bytes = sample("yq2dm_Alice.dm2");
    let mut theatre = Theatre::new(&bytes, 1, 60, 3);
    theatre.run(30.0);
    (theatre.to.loss, theatre.from.loss) = (0, 0);
    theatre.run(1.0);
    let before = theatre.clients[0].1.frames.len();
    theatre.run(2.0);
    let truth = truth(&bytes);
    let has_new_frame = &theatre.clients[0].1.frames[before..];
    assert!(has_new_frame.len() >= 18 && has_new_frame.iter().all(|(_, seen)| truth.contains_key(&key(seen))), "{} frames", has_new_frame.len());
}

#[test]
fn strangers_get_little_and_nobody_gets_in_without_a_challenge() {
    let bytes = sample("q2pmulti_Alice.dm2");
    let mut server: DemoServer<u32> = DemoServer::new(&open(&bytes), "test", 7, []).unwrap();
    let (mut asked, mut answered) = (0, 0);
    for step in 0..2000u32 {
        for address in 0..10 {
            for question in [&b"getchallenge\n"[..], b"info 34", b"status\n", b"ping", b"connect 34 5 77 \"\\name\\x\"\n"] {
                let datagram = [OUTSIDE, question].concat();
                asked += datagram.len();
                server.receive(step % 100 * 10 + address, &datagram, true);
            }
        }
        server.tick(f64::from(step) * 0.02);
        answered += std::iter::from_fn(|| server.next_datagram()).map(|(_, datagram)| datagram.len()).sum::<usize>();
    }
    assert!(answered < asked / 4, "{answered} bytes for {asked}");
    assert!(server.viewers.is_empty());
}

#[test]
fn hostile_packets_do_no_harm_and_the_silent_are_forgotten() {
    let bytes = sample("q2pmulti_Alice.dm2");
    let mut theatre = Theatre::new(&bytes, 1, 0, 3);
    theatre.run(3.0);
    let mut dice = Dice::new(11);
    let mut channel = Channel::new(Side::Client { qport: QPORT });
    // newer than all that the client sent
    (0..1000).for_each(|_| drop(channel.transmit(b"")));
    for _ in 0..5000 {
        let payload: Vec<u8> = (0..dice.below(200)).map(|_| dice.roll() as u8 % 6).collect();
        let mut datagram = channel.transmit(&payload);
        if dice.chance(50) {
            let at = dice.below(datagram.len() as u32) as usize;
            datagram[at] = dice.roll() as u8;
        }
        theatre.server.receive(dice.below(3) as u8, &datagram, dice.chance(50));
        let greedy = [client_message::command("new"), client_message::command("download x")].concat().repeat(20);
        theatre.server.receive(0, &channel.transmit(&greedy), true);
        while theatre.server.next_datagram().is_some() {}
        assert!(theatre.server.viewers.values().all(|viewer| viewer.channel.waiting() < 2 * QUEUE_LIMIT));
    }
    theatre.clients.clear();
    theatre.run(130.0);
    assert!(theatre.server.viewers.is_empty());
}

#[test]
fn sixty_four_watch_and_a_slow_and_a_lost_one_disturb_nobody() {
    let bytes = sample("yq2dm_Alice.dm2");
    let truth = truth(&bytes);
    let mut theatre = Theatre::new(&bytes, 65, 0, 21);
    // one hears little; all ask at the same time, and answers outside of connections are ten at once
    theatre.worse.insert(3, 70);
    theatre.run(15.0);
    assert!(theatre.server.watching() >= 63, "the slow one may still load: {}", theatre.server.watching());
    assert_eq!(theatre.server.viewers.len(), 64, "the last finds it full");
    let before: HashMap<u8, usize> = theatre.clients.iter().map(|(address, client)| (*address, client.frames.len())).collect();
    // and one nothing from here on
    theatre.worse.insert(7, 100);
    theatre.run(20.0);
    let mut counts = Vec::new();
    for (address, client) in theatre.clients.iter().filter(|(address, _)| theatre.server.viewers.contains_key(address)) {
        assert!(client.frames.iter().all(|(_, seen)| truth.contains_key(&key(seen))), "{address}");
        if ![3, 7].contains(address) {
            counts.push(client.frames.len() - before[address]);
        }
    }
    assert!(counts.len() >= 62 && counts.iter().min() >= Some(&198), "{counts:?}");
    let waiting = theatre.server.viewers.values().map(|viewer| viewer.channel.waiting()).max();
    assert!(waiting < Some(QUEUE_LIMIT), "{waiting:?}");
}

#[test]
fn apart_everybody_has_his_own_clock() {
    let bytes = sample("yq2dm_Alice.dm2");
    let truth = truth(&bytes);
    let mut server = fragreel_live::PerViewer::new(DemoServer::<u8>::new(&open(&bytes), "test", 7, []).unwrap());
    let mut clients = [Client::new(), Client::new()];
    let mut now = 0.0;
    while now < 12.0 {
        now += 0.01;
        if (now - 6.0f64).abs() < 0.005 {
            clients[0].say("seek 50");
        }
        for (address, client) in clients.iter_mut().enumerate() {
            // the second comes later
            let due = if now < 3.0 && address == 1 { Vec::new() } else { client.tick(now) };
            due.iter().for_each(|datagram| server.receive(address as u8, datagram, false));
        }
        server.tick(now);
        while let Some((address, datagram)) = server.next_datagram() {
            clients[usize::from(address)].receive(&datagram);
        }
    }
    let last = clients.each_ref().map(|client| truth[&key(&client.frames.last().unwrap().1)]);
    // he sees it from the start once he has loaded the level
    let first = truth[&key(&clients[1].frames[0].1)];
    assert!((55_000..57_000).contains(&last[0]) && (7000..8500).contains(&last[1]) && first < 200, "{last:?} {first}");
    assert_eq!(server.watching(), 2);
    clients[1].say("disconnect");
    clients[1].tick(100.0).iter().for_each(|datagram| server.receive(1, datagram, false));
    server.tick(now);
    assert_eq!(server.watching(), 1);
}

/// What a player sees, by state and stats: entities have other numbers for a viewer who follows.
fn eyes((row, stats, entities): &Seen) -> (Vec<u32>, [i16; 64], usize) {
    (row.clone(), *stats, entities.len())
}

/// Each viewer of a recording of all players follows one, and changes to another by command and button, without loading the level again. What is
/// seen is what a conversion through the player's eyes has.
#[test]
fn each_viewer_follows_a_player() {
    let mut chosen = 0;
    let samples = ["synth_relay_lmpc.rla", "q2p_mvd_multi.mvd2"].map(|name| (name.to_owned(), sample(name)));
    let corpus =
        fragreel_testkit::corpus("quake2").into_iter().filter(|sample| sample.name.ends_with("q2p_mvd_dm.mvd2") || sample.name.ends_with("yq2_srv_dm.dm2"));
    for (name, bytes) in samples.into_iter().chain(corpus.map(|sample| (sample.name.clone(), sample.bytes()))) {
        let recording = open(&bytes);
        let target = |pov: u16| fragreel_model::Target { format: None, pov: Some(pov.to_string()) };
        let truth: HashMap<u16, Vec<_>> = (0..8)
            .filter_map(|slot| Some((slot, recording.convert(&target(slot)).ok()?.bytes)))
            .map(|(slot, converted)| {
                let (mut playhead, mut console, mut frames) = (Playhead::new(&open(&converted)), fragreel_live::Console::allowing(&[]), Vec::new());
                let converted = Growing::whole(converted);
                while let Some(step) = playhead.step(&converted, &mut console) {
                    frames.extend(step.framed.then(|| eyes(&seen(playhead.state()))));
                }
                (slot, frames)
            })
            .collect();
        assert!(!truth.is_empty(), "{name}");
        // those who play in the first seconds
        let (mut playhead, mut console, source) = (Playhead::new(&recording), fragreel_live::Console::allowing(&[]), Growing::whole(bytes.clone()));
        while playhead.time() < 4000 && playhead.step(&source, &mut console).is_some() {}
        let slots = playhead.players();
        let mut theatre = Theatre::new(&bytes, 2, 0, 3);
        theatre.run(5.0);
        let mut check = |theatre: &mut Theatre, client: usize, slot: u16, what: &str| {
            let before = theatre.clients[client].1.frames.len();
            theatre.run(1.5);
            let frames = &theatre.clients[client].1.frames[before..];
            let (new, known) = (frames.iter().skip(5), &truth[&slot]);
            let shown = new.clone().count();
            assert!(shown >= 5, "{name}, {what}: {shown} frames");
            let other = new.filter(|(_, seen)| !known.contains(&eyes(seen))).count();
            assert_eq!(other, 0, "{name}, {what}: of {shown} frames");
            // the player's own body is not drawn, and nobody else has its number
            assert_eq!(theatre.clients[client].1.state.level.clientnum, 255, "{name}");
            chosen += 1;
        };
        check(&mut theatre, 0, slots[0], "the first");
        let last = *slots.last().unwrap();
        theatre.clients[0].1.say(&format!("follow {last}"));
        check(&mut theatre, 0, last, "by number");
        check(&mut theatre, 1, slots[0], "the other viewer");
        theatre.clients[1].1.attack = true;
        theatre.run(0.3);
        theatre.clients[1].1.attack = false;
        check(&mut theatre, 1, slots[1 % slots.len()], "by a button");
        theatre.clients[1].1.say("invprev");
        check(&mut theatre, 1, slots[0], "back");
        if name.contains("relay") {
            theatre.clients[0].1.say("say \"!follow aLiCe\"");
            check(&mut theatre, 0, slots[0], "by name");
            theatre.clients[0].1.say("follow nobody");
            theatre.run(0.5);
            let prints = &theatre.clients[0].1.prints;
            assert!(prints.iter().any(|text| text.starts_with(b"follow a name or a number: 0 (Alice), 1 (Bob), 2 (Carol)")), "{prints:?}");
        }
        theatre.clients[0].1.say("seek 2");
        theatre.run(0.5);
        check(&mut theatre, 0, if name.contains("relay") { slots[0] } else { last }, "after a seek");
        assert!(theatre.clients.iter().all(|(_, client)| client.levels == 1), "{name}: the level was loaded again");
    }
    assert!(chosen >= 12, "{chosen}");
}

/// A player who waits for the next round has no place: the next one shows the game until then.
#[test]
fn a_player_without_a_place_is_seen_through_another() {
    use fragreel_quake2::fields::player::ORIGIN_X;
    let mut theatre = Theatre::new(&sample("aq2_match.mvd2"), 1, 0, 3);
    theatre.run(5.0);
    theatre.clients[0].1.say("seek 48.5");
    theatre.run(0.5);
    theatre.clients[0].1.say("follow Cy");
    theatre.run(0.5);
    let before = theatre.clients[0].1.frames.len();
    theatre.run(1.5);
    let client = &theatre.clients[0].1;
    assert!(client.prints.iter().any(|text| text.starts_with(b"following Cy")), "{:?}", client.prints);
    let places: Vec<_> = client.frames[before..].iter().map(|(_, (row, ..))| row[ORIGIN_X..ORIGIN_X + 3].to_vec()).collect();
    // Ada and Bo stand there, in eighths
    assert!(places.len() > 5 && places.iter().all(|place| place[0] as i16 == -800), "{places:?}");
}
