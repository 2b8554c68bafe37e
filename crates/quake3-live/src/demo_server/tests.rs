//! A client that is only what the protocol demands, against the server, over networks of all kinds.

use std::collections::HashMap;

use fragreel_base::delta::interleaved::Row;
use fragreel_live::network::{Dice, Network};

use fragreel_live::PlaybackServer as _;

use super::*;
use crate::adaptive::pack;
use crate::client_message::ClientMessage;
use crate::netchan::{Channel, FROM_SERVER, Side, scramble};
use fragreel_quake3::dialect::Dialect;
use fragreel_quake3::message::{Message, Operation};
use fragreel_quake3::state::{Effect, Outcome, PlayerState, State};

const QPORT: u16 = 4711;

/// A frame as a client has it.
type Seen = (i32, PlayerState, Vec<(u16, Row)>);

/// The smallest client.
struct Client {
    state: State,
    channel: Channel,
    challenge: Option<i32>,
    connected: bool,
    server_id: i32,
    messages: i32,
    texts: HashMap<i32, Vec<u8>>,
    said: Vec<Vec<u8>>,
    said_known: i32,
    /// Frames as they were worked out.
    frames: Vec<Seen>,
    commands: Vec<Vec<u8>>,
    levels: u32,
    due: f64,
}

impl Client {
    fn new() -> Self {
        Client {
            state: State::new(Dialect::of(68).unwrap()),
            channel: Channel::new(Side::Client { qport: QPORT }),
            challenge: None,
            connected: false,
            server_id: 0,
            messages: 0,
            texts: HashMap::new(),
            said: Vec::new(),
            said_known: 0,
            frames: Vec::new(),
            commands: Vec::new(),
            levels: 0,
            due: 0.0,
        }
    }

    fn tick(&mut self, now: f64) -> Vec<Vec<u8>> {
        if now < self.due {
            return Vec::new();
        }
        self.due = now + if self.connected { 0.03 } else { 0.5 };
        match (self.challenge, self.connected) {
            (None, _) => vec![[OUT_OF_BAND, b"getchallenge 17 Quake3Arena"].concat()],
            (Some(challenge), false) => {
                let user = format!("\"\\challenge\\{challenge}\\qport\\{QPORT}\\protocol\\68\\name\\me\"");
                vec![[OUT_OF_BAND, b"connect ", &pack(user.as_bytes())].concat()]
            }
            (Some(challenge), true) => {
                let number = self.state.command_sequence();
                let commands = self.said.iter().zip(1..).filter(|(_, at)| *at > self.said_known).map(|(text, at)| (at, text.clone())).collect();
                let moves = (self.server_id != 0).then_some(true);
                let message = ClientMessage { server_id: self.server_id, message: self.messages, command: number, commands, moves, time: 0 };
                self.channel.transmit(&message.write(challenge, self.texts.get(&number).map_or(&[], Vec::as_slice)))
            }
        }
    }

    fn receive(&mut self, datagram: &[u8]) {
        if let Some(text) = datagram.strip_prefix(OUT_OF_BAND) {
            let mut words = Words::new(text);
            match words.next() {
                Some(b"challengeResponse") if !self.connected => self.challenge = words.next().map(number),
                Some(b"connectResponse") => self.connected = true,
                _ => {}
            }
            return;
        }
        let Some(mut received) = self.channel.receive(datagram) else { return };
        let (dialect, challenge) = (self.state.dialect(), self.challenge.unwrap());
        let mut head = Message::default();
        let _ = head.read(&received.payload, dialect);
        self.said_known = self.said_known.max(head.acknowledged as i32);
        let text = (head.acknowledged as usize).checked_sub(1).and_then(|at| self.said.get(at)).cloned().unwrap_or_default();
        scramble(&mut received.payload, FROM_SERVER, challenge as u32 ^ received.sequence, &text);
        let mut message = Message::default();
        message.read(&received.payload, dialect).expect("what the server sends can be read");
        self.messages = received.sequence as i32;
        for operation in &message.operations {
            let effect = self.state.apply(received.sequence as i32, operation);
            match operation {
                Operation::Gamestate(_) => {
                    self.server_id = number(info(self.state.string(1), "sv_serverid"));
                    self.levels += 1;
                }
                Operation::ServerCommand(command) => {
                    self.texts.insert(command.sequence, command.text.clone());
                    if effect == Effect::Command(fragreel_quake3::state::Command::New) {
                        self.commands.push(command.text.clone());
                    }
                }
                Operation::Snapshot(_) => {
                    assert_eq!(effect, Effect::Snapshot(Outcome::Applied));
                    let seen = self.state.snapshot().unwrap();
                    assert!(self.frames.last().is_none_or(|last| self.levels > 1 || seen.server_time >= last.0), "time goes back");
                    self.frames.push((seen.server_time, seen.player, self.state.entities().map(|(number, row)| (number, *row)).collect()));
                }
                _ => {}
            }
        }
    }
}

