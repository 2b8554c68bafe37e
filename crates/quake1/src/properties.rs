//! What holds for any bytes whatever: run by the fuzz targets and, over their seeds and mutations, by the tests.

use std::borrow::Cow;
use std::iter::repeat;

use fragreel_base::wire::{Limits, ReadBytes, Trace, WriteBytes};
use fragreel_model::replay::Events;
use fragreel_model::{Clock, DamageKind, Edited, Fate, Kind, Kinds, Milliseconds, Range, RoundTrip, Selection, Split, When};

use crate::Recording;
use crate::answers::info::{info, info_with_quiet};
use crate::container::{Block, Blocks, Container, Framing, Stamp, Target, header, kind, plausible_length, plausible_length_read, write_block};
use crate::dialect::{Dialect, Numbers, Stream};
use crate::events::EventPlayback;
use crate::message::hot_path::FastWriter;
use crate::message::{Message, MessageKind, Packet, body_of, code, code_packet};
use crate::text::{Compiler, Decompiler, data_to_text, text_to_data};
use crate::walk::decoder::{Decoder, Item};

const CONTAINERS: [Container; 3] = [Container::NetQuake, Container::QuakeWorld, Container::MultiView];

/// Blocks lie end to end, and writing them again gives the file as far as it is whole. Blocks that look like an engine's are found
/// without reading them as they are by reading.
pub fn container(bytes: &[u8]) {
    let limit = Limits::default().message_bytes;
    for container in CONTAINERS {
        for at in 0..bytes.len().min(1024) {
            let read = plausible_length_read(&bytes[at..], container, limit);
            assert_eq!(plausible_length(&bytes[at..], container, limit), read, "{container:?} at {at}");
        }
        let Ok(mut blocks) = Blocks::new(bytes, container, &Limits::default()) else { continue };
        let mut out = header(bytes).filter(|_| container == Container::NetQuake).unwrap_or_default().to_vec();
        let mut resumed = false;
        loop {
            match blocks.next() {
                Some(Ok(block)) => {
                    assert!(block.offset <= block.data_offset && block.end() <= bytes.len() as u64);
                    let before = out.len();
                    write_block(&mut out, container, &block.framing, block.data);
                    assert_eq!(&out[before..], &bytes[block.offset as usize..block.end() as usize]);
                    assert!(resumed || before as u64 == block.offset);
                }
                Some(Err(error)) => {
                    assert!(error.offset().is_some_and(|offset| offset <= bytes.len() as u64));
                    let Some((from, to)) = blocks.resume(|_| true) else { break };
                    assert!(from < to && to < bytes.len() as u64);
                    resumed = true;
                }
                None => break,
            }
        }
    }
}

/// Dialects that the first byte chooses from.
fn dialect(choice: u8) -> Dialect {
    const CHOICES: [(Stream, u32, u32, u32, u32, u32); 16] = [
        (Stream::NetQuake, 15, 0, 0, 0, 0),
        (Stream::NetQuake, 666, 0, 0, 0, 0),
        (Stream::NetQuake, 999, 0, 0, 0, 0x12),
        (Stream::NetQuake, 999, 0, 0, 0, 0x82),
        (Stream::NetQuake, 250, 0, 0, 0, 0),
        (Stream::NetQuake, 10002, 0, 0, 0, 0),
        (Stream::NetQuake, 666, 0x4000_0400, 0x7f, 0, 0),
        (Stream::NetQuake, 666, 0x4000_8400, 0x47f, 0, 0),
        (Stream::QuakeWorld, 28, 0, 0, 0, 0),
        (Stream::QuakeWorld, 28, 0xede8_7ddf, 0x17, 1, 0),
        (Stream::QuakeWorld, 28, 0xede8_fddf, 0x7f, 0, 0),
        (Stream::QuakeWorld, 28, 0, 0x28, 0, 0),
        (Stream::QuakeWorld, 25, 0, 0, 0, 0),
        (Stream::MultiView, 28, 0, 0, 0x20, 0),
        (Stream::MultiView, 28, 0x0148_7008, 0x12, 0x21, 0),
        (Stream::MultiView, 28, 0x8000, 0x6e, 0, 0),
    ];
    let (stream, protocol, pext1, pext2, mvd1, flags) = CHOICES[usize::from(choice) % CHOICES.len()];
    let mut dialect = Dialect::of(Numbers { stream, protocol, pext1, pext2, mvd1, flags });
    if choice >= 128 {
        dialect.turn_to_rerelease();
    }
    dialect
}

