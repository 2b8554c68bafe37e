use fragreel_live::{PlaybackServer, Stream, StreamServer};

use super::*;
use crate::qtv::{Client, Settings};

fn sample(name: &str) -> Vec<u8> {
    std::fs::read(fragreel_testkit::checkout().join("samples/quake1").join(name)).unwrap()
}

fn open(bytes: &[u8]) -> Recording<'_> {
    Recording::open(bytes, Some("mvd"), fragreel_base::wire::Limits::default()).unwrap()
}

fn cast(bytes: &[u8]) -> StreamServer<u8, QtvStream, QtvHandshake> {
    let recording = open(bytes);
    StreamServer::new(QtvStream::new(&recording).unwrap(), QtvHandshake::new("x"), recording.info().duration.unwrap().0, [])
}

/// Somebody who asked for the stream, and what he has of it.
struct Watcher(Client, Vec<u8>);

impl Watcher {
    fn new(server: &mut StreamServer<u8, QtvStream, QtvHandshake>, number: u8) -> Self {
        let mut client = Client::new(Settings::default());
        server.receive(number, b"", true);
        server.receive(number, &client.next_request().unwrap(), true);
        Watcher(client, Vec::new())
    }

    fn hear(&mut self, bytes: &[u8]) {
        self.0.receive(bytes);
        self.0.take_recording(&mut self.1);
    }
}

/// Players and entities of each frame, by the server's clock where it is said and in order otherwise.
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

/// Who joins in the middle, and who is there while somebody seeks, sees what the recording has from there on.
#[test]
fn who_joins_later_sees_the_same() {
    let bytes = sample("match_e1m1.mvd");
    let truth = frames(&bytes);
    let mut server = cast(&bytes);
    let mut watchers = vec![(1, Watcher::new(&mut server, 1))];
    let length = server.length();
    for step in 0..length / 50 + 40 {
        if step == 200 {
            watchers.push((2, Watcher::new(&mut server, 2)));
        }
        server.tick(step as f64 * 0.05);
        while let Some((to, part)) = server.next_datagram() {
            watchers.iter_mut().find(|(number, _)| *number == to).unwrap().1.hear(&part);
        }
    }
    assert_eq!(watchers[0].1.1, bytes);
    let late = &watchers[1].1.1;
    assert!(open(late).verify().is_whole(), "{:?}", open(late).verify());
    let seen = frames(late);
    assert!(seen.len() > 200 && seen.len() < truth.len(), "{} of {}", seen.len(), truth.len());
    // its first frame is the one that was shown already
    let same = seen.iter().rev().zip(truth.iter().rev()).take_while(|(a, b)| a == b).count();
    assert!(same + 2 >= seen.len(), "{same} of {}", seen.len());
}

/// On a clock of his own nobody misses the start, however late he asks for the stream after he has connected.
#[test]
fn an_own_clock_begins_when_the_stream_is_asked_for() {
    let bytes = sample("match_e1m1.mvd");
    let mut server = fragreel_live::PerViewer::new(cast(&bytes));
    let mut client = Client::new(Settings::default());
    let request = client.next_request().unwrap();
    let (first, rest) = request.split_at(5);
    server.receive(1, b"", true);
    server.tick(1.0);
    server.receive(1, first, true);
    server.tick(3.0);
    server.receive(1, rest, true);
    let mut watcher = Watcher(client, Vec::new());
    for step in 0..100 {
        server.tick(3.5 + f64::from(step) * 0.1);
        while let Some((_, part)) = server.next_datagram() {
            watcher.hear(&part);
        }
    }
    assert!(watcher.1.len() > bytes.len() / 10 && bytes.starts_with(&watcher.1), "{} of {}", watcher.1.len(), bytes.len());
}

