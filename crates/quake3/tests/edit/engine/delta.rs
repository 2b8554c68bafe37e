//! Changes of entities and of the player.

use super::bits::Bits;
use super::fields;

/// The fields of an entity or of a player, as they are on the wire; floats by their bits.
pub(super) type Row = [u32; 64];

/// The rules of a protocol.
pub(super) struct Rules {
    pub protocol: u16,
    entity: Vec<i32>,
    player: Vec<i32>,
}

/// The player whose view it is.
#[derive(Clone)]
pub(super) struct Player {
    pub row: Row,
    pub arrays: [[u32; 16]; 4],
}

impl Default for Player {
    fn default() -> Self {
        Player { row: [0; 64], arrays: [[0; 16]; 4] }
    }
}

impl Rules {
    /// Nothing of protocols that this player does not know.
    pub(super) fn of(protocol: u16) -> Option<Self> {
        let known = matches!(protocol, 43..=46 | 48 | 66..=71 | 73 | 90 | 91);
        known.then(|| Rules { protocol, entity: fields::entity(protocol), player: fields::player(protocol) })
    }

    pub(super) fn is_coded(&self) -> bool {
        self.protocol >= 66
    }

    /// What becomes of an entity; nothing where it goes.
    pub(super) fn entity(&self, bits: &mut Bits<'_>, base: &Row) -> Result<Option<Row>, String> {
        if bits.flag()? {
            return Ok(None);
        }
        let mut row = *base;
        if !bits.flag()? {
            return Ok(Some(row));
        }
        if self.is_coded() {
            let count = count(bits, self.entity.len())?;
            for (value, &width) in row.iter_mut().zip(&self.entity[..count]) {
                if bits.flag()? {
                    *value = if bits.flag()? { read(bits, width)? } else { 0 };
                }
            }
            return Ok(Some(row));
        }
        let mask = match fields::MASKS.get(bits.read(5)? as usize) {
            Some(&mask) => mask,
            None => u64::from(bits.read(32)?) | u64::from(bits.read(self.entity.len() as u32 - 32)?) << 32,
        };
        for (at, &width) in self.entity.iter().enumerate().filter(|(at, _)| mask >> at & 1 != 0) {
            row[at] = read(bits, width)?;
        }
        Ok(Some(row))
    }

    pub(super) fn player(&self, bits: &mut Bits<'_>, player: &mut Player) -> Result<(), String> {
        let count = if self.is_coded() { count(bits, self.player.len())? } else { self.player.len() };
        for (value, &width) in player.row.iter_mut().zip(&self.player[..count]) {
            if bits.flag()? {
                *value = read(bits, width)?;
            }
        }
        if self.is_coded() && !bits.flag()? {
            return Ok(());
        }
        for (array, width) in player.arrays.iter_mut().zip([-16, -16, 16, 32]) {
            if bits.flag()? {
                let mask = bits.read(16)?;
                for (_, value) in array.iter_mut().enumerate().filter(|(at, _)| mask >> at & 1 != 0) {
                    *value = whole(bits, width)?;
                }
            }
        }
        Ok(())
    }
}

fn count(bits: &mut Bits<'_>, most: usize) -> Result<usize, String> {
    let count = bits.read(8)? as usize;
    if count > most { Err(format!("{count} fields of {most}")) } else { Ok(count) }
}

fn whole(bits: &mut Bits<'_>, width: i32) -> Result<u32, String> {
    let value = bits.read(width.unsigned_abs())?;
    let unused = 32 - width.unsigned_abs();
    Ok(if width < 0 { ((value << unused) as i32 >> unused) as u32 } else { value })
}

/// A field: floats are whole numbers of 13 bits where they are small ones.
fn read(bits: &mut Bits<'_>, width: i32) -> Result<u32, String> {
    if width != 0 {
        return whole(bits, width);
    }
    if bits.flag()? {
        return bits.read(32);
    }
    let small = bits.read(13)? as i32 - 4096;
    Ok((small as f32).to_bits())
}
