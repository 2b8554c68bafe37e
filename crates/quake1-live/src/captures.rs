//! Packet captures of real sessions: handshakes replayed through our ends, every message read to its last byte, counts of
//! the notes checked, and one session compared with the recording that its client made.

use std::collections::BTreeSet;

use crate::handshake::quakeworld::{Answer, Client, Server, Step};
use crate::handshake::{Extensions, netquake};
use crate::netchan::netquake::{Arrived, Channel as NetQuakeChannel};
use crate::recorder::{Recorder, Settings, Status};
use crate::{DeltaReceiver, Received, command};
use fragreel_quake1::unstable::container::{Block, Blocks, Container, Framing, Stamp, Target, kind};
use fragreel_quake1::unstable::decoder::{Decoder, Item};
use fragreel_quake1::unstable::message::{Float, Message};
use fragreel_quake1::unstable::replacement::bits::RESET;
use fragreel_quake1::unstable::replacement::{Change, Flags, Update};

/// A datagram of a capture.
struct Datagram {
    from_client: bool,
    bytes: Vec<u8>,
}

/// The UDP datagrams of a capture file (Ethernet, IPv4). The first one comes from the client.
fn datagrams(file: &[u8]) -> Vec<Datagram> {
    assert_eq!(file[..4], [0xd4, 0xc3, 0xb2, 0xa1], "a capture in the usual format");
    let word = |at: usize| u32::from_le_bytes(file[at..at + 4].try_into().unwrap()) as usize;
    assert_eq!(word(20), 1, "Ethernet");
    let (mut at, mut client, mut found) = (24, None, Vec::new());
    while at + 16 <= file.len() {
        let length = word(at + 8);
        let ip = &file[at + 16 + 14..at + 16 + length];
        at += 16 + length;
        let udp = &ip[usize::from(ip[0] & 15) * 4..];
        let (port, length) = (u16::from_be_bytes([udp[0], udp[1]]), usize::from(u16::from_be_bytes([udp[4], udp[5]])));
        let from_client = *client.get_or_insert(port) == port;
        found.push(Datagram { from_client, bytes: udp[8..length].to_vec() });
    }
    found
}

fn captures(prefix: &str) -> Vec<(String, Vec<Datagram>)> {
    let captures = fragreel_testkit::corpus("quake1").into_iter().filter(|sample| sample.extension() == "pcap");
    let captures = captures.filter(|sample| sample.name.starts_with(&format!("quake1/{prefix}")));
    captures.map(|sample| (sample.name.clone(), datagrams(&sample.bytes()))).collect()
}

/// What FTE's own client and server do to QuakeWorld's channel: words in network order, the first one offset, and
/// messages in fragments. Only needed here, to look into its captures.
#[derive(Default)]
struct FteTransport {
    newest: u32,
    fragments: Vec<u8>,
}

impl FteTransport {
    /// The sequence number and the messages of a datagram that completes a packet.
    fn payload(&mut self, bytes: &[u8]) -> Option<(u32, Vec<u8>)> {
        if bytes.starts_with(&[0xff; 4]) || bytes.len() < 10 {
            return None;
        }
        let word = u32::from_be_bytes(bytes[..4].try_into().unwrap()).wrapping_sub(0x4000_0000);
        let sequence = word & 0x7fff_ffff;
        let fragment = u16::from_le_bytes([bytes[8], bytes[9]]);
        let offset = usize::from(fragment & !1) << 2;
        if offset == 0 && sequence <= self.newest {
            return None;
        }
        self.newest = sequence;
        if offset == 0 {
            self.fragments.clear();
        } else if offset != self.fragments.len() {
            return None;
        }
        self.fragments.extend_from_slice(&bytes[10..]);
        (fragment & 1 == 0).then(|| (sequence, std::mem::take(&mut self.fragments)))
    }
}

/// What one connection's updates came to.
#[derive(Debug, Default)]
struct Tally {
    packets: usize,
    updates: usize,
    restarts: usize,
    resets_of_known: usize,
    resets_of_new: usize,
    without_reset: usize,
    highest: u32,
    out_of_order: usize,
}

/// Reads messages as a client would, and counts.
struct Listener {
    decoder: Decoder,
    receiver: DeltaReceiver,
    tally: Tally,
}

impl Listener {
    fn new(container: Container) -> Self {
        Self { decoder: Decoder::new(container), receiver: DeltaReceiver::new(Flags::default()), tally: Tally::default() }
    }