/// A packet that can be read comes out the same when written; tracing it and reading it into used buffers make no
/// difference.
pub fn message(bytes: &[u8]) {
    let Some((&choice, packet)) = bytes.split_first() else { return };
    let dialect = dialect(choice);
    let with_header = dialect.numbers.stream == Stream::QuakeWorld;
    let read = Packet::read(packet, &mut dialect.clone(), with_header);
    let mut traced = Packet::default();
    let mut trace = Trace::new(ReadBytes::new(packet));
    let same = code_packet(&mut trace, &mut Cow::Borrowed(&dialect), &mut traced, with_header);
    assert_eq!(read.as_ref().err(), same.as_ref().err(), "a trace fails where a reader fails");
    if let Ok(mut packet_read) = read {
        assert_eq!(packet_read, traced);
        assert_eq!(packet_read.write(&mut dialect.clone()), packet, "a packet comes out as it went in");
        used_buffers(&packet_read, &dialect);
        planned(&packet_read, &dialect, packet);
    }
}

/// Plans read what the coders read.
fn planned(packet: &Packet, dialect: &Dialect, bytes: &[u8]) {
    let container = container_of(dialect);
    let mut decoder = Decoder::new(container);
    decoder.dialect = std::sync::Arc::new(dialect.clone());
    let framing = match container {
        Container::NetQuake => Framing::NetQuake { angles: [crate::message::Float(0); 3] },
        _ => Framing::Packet { time: Stamp::After(0), target: Target { kind: kind::ALL, ..Target::default() } },
    };
    let block = Block { number: 0, offset: 0, data_offset: 0, framing, data: bytes, contradicted: false, late: false };
    let mut messages = packet.messages.iter();
    let result = decoder.decode(&block, |d, item, _| {
        if let Item::Message(read) = item {
            let (mut expected, mut read) = (messages.next().cloned().expect("as many messages"), read.clone());
            // buffers are reused: what a message does not say may be left over, so what counts is what it encodes to
            let encode = |message: &mut Message| {
                let mut w = WriteBytes::default();
                let Ok(()) = code(&mut w, d, message);
                w.finish()
            };
            let encoded = encode(&mut read);
            assert_eq!(encoded, encode(&mut expected));
            let mut w = WriteBytes::default();
            if FastWriter::new().write(&mut w, d, &read).is_some() {
                assert_eq!(w.written(), encoded);
            }
            if let (Message::FastUpdate(a), Message::FastUpdate(b)) = (&read, &expected) {
                assert_eq!((a.mask, a.entity, a.row), (b.mask, b.entity, b.row));
            }
            if matches!(read, Message::ViewPlayer(_) | Message::DeltaPacketEntities(_) | Message::PacketEntities(_)) {
                assert_eq!(read, expected);
            }
        }
    });
    if dialect.supported() {
        assert!(result.is_ok() && messages.next().is_none(), "{result:?}");
    }
}

/// Reading messages into buffers that held others gives the same.
fn used_buffers(packet: &Packet, dialect: &Dialect) {
    let mut slots: Vec<Message> = MessageKind::ALL.iter().map(|kind| kind.empty()).collect();
    for _ in 0..2 {
        let mut dialect = dialect.clone();
        for message in &packet.messages {
            let mut w = WriteBytes::default();
            let Ok(()) = code(&mut w, &dialect, &mut message.clone());
            let bytes = w.finish();
            let mut r = ReadBytes::new(&bytes[1..]);
            let slot = &mut slots[message.kind() as usize];
            // the end of a connection swallows its packet, so it is read as it was written
            let read = body_of(&mut r, &dialect, slot, u32::from(bytes[0]));
            assert!(read.is_ok(), "{}: {read:?}", message.name());
            let mut again = WriteBytes::default();
            let Ok(()) = code(&mut again, &dialect, slot);
            assert_eq!(again.finish(), bytes, "{} does not depend on what its buffers held", message.name());
            // edits state this one again, with a part changed
            if matches!(message, Message::ServerData(_)) {
                assert_eq!(slot, message);
            }
            message.apply_to_dialect(&mut dialect);
        }
    }
}

