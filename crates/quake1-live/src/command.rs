//! What a QuakeWorld client sends besides string commands. Document: *The client's messages*.

use fragreel_quake1::unstable::dialect::Dialect;
use fragreel_quake1::unstable::replacement::Coordinates;

/// `clc_nop`: nothing.
pub const CLC_NOP: u8 = 1;
/// `clc_move`: the last three inputs.
pub const CLC_MOVE: u8 = 3;
/// `clc_stringcmd`: a console command for the server.
pub const CLC_STRING: u8 = 4;
/// `clc_delta`: which frame the next entities may be a delta from.
pub const CLC_DELTA: u8 = 5;
/// `clc_tmove`: a spectator puts himself somewhere.
pub const CLC_TELEPORT: u8 = 6;
/// `clcfte_stringcmd_seat`: a console command of one seat of a split screen.
pub const CLC_STRING_OF_SEAT: u8 = 86;
/// `clcfte_ackframe`: a frame of replacement deltas arrived.
pub const CLC_ACK_FRAME: u8 = 50;

/// The first half of the table that input is mixed with; the rest is zero.
const TABLE: [u8; 512] = include!("checksum.in");
/// The table's length as far as sequence numbers wrap on it.
const TABLE_LENGTH: u32 = 1020;
/// How much of the input counts.
const LONGEST: usize = 60;

/// The checksum of a `clc_move`: over what follows the checksum byte, for a packet of this sequence number.
pub fn checksum(input: &[u8], sequence: u32) -> u8 {
    let at = (sequence % TABLE_LENGTH) as usize;
    let table = |offset: usize| TABLE.get(at + offset).copied().unwrap_or(0);
    let tail = [sequence as u8 ^ table(0), table(1), (sequence >> 8) as u8 ^ table(2), table(3)];
    let bytes = input[..input.len().min(LONGEST)].iter().chain(&tail);
    bytes.fold(0xffff, |crc, &byte| crc16(crc, byte)) as u8
}

/// CCITT's polynomial, highest bit first.
pub(super) fn crc16(crc: u16, byte: u8) -> u16 {
    (0..8).fold(crc ^ u16::from(byte) << 8, |crc, _| if crc & 0x8000 != 0 { crc << 1 ^ 0x1021 } else { crc << 1 })
}

/// Appends a `clc_move` of three inputs that only let time pass.
pub fn idle_move(out: &mut Vec<u8>, milliseconds: u8, lost_percent: u8, sequence: u32) {
    // Loss, then per input a mask of what changed (nothing) and its duration.
    let input = [lost_percent, 0, milliseconds, 0, milliseconds, 0, milliseconds];
    out.extend_from_slice(&[CLC_MOVE, checksum(&input, sequence)]);
    out.extend_from_slice(&input);
}

/// Appends the `clc_move` of a further seat, after the first one's: without checksum and loss.
pub fn idle_move_of_seat(out: &mut Vec<u8>, milliseconds: u8) {
    out.extend_from_slice(&[CLC_MOVE, 0, milliseconds, 0, milliseconds, 0, milliseconds]);
}

/// The bytes of NetQuake's `clc_move` after the number that predinfo adds: the time, three angles, three speeds, buttons, and an impulse. Angles have
/// 16 bits with predinfo, whatever the protocol.
pub(super) fn netquake_move_length(d: &Dialect) -> usize {
    /// `PRFL_FLOATANGLE`
    const FLOAT_ANGLES: u32 = 1 << 2;
    let angle = match d.numbers.protocol {
        999 if d.numbers.flags & FLOAT_ANGLES != 0 => 4,
        15 if !d.predinfo() => 1,
        _ => 2,
    };
    4 + 3 * angle + 3 * 2 + 1 + 1
}

/// Appends a string command of a further seat.
pub fn string_of_seat(out: &mut Vec<u8>, seat: u8, command: &[u8]) {
    out.extend_from_slice(&[CLC_STRING_OF_SEAT, seat]);
    out.extend_from_slice(command);
    out.push(0);
}

/// Appends a string command.
pub fn string(out: &mut Vec<u8>, command: &[u8]) {
    out.push(CLC_STRING);
    out.extend_from_slice(command);
    out.push(0);
}

/// Appends a `clc_tmove`.
pub fn teleport(out: &mut Vec<u8>, coordinates: Coordinates, position: [f32; 3]) {
    out.push(CLC_TELEPORT);
    for part in position {
        let mut writer = fragreel_base::wire::WriteBytes::default();
        let Ok(_) = coordinates.code(&mut writer, "origin", coordinates.word(part));
        out.extend_from_slice(writer.written());
    }
}

/// Appends a `clcfte_ackframe`, for NetQuake.
pub fn acknowledge(out: &mut Vec<u8>, acknowledge: crate::Acknowledge) {
    let sequence = match acknowledge {
        crate::Acknowledge::Frame(sequence) => sequence,
        crate::Acknowledge::Restart => u32::MAX,
    };
    out.push(CLC_ACK_FRAME);
    out.extend_from_slice(&sequence.to_le_bytes());
}
