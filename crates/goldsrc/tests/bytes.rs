//! Messages written out by hand from the format document: bytes in, tree out, the same bytes out.

use fragreel_base::wire::{ReadBits, Wire, WriteBits};
use fragreel_goldsrc::message::*;
use fragreel_goldsrc::{Context, Coord, Dialect, Str};

fn context() -> Context {
    Context::new(Dialect::new(5, 48).unwrap().messages.unwrap())
}

/// Reads one message, checks that it takes all bytes and is written back as it was.
fn there_and_back(context: &Context, bytes: &[u8]) -> Message {
    let (mut message, mut pool) = (Message::default(), Pool::default());
    let mut reader = ReadBits::new(bytes);
    code(&mut reader, context, &mut message, &mut pool).unwrap_or_else(|error| panic!("{bytes:02x?}: {error}"));
    assert!(!reader.more(true), "{message:?} leaves bytes of {bytes:02x?}");
    let mut writer = WriteBits::default();
    let Ok(()) = code(&mut writer, context, &mut message, &mut pool);
    assert_eq!(writer.finish(), bytes, "{message:?}");
    message
}

fn refused(context: &Context, bytes: &[u8]) -> String {
    let mut message = Message::default();
    let error = code(&mut ReadBits::new(bytes), context, &mut message, &mut Pool::default()).unwrap_err();
    error.detail().to_owned()
}

/// Bits as the stream has them, first bit first, eight to a byte.
fn bits(head: &[u8], text: &str) -> Vec<u8> {
    let bits: Vec<u8> = text.bytes().filter(|byte| matches!(byte, b'0' | b'1')).map(|byte| byte - b'0').collect();
    let packed = bits.chunks(8).map(|chunk| chunk.iter().enumerate().fold(0, |byte, (at, bit)| byte | bit << at));
    head.iter().copied().chain(packed).collect()
}

#[test]
fn every_number_has_its_message() {
    let context = context();
    // the fixed lengths of the document's table, after the number
    let fixed = [
        (1, 0),
        (4, 4),
        (5, 2),
        (7, 4),
        (10, 6),
        (16, 2),
        (18, 11),
        (19, 0),
        (24, 1),
        (25, 1),
        (27, 0),
        (28, 0),
        (29, 14),
        (30, 0),
        (32, 2),
        (35, 2),
        (37, 2),
        (38, 2),
        (39, 18),
        (42, 0),
        (45, 8),
        (47, 2),
        (48, 4),
        (55, 4),
    ];
    for (id, length) in fixed {
        let mut bytes = vec![id];
        bytes.extend((0..length).map(|at| at as u8 + 1));
        assert_eq!(there_and_back(&context, &bytes).id(), id);
        if length > 0 {
            bytes.pop();
            assert_eq!(refused(&context, &bytes), "the message ends inside this field");
        }
    }
    for (id, rest) in [(2, &b"bye\0"[..]), (8, b"x\0"), (9, b"\0"), (26, b"c\0"), (31, b"f\0"), (34, b"c\0"), (49, b"f\0"), (56, b"u\0"), (57, b"v\0")] {
        let bytes: Vec<u8> = std::iter::once(id).chain(rest.iter().copied()).collect();
        assert_eq!(there_and_back(&context, &bytes).id(), id);
    }
    for rest in [
        &b"\x0c\x05abc\0"[..],
        b"\x24\x05abc\0",
        b"\x21save\0\x02a\0b\0",
        b"\x34voice_speex\0\x05",
        b"\x35\x01\x03\0abc",
        b"\x36valve\0\x01",
        b"\x3a\x01\0\0\0v\0",
        b"\x3b\x01\x07",
        b"\x3b\x02",
        b"\x32\x00",
        b"\x32\x01abcdefghij",
        b"\x32\x02abcdefgh",
    ] {
        there_and_back(&context, rest);
    }
    for id in [0, 60, 61, 62, 63] {
        assert!(!refused(&context, &[id]).is_empty());
    }
    assert_eq!(refused(&context, &[64, 0]), "the stream has not announced this user message");
    assert_eq!(refused(&context, &[50, 3]), "HLTV has modes 0 to 2");
}