    fn receive(&mut self, name: &str, sequence: u32, payload: &[u8]) {
        let header = self.decoder.has_header();
        let data = if header { [&sequence.to_le_bytes()[..], &[0; 4], payload].concat() } else { payload.to_vec() };
        let framing = if header {
            Framing::Packet { time: Stamp::At(Float(0)), target: Target { kind: kind::READ, ..Target::default() } }
        } else {
            Framing::NetQuake { angles: [Float(0); 3] }
        };
        let block = Block { number: sequence, offset: 0, data_offset: 0, framing, data: &data, contradicted: false, late: false };
        let (receiver, tally) = (&mut self.receiver, &mut self.tally);
        tally.packets += 1;
        let read = self.decoder.decode(&block, |dialect, item, start| {
            let Item::Message(message) = item else { return };
            let mut after = dialect.clone();
            message.apply_to_dialect(&mut after);
            if *receiver.flags() != after.layout() {
                receiver.reset(after.layout());
            }
            match message {
                Message::SpawnBaseline2(baseline) => {
                    receiver.entities_mut().set_baseline(&after.layout(), baseline.entity.number, &baseline.delta);
                }
                Message::UpdateEntities(entities) => {
                    let mut writer = fragreel_base::wire::WriteBytes::default();
                    let Ok(()) = fragreel_quake1::unstable::message::code(&mut writer, dialect, &mut message.clone());
                    assert!(data[start..].starts_with(writer.written()), "{name}, packet {sequence}");
                    tally.count(receiver, sequence, &entities.update);
                }
                _ => {}
            }
        });
        read.unwrap_or_else(|error| panic!("{name}, packet {sequence}: {error}"));
    }
}

impl Tally {
    fn count(&mut self, receiver: &mut DeltaReceiver, sequence: u32, update: &Update) {
        self.updates += 1;
        self.restarts += usize::from(update.restarts());
        let mut last = 0;
        for entity in &update.entities {
            self.out_of_order += usize::from(entity.number != 0 && entity.number <= last);
            last = entity.number;
            self.highest = self.highest.max(entity.number);
            let known = receiver.entities().get(entity.number).is_some() && !update.restarts();
            match &entity.change {
                Change::Delta(delta) if delta.bits & RESET != 0 && known => self.resets_of_known += 1,
                Change::Delta(delta) if delta.bits & RESET != 0 => self.resets_of_new += 1,
                Change::Delta(_) if !known => self.without_reset += 1,
                _ => {}
            }
        }
        receiver.receive(sequence, update);
    }
}

#[test]
fn quakeworld_sessions_are_read_to_the_last_byte() {
    for (name, datagrams) in captures("qw_") {
        let third_party = name.contains("_py_");
        let (mut transport, mut listener, mut newest) = (FteTransport::default(), Listener::new(Container::QuakeWorld), 0);
        for datagram in datagrams.iter().filter(|datagram| !datagram.from_client) {
            if third_party {
                let sequence = u32::from_le_bytes(datagram.bytes[..4].try_into().unwrap());
                if sequence != u32::MAX && sequence & 0x7fff_ffff > newest {
                    newest = sequence & 0x7fff_ffff;
                    listener.receive(&name, newest, &datagram.bytes[8..]);
                }
            } else if let Some((sequence, payload)) = transport.payload(&datagram.bytes) {
                listener.receive(&name, sequence, &payload);
            }
        }
        let tally = &listener.tally;
        eprintln!("{name}: {tally:?}");
        assert!(tally.packets > 300, "{name}");
        assert_eq!(tally.out_of_order, 0, "{name}");
        if name.contains("vanilla") || name.contains("fte1only") {
            assert_eq!(tally.updates, 0, "{name}");
            continue;
        }
        assert!(tally.updates > 250 && tally.resets_of_new > 50, "{name}: {tally:?}");
        if !name.contains("loss") {
            // FTE resets what appears, once. It starts once, or twice for its own client, which asks for it.
            assert_eq!((tally.resets_of_known, tally.without_reset), (0, 0), "{name}: {tally:?}");
            assert!(tally.restarts == 1 || (tally.restarts == 2 && !third_party), "{name}: {tally:?}");
            assert!(listener.receiver.entities().iter().all(|(_, known)| known.complete), "{name}");
        }
    }
}

#[test]
fn netquake_sessions_are_read_to_the_last_byte() {
    for (name, datagrams) in captures("nq_") {
        let (mut channel, mut listener, mut answer) = (NetQuakeChannel::new(), Listener::new(Container::NetQuake), None);
        for datagram in datagrams.iter().filter(|datagram| !datagram.from_client) {
            match channel.receive(&datagram.bytes, &mut answer) {
                Arrived::Reliable(payload) => listener.receive(&name, listener.tally.packets as u32, &payload),
                Arrived::Unreliable { payload, .. } => listener.receive(&name, listener.tally.packets as u32, &payload),
                _ => {}
            }
        }
        let tally = &listener.tally;
        eprintln!("{name}: {tally:?}");
        assert!(tally.packets > 300, "{name}");
        assert_eq!(tally.out_of_order, 0, "{name}");
        if name.contains("norepl") {
            assert_eq!(tally.updates, 0, "{name}");
            continue;
        }
        assert!(tally.updates > 250, "{name}: {tally:?}");
        // FTE resets what appears once, QuakeSpasm-Spiked twice.
        assert_eq!(tally.resets_of_known > 0, name.contains("qss"), "{name}: {tally:?}");
        if name.contains("highents") {
            assert!(tally.highest > 0x8000, "{name}: {tally:?}");
        }
    }
}

