//! Properties that hold for any datagram, however hostile: what the fuzz targets `quake1_live_*` and the seeds' tests check.
//!
//! An input is a list of datagrams: a length of two bytes (little-endian), then that many bytes, again and again.

use fragreel_base::wire::{ReadBytes, WriteBytes};
use fragreel_live::{PlaybackServer as _, Stream};

use crate::demo_server::netquake;
use crate::handshake::{self, Extensions, quakeworld};
use crate::netchan::netquake::Channel as NetQuakeChannel;
use crate::recorder::{self, Recorder, Settings, Status};
use crate::server::{Level, Server};
use crate::{Acknowledge, Audience, DeltaReceiver, DeltaSender, Frame};
use fragreel_quake1::unstable::container::{Blocks, Container, Framing, write_block};
use fragreel_quake1::unstable::message::Float;
use fragreel_quake1::unstable::replacement::{self, Angles, Baselines, Coordinates, Delta, EntityState, Flags, Update};

/// The datagrams of an input; what is left over is the last one.
pub fn datagrams(mut input: &[u8]) -> impl Iterator<Item = &[u8]> {
    std::iter::from_fn(move || {
        let (&length, rest) = input.split_first_chunk::<2>()?;
        let length = usize::from(u16::from_le_bytes(length)).min(rest.len());
        let (datagram, rest) = rest.split_at(length);
        input = rest;
        Some(datagram)
    })
}

/// A layout for each value of a byte.
fn layout(choice: u8) -> Flags {
    Flags {
        origin: [Coordinates::Eighths, Coordinates::Fraction, Coordinates::Sixteenths, Coordinates::Float][usize::from(choice & 3)],
        angles: [Angles::Byte, Angles::Short, Angles::Float, Angles::Byte][usize::from(choice >> 2 & 3)],
        predinfo: choice & 16 != 0,
        new_size_encoding: choice & 32 != 0,
        lerp_time: choice & 64 != 0,
        input_ack: choice & 128 != 0,
    }
}

/// A server's datagrams to a recorder: no panic, and what it writes is always a recording with every packet in it.
pub fn recorder(input: &[u8]) {
    let mut recorder = Recorder::new(Settings::default());
    let (mut now, mut recording) = (0.0, Vec::new());
    // It has connected already; inputs need no challenge to get further.
    recorder.tick(now);
    recorder.receive(now, b"\xff\xff\xff\xffc7\0FTE2\x7f\0\0\0");
    recorder.receive(now, b"\xff\xff\xff\xffj\n");
    for datagram in datagrams(input) {
        now += 0.03;
        recorder.receive(now, datagram);
        recorder.tick(now);
        let mut sent = 0;
        while let Some(datagram) = recorder.next_datagram() {
            assert!(datagram.len() <= 2048, "a datagram of {} bytes", datagram.len());
            sent += 1;
        }
        assert!(sent <= 8, "{sent} datagrams for one");
    }
    recorder.leave(now);
    recorder.take_recording(&mut recording);
    let blocks = Blocks::new(&recording, Container::QuakeWorld, &fragreel_base::wire::Limits::default()).expect("a recording");
    let packets = blocks.map(|block| block.expect("whole blocks")).filter(|block| !block.data.is_empty()).count() as u64;
    // A connection that had to begin again has nothing yet.
    assert!(packets == recorder.packets() + 1 || (packets, recorder.packets()) == (0, 0), "{packets}");
}

/// A server's datagrams to a recorder that has not even asked yet: few answers to each, and an end in time, whatever comes.
pub fn connecting(input: &[u8]) {
    let settings = Settings::default();
    let deadline = settings.connecting + settings.signing_on + settings.timeout + 1.0;
    let (mut recorder, mut now, mut sent) = (Recorder::new(settings), 0.0, 0);
    for datagram in datagrams(input).chain(std::iter::repeat_n(&[][..], 300)) {
        recorder.tick(now);
        recorder.receive(now, datagram);
        while let Some(datagram) = recorder.next_datagram() {
            assert!(datagram.len() <= 2048, "a datagram of {} bytes", datagram.len());
            sent += 1;
        }
        now += 0.5;
        // One each half second while connecting, one per tick afterwards, and three to leave.
        assert!(f64::from(sent) <= now * 4.0 + 8.0, "{sent} datagrams in {now} s");
    }
    while now <= deadline * 2.0 {
        recorder.tick(now);
        now += 0.5;
    }
    assert!(matches!(recorder.status(), Status::Ended(_)), "{:?}", recorder.status());
}

