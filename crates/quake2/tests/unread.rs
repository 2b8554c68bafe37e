//! Secrets planted in what cannot be read, and in downloads, and looked for in what is left: in the bytes, and in all that inflates from
//! any of them.

use flate2::{Compress, Compression, Decompress, FlushCompress, FlushDecompress, Status};
use fragreel_model::{Action, Fate, Place, Rewrite, Role};
use fragreel_quake2::Recording;
use fragreel_quake2::message::{Body, ConfigString, Contents, Context, Download, Frame, Message, MessageKind, Packed, PlayerDelta, Print, ServerData, Text};

use super::editing::file_of;
use super::made::{self, open};
use super::privacy::Idle;

/// Takes addresses and identifiers away, and nothing else.
struct Scrub;

impl Rewrite for Scrub {
    fn text(&mut self, _: Place, role: Role, _: &mut Vec<u8>) -> Fate {
        if matches!(role, Role::Address | Role::Identifier) { Fate::Drop } else { Fate::Keep }
    }
}

const SECRETS: [&str; 5] = ["10.98.76.54", "STEAM_0:1:4242424", "76561197960287930", "me@example.org", "hUsh7hUsh7"];

/// A text with all of them.
fn secrets() -> Vec<u8> {
    b"\x0bset a 10.98.76.54 STEAM_0:1:4242424 76561197960287930 me@example.org\nrcon_password hUsh7hUsh7\n\0".to_vec()
}

fn has_secret(bytes: &[u8]) -> Option<&'static str> {
    SECRETS.into_iter().find(|secret| bytes.windows(secret.len()).any(|window| window == secret.as_bytes()))
}

/// The bytes as they stand, and what inflates from each of them, as far as it does.
fn assert_clean(name: &str, bytes: &[u8]) {
    assert_eq!(has_secret(bytes), None, "{name}: {}", String::from_utf8_lossy(bytes));
    for zlib in [false, true] {
        for from in 0..bytes.len() {
            let mut out = Vec::with_capacity(1 << 16);
            let _ = Decompress::new(zlib).decompress_vec(&bytes[from..], &mut out, FlushDecompress::Sync);
            assert_eq!(has_secret(&out), None, "{name}: inflated from {from}");
        }
    }
}

fn deflate(bytes: &[u8], zlib: bool) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes.len() + 1024);
    let done = Compress::new(Compression::best(), zlib).compress_vec(bytes, &mut out, FlushCompress::Finish);
    assert!(matches!(done, Ok(Status::StreamEnd)));
    out
}

/// A compressed message with these lengths and bytes, whatever they are.
fn packed(op: MessageKind, inflated: usize, compressed: &[u8]) -> Vec<u8> {
    let number = if op == MessageKind::ZPacket {
        21
    } else if op == MessageKind::ConfigBlast {
        22
    } else {
        23
    };
    [&[number][..], &(compressed.len() as u16).to_le_bytes(), &(inflated as u16).to_le_bytes(), compressed].concat()
}

/// A line that stays.
fn line() -> Vec<u8> {
    made::print("it goes on\n")
}

fn data_35() -> ServerData {
    ServerData { protocol: 35, servercount: 7, kind: 1, levelname: Text(b"Level".to_vec()), minor: 1905, ..ServerData::default() }
}

/// A recording that begins with this, and goes on with these blocks.
fn recording(data: ServerData, blocks: &[Vec<u8>]) -> Vec<u8> {
    let mut cx = Context::new(data.dialect().expect("it is known"));
    let mut write = |bodies: Vec<Body>| {
        let mut w = fragreel_base::wire::WriteBytes::default();
        for body in bodies {
            let Ok(()) = Message::new(body).write(&mut w, &mut cx);
        }
        w.finish()
    };
    let string = |index, text: &str| Body::ConfigString(ConfigString { index, text: Text(text.into()) });
    let precache = Body::StuffText(Text(b"precache\n".to_vec()));
    let first = write(vec![Body::ServerData(Box::new(data)), string(0, "Level"), string(33, "maps/q2dm1.bsp"), precache]);
    file_of(&[&[first], blocks].concat(), true)
}

fn frame_35(number: i32) -> Vec<u8> {
    let frame = Frame { number, delta: -1, packed: Some(Box::new((PlayerDelta::default(), Default::default()))), ..Frame::default() };
    let mut cx = Context::new(data_35().dialect().unwrap());
    let mut w = fragreel_base::wire::WriteBytes::default();
    let Ok(()) = Message::new(Body::Frame(Box::new(frame))).write(&mut w, &mut cx);
    w.finish()
}

