//! The checksum that id's servers require before a move (`docs/formats/quake2.md`, *Live*).

/// The table that moves are mixed with. Zeros follow it.
const TABLE: [u8; 960] = include!("checksum.in");
/// The table length. Sequence numbers wrap at it.
const TABLE_LENGTH: u32 = 1020;
/// The bytes of a move that are included.
const LONGEST: usize = 60;

/// The checksum of a move. `data` is what follows the checksum byte, in the packet with this sequence number.
pub(super) fn checksum(data: &[u8], sequence: u32) -> u8 {
    let at = (sequence % TABLE_LENGTH) as usize;
    let tail = (at..at + 4).map(|at| TABLE.get(at).copied().unwrap_or(0));
    let bytes = data.iter().copied().take(LONGEST).chain(tail);
    let (crc, sum) = bytes.fold((0xffff, 0u8), |(crc, sum), byte| (crc16(crc, byte), sum.wrapping_add(byte)));
    crc as u8 ^ sum
}

/// The CCITT polynomial, highest bit first.
fn crc16(crc: u16, byte: u8) -> u16 {
    (0..8).fold(crc ^ u16::from(byte) << 8, |crc, _| if crc & 0x8000 != 0 { crc << 1 ^ 0x1021 } else { crc << 1 })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_wraps_and_long_moves_count_in_part() {
        assert_eq!(checksum(b"move", 7), checksum(b"move", 7 + TABLE_LENGTH));
        assert_eq!(checksum(&[1; 60], 3), checksum(&[1; 90], 3));
        assert_ne!(checksum(b"move", 7), checksum(b"move", 8));
        // The standard check value of the polynomial.
        assert_eq!(b"123456789".iter().fold(0xffff, |crc, byte| crc16(crc, *byte)), 0x29b1);
    }
}
