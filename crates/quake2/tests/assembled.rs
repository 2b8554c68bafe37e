//! Bytes put together by hand from the format document, for what no recording of the corpus holds.

use fragreel_base::wire::{Limits, WriteBytes};
use fragreel_model::{EventKind, Kinds, Milliseconds, RoundTrip, When};
use fragreel_quake2::Recording;
use fragreel_quake2::dialect::{Announced, Dialect, RecordingKind};
use fragreel_quake2::fields::{entity, player};
use fragreel_quake2::message::{Body, Context, Message, Reader};
use fragreel_quake2::state::{Detail, Effect, State};

fn classic(protocol: u32) -> Dialect {
    Dialect::of(protocol, RecordingKind::CLIENT, Announced::default()).unwrap()
}

/// Reads one message that fills the bytes, and checks that it is written again the same.
fn one(dialect: Dialect, bytes: &[u8]) -> Message {
    let mut found = Vec::new();
    Reader::new(dialect)
        .block(bytes, |message, range, _| {
            assert_eq!(range, 0..bytes.len(), "{message:?}");
            found.push(message.clone());
            true
        })
        .unwrap_or_else(|failure| panic!("{bytes:x?}: {}", failure.error));
    let mut w = WriteBytes::default();
    let Ok(()) = found[0].write(&mut w, &mut Context::new(dialect));
    assert_eq!(w.written(), bytes);
    found.remove(0)
}

/// Payload lengths by type: P 6, D 1, byte 1, short 2, long 4. From the engine's reading routines, not from our table.
const TEMP_ENTITIES: &[(&[u8], usize)] = &[
    (&[5, 6, 7, 8, 17, 18, 20, 21, 22, 28, 35, 45, 47, 48, 49, 51, 52, 53, 54], 6),
    (&[0, 1, 2, 4, 9, 12, 13, 14, 26, 30, 42, 43, 44, 46, 55], 7),
    (&[3, 11, 23, 27, 31, 34, 41], 12),
    (&[10, 15, 25, 29], 9),
    (&[16, 19, 38, 39], 14),
    (&[24], 20),
    (&[33], 16),
    (&[36], 8),
    (&[37], 13),
    (&[50], 8),
    (&[32], 40),
];

#[test]
fn every_temporary_entity_has_its_length() {
    let mut seen = 0;
    for &(kinds, length) in TEMP_ENTITIES {
        for &kind in kinds {
            let mut bytes = vec![3, kind];
            bytes.extend((0..length).map(|at| at as u8 + 1));
            one(classic(34), &bytes);
            seen += 1;
        }
    }
    // Steam: a sustained one has a time, an instant one has not.
    one(classic(34), &[3, 40, 5, 0, 3, 1, 0, 2, 0, 3, 0, 4, 7, 6, 0, 10, 0, 0, 0]);
    one(classic(34), &[3, 40, 0xff, 0xff, 3, 1, 0, 2, 0, 3, 0, 4, 7, 6, 0]);
    assert_eq!(seen + 1, 56);
}

#[test]
fn two_temporary_entities_changed_places_at_protocol_32() {
    let (line, impact) = ([0u8; 12], [0u8; 7]);
    for (protocol, kind, payload) in [(31, 26, &line[..]), (31, 27, &impact[..]), (32, 26, &impact[..]), (32, 27, &line[..])] {
        let bytes = [&[3, kind][..], payload].concat();
        let Body::TempEntity(entity) = one(classic(protocol), &bytes).body else { panic!() };
        assert_eq!(entity.kind, kind);
    }
}

/// Bytes that each mask bit announces by itself in protocol 34.
const BIT_LENGTHS: [usize; 28] = [2, 2, 1, 1, 1, 1, 0, 0, 0, 2, 1, 1, 1, 0, 1, 0, 1, 2, 2, 2, 1, 1, 1, 0, 6, 2, 1, 2];

