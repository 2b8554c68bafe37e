//! Trees that no recording holds: every operation with every branch, in every dialect.

use fragreel_base::delta::Word;
use fragreel_base::delta::interleaved::{Field, Kind, Row, Spelling};
use fragreel_model::RoundTrip;
use fragreel_quake3::Recording;
use fragreel_quake3::container::{self, Frames, Piece};
use fragreel_quake3::dialect::{Dialect, Layout};
use fragreel_quake3::message::{
    ArrayDelta, Change, ConfigString, Download, EntityDelta, Gamestate, GamestateItem, Message, Operation, PlayerDelta, ServerCommand, Snapshot, Voice,
};
use proptest::prelude::*;

const PROTOCOLS: [u16; 14] = [43, 44, 45, 46, 48, 66, 67, 68, 69, 70, 71, 73, 90, 91];

fn text(limit: usize) -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec(1..=255u8, 0..limit)
}

/// A spelling and a row that fit `table`: words in the width of their field, forms that can hold them.
fn fields(table: &'static [Field], zero_flag: bool) -> impl Strategy<Value = (Spelling, Row)> {
    let sets = any::<(u64, u64, u64, u8)>();
    (sets, prop::collection::vec(any::<u32>(), 64)).prop_map(move |((sent, nonzero, full, slack), words)| {
        let mut spelling = Spelling::default();
        let mut row = [0; 64];
        for (at, field) in table.iter().enumerate() {
            if sent >> at & 1 == 0 {
                continue;
            }
            spelling.sent.insert(at);
            if zero_flag {
                if nonzero >> at & 1 == 0 {
                    continue;
                }
                spelling.nonzero.insert(at);
            }
            row[at] = match field.kind {
                Kind::Uint(width) => words[at] & ((1u64 << width) - 1) as u32,
                Kind::Int(width) => fragreel_base::wire::sign_extend(words[at], u32::from(width)),
                Kind::Float if full >> at & 1 != 0 => {
                    spelling.full.insert(at);
                    words[at]
                }
                Kind::Float => ((words[at] % 8192) as f32 - 4096.0).word(),
            };
        }
        spelling.end = (spelling.sent.end() as u8 + slack % 8).min(table.len() as u8);
        (spelling, row)
    })
}

fn entity(dialect: &'static Dialect) -> impl Strategy<Value = EntityDelta> {
    let coded = dialect.layout == Layout::Coded;
    (0..1023u16, 0..3u8, fields(dialect.entity, coded)).prop_map(move |(number, change, (mut spelling, row))| {
        if !coded {
            // a mask written out; the known ones come from real recordings
            spelling.end = 31;
        }
        let change = [Change::Removed, Change::Unchanged, Change::Changed][usize::from(change)];
        EntityDelta { number, change, spelling, row }
    })
}

fn player(dialect: &'static Dialect) -> impl Strategy<Value = PlayerDelta> {
    let array = |signed: bool, long: bool| {
        any::<(bool, u16, [u32; 16])>().prop_map(move |(sent, mask, values)| {
            let values = values.map(|value| {
                if long {
                    value
                } else if signed {
                    fragreel_base::wire::sign_extend(value, 16)
                } else {
                    value & 0xffff
                }
            });
            ArrayDelta { sent, mask, values }
        })
    };
    let arrays = (array(true, false), array(true, false), array(false, false), array(false, true));
    (fields(dialect.player, false), any::<bool>(), arrays).prop_map(move |((mut spelling, row), sent, (a, b, c, d))| {
        let plain = dialect.layout == Layout::Plain;
        if plain {
            spelling.end = dialect.player.len() as u8;
        }
        PlayerDelta { spelling, row, arrays_sent: sent || plain, arrays: [a, b, c, d] }
    })
}

fn snapshot(dialect: &'static Dialect) -> impl Strategy<Value = Operation> {
    let head = any::<(u32, i32, u8, u8)>();
    (head, prop::collection::vec(any::<u8>(), 0..=32), player(dialect), prop::collection::vec(entity(dialect), 0..6)).prop_map(
        move |((client_command, server_time, delta, flags), area_mask, player, entities)| {
            let client_command = if dialect.snapshot_command { client_command } else { 0 };
            Operation::Snapshot(Box::new(Snapshot { client_command, server_time, delta, flags, area_mask, player, entities: entities.into() }))
        },
    )
}

fn gamestate(dialect: &'static Dialect) -> impl Strategy<Value = Operation> {
    let string = (0..1024u16, text(300)).prop_map(|(index, text)| GamestateItem::ConfigString(ConfigString { index, text }));
    let item = prop_oneof![string, entity(dialect).prop_map(|baseline| GamestateItem::Baseline(Box::new(baseline)))];
    (any::<i32>(), prop::collection::vec(item, 0..6), any::<(i32, i32)>()).prop_map(move |(command_sequence, items, (client, checksum_feed))| {
        let (client, checksum_feed) = if dialect.identifies_client { (client, checksum_feed) } else { (0, 0) };
        Operation::Gamestate(Gamestate { command_sequence, items, end: 8, client, checksum_feed })
    })
}

