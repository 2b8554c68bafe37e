//! Portals (`docs/formats/quake1.md`, "Messages").

use crate::dialect::Dialect;
use crate::message::body::Body;
use crate::message::primitive::Value;
use fragreel_base::wire::Wire;

/// A portal opens or closes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SetPortalState {
    /// 0x80 new form, 0x40 two areas, 0x20 a portal, 2 wide numbers, 1 open.
    pub mode: u8,
    /// The portal.
    pub portal: u16,
    /// The areas.
    pub areas: [u16; 2],
    /// The old form's second byte.
    pub high: u8,
}

impl Body for SetPortalState {
    fn code<W: Wire>(&mut self, w: &mut W, d: &Dialect) -> Result<(), W::Error> {
        self.mode.code(w, "mode", d)?;
        let mode = self.mode;
        if mode & 0x80 == 0 {
            return self.high.code(w, "high", d);
        }
        let width = if mode & 2 != 0 { 16 } else { 8 };
        if mode & 0x20 != 0 || mode & 0x40 == 0 {
            self.portal = w.field("portal", u32::from(self.portal), width)? as u16;
        }
        if mode & 0x40 != 0 {
            for area in &mut self.areas {
                *area = w.field("area", u32::from(*area), width)? as u16;
            }
        }
        Ok(())
    }
}