fn print_of(recording: &Recording<'_>) -> usize {
    let mut lines = 0;
    recording
        .map_messages(&mut |_, message| {
            lines += usize::from(matches!(&message.body, Body::Print(Print { text, .. }) if text.0 == b"it goes on\n"));
            Fate::Keep
        })
        .unwrap();
    lines
}

fn left_out(actions: &[Action]) -> usize {
    actions.iter().filter(|action| matches!(action, Action::BytesLeftOut { offset, why, .. } if *offset > 0 && !why.is_empty())).count()
}

/// A whole stream, one that is cut, one with a wrong byte, one of another length, one with words that mean nothing, one that hides bytes
/// behind its end, one in what cannot be read, one within another.
#[test]
fn nothing_personal_is_left_in_compressed_messages_that_cannot_be_read() {
    let text = [&secrets()[..], &[0x1f]].concat();
    let stream = deflate(&text, false);
    let whole = deflate(&secrets(), false);
    let mut wrong = stream.clone();
    wrong[4] ^= 0xff;
    let stored = [&[1][..], &(secrets().len() as u16).to_le_bytes(), &(!(secrets().len() as u16)).to_le_bytes(), &secrets()].concat();
    let nested = deflate(&packed(MessageKind::ZPacket, secrets().len(), &whole), false);
    let packet = |inflated: usize, compressed: &[u8]| packed(MessageKind::ZPacket, inflated, compressed);
    let cases: Vec<(&str, Vec<u8>)> = vec![
        ("whole", packet(secrets().len(), &whole)),
        ("cut", packet(text.len(), &stream[..stream.len() - 3])),
        ("wrong byte", packet(text.len(), &wrong)),
        ("another length", packet(text.len() + 1, &stream)),
        ("no messages", packet(text.len(), &stream)),
        ("stored", packet(secrets().len() + 1, &stored)),
        ("hidden behind a whole one", packet(line().len(), &[&deflate(&line(), false)[..], &whole].concat())),
        ("hidden in plain behind a whole one", packet(line().len(), &[&deflate(&line(), false)[..], &secrets()].concat())),
        ("behind what cannot be read", [&[0x1e][..], &packet(secrets().len(), &whole)].concat()),
        ("one within another", packet(packet(secrets().len(), &whole).len(), &nested)),
        ("a length beyond the block", packet(0, &stream)[..9].to_vec()),
    ];
    for (name, bytes) in &cases {
        let block = [&line()[..], bytes].concat();
        let bytes = recording(data_35(), &[frame_35(1), block, line(), frame_35(2)]);
        let source = open(&bytes, "dm2");
        assert!(source.rewrite(&mut Idle).unwrap().bytes == bytes, "{name}: who keeps everything keeps every byte");
        let edited = source.rewrite(&mut Scrub).unwrap();
        assert_clean(name, &edited.bytes);
        assert!(edited.losses.is_empty(), "{name}");
        assert_eq!(left_out(&edited.actions) > 0, *name != "whole", "{name}: {:?}", edited.actions);
        let again = open(&edited.bytes, "dm2");
        assert!(again.verify().is_whole(), "{name}: {:?}", again.verify().damage);
        assert!(print_of(&again) >= 2, "{name}: lines before and behind stay");
    }
    // behind the end mark, and where the file ends in a block
    let packet = packet(secrets().len(), &whole);
    let whole = recording(data_35(), &[frame_35(1)]);
    let behind = [&whole[..], &packet].concat();
    let cut = [&whole[..whole.len() - 4], &200u32.to_le_bytes(), &packet].concat();
    for (bytes, left) in [(behind, &whole[..]), (cut, &whole[..whole.len() - 4])] {
        let edited = open(&bytes, "dm2").rewrite(&mut Scrub).unwrap();
        assert!(edited.bytes == left && left_out(&edited.actions) == 1, "{:?}", edited.actions);
    }
}

/// What inflates to its end and holds nothing personal stays, though it says nothing.
#[test]
fn compressed_strings_without_anything_personal_stay() {
    let data = ServerData { protocol: 2023, servercount: 7, kind: 1, tickrate: 40, levelname: Text(b"Level".to_vec()), ..ServerData::default() };
    let cut_string = |text: &[u8]| [&[5, 0][..], text].concat();
    for (text, stays) in [(&b"maps/q2dm2.bsp"[..], true), (b"10.98.76.54", false), (b"rcon_password hUsh7hUsh7", false)] {
        let text = cut_string(text);
        for op in [MessageKind::ConfigBlast, MessageKind::BaselineBlast] {
            let message = packed(op, text.len() + usize::from(op == MessageKind::BaselineBlast), &deflate(&text, true));
            let bytes = recording(data.clone(), &[[&line()[..], &message].concat()]);
            let source = open(&bytes, "dm2");
            assert!(!source.verify().is_whole());
            assert!(source.rewrite(&mut Idle).unwrap().bytes == bytes);
            let edited = source.rewrite(&mut Scrub).unwrap();
            assert_eq!((edited.bytes == bytes, left_out(&edited.actions)), (stays, usize::from(!stays)), "{op:?} {:?}", edited.actions);
            assert_clean("strings", &edited.bytes);
        }
    }
}

