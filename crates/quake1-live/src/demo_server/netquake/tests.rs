//! A client that is only what the protocol demands.

use std::collections::BTreeMap;

use fragreel_live::PlaybackServer as _;
use fragreel_live::network::Network;

use super::client_messages::{CLC_NOP, CLC_STRING};
use super::*;
use crate::handshake::netquake::connect;
use crate::netquake_frames::{frames, is_known, sample};

/// The smallest client: it writes down what it receives as the game's recorder does.
struct Client {
    channel: Channel,
    accepted: bool,
    due: f64,
    file: Vec<u8>,
    to: Network<Vec<u8>>,
    from: Network<Vec<u8>>,
    sent: f64,
}

impl Client {
    fn new(loss: u32) -> Self {
        let network = |seed| {
            let mut network = Network::new(seed);
            (network.loss, network.duplication, network.delay, network.jitter) = (loss, loss / 2, 0.01, 0.01);
            network
        };
        let mut channel = Channel::new();
        channel.queue(&[CLC_NOP]);
        Client { channel, accepted: false, due: 0.0, file: b"-1\n".to_vec(), to: network(1), from: network(2), sent: 0.0 }
    }

    fn say(&mut self, text: &str) {
        self.channel.queue(&[&[CLC_STRING][..], text.as_bytes(), b"\0"].concat());
    }

    fn hear(&mut self, payload: &[u8]) {
        self.file.extend((payload.len() as u32).to_le_bytes());
        self.file.extend([0; 12]);
        self.file.extend(payload);
        if payload == b"\x09cmd pext\n\0" {
            self.say("pext");
        }
        for (end, commands) in [([25, 1], &["prespawn"][..]), ([25, 2], &["name \"x\"\n", "spawn "]), ([25, 3], &["begin"])] {
            if payload.ends_with(&end) {
                commands.iter().for_each(|command| self.say(command));
            }
        }
    }

    fn step(&mut self, now: f64, show: &mut NetQuakeDemoServer<u8>) {
        if now >= self.due {
            self.due = now + 0.5;
            if !self.accepted {
                self.to.send(now, connect());
            }
        }
        if self.accepted {
            let part = if now - self.sent > 1.0 { self.channel.repeat_part() } else { self.channel.next_part() };
            if let Some(part) = part {
                self.sent = now;
                self.to.send(now, part);
            }
        }
        for datagram in self.to.arrive(now) {
            show.receive(1, &datagram, true);
        }
        show.tick(now);
        while let Some((_, datagram)) = show.next_datagram() {
            self.from.send(now, datagram);
        }
        for datagram in self.from.arrive(now) {
            if read(&datagram).is_some() {
                self.accepted |= matches!(read(&datagram), Some(Packet::Accept { port: 26_000 }));
                continue;
            }
            let mut answer = None;
            let arrived = self.channel.receive(&datagram, &mut answer);
            if let Some(answer) = answer {
                self.to.send(now, answer);
            }
            if let Arrived::Reliable(payload) | Arrived::Unreliable { payload, .. } = arrived {
                self.hear(&payload);
            }
        }
    }
}

fn watch(bytes: &[u8], loss: u32, seconds: f64, mut each: impl FnMut(f64, &mut Client, &mut NetQuakeDemoServer<u8>)) -> Vec<u8> {
    let recording = Recording::open(bytes, Some("dem"), fragreel_base::wire::Limits::default()).unwrap();
    let mut show = NetQuakeDemoServer::new(&recording, "test", [3000, 8000]).expect("a show");
    show.listens(26_000);
    let mut client = Client::new(loss);
    for step in 0..(seconds * 200.0) as u32 {
        let now = f64::from(step) * 0.005;
        client.step(now, &mut show);
        each(now, &mut client, &mut show);
    }
    client.file
}

#[test]
fn everybody_sees_what_the_player_saw() {
    for (name, format, loss) in [
        ("netquake15_deltas_dm3.dem", "dem 15", 0),
        ("netquake666_deltas_e1m1.dem", "dem 666", 0),
        ("netquake666_deltas_e1m1.dem", "dem 999", 0),
        ("netquake666_deltas_dm6.dem", "dem 666", 20),
    ] {
        let source = sample(name, format);
        let file = watch(&source, loss, if loss > 0 { 40.0 } else { 8.0 }, |_, _, _| {});
        let (all, seen) = (frames(&source), frames(&file));
        assert!(seen.len() > 60, "{name} {format}: {} frames", seen.len());
        for frame in &seen {
            assert!(is_known(&all, frame, format != "dem 15"), "{name} {format}: a frame that is not in the source");
        }
    }
}