/// Clients' datagrams to a server, from two addresses: no panic, bounded answers, bounded clients.
pub fn server(input: &[u8]) {
    let mut server = Server::new(Level { baselines: (1..40).map(|number| (number, EntityState::default())).collect(), ..Level::default() });
    let state = EntityState { model: 2, ..EntityState::default() };
    let challenge = fragreel_live::Challenges::new(0).of(&0u8, 0.0);
    server.receive(
        0u8,
        format!("\u{ff}\u{ff}\u{ff}\u{ff}connect 28 258 {challenge} \"\\name\\x\\*z_ext\\1\"\n0x32455446 0x68\n")
            .chars()
            .map(|c| c as u8)
            .collect::<Vec<_>>()
            .as_slice(),
    );
    for (at, datagram) in datagrams(input).enumerate() {
        server.receive((at % 2) as u8, datagram);
        server.frame(at as f32, &[(5, state.clone()), (70_000, state.clone())]);
        let mut sent = 0;
        while let Some((_, datagram)) = server.next_datagram() {
            assert!(datagram.len() <= 2048);
            sent += 1;
        }
        assert!(sent <= 6, "{sent} datagrams for one");
        assert!(server.connected() <= 2);
    }
}

/// Everything that reads a datagram outside of QuakeWorld's channel, and NetQuake's channel: no panic, memory bounded by
/// what was received.
pub fn handshake(input: &[u8]) {
    let mut client = quakeworld::Client::new(7, b"\\name\\x".to_vec(), Extensions::QUAKEWORLD);
    let server = quakeworld::Server { offers: Extensions::QUAKEWORLD, requires: Extensions::NONE };
    let mut inside = handshake::netquake::Server::new(vec![666, 15], Extensions::QUAKEWORLD, Extensions::NONE);
    let (mut channel, mut answer) = (NetQuakeChannel::new(), None);
    for datagram in datagrams(input) {
        client.receive(datagram);
        if let quakeworld::Answer::Accept { connect, .. } = server.receive(datagram, |number| number == 7, || 7) {
            assert!(Extensions::QUAKEWORLD.includes(&connect.extensions));
        }
        let _ = handshake::netquake::read(datagram);
        inside.receive(datagram);
        let _ = inside.result();
        channel.receive(datagram, &mut answer);
        assert!(answer.as_ref().is_none_or(|answer| answer.len() == 8));
    }
}

/// A byte that chooses the layout, then updates as messages: what decodes encodes to the same bytes, and the receiver
/// holds no more entities than it received.
pub fn updates(input: &[u8]) {
    let Some((&choice, messages)) = input.split_first() else { return };
    let flags = layout(choice);
    let (mut receiver, mut update, mut told) = (DeltaReceiver::new(flags), Update::default(), 0);
    for (sequence, message) in datagrams(messages).enumerate() {
        let mut reader = ReadBytes::new(message);
        if replacement::code(&mut reader, &flags, &mut update).is_err() {
            receiver.lose();
            continue;
        }
        let mut writer = WriteBytes::default();
        let Ok(()) = replacement::code(&mut writer, &flags, &mut update);
        assert_eq!(writer.written(), &message[..reader.offset()]);
        told += update.entities.len();
        receiver.receive(sequence as u32, &update);
        assert!(receiver.entities().len() <= told);
    }
    let (mut reader, mut delta) = (ReadBytes::new(messages), Delta::default());
    if replacement::code_delta(&mut reader, &flags, &mut delta).is_ok() {
        let mut writer = WriteBytes::default();
        let Ok(()) = replacement::code_delta(&mut writer, &flags, &mut delta);
        assert_eq!(writer.written(), &messages[..reader.offset()]);
    }
}

