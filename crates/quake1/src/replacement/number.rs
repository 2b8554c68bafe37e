//! The two codings of entity numbers, and numbers of variable length. Document: *Numbers*.

use fragreel_base::wire::Wire;

/// Largest entity number: 22 bits.
pub const LAST_ENTITY: u32 = 0x3f_ffff;

/// Where an update or a removal says which entity it is about. Document: *Entity index*.
///
/// Low 14 bits in a little-endian short with the remove flag (bit 15) and the wide flag (bit 14), upper 8 in a byte.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Index {
    /// Entity number, 0 to [`LAST_ENTITY`].
    pub number: u32,
    /// The remove flag.
    pub remove: bool,
    /// The wide form though the number fits the short one. No engine does that.
    pub overlong: bool,
}

/// Reads or writes an entity index.
#[inline]
pub fn code_index<W: Wire>(w: &mut W, index: Index) -> Result<Index, W::Error> {
    let wide = index.overlong || index.number >= 0x4000;
    let short = index.number & 0x3fff | u32::from(wide) << 14 | u32::from(index.remove) << 15;
    let short = w.field("entity", short, 16)?;
    let mut number = short & 0x3fff;
    let wide = short & 0x4000 != 0;
    if wide {
        number |= w.bits(index.number >> 14 & 0xff, 8)? << 14;
    }
    let remove = short & 0x8000 != 0;
    w.note(|| show_index(number, remove));
    Ok(Index { number, remove, overlong: wide && number < 0x4000 })
}

/// What an entity index says.
pub(crate) fn show_index(number: u32, remove: bool) -> String {
    format!("{}{number}", if remove { "remove " } else { "" })
}

/// An entity number anywhere else: baselines, sounds, views, beams, attachments. Document: *Entity numbers*.
///
/// From 0x8000 on: upper 15 bits with bit 15 set in a little-endian short, then the low byte.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct EntityNumber {
    /// The number.
    pub number: u32,
    /// The wide form though the number fits the short one. No engine does that.
    pub overlong: bool,
}

/// Reads or writes an entity number.
#[inline]
pub fn code_entity<W: Wire>(w: &mut W, name: &'static str, entity: EntityNumber) -> Result<EntityNumber, W::Error> {
    let wide = entity.overlong || entity.number >= 0x8000;
    let short = w.field(name, if wide { entity.number >> 8 | 0x8000 } else { entity.number }, 16)?;
    if short & 0x8000 == 0 {
        return Ok(EntityNumber { number: short, overlong: false });
    }
    let number = (short & 0x7fff) << 8 | w.bits(entity.number & 0xff, 8)?;
    w.note(|| number.to_string());
    Ok(EntityNumber { number, overlong: number < 0x8000 })
}

/// Seven bits a byte, lowest first, bit 7 meaning that more follow. `padding` counts needless bytes.
#[inline]
pub(super) fn code_uleb<W: Wire>(w: &mut W, name: &'static str, value: u32, padding: u32) -> Result<(u32, u32), W::Error> {
    w.enter(name);
    let needed = uleb_bytes(value);
    let written = needed + padding;
    let (mut out, mut at) = (0u64, 0);
    loop {
        let chunk = u64::from(value).checked_shr(7 * at).unwrap_or(0) as u32 & 0x7f;
        let byte = w.bits(chunk | u32::from(at + 1 < written) << 7, 8)?;
        out |= u64::from(byte & 0x7f) << (7 * at);
        at += 1;
        if byte & 0x80 == 0 {
            break;
        }
        w.expect(at < 5, "a number of more than five bytes")?;
    }
    w.expect(out <= u64::from(u32::MAX), "a number of more than 32 bits")?;
    w.note(|| out.to_string());
    Ok((out as u32, at - uleb_bytes(out as u32)))
}

/// How many bytes a number of variable length needs.
pub(crate) fn uleb_bytes(value: u32) -> u32 {
    (32 - value.leading_zeros()).div_ceil(7).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use fragreel_base::wire::{ReadBytes, WriteBytes};

    fn index_bytes(number: u32, remove: bool) -> Vec<u8> {
        let mut w = WriteBytes::default();
        let Ok(_) = code_index(&mut w, Index { number, remove, overlong: false });
        w.finish()
    }

    #[test]
    fn the_index_has_its_low_bits_in_the_short() {
        assert_eq!(index_bytes(0x3fff, false), [0xff, 0x3f]);
        assert_eq!(index_bytes(0x3fff, true), [0xff, 0xbf]);
        assert_eq!(index_bytes(0x4000, false), [0x00, 0x40, 0x01]);
        assert_eq!(index_bytes(0x3f_ffff, false), [0xff, 0x7f, 0xff]);
        assert_eq!(index_bytes(0x3f_ffff, true), [0xff, 0xff, 0xff]);
        assert_eq!(index_bytes(0, true), [0, 0x80]);
    }

    #[test]
    fn the_entity_number_has_its_low_bits_in_the_byte() {
        for (number, bytes) in [(0x7fff, &[0xff, 0x7f][..]), (0x8000, &[0x80, 0x80, 0x00]), (0x3f_ffff, &[0xff, 0xbf, 0xff]), (33131, &[0x81, 0x80, 0x6b])] {
            let mut w = WriteBytes::default();
            let Ok(_) = code_entity(&mut w, "entity", EntityNumber { number, overlong: false });
            assert_eq!(w.written(), bytes);
            assert_eq!(code_entity(&mut ReadBytes::new(bytes), "entity", EntityNumber::default()).unwrap(), EntityNumber { number, overlong: false });
        }
    }

    #[test]
    fn overlong_forms_survive() {
        for bytes in [&[0x05, 0x40, 0x00][..], &[0x00, 0xc0, 0x00]] {
            let index = code_index(&mut ReadBytes::new(bytes), Index::default()).unwrap();
            let mut w = WriteBytes::default();
            let Ok(_) = code_index(&mut w, index);
            assert_eq!((w.written(), index.overlong), (bytes, true));
        }
        for (bytes, value) in
            [(&[0x80, 0x00][..], 0), (&[0xff, 0x80, 0x80, 0x00], 127), (&[0xff, 0xff, 0xff, 0xff, 0x0f], u32::MAX), (&[0x7f], 127), (&[0x80, 0x01], 128)]
        {
            let (got, padding) = code_uleb(&mut ReadBytes::new(bytes), "n", 0, 0).unwrap();
            let mut w = WriteBytes::default();
            let Ok(_) = code_uleb(&mut w, "n", got, padding);
            assert_eq!((got, w.written()), (value, bytes));
        }
        assert!(code_uleb(&mut ReadBytes::new(&[0x80; 9]), "n", 0, 0).is_err());
        assert!(code_uleb(&mut ReadBytes::new(&[0xff, 0xff, 0xff, 0xff, 0x10]), "n", 0, 0).is_err());
    }
}
