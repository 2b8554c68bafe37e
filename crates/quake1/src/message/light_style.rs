//! Light styles with a color (`docs/formats/quake1.md`, "Messages").

use crate::dialect::Dialect;
use crate::message::body::Body;
use crate::message::primitive::{Text, Value};
use fragreel_base::wire::Wire;

/// A light style with a color.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LightStyleColor {
    /// The low 8 bits of its number.
    pub style: u8,
    /// 1, 2, 4: red, green, blue; 0x40: more bits of the style; 0x80: colors have values.
    pub mask: u8,
    /// The high 8 bits of its number.
    pub style_high: u8,
    /// In 1024ths.
    pub color: [u16; 3],
    /// Its pattern.
    pub pattern: Text,
}

impl Body for LightStyleColor {
    fn code<W: Wire>(&mut self, w: &mut W, d: &Dialect) -> Result<(), W::Error> {
        self.style.code(w, "style", d)?;
        self.mask.code(w, "bits", d)?;
        if self.mask & 0x40 != 0 {
            self.style_high.code(w, "style_high", d)?;
        }
        for at in 0..3 {
            if self.mask & 0x80 != 0 && self.mask & 1 << at != 0 {
                self.color[at].code(w, "color", d)?;
            }
        }
        self.pattern.code(w, "pattern", d)
    }
}
