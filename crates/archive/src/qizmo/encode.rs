//! What Qizmo did, for tests: user commands are coded as differences, and packets as they are. Players and entities are not coded.

use super::decode;
use super::figures::{Figures, row};
use super::{BLOCKS, PACKET, SEQUENCES, USER_COMMAND};

/// Writes symbols: the other side of [`Coder`](super::range::Coder).
#[derive(Debug)]
struct Encoder {
    out: Vec<u8>,
    low: u32,
    high: u32,
}

impl Encoder {
    fn symbol_of(&mut self, cumulated: &[u32], symbol: usize) {
        while self.high.wrapping_sub(self.low) <= 0x00ff_ffff {
            self.out.push((self.low >> 24) as u8);
            self.low <<= 8;
            self.high = self.high << 8 | 0xff;
        }
        let range = u64::from(self.high.wrapping_sub(self.low));
        let part = |share: u32| ((u64::from(share) * range) >> 32) as u32;
        let before = symbol.checked_sub(1).map_or(0, |before| part(cumulated[before]));
        assert!(part(cumulated[symbol]) > before + 1, "symbol {symbol} has no share");
        self.high = self.low.wrapping_add(part(cumulated[symbol])).wrapping_sub(1);
        let (low, carries) = self.low.overflowing_add(before);
        self.low = low;
        if carries {
            // the bytes that are out are one number with those of `low`
            for byte in self.out.iter_mut().rev() {
                *byte = byte.wrapping_add(1);
                if *byte != 0 {
                    break;
                }
            }
        }
    }

    fn byte(&mut self, row: usize, byte: u8) {
        self.symbol_of(Figures::get().row(row), byte.into());
    }

    fn finish(mut self) -> Vec<u8> {
        self.out.extend(self.low.to_be_bytes());
        self.out
    }
}

/// A user command in Qizmo's steps.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Command {
    time: u8,
    angles: [u16; 3],
    moves: [u16; 3],
    buttons: u8,
    impulse: u8,
}

/// A block of a recording.
#[derive(Debug)]
enum Block {
    /// A user command, and by how many milliseconds the blocks behind it are later.
    Command(Command, u8),
    Packet(Vec<u8>),
    Sequences([u8; 8]),
}

/// The recording as the game writes it.
fn plain(blocks: &[Block]) -> Vec<u8> {
    let (mut out, mut time) = (Vec::new(), 0u32);
    for block in blocks {
        out.extend(((0.001 * f64::from(time)) as f32).to_le_bytes());
        match block {
            Block::Command(command, later) => {
                let degrees = command.angles.map(|angle| ((f64::from(angle.cast_signed()) * (360.0 / 65536.0)) as f32).to_le_bytes());
                out.extend([0, command.time, 0, 0, 0]);
                out.extend(degrees.concat());
                out.extend(command.moves.iter().flat_map(|speed| speed.to_le_bytes()));
                out.extend([command.buttons, command.impulse]);
                out.extend(degrees.concat());
                time += u32::from(*later);
            }
            Block::Packet(bytes) => {
                out.push(1);
                out.extend((bytes.len() as u32).to_le_bytes());
                out.extend(bytes);
            }
            Block::Sequences(bytes) => {
                out.push(2);
                out.extend(bytes);
            }
        }
    }
    out
}

