//! Portals.

use crate::message::SetPortalState;
use crate::text::rules::Rules;
use crate::text::value::{AsText, field};
use fragreel_base::textform::Form;

impl AsText for SetPortalState {
    fn form<F: Form>(&mut self, f: &mut F, r: &Rules) -> Result<(), F::Error> {
        f.object(|f| {
            field(f, "mode", &mut self.mode, r)?;
            let mode = self.mode;
            if mode & 0x80 == 0 {
                return field(f, "high", &mut self.high, r);
            }
            let most = if mode & 2 != 0 { 0xffff } else { 0xff };
            if mode & 0x20 != 0 || mode & 0x40 == 0 {
                f.require("portal")?;
                self.portal = f.int(self.portal.into(), 0, most)? as u16;
            }
            if mode & 0x40 != 0 {
                f.require("areas")?;
                f.tuple(2, |f, at| {
                    self.areas[at] = f.int(self.areas[at].into(), 0, most)? as u16;
                    Ok(())
                })?;
            }
            Ok(())
        })
    }
}