#[test]
fn the_clock_goes_where_chat_says() {
    let source = sample("netquake666_deltas_dm6.dem", "dem 666");
    let (mut positions, mut due) = (Vec::new(), vec![(6.0, "say !seek 1"), (5.0, "say !pause"), (4.0, "cmd"), (3.0, "seek 6")]);
    let file = watch(&source, 0, 7.0, |now, client, show| {
        if due.last().is_some_and(|(at, _)| now >= *at) {
            client.say(due.pop().unwrap().1);
        }
        positions.push((now, show.position()));
    });
    let at = |now: f64| positions.iter().find(|(time, _)| *time >= now).unwrap().1;
    let length = *positions.iter().map(|(_, position)| position).max().unwrap();
    assert!(at(3.2) >= 6000.min(length) && at(6.9) == 1000 && at(5.2) == at(5.9), "{:?}", [3.2, 5.2, 5.9, 6.9].map(at));
    // every frame there is one of the source
    let all = frames(&source);
    assert!(frames(&file).iter().all(|frame| all.contains(frame)));
}

#[test]
fn who_never_answers_gets_little_and_is_forgotten() {
    let source = sample("netquake666_deltas_e1m1.dem", "dem 666");
    let recording = Recording::open(&source, Some("dem"), fragreel_base::wire::Limits::default()).unwrap();
    let mut show: NetQuakeDemoServer<u32> = NetQuakeDemoServer::new(&recording, "test", []).unwrap();
    let (mut bytes, mut most) = (0, 0);
    for step in 0..2000u32 {
        for address in 0..20 {
            show.receive(step % 10 * 20 + address, &connect(), true);
            show.receive(step % 10 * 20 + address, &query::server_info(), true);
            show.receive(address, &[0, 1, 0, 9, 0, 0, 0, 0, 1, 0xff], true);
        }
        show.tick(f64::from(step) * 0.02);
        bytes += std::iter::from_fn(|| show.next_datagram()).map(|(_, datagram)| datagram.len()).sum::<usize>();
        most = most.max(show.viewers.len());
    }
    // 80,000 questions of 12 bytes
    assert!(bytes < 240_000, "{bytes}");
    assert!(most <= MOST_VIEWERS);
    for step in 0..100 {
        show.tick(40.0 + f64::from(step));
    }
    assert_eq!(show.viewers.len(), 0);
}

/// Forged addresses take no place and get no more than three times what was sent in their name. A true client joins beside them.
#[test]
fn addresses_that_never_answer_take_no_place() {
    let source = sample("netquake666_deltas_e1m1.dem", "dem 666");
    let recording = Recording::open(&source, Some("dem"), fragreel_base::wire::Limits::default()).unwrap();
    let mut show: NetQuakeDemoServer<u32> = NetQuakeDemoServer::new(&recording, "a server with a long name", []).unwrap();
    let mut answers = BTreeMap::<u32, usize>::new();
    for step in 0..3000u32 {
        show.tick(f64::from(step) * 0.02);
        show.receive(step, &connect(), false);
        while let Some((to, datagram)) = show.next_datagram() {
            *answers.entry(to).or_default() += datagram.len();
        }
    }
    assert_eq!((show.viewers.len(), show.viewers.all_unproven().count() <= MOST_HALF_OPEN), (0, true));
    assert!(answers.len() > 1000 && answers.values().all(|bytes| *bytes <= 3 * connect().len()), "{answers:?}");
    let client = 1_000_000;
    show.receive(client, &query::server_info(), false);
    show.receive(client, &connect(), false);
    show.tick(60.1);
    let (mut channel, mut joined) = (Channel::new(), false);
    while let Some((to, datagram)) = show.next_datagram() {
        assert!(datagram.len() <= 3 * connect().len());
        let mut answer = None;
        if to == client && read(&datagram).is_none() {
            channel.receive(&datagram, &mut answer);
        }
        if let Some(answer) = answer {
            show.receive(client, &answer, false);
            joined = true;
        }
    }
    assert!(joined && show.viewers.len() == 1 && show.viewers.unproven(&client).is_none());
}

/// The playback that a viewer gets for himself sends nothing to those who have acknowledged nothing elsewhere.
#[test]
fn a_forged_address_gets_the_same_from_many_playbacks() {
    let source = sample("netquake666_deltas_e1m1.dem", "dem 666");
    let recording = Recording::open(&source, Some("dem"), fragreel_base::wire::Limits::default()).unwrap();
    let mut show = fragreel_live::PerViewer::new(NetQuakeDemoServer::<u32>::new(&recording, "test", []).unwrap());
    let forged = 1_000_000;
    show.receive(forged, &connect(), false);
    let (mut channels, mut bytes) = (BTreeMap::<u32, Channel>::new(), 0);
    (0..8).for_each(|viewer| show.receive(viewer, &connect(), false));
    for step in 0..50 {
        show.tick(f64::from(step) * 0.1);
        while let Some((to, datagram)) = show.next_datagram() {
            bytes += if to == forged { datagram.len() } else { 0 };
            let mut answer = None;
            if to < 8 && read(&datagram).is_none() {
                channels.entry(to).or_insert_with(Channel::new).receive(&datagram, &mut answer);
            }
            answer.iter().for_each(|answer| show.receive(to, answer, false));
        }
    }
    assert!((0..8).all(|viewer| show.has(&viewer)));
    assert!(bytes <= 3 * connect().len(), "{bytes}");
}
