//! The game code's own entities (`docs/formats/quake1.md`, "Messages").

use crate::dialect::Dialect;
use crate::message::body::Body;
use crate::replacement::Index;
use fragreel_base::wire::Wire;

/// One of the game code's own entities.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CsqcEntity {
    /// Its number, and whether it goes.
    pub index: Index,
    /// What the mod says of it.
    pub data: Vec<u8>,
}

/// The game code's own entities with the length of each.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SizedCsqcEntities {
    /// The entities.
    pub entities: Vec<CsqcEntity>,
    /// The closing zero took three bytes though two would do.
    pub overlong_end: bool,
}

impl Body for SizedCsqcEntities {
    fn code<W: Wire>(&mut self, w: &mut W, d: &Dialect) -> Result<(), W::Error> {
        if W::READING {
            self.entities.clear();
        }
        let mut at = 0;
        loop {
            let mut entity = self.entities.get_mut(at).map(std::mem::take).unwrap_or_default();
            let end = Index { overlong: self.overlong_end, ..Index::default() };
            let index = if at < self.entities.len() || W::READING { entity.index } else { end };
            entity.index = code_csqc_index(w, d, index)?;
            if entity.index.number == 0 && !entity.index.remove {
                self.overlong_end = entity.index.overlong;
                return Ok(());
            }
            if !entity.index.remove {
                let length = w.field("length", entity.data.len() as u32, 16)?;
                w.enter("data");
                w.octets(&mut entity.data, length as usize)?;
            }
            match self.entities.get_mut(at) {
                Some(place) => *place = entity,
                None => self.entities.push(entity),
            }
            at += 1;
        }
    }
}

fn code_csqc_index<W: Wire>(w: &mut W, d: &Dialect, index: Index) -> Result<Index, W::Error> {
    if d.replacement() {
        return crate::replacement::code_index(w, index);
    }
    let word = w.field("entity", index.number | u32::from(index.remove) << 15, 16)?;
    let index = Index { number: word & 0x7fff, remove: word & 0x8000 != 0, overlong: false };
    w.note(|| crate::replacement::show_index(index.number, index.remove));
    Ok(index)
}
