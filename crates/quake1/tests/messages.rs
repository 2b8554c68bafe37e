//! Messages assembled by hand from docs/formats/quake1.md.

use fragreel_quake1::unstable::dialect::{Dialect, Numbers, Stream};
use fragreel_quake1::unstable::message::{Message, Packet};

/// A dialect by its numbers.
fn dialect(stream: Stream, protocol: u32, pext1: u32, pext2: u32) -> Dialect {
    Dialect::of(Numbers { stream, protocol, pext1, pext2, mvd1: 0, flags: 0 })
}

/// Reads a packet without a header, and checks that it comes out as it went in.
fn read(d: &Dialect, bytes: &[u8]) -> Vec<Message> {
    let mut packet = Packet::read(bytes, &mut d.clone(), false).unwrap_or_else(|error| panic!("{bytes:x?}: {error}"));
    assert_eq!(packet.write(&mut d.clone()), bytes);
    packet.messages
}

#[test]
fn entity_numbers_have_three_forms() {
    let plain = dialect(Stream::QuakeWorld, 28, 0, 0);
    let big = dialect(Stream::QuakeWorld, 28, 0, 8);
    for (d, bytes, number) in [
        (&plain, &[39, 0x34, 0x12][..], 0x1234),
        (&plain, &[39, 0x6b, 0x81], 0x816b),
        (&big, &[39, 0x34, 0x12], 0x1234),
        // from 32,768 on: high part first, low byte last
        (&big, &[39, 0x81, 0x80, 0x6b], 33131),
        (&big, &[39, 0x00, 0x80, 0x05], 5),
    ] {
        let [Message::MuzzleFlash(flash)] = &read(d, bytes)[..] else { panic!("no muzzle flash") };
        assert_eq!(flash.entity.number, number);
    }
}

#[test]
fn extensions_are_read_in_a_loop_and_unknown_keys_kept() {
    let mut bytes = vec![11];
    for (key, value) in [(b"FTEX", 0x8000u32), (b"ABCD", 7), (b"FTE2", 0x28)] {
        bytes.extend(key);
        bytes.extend(value.to_le_bytes());
    }
    bytes.extend(*b"vlen");
    bytes.extend([1, 0, 0, 0, 3, 0, 0, 0, 9, 8, 7]);
    bytes.extend(28u32.to_le_bytes());
    bytes.extend([1, 0, 0, 0]);
    bytes.extend(b"qw\0\x83Title\0");
    bytes.extend([0; 40]);
    let d = Dialect::new(Stream::QuakeWorld);
    let messages = read(&d, &bytes);
    let [Message::ServerData(data)] = &messages[..] else { panic!("no server data") };
    assert_eq!((data.extensions.len(), data.players.as_slice(), data.level.bytes()), (4, &[0x83][..], &b"Title"[..]));
    assert_eq!(data.extensions[3].data, [9, 8, 7]);
    let mut learned = d;
    messages[0].apply_to_dialect(&mut learned);
    assert_eq!((learned.numbers.pext1, learned.numbers.pext2, learned.big_entities), (0x8000, 0x28, true));
}

#[test]
fn coordinates_have_four_forms() {
    let particle = |coords: &[u8]| [&[18][..], coords, &[1, 2, 3, 4, 5]].concat();
    let cases: [(u32, &[u8], f32); 4] = [
        (0, &[0x0c, 0x00, 0xf4, 0xff, 0x00, 0x00], 1.5),
        (0x08, &[0x01, 0x00, 0x33, 0xfe, 0xff, 0x00, 0x00, 0x00, 0x00], 1.2),
        (0x80, &[0x18, 0, 0, 0, 0xe8, 0xff, 0xff, 0xff, 0, 0, 0, 0], 1.5),
        (0x10, &[0, 0, 0xc0, 0x3f, 0, 0, 0, 0, 0, 0, 0, 0], 1.5),
    ];
    for (flags, coords, x) in cases {
        let d = Dialect::of(Numbers { stream: Stream::NetQuake, protocol: 999, pext1: 0, pext2: 0, mvd1: 0, flags });
        let [Message::Particle(particle)] = &read(&d, &particle(coords))[..] else { panic!("no particle") };
        assert!((d.coord.units(particle.origin[0].0) - x).abs() < 1e-6, "{flags:#x}");
    }
}