#[test]
fn user_messages_follow_their_announcement() {
    let mut context = context();
    let announce = |number: u8, size: i8, name: &[u8]| {
        let mut bytes = vec![39, number, size as u8];
        bytes.extend_from_slice(name);
        bytes.resize(19, 0);
        bytes
    };
    for bytes in [announce(70, 3, b"CurWeapon"), announce(83, -1, b"DeathMsg"), announce(70, 2, b"Other")] {
        let message = there_and_back(&context, &bytes);
        context.observe(&message).unwrap();
    }
    // announced twice: the last counts
    assert_eq!(there_and_back(&context, &[70, 1, 2]), Message::User(UserMessage { id: 70, data: vec![1, 2] }));
    assert_eq!(there_and_back(&context, b"\x53\x05\x01\x02\x01ak"), Message::User(UserMessage { id: 83, data: b"\x01\x02\x01ak".to_vec() }));
}

#[test]
fn sounds_in_bits() {
    // flags 0b000001001: volume and pitch; volume 255; channel 2; entity 33; sound 7; x = -100.5, no y, z = 0.125; pitch 95
    let bytes = bits(&[6], "100100000 11111111 010 10000100000 11100000 101 1 1 1 001001100000 001 0 1 0 100 11111010");
    let Message::Sound(sound) = there_and_back(&context(), &bytes) else { panic!() };
    assert_eq!((sound.flags, sound.volume, sound.attenuation, sound.channel, sound.entity, sound.sound, sound.pitch), (9, Some(255), None, 2, 33, 7, Some(95)));
    assert_eq!(sound.origin.map(|axis| axis.map(BitCoord::units)), [Some(-100.5), None, Some(0.125)]);
}

#[test]
fn pings_are_five_twelve_and_seven_bits() {
    let bytes = bits(&[17], "1 11000 001011000000 1010000 0");
    let Message::Pings(pings) = there_and_back(&context(), &bytes) else { panic!() };
    assert_eq!(pings.pings, [Ping { slot: 3, ping: 52, loss: 5 }]);
}

#[test]
fn padding_is_kept() {
    let bytes = bits(&[17], "0 1010101");
    let Message::Pings(pings) = there_and_back(&context(), &bytes) else { panic!() };
    assert_eq!(pings.padding, 0b101_0101);
}

#[test]
fn fire_fields_have_thirteen_bytes() {
    let bytes = [23, 123, 8, 0, 16, 0, 0xf8, 0xff, 100, 0, 5, 0, 9, 1, 30];
    let Message::TempEntity(fire) = there_and_back(&context(), &bytes) else { panic!() };
    let shape = TempEntityShape::of(fire.kind).unwrap();
    let shown: Vec<_> = shape.fields.iter().zip(&fire.values).map(|((name, kind), word)| format!("{name} {}", kind.show(*word))).collect();
    assert_eq!(shown, ["x 1", "y 2", "z -1", "radius 100", "model 5", "count 9", "flags 1", "duration 30"]);
}

#[test]
fn fields_that_depend_on_others() {
    let context = context();
    let decal = |entity: &[u8]| [&[23, 13, 0, 0, 0, 0, 0, 0, 1, 0][..], entity].concat();
    there_and_back(&context, &decal(&[0, 0]));
    there_and_back(&context, &decal(&[5, 0, 9, 0]));
    let text = |effect: u8, tail: &[u8]| [&[23, 29, 1, 0, 0, 0, 0, effect, 1, 2, 3, 4, 5, 6, 7, 8, 0, 1, 0, 1, 0, 1][..], tail].concat();
    there_and_back(&context, &text(0, b"hi\0"));
    let Message::TempEntity(message) = there_and_back(&context, &text(2, b"\x10\x00hi\0")) else { panic!() };
    assert_eq!((message.text, message.values.last()), (Str(b"hi".to_vec()), Some(&16)));
    for kind in [16, 26, 32, 98, 128] {
        assert_eq!(refused(&context, &[23, kind]), "there is no temporary entity of this number");
    }
    for shape in TempEntityShape::all().iter().filter(|shape| ![13, 29].contains(&shape.kind)) {
        let length: usize = shape.fields.iter().map(|(_, kind)| kind.bytes()).sum();
        let bytes: Vec<u8> = [23, shape.kind].into_iter().chain((0..length).map(|at| at as u8)).collect();
        there_and_back(&context, &bytes);
    }
}