#[test]
fn quakeworld_handshakes_replay_through_both_of_our_ends() {
    for (name, datagrams) in captures("qw_") {
        let outside: Vec<&Datagram> = datagrams.iter().take(12).filter(|datagram| datagram.bytes.starts_with(&[0xff; 4])).collect();
        let find = |start: &[u8]| &outside.iter().find(|datagram| datagram.bytes[4..].starts_with(start)).unwrap_or_else(|| panic!("{name}")).bytes;
        let (challenge, connect, accepted) = (find(b"c"), find(b"connect"), find(b"j"));

        // The captured server against our client.
        let mut client = Client::new(1, b"\\name\\x".to_vec(), Extensions::QUAKEWORLD);
        let Step::Send(ours) = client.receive(challenge) else { panic!("{name}") };
        assert_eq!(client.extensions().fte2, Extensions::QUAKEWORLD.fte2 & 0x17f, "{name}");
        assert_eq!(client.receive(accepted), Step::Connected, "{name}");

        // The captured client against our server, with what the captured server offered.
        let number = |bytes: &[u8]| {
            let end = bytes.iter().position(|&byte| byte == 0).unwrap();
            std::str::from_utf8(&bytes[5..end]).unwrap().parse::<i32>().unwrap()
        };
        let offers = Extensions { fte1: 0xedfe_ffdf, fte2: 0x17f, mvd1: 1 };
        let server = Server { offers, requires: Extensions::NONE };
        let Answer::Reply(reply) = server.receive(find(b"getchallenge"), |_| false, || number(challenge)) else { panic!("{name}") };
        assert_eq!(reply, challenge[..reply.len()], "{name}: the pairs that we know come first");
        let Answer::Accept { connect, reply } = server.receive(connect, |given| given == number(challenge), || 0) else { panic!("{name}") };
        assert_eq!(&reply, accepted, "{name}");
        let expected = match name.split("_p2_").nth(1) {
            Some(mask) => u32::from_str_radix(mask.trim_start_matches("0x").trim_end_matches(".pcap"), 16).unwrap(),
            None if name.contains("vanilla") => 0,
            None => connect.extensions.fte2,
        };
        assert_eq!(connect.extensions.fte2, expected, "{name}");
        assert!(matches!(server.receive(&ours, |given| given == number(challenge), || 0), Answer::Accept { .. }), "{name}");
    }
}

#[test]
fn netquake_handshakes_replay_through_both_of_our_ends() {
    for (name, datagrams) in captures("nq_") {
        assert_eq!(netquake::read(&datagrams[0].bytes), Some(netquake::Control::Connect), "{name}");
        assert!(matches!(netquake::read(&datagrams[1].bytes), Some(netquake::Control::Accept { port }) if port != 0), "{name}");
        let (mut to_client, mut to_server, mut answer) = (NetQuakeChannel::new(), NetQuakeChannel::new(), None);
        let client = netquake::Client { protocols: vec![999, 666, 15], wants: Extensions { fte1: 0, fte2: 0x68, mvd1: 0 } };
        let mut server = netquake::Server::new(vec![666, 15], Extensions { fte1: 0x4006_8600, fte2: 0x7f, mvd1: 0 }, Extensions::NONE);
        let (mut questions, mut answers) = (0, 0);
        for datagram in datagrams.iter().take(60) {
            let channel = if datagram.from_client { &mut to_server } else { &mut to_client };
            let Arrived::Reliable(payload) = channel.receive(&datagram.bytes, &mut answer) else { continue };
            for text in payload.split(|&byte| byte == 0).filter(|text| !text.is_empty()) {
                if datagram.from_client {
                    answers += usize::from(text[0] == command::CLC_STRING && server.receive(&text[1..]));
                } else {
                    questions += usize::from(client.answer(&text[1..]).is_some());
                }
            }
        }
        assert_eq!(questions, answers, "{name}");
        assert!(answers > 0, "{name}");
        let (_, extensions) = server.result().unwrap();
        let stated = if name.contains("norepl") { 0 } else { 8 };
        assert_eq!(extensions.fte2 & 8, stated, "{name}: {extensions:?}");
    }
}

