//! The box of an entity. Document: *Solid*.

use fragreel_base::wire::Wire;

/// Not solid.
pub(crate) const SOLID_NOT: u32 = 0;
/// As large as its model.
pub(crate) const SOLID_BSP: u32 = 31;
/// A player's box: 16 to each side, 24 down, 32 up.
pub const SOLID_HULL1: u32 = 0x8020_1810;
/// A large monster's box: 32 to each side, 24 down, 64 up.
pub const SOLID_HULL2: u32 = 0x8040_1820;

/// The 32-bit box of a 16-bit one. Engines read 0 as a degenerate box; here it stays "not solid", which is what
/// the writer meant.
pub(crate) fn expand(short: u32) -> u32 {
    if short == SOLID_NOT || short == SOLID_BSP {
        return short;
    }
    let up = (short >> 10 & 63) * 8 + 32768 - 32;
    (short & 31) << 3 | (short >> 5 & 31) << 11 | up << 16
}

/// The 16-bit box, in units of 8 rounded down; what does not fit is cut off.
pub(crate) fn shorten(solid: u32) -> u32 {
    if solid == SOLID_NOT || solid == SOLID_BSP {
        return solid;
    }
    let up = (solid >> 16).wrapping_sub(32768 - 32) >> 3 & 63;
    solid >> 3 & 31 | (solid >> 11 & 31) << 5 | up << 10
}

/// The box as the corners that engines use, unless it is not solid or as large as its model.
pub(crate) fn corners(solid: u32) -> Option<([f32; 3], [f32; 3])> {
    if solid == SOLID_NOT || solid == SOLID_BSP {
        return None;
    }
    let side = (solid & 0xff) as f32;
    let (down, up) = ((solid >> 8 & 0xff) as f32, (solid >> 16) as f32 - 32768.0);
    Some(([-side, -side, -down], [side, side, up]))
}

const NOT: u32 = 0;
const BSP: u32 = 1;
const HULL1: u32 = 2;
const HULL2: u32 = 3;
const SHORT: u32 = 16;
const LONG: u32 = 32;

/// The selector that the stock writer chooses.
fn canonical(solid: u32) -> u32 {
    match solid {
        SOLID_NOT => NOT,
        SOLID_BSP => BSP,
        SOLID_HULL1 => HULL1,
        SOLID_HULL2 => HULL2,
        _ if expand(shorten(solid)) == solid => SHORT,
        _ => LONG,
    }
}

/// Reads or writes a box. `spelling` is 0 for the stock selector, otherwise the selector plus one.
pub(super) fn code<W: Wire>(w: &mut W, selected: bool, solid: u32, spelling: u8) -> Result<(u32, u8), W::Error> {
    if !selected {
        return Ok((expand(w.field("solid", shorten(solid), 16)?), 0));
    }
    let selector = if spelling == 0 { canonical(solid) } else { u32::from(spelling) - 1 };
    let selector = w.field("solid form", selector, 8)?;
    let solid = match selector {
        NOT => SOLID_NOT,
        BSP => SOLID_BSP,
        HULL1 => SOLID_HULL1,
        HULL2 => SOLID_HULL2,
        SHORT => expand(w.field("solid", shorten(solid), 16)?),
        LONG => w.field("solid", solid, 32)?,
        _ => {
            w.expect(false, "an unknown form of solid")?;
            solid
        }
    };
    Ok((solid, if selector == canonical(solid) { 0 } else { selector as u8 + 1 }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sixteen_bits_survive_thirty_two() {
        for short in 0..=0xffff {
            assert_eq!(shorten(expand(short)), short);
        }
        assert_eq!(corners(SOLID_HULL1), Some(([-16.0, -16.0, -24.0], [16.0, 16.0, 32.0])));
        assert_eq!(corners(SOLID_HULL2), Some(([-32.0, -32.0, -24.0], [32.0, 32.0, 64.0])));
        assert_eq!(expand(shorten(SOLID_HULL1)), SOLID_HULL1);
    }
}