#[test]
fn static_entities_have_seventeen_bytes_and_five_more() {
    let context = context();
    let fixed: Vec<u8> = (1..=17).collect();
    let plain: Vec<u8> = [&[20][..], &fixed, &[0]].concat();
    let mut short = plain.clone();
    short.remove(1);
    let Message::SpawnStatic(entity) = there_and_back(&context, &short) else { panic!() };
    assert_eq!(entity.render, None);
    short[17] = 2;
    short.extend([255, 1, 2, 3, 4]);
    let Message::SpawnStatic(entity) = there_and_back(&context, &short) else { panic!() };
    assert_eq!(entity.render.unwrap().color, [1, 2, 3]);
}

#[test]
fn directors_fill_their_length() {
    let context = context();
    let Message::Director(event) = there_and_back(&context, &[51, 9, 2, 1, 0, 2, 0, 3, 0, 0, 0]) else { panic!() };
    assert_eq!((event.name(), &event.values[..]), ("event", &[1, 2, 3][..]));
    let Message::Director(sound) = there_and_back(&context, b"\x33\x08\x07ab\0\0\0\x80\x3f") else { panic!() };
    assert_eq!((sound.name(), sound.rest.len()), ("sound", 7));
    // too short for its fields, and of no known number: kept as they are
    there_and_back(&context, &[51, 2, 4, 9]);
    there_and_back(&context, &[51, 2, 99, 9]);
    there_and_back(&context, &[51, 0]);
}

#[test]
fn server_infos_with_and_without_a_security_module() {
    let head = [&[11][..], &48i32.to_le_bytes(), &[1, 0, 0, 0], &[9; 4], &[7; 16], &[32, 3, 1], b"valve\0host\0maps/a.bsp\0a\nb\n\0"].concat();
    let Message::ServerInfo(info) = there_and_back(&context(), &[&head[..], &[0]].concat()) else { panic!() };
    assert_eq!((info.max_clients, info.player_number, info.protocol), (32, 3, 48));
    let with = [&head[..], &[1, 4], &[5; 20]].concat();
    let Message::ServerInfo(info) = there_and_back(&context(), &with) else { panic!() };
    assert!(matches!(info.tail, ServerInfoTail::MapCycle { vac: 1, ref block, .. } if block.len() == 21));
}

#[test]
fn deltas_keep_masks_and_negative_zero() {
    let mut context = context();
    // entity_state_t with one signed field of five bits
    let description = bits(
        b"\x0eentity_state_t\0",
        "1000000000000000 100 11001110 \
         00100000000000000000000000000001 10000110 00000000 00100000 00000101111100000000000000000000 00000101111100000000000000000000",
    );
    // the mask above names type, name, bits and both multipliers; written out again with the field order of the document
    let message = there_and_back(&context, &description);
    let Message::DeltaDescription(tree) = &message else { panic!() };
    assert_eq!((tree.fields.len(), tree.fields[0].mask), (1, 0b0111_0011));
    assert_eq!((tree.fields[0].significant_bits, &tree.fields[0].field_name.0[..]), (4, &b"a"[..]));
    context.observe(&message).unwrap();
    // full update: entity 1 ("next"), not custom, no earlier entity; 2 mask bytes though one would do; value "minus zero"
    let update = bits(&[40, 1, 0], "1 0 0 010 10000000 00000000 1000 0000000000000000");
    let Message::PacketEntities(entities) = there_and_back(&context, &update) else { panic!() };
    let delta = entities.updates[0].delta.unwrap();
    assert_eq!((delta.mask_bytes, delta.mask, entities.values.words[0]), (2, 1, 1));
    // no mask at all
    there_and_back(&context, &bits(&[40, 1, 0], "1 0 0 000 0000000000000000"));
    // a mask that names a second field
    assert_eq!(refused(&context, &bits(&[40, 1, 0], "1 0 0 100 11000000 1000 0000000000000000")), "the mask names a field that its description does not have");
    let _ = Coord(8).units();
}