/// The recording as Qizmo packs it.
fn packed(blocks: &[Block]) -> Vec<u8> {
    let mut encoder = Encoder { out: Vec::new(), low: 0, high: u32::MAX };
    let (mut before, mut turn, mut mask_before, mut step) = (Command { impulse: 8, ..Command::default() }, [0u16; 3], 0u16, 0u8);
    for block in blocks {
        match block {
            Block::Command(command, later) => {
                encoder.symbol_of(&BLOCKS, USER_COMMAND);
                // the low byte of a difference has a sign, and the high one makes up for it
                let halves = |difference: u16| (difference as u8, (difference.wrapping_sub(difference as u8 as i8 as u16) >> 8) as u8);
                let (mut mask, mut bytes) = (0u16, Vec::new());
                let mut put = |bit: usize, row: usize, byte: u8| {
                    if byte != 0 {
                        mask |= 1 << bit;
                        bytes.push((row, byte));
                    }
                };
                for (axis, turn) in turn.iter_mut().enumerate() {
                    let now = command.angles[axis].wrapping_sub(before.angles[axis]);
                    let (low, high) = halves(now.wrapping_sub(*turn));
                    put(2 * axis, row::COMMAND_ANGLES[axis][0], low);
                    put(2 * axis + 1, row::COMMAND_ANGLES[axis][1], high);
                    *turn = now;
                }
                for axis in 0..3 {
                    let (low, high) = halves(command.moves[axis].wrapping_sub(before.moves[axis]));
                    put(6 + 2 * axis, row::COMMAND_MOVE[axis][0], low);
                    put(7 + 2 * axis, row::COMMAND_MOVE[axis][1], high);
                }
                put(12, row::COMMAND_BUTTONS, command.buttons ^ before.buttons);
                put(13, row::COMMAND_TIME_OF, command.time.wrapping_sub(before.time));
                if command.impulse != before.impulse {
                    mask |= 1 << 14;
                    bytes.push((row::COMMAND_IMPULSE, command.impulse));
                }
                let [first, second] = (mask ^ mask_before & 0x203f).to_le_bytes();
                encoder.byte(row::COMMAND_MASK[0], first);
                encoder.byte(row::COMMAND_MASK[1], second);
                bytes.into_iter().for_each(|(row, byte)| encoder.byte(row, byte));
                encoder.byte(row::TIME, later.wrapping_sub(step));
                (before, mask_before, step) = (*command, mask, *later);
            }
            Block::Packet(bytes) => {
                encoder.symbol_of(&BLOCKS, PACKET);
                encoder.byte(row::MODE, 0);
                (bytes.len() as u16).to_le_bytes().iter().chain(bytes).for_each(|byte| encoder.byte(row::BYTE, *byte));
            }
            Block::Sequences(bytes) => {
                encoder.symbol_of(&BLOCKS, SEQUENCES);
                bytes.iter().for_each(|byte| encoder.byte(row::BYTE, *byte));
            }
        }
    }
    encoder.symbol_of(&BLOCKS, SEQUENCES + 1);
    encoder.finish()
}

/// The blocks of a recording by the game, with times and angles in Qizmo's steps.
fn blocks(recording: &[u8]) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut at = 0;
    while at + 5 < recording.len() {
        let word = |at: usize| u32::from_le_bytes(recording[at..at + 4].try_into().unwrap());
        let data = at + 5;
        match recording[at + 4] {
            0 => {
                let angle = |at: usize| (f64::from(f32::from_bits(word(at))) * (65536.0 / 360.0)) as i64 as u16;
                let short = |at: usize| u16::from_le_bytes(recording[at..at + 2].try_into().unwrap());
                let command = Command {
                    time: recording[data],
                    angles: [4, 8, 12].map(|offset| angle(data + offset)),
                    moves: [16, 18, 20].map(|offset| short(data + offset)),
                    buttons: recording[data + 22],
                    impulse: recording[data + 23],
                };
                blocks.push(Block::Command(command, command.time));
                at = data + 36;
            }
            1 => {
                let length = word(data) as usize;
                blocks.push(Block::Packet(recording[data + 4..data + 4 + length].to_vec()));
                at = data + 4 + length;
            }
            _ => {
                blocks.push(Block::Sequences(recording[data..data + 8].try_into().unwrap()));
                at = data + 8;
            }
        }
    }
    blocks
}

#[test]
fn what_is_packed_comes_out() {
    let mut tried = 0;
    for sample in fragreel_testkit::samples("quake1").into_iter().filter(|sample| sample.extension() == "qwd") {
        let blocks = blocks(&sample.bytes());
        let has = |wanted: fn(&Block) -> bool| blocks.iter().any(wanted);
        assert!(has(|block| matches!(block, Block::Command(..))) && has(|block| matches!(block, Block::Sequences(_))), "{}", sample.name);
        let (wanted, packed) = (plain(&blocks), packed(&blocks));
        assert!(packed.len() < wanted.len(), "{}: {} of {} bytes", sample.name, packed.len(), wanted.len());
        let bytes = decode(&packed[..], 64 << 20).unwrap_or_else(|error| panic!("{}: {error}", sample.name));
        let same = bytes.iter().zip(&wanted).take_while(|(one, other)| one == other).count();
        assert!(bytes == wanted, "{}: the first {same} of {} bytes are equal, {} came", sample.name, wanted.len(), bytes.len());
        tried += 1;
    }
    assert!(tried > 1, "{tried} samples");
}