/// In plain protocol 34, where nothing is compressed, every byte stays but what is personal.
#[test]
fn what_cannot_be_read_keeps_its_length_where_nothing_is_compressed() {
    let frames = [made::frame(1, -1, &[(3, 1)]), made::frame(2, 1, &[])];
    let unread = made::block(&[[&[0x7f][..], &secrets()].concat()]);
    let wild = [&0x7fff_fff0u32.to_le_bytes()[..], &secrets()].concat();
    let good: Vec<Vec<u8>> = (0..4).map(|_| made::block(&[line()])).collect();
    for (name, bytes) in [
        ("block", made::client(&[frames[0].clone(), unread, frames[1].clone()])),
        ("gap", made::client(&[&[frames[0].clone(), wild][..], &good].concat())),
        ("tail", [made::client(&frames), secrets()].concat()),
    ] {
        let source = open(&bytes, "dm2");
        assert!(source.rewrite(&mut Idle).unwrap().bytes == bytes, "{name}");
        let edited = source.rewrite(&mut Scrub).unwrap();
        assert_eq!((edited.bytes.len(), left_out(&edited.actions)), (bytes.len(), 0), "{name}");
        assert_clean(name, &edited.bytes);
        assert!(edited.losses.is_empty() && !edited.actions.is_empty(), "{name}");
        // nothing personal: nothing happens
        let clean = open(&edited.bytes, "dm2");
        assert!(clean.rewrite(&mut Scrub).unwrap().bytes == edited.bytes, "{name}");
    }
}

/// Text that is read as numbers of a frame, as a string of another kind, and as the length of a block: what is broken elsewhere says that it
/// may be anything.
#[test]
fn text_that_is_read_as_something_else_goes_where_something_is_broken() {
    let inventory = [&[5][..], &secrets(), &vec![0; 512 - secrets().len()]].concat();
    let layout = [&[4][..], b"y5966set password hUsh7hUsh7\n\0"].concat();
    let broken = made::block(&[vec![0x7f]]);
    let whole = made::client(&[made::block(&[inventory.clone(), layout.clone()])]);
    // in a whole recording these are numbers, and no commands
    assert!(open(&whole, "dm2").rewrite(&mut Scrub).unwrap().bytes == whole);
    let length = made::block(&[[&[5][..], &vec![0; 502], b"\x0b10.98.76.5"].concat()]);
    let split = [&length[..], b"4:x me@example.org"].concat();
    for (name, bytes) in [
        ("numbers", made::client(&[made::block(&[inventory, layout]), broken.clone(), made::block(&[line()])])),
        ("a length", [&made::client(std::slice::from_ref(&broken))[..], &split].concat()),
        ("a length amid a secret", [&made::client(&[broken])[..made::client(&[]).len() - 4], &split].concat()),
    ] {
        let edited = open(&bytes, "dm2").rewrite(&mut Scrub).unwrap();
        assert_clean(name, &edited.bytes);
        assert_eq!(edited.bytes.len(), bytes.len(), "{name}");
    }
}

fn pieces(data: &[u8], size: usize, op: u8, inflated: impl Fn(&[u8]) -> Option<u16>) -> Vec<Vec<u8>> {
    let count = data.len().div_ceil(size);
    let piece = |(at, data): (usize, &[u8])| {
        let length = inflated(data).map_or_else(Vec::new, |length| length.to_le_bytes().to_vec());
        [&[op][..], &(data.len() as i16).to_le_bytes(), &[((at + 1) * 100 / count) as u8], &length, data].concat()
    };
    data.chunks(size).enumerate().map(piece).collect()
}

