//! View angles set by the server (`docs/formats/quake1.md`, "Messages").

use crate::dialect::{Dialect, mvd1};
use crate::message::body::Body;
use crate::message::primitive::{Angle, ShortAngle, Value};
use fragreel_base::wire::Wire;

/// The view is set.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SetAngle {
    /// Whose view (multi-view).
    pub slot: u8,
    /// Why: 1 teleport, 2 spawn (`SETANGLEREASON`).
    pub reason: u8,
    /// Where it looks.
    pub angles: [Angle; 3],
}

impl Body for SetAngle {
    fn code<W: Wire>(&mut self, w: &mut W, d: &Dialect) -> Result<(), W::Error> {
        if d.is_multi_view() {
            self.slot.code(w, "slot", d)?;
        } else if d.has_mvd1(mvd1::SETANGLEREASON) {
            self.reason.code(w, "reason", d)?;
        }
        self.angles.code(w, "angles", d)
    }
}

/// The base of the view's angles moves (`VRINPUTS`).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SetAngleBase {
    /// 1, 2, 4: pitch, yaw, roll follow; 8: the view is locked.
    pub mask: u8,
    /// The new base.
    pub angles: [ShortAngle; 3],
}

impl Body for SetAngleBase {
    fn code<W: Wire>(&mut self, w: &mut W, d: &Dialect) -> Result<(), W::Error> {
        self.mask.code(w, "bits", d)?;
        for at in 0..3 {
            if self.mask & 1 << at != 0 {
                self.angles[at].code(w, ["pitch", "yaw", "roll"][at], d)?;
            }
        }
        Ok(())
    }
}
