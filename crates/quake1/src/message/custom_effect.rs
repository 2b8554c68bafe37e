//! Custom effects (`docs/formats/quake1.md`, "Messages").

use crate::dialect::Dialect;
use crate::message::body::Body;
use crate::message::primitive::{Coord, Text, Value};
use fragreel_base::wire::Wire;

/// An effect that a mod defines, or its definition.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CustomEffect {
    /// Which; 255 for a definition.
    pub kind: u8,
    /// Which, in a definition.
    pub defined: u8,
    /// What an effect sends: 1 count, 2 direction, 4 stains, 8 glows, 16 fades, 32 velocity, 64 persists, 128 beam.
    pub style: u8,
    /// The effect's name.
    pub name: Text,
    /// Stain (4 bytes), glow (5), fade (3) as the style has them.
    pub looks: Vec<u8>,
    /// Which lasting effect; bit 15 ends it.
    pub id: u16,
    /// Where, and to where.
    pub places: [[Coord; 3]; 2],
    /// How many.
    pub count: u8,
    /// How fast.
    pub velocity: [Coord; 3],
    /// Which way: one of 162.
    pub direction: u8,
}

impl CustomEffect {
    /// The kind that defines another.
    pub(crate) const DEFINITION: u8 = 255;

    fn definition<W: Wire>(&mut self, w: &mut W, d: &Dialect) -> Result<(), W::Error> {
        self.defined.code(w, "defined", d)?;
        self.style.code(w, "style", d)?;
        self.name.code(w, "name", d)?;
        w.enter("looks");
        let length = self.looks_length();
        w.octets(&mut self.looks, length)
    }

    /// How long a definition's looks are.
    pub(crate) fn looks_length(&self) -> usize {
        let has = |bit: u8| usize::from(self.style & bit != 0);
        4 * has(4) + 5 * has(8) + 3 * (has(8) & has(16))
    }
}

impl Body for CustomEffect {
    fn code<W: Wire>(&mut self, w: &mut W, d: &Dialect) -> Result<(), W::Error> {
        self.kind.code(w, "kind", d)?;
        if self.kind == Self::DEFINITION {
            return self.definition(w, d);
        }
        let Some(&style) = d.custom_effects.get(usize::from(self.kind)) else {
            return w.expect(false, "a custom effect that was not defined");
        };
        let has = |bit: u8| style & bit != 0;
        if has(64) {
            self.id.code(w, "id", d)?;
            if self.id & 0x8000 != 0 {
                return Ok(());
            }
        }
        self.places[0].code(w, "origin", d)?;
        if has(128) {
            self.places[1].code(w, "end", d)?;
        }
        if has(1) {
            self.count.code(w, "count", d)?;
        }
        if has(32) {
            self.velocity.code(w, "velocity", d)
        } else if has(2) {
            self.direction.code(w, "direction", d)
        } else {
            Ok(())
        }
    }
}
