//! QuakeWorld's packet entities.

use fragreel_base::textform::Form;

use crate::dialect::pext1;
use crate::fields::quakeworld::bits;
use crate::message::{ClassicDelta, DeltaPacketEntities, EVENMORE_EXTENSIONS, EntityDelta, PacketEntities};
use crate::text::rules::Rules;
use crate::text::value::{AsText, by_number, field};

/// Mask bits that add to an entity's number, what they add, and the extension that lets them.
const NUMBER: [(u64, u32, u32); 2] = [(bits::ENTITYDBL, 512, pext1::ENTITYDBL), (bits::ENTITYDBL2, 1024, pext1::ENTITYDBL2)];

/// The highest number of an entity.
fn most(r: &Rules) -> u32 {
    NUMBER.iter().filter(|(_, _, extension)| r.d.has1(*extension)).fold(511, |most, (_, more, _)| most | more)
}

impl EntityDelta {
    /// What is said of the entity of this number.
    #[inline]
    fn members<F: Form>(&mut self, f: &mut F, r: &Rules, number: u32) -> Result<(), F::Error> {
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
    }
}

fn list<F: Form>(f: &mut F, list: &mut Vec<EntityDelta>, r: &Rules) -> Result<(), F::Error> {
    by_number(
        f,
        list,
        most(r),
        |entity| entity.number(&r.d),
        |f, entity, number| {
            entity.members(f, r, number)?;
            f.insist(entity.word() != 0, "entity 0 without a change ends the list")
        },
    )
}

impl AsText for PacketEntities {
    fn form<F: Form>(&mut self, f: &mut F, r: &Rules) -> Result<(), F::Error> {
        f.object(|f| list(f, &mut self.entities, r))
    }
}

impl AsText for DeltaPacketEntities {
    fn form<F: Form>(&mut self, f: &mut F, r: &Rules) -> Result<(), F::Error> {
        f.object(|f| {
            field(f, "from", &mut self.from, r)?;
            list(f, &mut self.entities, r)
        })
    }
}

impl AsText for ClassicDelta {
    fn form<F: Form>(&mut self, f: &mut F, r: &Rules) -> Result<(), F::Error> {
        f.object(|f| {
            f.require("number")?;
            let number = f.int(self.entity.number(&r.d).into(), 0, most(r).into())? as u32;
            self.entity.members(f, r, number)
        })
    }
}