#[test]
fn fast_updates_grow_their_mask() {
    let d = dialect(Stream::NetQuake, 666, 0, 0);
    // MOREBITS | FRAME | SIGNAL, MODEL | LONGENTITY | EXTEND1, ALPHA | FRAME2 | MODEL2 | LERPFINISH | SCALE
    let bytes = [0xc1, 0xc4, 0x1f, 0x2c, 0x01, 7, 9, 254, 32, 1, 2, 10];
    let [Message::FastUpdate(update)] = &read(&d, &bytes)[..] else { panic!("no update") };
    use fragreel_quake1::unstable::fields::netquake::slot;
    let word = |at: usize| update.row[at];
    assert_eq!((update.entity.number, word(slot::MODEL), word(slot::FRAME)), (300, 7, 9));
    assert_eq!((word(slot::ALPHA), word(slot::SCALE), word(slot::FRAME2), word(slot::MODEL2), word(slot::LERPFINISH)), (254, 32, 1, 2, 10));
}

#[test]
fn packet_entities_end_with_a_zero_word() {
    let d = dialect(Stream::QuakeWorld, 28, 0, 0);
    // from 5: entity 5 goes, entity 9 moves to x = 1
    let bytes = [48, 5, 0x05, 0x40, 0x09, 0x02, 0x08, 0x00, 0, 0];
    let [Message::DeltaPacketEntities(m)] = &read(&d, &bytes)[..] else { panic!("no entities") };
    assert_eq!((m.from, m.entities.len()), (5, 2));
    assert!(m.entities[0].removes() && m.entities[0].number(&d) == 5);
    assert_eq!(m.entities[1].number(&d), 9);
}

#[test]
fn large_entity_numbers_need_their_extensions() {
    let d = dialect(Stream::QuakeWorld, 28, 0x7000, 0);
    // MOREBITS, EVENMORE, ENTITYDBL | ENTITYDBL2
    let bytes = [47, 0x01, 0x80, 0x80, 0x60, 0, 0];
    let [Message::PacketEntities(m)] = &read(&d, &bytes)[..] else { panic!("no entities") };
    assert_eq!(m.entities[0].number(&d), 1 + 512 + 1024);
}

#[test]
fn an_unknown_message_swallows_its_packet() {
    let d = Dialect::new(Stream::QuakeWorld);
    let messages = read(&d, &[1, 99, 1, 2, 3]);
    assert!(matches!(&messages[..], [Message::Nop(_), Message::Unknown(unknown)] if unknown.number == 99 && unknown.data.0 == [1, 2, 3]));
}

#[test]
fn sounds_have_flags_of_variable_length() {
    let d = dialect(Stream::NetQuake, 666, 0, 0);
    // MOREFLAGS; 0x81 0x05: one byte follows, value 0x0105: velocity among them
    let bytes = [6, 0x04, 0x81, 0x05, 1, 0, 2, 0, 3, 0, 0x0a, 0x00, 7, 0, 0, 0, 0, 0, 0];
    let [Message::NqSound(sound)] = &read(&d, &bytes)[..] else { panic!("no sound") };
    assert_eq!((sound.mask >> 8, sound.velocity, sound.entity.number, sound.channel, sound.sound), (0x105, [1, 2, 3], 1, 2, 7));
}

#[test]
fn the_rerelease_gives_itself_away() {
    let d = dialect(Stream::NetQuake, 666, 0, 0);
    // sequence 155, then an update of the own player with float coordinates: x = 1.5
    let bytes = [51, 0x9b, 0x01, 0x83, 0x80, 0x20, 1, 0, 0, 0xc0, 0x3f];
    let messages = read(&d, &bytes);
    let Message::FastUpdate(update) = &messages[1] else { panic!("no update") };
    assert_eq!(f32::from_bits(update.row[fragreel_quake1::unstable::fields::netquake::slot::ORIGIN]), 1.5);
}