fn sample(name: &str) -> Playhead {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples/quake3").join(name);
    let protocol = if name.ends_with("68") { 68 } else { 71 };
    Playhead::new(std::fs::read(path).unwrap(), Dialect::of(protocol).unwrap()).unwrap()
}

/// Every frame of a playhead, as a viewer should have it.
fn expected_frames(playhead: &Playhead) -> HashMap<i32, Seen> {
    let (mut playhead, mut frames) = (playhead.clone(), HashMap::new());
    while playhead.time(playhead.next_frame()).is_some() {
        playhead.step_to_frame();
        let outgoing = OutgoingFrame::of(playhead.state(), 0).unwrap();
        frames.insert(outgoing.server_time, (outgoing.server_time, outgoing.player, outgoing.entities));
    }
    frames
}

fn watch(server: &mut DemoServer<u8>, clients: &mut [(u8, Client)], networks: &mut [Network<(u8, Vec<u8>)>; 2], from: f64, seconds: f64) {
    let mut now = from;
    while now < from + seconds {
        for (address, client) in &mut *clients {
            for datagram in client.tick(now) {
                networks[0].send(now, (*address, datagram));
            }
        }
        for (address, datagram) in networks[0].arrive(now) {
            server.receive(address, &datagram, true);
        }
        server.tick(now);
        while let Some(packet) = server.next_datagram() {
            networks[1].send(now, packet);
        }
        for (address, datagram) in networks[1].arrive(now) {
            if let Some((_, client)) = clients.iter_mut().find(|(own, _)| *own == address) {
                client.receive(&datagram);
            }
        }
        now += 0.01;
    }
}

fn networks(seed: u64, loss: u32) -> [Network<(u8, Vec<u8>)>; 2] {
    [seed, seed + 1000].map(|seed| {
        let mut network = Network::new(seed);
        (network.loss, network.duplication, network.delay, network.jitter) = (loss, loss / 4, 0.02, if loss > 0 { 0.03 } else { 0.0 });
        network
    })
}

#[test]
fn whoever_joins_sees_what_was_recorded() {
    for (name, loss) in [("dm_bots.dm_71", 0), ("ctf_bots.dm_71", 10), ("warmup_restart.dm_68", 0), ("crowd_latency.dm_71", 15)] {
        let playhead = sample(name);
        let expected = expected_frames(&playhead);
        let mut server = DemoServer::new(playhead, "test", 5, []);
        let mut clients = [(1, Client::new()), (2, Client::new())];
        // Fragments that overtake each other are lost in this protocol, so that a level of many would not come through such a network.
        let mut networks = networks(7, loss);
        networks.iter_mut().for_each(|network| network.jitter = 0.0);
        watch(&mut server, &mut clients, &mut networks, 0.0, 20.0);
        let seen: Vec<_> =
            clients.iter().map(|(_, client)| (client.levels, client.frames.len(), client.connected, client.server_id, client.messages)).collect();
        assert_eq!(server.watching(), 2, "{name}: {seen:?}");
        server.receive(9, &[OUT_OF_BAND, b"getinfo xxx"].concat(), true);
        let answer = std::iter::from_fn(|| server.next_datagram()).find(|(to, _)| *to == 9).expect("an answer").1;
        assert!(answer.windows(11).any(|part| part == b"\\clients\\2\\"), "{name}: {}", String::from_utf8_lossy(&answer));
        for (_, client) in &clients {
            assert!(client.frames.len() > 100, "{name}: {} frames", client.frames.len());
            for frame in &client.frames {
                let known = expected.get(&frame.0).unwrap_or_else(|| panic!("{name}: no frame at {}", frame.0));
                assert!(known == frame, "{name}: another frame at {}", frame.0);
            }
        }
    }
}

