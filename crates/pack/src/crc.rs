//! CRC-32 of IEEE 802.3, the check of a block.

static TABLE: [u32; 256] = {
    let mut table = [0; 256];
    let mut at = 0;
    while at < 256 {
        let mut value = at as u32;
        let mut bit = 0;
        while bit < 8 {
            value = value >> 1 ^ if value & 1 != 0 { 0xedb8_8320 } else { 0 };
            bit += 1;
        }
        table[at] = value;
        at += 1;
    }
    table
};

/// The check of these bytes.
pub fn crc32(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!0, |crc, &byte| crc >> 8 ^ TABLE[((crc ^ u32::from(byte)) & 0xff) as usize])
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_check_is_the_standard_one() {
        assert_eq!(super::crc32(b"123456789"), 0xcbf4_3926);
    }
}
