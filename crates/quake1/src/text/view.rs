//! View angles set by the server.

use crate::dialect::mvd1;
use crate::fields::names::VIEW_REASONS;
use crate::message::{SetAngle, SetAngleBase};
use crate::text::rules::Rules;
use crate::text::value::{AsText, field, field_if, named};
use fragreel_base::textform::Form;

impl AsText for SetAngle {
    fn form<F: Form>(&mut self, f: &mut F, r: &Rules) -> Result<(), F::Error> {
        f.object(|f| {
            if r.d.is_multi_view() {
                field(f, "slot", &mut self.slot, r)?;
            } else if r.d.has_mvd1(mvd1::SETANGLEREASON) {
                named(f, "reason", &mut self.reason, &VIEW_REASONS)?;
            }
            field(f, "angles", &mut self.angles, r)
        })
    }
}

impl AsText for SetAngleBase {
    fn form<F: Form>(&mut self, f: &mut F, r: &Rules) -> Result<(), F::Error> {
        const LOCKED: u8 = 8;
        f.object(|f| {
            let mut plain = 0;
            for (at, name) in ["pitch", "yaw", "roll"].into_iter().enumerate() {
                if field_if(f, name, self.mask & 1 << at != 0, &mut self.angles[at], r)? {
                    plain |= 1 << at;
                }
            }
            let mut locked = self.mask & LOCKED != 0;
            f.unless("locked", &mut locked, false)?;
            if locked {
                plain |= LOCKED;
            }
            let mut other = self.mask & !15;
            f.unless("other_bits", &mut other, 0)?;
            f.insist(other & 15 == 0, "these bits have names of their own")?;
            self.mask = plain | other;
            Ok(())
        })
    }
}
