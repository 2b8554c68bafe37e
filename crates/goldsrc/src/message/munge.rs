//! How servers hide the map's checksum (`docs/formats/goldsrc.md`, "Map checksum").

const TABLE: [u8; 16] = [0x20, 0x07, 0x13, 0x61, 0x03, 0x45, 0x17, 0x72, 0x0a, 0x2d, 0x48, 0x0c, 0x4a, 0x12, 0xa9, 0xb5];

/// The checksum that `svc_serverinfo` hides, given the player's slot that it names.
pub fn unmunge(munged: u32, player_number: u8) -> u32 {
    let key = u32::from(u8::MAX - player_number);
    let bytes = (munged ^ key).to_le_bytes();
    u32::from_be_bytes(mask(bytes)) ^ !key
}

/// The other way round.
pub fn munge(checksum: u32, player_number: u8) -> u32 {
    let key = u32::from(u8::MAX - player_number);
    u32::from_le_bytes(mask((checksum ^ !key).to_be_bytes())) ^ key
}

fn mask(mut bytes: [u8; 4]) -> [u8; 4] {
    for (at, byte) in bytes.iter_mut().enumerate() {
        *byte ^= 0xa5 | (at << at) as u8 | at as u8 | TABLE[at];
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ways_meet() {
        for player in [0, 1, 31, 255] {
            assert_eq!(unmunge(munge(0x2e5e_0e13, player), player), 0x2e5e_0e13);
        }
    }
}