#[test]
fn it_can_be_stopped_turned_back_and_sped_up_from_the_console() {
    let playhead = sample("dm_bots.dm_71");
    let first = playhead.first_server_time() as i32;
    let mut server = DemoServer::new(playhead, "test", 5, [30_000, 40_000]);
    let (mut clients, mut networks) = ([(1, Client::new())], networks(3, 10));
    let mut now = 0.0;
    let mut pass = |server: &mut DemoServer<u8>, clients: &mut [(u8, Client)], seconds| {
        watch(server, clients, &mut networks, now, seconds);
        now += seconds;
    };
    pass(&mut server, &mut clients, 10.0);
    let say = |clients: &mut [(u8, Client)], text: &str| clients[0].1.said.push(text.as_bytes().to_vec());
    say(&mut clients, "say !pause");
    pass(&mut server, &mut clients, 2.0);
    let stopped = server.position();
    pass(&mut server, &mut clients, 3.0);
    assert_eq!(server.position(), stopped);
    let frames = &clients[0].1.frames;
    let (last, before) = (&frames[frames.len() - 1], &frames[frames.len() - 5]);
    assert!(last.0 > before.0, "time goes on for who watches");
    assert_eq!(last.1.row[1..], before.1.row[1..], "and nothing moves");
    say(&mut clients, "seek 45");
    say(&mut clients, "play");
    pass(&mut server, &mut clients, 3.0);
    assert!((46_000..49_000).contains(&server.position()), "{}", server.position());
    say(&mut clients, "say \"!seek -40\"");
    pass(&mut server, &mut clients, 2.0);
    assert!((5_000..12_000).contains(&server.position()), "{}", server.position());
    say(&mut clients, "next");
    pass(&mut server, &mut clients, 1.0);
    assert!((27_000..29_000).contains(&server.position()), "{}", server.position());
    say(&mut clients, "speed 4");
    pass(&mut server, &mut clients, 4.0);
    assert!((39_000..46_000).contains(&server.position()), "{}", server.position());
    // Time never went back, and the level was never loaded again.
    assert_eq!(clients[0].1.levels, 1);
    assert!(clients[0].1.frames.last().unwrap().0 > first + 20_000);
    assert!(clients[0].1.commands.iter().any(|text| text.starts_with(b"print \"paused at")));
}

#[test]
fn strangers_get_little_and_break_nothing() {
    let mut server: DemoServer<u8> = DemoServer::new(sample("dm_bots.dm_71"), "test", 5, []);
    let mut dice = Dice::new(9);
    let mut client = Client::new();
    // A connection to be disturbed.
    let mut clients = [(1, Client::new())];
    watch(&mut server, &mut clients, &mut networks(1, 0), 0.0, 2.0);
    assert_eq!(server.watching(), 1);
    client.challenge = Some(5);
    let wrong = client.tick(1.0).remove(0);
    let (mut asked, mut answered) = (0, 0);
    for step in 0..3000 {
        let datagram = match step % 5 {
            0 => wrong.clone(),
            1 => [OUT_OF_BAND, b"getstatus x"].concat(),
            2 => [OUT_OF_BAND, b"getchallenge 1 Quake3Arena"].concat(),
            3 => [&dice.below(1 << 20).to_le_bytes()[..], &QPORT.to_le_bytes(), &dice.roll().to_le_bytes(), &dice.roll().to_le_bytes()].concat(),
            _ => (0..dice.below(80)).map(|_| dice.roll() as u8).collect(),
        };
        asked += 1;
        // from the viewer's address as well as from others
        server.receive((step % 7) as u8 + 1, &datagram, false);
        server.tick(2.0 + f64::from(step) * 0.001);
        while let Some((to, datagram)) = server.next_datagram() {
            answered += u32::from(to != 1);
            assert!(datagram.len() < 1500);
        }
    }
    assert!(asked == 3000 && answered < 120, "{answered}");
    assert_eq!(server.viewers.len(), 1);
    // silent viewers are dropped
    server.tick(100.0);
    assert_eq!(server.viewers.len(), 0);
}

