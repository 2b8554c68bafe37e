//! The game code's own entities.

use crate::message::{CsqcEntity, SizedCsqcEntities};
use crate::replacement::{Index, LAST_ENTITY};
use crate::text::rules::Rules;
use crate::text::value::{AsText, elements};
use fragreel_base::textform::Form;

impl AsText for SizedCsqcEntities {
    fn form<F: Form>(&mut self, f: &mut F, r: &Rules) -> Result<(), F::Error> {
        f.object(|f| {
            f.require("entities")?;
            elements(f, &mut self.entities, 1 << 16, "more entities than any engine has", |f, entity| entity.form(f, r))?;
            self.overlong_end &= r.d.replacement();
            f.unless("overlong_end", &mut self.overlong_end, false)
        })
    }
}

impl AsText for CsqcEntity {
    fn form<F: Form>(&mut self, f: &mut F, r: &Rules) -> Result<(), F::Error> {
        f.object(|f| {
            index(f, &mut self.index, r.d.replacement())?;
            if !self.index.remove {
                f.require("data")?;
                f.hex(&mut self.data)?;
            } else if F::READING {
                self.data.clear();
            }
            f.insist(self.data.len() <= 0xffff, "expected at most 65535 bytes")
        })
    }
}

/// An entity's number among updates, and whether it goes. `wide`: the number may have more than 15 bits.
fn index<F: Form>(f: &mut F, index: &mut Index, wide: bool) -> Result<(), F::Error> {
    f.require("number")?;
    index.number = f.int(index.number.into(), 0, if wide { LAST_ENTITY } else { 0x7fff }.into())? as u32;
    if wide {
        f.unless("overlong", &mut index.overlong, false)?;
        f.insist(!index.overlong || index.number < 0x4000, "the number needs its long form")?;
    } else if F::READING {
        index.overlong = false;
    }
    f.unless("remove", &mut index.remove, false)?;
    f.insist(index.number != 0 || index.remove, "the number 0 ends the list")
}
