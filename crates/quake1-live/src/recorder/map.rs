//! A map's checksum, for servers that check that a client has the same file. Document: *Signing on*.

use fragreel_base::wire::{Error, ReadBytes, Wire};
use fragreel_live::block_checksum;

/// Lumps that are not counted: entities, which servers may change, and visibility, nodes and leaves, which water tools change.
const NOT_COUNTED: [usize; 4] = [0, 4, 5, 10];
const LUMPS: usize = 15;

/// The checksum that a client states in `prespawn`, from the map's `.bsp`.
pub fn map_checksum(bsp: &[u8]) -> Result<u32, Error> {
    let mut r = ReadBytes::new(bsp);
    let version = r.bits(0, 32)?;
    r.expect(version == 29 || version.to_le_bytes() == *b"BSP2" || version.to_le_bytes() == *b"2PSB", "no map of Quake")?;
    let mut checksum = 0;
    for lump in 0..LUMPS {
        let (offset, length) = (r.bits(0, 32)? as usize, r.bits(0, 32)? as usize);
        let part = bsp.get(offset..).and_then(|rest| rest.get(..length));
        r.expect(part.is_some(), "a map that is cut off")?;
        if !NOT_COUNTED.contains(&lump) {
            checksum ^= block_checksum(part.unwrap_or_default());
        }
    }
    Ok(checksum)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_not_counted_may_differ() {
        let map = |lump: usize, byte: u8| {
            let mut bsp = 29u32.to_le_bytes().to_vec();
            for at in 0..LUMPS as u32 {
                bsp.extend_from_slice(&(124 + at * 4).to_le_bytes());
                bsp.extend_from_slice(&4u32.to_le_bytes());
            }
            bsp.extend_from_slice(&[0; LUMPS * 4]);
            bsp[124 + lump * 4] = byte;
            bsp
        };
        let plain = map_checksum(&map(0, 0)).unwrap();
        for lump in 0..LUMPS {
            assert_eq!(map_checksum(&map(lump, 1)).unwrap() == plain, NOT_COUNTED.contains(&lump), "{lump}");
        }
        assert!(map_checksum(&map(0, 0)[..150]).is_err());
        assert!(map_checksum(b"IBSP").is_err());
    }
}