/// A server changes its info during a level: fraglimits, names.
#[test]
fn a_seek_within_the_map_keeps_the_level() {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples/quake3/dm_bots.dm_71");
    let (source, dialect) = (std::fs::read(path).unwrap(), Dialect::of(71).unwrap());
    let (mut bytes, mut message, mut info) = (Vec::new(), Message::default(), Vec::new());
    for piece in fragreel_quake3::container::Frames::new(&source) {
        let fragreel_quake3::container::Piece::Message(frame) = piece else { continue };
        message.read(fragreel_quake3::container::data(&source, &frame), dialect).unwrap();
        for operation in &mut message.operations {
            match operation {
                Operation::Gamestate(gamestate) => {
                    let strings = gamestate.items.iter().find_map(|item| match item {
                        GamestateItem::ConfigString(string) if string.index == 0 => Some(string.text.clone()),
                        _ => None,
                    });
                    info = strings.unwrap();
                }
                Operation::ServerCommand(command) if frame.number > 300 && !info.is_empty() => {
                    command.text = set(0, &[&std::mem::take(&mut info)[..], b"\\x\\1"].concat());
                }
                _ => {}
            }
        }
        frame.write(&message.write_anew(dialect), &mut bytes);
    }
    let mut server = DemoServer::new(Playhead::new(bytes, dialect).unwrap(), "test", 5, []);
    let (mut clients, mut networks) = ([(1, Client::new())], networks(3, 0));
    watch(&mut server, &mut clients, &mut networks, 0.0, 5.0);
    clients[0].1.said.push(b"seek 60".to_vec());
    watch(&mut server, &mut clients, &mut networks, 5.0, 3.0);
    assert!(server.position() > 55_000, "{}", server.position());
    assert_eq!(clients[0].1.levels, 1);
    assert!(info_of(&clients[0].1).ends_with(b"\\x\\1"), "{}", String::from_utf8_lossy(info_of(&clients[0].1)));
}

fn info_of(client: &Client) -> &[u8] {
    client.state.string(0)
}

#[test]
fn answers_to_strangers_are_short() {
    let mut server: DemoServer<u8> = DemoServer::new(sample("dm_bots.dm_71"), "a name that is longer than any list of servers shows", 5, []);
    for question in [&b"getstatus -1234567890"[..], b"getinfo xxx", &crate::query::status(7)[4..], &crate::query::info(7)[4..]] {
        for near in [false, true] {
            let asked = [OUT_OF_BAND, question].concat();
            server.receive(1, &asked, near);
            let answer = server.next_datagram().map(|(_, answer)| answer);
            // stock browsers ask `getinfo xxx`
            assert_eq!(answer.is_some(), near || asked.len() > 100 || question == b"getinfo xxx", "{}", String::from_utf8_lossy(question));
            assert!(near || answer.is_none_or(|answer| answer.len() <= 3 * asked.len()));
        }
    }
    server.receive(1, &crate::query::info(7), false);
    let (_, answer) = server.next_datagram().expect("an answer");
    assert_eq!(crate::query::read_info(&answer, 7), Some(0));
    server.receive(2, &[OUT_OF_BAND, b"getinfo xxx"].concat(), false);
    let (_, answer) = server.next_datagram().expect("an answer");
    assert_eq!(answer, [OUT_OF_BAND, b"infoResponse\n\\protocol\\71\\hostname\\anamet"].concat());
    assert_eq!(answer.len(), 3 * [OUT_OF_BAND, b"getinfo xxx"].concat().len());
    server.receive(3, &[OUT_OF_BAND, b"getinfo"].concat(), false);
    assert!(server.next_datagram().is_none(), "no name fits");
}

/// Clients read beyond their tables, or end the game.
#[test]
fn what_clients_do_not_survive_is_not_sent() {
    let server: DemoServer<u8> = DemoServer::new(sample("dm_bots.dm_71"), "test", 5, []);
    assert_eq!((server.for_viewers(b"cs 1024 x"), server.for_viewers(b"cs -1 x")), (None, None));
    assert!(server.for_viewers(b"cs 30 x").is_some());
    let mut state = server.playhead.state().clone();
    let mut whole = canonical::against(&state, None).unwrap();
    let client = fragreel_quake3::fields::find(state.dialect().player, "clientNum");
    whole.player.row[client] = 200;
    whole.player.spelling.sent.insert(client);
    state.apply(9_000_000, &Operation::Snapshot(Box::new(whole)));
    assert_eq!(OutgoingFrame::of(&state, 0).unwrap().player.row[client], 0);
}