#[test]
fn inputs_carry_the_checksum_that_we_would_give_them() {
    let mut checked = 0;
    for (name, datagrams) in captures("qw_py") {
        for datagram in datagrams.iter().filter(|datagram| datagram.from_client) {
            let bytes = &datagram.bytes;
            let sequence = u32::from_le_bytes(bytes[..4].try_into().unwrap());
            // Packets that hold nothing but an input, with or without `clc_delta`.
            if sequence & 0x8000_0000 != 0 || bytes.get(10) != Some(&command::CLC_MOVE) {
                continue;
            }
            let end = if bytes[bytes.len() - 2] == command::CLC_DELTA && bytes.len() == 48 { bytes.len() - 2 } else { bytes.len() };
            if end == 46 {
                assert_eq!(bytes[11], command::checksum(&bytes[12..end], sequence), "{name}, packet {sequence}");
                checked += 1;
            }
        }
    }
    assert!(checked > 500 || fragreel_testkit::corpus("quake1").is_empty(), "{checked}");
}

/// The recorder in the captured client's place: one packet of ours for each of its.
#[test]
fn the_recorder_signs_on_to_captured_servers() {
    for (name, datagrams) in captures("qw_py") {
        let mut recorder = Recorder::new(Settings { extensions: Extensions { fte2: 0x68, ..Extensions::NONE }, ..Settings::default() });
        let (mut now, mut recording, mut heard, mut said) = (0.0, Vec::new(), Vec::new(), BTreeSet::new());
        for datagram in &datagrams {
            now += 0.05;
            if datagram.from_client {
                recorder.tick(now);
            } else {
                recorder.receive(now, &datagram.bytes);
                if !datagram.bytes.starts_with(&[0xff; 4]) {
                    heard.push(&datagram.bytes[8..]);
                }
            }
            while let Some(datagram) = recorder.next_datagram() {
                for text in datagram.split(|&byte| byte == 0 || byte == command::CLC_STRING) {
                    said.insert(text.to_vec());
                }
            }
        }
        assert_eq!(*recorder.status(), Status::Playing, "{name}");
        assert_eq!(recorder.unreadable(), 0, "{name}");
        for command in ["new", "soundlist 1 ", "modellist 1 ", "prespawn 1 0 0", "spawn 1", "begin 1"] {
            assert!(said.iter().any(|text| text.starts_with(command.as_bytes())), "{name}: {command}");
        }
        if !name.contains("vanilla") {
            assert!(recorder.deltas().entities().len() > 20, "{name}");
        }
        recorder.leave(now);
        recorder.take_recording(&mut recording);
        let blocks = Blocks::new(&recording, Container::QuakeWorld, &fragreel_base::wire::Limits::default()).unwrap();
        let packets: Vec<&[u8]> =
            blocks.map(|block| block.unwrap()).filter(|block| matches!(block.framing, Framing::Packet { .. })).map(|block| block.data).collect();
        assert_eq!(packets.len(), heard.len() + 1, "{name}: every packet and the closing");
        assert!(packets.iter().zip(&heard).all(|(packet, heard)| &packet[8..] == *heard), "{name}");
    }
}

#[test]
fn a_capture_and_the_recording_of_its_client_say_the_same() {
    let recordings: Vec<_> = fragreel_testkit::corpus("quake1").into_iter().filter(|sample| sample.extension() == "qwd").collect();
    let mut compared = 0;
    for (name, datagrams) in captures("qw_") {
        let Some(recording) = recordings.iter().find(|sample| sample.name == name.replace(".pcap", ".qwd")) else { continue };
        let (bytes, mut transport) = (recording.bytes(), FteTransport::default());
        let blocks = Blocks::new(&bytes, Container::QuakeWorld, &fragreel_base::wire::Limits::default()).unwrap();
        let blocks: Vec<Block<'_>> = blocks.map(Result::unwrap).collect();
        let start = blocks.iter().position(|block| matches!(block.framing, Framing::Sequences { .. })).unwrap();
        let recorded = blocks[start..].iter().filter(|block| matches!(block.framing, Framing::Packet { .. }) && !block.data.starts_with(&[0xff; 4]));
        let captured: std::collections::BTreeMap<u32, Vec<u8>> =
            datagrams.iter().filter(|datagram| !datagram.from_client).filter_map(|datagram| transport.payload(&datagram.bytes)).collect();
        for block in recorded {
            let sequence = u32::from_le_bytes(block.data[..4].try_into().unwrap());
            assert_eq!(captured.get(&sequence).map(Vec::as_slice), Some(&block.data[8..]), "{name}, packet {sequence}");
            compared += 1;
        }
    }
    assert!(compared > 3000 || recordings.is_empty(), "{compared}");
}

#[test]
fn a_receiver_that_lost_the_thread_stays_silent_until_it_is_found() {
    // A server that never restarts.
    let mut receiver = DeltaReceiver::new(Flags::default());
    assert_eq!(receiver.receive(5, &Update::default()), Received::Lost);
}