#[test]
fn every_combination_of_mask_bits_is_read() {
    use entity::*;
    let mut seed = 7u64;
    for round in 0..30_000 {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        // All pairs first, then anything.
        let mask = if round < 784 { 1 << (round / 28) | 1 << (round % 28) } else { seed >> 36 & 0xfff_ffff };
        let mask = (mask & !U_REMOVE) | (seed >> 40 & 0xf) << 28;
        let mask = mask | U_MOREBITS1 | U_MOREBITS2 | U_MOREBITS3;
        let both: u64 = [(16, 25), (14, 19), (12, 18)].iter().map(|&(a, b)| mask >> a & mask >> b & 1).sum();
        let fields: usize = (0..28).filter(|bit| mask >> bit & 1 != 0).map(|bit| BIT_LENGTHS[bit]).sum::<usize>() + both as usize;
        let mut bytes = vec![18];
        bytes.extend_from_slice(&(mask as u32).to_le_bytes());
        bytes.push(5);
        bytes.extend(std::iter::repeat_n(0, usize::from(mask & U_NUMBER16 != 0)));
        bytes.extend((0..fields).map(|at| (seed >> (at % 50)) as u8));
        bytes.extend([0, 0]);
        let Body::PacketEntities(list) = one(classic(34), &bytes).body else { panic!() };
        assert_eq!((list.deltas.len(), list.deltas[0].mask), (1, mask));
    }
}

#[test]
fn spellings_survive() {
    // A redundant second mask byte, an entity below 256 with a number of 16 bits, an end with a mask, both frame widths.
    let Body::PacketEntities(list) = one(classic(34), &[18, 0x80, 0x01, 9, 0, 0x90, 0x80, 0x02, 4, 7, 0x34, 0x12, 0x80, 0x00, 0]).body else { panic!() };
    assert_eq!((list.deltas[0].number, list.deltas[1].number, list.end_mask), (9, 4, 0x80));
    assert_eq!((list.deltas[1].row[entity::FRAME], list.deltas[1].row[entity::FRAME16]), (7, 0x1234));
    // A removal is followed by nothing, whatever else its mask says.
    let Body::PacketEntities(list) = one(classic(34), &[18, 0x41, 6, 0, 0]).body else { panic!() };
    assert!(list.deltas[0].removes());
}

fn block(data: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    fragreel_quake2::container::dm2::write_block(&mut out, data);
    out
}

fn server_data(protocol: i32, kind: u8, end: &[u8]) -> Vec<u8> {
    let mut out = vec![12];
    out.extend(protocol.to_le_bytes());
    out.extend(1i32.to_le_bytes());
    out.push(kind);
    out.extend(b"\0\0\0title\0");
    out.extend(end);
    out.extend(b"\x0d\x21\0maps/x.bsp\0");
    out
}

fn open(bytes: &[u8]) -> Recording<'_> {
    Recording::open(bytes, Some("dm2"), Limits::default()).unwrap()
}

fn whole(bytes: &[u8], dialect: &str) {
    let report = open(bytes).verify();
    assert_eq!(report.round_trip, RoundTrip::Identical, "{:?}", report.first_difference);
    assert!(report.damage.is_empty(), "{:?}", report.damage);
    assert_eq!(report.dialect, dialect);
}

/// Deflate without compression, so that the bytes can be put together by hand.
fn stored(data: &[u8]) -> Vec<u8> {
    let length = data.len() as u16;
    let mut out = vec![1];
    out.extend(length.to_le_bytes());
    out.extend((!length).to_le_bytes());
    out.extend_from_slice(data);
    out
}

#[test]
fn r1q2_and_q2pro_streams_are_read() {
    let inner = b"\x0a\x02zip\n\0";
    let compressed = stored(inner);
    let mut zpacket = vec![21];
    zpacket.extend((compressed.len() as u16).to_le_bytes());
    zpacket.extend((inner.len() as u16).to_le_bytes());
    zpacket.extend(&compressed);
    // Frame 5 without a delta base (31), extra flags 0x28 (origin z, stats) spread over number and header; no areas; mask:
    // origin; x, y, z; one stat; an entity with short angles (Q2PRO) or not; the end.
    let frame = |entity: &[u8]| {
        let mut out = vec![20 | 2 << 5];
        out.extend((5u32 | 31 << 27).to_le_bytes());
        out.extend([0x80, 0, 2, 0, 1, 0, 2, 0, 3, 0, 1, 0, 0, 0, 9, 0]);
        out.extend(entity);
        out.extend([0, 0]);
        out
    };
    for (protocol, end, entity, dialect) in [
        (35, &b"\0\x71\x07\0\0"[..], &[0x84, 0x80, 0x80, 0x08, 7, 0x40, 1, 2, 3, 4][..], "35 (1905)"),
        (35, &b"\0\x6f\x07\0\0"[..], &[0x84, 0x80, 0x80, 0x08, 7, 0x40, 1, 2][..], "35 (1903)"),
        (36, &b"\xff\x03\x02\0\0\0"[..], &[0x84, 0xa0, 0x80, 0x08, 7, 0x34, 0x12, 1, 2, 3, 4][..], "36 (1023)"),
    ] {
        let bytes = [block(&server_data(protocol, 1, end)), block(&zpacket), block(&frame(entity)), vec![0xff; 4]].concat();
        whole(&bytes, dialect);
        let moment = open(&bytes).state_at(When::Demo(Milliseconds(0))).unwrap();
        let players = &moment.sections.iter().find(|section| section.name == "players").unwrap().records;
        assert_eq!(players[0].find("origin").unwrap().to_string(), "0.125 0.25 0.375");
        let mut prints = 0;
        open(&bytes).events(Kinds::ALL).for_each(|event| prints += usize::from(matches!(event.kind, EventKind::Print { .. })));
        assert_eq!(prints, 1, "the print is inside the compressed packet");
    }
}