/// What is a recording comes out as it went in, whatever is wrong with it.
pub fn round_trip(bytes: &[u8]) {
    for extension in [None, Some("dem"), Some("qwd"), Some("mvd")] {
        let Ok(recording) = Recording::open(bytes, extension, Limits::default()) else { continue };
        let report = recording.verify();
        assert_ne!(report.round_trip, RoundTrip::Differs, "{:?}", report.first_difference);
        assert!(report.canonical_identical <= report.canonical_attempted);
        for damage in &report.damage {
            assert!(damage.offset <= bytes.len() as u64);
            assert!(damage.skipped.is_none_or(|skipped| skipped.from <= skipped.to && skipped.to <= bytes.len() as u64));
        }
    }
}

/// A recording comes back from its text, which is the same however the recording was cut into windows; so does a packet of
/// any dialect; and any bytes, and any text with a character changed, are refused or stand for something that comes back.
pub fn text_form(bytes: &[u8]) {
    let _ = fragreel_base::textform::compile(Compiler::new(), bytes);
    let Some((&choice, rest)) = bytes.split_first() else { return };
    for extension in [None, Some("dem"), Some("qwd"), Some("mvd")] {
        let open = || Decompiler::new(rest, extension, Limits::default());
        let (Ok(whole), Ok(windows)) = (open(), open()) else { continue };
        let text = fragreel_base::textform::decompile(whole, rest);
        assert!(fragreel_base::textform::compile(Compiler::new(), &text).as_deref() == Ok(rest), "what was taken apart is put together again");
        assert!(fragreel_base::textform::decompile_in_windows(windows, rest, repeat(usize::from(choice) * 16 + 1)) == text, "windows do not show");
    }
    packet_as_text(&dialect(choice), rest);
}

fn packet_as_text(dialect: &Dialect, packet: &[u8]) {
    const CHARACTERS: &[u8] = b"0123456789-.,:\"{}[]etr";
    let container = container_of(dialect);
    let text = data_to_text(container, dialect, packet);
    assert!(text_to_data(container, dialect, &text).as_deref() == Ok(packet), "a packet comes back from {}", String::from_utf8_lossy(&text));
    let mut seed = packet.iter().fold(0x811c_9dc5u32, |hash, byte| (hash ^ u32::from(*byte)).wrapping_mul(0x0100_0193));
    for _ in 0..16 {
        seed = seed.wrapping_mul(0x9e37_79b9).rotate_left(7) ^ 0x85eb_ca6b;
        let (mut changed, at) = (text.clone(), seed as usize % text.len());
        let character = CHARACTERS[(seed >> 24) as usize % CHARACTERS.len()];
        if seed & 1 == 0 {
            changed[at] = character;
        } else {
            changed.insert(at, character);
        }
        let Ok(data) = text_to_data(container, dialect, &changed) else { continue };
        let again = data_to_text(container, dialect, &data);
        assert!(text_to_data(container, dialect, &again).as_deref() == Ok(&data[..]), "{}", String::from_utf8_lossy(&again));
    }
}

fn container_of(dialect: &Dialect) -> Container {
    match dialect.numbers.stream {
        Stream::NetQuake => Container::NetQuake,
        Stream::QuakeWorld => Container::QuakeWorld,
        Stream::MultiView => Container::MultiView,
    }
}

/// Every question is answered, and events come in stream order.
pub fn events(bytes: &[u8]) {
    let Ok(recording) = Recording::open(bytes, None, Limits::default()) else { return };
    let _ = recording.info();
    let mut last = 0;
    recording.events(Kinds::ALL).for_each(|event| {
        assert!(event.message >= last, "events come in stream order");
        last = event.message;
    });
    for when in [When::Demo(Milliseconds(0)), When::Server(Milliseconds(5000)), When::Demo(Milliseconds(i64::MAX))] {
        let _ = recording.state_at(when);
    }
    for explained in recording.explain(Selection::All) {
        let mut at = 0;
        for part in &explained.parts {
            assert!(part.from_bit >= at && part.to_bit <= explained.length * 8, "parts follow each other");
            at = part.from_bit;
        }
    }
}

