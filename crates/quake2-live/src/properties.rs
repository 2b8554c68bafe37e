//! Properties that hold for any datagram, however hostile. Checked by the fuzz targets `quake2_live_*` and by the test of their seeds.
//!
//! An input is a list of datagrams, each a length of two bytes (little-endian) and that many bytes.

use fragreel_live::{PlaybackServer as _, Stream};

use super::client_message::command;
use super::demo_server::DemoServer;
use super::handshake::connect;
use super::netchan::{Channel, Side};
use super::recorder::{Recorder, Settings};
use super::{gtv, handshake};
use fragreel_quake2::Recording;
use fragreel_quake2::container::dm2::{END_MARK, write_block};
use fragreel_quake2::message::{Body, ConfigString, Context, Frame, Message, PacketEntities, ServerData, Text};
use fragreel_quake2::unstable::signon::write;

/// The datagrams of an input. Remaining bytes are the last one.
fn datagrams(mut input: &[u8]) -> impl Iterator<Item = &[u8]> {
    std::iter::from_fn(move || {
        let (&length, rest) = input.split_first_chunk::<2>()?;
        let length = usize::from(u16::from_le_bytes(length)).min(rest.len());
        let (datagram, rest) = rest.split_at(length);
        input = rest;
        Some(datagram)
    })
}

/// Feeds a demo server datagrams of a viewer and of a stranger. It must not panic, must send strangers few and short answers, must let
/// nobody in without a challenge, and must keep playing.
pub fn demo_server(input: &[u8]) {
    const QPORT: u16 = 258;
    let bytes = recording();
    let Ok(recording) = Recording::open(&bytes, Some("dm2"), fragreel_base::wire::Limits::default()) else { return };
    let Ok(mut server) = DemoServer::<u8>::new(&recording, "x", 7, [500]) else { return };
    server.receive(0, &connect(QPORT, fragreel_live::Challenges::new(7).of(&0u8, 0.0), "\\name\\x"), true);
    let mut client = Channel::new(Side::Client { qport: QPORT });
    client.queue(&command("new"));
    server.receive(0, &client.transmit(b""), true);
    let (mut now, mut strangers) = (0.0, 0);
    for datagram in datagrams(input) {
        server.receive(u8::from(datagram.len() % 3 == 0), datagram, true);
        server.tick(now);
        now += 0.05;
        while let Some((to, datagram)) = server.next_datagram() {
            assert!(datagram.len() <= 1400, "a datagram of {} bytes", datagram.len());
            strangers += u32::from(to != 0);
        }
        assert!(server.watching() <= 2);
    }
    assert!(f64::from(strangers) <= now * 60.0 + 12.0, "{strangers} datagrams to a stranger in {now} s");
}

/// Feeds a connected recorder datagrams of a server. It must not panic, must answer with few datagrams, and must write a recording.
pub fn recorder(input: &[u8]) {
    let mut recorder = Recorder::new(Settings::default());
    recorder.receive(&[handshake::OUTSIDE, b"challenge 5"].concat());
    recorder.receive(&[handshake::OUTSIDE, b"client_connect"].concat());
    let file = record(&mut recorder, datagrams(input));
    assert!(!recorder.has_frames() || file.ends_with(&END_MARK.to_le_bytes()));
}

/// Feeds a GTV client the bytes of a server, in the pieces of the input.
pub fn gtv(input: &[u8]) {
    let mut client = gtv::Client::new(gtv::Settings::default());
    client.receive(b"MVD2");
    let file = record(&mut client, datagrams(input));
    assert!(file.is_empty() || file.starts_with(b"MVD2") && file.ends_with(&[0, 0]));
}

fn record<'i>(stream: &mut impl Stream, datagrams: impl Iterator<Item = &'i [u8]>) -> Vec<u8> {
    let (mut now, mut file) = (0.0, Vec::new());
    for datagram in datagrams {
        stream.receive(datagram);
        now += 0.05;
        stream.tick(now);
        let sent = std::iter::from_fn(|| stream.next_request()).count();
        assert!(sent <= 8 + datagram.len(), "{sent} for one of {} bytes", datagram.len());
        stream.take_recording(&mut file);
    }
    stream.leave();
    stream.take_recording(&mut file);
    file
}

/// A recording of one level with some frames.
fn recording() -> Vec<u8> {
    let mut cx = Context::new(fragreel_quake2::dialect::Dialect::playable());
    let mut bytes = Vec::new();
    let mut put = |bodies: Vec<Body>| {
        let block: Vec<u8> = bodies.into_iter().flat_map(|body| write(&Message::new(body), &mut cx)).collect();
        write_block(&mut bytes, &block);
    };
    let string = |index, text: &str| Body::ConfigString(ConfigString { index, text: Text(text.as_bytes().to_vec()) });
    let data = ServerData { protocol: 34, kind: 1, ..ServerData::default() };
    put(vec![Body::ServerData(Box::new(data)), string(30, "4"), string(33, "maps/x.bsp")]);
    for number in 20..60 {
        let frame = Frame { number, delta: -1, ..Frame::default() };
        let whole = [Body::Frame(Box::new(frame)), Body::PlayerInfo(Box::default()), Body::PacketEntities(PacketEntities::default())];
        put(whole.into_iter().chain([string(1568 + number as u16 % 7, &number.to_string())]).collect());
    }
    bytes.extend(END_MARK.to_le_bytes());
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seeds_keep_their_properties() {
        type Property = fn(&[u8]);
        let properties: [(&str, Property); 3] = [("quake2_live_show", demo_server), ("quake2_live_recorder", recorder), ("quake2_live_gtv", gtv)];
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