/// A byte that chooses the layout, then for each byte pair an acknowledgement and a change of the world: the sender keeps
/// its budget and holds no more than is bounded by what it sent, whatever is acknowledged.
pub fn sender(input: &[u8]) {
    let Some((&choice, script)) = input.split_first() else { return };
    let flags = layout(choice);
    let (mut sender, baselines) = (DeltaSender::new(flags, Audience::default()), Baselines::new());
    let mut world: std::collections::BTreeMap<u32, EntityState> = std::collections::BTreeMap::new();
    let (mut sequence, mut bytes) = (0u32, Vec::new());
    for step in script.chunks_exact(3).take(2000) {
        sequence += 1 + u32::from(step[0] >> 5) * 9;
        match step[0] & 3 {
            0 => sender.acknowledge(Acknowledge::Frame(sequence.wrapping_sub(u32::from(step[1])))),
            1 => sender.acknowledge(Acknowledge::Frame(u32::from(step[1]) << 24)),
            2 if step[1] == 0 => sender.acknowledge(Acknowledge::Restart),
            _ => {}
        }
        let number = 1 + u32::from(step[1]) * 16_000;
        if step[2] & 1 == 0 {
            world.remove(&number);
        } else {
            let state = world.entry(number).or_default();
            state.origin[usize::from(step[2] >> 1) % 3] = u32::from(step[2]) << 4;
            state.effects ^= u32::from(step[2]) << 7;
        }
        bytes.clear();
        let frame = Frame { sequence, budget: 64 + usize::from(step[2]), ..Frame::default() };
        let visible = world.iter().map(|(&number, state)| (number, state));
        let sent = sender.send(frame, visible, &baselines, &mut bytes).expect("a rising sequence");
        assert!(bytes.len() <= frame.budget);
        assert!(sender.held() <= 256 * 4 + 64 * 40, "{}", sender.held());
        let mut update = Update::default();
        replacement::code(&mut ReadBytes::new(&bytes[1..]), &flags, &mut update).expect("what was written can be read");
        assert_eq!(update.entities.len(), sent.updates + sent.removals + usize::from(sent.restarted));
    }
}

/// Clients' datagrams to a NetQuake demo server, from a client and from a stranger: no panic, and little output to a client that acknowledges nothing.
pub fn netquake_show(input: &[u8]) {
    let bytes = netquake_recording();
    let recording = fragreel_quake1::Recording::open(&bytes, Some("dem"), fragreel_base::wire::Limits::default()).expect("a recording");
    let mut show = netquake::NetQuakeDemoServer::<u8>::new(&recording, "x", []).expect("a show");
    show.listens(26_000);
    show.receive(0, &handshake::netquake::connect(), true);
    let (mut now, mut stranger) = (0.0, 0);
    for datagram in datagrams(input) {
        show.tick(now);
        now += 0.05;
        show.receive(u8::from(datagram.len() % 3 == 0), datagram, true);
        while let Some((to, datagram)) = show.next_datagram() {
            assert!(datagram.len() <= 1408, "a datagram of {} bytes", datagram.len());
            stranger += if to == 0 { 0 } else { datagram.len() };
        }
        assert!(show.watching() <= 2);
    }
    assert!(stranger <= input.len() * 100 + 10_000, "{stranger} bytes to a stranger");
}

/// A server's datagrams to a recorder of NetQuake that is let in: no panic, few datagrams for each, and what it writes is a recording.
pub fn netquake_recorder(input: &[u8]) {
    let mut recorder = recorder::netquake::Recorder::new("me");
    recorder.receive(&handshake::netquake::accept(5));
    let file = record(&mut recorder, input);
    if recorder.has_frames() {
        let mut blocks = Blocks::new(&file, Container::NetQuake, &fragreel_base::wire::Limits::default()).expect("a recording");
        assert!(blocks.all(|block| block.is_ok()));
    }
}

/// A QTV server's bytes, in the pieces that the input says.
pub fn qtv(input: &[u8]) {
    let mut client = crate::qtv::Client::new(crate::qtv::Settings { source: None, name: String::from("x"), password: Some(String::from("y")) });
    record(&mut client, input);
}

fn record(stream: &mut impl Stream, input: &[u8]) -> Vec<u8> {
    let (mut now, mut file) = (0.0, Vec::new());
    for datagram in datagrams(input) {
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

/// A level with some frames.
fn netquake_recording() -> Vec<u8> {
    let mut bytes = b"-1\n".to_vec();
    let mut put = |data: &[u8]| write_block(&mut bytes, Container::NetQuake, &Framing::NetQuake { angles: [Float::default(); 3] }, data);
    put(b"\x0b\x0f\0\0\0\x04\x01x\0maps/x.bsp\0\0a.wav\0\0\x05\x01\0\x19\x01");
    put(b"\x19\x02");
    put(b"\x19\x03");
    for number in 0..40u8 {
        put(&[&[7][..], &(f32::from(number) * 0.1).to_le_bytes(), &[0x80, 1]].concat());
    }
    put(&[2]);
    bytes
}

/// A property of any input.
pub type Property = fn(&[u8]);

/// The properties by the names of their fuzz targets.
pub const ALL: [(&str, Property); 9] = [
    ("quake1_live_recorder", recorder),
    ("quake1_live_connecting", connecting),
    ("quake1_live_server", server),
    ("quake1_live_handshake", handshake),
    ("quake1_live_updates", updates),
    ("quake1_live_sender", sender),
    ("quake1_live_netquake_show", netquake_show),
    ("quake1_live_netquake_recorder", netquake_recorder),
    ("quake1_live_qtv", qtv),
];