/// What a recording is and what happens in it do not depend on whether quiet blocks are passed over.
pub fn quiet(bytes: &[u8]) {
    const STATED: [Kind; 4] = [Kind::Level, Kind::Match, Kind::Statistics, Kind::Scores];
    let Ok(recording) = Recording::open(bytes, None, Limits::default()) else { return };
    let input = recording.input();
    assert_eq!(info(input), info_with_quiet(input));
    for kinds in [Kinds::ALL, STATED.into(), [Kind::Kill, Kind::Score, Kind::Round].into(), [Kind::Damage, Kind::Item].into(), Kinds::NONE] {
        let (mut passing, mut reading) = (Events::new(EventPlayback::new(input, kinds)), Events::new(EventPlayback::new(input, kinds).with_quiet()));
        for event in passing.by_ref() {
            assert_eq!(Some(event), reading.next());
        }
        assert_eq!((reading.next(), passing.end(), passing.damage()), (None, reading.end(), reading.damage()));
    }
}

/// A decoder survives any order of blocks: what was learned in one is no harm in another.
pub fn blocks(bytes: &[u8]) {
    for container in CONTAINERS {
        let Ok(blocks) = Blocks::new(bytes, container, &Limits::default()) else { continue };
        let blocks: Vec<_> = blocks.map_while(Result::ok).take(64).collect();
        let mut decoder = Decoder::new(container);
        for block in blocks.iter().rev().chain(&blocks) {
            let _ = decoder.decode(block, |_, _, _| {});
        }
    }
}

/// What is made of any bytes: a repaired file is whole and needs no repair; parts and conversions of it are whole.
pub fn edit(bytes: &[u8]) {
    let Ok(source) = Recording::open(bytes, None, Limits::default()) else { return };
    let repaired = source.repair().unwrap_or_else(|error| panic!("a repair: {error}"));
    let Some(whole) = whole(&repaired) else { return };
    let again = whole.repair().unwrap_or_else(|error| panic!("a second repair: {error}"));
    assert!(again.bytes == repaired.bytes, "a repaired recording needs no repair: {:?}", again.actions);
    let comparison = source.compare(&whole);
    assert!(comparison.differing == 0, "a repaired recording shows what was sound: {:?}", comparison.differences);
    let report = source.verify();
    let for_repair = |kind| matches!(kind, DamageKind::NoEndMarker | DamageKind::Compatibility);
    let mentioned = !report.is_whole() || report.notes.iter().any(|note| for_repair(note.kind));
    assert!(mentioned || repaired.bytes == bytes, "repair changes what verify does not mention: {:?}", repaired.actions);
    let length = whole.info().duration.unwrap_or_default().0.max(1);
    for (from, to) in [(0, length), (length / 3, length / 2), (length / 2, i64::MAX)] {
        let range = Range { clock: Clock::Demo, from: Milliseconds(from), to: Milliseconds(to) };
        let Ok(cut) = whole.cut(range) else { continue };
        if let Some(part) = self::whole(&cut) {
            // that nothing differs holds for what engines write: a damaged signon may say things in an order that they never do
            let comparison = whole.compare(&part);
            assert!(comparison.differences.len() <= 10 && (comparison.differing == 0) == comparison.differences.is_empty());
            let itself = part.compare(&part);
            assert!(itself.differing == 0, "a recording differs from itself: {:?}", itself.differences);
        }
    }
    if let Ok(parts) = whole.split(Split::Gamestate) {
        let parts: Vec<Recording<'_>> = parts.iter().filter_map(self::whole).collect();
        if let Ok(joined) = Recording::join(&parts.iter().collect::<Vec<_>>()) {
            let _ = self::whole(&joined);
        }
    }
    for format in [None, Some("mvd"), Some("qwd"), Some("dem 15"), Some("dem 999")] {
        let target = fragreel_model::Target { format: format.map(str::to_owned), pov: Some(String::from("0")) };
        if let Ok(converted) = whole.convert(&target) {
            let _ = self::whole(&converted);
        }
    }
    let same = whole.map_messages(&mut |_, _| Fate::Keep);
    assert!(same.bytes == repaired.bytes, "nothing was changed");
}

/// What was made, which must be whole; `None` when nothing in it says what it is.
fn whole(edited: &Edited) -> Option<Recording<'_>> {
    let recording = Recording::open(&edited.bytes, Some(&edited.extension), Limits::default()).ok()?;
    let report = recording.verify();
    assert!(report.damage.is_empty() && report.round_trip != RoundTrip::Differs, "{:?} {:?}", report.damage.first(), report.first_difference);
    Some(recording)
}