fn download() -> impl Strategy<Value = Operation> {
    (0..3u16, any::<i32>(), text(100), prop::collection::vec(any::<u8>(), 0..200)).prop_map(|(block, file_size, error, data)| {
        Operation::Download(match (block, file_size) {
            (0, ..0) => Download { block, file_size, error, data: Vec::new() },
            (0, _) => Download { block, file_size, error: Vec::new(), data },
            _ => Download { block, file_size: 0, error: Vec::new(), data },
        })
    })
}

fn voice(flags: bool) -> impl Strategy<Value = Voice> {
    (any::<(u16, u8, u32, u8)>(), 0..4u8, prop::collection::vec(any::<u8>(), 0..60)).prop_map(move |((sender, generation, sequence, frames), bits, data)| {
        Voice { sender, generation, sequence, frames, flags: if flags { bits } else { 0 }, data }
    })
}

fn operation(dialect: &'static Dialect) -> impl Strategy<Value = Operation> {
    let command = (any::<i32>(), text(200)).prop_map(|(sequence, text)| Operation::ServerCommand(ServerCommand { sequence, text }));
    let voices =
        prop::sample::select(&[Operation::VoiceSpeex, Operation::VoiceOpus][..]).prop_flat_map(move |coded| voice(dialect.voice_flags).prop_map(coded));
    prop_oneof![1 => Just(Operation::Nop), 1 => command, 1 => download(), 1 => voices, 3 => snapshot(dialect), 1 => gamestate(dialect)]
}

fn message() -> impl Strategy<Value = (&'static Dialect, Message)> {
    prop::sample::select(&PROTOCOLS[..]).prop_map(|protocol| Dialect::of(protocol).expect("listed")).prop_flat_map(|dialect| {
        let coded = dialect.layout == Layout::Coded;
        let late = prop::collection::vec(voice(false), 0..if coded { 3 } else { 1 });
        (any::<u32>(), prop::collection::vec(operation(dialect), 0..5), late).prop_map(move |(acknowledged, operations, late_voice)| {
            let gaps = if coded { Vec::new() } else { vec![0; operations.len()] };
            let acknowledged = if dialect.acknowledges { acknowledged } else { 0 };
            (dialect, Message { acknowledged, operations, gaps, end: Some(8), late_voice, ..Message::default() })
        })
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_tree_survives_writing_and_reading((dialect, tree) in message()) {
        let bytes = tree.clone().write(dialect);
        let mut read = Message::default();
        read.read(&bytes, dialect).expect("what we write can be read");
        // the end is followed by nothing but the boundary
        prop_assert_eq!(&read.rest, &Vec::<u8>::new());
        prop_assert_eq!(read, tree);
    }
}

/// Urban Terror's framing round the messages of one of our own recordings.
#[test]
fn urban_terror_recordings_verify() {
    for sample in fragreel_testkit::samples("quake3").into_iter().take(2) {
        let plain = sample.bytes();
        let mut framed = 7u32.to_le_bytes().to_vec();
        framed.extend(b"4.2.023");
        framed.extend([68u32, 0, 0].map(u32::to_le_bytes).concat());
        let mut messages = 0;
        for piece in Frames::new(&plain) {
            if let Piece::Message(frame) = piece {
                let mirrored = container::Frame { framing: container::Framing::Mirrored, ..frame };
                mirrored.write(container::data(&plain, &frame), &mut framed);
                messages += 1;
            }
        }
        framed.extend(container::END_MARK);
        let recording = Recording::open(&framed, Some("urtdemo"), fragreel_base::wire::Limits::default()).expect("a known dialect");
        let report = recording.verify();
        assert_eq!((report.round_trip, report.messages, report.damage), (RoundTrip::Identical, messages, Vec::new()));
    }
}

/// The first bits of a message, worked out by hand from the description: `reliableAcknowledge` 0 is four times the code of
/// byte 0 (bits 0, 1), nop is byte 1 (1 1 0 1 1), EOF is byte 8 (1 0 1 0 1), and two bits fill the third byte.
#[test]
fn hand_assembled_bits() {
    let bits = "01010101 11011 10101 000000".replace(' ', "");
    let bytes: Vec<u8> = bits.as_bytes().chunks(8).map(|byte| byte.iter().rev().fold(0, |value, bit| value << 1 | (bit - b'0'))).collect();
    let mut message = Message::default();
    let dialect = Dialect::of(68).expect("listed");
    message.read(&bytes, dialect).expect("a whole message");
    assert_eq!((message.acknowledged, &message.operations[..], message.end), (0, &[Operation::Nop][..], Some(8)));
    assert_eq!(message.write(dialect), bytes);
}
