use fragreel_live::{PlaybackServer, Stream, StreamServer};

use super::*;
use crate::gtv::{Client, Settings};

type Server = StreamServer<u8, GtvStream, GtvHandshake>;

fn sample() -> Vec<u8> {
    std::fs::read(fragreel_testkit::checkout().join("samples/quake2/q2p_mvd_multi.mvd2")).unwrap()
}

fn open(bytes: &[u8]) -> Recording<'_> {
    Recording::open(bytes, Some("mvd2"), fragreel_base::wire::Limits::default()).unwrap()
}

/// Lets a client record until time is up. `each` has the step of 50 ms before it.
fn visitor(server: &mut Server, number: u8, steps: std::ops::Range<u32>, mut each: impl FnMut(u32, &mut Server)) -> Vec<u8> {
    let mut client = Client::new(Settings::default());
    server.receive(number, b"", true);
    let mut recorded = Vec::new();
    for step in steps {
        each(step, server);
        while let Some(request) = client.next_request() {
            server.receive(number, &request, true);
        }
        server.tick(f64::from(step) * 0.05);
        while let Some((to, bytes)) = server.next_datagram() {
            if to == number {
                bytes.chunks(7).for_each(|part| client.receive(part));
            }
        }
        client.take_recording(&mut recorded);
    }
    assert_eq!(client.ended(), None);
    client.leave();
    client.take_recording(&mut recorded);
    recorded
}

fn frames(bytes: &[u8]) -> Vec<String> {
    let mut frames = open(bytes).frames(fragreel_model::FrameOptions::default());
    let (mut frame, mut all) = (fragreel_model::Frame::default(), Vec::new());
    while frames.next_into(&mut frame) {
        let players: Vec<String> = frame.players.iter().map(|player| format!("{:?} {:?}", player.slot, player.origin)).collect();
        let mut entities: Vec<String> = frame.entities.iter().map(|entity| format!("{} {:?} {:?}", entity.number, entity.origin, entity.model)).collect();
        entities.sort();
        all.push(format!("{players:?} {entities:?}"));
    }
    all
}

#[test]
fn who_joins_later_and_who_seeks_sees_the_same() {
    let bytes = sample();
    let recording = open(&bytes);
    let length = recording.info().duration.unwrap().0;
    let truth = frames(&bytes);
    let known: std::collections::HashSet<&String> = truth.iter().collect();
    let mut server: Server = StreamServer::new(GtvStream::new(&recording).unwrap(), GtvHandshake::default(), length, []);
    let late = (length / 3) as f64 / 1000.0;
    server.tick(late);
    let first = (late / 0.05) as u32;
    let seen = visitor(&mut server, 1, first..first + 400, |step, server| {
        if step == first + 60 {
            let text = b"seek 1\0";
            server.receive(1, &[&(text.len() as u16 + 1).to_le_bytes()[..], &[4], text].concat(), true);
        }
    });
    assert!(open(&seen).verify().damage.is_empty(), "{:?}", open(&seen).verify().damage);
    let seen = frames(&seen);
    let other = seen.iter().filter(|frame| !known.contains(frame)).count();
    assert!(seen.len() > truth.len() / 2 && other == 0, "{other} of {} (source: {})", seen.len(), truth.len());
}

#[test]
fn a_growing_recording_is_passed_on() {
    let bytes = sample();
    let half = bytes.len() / 2;
    let mut server: Server = StreamServer::new(GtvStream::new(&open(&bytes[..half])).unwrap(), GtvHandshake::default(), 0, []);
    server.feed(&[]);
    let mut parts = bytes[half..].chunks(300);
    let seen = visitor(&mut server, 1, 0..(bytes.len() / 300) as u32, |step, server| {
        if step > 2
            && let Some(part) = parts.next()
        {
            server.feed(part);
        }
    });
    let (seen, truth) = (frames(&seen), frames(&bytes));
    let same = seen.iter().rev().zip(truth.iter().rev()).take_while(|(a, b)| a == b).count();
    assert!(same > truth.len() / 3 && same + 1 >= seen.len(), "{same} of {} (source: {})", seen.len(), truth.len());
}

#[test]
fn strangers_are_let_go() {
    let mut server: Server = StreamServer::new(GtvStream::new(&open(&sample())).unwrap(), GtvHandshake::default(), 1000, []);
    for number in 0..4 {
        server.receive(number, b"", false);
    }
    server.receive(0, b"HTTP", false);
    server.receive(1, b"MVD2\x0b\0\0\x05\xed\0\0\0\0\0\0\0\0", false);
    server.receive(2, b"MVD2\xff\xff", false);
    server.receive(3, b"MVD2\x01\0\x02", false);
    assert!((0..4).all(|number| !server.has(&number)));
    let mut dice = fragreel_live::network::Dice::new(11);
    for _ in 0..3000 {
        let mut door = GtvHandshake::default();
        door.receive(MAGIC);
        for _ in 0..8 {
            let noise: Vec<u8> = (0..dice.below(300)).map(|_| dice.roll() as u8).collect();
            if door.receive(&noise).last() == Some(&StreamRequest::Nothing) {
                break;
            }
            assert!(door.rest.len() <= LONGEST_REQUEST + 2);
        }
    }
}

#[test]
fn a_proxy_without_viewers_may_wait() {
    let bytes = sample();
    let mut server: Server = StreamServer::new(GtvStream::new(&open(&bytes)).unwrap(), GtvHandshake::default(), 1000, []);
    let hello = b"MVD2\x12\0\0\x04\xed\x02\0\0\0\0\0\0\0name\0\0\0";
    let mut hello = hello.to_vec();
    hello[4] = (hello.len() - 6) as u8;
    for (who, says) in [(0, &b"MVD2"[..]), (1, &hello)] {
        server.receive(who, b"", false);
        server.receive(who, says, false);
    }
    server.tick(60.0);
    server.receive(1, &[1, 0, from_client::PING], false);
    server.tick(120.0);
    assert!(!server.has(&0), "it said nothing");
    assert!(server.has(&1));
    server.receive(1, &[3, 0, from_client::START, 10, 0], false);
    server.tick(121.0);
    let answers: Vec<u8> = std::iter::from_fn(|| server.next_datagram()).flat_map(|(_, bytes)| bytes).collect();
    assert!(answers.windows(3).any(|window| window == [1, 0, from_server::START]), "{answers:?}");
}