#[test]
fn a_compressed_packet_is_compressed_anew_when_edited() {
    let dialect = Dialect::of(36, RecordingKind::CLIENT, Announced { minor: 1023, ..Announced::default() }).unwrap();
    let compressed = stored(b"\x0a\x02zip\n\0");
    let bytes = [&[21, compressed.len() as u8, 0, 7, 0][..], &compressed].concat();
    let mut message = one(dialect, &bytes);
    let Body::ZPacket(packed) = &mut message.body else { panic!() };
    let fragreel_quake2::message::Contents::Messages(messages) = &mut packed.contents else { panic!("{:?}", packed.failure) };
    messages.push(Message::new(Body::Nop));
    let mut w = WriteBytes::default();
    let Ok(()) = message.write(&mut w, &mut Context::new(dialect));
    let again = one(dialect, w.written());
    assert_eq!(again.body.inner().len(), 2);
}

#[test]
fn rerelease_origins_follow_solidity() {
    let dialect = Dialect::of(2022, RecordingKind::CLIENT, Announced { rate: 40, ..Announced::default() }).unwrap();
    // Entity 1: not solid: x in eighths. Then solid (a long) and x as a float. Then x as a float again, solid before.
    let mut bytes = vec![18, 0x01, 1, 8, 0];
    bytes.extend([0x81, 0x80, 0x80, 0x08, 2, 31, 0, 0, 0]);
    bytes.extend(1.5f32.to_le_bytes());
    bytes.extend([0, 0]);
    let Body::PacketEntities(list) = one(dialect, &bytes).body else { panic!() };
    assert_eq!((list.deltas[0].row[entity::ORIGIN_X], f32::from_bits(list.deltas[1].row[entity::ORIGIN_X])), (8, 1.5));
    let mut reader = Reader::new(dialect);
    reader.block(&bytes, |_, _, _| true).unwrap();
    let mut next = vec![18, 0x01, 2];
    next.extend(2.5f32.to_le_bytes());
    next.extend([0, 0]);
    reader
        .block(&next, |message, _, _| {
            let Body::PacketEntities(list) = &message.body else { panic!() };
            assert_eq!(f32::from_bits(list.deltas[0].row[entity::ORIGIN_X]), 2.5);
            true
        })
        .unwrap();
}

#[test]
fn extended_coordinates_are_differences_or_absolute() {
    let dialect = classic(3436);
    let mut state = State::new(dialect, Detail::Full, false);
    // Frame 1: x absolute (100 eighths), a loop sound with a volume. Frame 2: x 4 less.
    let frames: [&[u8]; 2] = [
        &[20, 1, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 0, 0, 17, 0, 0, 0, 18, 0x81, 0x80, 0x80, 0x04, 7, 201, 0, 0, 5, 0x40, 99, 0, 0],
        &[20, 2, 0, 0, 0, 1, 0, 0, 0, 0, 0, 17, 0, 0, 0, 18, 0x01, 7, 0xf8, 0xff, 0, 0],
    ];
    let mut reader = Reader::new(dialect);
    let mut found = Vec::new();
    for bytes in frames {
        reader
            .block(bytes, |message, _, _| {
                if state.apply(message) == Effect::Frame {
                    state.entities(|number, row| found.push((number, row[entity::ORIGIN_X] as i32, row[entity::SOUND], row[entity::LOOP_VOLUME])));
                }
                true
            })
            .unwrap();
    }
    assert_eq!(found, [(7, 100, 5, 99), (7, 96, 5, 99)]);
}