#[test]
fn a_seek_begins_there_and_the_stream_stays_a_recording() {
    let bytes = sample("match_e1m1.mvd");
    let truth = frames(&bytes);
    let mut server = cast(&bytes);
    let mut watcher = Watcher::new(&mut server, 1);
    for (step, order) in (0..600).map(|step| (step, [(100, "say !seek 0:05"), (200, "seek 20"), (300, "say \"!seek -3\"")].iter().find(|(at, _)| *at == step)))
    {
        if let Some((_, text)) = order {
            let message = [&(text.len() as u16 + 4).to_le_bytes()[..], &[1], text.as_bytes(), &[0]].concat();
            message.chunks(3).for_each(|part| server.receive(1, part, true));
        }
        server.tick(f64::from(step) * 0.05);
        while let Some((_, part)) = server.next_datagram() {
            watcher.hear(&part);
        }
    }
    watcher.0.leave();
    watcher.0.take_recording(&mut watcher.1);
    assert!(open(&watcher.1).verify().is_whole());
    let known: std::collections::HashSet<&String> = truth.iter().collect();
    let seen = frames(&watcher.1);
    let other = seen.iter().filter(|frame| !known.contains(frame)).count();
    assert!(seen.len() > 300 && other <= 3, "{other} of {}", seen.len());
}

/// A recording that grows is shown as it comes, and who joins then sees it from there.
#[test]
fn a_growing_recording_is_passed_on() {
    let bytes = sample("match_e1m1.mvd");
    let half = 60_000;
    let recording = open(&bytes[..half]);
    let mut server: StreamServer<u8, QtvStream, QtvHandshake> = StreamServer::new(QtvStream::new(&recording).unwrap(), QtvHandshake::new("x"), 0, []);
    server.feed(&[]);
    let mut first = Watcher::new(&mut server, 1);
    let mut second = None;
    for (step, part) in bytes[half..].chunks(777).enumerate() {
        server.feed(part);
        if step == 20 {
            second = Some(Watcher::new(&mut server, 2));
        }
        server.tick(step as f64 * 0.1);
        while let Some((to, part)) = server.next_datagram() {
            if to == 1 { first.hear(&part) } else { second.as_mut().unwrap().hear(&part) }
        }
    }
    assert!(bytes.starts_with(&first.1) && first.1.len() + 100 > bytes.len(), "{} of {}", first.1.len(), bytes.len());
    let late = second.unwrap().1;
    assert!(open(&late).verify().damage.is_empty(), "{:?}", open(&late).verify().damage);
    assert!(frames(&late).len() > 100);
}

#[test]
fn floods_and_foreigners_are_let_go() {
    let bytes = sample("match_e1m1.mvd");
    let mut server = cast(&bytes);
    for number in 0..=255 {
        server.receive(number, b"", false);
    }
    assert_eq!((0..=255).filter(|number| server.has(number)).count(), 64);
    server.receive(1, b"GET / HTTP/1.0\r\n", false);
    server.receive(2, &[b'Q'; 10], false);
    server.receive(3, b"QTV\nVERSION: 2\n\n", false);
    server.receive(4, &[&b"QTV\n"[..], &[b'x'; 5000]].concat(), false);
    server.receive(5, b"QTV\r\nVERSION: 1\r\nSOURCELIST\r\n\r\n", false);
    assert!((1..=5).all(|number| !server.has(&number)));
    let answers: Vec<String> = std::iter::from_fn(|| server.next_datagram()).map(|(_, bytes)| String::from_utf8(bytes).unwrap()).collect();
    assert_eq!(answers.len(), 2);
    assert!(answers[0].contains("Incompatible") && answers[1].contains("ASOURCE: 1: x"));
    // slow ones, too
    server.tick(6.0);
    assert_eq!((0..=255).filter(|number| server.has(number)).count(), 0);
    let mut dice = fragreel_live::network::Dice::new(9);
    for _ in 0..3000 {
        let mut door = QtvHandshake::new("x");
        if dice.chance(50) {
            door.receive(b"QTV\nVERSION: 1\n\n");
        }
        for _ in 0..8 {
            let noise: Vec<u8> = (0..dice.below(300)).map(|_| dice.roll() as u8).collect();
            if door.receive(&noise).contains(&StreamRequest::Nothing) {
                break;
            }
            assert!(door.rest.len() <= LONGEST_REQUEST + 300);
        }
    }
}