#[test]
fn nothing_personal_is_left_in_downloads() {
    let file = [b"// autoexec.cfg\n".repeat(3), secrets(), b"bind x \"+attack; wait\"\n".repeat(3)].concat();
    // so that a secret is in two pieces
    let at = file.windows(4).position(|window| window == b"98.7").unwrap() + 2;
    let downloads = pieces(&file, at, 16, |_| None);
    assert!(downloads.len() > 2 && !downloads.iter().any(|piece| piece.windows(11).any(|window| window == b"10.98.76.54")));
    let blocks: Vec<Vec<u8>> = downloads.iter().map(|piece| made::block(std::slice::from_ref(piece))).collect();
    let bytes = made::client(&[&[made::frame(1, -1, &[(3, 1)])][..], &blocks, &[made::frame(2, 1, &[])]].concat());
    let source = open(&bytes, "dm2");
    assert!(source.verify().damage.is_empty() && source.rewrite(&mut Idle).unwrap().bytes == bytes);
    let edited = source.rewrite(&mut Scrub).unwrap();
    assert_eq!(edited.bytes.len(), bytes.len());
    let mut left = Vec::new();
    let edited_recording = open(&edited.bytes, "dm2");
    edited_recording
        .map_messages(&mut |_, message| {
            if let Body::Download(Download { data, .. }) = &message.body {
                left.extend_from_slice(data);
            }
            Fate::Keep
        })
        .unwrap();
    assert_clean("download", &edited.bytes);
    assert_eq!((has_secret(&left), left.len()), (None, file.len()));
    assert!(
        left.starts_with(b"// autoexec.cfg\n") && left.ends_with(b"bind x \"+attack; wait\"\n") && left.windows(14).any(|window| window == b"rcon_password ")
    );
    // a file with nothing personal in it
    assert!(edited_recording.rewrite(&mut Scrub).unwrap().bytes == edited.bytes);
}

#[test]
fn nothing_personal_is_left_in_compressed_downloads() {
    let q2pro = ServerData { protocol: 36, servercount: 7, kind: 1, levelname: Text(b"Level".to_vec()), minor: 1022, ..ServerData::default() };
    let harmless: Vec<u8> = (0..300u32).flat_map(|n| format!("seta a{n} \"{}\"\n", n * n).into_bytes()).collect();
    for (name, file, damage) in [("personal", [&harmless[..], &secrets()].concat(), false), ("harmless", harmless.clone(), false), ("damaged", harmless, true)]
    {
        // R1Q2: each piece is a stream of its own; Q2PRO: all are one
        let each: Vec<Vec<u8>> = file.chunks(700).map(|part| deflate(part, false)).collect();
        let r1q2: Vec<Vec<u8>> = each.iter().zip(file.chunks(700)).map(|(data, part)| pieces(data, 9999, 22, |_| Some(part.len() as u16)).remove(0)).collect();
        let count = r1q2.len();
        let r1q2 = r1q2.into_iter().enumerate().map(|(at, mut piece)| {
            piece[3] = ((at + 1) * 100 / count) as u8;
            piece
        });
        for (dialect, data, mut pieces) in
            [("35", data_35(), r1q2.collect::<Vec<_>>()), ("36", q2pro.clone(), pieces(&deflate(&file, false), 300, 22, |_| None))]
        {
            if damage {
                let last = pieces.len() - 1;
                let at = pieces[last].len() / 2;
                pieces[last][at..].fill(0xff);
            }
            let bytes = recording(data, &[&[line()][..], &pieces, &[line()]].concat());
            let source = open(&bytes, "dm2");
            assert!(source.verify().damage.is_empty(), "{name} {dialect}: {:?}", source.verify().damage);
            assert!(source.rewrite(&mut Idle).unwrap().bytes == bytes, "{name} {dialect}");
            let edited = source.rewrite(&mut Scrub).unwrap();
            let goes = name != "harmless";
            assert_eq!(
                (edited.bytes == bytes, left_out(&edited.actions)),
                (!goes, if goes { pieces.len() } else { 0 }),
                "{name} {dialect}: {:?}",
                edited.actions
            );
            if goes {
                assert!(edited.bytes == recording_of_lines(&source), "{name} {dialect}");
                assert_clean(name, &edited.bytes);
            }
        }
    }
}

/// The recording without downloads.
fn recording_of_lines(source: &Recording<'_>) -> Vec<u8> {
    source.map_messages(&mut |_, message| if matches!(message.body, Body::ZDownload(_)) { Fate::Drop } else { Fate::Keep }).unwrap().bytes
}

/// The messages that a packet holds are not changed by who keeps them.
#[test]
fn a_packet_with_nothing_personal_stays() {
    let packet =
        Packed { contents: Contents::Messages(vec![Message::new(Body::Print(Print { level: 1, text: Text(b"it goes on\n".to_vec()) }))]), ..Packed::default() };
    let mut w = fragreel_base::wire::WriteBytes::default();
    let Ok(()) = Message::new(Body::ZPacket(Box::new(packet))).write(&mut w, &mut Context::new(data_35().dialect().unwrap()));
    let bytes = recording(data_35(), &[frame_35(1), w.finish(), frame_35(2)]);
    let edited = open(&bytes, "dm2").rewrite(&mut Scrub).unwrap();
    assert!(edited.bytes == bytes && edited.actions.is_empty(), "{:?}", edited.actions);
}