#[test]
fn sixteen_bits_are_signed_in_one_line_and_not_in_the_other() {
    // skin 0x8001 in 16 bits.
    let bytes = [18, 0x80, 0x80, 0x80, 0x02, 7, 0x01, 0x80, 0, 0];
    for (dialect, skin) in [(classic(34), -0x7fff), (classic(3434), 0x8001)] {
        let Body::PacketEntities(list) = one(dialect, &bytes).body else { panic!() };
        let row = fragreel_quake2::state::apply_entity(&dialect, &[0; entity::SLOTS], &list.deltas[0]);
        assert_eq!(row[entity::SKINNUM] as i32, skin);
    }
}

#[test]
fn a_missing_base_is_damage_and_ends_nothing() {
    let frame = |number: u8, base: i8| {
        let mut out = vec![20, number, 0, 0, 0];
        out.extend(i32::from(base).to_le_bytes());
        out.extend([0, 0, 17, 0, 0, 0, 0, 0, 0, 18, 0x01, 7, number, 0, 0, 0]);
        out
    };
    let bytes = [block(&server_data(34, 1, b"")), block(&frame(1, -1)), block(&frame(40, 30)), block(&frame(41, 40)), vec![0xff; 4]].concat();
    let report = open(&bytes).verify();
    assert_eq!(report.damage.iter().map(|damage| damage.kind).collect::<Vec<_>>(), [fragreel_model::DamageKind::MissingBase]);
    assert_eq!(report.round_trip, RoundTrip::Identical);
    assert!(report.damage[0].detail.contains("1 more frames"), "the frame after it builds on it: {:?}", report.damage);
    let moment = open(&bytes).state_at(When::Demo(Milliseconds(9000))).unwrap();
    assert_eq!(moment.time.0, 4000, "it is read on from the last frame");
}

#[test]
fn a_cut_recording_yields_its_whole_frames() {
    for sample in fragreel_testkit::samples("quake2").into_iter().filter(|sample| sample.name.ends_with("yq2dm_Alice.dm2")) {
        let bytes = sample.bytes();
        let whole = open(&bytes).info().snapshots;
        let mut last = 0;
        for cut in (100..bytes.len()).step_by(9973) {
            let cut = &bytes[..cut];
            let blocks = fragreel_quake2::container::dm2::Blocks::new(cut).count() as u64;
            let report = open(cut).verify();
            assert_eq!((report.messages, report.round_trip), (blocks, RoundTrip::Identical));
            assert!(!report.is_whole() && report.snapshots >= last && report.snapshots <= whole);
            last = report.snapshots;
        }
        assert!(last > 600, "{last}");
    }
}

#[test]
fn damage_inside_a_recording_costs_only_what_it_hits() {
    for sample in fragreel_testkit::samples("quake2").into_iter().filter(|sample| sample.name.ends_with("yq2dm_Alice.dm2")) {
        let whole = sample.bytes();
        let blocks: Vec<_> = fragreel_quake2::container::dm2::Blocks::new(&whole).map(|block| block.offset as usize).collect();
        let mut bytes = whole.clone();
        bytes[blocks[300]..blocks[300] + 4].copy_from_slice(&0x7fff_0000u32.to_le_bytes());
        let report = open(&bytes).verify();
        assert_eq!(report.damage[0].kind, fragreel_model::DamageKind::Framing);
        let skipped = report.damage[0].skipped.unwrap();
        assert_eq!((skipped.from as usize, skipped.to as usize), (blocks[300], blocks[301]));
        assert_eq!((report.messages as usize, report.round_trip), (blocks.len() - 1, RoundTrip::Identical));
        // A wrong message number inside a block: the rest of that block is passed over.
        let mut bytes = whole.clone();
        bytes[blocks[300] + 4] = 0x7f;
        let report = open(&bytes).verify();
        assert_eq!((report.damage[0].kind, report.opaque, report.messages as usize), (fragreel_model::DamageKind::Message, 1, blocks.len()));
        assert_eq!(report.round_trip, RoundTrip::Identical);
    }
}

