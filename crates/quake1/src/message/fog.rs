//! Nehahra's fog (`docs/formats/quake1.md`, "Messages").

use crate::dialect::Dialect;
use crate::message::body::Body;
use crate::message::primitive::{Float, Value};
use fragreel_base::wire::Wire;

/// Nehahra's fog.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NehahraFog {
    /// Whether there is fog.
    pub on: u8,
    /// How dense.
    pub density: Float,
    /// Red, green, blue.
    pub color: [u8; 3],
}

impl Body for NehahraFog {
    fn code<W: Wire>(&mut self, w: &mut W, d: &Dialect) -> Result<(), W::Error> {
        self.on.code(w, "on", d)?;
        if self.on != 0 {
            self.density.code(w, "density", d)?;
            self.color.code(w, "color", d)?;
        }
        Ok(())
    }
}
