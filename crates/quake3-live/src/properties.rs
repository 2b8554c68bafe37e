//! Properties that hold for any datagrams: the bodies of the fuzz targets `quake3_live_*`, which the tests run on their seeds.
//!
//! An input is a list of datagrams: a length of two bytes (little-endian), then that many bytes, again and again.

use super::adaptive::{pack, unpack};
use super::client_message::ClientMessage;
use super::demo_server::DemoServer;
use super::netchan::{Channel, Side};
use super::playhead::Playhead;
use super::recorder::{Recorder, Settings};
use fragreel_live::{PlaybackServer as _, Stream as _};
use fragreel_quake3::container::{END_MARK, Frame, Framing};
use fragreel_quake3::dialect::Dialect;
use fragreel_quake3::message::{ConfigString, Gamestate, GamestateItem, Message, Operation, ServerCommand, Snapshot, op};

/// Runs datagrams of a viewer and of a stranger: no panic, few and short answers to strangers, no connection without a challenge, and the server
/// keeps running.
pub fn demo_server(input: &[u8]) {
    let Ok(playhead) = Playhead::new(recording(), dialect()) else { return };
    let mut server: DemoServer<u8> = DemoServer::new(playhead, "x", 7, []);
    let challenge = fragreel_live::Challenges::new(7).of(&0u8, 0.0);
    let line = format!("\"\\challenge\\{challenge}\\qport\\258\\protocol\\68\"");
    server.receive(0, &[b"\xff\xff\xff\xffconnect ", &pack(line.as_bytes())[..]].concat(), true);
    let mut client = Channel::new(Side::Client { qport: 258 });
    let join = ClientMessage::default().write(challenge, b"");
    client.transmit(&join).iter().for_each(|datagram| server.receive(0, datagram, true));
    let (mut now, mut rest, mut strangers) = (0.0, input, 0);
    while let Some((&length, behind)) = rest.split_first_chunk::<2>() {
        let length = usize::from(u16::from_le_bytes(length)).min(behind.len());
        let (datagram, after) = behind.split_at(length);
        rest = after;
        server.receive(u8::from(length % 3 == 0), datagram, true);
        server.tick(now);
        now += 0.05;
        while let Some((to, datagram)) = server.next_datagram() {
            assert!(datagram.len() <= 1400, "a datagram of {} bytes", datagram.len());
            strangers += u32::from(to != 0);
        }
        assert!(server.watching() <= 2);
        let _ = ClientMessage::read(datagram, 5, |_| datagram.to_vec());
        assert!(unpack(datagram).len() <= 4096);
    }
    // one per second, ten at the start, and those of a connection
    assert!(f64::from(strangers) <= now * 40.0 + 12.0, "{strangers} datagrams to a stranger in {now} s");
}

/// Runs a server's datagrams to a connected recorder: no panic, few requests for each, and the output is a recording.
pub fn recorder(input: &[u8]) {
    let mut recorder = Recorder::new(Settings::default(), dialect());
    recorder.receive(b"\xff\xff\xff\xffchallengeResponse 5");
    recorder.receive(b"\xff\xff\xff\xffconnectResponse");
    let (mut now, mut rest, mut file) = (0.0, input, Vec::new());
    while let Some((&length, behind)) = rest.split_first_chunk::<2>() {
        let length = usize::from(u16::from_le_bytes(length)).min(behind.len());
        let (datagram, after) = behind.split_at(length);
        rest = after;
        recorder.receive(datagram);
        now += 0.05;
        recorder.tick(now);
        let sent = std::iter::from_fn(|| recorder.next_request()).count();
        assert!(sent <= 8, "{sent} datagrams for one");
        recorder.take_recording(&mut file);
    }
    recorder.leave();
    recorder.take_recording(&mut file);
    assert!(file.is_empty() || !recorder.has_frames() || file.ends_with(&END_MARK));
}

fn dialect() -> &'static Dialect {
    Dialect::of(68).unwrap_or(&Dialect::all()[0])
}

/// A recording of a level with some frames.
fn recording() -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut put = |sequence: i32, operations: Vec<Operation>| {
        let data = Message { operations, end: Some(op::EOF), ..Message::default() }.write_anew(dialect());
        Frame { number: 0, offset: 0, sequence, length: 0, framing: Framing::Plain }.write(&data, &mut bytes);
    };
    let string = |index, text: &str| GamestateItem::ConfigString(ConfigString { index, text: text.as_bytes().to_vec() });
    let items = vec![string(0, "\\mapname\\x"), string(1, "\\sv_serverid\\5"), string(21, "17")];
    put(1, vec![Operation::Gamestate(Gamestate { items, end: op::EOF, ..Gamestate::default() })]);
    for number in 2..40 {
        let command = ServerCommand { sequence: number, text: format!("cs {} \"{number}\"", 500 + number % 7).into_bytes() };
        let snapshot = Snapshot { server_time: 1000 + number * 50, ..Snapshot::default() };
        put(number, vec![Operation::ServerCommand(command), Operation::Snapshot(Box::new(snapshot))]);
    }
    bytes.extend_from_slice(&END_MARK);
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seeds_keep_their_properties() {
        type Property = fn(&[u8]);
        let properties: [(&str, Property); 2] = [("quake3_live_show", demo_server), ("quake3_live_recorder", recorder)];
        for (target, property) in properties {
            let folder = fragreel_testkit::checkout().join("fuzz/seeds").join(target);
            let seeds: Vec<_> = std::fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display())).collect();
            assert!(!seeds.is_empty(), "{target} has no seeds");
            for seed in seeds {
                property(&std::fs::read(seed.unwrap().path()).unwrap());
            }
        }
    }
}