#[test]
fn what_stock_engines_choke_on_is_named() {
    let first = [20, 1, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 0, 0];
    let rest = [18, 0, 0];
    let frame = |player: &[u8]| [&first[..], player, &rest[..]].concat();
    let long = [vec![11], vec![b'x'; 1500], vec![0]].concat();
    let cases: [(Vec<u8>, &str); 6] = [
        (block(b""), "without data"),
        (block(&long), "longer than every engine"),
        (block(&frame(&[17, 0, 8, 0, 0, 0, 0, 0])), "field of view of 0"),
        (block(b"\x0bcmd configstrings 1 2\n\0"), "leftover of the handshake"),
        (block(b"\x08"), "ends playback"),
        (block(b"\x10\xff\xff\0"), "an unrequested download"),
    ];
    for (bytes, words) in cases {
        let recording = [block(&server_data(34, 1, b"")), bytes, vec![0xff; 4]].concat();
        let report = open(&recording).verify();
        assert!(report.is_whole(), "{words}: {:?}", report.damage);
        let remark = report.notes.iter().find(|note| note.detail.contains(words)).unwrap_or_else(|| panic!("{words}: {:?}", report.notes));
        assert!(remark.detail.contains("`repair`") || words == "field of view of 0", "{remark:?}");
    }
    let sound = [block(&server_data(34, 1, b"")), vec![0xff; 4]].concat();
    assert!(open(&sound).verify().notes.is_empty());
    for (bytes, kind) in [
        ([&sound[..], b"tail"].concat(), fragreel_model::DamageKind::TrailingData),
        (sound[..sound.len() - 4].to_vec(), fragreel_model::DamageKind::NoEndMarker),
        (sound[..sound.len() - 6].to_vec(), fragreel_model::DamageKind::Truncated),
    ] {
        let damage = open(&bytes).verify().damage;
        assert_eq!(damage.iter().map(|damage| damage.kind).collect::<Vec<_>>(), [kind]);
    }
}

#[test]
fn relay_players_have_states_of_their_own() {
    // Frame 1: two clients connected; each gets a player state; frame 2 has it as its delta base.
    let player = |client: u8, x: u8| [0x91, client, 2, 0, x, 0, 0, 0, 0, 0, 0, 0, 0, 0];
    let mut first = vec![20, 1, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 0, 0, 2, 0, 1];
    first.extend(player(0, 8));
    first.extend(player(1, 16));
    first.extend([18, 0, 0]);
    let mut second = vec![20, 2, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1, 1];
    second.extend([0x91, 1, 0, 0, 0, 0, 0, 0, 18, 0, 0]);
    let bytes = [block(&server_data(34, 0x80, b"")), block(&first), block(&second), vec![0xff; 4]].concat();
    whole(&bytes, "34");
    let moment = open(&bytes).state_at(When::Demo(Milliseconds(100))).unwrap();
    let players = &moment.sections.iter().find(|section| section.name == "players").unwrap().records;
    assert_eq!(players.len(), 1);
    assert_eq!(players[0].find("origin").unwrap().to_string(), "2 0 0");
    assert_eq!(player::NAMES[player::ORIGIN_X], "origin_x");
}

#[test]
fn a_server_recording_without_serverdata_is_recognized() {
    let frame = |number: u8| vec![20, number, 0, 0, 0, 18, 0x80, 0x88, 0x80, 0x01, 1, 3, 1, 0, 2, 0, 3, 0, 0, 0];
    let bytes = [block(b"\x0d\x21\0maps/x.bsp\0"), block(&frame(7)), block(&frame(8))].concat();
    let recording = open(&bytes);
    assert_eq!((recording.info().recording, recording.info().snapshots), (String::from("server"), 2));
    assert!(recording.verify().is_whole());
}

#[test]
fn the_test_release_is_recognized_and_its_strings_listed() {
    let Some(sample) = fragreel_testkit::corpus("quake2").into_iter().find(|sample| sample.name.contains("jburnhams")) else { return };
    let bytes = sample.bytes();
    let recording = open(&bytes);
    let info = recording.info();
    assert_eq!((info.dialect.as_str(), info.maps.as_slice()), ("25", &[String::from("demo3")][..]));
    assert!(info.damage.iter().all(|damage| damage.kind == fragreel_model::DamageKind::Unsupported));
    assert_eq!(info.server_settings.get("level").map(String::as_str), Some("Comm Center"));
}
