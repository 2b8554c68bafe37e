//! QuakeWorld's packet entities.

use textform::Form;

use super::rules::Rules;
use super::value::{AsText, elements, said};
use crate::dialect::pext1;
use crate::fields::quakeworld::bits;
use crate::message::{ClassicDelta, DeltaPacketEntities, EVENMORE_EXTENSIONS, EntityDelta, PacketEntities};

/// Mask bits that add to an entity's number, what they add, and the extension that lets them.
const NUMBER: [(u64, u32, u32); 2] = [(bits::ENTITYDBL, 512, pext1::ENTITYDBL), (bits::ENTITYDBL2, 1024, pext1::ENTITYDBL2)];

impl AsText for EntityDelta {
    #[inline]
    fn form<F: Form>(&mut self, f: &mut F, r: &Rules) -> Result<(), F::Error> {
        f.object(|f| {
            let mut most = 511;
            for (_, more, extension) in NUMBER {
                most |= if r.d.has1(extension) { more } else { 0 };
            }
            f.require("number")?;
            let number = f.int(self.number(&r.d).into(), 0, most.into())? as u32;
            self.low_number = (number & 511) as u16;
            let more = r.d.has1(EVENMORE_EXTENSIONS);
            let complete = |fields: u64| {
                let mut mask = NUMBER.iter().filter(|(_, more, _)| number & more != 0).fold(fields, |mask, (bit, ..)| mask | bit);
                if mask >> 24 != 0 {
                    mask |= bits::YETMORE;
                }
                if mask >> 16 != 0 {
                    mask |= bits::EVENMORE;
                }
                if mask & 255 != 0 {
                    mask |= bits::MOREBITS;
                }
                mask
            };
            let kept = |mask: u64| {
                let removed = mask & bits::REMOVE != 0;
                let mut kept = mask & 0xfe00;
                if kept & bits::MOREBITS != 0 {
                    kept |= mask & 255;
                }
                if kept & bits::EVENMORE != 0 && (removed || more) {
                    kept |= mask & 0xff_0000;
                    if kept & bits::YETMORE != 0 && !removed {
                        kept |= mask & 0xff00_0000;
                    }
                }
                kept
            };
            r.rows.entity.form(f, &mut self.mask, &mut self.row, complete, kept)?;
            // what adds to the number cannot be spelled away
            f.insist(self.number(&r.d) == number, "`spelling` is about another number: leave it out")
        })
    }
}

fn list<F: Form>(f: &mut F, list: &mut Vec<EntityDelta>, r: &Rules) -> Result<(), F::Error> {
    f.require("entities")?;
    elements(f, list, 1 << 16, "more entities than any engine has", |f, entity| {
        entity.form(f, r)?;
        f.insist(entity.word() != 0, "entity 0 without a change ends the list")
    })
}

impl AsText for PacketEntities {
    fn form<F: Form>(&mut self, f: &mut F, r: &Rules) -> Result<(), F::Error> {
        f.object(|f| list(f, &mut self.entities, r))
    }
}

impl AsText for DeltaPacketEntities {
    fn form<F: Form>(&mut self, f: &mut F, r: &Rules) -> Result<(), F::Error> {
        f.object(|f| {
            said(f, "from", &mut self.from, r)?;
            list(f, &mut self.entities, r)
        })
    }
}

impl AsText for ClassicDelta {
    fn form<F: Form>(&mut self, f: &mut F, r: &Rules) -> Result<(), F::Error> {
        self.entity.form(f, r)
    }
}
